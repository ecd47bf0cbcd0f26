"""`litterm fetch` and `find`: what services hold about papers."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from litterm.cli.context import Context
from litterm.cli.parser import at_most, text_of
from litterm.core.errors import BadInput, ServiceError, UsageError

if TYPE_CHECKING:
    from litterm.model.library import Parsed
    from litterm.model.paper import Paper
    from litterm.model.services import Obtained

PARTLY = 1
_PAPER = "an id such as acl:P18-1082, or its key alone where that is unambiguous"
_MISSED = 3


def declare(verb: str, parser: argparse.ArgumentParser) -> None:
    """Adds the options of one of the two."""
    if verb == "fetch":
        parser.add_argument("papers", nargs="*", metavar="PAPER", help=f"{_PAPER}, or an address")
        parser.add_argument("--ids", metavar="FILE", help="a list of ids, or a RIS file; - is stdin")
        parser.add_argument("--missing", action="store_true", help="the papers of --query without a full text")
        parser.add_argument(
            "--query", metavar="QUERY", help="papers found by this search, as typed in `litterm search`"
        )
        parser.add_argument("-n", type=at_most(10_000), default=20, metavar="N", help="papers of --query at most (20)")
    else:
        parser.add_argument("query", nargs="+", metavar="QUERY")
        parser.add_argument("--in", dest="service", default="s2", metavar="SERVICE", help="s2, arxiv, europepmc, ...")
        parser.add_argument("-k", type=at_most(1000), default=10, metavar="N", help="at most this many (default 10)")
        parser.add_argument("--add", action="store_true", help="import what is found")
    parser.add_argument("--json", action="store_true", help="JSON on stdout")


def run(verb: str, args: argparse.Namespace, context: Context) -> int:
    """1 if some failed, 3 if nobody has it, 4 if a service failed and nothing came."""
    return _fetch(args, context) if verb == "fetch" else _find(args, context)


def obtained(done: Sequence[Obtained], context: Context, *, as_json: bool) -> int:
    """One line an id, and the status: 0 where everything came, 1 where some did, 3 where nothing is known, 4 else."""
    if as_json:
        context.output.json({"papers": [told(each) for each in done]})
    else:
        look = context.look()
        context.output.lines([look.text(_line(each)) for each in done])
    return status_of(done)


def status_of(done: Sequence[Obtained]) -> int:
    """The exit status after these results."""
    if all(each.paper_id is not None and each.outcome != "failed" for each in done):
        return 0
    if any(each.paper_id is not None and each.outcome != "failed" for each in done):
        return PARTLY
    return ServiceError.exit_code if any(each.outcome == "failed" for each in done) else _MISSED


def read_ids(name: str) -> tuple[str, ...]:
    """The ids in the file `name`, or on stdin for `-`.

    Raises:
        BadInput: it cannot be read, or holds none.
    """
    from litterm.services.add_by_id import ids_in

    try:
        text = sys.stdin.read() if name == "-" else Path(name).read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{name}: cannot be read as a list of ids ({error}).") from error
    ids = ids_in(text)
    if not ids:
        raise BadInput(f"{name}: holds no ids.")
    return ids


def _fetch(args: argparse.Namespace, context: Context) -> int:
    engine = context.engine()
    words = [text_of([word]) for word in (*args.papers, *(read_ids(args.ids) if args.ids else ()))]
    if args.missing or args.query:
        if not args.query:
            raise UsageError("--missing needs --query: which papers are meant?")
        ranked = context.drive(engine.search(args.query, k=args.n)).papers
        words += [each.paper.id for each in ranked if not each.starter and not (args.missing and each.paper.full_text)]
    if not words and not args.query:
        raise UsageError("name papers to fetch, or give --ids FILE, or --missing --query QUERY")
    if not words:
        context.output.say(
            "Every paper found already has its full text." if ranked else "No paper of the library matches."
        )
    return obtained(context.drive(engine.sources.bring(words)), context, as_json=args.json)


def _find(args: argparse.Namespace, context: Context) -> int:
    engine = context.engine()
    found = context.drive(engine.sources.find(args.service, text_of(args.query), limit=args.k))
    if args.add and found:
        context.drive(engine.sources.keep(found))
    held = engine.sources.held([each.paper.id for each in found])
    if args.json:
        rows = [_row(each, bool(ids)) for each, ids in zip(found, held, strict=True)]
        context.output.json({"query": text_of(args.query), "service": args.service, "papers": rows})
        return 0
    look = context.look()
    for each, ids in zip(found, held, strict=True):
        here = "in the library" if ids else f"litterm add {each.paper.id}"
        context.output.lines([look.text(_cited(each.paper)), f"     {look.text(f'{each.paper.id} · {here}')}"])
    context.output.say(f"{len(found)} found by {args.service}" + ("" if found else "; try other words"))
    return 0


def _cited(paper: Paper) -> str:
    from litterm.render.names import short_authors, venue_and_year

    parts = (paper.title, short_authors(paper.authors), venue_and_year(paper), paper.id)
    return " · ".join(part for part in parts if part)


def _row(found: Parsed, held: bool) -> dict[str, object]:
    paper = found.paper
    return {
        "id": paper.id,
        "title": paper.title,
        "authors": [f"{each.given} {each.family}".strip() for each in paper.authors],
        "year": paper.year,
        "venue": paper.venue,
        "in_library": held,
    }


def _line(each: Obtained) -> str:
    from litterm.render.fetch_result import version_words

    parts = (
        each.outcome,
        each.paper_id or each.asked,
        each.title,
        each.via and f"by {each.via}",
        version_words(each),
        each.licence,
        each.why,
    )
    return " · ".join(part for part in parts if part)


def told(each: Obtained) -> dict[str, object]:
    """One result as JSON."""
    return {
        "asked": each.asked,
        "outcome": each.outcome,
        "id": each.paper_id,
        "title": each.title,
        "via": each.via,
        "licence": each.licence,
        "version": each.version,
        "why": each.why,
        "transient": each.transient,
    }
