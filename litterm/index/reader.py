"""Opens the parts of a library's segments: memory-mapped, each once."""

from __future__ import annotations

import weakref
from pathlib import Path

import numpy as np
import numpy.typing as npt

from litterm.errors import LibraryError, SegmentGone
from litterm.index.pack import PACK, read_pack
from litterm.index.part import Part
from litterm.index.weights import Postings
from litterm.model.library import Segment

INDEX_FOLDER = "index"


class IndexFolder:
    """Implements `protocols.IndexReader`; a part stays open as long as somebody holds it."""

    def __init__(self) -> None:
        self._open: weakref.WeakValueDictionary[str, Part] = weakref.WeakValueDictionary()

    def part(self, segment: Segment) -> Part:
        """The index of `segment`, memory-mapped.

        Raises:
            SegmentGone: its files are no longer there; the snapshot is an old one.
        """
        key = str(segment.folder)
        part = self._open.get(key)
        if part is None:
            part = self._open[key] = open_part(segment.folder / INDEX_FOLDER)
        return part


def open_part(folder: Path) -> Part:
    """The part in `folder`.

    Raises:
        SegmentGone: its files are not there.
        LibraryError: they are damaged, or another version of litterm wrote them.
    """
    try:
        return Part(read_pack(folder / PACK), _postings(folder))
    except FileNotFoundError as error:
        raise SegmentGone(f"The index in {folder} is gone; the library has moved on.") from error
    except (OSError, EOFError, ValueError, KeyError) as error:
        raise LibraryError(f"The index in {folder} cannot be read: {error}") from error


def _postings(folder: Path) -> Postings:
    weights, rows, starts = (_load(folder / f"{name}.csc.index.npy") for name in ("data", "indices", "indptr"))
    return Postings(weights, rows, starts)  # type: ignore[arg-type]


def _load(path: Path) -> npt.NDArray[np.generic]:
    # A plain view: every slice of a `memmap` would pass through Python.
    array: npt.NDArray[np.generic] = np.load(path, mmap_mode="r", allow_pickle=False).view(np.ndarray)
    return array
