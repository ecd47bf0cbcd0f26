"""Who was first, as lines and as data."""

from __future__ import annotations

from litterm.model.first_papers import FirstPaper, FirstPapers
from litterm.model.graph import Citance
from litterm.render.lines import LineOptions
from litterm.render.names import full_name, short_authors, venue_and_year

_SHOWN = 3
"""Sentences shown a paper; JSON has them all."""


def first_lines(firsts: FirstPapers, look: LineOptions) -> list[str]:
    """Per paper its title, authors and place, and the sentences that name it as an origin."""
    return [line for at, each in enumerate(firsts.papers, 1) for line in _lines(at, each, look)]


def first_data(firsts: FirstPapers, *, typed: str) -> dict[str, object]:
    """For JSON; `typed` is the topic as the user gave it."""
    return {
        "query": typed,
        "count": len(firsts.papers),
        "results": [_data(at, each) for at, each in enumerate(firsts.papers, 1)],
        "looked_at": firsts.looked_at,
        "citances": firsts.citances,
        "notices": list(firsts.notices),
    }


def _lines(at: int, first: FirstPaper, look: LineOptions) -> list[str]:
    paper = first.paper.paper
    known = [look.text(short_authors(paper.authors)), look.text(venue_and_year(paper)), look.paint(paper.id, "dim")]
    lines = [*look.block(paper.title, indent=5, first=f"{at:>3}  ", style="bold"), f"     {look.joined(known)}"]
    for sentence in first.named[:_SHOWN]:
        lines += look.block(f"{sentence.citing}, {sentence.year or 'no year'}: {sentence.text}", indent=7)
    return lines


def _data(at: int, first: FirstPaper) -> dict[str, object]:
    paper = first.paper.paper
    return {
        "rank": at,
        "id": paper.id,
        "title": paper.title,
        "authors": [full_name(author) for author in paper.authors],
        "year": paper.year,
        "date": paper.date,
        "venue": paper.venue,
        "relevance_rank": first.paper.rank,
        "named": [_sentence(each) for each in first.named],
    }


def _sentence(each: Citance) -> dict[str, object]:
    return {"citing": each.citing, "year": each.year, "text": each.text, "sentence": each.sentence, "from": each.source}
