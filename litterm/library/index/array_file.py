"""Many arrays in one file, opened with one memory map, and sorted strings in two of them.

A segment has some twenty small arrays; opening each with `numpy.load` costs 0.1 ms apiece, which sixteen
segments turn into the larger part of a one-shot search. Strings are looked up by bisection, so that nothing is read
when a part is opened.
"""

from __future__ import annotations

import json
import mmap
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import cast

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
_CACHE_SIZE = 2_000
"""Lookups that are cached: queries repeat their words, and a query being typed repeats all of them."""
_TABLE_STRINGS_PER_LOOKUP = 16
"""How many strings can be put into a hash table in the time of one bisection."""
_LETTER_BITS = np.where(np.arange(256) < 128, np.uint32(1) << (np.arange(256, dtype=np.uint32) & 31), 0).astype(
    np.uint32
)
"""A bit for each byte; none for those of letters that take several, so that one slip changes two bits at most."""
_MAX_BYTES_PER_LETTER = 4
"""Of a letter in UTF-8, at most."""


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


_SAMPLE_STEP, _SAMPLE_AFTER_LOOKUPS = 32, 64
"""After 64 lookups every 32nd string is kept in memory: most steps of a bisection then compare these alone, without a
call into Python each."""


def _count_bits(width: int) -> npt.NDArray[np.uint8]:
    """How many bits are set in each number of `width` bits."""
    counts = np.zeros(1, np.uint8)
    for _ in range(width):
        counts = np.concatenate([counts, counts + np.uint8(1)])
    return counts


_BIT_COUNTS = _count_bits(16)


class SortedStrings:
    """Distinct strings in the order of their UTF-8 bytes, which is that of their code points."""

    def __init__(self, blob: npt.NDArray[np.uint8], offsets: npt.NDArray[np.int32]) -> None:
        """`offsets` has one entry more than there are strings."""
        self._blob = blob.data
        self._offsets = offsets.data
        self._found: dict[str, int] = {}
        self._bisected = 0
        self._kept: list[bytes] = []

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[np.generic]], name: str) -> SortedStrings:
        """Those that `pack_strings` has put into `arrays` under `name` and `name_at`."""
        blob, offsets = arrays[name], arrays[f"{name}_at"]
        return cls(cast("npt.NDArray[np.uint8]", blob), cast("npt.NDArray[np.int32]", offsets))

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def at(self, place: int) -> str:
        """The string at `place`."""
        return self._bytes(place).decode("utf-8", "surrogatepass")

    def at_all(self, places: Sequence[int]) -> list[str]:
        """The strings at `places`, ascending and not far apart: all bytes between the first and the last are read."""
        if not places:
            return []
        first = self._offsets[places[0]]
        blob = bytes(self._blob[first : self._offsets[places[-1] + 1]])
        offsets = self._offsets
        return [
            blob[offsets[place] - first : offsets[place + 1] - first].decode("utf-8", "surrogatepass")
            for place in places
        ]

    def find(self, text: str) -> int:
        """The place of `text`; -1 if it is not here."""
        place = self._found.get(text)
        if place is None:
            # Titles from broken files hold lone surrogates, which plain UTF-8 refuses.
            key = text.encode("utf-8", "surrogatepass")
            place = self._lower_bound(key)
            place = place if place < len(self) and self._bytes(place) == key else -1
            if len(self._found) >= _CACHE_SIZE:
                self._found.clear()
            self._found[text] = place
        return place

    def find_all(self, texts: Sequence[str]) -> npt.NDArray[np.int64]:
        """The places of `texts`, in their order; -1 for one that is not here."""
        # One table over the whole blob pays only when many are looked up at once.
        if len(texts) * _TABLE_STRINGS_PER_LOOKUP < len(self):
            return np.fromiter(map(self.find, texts), np.int64, len(texts))
        blob, edges = bytes(self._blob), self._offsets.tolist()
        known = {blob[start:end]: place for place, (start, end) in enumerate(pairwise(edges))}
        keys = (text.encode("utf-8", "surrogatepass") for text in texts)
        return np.fromiter((known.get(key, -1) for key in keys), np.int64, len(texts))

    def with_prefix(self, prefix: str) -> range:
        """The places of the strings that start with `prefix`."""
        key = prefix.encode("utf-8", "surrogatepass")
        # No UTF-8 text contains the byte 0xff, so this sorts after every string with the prefix.
        return range(self._lower_bound(key), self._lower_bound(key + b"\xff"))

    def similar(self, text: str, places: range, slips: int) -> npt.NDArray[np.int64]:
        """The strings at `places` that may be `text` with at most `slips` typing errors; empty strings are left out.

        Length and letters tell, so that none is left out that is: a letter put in, left out, exchanged or swapped
        changes the length by one and the set of letters by two at most.
        """
        key = np.frombuffer(text.encode("utf-8", "surrogatepass"), np.uint8)
        edges = np.frombuffer(self._offsets, np.int32)[places.start : places.stop + 1]
        if not len(places):
            return np.empty(0, np.int64)
        letters = _LETTER_BITS[np.frombuffer(self._blob, np.uint8)[edges[0] : edges[-1]]]
        differing = np.bitwise_or.reduceat(letters, edges[:-1] - edges[0]) ^ np.bitwise_or.reduce(_LETTER_BITS[key])
        changed = _BIT_COUNTS[differing & 0xFFFF] + _BIT_COUNTS[differing >> 16]
        longer = np.abs(np.diff(edges) - len(key))
        return places.start + np.flatnonzero((changed <= 2 * slips) & (longer <= _MAX_BYTES_PER_LETTER * slips))

    def slice(self, places: range) -> list[str]:
        """The strings at a run of `places`."""
        return [self.at(place) for place in places]

    def _lower_bound(self, key: bytes) -> int:
        if not self._kept:
            self._bisected += 1
            if self._bisected <= _SAMPLE_AFTER_LOOKUPS:
                return bisect_left(range(len(self)), key, key=self._bytes)
            self._kept = [self._bytes(place) for place in range(0, len(self), _SAMPLE_STEP)]
        past = _SAMPLE_STEP * bisect_left(self._kept, key)
        # The first that is not less comes after the last kept one that is, and not after the next kept one.
        start, end = max(past - _SAMPLE_STEP, 0), min(past, len(self))
        return bisect_left(range(len(self)), key, start, end, key=self._bytes)

    def _bytes(self, place: int) -> bytes:
        return bytes(self._blob[self._offsets[place] : self._offsets[place + 1]])


def pack_strings(ordered: Sequence[str]) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int32]]:
    """Blob and offsets of `ordered`, as `SortedStrings` takes them."""
    encoded = [text.encode("utf-8", "surrogatepass") for text in ordered]
    offsets = np.zeros(len(encoded) + 1, np.int32)
    np.cumsum([len(string) for string in encoded], out=offsets[1:])
    return np.frombuffer(b"".join(encoded), np.uint8), offsets
