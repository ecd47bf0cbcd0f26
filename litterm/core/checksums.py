"""Checksums of files that never change: taken when they are published, compared when they are opened.

CRC-32 finds what disks, copies and crashes do to a file; it is no protection against anybody.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from mmap import mmap
from pathlib import Path
from zlib import crc32

from litterm.model.library import FileSum

MARK = "DAMAGED"
"""In a segment's folder: files that were found damaged, so that the next process need not find out again."""
_HEAD = 4096
_BELIEVED = ".faiss"
_LONG_HEAD = 1 << 20
"""Of an index of faiss: where its groups begin stands behind their centres, and it is C++ that believes it."""
_CHUNK = 1 << 20


def file_sum(folder: Path, name: str) -> FileSum:
    """Size and checksums of the file `name` below `folder`.

    Raises:
        OSError: it cannot be read.
    """
    with (folder / name).open("rb") as file:
        piece = file.read(_head_of(name))
        head = crc = crc32(piece)
        size = len(piece)
        while piece := file.read(_CHUNK):
            crc, size = crc32(piece, crc), size + len(piece)
    return FileSum(name, size, crc, head)


def sums_below(folder: Path, *, without: str) -> tuple[FileSum, ...]:
    """Those of every file below `folder` but the one named, by name."""
    names = (path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    return tuple(file_sum(folder, name) for name in sorted(names) if name not in (MARK, without))


def fault_of(folder: Path, file: FileSum, *, full: bool = False) -> str:
    """What is wrong with `file` below `folder`; empty if nothing. Without `full` it is not read, but for a header."""
    try:
        return _differing(folder, file, full)
    except FileNotFoundError:
        return "is gone"
    except OSError as error:
        return f"cannot be read ({error.strerror or error})"


def faults(folder: Path, files: Iterable[FileSum], *, full: bool = False) -> dict[str, str]:
    """By name, what is wrong with any of `files`, those marked as damaged included."""
    known = marked(folder)
    found = {file.name: known.get(file.name) or fault_of(folder, file, full=full) for file in files}
    return {name: fault for name, fault in found.items() if fault}


def has_head(content: mmap, file: FileSum) -> bool:
    """Whether a mapped file begins as `file` did."""
    return crc32(content[: _head_of(file.name)]) == file.head


def mark_damaged(folder: Path, found: Mapping[str, str]) -> None:
    """Notes what is wrong with files below `folder`, as they are now; does nothing where that cannot be written."""
    lines = {name: [fault, *_state(folder / name)] for name, fault in found.items()}
    with suppress(OSError):
        (folder / MARK).write_text(json.dumps(lines), "utf-8")


def marked(folder: Path) -> dict[str, str]:
    """What was noted about files below `folder` that have not been changed since."""
    try:
        content = (folder / MARK).read_bytes()
    except OSError:
        return {}
    try:
        lines = dict(json.loads(content))
        return {name: str(fault) for name, (fault, *state) in lines.items() if state == _state(folder / name)}
    except (ValueError, TypeError):
        return {}


def unmark(folder: Path, keep: Collection[str] = ()) -> None:
    """Takes the note away, unless it is about one of `keep`."""
    if not marked(folder).keys() & set(keep):
        with suppress(OSError):
            (folder / MARK).unlink()


def _differing(folder: Path, file: FileSum, full: bool) -> str:
    path = folder / file.name
    size = path.stat().st_size
    if size != file.size:
        return f"has {size:,} bytes instead of {file.size:,}"
    if full:
        return "" if file_sum(folder, file.name).crc == file.crc else "does not have the checksum it was written with"
    if not file.name.endswith(_BELIEVED):
        # Whoever opens it compares the header: opening every file twice would cost a search a tenth of its time.
        return ""
    with path.open("rb") as content:
        return "" if crc32(content.read(_head_of(file.name))) == file.head else "has a damaged header"


def _head_of(name: str) -> int:
    return _LONG_HEAD if name.endswith(_BELIEVED) else _HEAD


def _state(path: Path) -> list[int]:
    try:
        found = path.stat()
    except OSError:
        return []
    return [found.st_size, found.st_mtime_ns]
