"""The records of a segment's papers, packed: a page of results is read from them, without the database.

Each record is compressed by itself (RFC 1951), with a dictionary of records that lie near it: the papers of one volume
share most of what is not their abstract. Twenty records take a tenth of the time that the database takes for them.
"""

from __future__ import annotations

import zlib
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias, cast

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

RECORDS_FILE = "records.pack"
"""Name of the file in a part's folder."""

_GROUP_ROWS = 1024
"""Records that share a dictionary: with half or twice as many the file is one in a hundred larger."""
_GROUP_BYTES = 8_000_000
"""The same, where records are long: so much waits in memory."""
_MAX_RECORD_BYTES = 1_000_000
"""A longer one stays in the database alone, which reads it within bounds: its full text was given as its abstract."""
_WINDOW_BITS = -13
"""8 KB and no header. Of the Anthology's 159 MB of records 52 remain, in 60 µs a record; with 32 KB 45 MB, in 160."""
_DICTIONARY_BYTES = 7_900
"""What the window holds beside the 258 bytes that a match may have."""
_LEVEL, _MEMORY_LEVEL = 4, 5
"""At level 6 the file is 3 % smaller, and takes a third longer. More memory makes neither smaller nor faster."""

_Array: TypeAlias = "npt.NDArray[np.generic]"


class RecordPacker:
    """Packs records in the order of their rows."""

    def __init__(self) -> None:
        self._waiting: list[bytes] = []
        self._waiting_bytes = 0
        self._blob = bytearray()
        self._starts = array("q", [0])
        self._sums = array("I")
        self._dictionaries = bytearray()
        self._dictionary_starts = array("q", [0])
        self._first_rows = array("q")
        self._title_hashes = array("Q")

    def add(self, line: bytes, title_hash: int) -> None:
        """Adds the next record, as a line of JSON, with the hash of its title; 0 for a title without letters."""
        packed = line if len(line) <= _MAX_RECORD_BYTES else b""
        self._waiting.append(packed)
        self._waiting_bytes += len(packed)
        self._title_hashes.append(title_hash)
        if len(self._waiting) >= _GROUP_ROWS or self._waiting_bytes >= _GROUP_BYTES:
            self._pack_waiting()

    def arrays(self) -> dict[str, _Array]:
        """The arrays of `PackedRecords`, by name."""
        # Imported here: that a library has packed records is asked by commands that read none.
        import numpy as np

        self._pack_waiting()
        hashes = np.array(self._title_hashes, np.uint64)
        order = np.argsort(hashes, kind="stable")
        return {
            "record": np.frombuffer(self._blob, np.uint8),
            "record_starts": np.array(self._starts, np.int64),
            "record_sums": np.array(self._sums, np.uint32),
            "dictionary": np.frombuffer(self._dictionaries, np.uint8),
            "dictionary_starts": np.array(self._dictionary_starts, np.int64),
            "first_rows": np.array(self._first_rows, np.int64),
            "title_hashes": hashes[order],
            "title_rows": order.astype(np.int32),
        }

    def _pack_waiting(self) -> None:
        if not self._waiting:
            return
        dictionary = _dictionary_of(self._waiting)
        self._first_rows.append(len(self._sums))
        self._dictionaries += dictionary
        self._dictionary_starts.append(len(self._dictionaries))
        # Copied for each record: to read a dictionary takes longer than to compress a record.
        fresh = zlib.compressobj(_LEVEL, zlib.DEFLATED, _WINDOW_BITS, _MEMORY_LEVEL, zdict=dictionary)
        for line in self._waiting:
            compressor = fresh.copy()
            self._blob += compressor.compress(line)
            self._blob += compressor.flush()
            self._starts.append(len(self._blob))
            self._sums.append(zlib.crc32(line))
        self._waiting, self._waiting_bytes = [], 0


class PackedRecords:
    """The records of one segment; read-only, memory-mapped, shared by threads."""

    def __init__(self, arrays: Mapping[str, _Array]) -> None:
        """`arrays` as `RecordPacker.arrays` names them.

        Raises:
            ValueError, KeyError: they do not fit together.
        """
        self.count = len(arrays["record_sums"])
        if len(arrays["record_starts"]) != self.count + 1:
            raise ValueError("the records and their places differ in number")
        # Memory views give Python's numbers and bytes at once; numpy's would have to be converted one by one.
        self._blob = arrays["record"].data
        self._starts = _numbers(arrays["record_starts"])
        self._sums = _numbers(arrays["record_sums"])
        self._dictionaries = arrays["dictionary"].data
        self._dictionary_starts = _numbers(arrays["dictionary_starts"])
        self._first_rows = _numbers(arrays["first_rows"])
        self._title_hashes = _numbers(arrays["title_hashes"])
        self._title_rows = _numbers(arrays["title_rows"])

    def line(self, row: int) -> bytes:
        """The record of `row`, as it was added; empty for one that is too long to be packed.

        Raises:
            ValueError: it is not what was written.
        """
        if not 0 <= row < self.count:
            raise ValueError(f"there is no record {row}")
        group = bisect_right(self._first_rows, row) - 1
        dictionary = self._dictionaries[self._dictionary_starts[group] : self._dictionary_starts[group + 1]]
        packed = self._blob[self._starts[row] : self._starts[row + 1]]
        try:
            line = zlib.decompressobj(_WINDOW_BITS, zdict=dictionary).decompress(packed)
        except zlib.error as error:
            raise ValueError(f"record {row} cannot be unpacked ({error})") from error
        if zlib.crc32(line) != self._sums[row]:
            raise ValueError(f"record {row} does not have its checksum")
        return line

    def rows_with_title(self, title_hash: int) -> Sequence[int]:
        """The rows whose title has this hash, ascending."""
        start = bisect_left(self._title_hashes, title_hash)
        past = bisect_right(self._title_hashes, title_hash, start)
        return list(self._title_rows[start:past])


def _dictionary_of(lines: Sequence[bytes]) -> bytes:
    """The beginnings of `lines` that lie evenly among them; of few lines little, as it is stored with them."""
    # The dictionary of a single record would be the record once more.
    room = min(_DICTIONARY_BYTES, sum(map(len, lines)) // 16)
    size = max(1, sum(map(len, lines)) // len(lines))
    chosen = lines[:: max(1, len(lines) * size // max(1, room))] if room >= size else ()
    return b"".join(chosen)[:room]


def _numbers(array: _Array) -> Sequence[int]:
    return cast("Sequence[int]", array.data)
