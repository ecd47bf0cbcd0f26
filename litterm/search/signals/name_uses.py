"""Counts how often later papers use a name that a paper coined: popularity without citations.

A paper that uses a coined name ("BERT", "SQuAD") builds on the paper that introduced it. A word that was common before
tells little, and no paper later than a given year is counted.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from litterm.text.tokens import STOP_WORDS, stem, words

if TYPE_CHECKING:
    import numpy.typing as npt

    from litterm.interfaces.arrays import Column
    from litterm.search.open_index import LiveRows

_MIN_NAME_CHARS = 3
"""Shorter words are usually not names."""
_MAX_NAME_WORDS = 2
"""Longer ones are phrases rather than names."""
_MAX_YEAR = 2500
"""Later than any paper."""
CumulativeCounts: TypeAlias = "npt.NDArray[np.int64]"
"""By year, the number of papers of that year or earlier."""
_MAX_NAMES = 400
"""Names that are counted for one list."""


class NameUses:
    """Uses of names in the papers of one library; each name is counted once."""

    def __init__(self, live: LiveRows) -> None:
        self._live = live
        self._by_name: dict[str, CumulativeCounts] = {}

    def best_growth(self, names: Sequence[Collection[str]], years: Sequence[int | None], *, until: int) -> Column:
        """Per paper the growth of its best name, by `growth`; 0 without a name or a year.

        `names` are the names that each paper coined, folded, and `years` the years in which it did.
        """
        column = np.zeros(len(names))
        for index, (paper_names, year) in enumerate(zip(names, years, strict=True)):
            for name in sorted(paper_names) if year else ():
                column[index] = max(column[index], self.growth(name, year or 0, until=until))
        return column

    def growth(self, name: str, year: int, *, until: int) -> float:
        """The log ratio of uses of `name` from `year` to `until` to uses before; 0 for what is hardly a name."""
        earlier, later = self.count_between(name, 0, year - 1), self.count_between(name, year, until)
        return float(np.log((1 + later) / (1 + earlier)))

    def count_between(self, name: str, after: int, until: int) -> int:
        """The number of papers after the year `after`, up to `until`, that hold every word of `name`."""
        uses = self._cumulative(name)
        return 0 if uses is None else max(int(uses[_clip_year(until)] - uses[_clip_year(after)]), 0)

    def count_after_each(
        self, name: str, years: range, *, within_years: int, until: int
    ) -> tuple[CumulativeCounts, CumulativeCounts]:
        """Per year the later papers, up to `until`, with every word of `name`; and those of `within_years` years."""
        uses = self._cumulative(name)
        if uses is None:
            return np.zeros(len(years), np.int64), np.zeros(len(years), np.int64)
        starts, last = np.arange(years.start, years.stop), _clip_year(until)
        earlier = uses[np.clip(starts, 0, last)]
        return uses[last] - earlier, uses[np.clip(starts + within_years, 0, last)] - earlier

    def _cumulative(self, name: str) -> CumulativeCounts | None:
        if name not in self._by_name:
            if len(name) < _MIN_NAME_CHARS or len(self._by_name) >= _MAX_NAMES:
                return None
            self._by_name[name] = _count_cumulative(self._live, name)
        return self._by_name[name]


def _clip_year(year: int) -> int:
    return max(min(year, _MAX_YEAR), 0)


def _count_cumulative(live: LiveRows, name: str) -> CumulativeCounts:
    """Counts papers with every word of `name` of each year or earlier; unknown years count as year 0."""
    stems = [stem(word) for word in words(name) if word not in STOP_WORDS]
    stems = stems if len(stems) <= _MAX_NAME_WORDS else []
    years_by_part: list[npt.NDArray[np.int16]] = []
    for part, _ in live.slices() if stems else ():
        # Starting with the rarest word keeps every intersection small.
        rows, *rows_by_word = sorted((part.postings(name_stem)[0] for name_stem in stems), key=len)
        for holders in rows_by_word:
            indices = np.searchsorted(holders, rows)
            rows = (
                rows[(indices < len(holders)) & (holders[np.minimum(indices, len(holders) - 1)] == rows)]
                if len(holders)
                else holders
            )
        years_by_part.append(part.columns.year[rows])
    years = np.concatenate(years_by_part) if years_by_part else np.empty(0, np.int16)
    # Counted, not sorted: a name of common words is held by tens of thousands of papers.
    return np.cumsum(np.bincount(np.clip(years, 0, _MAX_YEAR), minlength=_MAX_YEAR + 1))
