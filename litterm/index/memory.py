"""An index held in memory: for the starter library and for a handful of papers."""

from __future__ import annotations

from collections.abc import Iterable

from litterm.index.build import mean_length
from litterm.index.harvest import gather, to_arrays, to_terms
from litterm.index.part import Part
from litterm.index.weights import postings
from litterm.model.index import IndexRow
from litterm.model.library import Segment


class MemoryIndex:
    """Implements `protocols.IndexReader` for a library of one segment, without bm25s and without files."""

    def __init__(self, rows: Iterable[IndexRow], *, average_length: float | None = None) -> None:
        """`rows` in the order of their row numbers."""
        self._part = build_in_memory(rows, average_length=average_length)

    def part(self, segment: Segment) -> Part:
        """The one index there is, whatever the segment."""
        return self._part


def build_in_memory(rows: Iterable[IndexRow], *, average_length: float | None = None) -> Part:
    """The index of `rows`, with the same numbers as `build.build_part` would write."""
    kept = gather(rows)
    terms = to_terms(kept)
    average = average_length if average_length is not None else mean_length(terms.lengths.tolist())
    made = postings(terms.flat, terms.lengths, vocabulary=len(terms.stems), average_length=average)
    return Part(to_arrays(kept, terms), made)
