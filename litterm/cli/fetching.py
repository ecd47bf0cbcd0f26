"""`litterm fetch`, `find`, `refs` and `cited-by`: what services hold about papers."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from litterm.cli.context import Context
from litterm.cli.parser import text_of
from litterm.errors import BadInput, ServiceError, UsageError

if TYPE_CHECKING:
    from litterm.engine import Engine
    from litterm.model.document import Reference
    from litterm.model.graph import Direction, ExternalList
    from litterm.model.library import Parsed
    from litterm.model.paper import Paper
    from litterm.model.sources import Obtained

PARTLY = 1
_PAPER = "an id such as acl:P18-1082, or its key alone where that is unambiguous"
_MISSED = 3


def declare(verb: str, parser: argparse.ArgumentParser) -> None:
    """Adds the options of one of the four."""
    if verb == "fetch":
        parser.add_argument("papers", nargs="*", metavar="PAPER", help=f"{_PAPER}, or an address")
        parser.add_argument("--ids", metavar="FILE", help="a list of ids, or a RIS file; - is stdin")
        parser.add_argument("--missing", action="store_true", help="the papers of --query whose text is not here")
        parser.add_argument("--query", metavar="QUERY", help="which papers; the language of `litterm search`")
        parser.add_argument("-n", type=int, default=20, metavar="N", help="how many papers of --query (default 20)")
    elif verb == "find":
        parser.add_argument("query", nargs="+", metavar="QUERY")
        parser.add_argument("--in", dest="service", default="s2", metavar="SERVICE", help="s2, arxiv, europepmc, ...")
        parser.add_argument("-k", type=int, default=10, metavar="N", help="at most so many (default 10)")
        parser.add_argument("--add", action="store_true", help="put what is found into the library")
    else:
        parser.add_argument("paper", metavar="PAPER", help=_PAPER)
        parser.add_argument("-k", type=int, default=100, metavar="N", help="at most so many (default 100)")
        parser.add_argument("--local", action="store_true", help="only what the library knows; asks nobody")
    parser.add_argument("--json", action="store_true", help="JSON on stdout")


def run(verb: str, args: argparse.Namespace, context: Context) -> int:
    """1 if some failed, 3 if nobody has it, 4 if a service failed and nothing came."""
    if verb == "fetch":
        return _fetch(args, context)
    if verb == "find":
        return _find(args, context)
    return _linked("references" if verb == "refs" else "citations", args, context)


def obtained(done: Sequence[Obtained], context: Context, *, as_json: bool) -> int:
    """One line an id, and the status: 0 where everything came, 1 where some did, 3 where nothing is known, 4 else."""
    if as_json:
        context.output.json({"papers": [told(each) for each in done]})
    else:
        look = context.look()
        context.output.lines([look.text(_line(each)) for each in done])
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
    from litterm.engine.obtain import ids_in

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
    if args.query and args.n < 1:
        raise UsageError("-n must be 1 or more")
    words = [text_of([word]) for word in (*args.papers, *(read_ids(args.ids) if args.ids else ()))]
    if args.missing or args.query:
        if not args.query:
            raise UsageError("--missing wants --query: which papers are meant?")
        ranked = context.drive(engine.search(args.query, k=args.n)).papers
        words += [each.paper.id for each in ranked if not each.starter and not (args.missing and each.paper.full_text)]
    if not words and not args.query:
        raise UsageError("name papers to fetch, or give --ids FILE, or --missing --query QUERY")
    if not words:
        context.output.say("Every paper found has its full text." if ranked else "No paper of the library is found.")
    return obtained(context.drive(engine.sources.bring(words)), context, as_json=args.json)


def _find(args: argparse.Namespace, context: Context) -> int:
    if args.k < 1:
        raise UsageError("-k must be 1 or more")
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


def _linked(direction: Direction, args: argparse.Namespace, context: Context) -> int:
    engine = context.engine()
    paper = engine.paper(text_of([args.paper]))
    if not args.local:
        listed = context.drive(engine.sources.listed(paper, direction, limit=args.k))
        engine.citations.take(listed)
        return _external(listed, engine, context, as_json=args.json)
    graph = context.drive(engine.citations.update())
    edges = graph.references([paper.id])[0] if direction == "references" else graph.citations([paper.id])[0]
    ends = [edge.cited if direction == "references" else edge.citing for edge in edges][: args.k]
    papers = [engine.paper(each) for each in ends]
    if args.json:
        context.output.json({"paper": paper.id, direction: [{"id": each.id, "title": each.title} for each in papers]})
        return 0
    context.output.lines([context.look().text(_cited(each)) for each in papers])
    if not papers and not graph.known([paper.id])[0]:
        context.output.say("The library does not know its references; leave out --local to ask the services.")
    return 0


def _external(listed: ExternalList, engine: Engine, context: Context, *, as_json: bool) -> int:
    keys = [list(work.reference.ids) for work in listed.works]
    found = engine.sources.held([key for each in keys for key in each])
    here = {key: ids[0] for key, ids in zip((key for each in keys for key in each), found, strict=True) if ids}
    if as_json:
        works = [
            {
                "title": work.reference.title,
                "authors": list(work.reference.families),
                "year": work.reference.year,
                "ids": list(work.reference.ids),
                "in_library": next((here[key] for key in work.reference.ids if key in here), None),
                "contexts": list(work.contexts),
            }
            for work in listed.works
        ]
        context.output.json({"paper": listed.paper, "by": listed.source, listed.direction: works})
        return 0
    look = context.look()
    for work in listed.works:
        mark = "*" if any(key in here for key in work.reference.ids) else " "
        context.output.lines([look.text(f"{mark} {_entry(work.reference)}")])
        context.output.lines([look.text(f"     “{context_}”") for context_ in work.contexts[:2]])
    context.output.say(f"{len(listed.works)} by {listed.source}; * is in the library")
    return 0


def _entry(reference: Reference) -> str:
    names = ", ".join(reference.families[:3]) + (" et al." if len(reference.families) > 3 else "")
    parts = (names, str(reference.year or ""), reference.title or reference.text, " ".join(reference.ids[:1]))
    return " · ".join(part for part in parts if part)


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
    parts = (
        each.outcome,
        each.paper_id or each.asked,
        each.title,
        each.via and f"by {each.via}",
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
        "why": each.why,
        "transient": each.transient,
    }
