"""Reads the tensors of a `.safetensors` file: a JSON header and plain numbers, in which nothing can be executed.

https://huggingface.co/docs/safetensors: eight bytes with the length of the header, the header, the numbers.
"""

from __future__ import annotations

import json
import mmap
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]

_LENGTH_BYTES = 8
_MAX_HEADER_BYTES = 100_000_000
"""As the format itself bounds it."""
_DTYPES = {"F32": "<f4", "F16": "<f2", "BF16": "<u2", "F64": "<f8"}


class Tensors:
    """The tensors of one file by name; mapped, not read."""

    def __init__(self, path: Path) -> None:
        """Opens `path`.

        Raises:
            ValueError: this is no such file, or it is cut off.
            OSError: it cannot be read.
        """
        with path.open("rb") as opened:
            self._bytes = mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ)
        length = int.from_bytes(self._bytes[:_LENGTH_BYTES], "little")
        self._start = _LENGTH_BYTES + length
        if not 0 < length <= min(_MAX_HEADER_BYTES, len(self._bytes) - _LENGTH_BYTES):
            raise ValueError(f"{path.name} is not a safetensors file")
        header = json.loads(self._bytes[_LENGTH_BYTES : self._start])
        if not isinstance(header, dict):
            raise ValueError(f"{path.name} is not a safetensors file")
        self._header: dict[str, Any] = {name: entry for name, entry in header.items() if name != "__metadata__"}

    def __contains__(self, name: object) -> bool:
        return name in self._header

    def read(self, name: str) -> Floats:
        """A tensor as float32, in its shape.

        Raises:
            ValueError: it is not there, is no floating-point tensor, or reaches beyond the file.
        """
        try:
            entry = self._header[name]
            first, past = entry["data_offsets"]
            dtype, shape = np.dtype(_DTYPES[entry["dtype"]]), [int(size) for size in entry["shape"]]
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"it has no tensor {name}") from error
        count = int(np.prod(shape, dtype=np.int64))
        if not 0 <= first <= past <= len(self._bytes) - self._start or past - first != count * dtype.itemsize:
            raise ValueError(f"the tensor {name} is cut off")
        numbers = np.frombuffer(self._bytes, dtype, count, self._start + first)
        if entry["dtype"] == "BF16":
            # The upper half of a float32.
            numbers = (numbers.astype(np.uint32) << 16).view(np.float32)
        return numbers.astype(np.float32, copy=False).reshape(shape)
