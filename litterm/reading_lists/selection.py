"""Which candidates a list takes: the best, so that keywords are covered and no group or year has most of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from litterm.reading_lists.topic import keyword_stems
from litterm.text.tokens import STOP_WORDS, stem, tokens, words

if TYPE_CHECKING:
    from litterm.interfaces.attribution import Column
    from litterm.model.paper import Author, Paper

BY_ONE_AUTHOR, OF_ONE_YEAR = 0.2, 0.4
"""Shares of a list that one author may have a part in, or one year may have; at least two papers, and three."""
COVERS = 0.5
"""Points for each keyword that no paper taken before covers."""
ALIKE = 0.6
"""Share of the stems of two titles from which on the second is one more of a series."""
_LOOKED_AT = 90
"""Of how many of the best a list is made."""
_HELD = 0.67
"""Share of a keyword's stems that a paper must hold."""


@dataclass(slots=True)
class _Taken:
    """What was chosen so far."""

    size: int
    places: list[int] = field(default_factory=list)
    full: set[Author] = field(default_factory=set)
    """Authors who have a part in as much of the list as one may have."""
    authors: Counter[Author] = field(default_factory=Counter)
    years: Counter[int | None] = field(default_factory=Counter)

    def take(self, place: int, paper: Paper) -> None:
        """Counts a paper among the chosen."""
        self.places.append(place)
        self.authors.update(set(paper.authors))
        most = max(2, round(BY_ONE_AUTHOR * self.size))
        self.full.update(author for author in paper.authors if self.authors[author] >= most)
        self.years[paper.year] += 1

    def admits(self, paper: Paper) -> bool:
        """Whether one more such paper leaves the list varied enough."""
        if self.full and not self.full.isdisjoint(paper.authors):
            return False
        return self.years[paper.year] < max(3, round(OF_ONE_YEAR * self.size))


def select(
    papers: Sequence[Paper], points: Column, keywords: Sequence[str], *, size: int, fixed: Sequence[int] = ()
) -> tuple[list[int], list[int]]:
    """The places of `size` papers, those `fixed` among them, and of those that would come next; the best first.

    Limits that leave too few papers are not applied: a list is never shorter because of them.
    """
    best = [place for place in np.argsort(-points, kind="stable").tolist() if place not in fixed][:_LOOKED_AT]
    stems = {place: keyword_stems(papers[place].title) for place in (*fixed, *best)}
    covering = {place: covered(papers[place], keywords) for place in (*fixed, *best)}
    taken, left, repeats = _Taken(size), set(keywords), set[int]()

    def take(place: int) -> None:
        nonlocal left
        taken.take(place, papers[place])
        left -= covering[place]
        # Shared tasks and series have a paper a year with nearly the same title: one of them is enough.
        repeats.update(other for other in best if _likeness(stems[other], stems[place]) >= ALIKE)

    for place in fixed:
        take(place)
    rest = list(best)
    while rest and len(taken.places) < size:
        allowed = [place for place in rest if place not in repeats and taken.admits(papers[place])] or rest
        chosen = max(allowed, key=lambda place: float(points[place]) + COVERS * len(covering[place] & left))
        take(chosen)
        rest.remove(chosen)
    return taken.places, rest


def covered(paper: Paper, keywords: Sequence[str]) -> set[str]:
    """The keywords whose stems stand, most of them, in title or abstract."""
    held = set(tokens(f"{paper.title} {paper.abstract}"))
    return {keyword for keyword in keywords if (own := keyword_stems(keyword)) and len(own & held) >= _HELD * len(own)}


def in_title(paper: Paper, keyword: str) -> bool:
    """Whether every stem of `keyword` stands in the title."""
    return keyword_stems(keyword) <= {stem(word) for word in words(paper.title) if word not in STOP_WORDS}


def _likeness(first: frozenset[str], second: frozenset[str]) -> float:
    return len(first & second) / len(first | second) if first and second else 0.0
