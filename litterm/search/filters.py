"""Filters to a mask over the rows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from litterm.model.index import DECISIONS, PAPER_TYPES, FilterColumns
from litterm.model.paper import SCHEMES, PaperId
from litterm.model.search import IN_PROJECT, NOTED, CountRange, Filters, YearRange
from litterm.text.tokens import fold

if TYPE_CHECKING:
    from litterm.interfaces import CitedPapers, Library, TermScores
    from litterm.search.open_index import LiveRows, Mask

Tagged = Callable[[str], Collection[PaperId]]
"""The papers that the user gave a tag; with `NOTED` before it, those whose note holds a word."""


def filter_mask(
    live: LiveRows, filters: Filters, *, library: Library, tagged: Tagged, cited: CitedPapers | None = None
) -> Mask | None:
    """Rows that are alive and pass `filters`; `None` when that is every row."""
    if filters == Filters():
        return live.alive
    mask = np.ones(live.size, np.bool_) if live.alive is None else live.alive.copy()
    for part, span in live.slices():
        _by_columns(mask[span], part.columns, filters)
        if filters.venues:
            mask[span] &= _marked(part.count, _venue_rows(part, filters.venues))
        _by_own(mask[span], part, filters, tagged)
    for each in filters.without:
        excluded = filter_mask(live, each, library=library, tagged=tagged, cited=cited)
        if excluded is not None:
            mask &= ~excluded
    if filters.authors:
        found = (live.rows(rows) for rows in library.author_rows(live.snapshot, filters.authors))
        mask &= _marked(live.size, found)
    _by_counts(mask, live, filters.cited, cited)
    return mask


def _by_counts(mask: Mask, live: LiveRows, ranges: Sequence[CountRange], cited: CitedPapers | None) -> None:
    if cited is not None:
        for wanted in ranges:
            mask &= _in_counts(live, wanted, cited)


def _by_own(mask: Mask, part: TermScores, filters: Filters, tagged: Tagged) -> None:
    """By what the user keeps about papers: tags, lists and notes."""
    noted = tuple(f"{NOTED}{word}" for word in filters.notes)
    for names in (filters.tags, filters.lists, noted, tuple(f"{IN_PROJECT}{name}" for name in filters.projects)):
        if names:
            mask &= _marked(part.count, (part.rows_of(tagged(name)) for name in names))


def _venue_rows(part: TermScores, typed: Sequence[str]) -> Iterable[npt.NDArray[np.int32]]:
    for venue in typed:
        begun = tuple(key.removesuffix("*") for key in venue_keys((venue,))) if venue.endswith("*") else ()
        keys = [key for key, _ in part.venues() if key.startswith(begun)] if begun else venue_keys((venue,))
        yield from (part.venue_rows(key) for key in keys)


def venue_keys(typed: Sequence[str]) -> tuple[str, ...]:
    """What `typed` may be written as among a paper's venue keys: `CoNLL Shared-Task` is also `conll-shared-task`."""
    keys: list[str] = []
    for venue in typed:
        folded = " ".join(fold(venue).split())
        keys += [folded, folded.replace(" ", "-"), folded.replace(" ", "")]
    return tuple(dict.fromkeys(keys))


def unknown_venues(parts: Sequence[TermScores], typed: Sequence[str]) -> tuple[str, ...]:
    """Those of the venues `typed` that no paper has."""
    return tuple(
        venue for venue in typed if not any(len(rows) for part in parts for rows in _venue_rows(part, (venue,)))
    )


def _by_columns(mask: Mask, columns: FilterColumns, filters: Filters) -> None:
    if filters.years:
        mask &= _in_years(columns.year, filters.years)
    if filters.sources:
        wanted = sum(1 << SCHEMES.index(name) for name in set(filters.sources) if name in SCHEMES)
        mask &= (columns.schemes & np.uint16(wanted)) != 0
    if filters.types:
        mask &= _among(columns.type, filters.types, PAPER_TYPES)
    if filters.decisions:
        mask &= _among(columns.decision, filters.decisions, DECISIONS)
    if filters.full_text is not None:
        mask &= columns.full_text == filters.full_text


def _in_counts(live: LiveRows, wanted: CountRange, cited: CitedPapers) -> Mask:
    """A paper that nobody counts counts as cited by none."""
    mask = np.ones(live.size, np.bool_)
    if wanted.least > 0:
        mask = _marked(live.size, [live.rows_of(cited.cited_at_least(wanted.least))])
    if wanted.most is not None:
        mask &= ~_marked(live.size, [live.rows_of(cited.cited_at_least(wanted.most + 1))])
    return mask


def _in_years(years: npt.NDArray[np.int16], ranges: Sequence[YearRange]) -> Mask:
    mask = np.zeros(len(years), np.bool_)
    for each in ranges:
        # A year of 0 is not known and lies in no range, not even one with an open start.
        last = 9999 if each.last is None else min(each.last, 9999)
        mask |= (years >= max(each.first or 1, 1)) & (years <= last)
    return mask


def _among(codes: npt.NDArray[np.uint8], names: Sequence[str], all_names: Sequence[str]) -> Mask:
    wanted = np.zeros(256, np.bool_)
    wanted[[all_names.index(name) for name in names if name in all_names]] = True
    return wanted[codes]


def _marked(count: int, found: Iterable[npt.NDArray[np.integer]]) -> Mask:
    mask = np.zeros(count, np.bool_)
    for rows in found:
        mask[rows] = True
    return mask
