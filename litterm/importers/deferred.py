"""Files that are parsed elsewhere, several at a time, with their records in the order of the files."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from litterm.model.library import Failure, FileEnd, FileProgress, FileStart, Parsed, ReadEvent

_MAX_FILES_AHEAD: Final = 512
_MAX_BYTES_AHEAD: Final = 128 * 2**20
"""Of files that are parsed ahead of the one whose records are wanted: they and their records lie in memory."""
_HEARTBEAT_S: Final = 0.1
"""Between two signs of life."""


class DeferredRecords(ABC):
    """The records of one file that is being parsed."""

    size: int
    """Bytes of the file."""

    @abstractmethod
    def ready(self, timeout_s: float) -> bool:
        """Whether they are there, after waiting so long at most."""

    @abstractmethod
    def records(self) -> Iterable[Parsed | Failure]:
        """All of them; what could not be read is a failure among them."""


Step = ReadEvent | DeferredRecords
"""What reading a path gives before the records of its files are waited for."""


def in_file_order(steps: Iterable[Step], origin: str) -> Iterator[ReadEvent]:
    """`steps` of reading the path `origin` with the records of all files in their places."""
    queue = _Queue(FileProgress(origin, 0, 0))
    for step in steps:
        queue.add(step)
        yield from queue.ready_steps()
    yield from queue.remaining_steps()


class _Queue:
    """Steps whose turn has not come, since a file before them is still being parsed."""

    def __init__(self, progress: FileProgress) -> None:
        self._steps: deque[Step] = deque()
        self._files = self._bytes = 0
        self._progress = progress
        self._counts: list[list[int]] = []
        """Of each open file, the papers and failures that came late: its end does not count them yet."""

    def add(self, step: Step) -> None:
        self._steps.append(step)
        if isinstance(step, DeferredRecords):
            self._files, self._bytes = self._files + 1, self._bytes + step.size

    def ready_steps(self) -> Iterator[ReadEvent]:
        """What need not be waited for, and as much more as makes room for further files."""
        while self._steps:
            first = self._steps[0]
            full = (
                self._files > _MAX_FILES_AHEAD
                or self._bytes > _MAX_BYTES_AHEAD
                or len(self._steps) > 20 * _MAX_FILES_AHEAD
            )
            if isinstance(first, DeferredRecords) and not full and not first.ready(0):
                return
            yield from self._next()

    def remaining_steps(self) -> Iterator[ReadEvent]:
        while self._steps:
            yield from self._next()

    def _next(self) -> Iterator[ReadEvent]:
        step = self._steps.popleft()
        if isinstance(step, DeferredRecords):
            yield from self._records(step)
            self._files, self._bytes = self._files - 1, self._bytes - step.size
            return
        if isinstance(step, FileStart):
            self._counts.append([0, 0])
        elif isinstance(step, FileEnd):
            papers, failures = self._counts.pop()
            step = replace(step, papers=step.papers + papers, failures=step.failures + failures)
        elif isinstance(step, FileProgress):
            self._progress = step
        yield step

    def _records(self, deferred: DeferredRecords) -> Iterator[ReadEvent]:
        while not deferred.ready(_HEARTBEAT_S):
            yield self._progress
        for record in deferred.records():
            # An archive counts what is in its members.
            for counts in self._counts:
                counts[isinstance(record, Failure)] += 1
            yield record
