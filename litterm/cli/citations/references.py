"""`litterm refs` and `litterm cited-by`: the library's own knowledge first, beside it what services list."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from litterm.cli.context import Context
from litterm.cli.parser import at_most, text_of
from litterm.core.errors import ServiceError

if TYPE_CHECKING:
    from litterm.engine import Engine
    from litterm.model.document import Reference
    from litterm.model.graph import Direction, ListedWork
    from litterm.model.paper import Paper, PaperId

_HERE = "library"
_SHOWN = 2
"""Citing sentences a work in lines; JSON has all."""


def declare(verb: str, parser: argparse.ArgumentParser) -> None:
    """Adds the options of both."""
    told = "an id such as acl:P18-1082, or its key alone where that is unambiguous"
    parser.add_argument("paper", metavar="PAPER", help=told)
    parser.add_argument("-k", type=at_most(10_000), default=100, metavar="N", help="at most this many (default 100)")
    parser.add_argument("--local", action="store_true", help="only what the library knows; no network")
    parser.add_argument("--json", action="store_true", help="JSON on stdout")


def run(verb: str, args: argparse.Namespace, context: Context) -> int:
    """0 where a list is known, 3 where nobody knows one, 4 where services failed and the library knows none."""
    direction: Direction = "references" if verb == "refs" else "citations"
    engine = context.engine()
    paper = engine.paper(text_of([args.paper]))
    by, works = _HERE, None
    if not args.local:
        by, works = _asked(paper, direction, engine, context, limit=args.k)
    if works is None:
        works = context.drive(engine.listed_here(paper, direction))
    works = works[: args.k]
    held = _held(works, engine)
    if args.json:
        rows = [_row(work, at) for work, at in zip(works, held, strict=True)]
        context.output.json({"paper": paper.id, "by": by, direction: rows})
        return 0
    _print(works, held, context)
    if works:
        context.output.say(f"{len(works)} by {'the library' if by == _HERE else by}; * is in the library")
    elif not engine.citations.graph().known([paper.id])[0]:
        context.output.say(f"The library does not know its {direction}; leave out --local to ask online services.")
    return 0


def _asked(
    paper: Paper, direction: Direction, engine: Engine, context: Context, *, limit: int
) -> tuple[str, tuple[ListedWork, ...] | None]:
    """A service's list and its name; without one, nothing where the library has a list itself.

    Raises:
        ServiceError: no service could be asked or knows, and neither does the library.
    """
    try:
        found = context.drive(engine.sources.listed(paper, direction, limit=limit))
    except ServiceError as error:
        if not context.drive(engine.listed_here(paper, direction)):
            raise
        context.output.say(f"{error} The list is the library's own.")
        return _HERE, None
    engine.citations.take(found)
    return found.source, found.works


def _held(works: Sequence[ListedWork], engine: Engine) -> list[PaperId | None]:
    """Under which id the library has each of them."""
    keys = [list(work.reference.ids) for work in works]
    found = engine.sources.held([key for each in keys for key in each])
    here = {key: ids[0] for key, ids in zip((key for each in keys for key in each), found, strict=True) if ids}
    return [
        work.reference.target or next((here[key] for key in each if key in here), None)
        for work, each in zip(works, keys, strict=True)
    ]


def _row(work: ListedWork, held: PaperId | None) -> dict[str, object]:
    entry = work.reference
    return {
        "id": held,
        "title": entry.title,
        "text": entry.text,
        "authors": list(entry.families),
        "year": entry.year,
        "ids": list(entry.ids),
        "in_library": held,
        "contexts": list(work.contexts),
    }


def _print(works: Sequence[ListedWork], held: Sequence[PaperId | None], context: Context) -> None:
    look = context.look()
    for work, at in zip(works, held, strict=True):
        context.output.lines([look.text(f"{'*' if at else ' '} {_entry(work.reference)}")])
        context.output.lines([look.text(f"     “{sentence}”") for sentence in work.contexts[:_SHOWN]])


def _entry(reference: Reference) -> str:
    names = ", ".join(reference.families[:3]) + (" et al." if len(reference.families) > 3 else "")
    known = reference.target or next(iter(reference.ids), "")
    parts = (names, str(reference.year or ""), reference.title or reference.text, known)
    return " · ".join(part for part in parts if part)
