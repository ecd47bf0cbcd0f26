"""The vectors of one segment's papers: short ones in float32 to scan, whole ones in bytes to look closer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import numpy as np
import numpy.typing as npt

from litterm.index.harvest import Terms
from litterm.index.static import StaticModel

SCAN_DIMS = 64
"""Dimensions that are scanned: a row of them is one quarter of the time and of the memory of a whole one."""
VECTORS = "vectors.pack"
"""Name of the file in a part's folder."""
_BLOCK = 4096
"""Rows made at a time."""

Floats = npt.NDArray[np.float32]
_Arrays = Mapping[str, npt.NDArray[np.generic]]


class Vectors:
    """Implements `protocols.VectorScores`; read-only and shared by threads."""

    def __init__(self, arrays: _Arrays) -> None:
        """`arrays` as `embedded` names them."""
        self.embedder = arrays["embedder"].tobytes().decode()
        self._scales = cast(Floats, arrays["scales"])
        self.count = len(self._scales)
        rows = max(1, self.count)
        self.dims = arrays["codes"].size // rows
        self._codes = cast("npt.NDArray[np.int8]", arrays["codes"]).reshape(self.count, self.dims)
        self._short = cast(Floats, arrays["short"]).reshape(self.count, arrays["short"].size // rows)

    def scan(self, query: Floats) -> Floats:
        """Float32 `[count]`: cosines of every row with `query` over the first `SCAN_DIMS` dimensions."""
        short = query[: self._short.shape[1]]
        length = float(np.linalg.norm(short))
        found: Floats = self._short @ (short / np.float32(length or 1.0))
        return found

    def rescore(self, query: Floats, rows: npt.NDArray[np.integer]) -> Floats:
        """Float32 `[len(rows)]`: cosines of `rows` with `query` over all dimensions."""
        found: Floats = (self._codes[rows].astype(np.float32) @ query) * self._scales[rows]
        return found


def embedded(terms: Terms, model: StaticModel) -> dict[str, npt.NDArray[np.generic]]:
    """The arrays of the vectors of `terms`' rows."""
    count = len(terms.lengths)
    short = np.zeros((count, min(SCAN_DIMS, model.dims)), np.float32)
    codes = np.zeros((count, model.dims), np.int8)
    scales = np.zeros(count, np.float32)
    table = _Table(terms, model)
    for start in range(0, count, _BLOCK):
        rows = slice(start, min(start + _BLOCK, count))
        block = table.rows(rows)
        short[rows] = _units(block[:, : short.shape[1]])
        largest = np.abs(block).max(axis=1)
        scales[rows] = largest / 127
        codes[rows] = np.rint(block / np.maximum(scales[rows], 1e-12)[:, None])
    return {
        "embedder": np.frombuffer(model.name.encode(), np.uint8),
        "scales": scales,
        "codes": codes.reshape(-1),
        "short": short.reshape(-1),
    }


class _Table:
    """The stems of a part with their vectors, and its rows as runs of them."""

    def __init__(self, terms: Terms, model: StaticModel) -> None:
        places = model.places(terms.stems)
        known = np.flatnonzero(places >= 0)
        self._vectors = model.vectors(places[known])
        self._place = np.full(len(terms.stems), -1, np.int32)
        self._place[known] = np.arange(len(known), dtype=np.int32)
        self._flat = terms.flat
        self._starts = np.zeros(len(terms.lengths) + 1, np.int64)
        np.cumsum(terms.lengths, out=self._starts[1:])

    def rows(self, rows: slice) -> Floats:
        """Float32 `[rows, dims]`: unit vectors, or zeros where no stem is known."""
        starts = self._starts[rows.start : rows.stop + 1]
        places = self._place[self._flat[starts[0] : starts[-1]]].astype(np.int64)
        row = np.repeat(np.arange(len(starts) - 1), np.diff(starts))[places >= 0]
        size = max(1, len(self._vectors))
        keys, counts = np.unique(row * size + places[places >= 0], return_counts=True)
        weights = (1 + np.log(counts)).astype(np.float32)
        edges = np.searchsorted(keys, np.arange(len(starts)) * size).tolist()
        stems = keys % size
        sums = np.zeros((len(starts) - 1, self._vectors.shape[1]), np.float32)
        for at in range(len(sums)):
            first, past = edges[at], edges[at + 1]
            if first < past:
                sums[at] = weights[first:past] @ self._vectors[stems[first:past]]
        return _units(sums)


def _units(rows: Floats) -> Floats:
    found: Floats = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), np.float32(1e-12))
    return found
