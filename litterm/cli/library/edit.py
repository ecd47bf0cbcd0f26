"""`litterm edit`: corrects title, authors, year and citation key of a record by hand."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from litterm.cli.context import Context
from litterm.cli.library.show import PAPER_HELP
from litterm.core.errors import UsageError

if TYPE_CHECKING:
    from litterm.model.paper import Paper

EXIT_NOTHING_ASKED = 2


def declare(_command: str, parser: argparse.ArgumentParser) -> None:
    """Adds the paper and what to correct."""
    parser.add_argument("paper", metavar="PAPER", help=PAPER_HELP)
    parser.add_argument("--title", metavar="TEXT", help="the right title")
    parser.add_argument(
        "--author",
        action="append",
        metavar="NAME",
        help="an author, as `Family, Given` or `Given Family`; repeated for each, in order, they replace all authors",
    )
    parser.add_argument("--year", type=int, metavar="N", help="the right year")
    parser.add_argument("--key", metavar="KEY", help="the citation key of exports")
    parser.add_argument("--undo", action="store_true", help="take back all that was corrected of this paper")
    parser.add_argument("--json", action="store_true", help="JSON on stdout")


def run(_command: str, args: argparse.Namespace, context: Context) -> int:
    """Prints the corrected record; 2 if nothing was asked for, after the values as they are."""
    from litterm.library.corrections import make_correction

    engine = context.engine()
    paper = engine.paper(args.paper)
    given = [value for value in (args.title, args.author, args.year, args.key) if value is not None]
    if args.undo:
        if given:
            raise UsageError("--undo takes back all corrections; correct anew without it")
        return _show(context.run(engine.undo_correction(paper.id)), context, as_json=args.json)
    if not given:
        _show(paper, context, as_json=args.json)
        context.output.say(
            f"Correct it with --title, --author, --year or --key, as in `litterm edit {paper.id} --year 2020`."
        )
        return EXIT_NOTHING_ASKED
    correction = make_correction(paper, title=args.title, authors=args.author, year=args.year, key=args.key)
    shown = _show(context.run(engine.correct(paper.id, correction)), context, as_json=args.json)
    if not args.json:
        context.output.say(f"Corrected; `litterm edit {paper.id} --undo` takes it back.")
    return shown


def _show(paper: Paper, context: Context, *, as_json: bool) -> int:
    from litterm.render.names import full_name

    if as_json:
        context.output.write_json(
            {
                "id": paper.id,
                "title": paper.title,
                "authors": [full_name(author) for author in paper.authors],
                "year": paper.year,
                "bibkey": paper.imprint.bibkey,
                "is_title_certain": paper.is_title_certain,
            }
        )
        return 0
    from litterm.render import lines

    context.output.write_lines(lines.editable_fields(paper, context.line_options()))
    return 0
