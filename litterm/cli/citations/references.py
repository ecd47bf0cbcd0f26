"""`litterm refs` and `litterm cited-by`: what a paper cites and what cites it, by a service or by the library."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from litterm.cli.context import Context
from litterm.cli.library.show import PAPER_HELP
from litterm.cli.parser import join_words, parse_capped_int
from litterm.core.errors import ServiceError
from litterm.render.citations.listed_works import LIBRARY_SOURCE, library_words, listed_data

if TYPE_CHECKING:
    from litterm.engine import Engine
    from litterm.model.citations.graph import Direction, ListedWork
    from litterm.model.document import Reference
    from litterm.model.paper import Paper, PaperId

_MAX_SENTENCES_SHOWN = 2
"""Citing sentences printed for each work; JSON has all of them."""


def declare(command: str, parser: argparse.ArgumentParser) -> None:
    """Adds the options, the same for both commands."""
    parser.add_argument("paper", metavar="PAPER", help=PAPER_HELP)
    parser.add_argument(
        "-k", type=parse_capped_int(10_000), default=100, metavar="N", help="at most this many (default 100)"
    )
    parser.add_argument("--local", action="store_true", help="only what the library knows; no network")
    parser.add_argument("--json", action="store_true", help="JSON on stdout")


def run(command: str, args: argparse.Namespace, context: Context) -> int:
    """0 where a list is known, 3 where none is known, 4 where services failed and the library has none."""
    direction: Direction = "references" if command == "refs" else "citations"
    from litterm.citations.references import held_ids

    engine = context.engine()
    paper = engine.paper(join_words([args.paper]))
    source, works = LIBRARY_SOURCE, None
    if not args.local:
        source, works = _ask_services(paper, direction, engine, context, limit=args.k)
    if works is None:
        works = context.run(engine.listed_works(paper, direction))
    works = works[: args.k]
    held_papers = held_ids(works, engine.services.held_papers)
    if args.json:
        context.output.write_json(listed_data(paper.id, direction, works, held_papers, by=source))
        return 0
    _print(works, held_papers, context)
    if works:
        context.output.say(
            f"{len(works)} by {library_words(works) if source == LIBRARY_SOURCE else source}; * is in the library"
        )
    # A list that is known to be empty is an answer; only of an unknown one there is something to be done.
    elif not engine.citations.graph().has_references([paper.id])[0]:
        context.output.say(f"The library does not know its {direction}; leave out --local to ask online services.")
    return 0


def _ask_services(
    paper: Paper, direction: Direction, engine: Engine, context: Context, *, limit: int
) -> tuple[str, tuple[ListedWork, ...] | None]:
    """The name of a service and its list; `None` for the list where only the library has one.

    Raises:
        ServiceError: no service could be asked or knows, and neither does the library.
    """
    try:
        citation_list = context.run(engine.services.fetch_list(paper, direction, limit=limit))
    except ServiceError as error:
        if not context.run(engine.listed_works(paper, direction)):
            raise
        context.output.say(f"{error} The list is the library's own.")
        return LIBRARY_SOURCE, None
    engine.citations.store_list(citation_list)
    return citation_list.source, citation_list.works


def _print(works: Sequence[ListedWork], held_papers: Sequence[PaperId | None], context: Context) -> None:
    options = context.line_options()
    for work, paper_id in zip(works, held_papers, strict=True):
        context.output.write_lines([options.text(f"{'*' if paper_id else ' '} {_reference_line(work.reference)}")])
        context.output.write_lines(
            [options.text(f"     “{sentence}”") for sentence in work.contexts[:_MAX_SENTENCES_SHOWN]]
        )


def _reference_line(reference: Reference) -> str:
    names = ", ".join(reference.families[:3]) + (" et al." if len(reference.families) > 3 else "")
    paper_id = reference.target or next(iter(reference.ids), "")
    parts = (names, str(reference.year or ""), reference.title or reference.text, paper_id)
    return " · ".join(part for part in parts if part)
