"""Reads PDF files in a pool of child processes, one a core, none of which can take the import down."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from litterm.core.errors import BadInput, ChildFailed, LittermError
from litterm.core.settings.model import PdfLimits
from litterm.library.workers.process import Child
from litterm.model.library import Failure, Parsed

PdfResult = Parsed | Failure

_MAX_FILES_PER_CHILD = 50
_MAX_CHILD_MB = 512.0
"""A child that has read this many files, or has grown to this size, is replaced before the next file."""
_MAX_FILES_QUEUED = 2
"""Files sent to a child: the one being read and the next, so that it never waits for a busy caller."""
_POLL_S = 0.02
_HEARTBEAT_S = 0.1
"""Longest time between two values yielded to the caller."""
_MAX_RESULTS_AHEAD = 32
"""Results that may wait for a slow file before them before no new file is begun."""


class PdfPool:
    """Reads PDF files in child processes; fits `interfaces.PdfParser`."""

    def __init__(self, limits: PdfLimits | None = None) -> None:
        self._limits = limits or PdfLimits()

    def parse(self, paths: Iterable[Path]) -> Iterator[tuple[Path, PdfResult]]:
        """One result a path, in the order given; children live as long as the iterator."""
        return (step for step in self.parse_files(paths) if step is not None)

    def parse_files(self, paths: Iterable[Path]) -> Iterator[tuple[Path, PdfResult] | None]:
        """The same, and `None` at least every 100 ms while nothing is ready: the caller may have to be stopped."""
        run = _Run(list(paths), self._limits)
        try:
            yield from run.results()
        finally:
            run.end()


@dataclass(slots=True)
class _Worker:
    """One place in the pool, with a child while it has work."""

    child: Child | None = None
    files: int = 0
    waiting: deque[int] = field(default_factory=deque)
    """Files sent, the one under work first."""
    began_at: float = 0.0
    """When that one was begun."""
    is_worn_out: bool = False
    """Whether the child is to be replaced before it gets another file."""


class _Run:
    def __init__(self, paths: list[Path], limits: PdfLimits) -> None:
        self._paths = paths
        self._limits = limits
        self._unread = deque(range(len(paths)))
        self._results: dict[int, PdfResult] = {}
        workers = limits.workers or os.cpu_count() or 1
        self._workers = [_Worker() for _ in range(min(workers, max(1, len(paths))))]

    def results(self) -> Iterator[tuple[Path, PdfResult] | None]:
        last_sign = time.monotonic()
        for index, path in enumerate(self._paths):
            while index not in self._results:
                self._feed(index)
                self._collect()
                if time.monotonic() - last_sign > _HEARTBEAT_S:
                    yield None
                    last_sign = time.monotonic()
            self._feed(index)
            yield path, self._results.pop(index)

    def end(self) -> None:
        for worker in self._workers:
            self._release(worker, at_once=bool(worker.waiting))

    def _feed(self, next_index: int) -> None:
        """Files to children that have room, a first one each before anybody gets a second."""
        for depth in range(1, _MAX_FILES_QUEUED + 1):
            for worker in self._workers:
                if self._unread and self._unread[0] < next_index + _MAX_RESULTS_AHEAD and len(worker.waiting) < depth:
                    self._send(worker)

    def _send(self, worker: _Worker) -> None:
        if worker.is_worn_out:
            if worker.waiting:
                return
            self._release(worker, at_once=False)
        if worker.child is None:
            worker.child, worker.files, worker.is_worn_out = Child("pdf"), 0, False
        index = self._unread.popleft()
        limits = {"memory_mb": self._limits.memory_mb, "max_pages": self._limits.pages}
        if not worker.waiting:
            worker.began_at = time.monotonic()
        worker.waiting.append(index)
        worker.files += 1
        worker.is_worn_out = worker.files >= _MAX_FILES_PER_CHILD
        try:
            worker.child.ask({"path": str(self._paths[index]), **limits})
        except ChildFailed as error:
            self._fail(worker, error)

    def _collect(self) -> None:
        busy = [worker for worker in self._workers if worker.waiting]
        for worker in busy:
            child = worker.child
            assert child is not None
            try:
                reply = child.poll(_POLL_S / len(busy))
            except ChildFailed as error:
                self._fail(worker, error)
                continue
            except LittermError as error:
                self._finish(worker, self._failure(worker.waiting[0], str(error)))
                continue
            if reply is not None:
                self._accept(worker, reply.get("paper"), reply.get("peak_mb"))
            # A hostile file loops inside one call of pypdf, where no exception can reach it: only a kill does.
            elif time.monotonic() - worker.began_at > self._limits.timeout_s:
                child.kill()
                self._fail(worker, ChildFailed(f"Reading took over {self._limits.timeout_s:.0f} s and was stopped."))

    def _accept(self, worker: _Worker, paper: object, peak_mb: object) -> None:
        # Half of what adding one record takes would be the import of this.
        from litterm.importers.pdf.pdf_paper import to_parsed
        from litterm.library.workers.pdf import from_json

        path = self._paths[worker.waiting[0]]
        try:
            if not isinstance(paper, dict):
                raise ChildFailed("The PDF reader returned no paper.")
            result: PdfResult = to_parsed(from_json(paper), str(path), path.stem)
        except (ChildFailed, BadInput) as error:
            result = self._failure(worker.waiting[0], str(error))
        worker.is_worn_out = worker.is_worn_out or (isinstance(peak_mb, float) and peak_mb > _MAX_CHILD_MB)
        self._finish(worker, result)

    def _finish(self, worker: _Worker, result: PdfResult) -> None:
        self._results[worker.waiting.popleft()] = result
        worker.began_at = time.monotonic()

    def _fail(self, worker: _Worker, error: ChildFailed) -> None:
        """The child is gone: the file under work is to blame, the next one goes back in the queue."""
        failed_file = worker.waiting.popleft()
        # In front, since the caller takes results in order and waits for the oldest.
        self._unread.extendleft(reversed(worker.waiting))
        worker.waiting.clear()
        self._results[failed_file] = self._failure(failed_file, str(error))
        self._release(worker, at_once=True)

    def _failure(self, index: int, cause: str) -> Failure:
        return Failure(str(self._paths[index]), cause)

    def _release(self, worker: _Worker, *, at_once: bool) -> None:
        if worker.child is not None:
            if at_once:
                worker.child.kill()
            else:
                worker.child.close()
        worker.child = None
        worker.is_worn_out = False
