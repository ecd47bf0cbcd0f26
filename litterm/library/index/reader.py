"""Opens the parts of a library's segments: memory-mapped, each once."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from litterm.core.checksums import CONTENT_FAULT, find_faults, mark_damaged, read_damage
from litterm.core.errors import IndexDamaged, LibraryError, SegmentGone
from litterm.library.index.array_file import PART_FILE, read_pack
from litterm.library.index.bm25_weights import TYPICAL_LENGTH, Postings
from litterm.library.index.full_text import FULL_TEXT_FILE, FullTextIndex
from litterm.library.index.records import RECORDS_FILE, PackedRecords
from litterm.library.index.segment_index import SegmentIndex
from litterm.library.index.static_embeddings import shipped_name
from litterm.library.index.title_author_stats import FACTS_FILE, TitleAuthorIndex
from litterm.library.index.vectors import GROUPS_FILE, VECTORS_FILE, VectorGroups, Vectors
from litterm.library.index.verification import INDEX_FOLDER as INDEX_FOLDER

if TYPE_CHECKING:
    from litterm.library.index.verification import IndexVerifier
    from litterm.model.library import FileChecksum, Segment

_PART_FILES = (PART_FILE, *(f"{name}.csc.index.npy" for name in ("data", "indices", "indptr")))
_READ_ERRORS = (
    OSError,
    EOFError,
    ValueError,
    KeyError,
    IndexError,
    TypeError,
    OverflowError,
    SyntaxError,
    RuntimeError,
)
"""Errors of reading bytes that differ from those that were written."""
DEFAULT_REMEDY = "any `litterm add` rebuilds it"
_INDEX_GONE = "The index in {folder} is gone: the library has changed since, or lost it; {remedy}."

_T = TypeVar("_T", SegmentIndex, Vectors, FullTextIndex, TitleAuthorIndex, PackedRecords)


class IndexReader(Protocol):
    """Opens the index of a segment, once; later calls return the same object.

    `IndexFolder` on the disk, `MemoryIndex` of benchmarks in memory.
    """

    def part(self, segment: Segment) -> SegmentIndex:
        """The lexical index of `segment`.

        Raises:
            SegmentGone: its files are no longer there; a newer snapshot has its rows.
        """
        ...

    def vectors(self, segment: Segment) -> Vectors | None:
        """The vectors of `segment` by the embedder in use; `None` where they are still to be made.

        Raises:
            SegmentGone: as `part`.
        """
        ...

    def bodies(self, segment: Segment) -> FullTextIndex | None:
        """The full texts of `segment`; `None` where there are none, or an older litterm built the index.

        Raises:
            SegmentGone: as `part`.
        """
        ...

    def title_index(self, segment: Segment) -> TitleAuthorIndex | None:
        """Titles and authors of `segment` by year; `None` where an older litterm built the index.

        Raises:
            SegmentGone: as `part`.
        """
        ...

    def check(self, segments: Sequence[Segment]) -> None:
        """Reads every file of the index to its end; for when something went wrong with what it holds.

        Raises:
            IndexDamaged: one of them is not what was written.
        """
        ...


class IndexFolder:
    """The index as files in the folders of segments; a part stays open as long as it is referenced."""

    def __init__(
        self, embedder: str | None = None, *, verifier: IndexVerifier | None = None, remedy: str = DEFAULT_REMEDY
    ) -> None:
        """Vectors of another embedder than the one named (else the built-in one) are passed over.

        With a `verifier`, which says so, files whose content is known to be damaged are opened all the same: a search
        of the rest is worth more than none. `remedy` says what helps against damage.
        """
        self._embedder = embedder
        self._verifier = verifier
        self._remedy = remedy
        # Weak, so that the maps of a compacted segment are closed with the last search that uses them.
        self._parts: weakref.WeakValueDictionary[str, SegmentIndex] = weakref.WeakValueDictionary()
        self._vectors: weakref.WeakValueDictionary[str, Vectors] = weakref.WeakValueDictionary()
        self._bodies: weakref.WeakValueDictionary[str, FullTextIndex] = weakref.WeakValueDictionary()
        self._title_indexes: weakref.WeakValueDictionary[str, TitleAuthorIndex] = weakref.WeakValueDictionary()
        self._records: weakref.WeakValueDictionary[str, PackedRecords] = weakref.WeakValueDictionary()

    def part(self, segment: Segment) -> SegmentIndex:
        """The index of `segment`, memory-mapped.

        Raises:
            SegmentGone: its files are no longer there; the snapshot is an old one.
            IndexDamaged: they are not what was written.
        """
        folder = segment.folder / INDEX_FOLDER
        part = self._parts.get(str(folder))
        if part is None:
            # Sizes first: reading past the end of a map ends the process with SIGBUS, not with an exception.
            self._check_files(segment, *_PART_FILES)
            part = self._parts[str(folder)] = open_part(
                folder,
                _published_sum(segment, PART_FILE),
                segment.average_length or TYPICAL_LENGTH,
                remedy=self._remedy,
            )
        return part

    def vectors(self, segment: Segment) -> Vectors | None:
        """The vectors of `segment`, memory-mapped; `None` where it has none of the embedder in use.

        Raises:
            SegmentGone: as `part`.
        """
        groups = VectorGroups(
            segment.folder / INDEX_FOLDER / GROUPS_FILE, lambda: self._check_files(segment, GROUPS_FILE)
        )
        vectors = self._open_beside(segment, VECTORS_FILE, self._vectors, lambda arrays: Vectors(arrays, groups))
        embedder = shipped_name() if self._embedder is None else self._embedder
        return vectors if vectors is not None and vectors.embedder == embedder else None

    def bodies(self, segment: Segment) -> FullTextIndex | None:
        """The full texts of `segment`, memory-mapped; `None` where it has none.

        Raises:
            SegmentGone: as `part`.
        """
        return self._open_beside(segment, FULL_TEXT_FILE, self._bodies, FullTextIndex)

    def title_index(self, segment: Segment) -> TitleAuthorIndex | None:
        """Titles and authors by year, memory-mapped; `None` where an older litterm made the index.

        Raises:
            SegmentGone: as `part`.
        """
        return self._open_beside(segment, FACTS_FILE, self._title_indexes, TitleAuthorIndex)

    def records(self, segment: Segment) -> PackedRecords | None:
        """The packed records of `segment`, memory-mapped; `None` where an older litterm made the index.

        Also where they are damaged: the database has them, too.

        Raises:
            SegmentGone: as `part`.
        """
        try:
            records = self._open_beside(segment, RECORDS_FILE, self._records, PackedRecords)
        except IndexDamaged:
            return None
        return records if records is not None and records.count == segment.count else None

    def check(self, segments: Sequence[Segment]) -> None:
        """Reads every file of the index to its end.

        Raises:
            IndexDamaged: one of them is not what was written.
        """
        for segment in segments:
            files = [file for file in segment.files if file.name.startswith(f"{INDEX_FOLDER}/")]
            self._raise_damaged(segment, find_faults(segment.folder, files, full=True))

    def _check_files(self, segment: Segment, *names: str) -> None:
        """Sizes of the files `names` of its index, as far as they were published with it; their content later.

        Raises:
            SegmentGone: all is gone.
            IndexDamaged: one is not what was published.
        """
        paths = {f"{INDEX_FOLDER}/{name}" for name in names}
        # Segments of an older litterm were published without sizes and cannot be checked.
        damaged = find_faults(segment.folder, [file for file in segment.files if file.name in paths])
        if damaged and not (segment.folder / INDEX_FOLDER).is_dir():
            raise SegmentGone(_INDEX_GONE.format(folder=segment.folder / INDEX_FOLDER, remedy=self._remedy))
        readable = {name: fault for name, fault in damaged.items() if self._is_readable(name, fault)}
        self._raise_damaged(segment, {name: fault for name, fault in damaged.items() if name not in readable})
        if self._verifier is not None:
            self._verifier.add_opened(segment, names, readable)

    def _is_readable(self, name: str, fault: str) -> bool:
        """Whether a damaged file may be read: numbers that lead anywhere raise an error, but end a library in C++."""
        return self._verifier is not None and fault == CONTENT_FAULT and not name.endswith(GROUPS_FILE)

    def _raise_damaged(self, segment: Segment, damaged: Mapping[str, str]) -> None:
        if damaged:
            # Noted on the disk, because it is the next import that mends it, in another process.
            mark_damaged(segment.folder, read_damage(segment.folder) | dict(damaged))
            details = ", ".join(f"{name.removeprefix(f'{INDEX_FOLDER}/')} {fault}" for name, fault in damaged.items())
            raise IndexDamaged(f"The index in {segment.folder / INDEX_FOLDER} is damaged ({details}); {self._remedy}.")

    def _open_beside(
        self,
        segment: Segment,
        name: str,
        known: weakref.WeakValueDictionary[str, _T],
        make: Callable[[dict[str, npt.NDArray[np.generic]]], _T],
    ) -> _T | None:
        """An additional file of the segment's index, which not every segment has."""
        path = segment.folder / INDEX_FOLDER / name
        opened = known.get(str(path))
        if opened is not None:
            return opened
        self._check_files(segment, name)
        try:
            opened = known[str(path)] = make(read_pack(path, _published_sum(segment, name)))
        except FileNotFoundError:
            if not path.parent.is_dir():
                raise SegmentGone(_INDEX_GONE.format(folder=path.parent, remedy=self._remedy)) from None
            return None
        except _READ_ERRORS as error:
            raise IndexDamaged(f"The index in {path} cannot be read ({error}); {self._remedy}.") from error
        return opened


def open_part(
    folder: Path,
    file: FileChecksum | None = None,
    average_length: float = TYPICAL_LENGTH,
    *,
    remedy: str = DEFAULT_REMEDY,
) -> SegmentIndex:
    """The part in `folder`; `file` is what its pack was published as, and `remedy` what helps against damage.

    Raises:
        SegmentGone: its files are not there.
        IndexDamaged: they are damaged, or another version of litterm wrote them.
    """
    try:
        return SegmentIndex(read_pack(folder / PART_FILE, file), _postings(folder), average_length)
    except FileNotFoundError as error:
        raise SegmentGone(_INDEX_GONE.format(folder=folder, remedy=remedy)) from error
    except _READ_ERRORS as error:
        raise IndexDamaged(f"The index in {folder} cannot be read ({error}); {remedy}.") from error


def is_whole(folder: Path, *, vectors: bool) -> bool:
    """Whether the part in `folder`, its facts, its vectors where it should have some, and all others can be opened."""
    try:
        open_part(folder)
        TitleAuthorIndex(read_pack(folder / FACTS_FILE))
        if vectors:
            Vectors(read_pack(folder / VECTORS_FILE))
        if (folder / FULL_TEXT_FILE).exists():
            FullTextIndex(read_pack(folder / FULL_TEXT_FILE))
        # An older litterm made none: that is no loss, and `worth_compacting` has them made without anybody waiting.
        if (folder / RECORDS_FILE).exists():
            PackedRecords(read_pack(folder / RECORDS_FILE))
    except (LibraryError, *_READ_ERRORS):
        return False
    return True


def _published_sum(segment: Segment, name: str) -> FileChecksum | None:
    return next((file for file in segment.files if file.name == f"{INDEX_FOLDER}/{name}"), None)


def _postings(folder: Path) -> Postings:
    weights, rows, starts = (_load(folder / f"{name}.csc.index.npy") for name in ("data", "indices", "indptr"))
    return Postings(weights, rows, starts)  # type: ignore[arg-type]


def _load(path: Path) -> npt.NDArray[np.generic]:
    # A plain view: every slice of a `memmap` would pass through Python.
    array: npt.NDArray[np.generic] = np.load(path, mmap_mode="r", allow_pickle=False).view(np.ndarray)
    return array
