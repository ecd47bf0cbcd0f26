"""Scores papers by meaning: the cosine of each paper's vector with that of the query."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Protocol
from weakref import WeakKeyDictionary

import numpy as np

from litterm.model.index import MIN_PAPERS_FOR_ANN
from litterm.search.open_index import mask_of
from litterm.search.signals.fusion import SparseScores
from litterm.search.signals.unknown_words import (
    MAX_TYPED_WORDS,
    STEPS_PER_UNIT,
    context_vectors,
    split_by_segment,
    sum_vectors,
    vectors_of,
)

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

    import numpy.typing as npt

    from litterm.interfaces.llm import Vector
    from litterm.library.index.segment_index import SegmentIndex
    from litterm.library.index.static_embeddings import StaticModel
    from litterm.model.attribution.citation import WeightedWord
    from litterm.search.open_index import LiveRows, Mask, Rows
    from litterm.search.signals.bm25 import Scores


_LENGTH_POWER = 0.05
"""Of keywords (reading lists, Recall@20: 12.7 without it, 13 to 14.5 from .04 to .1, 13.1 at .2). Questions and
excerpts do without: their words are enough to tell, and many papers that answer them have no abstract here."""
_TYPICAL_LENGTH = 100
"""Words of title and abstract whose cosine stays as it is."""
_FACTORS_BY_SEGMENT: WeakKeyDictionary[SegmentIndex, Scores] = WeakKeyDictionary()
"""Found out once a part, which never changes."""
_MAX_THREADS, _MIN_ROWS_FOR_THREADS = 4, 200_000
"""Threads that look through the segments of a large library; two halve the time, and memory limits more."""


@cache
def _threads() -> ThreadPoolExecutor:
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(min(_MAX_THREADS, os.cpu_count() or 1), thread_name_prefix="litterm-vectors")


@dataclass(frozen=True, slots=True)
class QueryVector:
    """The vector of the words of a query."""

    vector: Vector
    learned: frozenset[str]
    """Stems whose meaning comes from the papers that hold them."""


def query_vector(
    embedder: StaticModel,
    words: Sequence[WeightedWord],
    contexts: Callable[[Sequence[str]], Mapping[str, Vector]],
) -> QueryVector | None:
    """The vector of `words`; `None` where neither the embedder nor the library tells the meaning of any.

    `contexts` gives the vectors of stems by the papers that hold them. Of a pasted text the embedder alone tells: it
    says enough by the words that are known.
    """
    unknown = embedder.unknown_stems(words) if len(words) <= MAX_TYPED_WORDS else ()
    learned = contexts(unknown) if unknown else {}
    vector = embedder.query_vector(words, learned)
    return None if vector is None else QueryVector(vector, frozenset(learned))


class Nearness(Protocol):
    """Cosines of the papers of a library with one vector: `SemanticQuery`, or `PooledNearness` of a cluster."""

    def scan_nearest(self, count: int, among: Rows) -> Scores | SparseScores:
        """Cosines of all rows, good for choosing the `count` best `among` those; in a large library others may be 0."""
        ...

    def rescore(self, rows: Rows) -> Scores:
        """Cosines of `rows`, over all dimensions."""
        ...

    def centroid(self, rows: Rows, weights: npt.NDArray[np.float64]) -> Nearness:
        """Nearness to the middle of `rows` (ascending), each counted by its weight in [0, 1], instead of the query."""
        ...


class SemanticQuery:
    """Implements `Nearness` over one snapshot."""

    def __init__(self, live: LiveRows, name: str, vector: Vector) -> None:
        """`name` is that of the embedder which made `vector`."""
        self._live = live
        self._name = name
        # Multiples of 1/4096 times bytes add up exactly in whatever order, so that no cosine depends on the segments.
        self._vector = np.rint(vector * STEPS_PER_UNIT) / STEPS_PER_UNIT

    def scan(self) -> Scores:
        """Cosines of all rows, good for choosing among them; 0 for papers without a vector."""
        live = self._live
        scores = np.zeros(live.size, np.float32)

        def scan_segment(index: int) -> None:
            if (segment_vectors := vectors_of(live.vectors[index], self._name)) is not None:
                scores[live.offsets[index] : live.offsets[index + 1]] = segment_vectors.scan(self._vector)

        # numpy lets other threads run while it compares; to wake them takes longer than a small library.
        run_all = map if live.size < _MIN_ROWS_FOR_THREADS else _threads().map
        for _ in run_all(scan_segment, range(len(live.parts))):
            pass
        return scores

    def scan_nearest(self, count: int, among: Rows, *, every: bool | None = None) -> Scores | SparseScores:
        """Cosines of all rows, good for choosing the `count` best `among` those; in a large library others may be 0.

        `every` says whether each vector is compared, where the rows at hand are a part of a library.
        """
        live = self._live
        if is_scan_exhaustive(live.size, len(among)) if every is None else every:
            return self.scan()
        # The living rows are known as a mask already.
        allowed = live.alive if among is live.living else mask_of(live.size, among)

        def scan_segment(index: int) -> tuple[Rows, Scores]:
            span = slice(live.offsets[index], live.offsets[index + 1])
            rows, scores = self._scan_segment(index, count, None if allowed is None else allowed[span])
            return span.start + rows, scores

        rows, scores = zip(*_threads().map(scan_segment, range(len(live.parts))), strict=True)
        return SparseScores(np.concatenate(rows), np.concatenate(scores))

    def _scan_segment(self, index: int, count: int, allowed: Mask | None) -> tuple[Rows, Scores]:
        """Rows of a segment, ascending, with their cosines: about the `count` best `allowed` by groups, else all."""
        segment_vectors = vectors_of(self._live.vectors[index], self._name)
        if segment_vectors is None:
            return np.empty(0, np.int64), np.empty(0, np.float32)
        nearest = segment_vectors.nearest(self._vector, count, allowed)
        if nearest is not None:
            return nearest
        # A segment without groups, made before faiss was there, is scanned as a whole.
        scores = segment_vectors.scan(self._vector)
        rows = np.arange(len(scores)) if allowed is None else np.flatnonzero(allowed)
        return rows, scores[rows]

    def rescore(self, rows: Rows) -> Scores:
        """Cosines of `rows`, over all dimensions."""
        scores = np.zeros(len(rows), np.float32)
        for vectors, span, local_rows in split_by_segment(self._live, self._name, rows):
            scores[span] = vectors.rescore(self._vector, local_rows)
        return scores

    def centroid(self, rows: Rows, weights: npt.NDArray[np.float64]) -> SemanticQuery:
        """Nearness to the middle of `rows` (ascending), each counted by its weight in [0, 1], instead of the query."""
        return type(self)(self._live, self._name, middle_of(self._live, self._name, rows, weights))


def middle_of(live: LiveRows, embedder: str, rows: Rows, weights: npt.NDArray[np.float64]) -> Vector:
    """The unit vector in the middle of `rows` (ascending), each counted by its weight in [0, 1]."""
    total = sum_vectors(live, embedder, rows, weights)
    length = float(np.linalg.norm(total)) or 1.0
    return (total / length).astype(np.float32)


def is_scan_exhaustive(size: int, among: int) -> bool:
    """Whether every vector of a library of `size` rows is compared, where `among` of them may be found.

    Where filters leave less than half of the library it is: nothing may be lost to them.
    """
    return size <= MIN_PAPERS_FOR_ANN or 2 * among < size


class LengthNormalizedSemanticQuery(SemanticQuery):
    """The same with long and short texts made comparable: a bare title of three words is near to any two of them."""

    def scan(self) -> Scores:
        """As without levelling, each cosine times a small power of the text's length."""
        scores = super().scan()
        for part, span in self._live.slices():
            scores[span] *= _length_factors(part)
        return scores

    def _scan_segment(self, index: int, count: int, allowed: Mask | None) -> tuple[Rows, Scores]:
        rows, scores = super()._scan_segment(index, count, allowed)
        return rows, scores * _length_factors(self._live.parts[index])[rows]

    def rescore(self, rows: Rows) -> Scores:
        """As without levelling, each cosine times a small power of the text's length."""
        return super().rescore(rows) * levels_at(self._live, rows)


def levels_at(live: LiveRows, rows: Rows) -> Scores:
    """What `LengthNormalizedSemanticQuery` multiplies the cosine of each of `rows` (ascending) by."""
    levels = np.ones(len(rows), np.float32)
    for part, span, local_rows in live.split(rows):
        levels[span] = _length_factors(part)[local_rows]
    return levels


def _length_factors(part: SegmentIndex) -> Scores:
    if part not in _FACTORS_BY_SEGMENT:
        lengths = np.maximum(part.columns.length, 1)
        _FACTORS_BY_SEGMENT[part] = ((lengths / _TYPICAL_LENGTH) ** _LENGTH_POWER).astype(np.float32)
    return _FACTORS_BY_SEGMENT[part]


def semantic_query(live: LiveRows, embedder: str, vector: Vector, *, levelled: bool) -> SemanticQuery:
    """Nearness to `vector`, which `embedder` made; `levelled` makes long and short texts comparable."""
    return (LengthNormalizedSemanticQuery if levelled else SemanticQuery)(live, embedder, vector)


def open_semantic_query(
    live: LiveRows, embedder: StaticModel | None, words: Sequence[WeightedWord]
) -> SemanticQuery | None:
    """`None` where no paper has a vector, or neither the embedder nor the library tells the meaning of any of `words`.

    See `query_vector`.
    """
    if embedder is None or all(vectors_of(vectors, embedder.name) is None for vectors in live.vectors):
        return None
    found = query_vector(embedder, words, partial(context_vectors, live, embedder.name))
    return None if found is None else SemanticQuery(live, embedder.name, found.vector)


def count_without_vectors(live: LiveRows, embedder: StaticModel | None) -> int:
    """How many rows lie in segments of which this embedder has made no vectors yet."""
    name = embedder.name if embedder is not None else ""
    missing = (
        part.count for part, vectors in zip(live.parts, live.vectors, strict=True) if vectors_of(vectors, name) is None
    )
    return sum(missing)
