"""`litterm first TOPIC`: the oldest relevant papers of a topic, and who names them as its origin."""

from __future__ import annotations

import argparse

from litterm.cli.context import Context
from litterm.cli.parser import join_words, parse_capped_int
from litterm.cli.search.typed_query import parse_typed


def declare(_command: str, parser: argparse.ArgumentParser) -> None:
    """Adds the topic and the form of the answer."""
    parser.add_argument("topic", nargs="+", metavar="TOPIC", help="a topic; filters work as in search")
    parser.add_argument(
        "-k", type=parse_capped_int(100), default=10, metavar="N", help="number of papers shown (default 10)"
    )
    parser.add_argument("--json", action="store_true", help="JSON on stdout")


def run(_command: str, args: argparse.Namespace, context: Context) -> int:
    """Prints the papers the topic began with, as far as the library shows; 0 even without one."""
    typed = join_words(args.topic)
    engine = context.engine()
    firsts = context.run(engine.first(parse_typed(typed, engine), k=args.k))
    from litterm.render.citations import first_papers

    if args.json:
        context.output.write_json(first_papers.first_data(firsts, typed=typed))
    else:
        context.output.write_lines(first_papers.first_lines(firsts, context.line_options()))
    for notice in firsts.notices:
        context.output.say(notice)
    if not firsts.papers:
        context.output.say("No paper in the library is about that.")
    return 0
