"""Access to a library that all searchers share: the current snapshot, its living rows, and filters."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from litterm.core.errors import LittermError, SegmentDamaged, SegmentGone
from litterm.search.filters.conditions import ConditionMasks
from litterm.search.filters.filters import PapersByLeastCount, PapersByTag, filter_mask
from litterm.search.filters.phrase_filter import PhraseFilter
from litterm.search.open_index import LiveRows, Mask, Rows, mask_of, open_live_rows
from litterm.search.sort_order import sort_rows

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.interfaces import CitedPapers, Library
    from litterm.library.index.reader import IndexReader
    from litterm.model.paper import PaperId
    from litterm.model.search import Filters, Query, SortOrder

# A writer may compact segments while a query runs; it hardly ever does three times in a row.
_MAX_ATTEMPTS = 3

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class LibraryState:
    """The snapshot in use, with cached phrases and conditions."""

    live: LiveRows
    phrase_filter: PhraseFilter
    conditions: ConditionMasks


def open_state(live: LiveRows, library: Library) -> LibraryState:
    """A new state of `library` over `live`, with nothing cached."""
    phrase_filter = PhraseFilter(live, library)
    return LibraryState(live, phrase_filter, ConditionMasks(live, library, phrase_filter))


class SearchableLibrary:
    """One library with its index; safe from any thread."""

    def __init__(
        self,
        library: Library,
        index: IndexReader,
        *,
        tagged: PapersByTag = lambda _tag: (),
        cited_at_least: PapersByLeastCount | None = None,
        citation_counts: CitedPapers | None = None,
    ) -> None:
        """`tagged` gives the papers that have a tag; it is called for every query.

        Without `cited_at_least` `cited:` has no effect; without `citation_counts` `sort:citations` sorts by date.
        """
        self.library = library
        self.index = index
        self.tagged = tagged
        self._cited_at_least = cited_at_least
        self._citation_counts = citation_counts
        self._last: LibraryState | None = None

    def run_on_snapshot(self, work: Callable[[LibraryState], Task[T]]) -> Task[T]:
        """Runs `work` on the newest snapshot, again where a segment was compacted away or is damaged."""
        attempt = 1
        while True:
            try:
                return (yield from work(self.current_state()))
            except SegmentDamaged:
                # Each damaged segment fails once: the next snapshot leaves it out.
                self._last = None
            except SegmentGone:
                # A writer compacted segments after the manifest was read and before the files were.
                if attempt == _MAX_ATTEMPTS:
                    raise
                attempt, self._last = attempt + 1, None
            except LittermError:
                raise
            except Exception:
                # Numbers read from a damaged file can raise anything: a damaged file is reported as such.
                self.index.check(self.library.snapshot().segments)
                raise

    def current_state(self) -> LibraryState:
        """The state of the newest snapshot; opened once."""
        snapshot = self.library.snapshot()
        last = self._last
        # Compared by value: another object for the same generation needs no opening.
        if last is None or last.live.snapshot != snapshot:
            last = self._last = open_state(open_live_rows(snapshot, self.index), self.library)
        return last

    def mask(self, live: LiveRows, query: Query) -> Mask | None:
        """The living rows that pass the filters of `query`; `None` when all rows do."""
        return self._filter_mask(live, query.filters)

    def filter_rows(self, state: LibraryState, query: Query, rows: Rows) -> Task[Rows]:
        """The `rows` that pass the phrases, exclusions and operators of `query`."""
        if query.conditions:
            filtered = partial(self._filter_mask, state.live)
            rows = yield from state.conditions.filter_rows(rows, query.conditions, filtered)
        if not query.phrases and not query.excluded:
            return rows
        return (yield from state.phrase_filter.filter_rows(rows, phrases=query.phrases, excluded=query.excluded))

    def _filter_mask(self, live: LiveRows, filters: Filters) -> Mask | None:
        return filter_mask(live, filters, library=self.library, tagged=self.tagged, cited=self._cited_at_least)

    def first_rows(self, live: LiveRows, rows: Rows, order: SortOrder, k: int) -> Task[list[int]]:
        """The first `k` of `rows` by an order other than relevance."""
        return sort_rows(live, rows, order, k, library=self.library, cited=self._citation_counts)

    def order_notices(self, order: SortOrder) -> tuple[str, ...]:
        """Notices about a sort order."""
        counts = self._citation_counts
        return (counts.counter_name(),) if order == "citations" and counts is not None else ()


def drop_named(live: LiveRows, rows: Rows, query: Query) -> Rows:
    """`rows` without the papers that `query` names by `like:` and `unlike:`."""
    if not query.like and not query.unlike:
        return rows
    named = live.rows_of((*query.like, *query.unlike))
    return rows[~mask_of(live.size, named)[rows]]


def restrict_rows(live: LiveRows, rows: Rows, within: Collection[PaperId] | None) -> Rows:
    """The `rows` of the papers `within`; `rows` itself where that is `None`."""
    return rows if within is None else rows[mask_of(live.size, live.rows_of(within))[rows]]
