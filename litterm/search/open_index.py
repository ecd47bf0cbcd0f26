"""The indexes of all segments of a snapshot, with one row number over all of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from litterm.model.events import Progress
from litterm.model.library import RowRef, Snapshot
from litterm.search.signals.bm25 import LengthTotals, length_totals, penalty_ratios, sum_totals

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.interfaces import Library
    from litterm.library.index.reader import IndexReader
    from litterm.library.index.segment_index import SegmentIndex
    from litterm.library.index.vectors import Vectors
    from litterm.model.paper import Paper, PaperId
    from litterm.search.signals.bm25 import Ratios

_PAPERS_PER_EVENT = 400
"""About 100 ms of reading."""

Rows = npt.NDArray[np.int64]
"""Row numbers over all segments, ascending."""
Mask = npt.NDArray[np.bool_]
"""One boolean a row, over all segments."""


@dataclass(frozen=True, slots=True)
class LiveRows:
    """The rows that are searched: those of a segment start at its offset; shadowed rows are not alive."""

    snapshot: Snapshot
    parts: tuple[SegmentIndex, ...]
    offsets: tuple[int, ...]
    """One more than there are parts; the last is the number of rows."""
    alive: Mask | None
    """`None` when no row is shadowed."""
    living: Rows
    """All rows alive."""
    vectors: tuple[Vectors | None, ...] = ()
    """One a part; `None` where vectors have not been made yet."""
    length_ratios: tuple[Ratios | None, ...] = ()
    """One a part: factors of the length penalty of each row; `None` where the penalty stays as it is."""
    totals: LengthTotals = field(default_factory=LengthTotals)

    @property
    def size(self) -> int:
        """Rows, shadowed ones included."""
        return self.offsets[-1]

    @property
    def count(self) -> int:
        """Rows alive."""
        return len(self.living)

    def slices(self) -> Iterator[tuple[SegmentIndex, slice]]:
        """Each part with the range of its rows."""
        for index, part in enumerate(self.parts):
            yield part, slice(self.offsets[index], self.offsets[index + 1])

    def with_length_totals(self, totals: LengthTotals) -> LiveRows:
        """The same rows with length penalties for the average length of `totals`."""
        return replace(self, length_ratios=tuple(penalty_ratios(part, totals) for part in self.parts))

    def rows_in(self, mask: Mask | None) -> Rows:
        """The rows of `mask`; `None` stands for all living rows."""
        # Making this array again takes a tenth of a millisecond for a hundred thousand rows.
        return self.living if mask is None or mask is self.alive else np.flatnonzero(mask)

    def refs(self, rows: Sequence[int]) -> tuple[RowRef, ...]:
        """The references under which `rows` are stored, in that order."""
        return tuple(RowRef(self.snapshot.segments[segment].key, row) for segment, row in self._locate(rows))

    def rows(self, refs: Sequence[RowRef]) -> Rows:
        """The rows of `refs`, ascending; references to other segments are left out."""
        offset = {segment.key: start for segment, start in zip(self.snapshot.segments, self.offsets, strict=False)}
        return np.array(sorted(offset[ref.segment] + ref.row for ref in refs if ref.segment in offset), np.int64)

    def ids(self, rows: Sequence[int]) -> tuple[PaperId, ...]:
        """The paper ids at `rows`, in that order."""
        ids: list[PaperId] = []
        located = list(self._locate(rows))
        for part, located_rows in groupby(located, key=lambda pair: pair[0]):
            ids += self.parts[part].ids([row for _, row in located_rows])
        return tuple(ids)

    def rows_of(self, ids: Collection[PaperId]) -> Rows:
        """The rows of those `ids` that are in the snapshot, ascending."""
        rows_by_part = [
            part.rows_of(ids) + np.int64(start) for part, start in zip(self.parts, self.offsets, strict=False)
        ]
        return np.concatenate(rows_by_part) if rows_by_part else np.empty(0, np.int64)

    def alive_rows_of(self, paper_id: PaperId) -> Rows:
        """The rows of `paper_id` that are not shadowed, ascending."""
        rows = self.rows_of([paper_id])
        return rows if self.alive is None else rows[self.alive[rows]]

    def holders(self, stems: Sequence[str]) -> Rows:
        """The living rows that hold one of `stems` in title or abstract, ascending."""
        holding = np.zeros(self.size, np.bool_)
        for part, span in self.slices():
            holding[span] = mask_of(part.count, *(part.postings(stem)[0] for stem in stems))
        rows = np.flatnonzero(holding)
        return rows if self.alive is None else rows[self.alive[rows]]

    def column(self, name: str, rows: Rows) -> npt.NDArray[np.int64]:
        """A numeric filter column at `rows`."""
        values = np.empty(len(rows), np.int64)
        for part, span, local_rows in self.split(rows):
            values[span] = getattr(part.columns, name)[local_rows]
        return values

    def first_by_id(self, rows: Rows, k: int) -> list[int]:
        """The `k` of `rows` whose paper ids come first."""
        chosen = self.first_of_each(rows, "id_order", k)
        return [row for _, row in sorted(zip(self.ids(chosen), chosen, strict=True))[:k]]

    def first_of_each(self, rows: Rows, column: str, k: int) -> list[int]:
        """The first `k` of `rows` of each segment, by a column that holds the segment's own order."""
        chosen: list[int] = []
        for part, span, local_rows in self.split(rows):
            order = getattr(part.columns, column)[local_rows]
            best = np.argpartition(order, k - 1)[:k] if len(order) > k else np.arange(len(order))
            chosen += rows[span][best].tolist()
        return chosen

    def split(self, rows: Rows) -> Iterator[tuple[SegmentIndex, slice, Rows]]:
        """Each part that has some of `rows`, with their slice of `rows` and their row numbers within the part."""
        edges = np.searchsorted(rows, self.offsets).tolist()
        for index, part in enumerate(self.parts):
            if edges[index] < edges[index + 1]:
                span = slice(edges[index], edges[index + 1])
                yield part, span, rows[span] - self.offsets[index]

    def _locate(self, rows: Sequence[int]) -> Iterator[tuple[int, int]]:
        for row, following in zip(rows, np.searchsorted(self.offsets, rows, side="right").tolist(), strict=True):
            yield following - 1, int(row) - self.offsets[following - 1]


def mask_of(size: int, *row_sets: npt.NDArray[np.integer]) -> Mask:
    """A mask of `size` rows that is true at every row of `row_sets`."""
    mask = np.zeros(size, np.bool_)
    for rows in row_sets:
        mask[rows] = True
    return mask


def intersect_rows(rows: Rows, other_rows: Rows) -> Rows:
    """The rows that are in both `rows` and `other_rows`; all ascending, without duplicates."""
    if not len(other_rows):
        return other_rows
    positions = np.minimum(np.searchsorted(other_rows, rows), len(other_rows) - 1)
    shared: Rows = rows[other_rows[positions] == rows]
    return shared


def open_live_rows(snapshot: Snapshot, index: IndexReader) -> LiveRows:
    """Opens the indexes of `snapshot`.

    Raises:
        SegmentGone: a segment is no longer on the disk.
    """
    parts = tuple(index.part(segment) for segment in snapshot.segments)
    offsets = (0, *np.cumsum([part.count for part in parts], dtype=np.int64).tolist())
    alive: Mask | None = None
    for segment, start in zip(snapshot.segments, offsets, strict=False):
        if segment.shadowed:
            # Most libraries have no shadowed rows, and `None` saves every query a mask.
            alive = np.ones(offsets[-1], np.bool_) if alive is None else alive
            alive[start + np.array(segment.shadowed, np.int64)] = False
    living = np.arange(offsets[-1]) if alive is None else np.flatnonzero(alive)
    # Shared with the callers of `rows_in`, who must not change it.
    living.flags.writeable = False
    vectors = tuple(index.vectors(segment) for segment in snapshot.segments)
    totals = sum_totals(
        length_totals(part, None if alive is None else alive[start : start + part.count])
        for part, start in zip(parts, offsets, strict=False)
    )
    ratios = tuple(penalty_ratios(part, totals) for part in parts)
    return LiveRows(snapshot, parts, offsets, alive, living, vectors, ratios, totals)


def newest_year(live: LiveRows) -> int:
    """The last year of any paper, from which ages are counted where no year is given."""
    newest = [int(part.columns.year.max()) for part in live.parts if part.count]
    return max(newest, default=0)


def load_papers(live: LiveRows, rows: Sequence[int], *, library: Library) -> Task[tuple[Paper, ...]]:
    """The papers at `rows`, in that order; a few hundred at a time, so that even ten thousand can be cancelled."""
    papers: list[Paper] = []
    for start in range(0, len(rows), _PAPERS_PER_EVENT):
        if start:
            yield Progress("fetching papers", start, len(rows))
        papers += library.papers(live.snapshot, live.refs(rows[start : start + _PAPERS_PER_EVENT]))
    return tuple(papers)
