"""Converts filters to a mask over the rows of the library."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from litterm.model.index import DECISIONS, PAPER_TYPES, FilterColumns
from litterm.model.paper import SCHEMES, PaperId
from litterm.model.search import CountRange, Filters, YearRange
from litterm.search.open_index import mask_of
from litterm.text.queries.author_variants import author_variants
from litterm.text.tokens import fold

if TYPE_CHECKING:
    from litterm.interfaces import Library
    from litterm.library.index.segment_index import SegmentIndex
    from litterm.search.open_index import LiveRows, Mask

PapersByTag = Callable[[str], Collection[PaperId]]
"""Gives the papers with a tag; for a word after `NOTE_PREFIX`, the papers whose note holds it."""

PapersByLeastCount = Callable[[int], Collection[PaperId]]
"""Gives the papers cited at least so many times; the number is positive."""


def filter_mask(
    live: LiveRows, filters: Filters, *, library: Library, tagged: PapersByTag, cited: PapersByLeastCount | None = None
) -> Mask | None:
    """The living rows that pass `filters`; `None` when all rows do."""
    # The mask of living rows itself, not a copy: callers compare it by identity.
    if filters == Filters():
        return live.alive
    mask = np.ones(live.size, np.bool_) if live.alive is None else live.alive.copy()
    for part, span in live.slices():
        _apply_columns(mask[span], part.columns, filters)
        if filters.venues:
            mask[span] &= mask_of(part.count, *_venue_rows(part, filters.venues))
        _apply_user_marks(mask[span], part, filters, tagged)
    # One by one: a paper is excluded if it meets all conditions of one exclusion, not some of several.
    for excluded_filters in filters.without:
        excluded = filter_mask(live, excluded_filters, library=library, tagged=tagged, cited=cited)
        if excluded is not None:
            mask &= ~excluded
    if filters.authors:
        names = [variant for name in filters.authors for variant in author_variants(name)]
        rows_by_author = (live.rows(rows) for rows in library.author_rows(live.snapshot, names))
        mask &= mask_of(live.size, *rows_by_author)
    _apply_citation_counts(mask, live, filters.cited, cited)
    return mask


def _apply_citation_counts(
    mask: Mask, live: LiveRows, ranges: Sequence[CountRange], cited: PapersByLeastCount | None
) -> None:
    if cited is not None:
        for count_range in ranges:
            mask &= _citation_count_mask(live, count_range, cited)


def _apply_user_marks(mask: Mask, part: SegmentIndex, filters: Filters, tagged: PapersByTag) -> None:
    """Applies filters on what the user keeps about papers: tags, lists and notes."""
    for names in filters.required_names:
        mask &= mask_of(part.count, *(part.rows_of(tagged(name)) for name in names))
    if filters.papers is not None:
        mask &= mask_of(part.count, part.rows_of(filters.papers))


def _venue_rows(part: SegmentIndex, typed: Sequence[str]) -> Iterable[npt.NDArray[np.int32]]:
    for venue in typed:
        begun = tuple(key.removesuffix("*") for key in venue_keys((venue,))) if venue.endswith("*") else ()
        keys = [key for key, _ in part.venues() if key.startswith(begun)] if begun else venue_keys((venue,))
        yield from (part.venue_rows(key) for key in keys)


def venue_keys(typed: Sequence[str]) -> tuple[str, ...]:
    """The venue keys that `typed` may stand for: `CoNLL Shared-Task` is also `conll-shared-task`."""
    keys: list[str] = []
    for venue in typed:
        folded = " ".join(fold(venue).split())
        keys += [folded, folded.replace(" ", "-"), folded.replace(" ", "")]
    return tuple(dict.fromkeys(keys))


def find_unknown_venues(parts: Sequence[SegmentIndex], typed: Sequence[str]) -> tuple[str, ...]:
    """The venues of `typed` that no paper has."""
    return tuple(
        venue for venue in typed if not any(len(rows) for part in parts for rows in _venue_rows(part, (venue,)))
    )


def _apply_columns(mask: Mask, columns: FilterColumns, filters: Filters) -> None:
    if filters.years:
        mask &= _year_mask(columns.year, filters.years)
    if filters.sources:
        scheme_bits = sum(1 << SCHEMES.index(name) for name in set(filters.sources) if name in SCHEMES)
        mask &= (columns.schemes & np.uint16(scheme_bits)) != 0
    if filters.types:
        mask &= _code_mask(columns.type, filters.types, PAPER_TYPES)
    if filters.decisions:
        mask &= _code_mask(columns.decision, filters.decisions, DECISIONS)
    if filters.full_text is not None:
        mask &= columns.full_text == filters.full_text


def _citation_count_mask(live: LiveRows, count_range: CountRange, cited: PapersByLeastCount) -> Mask:
    """The rows cited that often; a paper without a count is cited 0 times."""
    mask = np.ones(live.size, np.bool_)
    if count_range.least > 0:
        mask = mask_of(live.size, live.rows_of(cited(count_range.least)))
    if count_range.most is not None:
        mask &= ~mask_of(live.size, live.rows_of(cited(count_range.most + 1)))
    return mask


def _year_mask(years: npt.NDArray[np.int16], ranges: Sequence[YearRange]) -> Mask:
    mask = np.zeros(len(years), np.bool_)
    for year_range in ranges:
        # Year 0 is unknown and in no range, not even one with an open start.
        last = 9999 if year_range.last is None else min(year_range.last, 9999)
        mask |= (years >= max(year_range.first or 1, 1)) & (years <= last)
    return mask


def _code_mask(codes: npt.NDArray[np.uint8], names: Sequence[str], all_names: Sequence[str]) -> Mask:
    # A table by code: one look-up a row, whatever the number of names.
    allowed = np.zeros(256, np.bool_)
    allowed[[all_names.index(name) for name in names if name in all_names]] = True
    return allowed[codes]
