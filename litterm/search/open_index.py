"""The indexes of a snapshot's segments side by side: every row has one number over all of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from litterm.model.library import RowRef, Snapshot
from litterm.search.signals.length_normalisation import LengthTotals, length_totals, penalty_ratios, summed

if TYPE_CHECKING:
    from litterm.library.index.reader import IndexReader
    from litterm.library.index.segment_index import SegmentIndex
    from litterm.library.index.vectors import Vectors
    from litterm.model.paper import PaperId
    from litterm.search.signals.length_normalisation import Ratios

Rows = npt.NDArray[np.int64]
"""Row numbers over all segments, ascending."""
Mask = npt.NDArray[np.bool_]
"""One truth a row, over all segments."""


@dataclass(frozen=True, slots=True)
class LiveRows:
    """What is searched: rows of a segment start at its offset; shadowed rows are not alive."""

    snapshot: Snapshot
    parts: tuple[SegmentIndex, ...]
    offsets: tuple[int, ...]
    """One more than there are parts; the last is the number of rows."""
    alive: Mask | None
    """`None` when no row is shadowed."""
    living: Rows
    """All rows alive."""
    vectors: tuple[Vectors | None, ...] = ()
    """One a part; `None` where they are still to be made."""
    length_ratios: tuple[Ratios | None, ...] = ()
    """One a part: what the length penalty of each row is multiplied by; `None` leaves them as they are."""
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

    def counting_with(self, totals: LengthTotals) -> LiveRows:
        """The same rows, weighted by the average length of the library that they are a part of."""
        return replace(self, length_ratios=tuple(penalty_ratios(part, totals) for part in self.parts))

    def rows_in(self, mask: Mask | None) -> Rows:
        """The rows that pass a mask as `filters` makes it: `None` lets every row pass."""
        # Counting to a hundred thousand anew takes a tenth of a millisecond.
        return self.living if mask is None or mask is self.alive else np.flatnonzero(mask)

    def refs(self, rows: Sequence[int]) -> tuple[RowRef, ...]:
        """Where `rows` are stored, in that order."""
        return tuple(RowRef(self.snapshot.segments[segment].key, row) for segment, row in self._located(rows))

    def rows(self, refs: Sequence[RowRef]) -> Rows:
        """The rows at `refs`, ascending; those of segments that are not here are left out."""
        offset = {segment.key: start for segment, start in zip(self.snapshot.segments, self.offsets, strict=False)}
        return np.array(sorted(offset[ref.segment] + ref.row for ref in refs if ref.segment in offset), np.int64)

    def ids(self, rows: Sequence[int]) -> tuple[PaperId, ...]:
        """The paper ids at `rows`, in that order."""
        ids: list[PaperId] = []
        located = list(self._located(rows))
        for part, located_rows in groupby(located, key=lambda pair: pair[0]):
            ids += self.parts[part].ids([row for _, row in located_rows])
        return tuple(ids)

    def rows_of(self, ids: Collection[PaperId]) -> Rows:
        """The rows of those `ids` that are here, ascending."""
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
            for stem in stems:
                holding[span][part.postings(stem)[0]] = True
        rows = np.flatnonzero(holding)
        return rows if self.alive is None else rows[self.alive[rows]]

    def column(self, name: str, rows: Rows) -> npt.NDArray[np.int64]:
        """A numeric filter column at `rows`."""
        values = np.empty(len(rows), np.int64)
        for part, span, inside in self.split(rows):
            values[span] = getattr(part.columns, name)[inside]
        return values

    def first_by_id(self, rows: Rows, k: int) -> list[int]:
        """The `k` of `rows` whose paper ids come first."""
        chosen = self.first_of_each(rows, "id_order", k)
        return [row for _, row in sorted(zip(self.ids(chosen), chosen, strict=True))[:k]]

    def first_of_each(self, rows: Rows, column: str, k: int) -> list[int]:
        """The `k` of `rows` of each segment that come first in an order of which the segment knows its own."""
        chosen: list[int] = []
        for part, span, inside in self.split(rows):
            places = getattr(part.columns, column)[inside]
            best = np.argpartition(places, k - 1)[:k] if len(places) > k else np.arange(len(places))
            chosen += rows[span][best].tolist()
        return chosen

    def split(self, rows: Rows) -> Iterator[tuple[SegmentIndex, slice, Rows]]:
        """Per part that has any of `rows`: the part, which of `rows` those are, and their numbers within it."""
        edges = np.searchsorted(rows, self.offsets).tolist()
        for index, part in enumerate(self.parts):
            if edges[index] < edges[index + 1]:
                span = slice(edges[index], edges[index + 1])
                yield part, span, rows[span] - self.offsets[index]

    def _located(self, rows: Sequence[int]) -> Iterator[tuple[int, int]]:
        for row, following in zip(rows, np.searchsorted(self.offsets, rows, side="right").tolist(), strict=True):
            yield following - 1, int(row) - self.offsets[following - 1]


def rows_among(rows: Rows, others: Rows) -> Rows:
    """Those of `rows` that are among `others`; both ascending, without repeats."""
    if not len(others):
        return others
    places = np.minimum(np.searchsorted(others, rows), len(others) - 1)
    shared: Rows = rows[others[places] == rows]
    return shared


def open_live(snapshot: Snapshot, index: IndexReader) -> LiveRows:
    """`snapshot` with its parts opened.

    Raises:
        SegmentGone: one of them is no longer there.
    """
    parts = tuple(index.part(segment) for segment in snapshot.segments)
    offsets = (0, *np.cumsum([part.count for part in parts], dtype=np.int64).tolist())
    alive: Mask | None = None
    for segment, start in zip(snapshot.segments, offsets, strict=False):
        if segment.shadowed:
            # Made only where a row is shadowed: most libraries have none, and `None` saves every query a mask.
            alive = np.ones(offsets[-1], np.bool_) if alive is None else alive
            alive[start + np.array(segment.shadowed, np.int64)] = False
    living = np.arange(offsets[-1]) if alive is None else np.flatnonzero(alive)
    # Handed out by `rows_in` to whoever asks: nobody may change it in place.
    living.flags.writeable = False
    vectors = tuple(index.vectors(segment) for segment in snapshot.segments)
    totals = summed(
        length_totals(part, None if alive is None else alive[start : start + part.count])
        for part, start in zip(parts, offsets, strict=False)
    )
    ratios = tuple(penalty_ratios(part, totals) for part in parts)
    return LiveRows(snapshot, parts, offsets, alive, living, vectors, ratios, totals)
