"""The journal: JSON lines that are only appended, each in one durable write. It holds what the user decides and writes.

Each line carries its checksum; one written before there were any is taken as it is. A damaged line is left out and
reported, and the next append moves it to a file beside the journal.
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO
from zlib import crc32

from litterm.core.durable_files import sync_folder, translate_write_errors, utc_now
from litterm.core.filesystem import open_private, sync_file, try_lock

_JOURNAL_FILE = "journal.jsonl"
_BLOCK_BYTES = 65_536
_DAMAGED_FILE = "damaged.txt"
"""File next to the journal for damaged lines, as they were found."""
# With the blanks of `json.dumps`: the checksum is of the bytes before it, closed by a brace.
_CHECKSUM_MARK = b', "crc": "'
_CHECKSUM_END_BYTES = 10
"""Bytes of a checksum and the characters after it."""
_ENTRY_KEYS = frozenset(("at", "kind", "body"))
LOCK_TIMEOUT_S = 10.0
"""How long to wait for another process, which holds the lock for the length of one write."""


class FileJournal:
    """The append-only `<folder>/journal.jsonl`; other `*.jsonl` files there are read too, by name.

    Several processes may append at the same time: each takes the file's lock for the length of one write.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._damaged: dict[tuple[Path, int], bytes] = {}

    def append(self, kind: str, body: Mapping[str, object]) -> None:
        """Appends one line, durably.

        Raises:
            DiskFull: it could not be written; nothing earlier is lost.
        """
        self.append_all([(kind, body)])

    def append_all(self, entries: list[tuple[str, Mapping[str, object]]]) -> None:
        """Appends several lines in one write; after a crash, the first of them may be there, in order.

        Raises:
            DiskFull: they could not be written.
        """
        time = utc_now()
        lines = [_encode_entry({"at": time, "kind": kind, "body": body}) for kind, body in entries]
        path = self._folder / _JOURNAL_FILE
        with translate_write_errors(path):
            fresh = not path.exists()
            self._folder.mkdir(parents=True, exist_ok=True)
            append_lines(path, b"".join(lines))
            # A new file is on the disk only once its folder says so.
            if fresh:
                sync_folder(self._folder)
            # Only after the append: damage must never keep the user from writing.
            self._set_aside()

    def entries(self, since: object = None) -> Iterator[tuple[str, str, Mapping[str, object]]]:
        """Time (UTC, ISO 8601), kind and body of every line, oldest first; with `since`, of those appended after."""
        skipped = dict(since) if isinstance(since, tuple) else {}
        for path in self._paths():
            for start, line, ended in _lines(path, skipped.get(path.name, 0)):
                entry = _decode_entry(line)
                if entry is None:
                    # What is not ended may be on its way.
                    self._damaged |= {(path, start): line} if ended else {}
                else:
                    yield entry["at"], entry["kind"], entry["body"]

    def damaged_lines(self) -> tuple[str, ...]:
        """Damaged lines, which are skipped, as far as they can be read."""
        for _ in self.entries():
            continue
        try:
            damaged_lines = (self._folder / _DAMAGED_FILE).read_bytes().splitlines()
        except OSError:
            damaged_lines = []
        return tuple(line.decode("utf-8", "replace") for line in (*damaged_lines, *self._damaged.values()))

    def version(self) -> object:
        """Names and sizes of the files, which only grow: a value that changes with every write."""
        return tuple((path.name, path.stat().st_size) for path in self._paths())

    def holds(self, words: Sequence[bytes]) -> bool:
        """Whether the journal contains any of `words`; much faster than reading the lines."""
        contents = (path.read_bytes() for path in self._paths())
        return any(word in content for content in contents for word in words)

    def _set_aside(self) -> None:
        """Moves the damaged lines found so far out of the journal; blanks take their place, as files only grow."""
        damaged, self._damaged = self._damaged, {}
        if not damaged:
            return
        append_lines(self._folder / _DAMAGED_FILE, b"".join(line + b"\n" for line in damaged.values()))
        for (path, start), line in damaged.items():
            with path.open("r+b") as file:
                # Left where it is: it is passed over by readers anyway, and met again the next time.
                if not try_lock(file.fileno(), LOCK_TIMEOUT_S):
                    continue
                file.seek(start)
                # Another process may have been faster.
                if file.read(len(line)) == line:
                    file.seek(start)
                    file.write(b" " * len(line))
                    file.flush()
                    sync_file(file.fileno())

    def _paths(self) -> list[Path]:
        return sorted(self._folder.glob("*.jsonl"))


def append_lines(path: Path, lines: bytes, *, durable: bool = True) -> None:
    """Appends `lines`, each with its line end, in one write; an incomplete last line is kept apart from them.

    Without `durable` a crash of the machine may take them: for what can be made again.

    Raises:
        OSError: they could not be written; nothing of them is there then.
    """
    # Readable too, because the last byte shows whether a killed process left half a line.
    descriptor = open_private(path, os.O_RDWR | os.O_APPEND)
    try:
        if not try_lock(descriptor, LOCK_TIMEOUT_S):
            raise OSError(errno.EBUSY, "another litterm has been writing to it for too long; it may be suspended")
        size = os.fstat(descriptor).st_size
        is_cut_off = size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"
        # What a killed process left stays as a damaged line of its own, and does not swallow this one.
        content = b"\n" + lines if is_cut_off else lines
        try:
            _write_all(descriptor, content)
        except OSError:
            # Half a line must not become the start of the next one.
            os.ftruncate(descriptor, size)
            raise
        if durable:
            sync_file(descriptor)
    finally:
        os.close(descriptor)


def _write_all(descriptor: int, content: bytes) -> None:
    while content:
        content = content[os.write(descriptor, content) :]


def _encode_entry(entry: Mapping[str, object]) -> bytes:
    """`entry` as a line with its checksum."""
    # A lone surrogate has no UTF-8; as `\ud800` it is the same JSON.
    line = json.dumps(entry, ensure_ascii=False).encode("utf-8", "backslashreplace")
    return line[:-1] + _CHECKSUM_MARK + f'{crc32(line):08x}"}}\n'.encode()


def _decode_entry(line: bytes) -> dict[str, Any] | None:
    """The entry of a line; `None` if the line is damaged."""
    body, mark, end = line.rpartition(_CHECKSUM_MARK)
    if mark and len(end) == _CHECKSUM_END_BYTES and end.endswith(b'"}'):
        line = body + b"}"
        if end != f'{crc32(line):08x}"}}'.encode():
            return None
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return (
        entry if isinstance(entry, dict) and entry.keys() == _ENTRY_KEYS and isinstance(entry["body"], dict) else None
    )


def _lines(path: Path, start: int) -> Iterator[tuple[int, bytes, bool]]:
    """Offset and text of every line, and whether it has a line end; blank lines are skipped."""
    with path.open("rb") as file:
        # The size that a reader remembers may be in the middle of a line that was being written.
        start = _line_start(file, start)
        file.seek(start)
        content = file.read()
    past = start + len(content)
    for line in content.split(b"\n"):
        if line.strip():
            yield start, line, start + len(line) < past
        start += len(line) + 1


def _line_start(file: BinaryIO, offset: int) -> int:
    """`offset`, or the start of the line that it is in: a size may be read while another process writes a line."""
    while offset > 0:
        start = max(0, offset - _BLOCK_BYTES)
        file.seek(start)
        newline = file.read(offset - start).rfind(b"\n")
        if newline >= 0:
            return start + newline + 1
        offset = start
    return 0
