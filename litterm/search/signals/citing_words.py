"""Priors for papers whose citing texts use the words of a query, whatever the papers' own words are.

What stands near the marks of a paper is what it is known for: "subword units" where others cite the paper titled "rare
words". The shipped citation facts tell it of some five thousand papers; all others stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from litterm.library.citation_facts.profiles import ProfileIndex
from litterm.search.signals.named_papers import NamedWorks

if TYPE_CHECKING:
    from collections.abc import Iterable

    from litterm.library.citation_facts.shipped import ProfileArrays
    from litterm.search.open_index import LiveRows

REASON: Final = "said of it where others cite it"
_MAX_PAPERS: Final = 100
"""Papers that get points, the best profiles."""


class CitingWords:
    """Words near the marks of papers; safe from any thread."""

    def __init__(self, profiles: Callable[[], ProfileArrays]) -> None:
        """`profiles` is called with the first search: 20 ms."""
        self._read = profiles

    @cached_property
    def _profiles(self) -> ProfileIndex:
        return ProfileIndex(self._read())

    def find(self, live: LiveRows, stems: Iterable[str], weight: float) -> NamedWorks | None:
        """The papers of the library that fit `stems` best, with up to `weight` points; `None` where none does."""
        matches = self._profiles.match(dict.fromkeys(stems, 1.0))
        rows = live.rows_of(matches.best(_MAX_PAPERS))
        if live.alive is not None:
            rows = rows[live.alive[rows]]
        if not len(rows):
            return None
        nearest = matches.columns(live.ids(rows.tolist()))["nearest"]
        return NamedWorks(rows, tuple((weight * np.asarray(nearest)).tolist()), (REASON,) * len(rows))
