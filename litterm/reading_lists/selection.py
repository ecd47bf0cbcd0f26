"""Which candidates a list takes: the best, so that keywords are covered and no group, year or series has most of it.

Some places are kept for work of the last years: what speaks for a paper grows with its age, and the list of a field
that is no longer new would end with the years in which it was.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from litterm.reading_lists.series import series_paper
from litterm.reading_lists.topic import content_stems
from litterm.text.genres import is_overview
from litterm.text.tokens import stem, words

if TYPE_CHECKING:
    from litterm.interfaces.arrays import Column
    from litterm.model.paper import Author, Paper

BY_ONE_AUTHOR, OF_ONE_YEAR = 0.2, 0.4
"""Shares of a list that one author may have a part in, or one year may have; at least two papers, and three."""
COVERS = 0.5
"""Points for each keyword that no paper taken before covers."""
RECENT_YEARS = 3
"""Work of so many years, the last one included, is recent."""
OF_LATE = 1 / 6
"""Share of a list that is kept for recent work, if there is any on the topic."""
_LOOKED_AT = 90
"""Of how many of the best a list is made."""
_RECENT_LOOKED_AT = 30
"""Of how many of the best recent ones its last places are filled."""
_MEANS = frozenset({"as", "by", "through", "using", "via"})
"""Before a keyword, what makes it a means."""
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
    papers: Sequence[Paper],
    points: Column,
    keywords: Sequence[str],
    *,
    size: int,
    until: int,
    fixed: Sequence[int] = (),
) -> tuple[list[int], list[int]]:
    """The places of `size` papers, those `fixed` among them, and of those that would come next; the best first.

    `until` is the year from which back a paper is recent. Limits that leave too few papers are not applied: a list is
    never shorter because of them.
    """
    order = [place for place in np.argsort(-points, kind="stable").tolist() if place not in fixed]
    recent = [place for place in order if is_recent(papers[place], until)]
    best = list(dict.fromkeys((*order[:_LOOKED_AT], *recent[:_RECENT_LOOKED_AT])))
    choice = _Choice(papers, points, keywords, size, (*fixed, *best))
    places = choice.filled(fixed, best)
    places = _with_an_overview(papers, choice, fixed, places, best)
    on_topic = [place for place in recent if place in best and place not in places and choice.covering[place]]
    missing = min(recent_places(size) - sum(is_recent(papers[place], until) for place in places), len(on_topic))
    if missing > 0:
        # The last to be taken leave, but overviews stay: a list begins with them.
        leaving = [place for place in places if place not in fixed and not _surveys(papers[place])][-missing:]
        places = choice.filled([place for place in places if place not in leaving], on_topic)
    return places, [place for place in best if place not in places]


def _with_an_overview(
    papers: Sequence[Paper], choice: _Choice, fixed: Sequence[int], places: list[int], best: Sequence[int]
) -> list[int]:
    """`places` with the best overview of the very topic for the last of them, where they hold none."""
    overviews = [
        place
        for place in (*places, *best)
        if _surveys(papers[place]) and any(in_title(papers[place], keyword) for keyword in choice.keywords)
    ]
    if not overviews or overviews[0] in places or not places or places[-1] in fixed:
        return places
    return [*places[:-1], overviews[0]]


class _Choice:
    """One choice among candidates, of which each is looked at once."""

    def __init__(
        self, papers: Sequence[Paper], points: Column, keywords: Sequence[str], size: int, places: Sequence[int]
    ) -> None:
        self._papers, self._points, self.keywords, self._size = papers, points, keywords, size
        self._of_series = {place: series_paper(papers[place], keywords) for place in places}
        self.covering = {place: covered(papers[place], keywords) for place in places}
        """The keywords that each covers."""

    def filled(self, fixed: Sequence[int], best: Sequence[int]) -> list[int]:
        """Those `fixed` and the best of `best`, as many as the list is to have."""
        taken, left, repeats = _Taken(self._size), set(self.keywords), set[int]()

        def take(place: int) -> None:
            nonlocal left
            taken.take(place, self._papers[place])
            left -= self.covering[place]
            # Shared tasks and series have a paper a year with nearly the same title: one of them is enough.
            repeats.update(
                other
                for other in best
                if other not in repeats and self._of_series[other].is_alike(self._of_series[place])
            )

        for place in fixed:
            take(place)
        rest = [place for place in best if place not in fixed]
        while rest and len(taken.places) < self._size:
            single = [place for place in rest if place not in repeats] or rest
            allowed = [place for place in single if taken.admits(self._papers[place])] or single
            take(max(allowed, key=lambda place: self._worth(place, left)))
            rest.remove(taken.places[-1])
        return taken.places

    def _worth(self, place: int, left: set[str]) -> float:
        return float(self._points[place]) + COVERS * len(self.covering[place] & left)


def _surveys(paper: Paper) -> bool:
    return is_overview(paper.title, paper.abstract)


def covered(paper: Paper, keywords: Sequence[str]) -> set[str]:
    """The keywords whose stems stand, most of them, in title or abstract."""
    held = content_stems(f"{paper.title} {paper.abstract}")
    return {keyword for keyword in keywords if (own := content_stems(keyword)) and len(own & held) >= _HELD * len(own)}


def in_title(paper: Paper, keyword: str) -> bool:
    """Whether every stem of `keyword` stands in the title."""
    return content_stems(keyword) <= content_stems(paper.title)


def applies(title: str, keywords: Iterable[str]) -> bool:
    """Whether `title` makes a keyword the means to something else: "Generation as Dependency Parsing"."""
    title_words = words(title)
    stems = [stem(word) for word in title_words]
    for own in map(content_stems, keywords):
        first = next((place for place, found in enumerate(stems) if found in own), 0)
        if own <= set(stems) and first and title_words[first - 1] in _MEANS:
            return True
    return False


def is_recent(paper: Paper, until: int) -> bool:
    """Whether `paper` is of the last years up to `until`."""
    return (paper.year or 0) > until - RECENT_YEARS


def recent_places(size: int) -> int:
    """How many places of a list of `size` papers are kept for recent work."""
    return max(1, round(OF_LATE * size))
