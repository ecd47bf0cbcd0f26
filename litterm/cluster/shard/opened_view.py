"""The view of a shard with its segments opened, whose rows are numbered here and in the library."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from litterm.search.signals.unknown_words import split_by_segment

if TYPE_CHECKING:
    import numpy.typing as npt

    from litterm.cluster.requests import ShardView
    from litterm.library.index.static_embeddings import StaticModel
    from litterm.search.open_index import LiveRows, Rows
    from litterm.search.searchable import LibraryState, SearchableLibrary
    from litterm.search.signals.bm25 import LengthTotals, Scores
    from litterm.search.signals.fulltext_field import FullTexts


@dataclass(frozen=True, slots=True)
class OpenedView:
    """One view of a shard, opened."""

    view: ShardView
    live: LiveRows
    texts: FullTexts
    searchable: SearchableLibrary
    state: LibraryState
    shifts: npt.NDArray[np.int64]
    """By segment, what is added to a row here to make it a row of the library."""
    weighted: dict[LengthTotals, LiveRows] = field(default_factory=dict)
    """The last of what `with_length_totals` gave: ratios cost as much as a query."""

    def to_library_rows(self, rows: Rows) -> Rows:
        """`rows` as rows of the library."""
        return rows + self.shifts[np.searchsorted(self.live.offsets, rows, side="right") - 1]

    def with_length_totals(self, totals: LengthTotals) -> LiveRows:
        """The rows here, weighted by the average length of the whole library."""
        if totals not in self.weighted:
            self.weighted.clear()
            self.weighted[totals] = self.live.with_length_totals(totals)
        return self.weighted[totals]

    def to_own_rows(self, rows: Rows) -> Rows:
        """Those of `rows` of the library that are here, as rows here."""
        starts, offsets = self.view.starts, self.live.offsets
        parts = [
            rows[(rows >= start) & (rows < start + segment.count)] - start + offset
            for segment, start, offset in zip(self.view.segments, starts, offsets, strict=False)
        ]
        return np.concatenate(parts) if parts else np.empty(0, np.int64)


def stored_vectors(live: LiveRows, embedder: StaticModel, rows: Rows) -> tuple[npt.NDArray[np.int8], Scores]:
    """The vectors of `rows` (ascending) as they are stored, and their scales; 0 where there are none."""
    codes = np.zeros((len(rows), embedder.dims), np.int8)
    scales = np.zeros(len(rows), np.float32)
    for vectors, span, local_rows in split_by_segment(live, embedder.name, rows):
        codes[span], scales[span] = vectors.stored_vectors(local_rows)
    return codes, scales
