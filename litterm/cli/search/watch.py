"""`litterm watch`: searches that are kept, and what is new in them."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from litterm.cli.context import Context
from litterm.cli.parser import text_of
from litterm.core.errors import UsageError

if TYPE_CHECKING:
    from litterm.model.saved_search import NewPapers


def declare(verb: str, parser: argparse.ArgumentParser) -> None:
    """Adds the query."""
    parser.add_argument(
        "query",
        nargs="*",
        metavar="QUERY",
        help="a search to watch, or to see what is new in it; without one, list all",
    )
    parser.add_argument("--forget", action="store_true", help="stop watching it")
    parser.add_argument("--json", action="store_true", help="JSON on stdout")


def run(verb: str, args: argparse.Namespace, context: Context) -> int:
    """Adds a watch, or tells what is new."""
    watching, query = context.engine().watching, " ".join(text_of(args.query).split())
    if args.forget:
        if not query or not watching.forget(query):
            raise UsageError("there is no such watch; `litterm watch` lists them")
        context.output.say(f"“{query}” is no longer watched.")
        return 0
    if not query:
        found = context.drive(watching.news())
        if args.json:
            context.output.json({"watches": [told(each) for each in found]})
        else:
            context.output.lines(lines(found, context))
        if not found:
            context.output.say("Nothing is watched; `litterm watch QUERY` starts.")
        return 0
    if context.drive(watching.add(query)):
        if args.json:
            context.output.json({"query": query, "added": True, "new": 0, "papers": []})
        else:
            context.output.lines([context.look().text(f"“{query}” is now watched.")])
        return 0
    return _looked(context.drive(watching.look(query)), context, as_json=args.json)


def _looked(found: NewPapers, context: Context, *, as_json: bool) -> int:
    if as_json:
        context.output.json({"query": found.query, "added": False, **told(found)})
        return 0
    look = context.look()
    context.output.lines(lines([found], context))
    for paper in found.papers:
        year = f" · {paper.year}" if paper.year else ""
        context.output.lines([look.text(f"  {paper.id} · {paper.title}{year}")])
    return 0


def news(context: Context) -> tuple[NewPapers, ...]:
    """What is new in each watch, after papers came in."""
    watching = context.engine().watching
    return context.drive(watching.news()) if watching.all() else ()


def lines(found: Sequence[NewPapers], context: Context) -> list[str]:
    """One line a watch: how many papers are new."""
    look = context.look()
    return [look.text(f"{len(each.papers):>5,} new  {each.query}") for each in found]


def told(news: NewPapers) -> dict[str, object]:
    """A watch as JSON."""
    papers = [
        {"id": paper.id, "title": paper.title, "year": paper.year, "first_seen": paper.provenance.imported_at}
        for paper in news.papers
    ]
    return {"query": news.query, "new": len(papers), "papers": papers}
