"""How much a paper is cited beside those of its own year, by the counts that ship.

A count says little by itself, as old papers had more time. Its rank among the papers of the same year says more, and
0.5 is what is to be expected of a paper of which nothing is known.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from litterm.citations.shipped import anthology_year
from litterm.model.citations.facts import NETWORK_YEAR
from litterm.model.paper import PaperId

if TYPE_CHECKING:
    from litterm.interfaces.arrays import Column
    from litterm.library.citation_facts.shipped import ShippedFacts

EXPECTED_RANK = 0.5
"""Of a paper without a count: the mean of all ranks."""
_CACHED_YEARS = 4


@dataclass(frozen=True, slots=True)
class _RankedCounts:
    """The counts to one year, with the rank of each."""

    counts: Mapping[str, int]
    ranks: Mapping[str, float]
    by_year: Mapping[int | None, npt.NDArray[np.int64]]
    """The counts of the papers of each year, ascending."""

    def rank(self, paper_id: PaperId, count: int) -> float:
        """The rank that `paper_id` would have with `count`."""
        return float(_ranks(self.by_year[anthology_year(paper_id)], np.array([count]))[0])


class CountRanks:
    """The ranks of papers by their counts in the ACL Anthology Network; safe from any thread."""

    def __init__(self, facts: Callable[[], ShippedFacts]) -> None:
        """`facts` opens the facts when they are first needed."""
        self._facts = facts
        self._ranked = lru_cache(maxsize=_CACHED_YEARS)(self._rank_counts)

    def ranks(self, ids: Sequence[PaperId], *, until: int | None = None, exclude: Collection[PaperId] = ()) -> Column:
        """Per paper, in (0, 1), the share of the papers of its year that are cited less, ties counting half.

        Cited by papers of the year `until` or earlier that are not among `exclude`. `EXPECTED_RANK` where no such
        citation is known.
        """
        ranked = self._ranked(until if until is not None and until < NETWORK_YEAR else None)
        column = np.array([ranked.ranks.get(paper_id, EXPECTED_RANK) for paper_id in ids])
        cited_by_excluded = {cited for citing in exclude for cited in self._facts().references(citing)}
        for place, paper_id in enumerate(ids):
            if paper_id in cited_by_excluded and paper_id in ranked.counts:
                others = ranked.counts[paper_id] - 1
                column[place] = ranked.rank(paper_id, others) if others > 0 else EXPECTED_RANK
        return column

    def _rank_counts(self, until: int | None) -> _RankedCounts:
        papers, counts = self._facts().counts() if until is None else self._count_edges(until)
        places_by_year: dict[int | None, list[int]] = defaultdict(list)
        for place, paper in enumerate(papers):
            places_by_year[anthology_year(PaperId(paper))].append(place)
        by_year = {year: np.sort(counts[places]) for year, places in places_by_year.items()}
        ranks = np.zeros(len(papers))
        for year, places in places_by_year.items():
            ranks[places] = _ranks(by_year[year], counts[places])
        return _RankedCounts(
            dict(zip(papers, counts.tolist(), strict=True)), dict(zip(papers, ranks.tolist(), strict=True)), by_year
        )

    def _count_edges(self, until: int) -> tuple[list[str], npt.NDArray[np.int64]]:
        """The papers that are cited by papers of the year `until` or earlier, and how often."""
        edges = self._facts().edges()
        years = np.array([anthology_year(PaperId(paper)) or until + 1 for paper in edges.papers], np.int64)
        cited = np.bincount(edges.cited[years[edges.citing] <= until], minlength=len(edges.papers))
        places = np.flatnonzero(cited)
        return [edges.papers[place] for place in places.tolist()], cited[places]


def _ranks(ascending: npt.NDArray[np.int64], counts: npt.NDArray[np.int64]) -> Column:
    """The rank of each of `counts` among those that are `ascending`."""
    below, not_above = np.searchsorted(ascending, counts, "left"), np.searchsorted(ascending, counts, "right")
    column: Column = (below + not_above) / 2 / len(ascending)
    return column
