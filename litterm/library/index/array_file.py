"""Many arrays in one file, opened with one memory map.

A segment has some twenty small arrays; opening each with `numpy.load` costs 0.1 ms apiece, which sixteen
segments turn into the larger part of a one-shot search.
"""

from __future__ import annotations

import json
import mmap
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt

from litterm.core.checksums import has_head
from litterm.model.library import FileChecksum

Arrays = Mapping[str, npt.NDArray[np.generic]]

PART_FILE = "part.pack"
"""Name of the file in a part's folder."""

_MAGIC = b"LTPACK1\n"
_ALIGNMENT = 64
"""Bytes; a multiple of every type's size, as numpy's own files have it."""


def write_pack(path: Path, arrays: Arrays) -> None:
    """Writes one-dimensional arrays with their names; an existing file is replaced."""
    entries: list[tuple[str, str, int, int]] = []
    offset = 0
    for name, array in arrays.items():
        entries.append((name, array.dtype.str, array.size, offset))
        offset += _padded_size(array.nbytes)
    header = json.dumps(entries).encode()
    with path.open("wb") as file:
        file.write(_MAGIC + len(header).to_bytes(8, "little") + header)
        file.write(b"\0" * (_data_offset(len(header)) - file.tell()))
        for array in arrays.values():
            # From the array's own memory: `tobytes` would copy hundreds of megabytes.
            file.write(np.ascontiguousarray(array).data)
            file.write(b"\0" * (_padded_size(array.nbytes) - array.nbytes))


def read_pack(path: Path, file: FileChecksum | None = None) -> dict[str, npt.NDArray[np.generic]]:
    """The arrays by name, read-only and mapped, not read.

    Raises:
        ValueError: this is no pack, or does not begin as `file` did when it was published.
    """
    with path.open("rb") as opened:
        pages = mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ)
    if file is not None and not has_head(pages, file):
        raise ValueError(f"{path.name} has a damaged header")
    if pages[: len(_MAGIC)] != _MAGIC:
        raise ValueError(f"{path} is not an index file")
    size = int.from_bytes(pages[len(_MAGIC) : len(_MAGIC) + 8], "little")
    header = json.loads(pages[len(_MAGIC) + 8 : len(_MAGIC) + 8 + size])
    start = _data_offset(size)
    return {
        name: np.frombuffer(pages, dtype=dtype, count=count, offset=start + offset) if count else np.empty(0, dtype)
        # The map lives as long as its arrays: it is closed when the last of them is released, and never before.
        for name, dtype, count, offset in header
    }


def _padded_size(size: int) -> int:
    return -(-size // _ALIGNMENT) * _ALIGNMENT


def _data_offset(header: int) -> int:
    return _padded_size(len(_MAGIC) + 8 + header)
