"""Checksums of the files of a segment: taken when it is published, compared when a file is opened.

CRC-32 finds what disks, copies and crashes do to a file; it does not protect against changes made on purpose.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from mmap import mmap
from pathlib import Path
from zlib import crc32

from litterm.core.json_fields import integer, items
from litterm.model.library import FileChecksum

DAMAGE_FILE = "DAMAGED"
"""File in a segment's folder that names its damaged files, so that the next process need not find out again."""
CONTENT_FAULT = "does not have the checksum it was written with"
"""What is wrong with a file of the right size whose bytes differ."""
_HEADER_BYTES = 4096
_FAISS_SUFFIX = ".faiss"
_FAISS_HEADER_BYTES = 1 << 20
"""Of an index of faiss: the offsets of its groups follow their centres, and C++ uses them unchecked."""
_CHUNK_BYTES = 1 << 20


def file_sum(folder: Path, name: str, *, pause_s: float = 0.0) -> FileChecksum:
    """Size and checksums of the file `name` below `folder`, read with a pause after each megabyte.

    Raises:
        OSError: it cannot be read.
    """
    with (folder / name).open("rb") as file:
        piece = file.read(_header_length(name))
        head = crc = crc32(piece)
        size = len(piece)
        while piece := file.read(_CHUNK_BYTES):
            crc, size = crc32(piece, crc), size + len(piece)
            if pause_s:
                time.sleep(pause_s)
    return FileChecksum(name, size, crc, head)


def checksums_below(folder: Path, *, without: str) -> tuple[FileChecksum, ...]:
    """Checksums of every file below `folder` but the one named, by name."""
    names = (path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    return tuple(file_sum(folder, name) for name in sorted(names) if name not in (DAMAGE_FILE, without))


def find_fault(folder: Path, file: FileChecksum, *, full: bool = False, pause_s: float = 0.0) -> str:
    """A description of the damage to `file` below `folder`, empty if intact; only `full` reads all of it.

    It is read with a pause after each megabyte, where other work goes first.
    """
    try:
        return _compare_file(folder, file, full, pause_s)
    except FileNotFoundError:
        return "is gone"
    except OSError as error:
        return read_fault_of(error)


def find_header_fault(folder: Path, file: FileChecksum) -> str:
    """A description of the damage to the beginning of `file` below `folder`, empty if intact."""
    try:
        return _header_fault(folder / file.name, file)
    except OSError as error:
        return read_fault_of(error)


def read_fault_of(error: OSError) -> str:
    """The description of the damage to a file whose reading failed."""
    return f"cannot be read ({error.strerror or error})"


def find_faults(folder: Path, files: Iterable[FileChecksum], *, full: bool = False) -> dict[str, str]:
    """By name, what is wrong with any of `files`, those marked as damaged included."""
    known = read_damage(folder)
    faults_by_name = {file.name: known.get(file.name) or find_fault(folder, file, full=full) for file in files}
    return {name: fault for name, fault in faults_by_name.items() if fault}


def has_head(content: mmap, file: FileChecksum) -> bool:
    """Whether a mapped file begins as `file` did."""
    return crc32(content[: _header_length(file.name)]) == file.head


def files_as_json(files: Sequence[FileChecksum]) -> dict[str, list[int]]:
    """Name to size and checksums."""
    return {file.name: [file.size, file.crc, file.head] for file in files}


def files_from_json(sums_by_name: Mapping[str, object]) -> tuple[FileChecksum, ...]:
    """Names, sizes and checksums as written by `files_as_json`.

    Raises:
        TypeError, ValueError: it is something else.
    """
    return tuple(FileChecksum(name, *map(integer, items(sums))) for name, sums in sums_by_name.items())


def mark_damaged(folder: Path, damage: Mapping[str, str]) -> None:
    """Records `damage`, a description by file name, below `folder`; does nothing if that is read-only."""
    lines = {name: [fault, *_file_state(folder / name)] for name, fault in damage.items()}
    # A library that may only be read is read all the same; the next process finds the damage by itself.
    with suppress(OSError):
        (folder / DAMAGE_FILE).write_text(json.dumps(lines), "utf-8")


def read_damage(folder: Path) -> dict[str, str]:
    """By name, the recorded damage of files below `folder` that have not changed since."""
    try:
        content = (folder / DAMAGE_FILE).read_bytes()
    except OSError:
        return {}
    try:
        lines = dict(json.loads(content))
        return {name: str(fault) for name, (fault, *state) in lines.items() if state == _file_state(folder / name)}
    except (ValueError, TypeError):
        # A note that is damaged itself says nothing: the files are then looked at again.
        return {}


def clear_damage(folder: Path) -> None:
    """Removes the record of damage."""
    with suppress(OSError):
        (folder / DAMAGE_FILE).unlink()


def _compare_file(folder: Path, file: FileChecksum, full: bool, pause_s: float) -> str:
    path = folder / file.name
    size = path.stat().st_size
    if size != file.size:
        return f"has {size:,} bytes instead of {file.size:,}"
    if full:
        return "" if file_sum(folder, file.name, pause_s=pause_s).crc == file.crc else CONTENT_FAULT
    if not file.name.endswith(_FAISS_SUFFIX):
        # Whoever opens it compares the header: opening every file twice would cost a search a tenth of its time.
        return ""
    return _header_fault(path, file)


def _header_fault(path: Path, file: FileChecksum) -> str:
    with path.open("rb") as content:
        return "" if crc32(content.read(_header_length(file.name))) == file.head else "has a damaged header"


def _header_length(name: str) -> int:
    return _FAISS_HEADER_BYTES if name.endswith(_FAISS_SUFFIX) else _HEADER_BYTES


def _file_state(path: Path) -> list[int]:
    """Size and time of change: whether a file was replaced since it was marked, without reading it."""
    try:
        status = path.stat()
    except OSError:
        return []
    return [status.st_size, status.st_mtime_ns]
