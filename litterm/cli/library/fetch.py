"""`litterm fetch` and `litterm find`: full texts from services, and a search in one of them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from litterm.cli.context import Context
from litterm.cli.library.show import PAPER_HELP
from litterm.cli.parser import join_words, parse_capped_int
from litterm.core.errors import BadInput, ServiceError, UsageError
from litterm.model.services import FINDERS

if TYPE_CHECKING:
    from litterm.model.library import Parsed
    from litterm.model.paper import Paper
    from litterm.model.services import FetchResult
    from litterm.render.fetch import FetchResultData, FoundOnlineData

EXIT_PARTLY = 1
_EXIT_NOT_FOUND = 3


def declare(command: str, parser: argparse.ArgumentParser) -> None:
    """Adds the options of the command named."""
    if command == "fetch":
        parser.add_argument("papers", nargs="*", metavar="PAPER", help=f"{PAPER_HELP}, or an address")
        parser.add_argument("--ids", metavar="FILE", help="papers from a list of ids or a RIS file (- for stdin)")
        parser.add_argument("--missing", action="store_true", help="of --query, only papers that have no full text")
        parser.add_argument(
            "--query", metavar="QUERY", help="papers found by this search, as typed in `litterm search`"
        )
        parser.add_argument(
            "-n",
            type=parse_capped_int(10_000),
            default=20,
            metavar="N",
            help="with --query: at most this many papers (default 20)",
        )
    else:
        parser.add_argument("query", nargs="+", metavar="QUERY")
        parser.add_argument(
            "--in",
            dest="service",
            default=FINDERS[0],
            metavar="SERVICE",
            help=f"one of {', '.join(FINDERS)} (default {FINDERS[0]})",
        )
        parser.add_argument(
            "-k", type=parse_capped_int(1000), default=10, metavar="N", help="at most this many (default 10)"
        )
        parser.add_argument("--add", action="store_true", help="import what is found")
    parser.add_argument("--json", action="store_true", help="JSON on stdout")


def run(command: str, args: argparse.Namespace, context: Context) -> int:
    """1 if some failed, 3 if no service has it, 4 if a service failed and nothing came."""
    return _fetch(args, context) if command == "fetch" else _find(args, context)


def show_results(results: Sequence[FetchResult], context: Context, *, as_json: bool) -> int:
    """Prints a line for each id; the status is 0 if all came, 1 if some did, 3 if none is known, else 4."""
    if as_json:
        context.output.write_json({"papers": [result_data(result) for result in results]})
    else:
        options = context.line_options()
        context.output.write_lines([options.text(_result_line(result)) for result in results])
    return exit_status(results)


def exit_status(results: Sequence[FetchResult]) -> int:
    """The exit status after these results."""
    if all(result.paper_id is not None and result.outcome != "failed" for result in results):
        return 0
    if any(result.paper_id is not None and result.outcome != "failed" for result in results):
        return EXIT_PARTLY
    return ServiceError.exit_code if any(result.outcome == "failed" for result in results) else _EXIT_NOT_FOUND


def read_ids(name: str) -> tuple[str, ...]:
    """The ids in the file `name`, or on stdin for `-`.

    Raises:
        BadInput: it cannot be read, or holds none.
    """
    from litterm.importers.encoding import decode_text
    from litterm.services.add_by_id import ids_in

    try:
        # Ids are ASCII: in whatever encoding the list is, they are read.
        text = sys.stdin.read() if name == "-" else decode_text(Path(name).read_bytes()).text
    except OSError as error:
        raise BadInput(f"{name}: cannot be read ({error.strerror}).") from error
    ids = ids_in(text)
    if not ids:
        raise BadInput(f"{name}: holds no ids.")
    return ids


def _fetch(args: argparse.Namespace, context: Context) -> int:
    engine = context.engine()
    words = [join_words([word]) for word in (*args.papers, *(read_ids(args.ids) if args.ids else ()))]
    if args.missing or args.query:
        if not args.query:
            raise UsageError("--missing needs --query to say which papers are meant")
        ranked = context.run(engine.search(args.query, k=args.n)).papers
        words += [
            result.paper.id for result in ranked if result.is_own and not (args.missing and result.paper.full_text)
        ]
    if not words and not args.query:
        raise UsageError("name papers to fetch, or give --ids FILE, or --missing --query QUERY")
    if not words:
        context.output.say(
            "Every paper found already has its full text." if ranked else "No paper of the library matches."
        )
    return show_results(context.run(engine.services.bring(words)), context, as_json=args.json)


def _find(args: argparse.Namespace, context: Context) -> int:
    engine = context.engine()
    records = context.run(engine.services.find(args.service, join_words(args.query), limit=args.k))
    # Before the look-up, which then names what has just come in as held.
    if args.add and records:
        context.run(engine.services.keep(records))
    held = engine.services.held_papers([record.paper.id for record in records])
    if args.json:
        rows = [_paper_data(record, bool(ids)) for record, ids in zip(records, held, strict=True)]
        context.output.write_json({"query": join_words(args.query), "service": args.service, "papers": rows})
        return 0
    options = context.line_options()
    for record, ids in zip(records, held, strict=True):
        location = "in the library" if ids else f"litterm add {record.paper.id}"
        context.output.write_lines(
            [options.text(_paper_line(record.paper)), f"     {options.text(f'{record.paper.id} · {location}')}"]
        )
    context.output.say(f"{len(records)} found by {args.service}" + ("" if records else "; try other words"))
    return 0


def _paper_line(paper: Paper) -> str:
    from litterm.render.names import short_authors, venue_and_year

    parts = (paper.title, short_authors(paper), venue_and_year(paper), paper.id)
    return " · ".join(part for part in parts if part)


def _paper_data(record: Parsed, held: bool) -> FoundOnlineData:
    from litterm.render.names import full_name

    paper = record.paper
    return {
        "id": paper.id,
        "title": paper.title,
        "authors": [full_name(author) for author in paper.authors],
        "year": paper.year,
        "venue": paper.venue,
        "in_library": held,
    }


def _result_line(result: FetchResult) -> str:
    from litterm.render.services import version_words

    parts = (
        result.outcome,
        result.paper_id or result.asked,
        result.title,
        result.via and f"by {result.via}",
        version_words(result),
        result.licence,
        result.why,
    )
    return " · ".join(part for part in parts if part)


def result_data(result: FetchResult) -> FetchResultData:
    """What came of one id, as JSON."""
    return {
        "asked": result.asked,
        "outcome": result.outcome,
        "id": result.paper_id,
        "title": result.title,
        "via": result.via,
        "licence": result.licence,
        "version": result.version,
        "why": result.why,
        "transient": result.transient,
    }
