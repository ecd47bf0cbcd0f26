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
    from collections.abc import Iterable, Mapping, Sequence

    from litterm.library.citation_facts.shipped import ProfileArrays
    from litterm.model.library import Snapshot
    from litterm.model.paper import PaperId
    from litterm.search.open_index import LiveRows

REASON: Final = "said of it where others cite it"
_MAX_PAPERS: Final = 50
"""Papers that get points, the best profiles."""


class CitingWords:
    """Words near the marks of papers; safe from any thread."""

    def __init__(self, profiles: Callable[[], ProfileArrays]) -> None:
        """`profiles` is called with the first search: 20 ms."""
        self._read = profiles
        self._known: tuple[Snapshot | None, dict[PaperId, int]] = (None, {})

    @cached_property
    def _profiles(self) -> ProfileIndex:
        return ProfileIndex(self._read())

    def find(self, live: LiveRows, stems: Iterable[str], weight: float) -> NamedWorks | None:
        """The papers of the library that fit `stems` best, with up to `weight` points; `None` where none does."""
        matches = self._profiles.match(dict.fromkeys(stems, 1.0))
        best = matches.best(_MAX_PAPERS)
        row_of = self._rows_of(live, best)
        found = sorted((row_of[paper_id], paper_id) for paper_id in best if row_of[paper_id] >= 0)
        if not found:
            return None
        nearest = matches.columns([paper_id for _, paper_id in found])["nearest"]
        rows = np.array([row for row, _ in found], np.int64)
        return NamedWorks(rows, tuple((weight * nearest).tolist()), (REASON,) * len(found))

    def _rows_of(self, live: LiveRows, ids: Sequence[PaperId]) -> Mapping[PaperId, int]:
        """At least the living row of each of `ids`, -1 where the library lacks it; remembered for a snapshot."""
        snapshot, known = self._known
        if snapshot is not live.snapshot:
            self._known = live.snapshot, (known := {})
        missing = [paper_id for paper_id in ids if paper_id not in known]
        if missing:
            rows = live.rows_of(missing)
            rows = rows if live.alive is None else rows[live.alive[rows]]
            # In one step, for another thread may read `known` meanwhile.
            known.update(
                {**dict.fromkeys(missing, -1), **dict(zip(live.ids(rows.tolist()), rows.tolist(), strict=True))}
            )
        return known
