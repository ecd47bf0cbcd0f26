"""The citation graph on disk: one line a resolved list, and its citing sentences in a file of their own.

Everything here is derived and can be made again, so nothing is ever waited for: `lists.jsonl` only grows while a
process holds the lease, readers take the lines that are whole, and a rewrite is a new file under the old name.
"""

from __future__ import annotations

import atexit
import hashlib
import json
import os
import shutil
import threading
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from litterm.citations.codec import citance_from, citance_line, list_from, list_line
from litterm.core.durable_files import replace_file, writing
from litterm.core.errors import ReadOnly
from litterm.core.json_fields import mapping, texts
from litterm.core.temporary_files import scratch_folder
from litterm.library.journal import append_lines
from litterm.library.lock import WriteLock
from litterm.model.graph import Citance, ReferenceListHead, ResolvedList

_LISTS = "lists.jsonl"
_LOCK = "graph.lock"
_SMALL = 1 << 20
"""Bytes below which lines that were replaced are left in the file."""
_Slot = tuple[str, str, str]


class FileBook:
    """Resolved reference lists in `folder`; safe from any thread. Readers never wait; who writes holds the lease."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._shipped = folder / "citances"
        """Sentences as they stand in the library, whatever becomes of this process's copy."""
        self._path = folder / _LISTS
        self._swap = threading.Lock()
        self._reading = _Reading()

    def lists(self) -> tuple[ResolvedList, ...]:
        """One a (paper, source, direction), by paper."""
        reading = self._read()
        return tuple(reading.lists[slot] for slot in sorted(reading.lists))

    def version(self) -> object:
        """Which file, and how much is in it."""
        try:
            found = self._path.stat()
        except OSError:
            return None
        return found.st_ino, found.st_size

    def lease(self) -> WriteLock | None:
        """The right to write; `None` while another process, or another thread of this one, has it.

        In a library that may only be read it is one to a copy of this process alone.
        """
        lock = WriteLock(self._folder / _LOCK)
        try:
            return lock if lock.try_acquire() else None
        except ReadOnly:
            self._move(_own_folder())
        lock = WriteLock(self._folder / _LOCK)
        return lock if lock.try_acquire() else None

    def _move(self, folder: Path) -> None:
        """From now on writes are for `folder`; what was written before is there, too."""
        with writing(folder):
            if self._path.exists():
                shutil.copy(self._path, folder / _LISTS)
        self._folder, self._path = folder, folder / _LISTS

    def begin(self, segments: frozenset[str]) -> None:
        """What is put from now on was resolved against these segments; so a kill costs one list."""
        self._append({"against": sorted(segments)})

    def put(self, resolved: ResolvedList, citances: Sequence[Citance]) -> None:
        """Keeps a list with its sentences; both are there, or neither.

        Raises:
            DiskFull: it could not be written.
        """
        path = self._sentences(resolved.head)
        if citances:
            lines = "\n".join(json.dumps(citance_line(each), ensure_ascii=False) for each in citances)
            with writing(path):
                path.parent.mkdir(parents=True, exist_ok=True)
            replace_file(path, lines.encode("utf-8", "backslashreplace"))
        self._append({"list": list_line(resolved)})

    def drop(self, head: ReferenceListHead) -> None:
        """Forgets the list; its sentences go with it."""
        self._append({"drop": list(head.slot)})
        self._sentences(head).unlink(missing_ok=True)

    def settle(self, segments: frozenset[str]) -> None:
        """Every list kept is up to date with these segments; a file grown too long is written anew here."""
        settled = {"settled": sorted(segments)}
        self._append(settled)
        reading = self._read()
        if reading.size > max(_SMALL, 4 * reading.live):
            kept = b"".join(_encoded({"list": list_line(each)}) for each in self.lists())
            replace_file(self._path, kept + _encoded(settled))

    def citances(self, resolved: ResolvedList) -> tuple[Citance, ...]:
        """The sentences kept with a list; none where their file cannot be read."""
        path = self._sentences(resolved.head)
        try:
            lines = (path if path.exists() else self._shipped / path.name).read_bytes().splitlines()
            return tuple(citance_from(mapping(json.loads(line)), resolved) for line in lines)
        except (OSError, ValueError, KeyError, TypeError):
            return ()

    def _sentences(self, head: ReferenceListHead) -> Path:
        name = hashlib.sha256("\n".join(head.slot).encode()).hexdigest()[:24]
        return self._folder / "citances" / f"{name}.jsonl"

    def _append(self, line: Mapping[str, object]) -> None:
        with writing(self._path):
            self._folder.mkdir(parents=True, exist_ok=True)
            append_lines(self._path, _encoded(line), durable=False)

    def _read(self) -> _Reading:
        with self._swap:
            try:
                with self._path.open("rb") as file:
                    self._reading = self._reading.onward(file)
            except FileNotFoundError:
                self._reading = _Reading()
            return self._reading


class _Reading:
    """What the file held when it was read last; never changed once it is handed out."""

    def __init__(self, inode: int = 0) -> None:
        self.inode = inode
        self.size = 0
        """Bytes taken in; a torn last line is not."""
        self.lists: dict[_Slot, ResolvedList] = {}
        self._against: frozenset[str] = frozenset()
        self._lengths: dict[_Slot, int] = {}

    @property
    def live(self) -> int:
        """Bytes of the lines that still count."""
        return sum(self._lengths.values())

    def onward(self, file: BinaryIO) -> _Reading:
        """This reading with what was written since; a new one where the file was written anew."""
        found = os.fstat(file.fileno())
        if found.st_ino == self.inode and found.st_size == self.size:
            return self
        known = self if found.st_ino == self.inode and found.st_size >= self.size else _Reading(found.st_ino)
        file.seek(known.size)
        fresh = file.read()
        return known._with(fresh[: fresh.rfind(b"\n") + 1])

    def _with(self, content: bytes) -> _Reading:
        after = _Reading(self.inode)
        after.size = self.size + len(content)
        after.lists, after._against, after._lengths = dict(self.lists), self._against, dict(self._lengths)
        for line in content.splitlines():
            try:
                after._take(mapping(json.loads(line)), len(line))
            except (ValueError, KeyError, TypeError):
                # Of a newer litterm, or torn: the list is missing then and is made again.
                continue
        return after

    def _take(self, told: Mapping[str, object], length: int) -> None:
        if "list" in told:
            resolved = replace(list_from(mapping(told["list"])), segments=self._against)
            self.lists[resolved.head.slot] = resolved
            self._lengths[resolved.head.slot] = length
        elif "drop" in told:
            paper, source, direction = texts(told["drop"])
            self.lists.pop((paper, source, direction), None)
            self._lengths.pop((paper, source, direction), None)
        elif "against" in told:
            self._against = frozenset(texts(told["against"]))
        elif "settled" in told:
            self._against = frozenset(texts(told["settled"]))
            self.lists = {slot: replace(each, segments=self._against) for slot, each in self.lists.items()}


def _encoded(line: Mapping[str, object]) -> bytes:
    return json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "backslashreplace") + b"\n"


def _own_folder() -> Path:
    """A folder that is gone with this process."""
    opened = ExitStack()
    atexit.register(opened.close)
    return opened.enter_context(scratch_folder())
