"""Append-only lines of JSON: one durable write a line, a torn last line is ignored. What the user writes lives here."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

from litterm.filesystem import lock_soon, sync_file
from litterm.store.disk import sync_folder, utc_now, writing

_FILE = "journal.jsonl"
_BLOCK = 65_536
PATIENCE_S = 10.0
"""How long another process may hold it: each needs it for the length of one write."""


class FileJournal:
    """Implements `protocols.Journal` in `<folder>/journal.jsonl`; other `*.jsonl` files there are read too, by name.

    Several processes may append at the same time: each takes the file's lock for the length of one write.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def append(self, kind: str, body: Mapping[str, object]) -> None:
        """One durable line.

        Raises:
            DiskFull: it could not be written; nothing earlier is lost.
        """
        self.append_all([(kind, body)])

    def append_all(self, entries: list[tuple[str, Mapping[str, object]]]) -> None:
        """Several lines in one write: after a crash a first part of them is there, in order.

        Raises:
            DiskFull: they could not be written.
        """
        at = utc_now()
        lines = [json.dumps({"at": at, "kind": kind, "body": body}, ensure_ascii=False) for kind, body in entries]
        path = self._folder / _FILE
        with writing(path):
            fresh = not path.exists()
            self._folder.mkdir(parents=True, exist_ok=True)
            append_lines(path, "".join(f"{line}\n" for line in lines).encode("utf-8", "backslashreplace"))
            if fresh:
                sync_folder(self._folder)

    def entries(self, since: object = None) -> Iterator[tuple[str, str, Mapping[str, object]]]:
        """Time (UTC, ISO 8601), kind and body of every line, oldest first; with `since`, of those appended after."""
        skipped = dict(since) if isinstance(since, tuple) else {}
        for path in self._paths():
            yield from _entries(path, skipped.get(path.name, 0))

    def version(self) -> object:
        """Names and sizes: files only grow."""
        return tuple((path.name, path.stat().st_size) for path in self._paths())

    def holds(self, words: Sequence[bytes]) -> bool:
        """Whether any of `words` stands anywhere in it; much faster than reading the lines."""
        contents = (path.read_bytes() for path in self._paths())
        return any(word in content for content in contents for word in words)

    def _paths(self) -> list[Path]:
        return sorted(self._folder.glob("*.jsonl"))


def append_lines(path: Path, lines: bytes, *, durable: bool = True) -> None:
    """`lines`, each ended, in one write at the end of the file; a torn line there is left alone on a line of its own.

    Without `durable` a crash of the machine may take them: for what can be made again.

    Raises:
        OSError: they could not be written; nothing of them is there then.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        if not lock_soon(descriptor, PATIENCE_S):
            raise OSError(errno.EBUSY, "another litterm has been writing to it for too long; it may be stopped")
        size = os.fstat(descriptor).st_size
        torn = size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"
        content = b"\n" + lines if torn else lines
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


def _entries(path: Path, start: int) -> Iterator[tuple[str, str, Mapping[str, object]]]:
    with path.open("rb") as file:
        file.seek(_line_start(file, start))
        content = file.read()
    for line in content.split(b"\n"):
        try:
            told = json.loads(line)
            yield told["at"], told["kind"], told["body"]
        except (ValueError, KeyError, TypeError):
            continue


def _line_start(file: BinaryIO, at: int) -> int:
    """`at`, or where the line begins in whose middle it stands: a size may be seen while a line is being written."""
    while at > 0:
        start = max(0, at - _BLOCK)
        file.seek(start)
        newline = file.read(at - start).rfind(b"\n")
        if newline >= 0:
            return start + newline + 1
        at = start
    return 0
