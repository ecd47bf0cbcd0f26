"""Vectors for words that the semantic model does not know, from the papers of the library that hold them.

After Khodak et al. 2018 (a la carte embeddings): the vector of a word is the mean of the papers around it. Their
vectors are stored with the segments, so that nothing else has to be stored, updated or repaired.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from litterm.interfaces.llm import Vector
    from litterm.library.index.vectors import Vectors
    from litterm.search.open_index import LiveRows, Rows

MIN_HOLDERS = 2
"""Papers that must hold a word: a single paper may be about anything."""
MAX_HOLDERS = 2_000
"""A word in more papers tells nothing and takes milliseconds; in a library of less than `_PAPERS_PER_HOLDER` times as
many papers one paper in so many, but at least `_MAX_HOLDERS_IN_SMALL_LIBRARY`."""
_PAPERS_PER_HOLDER, _MAX_HOLDERS_IN_SMALL_LIBRARY = 10, 20
MAX_TYPED_WORDS = 32
"""Longer queries were pasted: a rare word in them is one of many."""
STEPS_PER_UNIT = np.float32(4096)
"""Vectors are summed in whole steps of 1/4096."""


def context_vectors(live: LiveRows, embedder: str, stems: Sequence[str]) -> dict[str, Vector]:
    """The unit mean vector of the holders of each of `stems`, where these are enough and not too many papers.

    No linear map from these means to the vectors of the model is learned: for known words that were held back it
    reaches cosines of .13 to .20, the plain mean .16 to .21 (MED, CF, SciFact).
    """
    max_holders = holder_bounds(live)[1]
    return unit_vectors(
        {stem: count_and_sum_holders(live, embedder, stem, max_holders) for stem in dict.fromkeys(stems)}, max_holders
    )


HoldersAndSum = tuple[int, "npt.NDArray[np.float64]"]
"""The number of papers that hold a word, and the sum of their vectors."""


def count_and_sum_holders(live: LiveRows, embedder: str, stem: str, max_holders: int) -> HoldersAndSum:
    """The number of living papers that hold `stem`, and the sum of their vectors; 0 above `max_holders` papers."""
    rows = live.holders([stem])
    rows_summed = rows if len(rows) <= max_holders else rows[:0]
    return len(rows), sum_vectors(live, embedder, rows_summed, np.ones(len(rows_summed)))


def unit_vectors(sums: Mapping[str, HoldersAndSum], max_holders: int) -> dict[str, Vector]:
    """The unit vector of each stem that at least `MIN_HOLDERS` and at most `max_holders` papers hold."""
    vectors_by_stem = {}
    for stem, (count, total) in sums.items():
        length = float(np.linalg.norm(total))
        if MIN_HOLDERS <= count <= max_holders and length > 0:
            vectors_by_stem[stem] = (total / length).astype(np.float32)
    return vectors_by_stem


def holder_bounds(live: LiveRows) -> tuple[int, int]:
    """The least and the largest number of papers from which the meaning of a word is learned."""
    return MIN_HOLDERS, min(MAX_HOLDERS, max(_MAX_HOLDERS_IN_SMALL_LIBRARY, live.count // _PAPERS_PER_HOLDER))


def sum_vectors(live: LiveRows, embedder: str, rows: Rows, weights: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The sum of the vectors of `rows` (ascending), each times its weight in [0, 1], in steps of 1/4096 squared.

    It is a sum of whole numbers, which depends neither on the order of additions nor on the segments.
    """
    total = np.zeros(
        next((vector.dims for vector in live.vectors if vector is not None and vectors_of(vector, embedder)), 0)
    )
    for vectors, span, local_rows in split_by_segment(live, embedder, rows):
        units = np.rint(vectors.full_vectors(local_rows).astype(np.float64) * STEPS_PER_UNIT)
        total += np.rint(weights[span] * STEPS_PER_UNIT) @ units
    return total


def split_by_segment(live: LiveRows, embedder: str, rows: Rows) -> Iterator[tuple[Vectors, slice, Rows]]:
    """Each segment with vectors that has some of `rows`: its vectors, their slice of `rows`, and the rows within it."""
    edges = np.searchsorted(rows, live.offsets).tolist()
    for index, vectors in enumerate(live.vectors):
        segment_vectors = vectors_of(vectors, embedder)
        if segment_vectors is not None and edges[index] < edges[index + 1]:
            span = slice(edges[index], edges[index + 1])
            yield segment_vectors, span, rows[span] - live.offsets[index]


def vectors_of(vectors: Vectors | None, embedder: str) -> Vectors | None:
    """`vectors` if `embedder` made them, else `None`."""
    return vectors if vectors is not None and vectors.embedder == embedder else None
