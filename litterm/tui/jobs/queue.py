"""Jobs that write to the library: none replaces another, and each stays listed until it is done or dropped.

Those of one lane run one after the other, in the order in which they were asked for. Lanes run beside each other: a
synchronisation that takes hours must not keep a pasted id waiting. What they write to the library is put into a row by
the lock of its writer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from litterm.core.errors import LittermError
from litterm.core.tasks import Task
from litterm.model.annotations import UnfinishedJob
from litterm.model.events import Event
from litterm.tui.jobs.background_tasks import BackgroundTasks
from litterm.tui.state import QueuedJob

T = TypeVar("T")
LANES: Mapping[str, str] = {
    "add": "files, folders and archives into the library, and another try at what failed",
    "obtain": "records behind ids and addresses, typed or pasted",
    "fetch": "full texts",
    "counts": "how often papers are cited, as services count it",
    "encode": "vectors of papers by the user's encoder",
    "keep": "papers found online, or listed by a service",
    "sync": "collections of services",
    "write": "files of the user: bibliography, quotes, matrix",
    "watch": "watches begun, and looked at, after which what was new in them is not new any more",
}
"""What each lane is for."""
_UNLISTED_LANES = frozenset({"write", "watch"})
"""Lanes whose jobs take a moment: a finished one has had its notice and needs no row."""
_MAX_DONE_ROWS = 20
"""Finished jobs that stay listed."""


@dataclass(frozen=True, slots=True)
class JobReport:
    """The outcome of a job, as its row shows it."""

    text: str
    complete: bool = True
    """Whether nothing of it is left to be done."""


@dataclass(frozen=True, slots=True)
class JobOrder(Generic[T]):
    """A job to run, with the callbacks for its events and its end."""

    lane: str
    what: str
    task: Callable[[], Task[T]]
    done: Callable[[T], JobReport]
    """Called with the result in the thread of the screen; its report is in the row."""
    on_event: Callable[[Event], None] = lambda event: None
    failed: Callable[[LittermError], None] | None = None
    saved: UnfinishedJob | None = None
    """Enough to continue with it after a restart; without it the job ends with the process."""


class JobQueue:
    """Starts jobs when their turn comes; `rows` are the jobs that are not running."""

    def __init__(self, work: BackgroundTasks) -> None:
        self._work = work
        self._orders: dict[str, JobOrder[object]] = {}
        self._rows: dict[str, QueuedJob] = {}
        self._busy: dict[str, str] = {}
        """By lane the job whose thread lives; a stopped one may still write, so the next waits for its end."""
        self._saved: dict[str, UnfinishedJob] = {}
        self._over: set[UnfinishedJob] = set()
        self._number = 0
        self.resumers: dict[str, Callable[[UnfinishedJob], object]] = {}
        """By lane, what asks once more for a job of an earlier start; its owner enters it here."""
        self.listeners: list[Callable[[], None]] = []
        """Called when what is unfinished has changed and should be saved."""
        work.stop_listeners.append(self._on_stopped)
        work.end_listeners.append(self._on_ended)

    @property
    def rows(self) -> tuple[QueuedJob, ...]:
        """Waiting jobs, then unfinished or failed ones, then finished ones, newest first."""
        ranks = {"waiting": 0, "unfinished": 1, "failed": 1, "done": 2}
        listed_jobs = [row for row in self._rows.values() if row.state in ranks]
        listed_jobs.sort(key=lambda row: (ranks[row.state], -row.number if row.state == "done" else row.number))
        return tuple(listed_jobs)

    @property
    def waiting(self) -> bool:
        """Whether a job is still to be started, or to come to its end."""
        return bool(self._busy) or any(row.state == "waiting" for row in self._rows.values())

    @property
    def unfinished_jobs(self) -> tuple[UnfinishedJob, ...]:
        """Jobs that would be lost if the process ended now, without repeats."""
        return tuple(dict.fromkeys(self._saved[key] for key in self._rows if key in self._saved))

    def add(self, order: JobOrder[T]) -> QueuedJob | None:
        """Put a job at the end of its lane; `None` if the very same waits or runs, otherwise as it is then."""
        lane_jobs = (row for row in self._rows.values() if row.state in ("waiting", "running"))
        # What is not saved, such as a file to be written, may be asked for as often as one likes.
        if order.saved is not None and any(self._saved.get(row.key) == order.saved for row in lane_jobs):
            return None
        if order.saved is not None:
            self._drop_repeats(order.saved)
        row = self._row(order.lane, order.what, "waiting")
        self._orders[row.key] = order  # type: ignore[assignment]
        if order.saved is not None:
            self._saved[row.key] = order.saved
        self._advance(order.lane)
        self._notify_listeners()
        return self._rows[row.key]

    def waits_for(self, row: QueuedJob) -> str:
        """The job that `row` waits for first; empty if it runs."""
        if row.state != "waiting":
            return ""
        lane = [earlier for earlier in self._rows.values() if earlier.lane == row.lane and earlier.number < row.number]
        before = [earlier.what for earlier in lane if earlier.state in ("waiting", "running")]
        return before[-1] if before else ""

    def drop(self, key: str) -> None:
        """Take a waiting job out of the queue and mark it unfinished; remove any other job from the list."""
        row = self._rows.get(key)
        if row is None or row.state == "running":
            return
        if row.state == "waiting":
            self._update_row(key, state="unfinished")
        else:
            self._remove(key)
        self._notify_listeners()

    def restart(self, key: str) -> bool:
        """Continue a stopped or failed job, or the last such job of a lane; returns whether there is one."""
        unfinished = [
            row for row in self._rows.values() if row.state in ("unfinished", "failed") and key in (row.key, row.lane)
        ]
        if not unfinished:
            return False
        row = unfinished[-1]
        if row.key in self._orders:
            # With a new number it is behind those that wait already.
            self._number += 1
            self._update_row(row.key, state="waiting", report="", number=self._number)
            self._advance(row.lane)
            self._notify_listeners()
        else:
            # Left by an earlier start: of its order nothing is known but the arguments.
            saved = self._saved[row.key]
            self._remove(row.key)
            if resume := self.resumers.get(saved.lane):
                resume(saved)
        return True

    def restore(self, jobs: Sequence[UnfinishedJob]) -> None:
        """List what an earlier start left unfinished."""
        # What has ended since the session was saved must not come back as unfinished.
        known_jobs = {*self._saved.values(), *self._over}
        for job in jobs:
            if job not in known_jobs:
                self._saved[self._row(job.lane, job.what, "unfinished").key] = job
        self._work.notify()

    def _row(self, lane: str, what: str, state: str) -> QueuedJob:
        self._number += 1
        row = QueuedJob(f"{lane}#{self._number}", lane, what, state, number=self._number)  # type: ignore[arg-type]
        self._rows[row.key] = row
        return row

    def _advance(self, lane: str) -> None:
        """Start the next of a lane, unless one of it runs."""
        if lane in self._busy:
            return
        waiting = [row for row in self._rows.values() if row.lane == lane and row.state == "waiting"]
        row = min(waiting, key=lambda waiting_row: waiting_row.number, default=None)
        if row is None:
            return
        self._busy[lane] = row.key
        self._update_row(row.key, state="running")
        self._start(row.key, self._orders[row.key])

    def _start(self, key: str, order: JobOrder[object]) -> None:
        def on_done(value: object) -> None:
            report = order.done(value)
            if report.complete:
                self._finish(key, report.text)
            else:
                self._update_row(key, state="unfinished", report=report.text)

        def on_failure(error: LittermError) -> None:
            self._update_row(key, state="failed", report=str(error))
            if order.failed is None:
                self._work.show_failure(key, error)
            else:
                order.failed(error)

        self._work.start(key, order.what, order.task, on_done, on_event=order.on_event, failed=on_failure)

    def _finish(self, key: str, report: str) -> None:
        saved = self._saved.pop(key, None)
        if saved is not None:
            self._over.add(saved)
        if self._rows[key].lane in _UNLISTED_LANES:
            self._remove(key)
            return
        self._update_row(key, state="done", report=report)
        done_keys = [row.key for row in self._rows.values() if row.state == "done"]
        for old in done_keys[:-_MAX_DONE_ROWS]:
            self._remove(old)

    def _on_stopped(self, key: str) -> None:
        # The lane stays busy: the thread has only been asked to stop, and may still write.
        if key in self._rows:
            self._update_row(key, state="unfinished")
            self._notify_listeners()

    def _on_ended(self, key: str) -> None:
        """The thread of a job has ended, so the next job of its lane may write."""
        row = self._rows.get(key)
        # From the key: a job that was stopped may have been dropped from the list before its thread ended.
        lane = key.partition("#")[0]
        if self._busy.get(lane) != key:
            return
        del self._busy[lane]
        if row is not None and row.state == "running":
            # The thread ended without result or expected failure: a bug, for which the screen opens a dialog.
            self._update_row(key, state="failed")
        self._advance(lane)
        self._notify_listeners()

    def _update_row(self, key: str, **changes: object) -> None:
        if key in self._rows:
            self._rows[key] = replace(self._rows[key], **changes)  # type: ignore[arg-type]

    def _drop_repeats(self, saved: UnfinishedJob) -> None:
        """The same was left unfinished before and is asked for again."""
        for key in [key for key, job in self._saved.items() if job == saved]:
            self._remove(key)

    def _remove(self, key: str) -> None:
        for by_key in (self._rows, self._orders, self._saved):
            by_key.pop(key, None)

    def _notify_listeners(self) -> None:
        for listener in self.listeners:
            listener()
        self._work.notify()
