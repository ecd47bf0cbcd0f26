"""Vectors for words that the semantic model does not know, from the papers of the library that hold them.

After Khodak et al. 2018 (a la carte): such a word stands where the papers around it stand. Their vectors were made
with their segments, so nothing is stored beside them, nothing grows old and nothing can be lost.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from litterm.interfaces.embeddings import Vector
    from litterm.library.index.vectors import Vectors
    from litterm.search.open_index import LiveRows, Rows

FEWEST = 2
"""Papers that must hold a word: a single one may be about anything."""
MOST = 2_000
"""Papers from which on a word tells nothing and takes milliseconds; in a library of fewer than `_ONE_IN` times as many
one in so many, but never fewer than `_SMALL`."""
_ONE_IN, _SMALL = 10, 20
MOST_TYPED = 32
"""Words up to which a query was typed; in a longer, pasted text a rare word is one of many."""
STEPS = np.float32(4096)
"""Steps of 1/4096, in which vectors are summed as whole numbers."""


def context_vectors(live: LiveRows, embedder: str, stems: Sequence[str]) -> dict[str, Vector]:
    """The unit vector between the papers that hold it, of each of `stems` that enough of them hold, and not too many.

    A linear map from there to the model's own vectors, learned on the words that it knows, is left out: it finds known
    words held back with a cosine of .13 to .20, the plain mean with .16 to .21 (MED, CF, SciFact).
    """
    most = fewest_and_most(live)[1]
    return unit_vectors({stem: holders_and_sum(live, embedder, stem, most) for stem in dict.fromkeys(stems)}, most)


HoldersAndSum = tuple[int, "npt.NDArray[np.float64]"]
"""How many papers hold a word, and the sum of their vectors."""


def holders_and_sum(live: LiveRows, embedder: str, stem: str, most: int) -> HoldersAndSum:
    """How many living papers hold `stem`, and the sum of their vectors; without it where they are more than `most`."""
    rows = live.holders([stem])
    rows_summed = rows if len(rows) <= most else rows[:0]
    return len(rows), sum_of_vectors(live, embedder, rows_summed, np.ones(len(rows_summed)))


def unit_vectors(sums: Mapping[str, HoldersAndSum], most: int) -> dict[str, Vector]:
    """The unit vector of each stem that enough papers hold, and not more than `most`."""
    vectors_by_stem = {}
    for stem, (count, total) in sums.items():
        length = float(np.linalg.norm(total))
        if FEWEST <= count <= most and length > 0:
            vectors_by_stem[stem] = (total / length).astype(np.float32)
    return vectors_by_stem


def fewest_and_most(live: LiveRows) -> tuple[int, int]:
    """Of how many papers together a word's meaning is learned."""
    return FEWEST, min(MOST, max(_SMALL, live.count // _ONE_IN))


def sum_of_vectors(
    live: LiveRows, embedder: str, rows: Rows, weights: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """The sum of the vectors of `rows` (ascending), each times its weight in [0, 1]; in steps.

    A sum of whole numbers: no order of the additions, and so no cut of the library, can change it.
    """
    total = np.zeros(
        next((vector.dims for vector in live.vectors if vector is not None and usable(vector, embedder)), 0)
    )
    for vectors, span, inside in located(live, embedder, rows):
        whole = np.rint(vectors.whole(inside).astype(np.float64) * STEPS)
        total += np.rint(weights[span] * STEPS) @ whole
    return total


def located(live: LiveRows, embedder: str, rows: Rows) -> Iterator[tuple[Vectors, slice, Rows]]:
    """Per segment that has vectors and any of `rows`: the vectors, which of `rows`, and their numbers within it."""
    edges = np.searchsorted(rows, live.offsets).tolist()
    for index, vectors in enumerate(live.vectors):
        segment_vectors = usable(vectors, embedder)
        if segment_vectors is not None and edges[index] < edges[index + 1]:
            span = slice(edges[index], edges[index + 1])
            yield segment_vectors, span, rows[span] - live.offsets[index]


def usable(vectors: Vectors | None, embedder: str) -> Vectors | None:
    """`vectors` where they are those of `embedder`."""
    return vectors if vectors is not None and vectors.embedder == embedder else None
