"""Counts the years, venues, types and sources of the papers that a query finds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from litterm.model.index import PAPER_TYPES
from litterm.model.paper import SCHEMES
from litterm.model.search import Facet, Filters, Query
from litterm.search.searchable import row_mask

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.interfaces import FacetSearcher
    from litterm.search.open_index import LiveRows, Mask, Rows
    from litterm.search.query.query_terms import QueryTerms
    from litterm.search.searchable import LibraryState, SearchableLibrary

_MOST_VENUES = 12


class OneLibraryFacets:
    """Fits `interfaces.FacetSearcher`: counts over the user's library or over the starter library, never over both."""

    def __init__(
        self, own: FacetSearcher, starter: Callable[[], FacetSearcher | None], has_papers: Callable[[], bool]
    ) -> None:
        """`starter` gives `None` where it is hidden; `has_papers` says whether the user has any."""
        self._own = own
        self._starter = starter
        self._has_papers = has_papers

    def facets(self, query: Query) -> Task[tuple[Facet, ...]]:
        """The years, venues, types and sources of the papers found, each with how many have it."""
        # Counts of the starter papers beside those of one's own would be another list.
        starter = self._starter() if query.starter_only or not self._has_papers() else None
        return (yield from (starter or self._own).facets(query))


def facets_of(
    searchable: SearchableLibrary, state: LibraryState, query: Query, query_terms: QueryTerms
) -> Task[tuple[Facet, ...]]:
    """The values of each field with how many of the papers found have them, the most frequent first, years the latest.

    What is chosen in one field already does not narrow that field itself: its other values can still be added.
    """
    stems = [stem for term in query_terms.terms for stem in term.stems]
    holders = row_mask(state.live, state.live.holders(stems)) if stems else None
    facets: list[Facet] = []
    # Fields without filters of their own are counted over the same rows, which are then found once.
    for fields in _alike(query.filters):
        opened = replace(query, filters=_without(query.filters, fields[0]))
        rows = yield from searchable.allowed(state, opened, state.live.rows_in(searchable.mask(state.live, opened)))
        rows = rows if holders is None else rows[holders[rows]]
        for field in fields:
            facets += _COUNTED[field](state.live, rows)
    return tuple(sorted(facets, key=lambda facet: tuple(_COUNTED).index(facet.field)))


def _alike(filters: Filters) -> Iterator[tuple[str, ...]]:
    """The fields that go by the same filters: each that has some of its own by itself, then the others together."""
    own = [name for name in _COUNTED if _without(filters, name) != filters]
    yield from ((name,) for name in own)
    rest = tuple(name for name in _COUNTED if name not in own)
    if rest:
        yield rest


def _without(filters: Filters, field: str) -> Filters:
    match field:
        case "year":
            return replace(filters, years=())
        case "venue":
            return replace(filters, venues=())
        case "type":
            return replace(filters, types=())
        case _:
            return replace(filters, sources=())


def _by_year(live: LiveRows, rows: Rows) -> Iterable[Facet]:
    years = live.column("year", rows)
    years = years[years > 0]
    if not len(years):
        return
    for first, last in year_ranges(int(years.min()), int(years.max())):
        count = int(np.count_nonzero((years >= (first or 0)) & (years <= (last or 9999))))
        if count:
            yield Facet("year", f"{first or ''}..{last or ''}", count)


def year_ranges(first: int, last: int) -> Iterator[tuple[int | None, int | None]]:
    """At most four ranges from `first` to `last`: two years, the rest of the decade, the one before, and earlier."""
    if last - first < 2:
        yield last - 1, None
        return
    decade = (last - 2) // 10 * 10
    yield last - 1, None
    yield decade, last - 2
    if first < decade:
        yield decade - 10, decade - 1
    if first < decade - 10:
        yield None, decade - 11


def _by_venue(live: LiveRows, rows: Rows) -> Iterable[Facet]:
    chosen: Mask = row_mask(live, rows)
    counts: dict[str, int] = {}
    for part, span in live.slices():
        here = chosen[span]
        for key, size in part.venues():
            if size and (count := int(np.count_nonzero(here[part.venue_rows(key)]))):
                counts[key] = counts.get(key, 0) + count
    best = sorted(counts.items(), key=lambda counted: (-counted[1], counted[0]))[:_MOST_VENUES]
    # A venue key with a blank could not be typed as a filter without quotes.
    return [Facet("venue", key, count) for key, count in best if " " not in key]


def _by_type(live: LiveRows, rows: Rows) -> Iterable[Facet]:
    counts = np.bincount(live.column("type", rows), minlength=len(PAPER_TYPES)).tolist()
    named = sorted(zip(PAPER_TYPES, counts, strict=False), key=lambda counted: -counted[1])
    return [Facet("type", name, count) for name, count in named if count]


def _by_source(live: LiveRows, rows: Rows) -> Iterable[Facet]:
    schemes = live.column("schemes", rows)
    counts = [(name, int(np.count_nonzero(schemes & (1 << index)))) for index, name in enumerate(SCHEMES)]
    return [Facet("source", name, count) for name, count in sorted(counts, key=lambda counted: -counted[1]) if count]


_COUNTED = {"year": _by_year, "venue": _by_venue, "type": _by_type, "source": _by_source}
