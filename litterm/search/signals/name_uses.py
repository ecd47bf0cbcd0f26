"""Counts how much the names that papers coined are used by later papers: popularity without citations.

What a title or an abstract calls "BERT" or "SQuAD" builds on the paper that coined the name. A word that was there
before tells little, and no paper later than the year asked about is counted.
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

_SHORTEST = 3
"""Letters; what is shorter is an accident more often than a name."""
_LONGEST = 2
"""Words; what is longer is a phrase rather than a name."""
_LAST = 2500
"""A year that no paper is of."""
Counts: TypeAlias = "npt.NDArray[np.int64]"
"""Papers of each year or earlier."""
_MOST = 400
"""Names that are looked up for one question."""


class NameUses:
    """Uses of names among the papers of one library; each name is looked up once, for the questions of one list."""

    def __init__(self, live: LiveRows) -> None:
        self._live = live
        self._by_name: dict[str, Counts] = {}

    def rises(self, names: Sequence[Collection[str]], years: Sequence[int | None], *, until: int) -> Column:
        """Per paper the logarithm of later uses of its best name over earlier ones; 0 without a name or a year.

        `names` are those each paper coined, folded; `years` when; uses are counted up to the year `until`.
        """
        column = np.zeros(len(names))
        for place, (own, year) in enumerate(zip(names, years, strict=True)):
            for name in sorted(own) if year else ():
                column[place] = max(column[place], self.rise(name, year or 0, until=until))
        return column

    def rise(self, name: str, year: int, *, until: int) -> float:
        """The logarithm of uses of `name` after `year` over those before it; 0 for what is hardly a name."""
        earlier, later = self.between(name, 0, year - 1), self.between(name, year, until)
        return float(np.log((1 + later) / (1 + earlier)))

    def between(self, name: str, after: int, until: int) -> int:
        """How many papers later than the year `after`, up to `until`, hold every word of `name`."""
        uses = self._of(name)
        return 0 if uses is None else max(int(uses[_clipped(until)] - uses[_clipped(after)]), 0)

    def after_each(self, name: str, years: range, *, soon: int, until: int) -> tuple[Counts, Counts]:
        """Per year how many later papers, up to `until`, hold every word of `name`; of these within `soon` years."""
        uses = self._of(name)
        if uses is None:
            return np.zeros(len(years), np.int64), np.zeros(len(years), np.int64)
        starts, last = np.arange(years.start, years.stop), _clipped(until)
        earlier = uses[np.clip(starts, 0, last)]
        return uses[last] - earlier, uses[np.clip(starts + soon, 0, last)] - earlier

    def _of(self, name: str) -> Counts | None:
        if name not in self._by_name:
            if len(name) < _SHORTEST or len(self._by_name) >= _MOST:
                return None
            self._by_name[name] = _uses(self._live, name)
        return self._by_name[name]


def _clipped(year: int) -> int:
    return max(min(year, _LAST), 0)


def _uses(live: LiveRows, name: str) -> Counts:
    """How many papers of each year or earlier hold every word of `name`; those of no known year count as of year 0."""
    stems = [stem(word) for word in words(name) if word not in STOP_WORDS]
    stems = stems if len(stems) <= _LONGEST else []
    years_by_part: list[npt.NDArray[np.int16]] = []
    for part, _ in live.slices() if stems else ():
        # The rarest word first, so that every intersection is small.
        rows, *others = sorted((part.postings(name_stem)[0] for name_stem in stems), key=len)
        for more in others:
            places = np.searchsorted(more, rows)
            rows = rows[(places < len(more)) & (more[np.minimum(places, len(more) - 1)] == rows)] if len(more) else more
        years_by_part.append(part.columns.year[rows])
    years = np.concatenate(years_by_part) if years_by_part else np.empty(0, np.int16)
    # Counted, not sorted: a name of everyday words is held by tens of thousands.
    return np.cumsum(np.bincount(np.clip(years, 0, _LAST), minlength=_LAST + 1))
