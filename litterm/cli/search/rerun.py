"""`litterm rerun`: makes a recorded search once more and says what has changed."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from litterm.cli.context import Context

EXIT_FINDINGS = 6


def declare(_command: str, parser: argparse.ArgumentParser) -> None:
    """Adds the record and the form of the answer."""
    parser.add_argument("file", type=Path, metavar="FILE", help="what `litterm search --record FILE` wrote")
    parser.add_argument("--json", action="store_true", help="JSON on stdout")


def run(_command: str, args: argparse.Namespace, context: Context) -> int:
    """0 if the list and the number found are the same, 6 if not, 3 without such a file, 1 where it cannot be read."""
    from litterm.engine.search_record_file import read_record
    from litterm.render.search_records import not_repeated, rerun_data, rerun_lines

    record, engine = read_record(args.file), context.engine()
    rerun = context.run(engine.search_records.rerun(record, engine))
    if args.json:
        context.output.write_json(rerun_data(rerun))
    else:
        context.output.write_lines(rerun_lines(rerun, context.line_options()))
    for sentence in (*not_repeated(record), *filter(None, [engine.damage_notice()])):
        context.output.say(sentence)
    return 0 if rerun.is_same else EXIT_FINDINGS
