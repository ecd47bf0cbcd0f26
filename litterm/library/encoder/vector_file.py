"""The vectors of one segment's papers by the user's encoder: a file beside the segments, filled row by row.

A header, then for each row a hash of what was encoded, a scale, and one byte a dimension. It has its full size from the
beginning; a row has a vector once its scale is not 0, which is written last. So a search maps it while it is filled,
and after a kill the next process goes on with the rows that are left.
"""

from __future__ import annotations

import json
import mmap
import os
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path

import numpy as np
import numpy.typing as npt

from litterm.core.durable_files import translate_write_errors

Floats = npt.NDArray[np.float32]
Hashes = npt.NDArray[np.uint64]

SUFFIX = ".vectors"
_MAGIC = b"LTENCODE1"
_HEADER_BYTES = 4096
_HASH_BYTES, _SCALE_BYTES = 8, 4
_SCANNED_ROWS = 256
"""Rows compared at a time: their numbers stay in the processor's cache (137,000 rows of 384 dimensions: 16 ms)."""


def bytes_per_paper(dims: int) -> int:
    """What one row takes."""
    return _HASH_BYTES + _SCALE_BYTES + dims


def text_hash(text: str) -> int:
    """64 bits that tell one text from another."""
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_HASH_BYTES).digest(), "little")


class VectorFile:
    """One file; mapped for reading, written through `write` by the one process that holds the lock."""

    def __init__(self, path: Path) -> None:
        """Maps `path`.

        Raises:
            ValueError: it is no such file, or is cut off.
            OSError: it cannot be read.
        """
        self.path = path
        with path.open("rb") as opened:
            self._bytes = mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ)
        head = self._bytes[:_HEADER_BYTES]
        if not head.startswith(_MAGIC):
            raise ValueError(f"{path} holds no vectors")
        fields = json.loads(head[len(_MAGIC) :].rstrip(b"\0"))
        self.count, self.dims = int(fields["count"]), int(fields["dims"])
        self._scales_at = _HEADER_BYTES + self.count * _HASH_BYTES
        self._codes_at = self._scales_at + self.count * _SCALE_BYTES
        if min(self.count, self.dims) < 1 or len(self._bytes) != self._codes_at + self.count * self.dims:
            raise ValueError(f"{path} is cut off")
        self.hashes: Hashes = np.frombuffer(self._bytes, np.uint64, self.count, _HEADER_BYTES)
        self.scales: Floats = np.frombuffer(self._bytes, np.float32, self.count, self._scales_at)
        """0 for a row without a vector."""
        self.codes: npt.NDArray[np.int8] = np.frombuffer(
            self._bytes, np.int8, self.count * self.dims, self._codes_at
        ).reshape(self.count, self.dims)

    @classmethod
    def create(cls, path: Path, count: int, dims: int) -> VectorFile:
        """A new file for `count` rows, none of which has a vector.

        Raises:
            LibraryError: it cannot be written.
        """
        header = _MAGIC + json.dumps({"count": count, "dims": dims}).encode()
        aside = path.with_suffix(".new")
        with translate_write_errors(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            with aside.open("wb") as file:
                file.write(header.ljust(_HEADER_BYTES, b"\0"))
                file.truncate(_HEADER_BYTES + count * bytes_per_paper(dims))
            aside.replace(path)
        return cls(path)

    @property
    def encoded(self) -> int:
        """How many rows have a vector."""
        return int(np.count_nonzero(self.scales))

    def scan(self, query: Floats) -> Floats:
        """Float32 `[count]`: cosines of all rows with `query` `[dims]`; 0 for rows without a vector."""
        cosines = np.empty(self.count, np.float32)
        block = np.empty((min(_SCANNED_ROWS, self.count), self.dims), np.float32)
        for start in range(0, self.count, _SCANNED_ROWS):
            codes = self.codes[start : start + _SCANNED_ROWS]
            block[: len(codes)] = codes
            np.matmul(block[: len(codes)], query, out=cosines[start : start + len(codes)])
        cosines *= self.scales
        return cosines

    def cosines(self, query: Floats, rows: npt.NDArray[np.integer]) -> Floats:
        """Float32 `[len(rows)]`: cosines of `rows` with `query`; 0 for rows without a vector."""
        cosines: Floats = self.codes[rows].astype(np.float32) @ query
        cosines *= self.scales[rows]
        return cosines

    def write(self, rows: Sequence[int], hashes: Hashes, scales: Floats, codes: npt.NDArray[np.int8]) -> None:
        """Stores the vectors of `rows`, durably: what a search may see last is written last.

        Raises:
            LibraryError: they cannot be written.
        """
        with translate_write_errors(self.path):
            descriptor = os.open(self.path, os.O_WRONLY)
            try:
                for row, number, code in zip(rows, hashes, codes, strict=True):
                    os.pwrite(descriptor, code.tobytes(), self._codes_at + row * self.dims)
                    os.pwrite(descriptor, number.tobytes(), _HEADER_BYTES + row * _HASH_BYTES)
                os.fsync(descriptor)
                for row, scale in zip(rows, scales, strict=True):
                    os.pwrite(descriptor, scale.tobytes(), self._scales_at + row * _SCALE_BYTES)
            finally:
                os.close(descriptor)


def to_bytes(vectors: Floats) -> tuple[Floats, npt.NDArray[np.int8]]:
    """The scales `[rows]` and codes `[rows, dims]` of unit `vectors`; no scale is 0."""
    scales = np.maximum(np.abs(vectors).max(axis=1) / np.float32(127), np.float32(1e-12))
    return scales, np.rint(vectors / scales[:, None]).astype(np.int8)


def open_vector_file(path: Path, count: int) -> VectorFile | None:
    """The file at `path` for `count` rows; `None` where there is none, or none that can be used."""
    try:
        opened = VectorFile(path)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return opened if opened.count == count else None
