"""`litterm sql`: a statement in SQL over the user's papers, full texts, citations and marks."""

from __future__ import annotations

import argparse
import sys

from litterm.cli.context import Context
from litterm.cli.parser import join_words, parse_capped_int


def declare(_command: str, parser: argparse.ArgumentParser) -> None:
    """Adds the statement, and the form of the answer."""
    parser.add_argument(
        "statement",
        metavar="STATEMENT",
        help="one statement that reads papers, sentences, citations or marks, in quotes; - reads it from stdin",
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="JSON on stdout")
    form.add_argument("--csv", action="store_true", help="CSV on stdout")
    parser.add_argument(
        "--limit", type=parse_capped_int(1_000_000), metavar="N", help="at most N rows (default: a million)"
    )


def run(_command: str, args: argparse.Namespace, context: Context) -> int:
    """Prints the rows; always 0."""
    from litterm.render.sql import sql_csv, sql_data, sql_lines

    statement = sys.stdin.read() if args.statement == "-" and sys.stdin is not None else args.statement
    result = context.run(context.engine().sql(join_words([statement]), limit=args.limit))
    if args.json:
        context.output.write_json(sql_data(result))
    elif args.csv:
        context.output.write(sql_csv(result))
    else:
        context.output.write_lines(sql_lines(result, context.line_options()))
    if result.has_more:
        context.output.say(f"There are more rows than these {len(result.rows):,}; --limit N says how many are read.")
    return 0
