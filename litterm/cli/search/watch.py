"""`litterm watch`: saved searches, and what is new in them."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from litterm.cli.context import Context
from litterm.cli.parser import join_words
from litterm.core.errors import UsageError

if TYPE_CHECKING:
    from litterm.annotations.saved_searches import SavedSearches
    from litterm.model.overview import NewPapers
    from litterm.render.watches import NewPaperData, NewsData


def declare(command: str, parser: argparse.ArgumentParser) -> None:
    """Adds the query."""
    parser.add_argument(
        "query",
        nargs="*",
        metavar="QUERY",
        help="a search to watch, or to see what is new in it; without one, list all",
    )
    parser.add_argument("--forget", action="store_true", help="stop watching it")
    parser.add_argument("--json", action="store_true", help="JSON on stdout")


def run(command: str, args: argparse.Namespace, context: Context) -> int:
    """Saves a search, or prints what is new in one or in all."""
    # One query, however its blanks were typed, is one watch.
    saved_searches, query = context.engine().saved_searches, " ".join(join_words(args.query).split())
    if args.forget:
        return _forget(saved_searches, query, context, as_json=args.json)
    if not query:
        news = context.run(saved_searches.news())
        if args.json:
            context.output.write_json({"watches": [news_data(new_papers) for new_papers in news]})
        else:
            context.output.write_lines(lines(news, context))
        if not news:
            context.output.say("Nothing is watched; `litterm watch QUERY` starts.")
        return 0
    if context.run(saved_searches.add(query)):
        if args.json:
            context.output.write_json({"query": query, "added": True, "new": 0, "papers": []})
        else:
            context.output.write_lines([context.line_options().text(f"“{query}” is now watched.")])
        return 0
    return _show_news(context.run(saved_searches.take_news(query)), context, as_json=args.json)


def _forget(saved_searches: SavedSearches, query: str, context: Context, *, as_json: bool) -> int:
    if not query or not saved_searches.forget(query):
        raise UsageError("there is no such watch; `litterm watch` lists them")
    if as_json:
        context.output.write_json({"query": query, "forgotten": True})
    context.output.say(f"“{query}” is no longer watched.")
    return 0


def _show_news(new_papers: NewPapers, context: Context, *, as_json: bool) -> int:
    if as_json:
        context.output.write_json({"query": new_papers.query, "added": False, **news_data(new_papers)})
        return 0
    options = context.line_options()
    context.output.write_lines(lines([new_papers], context))
    for paper in new_papers.papers:
        year = f" · {paper.year}" if paper.year else ""
        context.output.write_lines([options.text(f"  {paper.id} · {paper.title}{year}")])
    return 0


def news(context: Context) -> tuple[NewPapers, ...]:
    """What is new in each saved search; `sync` says so after papers came in."""
    saved_searches = context.engine().saved_searches
    return context.run(saved_searches.news()) if saved_searches.all() else ()


def lines(news: Sequence[NewPapers], context: Context) -> list[str]:
    """One line for each saved search: how many papers are new."""
    options = context.line_options()
    return [options.text(f"{len(new_papers.papers):>5,} new  {new_papers.query}") for new_papers in news]


def news_data(news: NewPapers) -> NewsData:
    """A saved search and what is new in it, as JSON."""
    papers: list[NewPaperData] = [
        {"id": paper.id, "title": paper.title, "year": paper.year, "first_seen": paper.provenance.imported_at}
        for paper in news.papers
    ]
    return {"query": news.query, "new": len(papers), "papers": papers}
