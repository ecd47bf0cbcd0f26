"""Reads the papers at given rows, over the segments of a snapshot."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar, cast

from litterm.core.errors import OutOfMemory
from litterm.core.json_fields import integer, text
from litterm.library.segments.lookup import rows_by_citation_key, rows_by_key, rows_by_title
from litterm.library.segments.papers import BYLINE_COLUMNS, PAPER_COLUMNS, byline_from_row, paper_from_row
from litterm.model.library import RowRef, Segment, Snapshot
from litterm.text.references.identity import identity_hash

if TYPE_CHECKING:
    from litterm.library.segments.connections import LibraryView
    from litterm.model.paper import Byline, Paper, PaperId

T = TypeVar("T")

_log = logging.getLogger(__name__)

_SCAN_FROM_ROWS = 1000
"""From this number of rows of one segment a scan of its table is faster than lookups by key."""

_MAX_ROWS_TOGETHER = 100
"""Up to this number of rows one statement reads from all segments."""

_BATCH_ROWS = 8192
"""Rows fetched at once: what a statement answers counts against DuckDB's memory limit."""

_ROWS_SQL = "SELECT row, {columns} FROM {{segment}}.paper WHERE row IN ({rows})"
_ROWS_OF_SEGMENT_SQL = "SELECT {at} AS segment, row, {columns} FROM {{segment}}.paper WHERE row IN ({rows})"
_MANY_ROWS_SQL = "SELECT row, {columns} FROM {{segment}}.paper WHERE row IN (SELECT unnest(?::INTEGER[]))"


def fetch_papers(view: LibraryView, snapshot: Snapshot, rows: Sequence[RowRef]) -> tuple[Paper, ...]:
    """The papers at `rows`, in that order."""
    return _fetch(view, snapshot, rows, PAPER_COLUMNS, paper_from_row, _placeholder_paper)


def fetch_bylines(view: LibraryView, snapshot: Snapshot, rows: Sequence[RowRef]) -> tuple[Byline, ...]:
    """The bylines of the papers at `rows`, in that order."""
    return _fetch(
        view, snapshot, rows, BYLINE_COLUMNS, byline_from_row, lambda paper_id: _placeholder_paper(paper_id).byline
    )


def fetch_texts(view: LibraryView, snapshot: Snapshot, rows: Sequence[RowRef]) -> tuple[tuple[str, str], ...]:
    """Title and abstract at `rows`, in that order."""
    return _fetch(view, snapshot, rows, "title, abstract", lambda row: (text(row[0]), text(row[1])), lambda _: ("", ""))


def fetch_ids(view: LibraryView, snapshot: Snapshot, rows: Sequence[RowRef]) -> tuple[PaperId, ...]:
    """The ids of the papers at `rows`, in that order."""
    return _fetch(view, snapshot, rows, "id", _id_of_row, lambda paper_id: paper_id)


def papers_by_key(view: LibraryView, snapshot: Snapshot, keys: Sequence[str]) -> tuple[tuple[Paper, ...], ...]:
    """Per key, the papers whose id or alias it is, with or without its scheme."""
    refs = rows_by_key(view, snapshot, keys)
    papers = iter(fetch_papers(view, snapshot, [ref for key_refs in refs for ref in key_refs]))
    return tuple(tuple(next(papers) for _ in key_refs) for key_refs in refs)


def ids_by_citation_key(view: LibraryView, snapshot: Snapshot, keys: Sequence[str]) -> tuple[tuple[PaperId, ...], ...]:
    """Per citation key, the papers that a source gave it to, ascending."""
    refs = rows_by_citation_key(view, snapshot, keys)
    ids = iter(fetch_ids(view, snapshot, [ref for key_refs in refs for ref in key_refs]))
    return tuple(tuple(sorted(next(ids) for _ in key_refs)) for key_refs in refs)


def ids_by_title(view: LibraryView, snapshot: Snapshot, titles: Sequence[str]) -> tuple[tuple[PaperId, ...], ...]:
    """Per title, the papers with an equal identity key, ascending."""
    hashes = [identity_hash(title) for title in titles]
    refs = rows_by_title(view, snapshot, set(hashes) - {0})
    # Of all titles at once: what a statement costs is mostly its planning.
    rows = list(dict.fromkeys(ref for key_refs in refs.values() for ref in key_refs))
    id_at = dict(zip(rows, fetch_ids(view, snapshot, rows), strict=True))
    return tuple(tuple(sorted(id_at[ref] for ref in refs.get(key, ()))) for key in hashes)


def _fetch(
    view: LibraryView,
    snapshot: Snapshot,
    rows: Sequence[RowRef],
    columns: str,
    decode: Callable[[Sequence[object]], T],
    placeholder: Callable[[PaperId], T],
) -> tuple[T, ...]:
    """What `decode` makes of `columns` at `rows`; one that takes more memory than there is has a `placeholder`."""
    try:
        return _fetch_together(view, snapshot, rows, columns, decode)
    except OutOfMemory:
        # One by one: a single huge record must not take the others with it.
        papers_one_by_one = (_fetch_one(view, snapshot, ref, columns, decode) for ref in rows)
        return tuple(
            placeholder(_id_at(view, snapshot, ref)) if value is None else value
            for ref, value in zip(rows, papers_one_by_one, strict=True)
        )


def _fetch_one(
    view: LibraryView, snapshot: Snapshot, ref: RowRef, columns: str, decode: Callable[[Sequence[object]], T]
) -> T | None:
    try:
        return _fetch_together(view, snapshot, [ref], columns, decode)[0]
    except OutOfMemory:
        return None


def _id_at(view: LibraryView, snapshot: Snapshot, ref: RowRef) -> PaperId:
    (paper_id,) = _fetch_together(view, snapshot, [ref], "id", _id_of_row)
    _log.warning("the record %s is too large to be read", paper_id)
    return paper_id


def _id_of_row(row: Sequence[object]) -> PaperId:
    return cast("PaperId", text(row[0]))


def _placeholder_paper(paper_id: PaperId) -> Paper:
    """The paper shown instead of a record that cannot be read."""
    from litterm.model.paper import Paper

    return Paper(paper_id, f"(the record {paper_id} is too large to be read; import it again or remove it)")


def _fetch_together(
    view: LibraryView, snapshot: Snapshot, rows: Sequence[RowRef], columns: str, decode: Callable[[Sequence[object]], T]
) -> tuple[T, ...]:
    numbers_by_segment: dict[str, list[int]] = {}
    for ref in rows:
        numbers_by_segment.setdefault(ref.segment, []).append(ref.row)
    segments = [segment for segment in snapshot.segments if segment.key in numbers_by_segment]
    values_by_ref: dict[RowRef, T] = {}
    # A page of results comes from many segments: one statement each would be mostly planning.
    if len(rows) < _MAX_ROWS_TOGETHER:
        for segment_index, number, *values in _select_few(view, segments, columns, numbers_by_segment):
            values_by_ref[RowRef(segments[integer(segment_index)].key, integer(number))] = decode(values)
        return tuple(values_by_ref[ref] for ref in rows)
    for segment in segments:
        numbers = numbers_by_segment[segment.key]
        for start in range(0, len(numbers), _BATCH_ROWS):
            for number, *values in _select(view, segment, columns, numbers[start : start + _BATCH_ROWS]):
                values_by_ref[RowRef(segment.key, integer(number))] = decode(values)
    return tuple(values_by_ref[ref] for ref in rows)


def _select_few(
    view: LibraryView, segments: Sequence[Segment], columns: str, numbers_by_segment: Mapping[str, Sequence[int]]
) -> list[tuple[object, ...]]:
    """Rows of all `segments` by one statement: what a statement costs is mostly its planning."""
    return view.select_all(
        [
            (
                segment,
                _ROWS_OF_SEGMENT_SQL.format(
                    at=index, columns=columns, rows=_comma_separated(numbers_by_segment[segment.key])
                ),
            )
            for index, segment in enumerate(segments)
        ]
    )


def _select(view: LibraryView, segment: Segment, columns: str, numbers: Sequence[int]) -> list[tuple[object, ...]]:
    if len(numbers) < _SCAN_FROM_ROWS:
        return view.select(segment, _ROWS_SQL.format(columns=columns, rows=_comma_separated(numbers)))
    return view.select(segment, _MANY_ROWS_SQL.format(columns=columns), [numbers])


def _comma_separated(numbers: Sequence[int]) -> str:
    return ",".join(map(str, numbers))
