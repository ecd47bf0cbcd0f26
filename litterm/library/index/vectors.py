"""The vectors of one segment's papers: short ones in float32 to scan, whole ones in bytes to look closer.

In a library so large that comparing every vector takes too long, the short ones are also searched approximately, by
faiss. Optional: the extra `ann`. An inverted file (Sivic and Zisserman 2003): the scanned vectors of a
segment lie in groups around centres, one byte per dimension; a query is compared only with the groups nearest to it.
The file is mapped like all others.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cached_property
from importlib.util import find_spec
from itertools import pairwise
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from litterm.model.index import MIN_ROWS_FOR_ANN

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from litterm.library.index.build import TermMatrix
    from litterm.library.index.static_embeddings import StaticModel

SCAN_DIMS = 96
"""Dimensions that are scanned. Of the 300 papers nearest in all 256, the best 1,000 of 109,000 by so many hold 98.8 %
(by 64: 93 %, by 128: all), in 1.8 ms of one core (1.1, 2.2)."""
VECTORS_FILE = "vectors.pack"
"""Name of the file in a part's folder."""
_BLOCK_ROWS = 4096
"""Rows embedded at a time."""
_RESCORED_ROWS = 256
"""Rows rescored at a time: a quarter of a megabyte, which stays in the processor's cache and is never handed back."""

Floats = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]
_Arrays = Mapping[str, npt.NDArray[np.generic]]
GROUPS_FILE = "groups.faiss"
"""Name of the file in a part's folder."""
_GROUPS_PER_ROOT_ROW = 2
"""Number of groups divided by the square root of the rows. Twice as many take four times as long to train and find
hardly more."""
_PROBED_SHARE = 4
"""One group in four is searched: of the 1,000 nearest of a million papers 98.5 % are found, of the 20 nearest 99.8 %,
in half the time that comparing all takes."""
_TRAINING_ROWS_PER_GROUP = 64
"""Rows a group from which the centres are learned; faiss asks for at least 39."""
_SEED = 1234


class Vectors:
    """The vectors of one segment's papers by one embedder; read-only, memory-mapped, shared by threads.

    A paper of which the embedder knows no word has the vector 0 and the cosine 0 with everything.
    """

    def __init__(self, arrays: _Arrays, groups: VectorGroups | None = None) -> None:
        """`arrays` as `vector_arrays` names them; `groups` of the rows where there are any."""
        self.embedder = arrays["embedder"].tobytes().decode()
        self._scales = cast(Floats, arrays["scales"])
        self.count = len(self._scales)
        rows = max(1, self.count)
        self.dims = arrays["codes"].size // rows
        self._codes = cast("npt.NDArray[np.int8]", arrays["codes"]).reshape(self.count, self.dims)
        self.short = cast(Floats, arrays["short"]).reshape(self.count, arrays["short"].size // rows)
        """What is scanned: the first `SCAN_DIMS` dimensions at length 1."""
        self.word_places = cast("npt.NDArray[np.int32] | None", arrays.get("word_places"))
        """Where the stem of each word of the segment's index stands among those that the embedder knows
        (`StaticModel.places`); -1 for words it does not know. `None` where an older litterm built the index."""
        self._groups = groups

    def scan(self, query: Floats) -> Floats:
        """Float32 `[count]`: cosines of every row with `query` over the first `SCAN_DIMS` dimensions."""
        # BLAS takes twice as long for one vector, and may add up in another order for other rows.
        cosines: Floats = np.einsum("ij,j->i", self.short, self._short_query(query))
        return cosines

    def nearest(self, query: Floats, count: int, allowed: Mask | None) -> tuple[npt.NDArray[np.int64], Floats] | None:
        """About the `count` nearest of the `allowed` rows, ascending, with about their cosines as `scan` has them.

        `None` without groups, and where these hold too few rows.
        """
        return None if self._groups is None else self._groups.nearest(self._short_query(query), count, allowed)

    def rescore(self, query: Floats, rows: npt.NDArray[np.integer]) -> Floats:
        """Float32 `[len(rows)]`: cosines of `rows` with `query` over all dimensions."""
        cosines = np.empty(len(rows), np.float32)
        for start in range(0, len(rows), _RESCORED_ROWS):
            chunk = slice(start, start + _RESCORED_ROWS)
            np.matmul(self._codes[rows[chunk]].astype(np.float32), query, out=cosines[chunk])
        cosines *= self._scales[rows]
        return cosines

    def stored_vectors(self, rows: npt.NDArray[np.integer]) -> tuple[npt.NDArray[np.int8], Floats]:
        """The vectors of `rows` as they are stored: whole numbers `[len(rows), dims]`, and the scale of each row."""
        return self._codes[rows], self._scales[rows]

    def full_vectors(self, rows: npt.NDArray[np.integer]) -> Floats:
        """Float32 `[len(rows), dims]`: the vectors of `rows`."""
        vectors: Floats = self._codes[rows].astype(np.float32) * self._scales[rows][:, None]
        return vectors

    def _short_query(self, query: Floats) -> Floats:
        short = query[: self.short.shape[1]]
        return short / np.float32(float(np.linalg.norm(short)) or 1.0)


def vector_arrays(terms: TermMatrix, model: StaticModel) -> dict[str, npt.NDArray[np.generic]]:
    """The arrays of the vectors of `terms`' rows."""
    count = len(terms.lengths)
    short = np.zeros((count, min(SCAN_DIMS, model.dims)), np.float32)
    codes = np.zeros((count, model.dims), np.int8)
    scales = np.zeros(count, np.float32)
    places = model.places(terms.stems)
    edges = np.concatenate([[0], np.cumsum(terms.lengths)])
    for start in range(0, count, _BLOCK_ROWS):
        rows = slice(start, min(start + _BLOCK_ROWS, count))
        vector_rows, vectors = _stem_vectors(terms.flat[edges[rows.start] : edges[rows.stop]], terms, places, model)
        block = directions(vector_rows, terms.lengths[rows], vectors)
        short[rows] = _unit_rows(block[:, : short.shape[1]])
        largest = np.abs(block).max(axis=1)
        # One scale a row: a text with small values loses no more by rounding than one with large ones.
        scales[rows] = largest / 127
        codes[rows] = np.rint(block / np.maximum(scales[rows], 1e-12)[:, None])
    return {
        "embedder": np.frombuffer(model.name.encode(), np.uint8),
        "scales": scales,
        "codes": codes.reshape(-1),
        "short": short.reshape(-1),
        "word_places": np.append(places, -1)[terms.word_stems].astype(np.int32),
    }


def directions(
    places: npt.NDArray[np.integer], lengths: npt.NDArray[np.int64], vectors: npt.NDArray[np.floating]
) -> Floats:
    """Float32 `[len(lengths), dims]`: the unit vector of each text, 0 where none of its stems has a vector.

    The texts are runs of `places` in `vectors`, -1 where a stem has none; `lengths` of them each.
    """
    known = places >= 0
    row = np.repeat(np.arange(len(lengths), dtype=np.int64), lengths)[known]
    size = max(1, len(vectors))
    keys, counts = np.unique(row * size + places[known], return_counts=True)
    weights = (1 + np.log(counts)).astype(np.float32)
    edges = np.searchsorted(keys, np.arange(len(lengths) + 1) * size).tolist()
    stems = keys % size
    sums = np.zeros((len(lengths), vectors.shape[1]), np.float32)
    for index, (first, past) in enumerate(pairwise(edges)):
        if first < past:
            # Text by text: one product of all rows would need a matrix of texts by stems.
            sums[index] = weights[first:past] @ vectors[stems[first:past]]
    return _unit_rows(sums)


def _stem_vectors(
    flat: npt.NDArray[np.int32], terms: TermMatrix, places: npt.NDArray[np.int64], model: StaticModel
) -> tuple[npt.NDArray[np.int64], Floats]:
    """For each stem number in `flat` the row of its vector, and the vectors."""
    occurs = np.zeros(len(terms.stems), np.bool_)
    occurs[flat] = True
    used = np.flatnonzero(occurs)
    return (np.cumsum(occurs) - 1)[flat], model.stem_vectors(
        [terms.stems[stem] for stem in used.tolist()], places[used]
    )


def _unit_rows(rows: Floats) -> Floats:
    unit_vectors: Floats = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), np.float32(1e-12))
    return unit_vectors


def can_group() -> bool:
    """Whether faiss is installed."""
    return find_spec("faiss") is not None


def write_groups(file: Path, short: Floats) -> bool:
    """Groups the rows of `short` `[count, dims]` into `file`; whether they are enough for it and faiss is there."""
    if len(short) < MIN_ROWS_FOR_ANN or not can_group():
        return False
    faiss = _faiss()
    groups = round(_GROUPS_PER_ROOT_ROW * math.sqrt(len(short)))
    index = faiss.index_factory(short.shape[1], f"IVF{groups},SQ8", faiss.METRIC_INNER_PRODUCT)
    # A fixed seed and ascending rows: the same papers make the same file.
    chosen = np.random.default_rng(_SEED).choice(
        len(short), min(len(short), _TRAINING_ROWS_PER_GROUP * groups), replace=False
    )
    index.train(short[np.sort(chosen)])
    index.add(short)
    faiss.write_index(index, str(file))
    return True


class VectorGroups:
    """The groups of one segment; read-only and shared by threads."""

    def __init__(self, file: Path, check: Callable[[], None] = lambda: None) -> None:
        """Nothing is opened before it is asked for: importing faiss takes 0.2 s. `check` raises for a damaged file."""
        self._file = file
        self._check = check

    def nearest(self, short: Floats, count: int, allowed: Mask | None) -> tuple[npt.NDArray[np.int64], Floats] | None:
        """About the `count` rows nearest to `short` `[dims]`, ascending, with about their cosines.

        `allowed` are the rows that may be found. `None` where there are no groups, no faiss, or where the groups
        looked into hold fewer than `count` of them.
        """
        if self._index is None:
            return None
        faiss = _faiss()
        bits = None if allowed is None else np.packbits(allowed, bitorder="little")
        chosen = {} if bits is None else {"sel": faiss.IDSelectorBitmap(len(bits), faiss.swig_ptr(bits))}
        looked_into = faiss.SearchParametersIVF(nprobe=max(1, self._index.nlist // _PROBED_SHARE), **chosen)
        scores, rows = self._index.search(short[None], count, params=looked_into)
        # faiss fills up with -1 where the groups that were looked into hold too few.
        if len(rows[0]) and rows[0].min() < 0:
            return None
        order = np.argsort(rows[0])
        return rows[0][order], scores[0][order]

    @cached_property
    def _index(self) -> Any:
        self._check()
        if not (self._file.is_file() and can_group()):
            return None
        return _faiss().read_index(str(self._file), _faiss().IO_FLAG_MMAP_IFC)


def _faiss() -> Any:
    import faiss

    # Searches come from several threads already. The number holds for the calling thread alone.
    faiss.omp_set_num_threads(1)
    return faiss
