"""Stores the citation counts of services in a file: one line per paper and service, of which the last is valid.

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

from litterm.citations.storage.appended_file import SMALL_FILE_BYTES, encoded_line, file_version
from litterm.core.durable_files import replace_file, translate_write_errors
from litterm.core.errors import LibraryError
from litterm.core.json_fields import integer, integer_or_none, items, text
from litterm.library.journal import append_lines
from litterm.library.lock import WriteLock
from litterm.model.citations.citation_counts import COUNT_SOURCES, CountAnswer, CountSource
from litterm.model.paper import PaperId

_FILE, _LOCK_FILE = "counts.jsonl", "counts.lock"
_Answers = dict[PaperId, dict[CountSource, CountAnswer]]


class FileCounts:
    """Counts that services gave, per paper and service, in `folder`; durable, safe from any thread."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = folder / _FILE
        self._lock = threading.Lock()
        self._state = _CountsState()

    def version(self) -> object:
        """The file and its size, which change with every write."""
        return file_version(self._path)

    def counts_of(self, paper_id: PaperId) -> Mapping[CountSource, CountAnswer]:
        """The newest count of the paper by each service."""
        return self._read().answers.get(paper_id, {})

    def numbers(self, source: CountSource) -> Mapping[PaperId, int]:
        """Every count of one service, by paper."""
        return self._read().numbers(source)

    def keep(self, answers: Sequence[CountAnswer]) -> None:
        """Stores answers durably; after a crash, the first of them may be there.

        Raises:
            DiskFull: they could not be written.
        """
        with translate_write_errors(self._path):
            self._folder.mkdir(parents=True, exist_ok=True)
            # Durable, unlike the lists of references: an answer costs a request, which some services ration.
            append_lines(self._path, b"".join(map(_line, answers)))

    @contextmanager
    def lock_for_writing(self) -> Iterator[None]:
        """Holds the right to write; at its end, a file in which most lines were replaced is rewritten.

        Raises:
            LibraryError: another litterm has it.
        """
        lock = WriteLock(self._folder / _LOCK_FILE)
        if not lock.try_acquire():
            raise LibraryError("Another litterm is fetching citation counts; wait for it, or stop it.")
        try:
            yield
            self._rewrite_if_stale()
        finally:
            lock.release()

    def _rewrite_if_stale(self) -> None:
        state = self._read()
        # Half of a small file costs nothing to read; rewriting it would cost a write every time.
        if state.size > SMALL_FILE_BYTES and state.size > 2 * state.live:
            replace_file(
                self._path,
                b"".join(_line(answer) for by_source in state.answers.values() for answer in by_source.values()),
            )

    def _read(self) -> _CountsState:
        with self._lock:
            try:
                # Opened before it is looked at: the inode and the bytes are then of one file, whoever replaces it
                # meanwhile.
                with self._path.open("rb") as file:
                    self._state = self._state.read_on(file)
            except FileNotFoundError:
                self._state = _CountsState()
            return self._state


class _CountsState:
    """The contents of the file when it was last read; never changed afterwards."""

    def __init__(self, inode: int = 0, size: int = 0, answers: _Answers | None = None) -> None:
        self.inode = inode
        self.size = size
        """Bytes read, without an incomplete last line."""
        self.answers: _Answers = answers if answers is not None else {}
        self._numbers: dict[CountSource, dict[PaperId, int]] = {}

    @property
    def live(self) -> int:
        """Bytes of the lines that are still valid."""
        return sum(len(_line(answer)) for by_source in self.answers.values() for answer in by_source.values())

    def numbers(self, source: CountSource) -> Mapping[PaperId, int]:
        """Every count of one service, by paper."""
        if source not in self._numbers:
            counts = (
                (paper, by_source[source].count) for paper, by_source in self.answers.items() if source in by_source
            )
            self._numbers[source] = {paper: count for paper, count in counts if count is not None}
        return self._numbers[source]

    def read_on(self, file: BinaryIO) -> _CountsState:
        """This state with the lines written since; a new state if the file was rewritten."""
        status = os.fstat(file.fileno())
        # The inode shows whether a file was rewritten or has grown.
        if status.st_ino == self.inode and status.st_size == self.size:
            return self
        known = self if status.st_ino == self.inode and status.st_size >= self.size else _CountsState(status.st_ino)
        file.seek(known.size)
        fresh = file.read()
        whole_lines = fresh[: fresh.rfind(b"\n") + 1]
        answers = dict(known.answers)
        for answer in filter(None, map(_answer, whole_lines.splitlines())):
            # A new mapping: readers may still hold the old one.
            answers[answer.paper] = {**answers.get(answer.paper, {}), answer.source: answer}
        return _CountsState(status.st_ino, known.size + len(whole_lines), answers)


def _line(answer: CountAnswer) -> bytes:
    row = [answer.paper, answer.source, answer.date, answer.count, [list(year_count) for year_count in answer.by_year]]
    return encoded_line(row)


def _answer(line: bytes) -> CountAnswer | None:
    """The answer in a line; `None` if it is torn, damaged, or of a newer litterm."""
    try:
        paper, source, date, count, by_year = items(json.loads(line))
        # A service of a newer litterm is no error: its counts are just not read.
        if source not in COUNT_SOURCES or len(text(date)) != len("2026-01-01") or not text(date)[:4].isdecimal():
            return None
        years = tuple((integer(year), integer(number)) for year, number in map(items, items(by_year)))
        return CountAnswer(PaperId(text(paper)), source, text(date), integer_or_none(count), years)
    except (ValueError, TypeError, RecursionError):
        return None
