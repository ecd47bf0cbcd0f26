"""Selects the papers of a list: the best candidates, subject to diversity.

The selection covers the keywords of the topic and limits the share of one author, one year and one series. Some places
are reserved for recent work, because older papers score higher and the list of a mature field would lack it otherwise.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from litterm.reading_lists.series import as_series_paper
from litterm.reading_lists.topic import content_stems
from litterm.text.genres import is_overview
from litterm.text.tokens import stem, words

if TYPE_CHECKING:
    from litterm.interfaces.arrays import Column
    from litterm.model.paper import Author, Paper

MAX_AUTHOR_SHARE, MAX_YEAR_SHARE = 0.2, 0.4
"""Maximum shares of a list by one author (but two papers at least) and of one year (but three at least)."""
KEYWORD_BONUS = 0.5
"""Points for each keyword that no selected paper covers yet."""
RECENT_YEARS = 3
"""Papers of this many years, including the last one, are recent."""
RECENT_SHARE = 1 / 6
"""Share of a list reserved for recent work, if there is any on the topic."""
_MAX_CONSIDERED = 90
"""Number of the best candidates from which a list is selected."""
_MAX_RECENT_CONSIDERED = 30
"""Number of the best recent candidates for the reserved places."""
_MEANS_PREPOSITIONS = frozenset({"as", "by", "through", "using", "via"})
"""Words before a keyword that is a means to something else."""
_MIN_COVERED_STEMS = 0.67
"""Share of the stems of a keyword that a paper must hold to cover it."""


@dataclass(slots=True)
class _PartialList:
    """The papers selected so far, with counts by author and year."""

    size: int
    indices: list[int] = field(default_factory=list)
    authors_at_limit: set[Author] = field(default_factory=set)
    """Authors who have reached their maximum share."""
    authors: Counter[Author] = field(default_factory=Counter)
    years: Counter[int | None] = field(default_factory=Counter)

    def add(self, index: int, paper: Paper) -> None:
        """Adds a paper."""
        self.indices.append(index)
        self.authors.update(set(paper.authors))
        max_papers = max(2, round(MAX_AUTHOR_SHARE * self.size))
        self.authors_at_limit.update(author for author in paper.authors if self.authors[author] >= max_papers)
        self.years[paper.year] += 1

    def keeps_variety_with(self, paper: Paper) -> bool:
        """Whether `paper` can be added without exceeding the share of an author or a year."""
        if self.authors_at_limit and not self.authors_at_limit.isdisjoint(paper.authors):
            return False
        return self.years[paper.year] < max(3, round(MAX_YEAR_SHARE * self.size))


def select_diverse(
    papers: Sequence[Paper],
    points: Column,
    keywords: Sequence[str],
    *,
    size: int,
    until: int,
    fixed: Sequence[int] = (),
) -> tuple[list[int], list[int]]:
    """Selects `size` papers, the `fixed` ones among them. Returns their indices, and those of the runners-up.

    `until` is the last year of the list. Limits that would leave too few papers are not applied: they never make a list
    shorter.
    """
    order = [index for index in np.argsort(-points, kind="stable").tolist() if index not in fixed]
    recent = [index for index in order if is_recent(papers[index], until)]
    best = list(dict.fromkeys((*order[:_MAX_CONSIDERED], *recent[:_MAX_RECENT_CONSIDERED])))
    selector = _GreedySelector(papers, points, keywords, size, (*fixed, *best))
    indices = selector.fill(fixed, best)
    indices = _ensure_overview(papers, selector, fixed, indices, best)
    on_topic = [index for index in recent if index in best and index not in indices and selector.covering[index]]
    missing = min(count_recent_places(size) - sum(is_recent(papers[index], until) for index in indices), len(on_topic))
    if missing > 0:
        # The papers selected last make room, except overviews, with which a list begins.
        leaving = [index for index in indices if index not in fixed and not _is_survey(papers[index])][-missing:]
        indices = selector.fill([index for index in indices if index not in leaving], on_topic)
    return indices, [index for index in best if index not in indices]


def _ensure_overview(
    papers: Sequence[Paper], selector: _GreedySelector, fixed: Sequence[int], indices: list[int], best: Sequence[int]
) -> list[int]:
    """`indices`, with the last one replaced by the best overview of the topic unless they hold it."""
    overviews = [
        index
        for index in (*indices, *best)
        if _is_survey(papers[index]) and any(is_in_title(papers[index], keyword) for keyword in selector.keywords)
    ]
    if not overviews or overviews[0] in indices or not indices or indices[-1] in fixed:
        return indices
    return [*indices[:-1], overviews[0]]


class _GreedySelector:
    """Selects papers one by one; each candidate is analysed once."""

    def __init__(
        self, papers: Sequence[Paper], points: Column, keywords: Sequence[str], size: int, indices: Sequence[int]
    ) -> None:
        self._papers, self._points, self.keywords, self._size = papers, points, keywords, size
        self._of_series = {index: as_series_paper(papers[index], keywords) for index in indices}
        self.covering = {index: find_covered_keywords(papers[index], keywords) for index in indices}
        """The keywords that each candidate covers, by index."""

    def fill(self, fixed: Sequence[int], best: Sequence[int]) -> list[int]:
        """Selects the `fixed` papers, then the best of `best`, up to the size of the list."""
        selected, uncovered, repeats = _PartialList(self._size), set(self.keywords), set[int]()

        def select(index: int) -> None:
            nonlocal uncovered
            selected.add(index, self._papers[index])
            uncovered -= self.covering[index]
            # One paper of a series, such as the yearly reports of a shared task, is enough.
            repeats.update(
                other
                for other in best
                if other not in repeats and self._of_series[other].is_alike(self._of_series[index])
            )

        for index in fixed:
            select(index)
        remaining = [index for index in best if index not in fixed]
        while remaining and len(selected.indices) < self._size:
            distinct = [index for index in remaining if index not in repeats] or remaining
            allowed = [index for index in distinct if selected.keeps_variety_with(self._papers[index])] or distinct
            select(max(allowed, key=lambda index: self._score(index, uncovered)))
            remaining.remove(selected.indices[-1])
        return selected.indices

    def _score(self, index: int, uncovered: set[str]) -> float:
        return float(self._points[index]) + KEYWORD_BONUS * len(self.covering[index] & uncovered)


def _is_survey(paper: Paper) -> bool:
    return is_overview(paper.title, paper.abstract)


def find_covered_keywords(paper: Paper, keywords: Sequence[str]) -> set[str]:
    """The keywords of which title and abstract of `paper` hold at least two of three stems."""
    paper_stems = content_stems(f"{paper.title} {paper.abstract}")
    return {
        keyword
        for keyword in keywords
        if (stems := content_stems(keyword)) and len(stems & paper_stems) >= _MIN_COVERED_STEMS * len(stems)
    }


def is_in_title(paper: Paper, keyword: str) -> bool:
    """Whether the title of `paper` holds every stem of `keyword`."""
    return content_stems(keyword) <= content_stems(paper.title)


def uses_as_means(title: str, keywords: Iterable[str]) -> bool:
    """Whether `title` uses a keyword as a means to something else: "Generation as Dependency Parsing"."""
    title_words = words(title)
    stems = [stem(word) for word in title_words]
    for keyword in map(content_stems, keywords):
        first = next((index for index, title_stem in enumerate(stems) if title_stem in keyword), 0)
        if keyword <= set(stems) and first and title_words[first - 1] in _MEANS_PREPOSITIONS:
            return True
    return False


def is_recent(paper: Paper, until: int) -> bool:
    """Whether `paper` is of the last `RECENT_YEARS` years up to `until`."""
    return (paper.year or 0) > until - RECENT_YEARS


def count_recent_places(size: int) -> int:
    """The number of places reserved for recent work in a list of `size` papers."""
    return max(1, round(RECENT_SHARE * size))
