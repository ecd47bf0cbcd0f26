"""Citation counts of services, in a file beside the segments: one line a paper and service, the last one holds.

The file only grows while counts are brought up to date; a torn last line is ignored, and where most lines were
replaced it is rewritten. Libraries of earlier versions have no such file, which is as if nobody had been asked.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from litterm.core.durable_files import replace_file, writing
from litterm.core.errors import LibraryError
from litterm.core.json_fields import items, text, whole, whole_or_none
from litterm.library.journal import append_lines
from litterm.library.lock import WriteLock
from litterm.model.citation_counts import COUNT_SOURCES, CountAnswer, CountSource
from litterm.model.paper import PaperId

_FILE, _LOCK = "counts.jsonl", "counts.lock"
_SMALL = 1 << 20
"""Bytes below which lines that were replaced are left in the file."""
_Told = dict[PaperId, dict[CountSource, CountAnswer]]


class FileCounts:
    """Counts that services gave, per paper and service, in `folder`; durable, safe from any thread."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = folder / _FILE
        self._swap = threading.Lock()
        self._held = _CountsRead()

    def version(self) -> object:
        """Which file, and how much is in it."""
        try:
            found = self._path.stat()
        except OSError:
            return None
        return found.st_ino, found.st_size

    def of(self, paper_id: PaperId) -> Mapping[CountSource, CountAnswer]:
        """What services said last of the paper."""
        return self._read().told.get(paper_id, {})

    def numbers(self, source: CountSource) -> Mapping[PaperId, int]:
        """Every count of one service, by paper."""
        return self._read().numbers(source)

    def keep(self, answers: Sequence[CountAnswer]) -> None:
        """Keeps answers; durable when it returns, all of them or a first part.

        Raises:
            DiskFull: they could not be written.
        """
        with writing(self._path):
            self._folder.mkdir(parents=True, exist_ok=True)
            append_lines(self._path, b"".join(map(_line, answers)))

    @contextmanager
    def writing_alone(self) -> Iterator[None]:
        """The right to write; when it is left, a file in which most lines were replaced is written anew.

        Raises:
            LibraryError: another litterm has it.
        """
        lock = WriteLock(self._folder / _LOCK)
        if not lock.try_acquire():
            raise LibraryError("Another litterm is bringing citation counts just now; wait for it, or stop it.")
        try:
            yield
            self._shorten()
        finally:
            lock.release()

    def _shorten(self) -> None:
        held = self._read()
        if held.size > _SMALL and held.size > 2 * held.live:
            replace_file(self._path, b"".join(_line(each) for told in held.told.values() for each in told.values()))

    def _read(self) -> _CountsRead:
        with self._swap:
            try:
                with self._path.open("rb") as file:
                    self._held = self._held.onward(file)
            except FileNotFoundError:
                self._held = _CountsRead()
            return self._held


class _CountsRead:
    """What the file held when it was read last; never changed once it is handed out."""

    def __init__(self, inode: int = 0, size: int = 0, told: _Told | None = None) -> None:
        self.inode = inode
        self.size = size
        """Bytes taken in; a torn last line is not."""
        self.told: _Told = told if told is not None else {}
        self._numbers: dict[CountSource, dict[PaperId, int]] = {}

    @property
    def live(self) -> int:
        """Bytes that the lines which still hold would take."""
        return sum(len(_line(each)) for told in self.told.values() for each in told.values())

    def numbers(self, source: CountSource) -> Mapping[PaperId, int]:
        """Every count of one service, by paper."""
        if source not in self._numbers:
            answers = ((paper, told[source].count) for paper, told in self.told.items() if source in told)
            self._numbers[source] = {paper: count for paper, count in answers if count is not None}
        return self._numbers[source]

    def onward(self, file: BinaryIO) -> _CountsRead:
        """This reading with what was written since; a new one where the file was written anew."""
        found = os.fstat(file.fileno())
        if found.st_ino == self.inode and found.st_size == self.size:
            return self
        known = self if found.st_ino == self.inode and found.st_size >= self.size else _CountsRead(found.st_ino)
        file.seek(known.size)
        fresh = file.read()
        whole_lines = fresh[: fresh.rfind(b"\n") + 1]
        told = dict(known.told)
        for each in filter(None, map(_answer, whole_lines.splitlines())):
            told[each.paper] = {**told.get(each.paper, {}), each.source: each}
        return _CountsRead(found.st_ino, known.size + len(whole_lines), told)


def _line(answer: CountAnswer) -> bytes:
    told = [answer.paper, answer.source, answer.date, answer.count, [list(each) for each in answer.by_year]]
    return json.dumps(told, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "backslashreplace") + b"\n"


def _answer(line: bytes) -> CountAnswer | None:
    """What a line tells; `None` if it is torn, damaged, or of a newer litterm."""
    try:
        paper, source, date, count, by_year = items(json.loads(line))
        if source not in COUNT_SOURCES or len(text(date)) != len("2026-01-01") or not text(date)[:4].isdecimal():
            return None
        years = tuple((whole(year), whole(number)) for year, number in map(items, items(by_year)))
        return CountAnswer(PaperId(text(paper)), source, text(date), whole_or_none(count), years)
    except (ValueError, TypeError, RecursionError):
        return None
