"""An index held in memory: for the starter library and for a handful of papers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from litterm.library.index.bm25_weights import postings, whole_record_weighting
from litterm.library.index.build import (
    RowCollector,
    TermMatrix,
    build_arrays,
    build_terms,
    collect_rows,
    mean_length,
    title_arrays,
)
from litterm.library.index.full_text import FullTextIndex, full_text_arrays
from litterm.library.index.segment_index import SegmentIndex
from litterm.library.index.title_author_stats import TitleAuthorIndex, fact_arrays
from litterm.library.index.vectors import Vectors, vector_arrays

if TYPE_CHECKING:
    from litterm.library.index.static_embeddings import StaticModel
    from litterm.model.index import IndexRow
    from litterm.model.library import Segment
    from litterm.model.paper import PaperId


class MemoryIndex:
    """An `IndexReader` of a library of one segment, without bm25s and without files."""

    def __init__(
        self,
        rows: Iterable[IndexRow],
        *,
        average_length: float | None = None,
        model: StaticModel | None = None,
        bodies: Iterable[tuple[PaperId, str]] = (),
    ) -> None:
        """`rows` in the order of their row numbers; `bodies` are full texts with their papers."""
        collected = collect_rows(rows)
        terms = build_terms(collected)
        self._part = _part(collected, terms, average_length)
        self._title_index = TitleAuthorIndex(fact_arrays(collected, terms))
        self._vectors = None if model is None else Vectors(vector_arrays(terms, model))
        full_texts = FullTextIndex(full_text_arrays(bodies))
        self._bodies = full_texts if full_texts.papers else None

    def part(self, segment: Segment) -> SegmentIndex:
        """The one index there is, whatever the segment."""
        return self._part

    def vectors(self, segment: Segment) -> Vectors | None:
        """The vectors; `None` when it was made without a model."""
        return self._vectors

    def bodies(self, segment: Segment) -> FullTextIndex | None:
        """The full texts; `None` where there are none."""
        return self._bodies

    def title_index(self, segment: Segment) -> TitleAuthorIndex:
        """Titles and authors by year."""
        return self._title_index

    def check(self, segments: Sequence[Segment]) -> None:
        """Memory is never damaged."""


def _part(collected: RowCollector, terms: TermMatrix, average_length: float | None) -> SegmentIndex:
    # Without bm25s, whose import alone takes 0.1 s.
    average = average_length if average_length is not None else mean_length(terms.lengths.tolist())
    scores = postings(terms.flat, terms.lengths, vocabulary=len(terms.stems), field=whole_record_weighting(average))
    return SegmentIndex(build_arrays(collected, terms) | title_arrays(terms), scores, average)
