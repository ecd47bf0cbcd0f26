"""What all searchers share of a library: the snapshot in use, its living rows, and what filters let through."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from litterm.core.errors import LittermError, SegmentDamaged, SegmentGone
from litterm.search.filters.conditions import ConditionMasks
from litterm.search.filters.filters import CitedAtLeast, Tagged, filter_mask
from litterm.search.filters.phrase_filter import Verifier
from litterm.search.open_index import LiveRows, Mask, Rows, open_live
from litterm.search.sort_order import ordered

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.interfaces import CitedPapers, Library
    from litterm.library.index.reader import IndexReader
    from litterm.model.paper import PaperId
    from litterm.model.search import Filters, Query, SortOrder

# A writer may compact again while a long query is begun anew; three times in a row it hardly does.
_ATTEMPTS = 3

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class LibraryState:
    """The snapshot in use and what has been found out about it."""

    live: LiveRows
    verifier: Verifier
    conditions: ConditionMasks


class SearchableLibrary:
    """One library with its index; safe from any thread."""

    def __init__(self, library: Library, index: IndexReader, *, tagged: Tagged = lambda _tag: ()) -> None:
        """`tagged` gives the papers the user put a tag on; it is asked anew at every query."""
        self.library = library
        self.index = index
        self.tagged = tagged
        self.cited_at_least: CitedAtLeast | None = None
        """What `cited:` filters by; `None`: it filters nothing."""
        self.citation_counts: CitedPapers | None = None
        """What `sort:citations` goes by; `None`: the order is that of dates."""
        self._last: LibraryState | None = None

    def on_a_snapshot(self, work: Callable[[LibraryState], Task[T]]) -> Task[T]:
        """What `work` finds in the newest snapshot; begun anew when a segment was compacted away or is damaged."""
        attempt = 1
        while True:
            try:
                return (yield from work(self.now()))
            except SegmentDamaged:
                # Each is met once: the next snapshot goes without it.
                self._last = None
            except SegmentGone:
                # A writer compacted between our reading of the manifest and of the files.
                if attempt == _ATTEMPTS:
                    raise
                attempt, self._last = attempt + 1, None
            except LittermError:
                raise
            except Exception:
                # Numbers of a damaged file lead anywhere: if it is one, that is what is told.
                self.index.check(self.library.snapshot().segments)
                raise

    def now(self) -> LibraryState:
        """The newest snapshot, opened once."""
        snapshot = self.library.snapshot()
        last = self._last
        # Compared by value: another object for the same generation is no reason to open everything anew.
        if last is None or last.live.snapshot != snapshot:
            opened = open_live(snapshot, self.index)
            verifier = Verifier(opened, self.library)
            last = self._last = LibraryState(opened, verifier, ConditionMasks(opened, self.library, verifier))
        return last

    def mask(self, live: LiveRows, query: Query) -> Mask | None:
        """Rows that are alive and pass the filters of `query`; `None` when that is every row."""
        return self._passing(live, query.filters)

    def allowed(self, state: LibraryState, query: Query, rows: Rows) -> Task[Rows]:
        """Those of `rows` that `query` lets in by its phrases, exclusions and operators."""
        if query.conditions:
            filtered = partial(self._passing, state.live)
            rows = yield from state.conditions.passing(rows, query.conditions, filtered)
        if not query.phrases and not query.excluded:
            return rows
        return (yield from state.verifier.passing(rows, phrases=query.phrases, excluded=query.excluded))

    def _passing(self, live: LiveRows, filters: Filters) -> Mask | None:
        return filter_mask(live, filters, library=self.library, tagged=self.tagged, cited=self.cited_at_least)

    def venues(self) -> tuple[tuple[str, int], ...]:
        """What `venue:` can be completed to, with the number of papers, by key."""
        counts: dict[str, int] = {}
        for part in self.now().live.parts:
            for key, count in part.venues():
                counts[key] = counts.get(key, 0) + count
        return tuple(sorted(counts.items()))

    def first(self, live: LiveRows, rows: Rows, order: SortOrder, k: int) -> Task[list[int]]:
        """The first `k` of `rows` in an order other than relevance."""
        return ordered(live, rows, order, k, library=self.library, cited=self.citation_counts)

    def order_notices(self, order: SortOrder) -> tuple[str, ...]:
        """What is to be said of an order."""
        counts = self.citation_counts
        return (counts.counter_name(),) if order == "citations" and counts is not None else ()


def without_named(live: LiveRows, rows: Rows, query: Query) -> Rows:
    """Those of `rows` that are none of the papers `query` names."""
    if not query.like and not query.unlike:
        return rows
    named = live.rows_of((*query.like, *query.unlike))
    return rows[~row_mask(live, named)[rows]]


def inside(live: LiveRows, rows: Rows, within: Collection[PaperId] | None) -> Rows:
    """Those of `rows` that are `within`; `rows` itself where nothing says so."""
    return rows if within is None else rows[row_mask(live, live.rows_of(within))[rows]]


def row_mask(live: LiveRows, rows: Rows) -> Mask:
    """`rows` as one truth a row of the library."""
    mask = np.zeros(live.size, np.bool_)
    mask[rows] = True
    return mask
