"""Facets: counts the years, venues, types and sources of the papers that a query finds."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import groupby, islice
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np

from litterm.model.index import PAPER_TYPES
from litterm.model.paper import SCHEMES
from litterm.model.search import Facet, Filters, Query
from litterm.search.open_index import mask_of

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.search.open_index import LiveRows, Mask, Rows

_MAX_VENUES = 12


def count_facets(live: LiveRows, query: Query, match: Callable[[Query], Task[Rows]]) -> Task[tuple[Facet, ...]]:
    """The values of each field with their number of matching papers, the most frequent first.

    Years are first in ranges and then one by one, the latest first.

    `match` gives the rows that a query finds. A filter on a field does not restrict the counts of that field, so that
    its other values can be added.
    """
    facets: list[Facet] = []
    # Fields without filters of their own are counted over the same rows.
    for fields in _group_fields(query.filters):
        rows = yield from match(replace(query, filters=_without_filter_on(query.filters, fields[0])))
        for field in fields:
            facets += _COUNTERS[field](live, rows)
    return tuple(sorted(facets, key=lambda facet: tuple(_COUNTERS).index(facet.field)))


def _group_fields(filters: Filters) -> Iterator[tuple[str, ...]]:
    """Groups fields that are counted over the same rows: each field with a filter alone, the others together."""
    filtered = [name for name in _COUNTERS if _without_filter_on(filters, name) != filters]
    yield from ((name,) for name in filtered)
    unfiltered = tuple(name for name in _COUNTERS if name not in filtered)
    if unfiltered:
        yield unfiltered


def _without_filter_on(filters: Filters, field: str) -> Filters:
    match field:
        case "year":
            return replace(filters, years=())
        case "venue":
            return replace(filters, venues=())
        case "type":
            return replace(filters, types=())
        case _:
            return replace(filters, sources=())


def _count_years(live: LiveRows, rows: Rows) -> Iterable[Facet]:
    years = live.column("year", rows)
    years = years[years > 0]
    if not len(years):
        return
    for first, last in year_ranges(int(years.min()), int(years.max())):
        count = int(np.count_nonzero((years >= (first or 0)) & (years <= (last or 9999))))
        if count:
            yield Facet("year", f"{first or ''}..{last or ''}", count)
    counts = np.bincount(years)
    yield from (Facet("year", str(year), int(counts[year])) for year in np.flatnonzero(counts)[::-1])


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


def _count_venues(live: LiveRows, rows: Rows) -> Iterable[Facet]:
    chosen: Mask = mask_of(live.size, rows)
    counts: dict[str, int] = {}
    for part, span in live.slices():
        mask = chosen[span]
        for key, size in part.venues():
            if size and (count := int(np.count_nonzero(mask[part.venue_rows(key)]))):
                counts[key] = counts.get(key, 0) + count
    # A venue key with a blank could not be typed as a filter without quotes.
    top = sorted((counted for counted in counts.items() if " " not in counted[0]), key=_venue_order)
    return [Facet("venue", key, count) for key, count in islice(_distinct_venues(live, chosen, top), _MAX_VENUES)]


def _venue_order(counted: tuple[str, int]) -> tuple[int, int, str]:
    # Of two names of one venue the one with fewer signs is the easier to type.
    return -counted[1], len(re.sub(r"\w", "", counted[0])), counted[0]


def _distinct_venues(live: LiveRows, chosen: Mask, counted: Iterable[tuple[str, int]]) -> Iterator[tuple[str, int]]:
    """Venues without those that are another name for the same papers."""
    for count, group in groupby(counted, key=itemgetter(1)):
        seen: set[bytes] = set()
        for key, _ in group:
            papers = _venue_papers(live, chosen, key)
            if papers not in seen:
                seen.add(papers)
                yield key, count


def _venue_papers(live: LiveRows, chosen: Mask, key: str) -> bytes:
    """The chosen rows of a venue; equal for two names of the same papers."""
    parts = [(span.start, part.venue_rows(key), chosen[span]) for part, span in live.slices()]
    return b"".join((start + rows[mask[rows]]).astype(np.int64).tobytes() for start, rows, mask in parts)


def _count_types(live: LiveRows, rows: Rows) -> Iterable[Facet]:
    counts = np.bincount(live.column("type", rows), minlength=len(PAPER_TYPES)).tolist()
    named = sorted(zip(PAPER_TYPES, counts, strict=False), key=lambda counted: -counted[1])
    return [Facet("type", name, count) for name, count in named if count]


def _count_sources(live: LiveRows, rows: Rows) -> Iterable[Facet]:
    schemes = live.column("schemes", rows)
    counts = [(name, int(np.count_nonzero(schemes & (1 << index)))) for index, name in enumerate(SCHEMES)]
    return [Facet("source", name, count) for name, count in sorted(counts, key=lambda counted: -counted[1]) if count]


_COUNTERS = {"year": _count_years, "venue": _count_venues, "type": _count_types, "source": _count_sources}
