"""The papers a topic comes from, as lines and as data."""

from __future__ import annotations

from typing import TypedDict

from litterm.model.citations.graph import Citance, FirstPaper, FirstPapers
from litterm.render.lines import LineOptions
from litterm.render.names import full_name, short_authors, venue_and_year

# `from` is a word of Python.
CitanceData = TypedDict(
    "CitanceData", {"citing": str, "year": int | None, "text": str, "sentence": int | None, "from": str}
)


class FirstPaperData(TypedDict):
    """A paper that a topic may come from."""

    rank: int
    id: str
    title: str
    authors: list[str]
    year: int | None
    date: str
    venue: str
    relevance_rank: int
    name: str
    named: list[CitanceData]


class FirstData(TypedDict):
    """The answer of `first`."""

    query: str
    count: int
    results: list[FirstPaperData]
    looked_at: int
    citances: int
    notices: list[str]


_MAX_SENTENCES_SHOWN = 3
"""Sentences shown a paper; JSON has them all."""


def first_lines(firsts: FirstPapers, options: LineOptions) -> list[str]:
    """For each paper its title, authors and venue, and the sentences that name it as an origin."""
    return [line for rank, first in enumerate(firsts.papers, 1) for line in _lines(rank, first, options)]


def first_data(firsts: FirstPapers, *, typed: str) -> FirstData:
    """The papers for JSON; `typed` is the topic as the user gave it."""
    return {
        "query": typed,
        "count": len(firsts.papers),
        "results": [_data(rank, first) for rank, first in enumerate(firsts.papers, 1)],
        "looked_at": firsts.looked_at,
        "citances": firsts.citances,
        "notices": list(firsts.notices),
    }


def _lines(rank: int, first: FirstPaper, options: LineOptions) -> list[str]:
    paper = first.paper.paper
    byline = [
        options.text(short_authors(paper)),
        options.text(venue_and_year(paper)),
        options.paint(paper.id, "dim"),
    ]
    lines = [*options.block(paper.title, indent=5, first=f"{rank:>3}  ", style="bold"), f"     {options.join(byline)}"]
    if first.paper.name:
        lines += options.block(first.paper.name, indent=5, style="dim")
    for sentence in first.named[:_MAX_SENTENCES_SHOWN]:
        lines += options.block(f"{sentence.citing}, {sentence.year or 'no year'}: {sentence.text}", indent=7)
    return lines


def _data(rank: int, first: FirstPaper) -> FirstPaperData:
    paper = first.paper.paper
    return {
        "rank": rank,
        "id": paper.id,
        "title": paper.title,
        "authors": [full_name(author) for author in paper.authors],
        "year": paper.year,
        "date": paper.date,
        "venue": paper.venue,
        "relevance_rank": first.paper.rank,
        "name": first.paper.name,
        "named": [_sentence(citance) for citance in first.named],
    }


def _sentence(citance: Citance) -> CitanceData:
    return {
        "citing": citance.citing,
        "year": citance.year,
        "text": citance.text,
        "sentence": citance.sentence,
        "from": citance.source,
    }
