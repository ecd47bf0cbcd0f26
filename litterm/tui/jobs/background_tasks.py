"""Background tasks: each in a thread, one for each group, of which only the newest may deliver."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from threading import Lock
from time import monotonic
from typing import TypeVar

from textual.screen import Screen
from textual.worker import Worker, get_current_worker

from litterm.core.errors import LittermError, Stopped
from litterm.core.tasks import Task, run
from litterm.model.events import CostUpdate, Event, Progress, WaitingForServer
from litterm.model.llm import ModelCost
from litterm.render.time_left import TimeLeft
from litterm.tui.messages import download_words
from litterm.tui.state import UNANNOUNCED_GROUPS, Job

T = TypeVar("T")
BUG_MESSAGE = "This failed because of a bug; `.` tries again."
REPLACEABLE_GROUPS: Mapping[str, str] = {
    "open": "the library is opened once; another try takes the place of the one that failed",
    "status": "counts: only the newest are shown",
    "imports": "a list to choose from, shown anew",
    "folder": "which files of the watched folder are new: the next look is a few seconds away",
    "encoder": "how many papers have vectors: only the newest count is used",
    "home": "what home shows: only the newest is shown",
    "search": "the query has changed, and the results shown are those of the newest",
    "results": "all papers of the results, for what was pressed last",
    "facets": "counts of years, venues and types belong to the newest results",
    "online": "the query has changed, or another service is asked; nothing is stored",
    "rerank": "the order of the results shown; replies of the model are kept and asked for once",
    "citations": "reading reference lists; what was read stays, and the next goes on from there",
    "aspects": "scores of the rows shown, computed anew for others",
    "grade": "grades of the rows shown; each is kept when it comes, and asking again goes on",
    "rows": "looks ahead in the rows in sight; nobody asked for it",
    "read": "one paper is read at a time",
    "references": "the titles behind the marks of the sentence under the cursor",
    "evidence": "one hypothesis in one paper is shown; replies of the model are kept and asked for once",
    "ask": "one question is answered and shown; asked again, the same sentences come",
    "ask model": "one answer is written and shown; replies of the model are kept and asked for once",
    "answer file": "one answer is written to a file at a time; each file is replaced as a whole",
    "answer decision": "one decision is recorded at a time; the others wait their turn",
    "first sentences": "sentences below the rows of the newest results",
    "study aspects": "the aspects of the hypothesis shown; those of your own and a model's are kept when they come",
    "citing sentence": "what the sentence under the cursor says of the paper it cites; replies of a model are kept",
    "estimate": "what the question in the open dialog would cost; there is one such dialog",
    "model": "models of this machine are looked for, or one is tested; the newest choice is saved",
    "matrix": "one matrix is shown and filled; cells are kept, and one left half filled is listed as unfinished",
    "matrices": "a list to choose from, shown anew",
    "columns": "one table is shown and filled; its cells are kept, and one left half filled goes on",
    "tables": "a list of tables to choose from, shown anew",
    "cite": "one excerpt is looked at; what an agent did is kept, and it can be gone on with",
    "draft": "one draft is shown, with its marks; decisions are kept",
    "bibliography": "one bibliography is checked at a time; nothing is stored, and checking again finds the same",
    "check-draft": "the citations of the draft shown",
    "links": "one list of references is shown",
    "listing": "what services list for it; asking again brings the same",
    "first": "the papers a topic comes from: one list is shown",
    "doubts": "pairs that may be one paper: one list is shown",
    "reading-list": "one list is shown; it is kept once it is made, and the same topic asked again makes the same list",
    "gather": "the quotes to be copied; the newest press copies them all",
    "preview": "the first lines of an export: those of the newest choice are shown",
    "unsaved-text": "a text that is being typed; the newest is stored, and what it cannot store the end of typing does",
    "undo-list": "changes to choose from, shown anew",
    "settings": "choices of the screen; the newest task writes all of them",
    "copy": "the clipboard holds one thing, the newest",
    "outside": "another paper is opened outside; a viewer that has started stays",
}
"""Every group in which a new task takes the place of an older one, and why nothing is lost by that.

Work that would be lost by being replaced goes through `JobQueue`, whose lanes are in `LANES`, instead.
"""


@dataclass(slots=True)
class _CountStart:
    """Where a count began: a resumed task starts at thousands, which say nothing of its rate."""

    step_name: str
    done: int
    started_s: float
    forecast: TimeLeft = field(default_factory=TimeLeft)


class BackgroundTasks:
    """Starts and stops tasks for one screen; results come back in its thread."""

    def __init__(
        self, screen: Screen[None], on_change: Callable[[], None], on_failure: Callable[[str, LittermError], None]
    ) -> None:
        self._screen = screen
        self._on_change = on_change
        self._on_failure = on_failure
        self._tickets: dict[str, int] = {}
        self._jobs: dict[str, Job] = {}
        self._starts: dict[str, _CountStart] = {}
        self._restarts: dict[str, Callable[[], None]] = {}
        self._failed: dict[str, Callable[[LittermError], None] | None] = {}
        """What the newest task of each group does when it fails."""
        self._claims: dict[str, Lock] = {}
        """Of the newest task of each group, held by its thread once that begins or by whoever stops it before."""
        self.spent: ModelCost | None = None
        """What asking models has cost since the start; `None` before the first call."""
        self.listeners: list[Callable[[], None]] = []
        """Called whenever a job begins, moves on or ends."""
        self.stop_listeners: list[Callable[[str], None]] = []
        """Called with the group of a task that is told to stop."""
        self.end_listeners: list[Callable[[str], None]] = []
        """Called with the group of a task whose thread has come to its end, stopped or not."""

    def notify(self) -> None:
        """Notify everything that shows tasks that they have changed."""
        self._on_change()
        for listener in tuple(self.listeners):
            listener()

    @property
    def jobs(self) -> tuple[Job, ...]:
        """What runs now, by group."""
        return tuple(self._jobs.values())

    @property
    def announced_jobs(self) -> tuple[Job, ...]:
        """The running tasks that the status line shows."""
        return tuple(job for job in self._jobs.values() if job.group not in UNANNOUNCED_GROUPS)

    def start(
        self,
        group: str,
        what: str,
        task: Callable[[], Task[T]],
        done: Callable[[T], None],
        *,
        on_event: Callable[[Event], None] = lambda event: None,
        failed: Callable[[LittermError], None] | None = None,
    ) -> None:
        """Run `task` in a thread; an older one of the same group is stopped, and its results are dropped."""
        # A ticket and not the worker tells the newest: messages of the older one may be in the queue already.
        ticket = self._tickets[group] = self._tickets.get(group, 0) + 1
        self._jobs[group] = Job(group, what, since=monotonic())
        self._starts.pop(group, None)
        self._failed[group] = failed
        self._restarts[group] = lambda: self.start(group, what, task, done, on_event=on_event, failed=failed)
        call_later = self._screen.call_later

        def forward(event: Event) -> None:
            # Also handed on below: a pane may show the same progress.
            if isinstance(event, Progress | WaitingForServer | CostUpdate):
                call_later(self._record_progress, group, ticket, event)
            call_later(self.deliver, group, ticket, lambda: on_event(event))

        claim = self._claims[group] = Lock()

        # Runs in the worker thread; what it calls later is called in the thread of the screen, in this order.
        def run_in_thread() -> None:
            if not claim.acquire(blocking=False):
                return
            worker: Worker[None] = get_current_worker()
            # Anything but these two is a bug: it ends the worker with an error, of which the screen makes a dialog.
            try:
                value = run(task(), forward, lambda: worker.is_cancelled)
            except Stopped:
                return
            except LittermError as error:
                failure = error
                call_later(self.deliver, group, ticket, lambda: self._fail(group, failure, failed), is_last=True)
            else:
                call_later(self.deliver, group, ticket, lambda: done(value), is_last=True)
            finally:
                with suppress(RuntimeError):
                    # The event loop is closed already while litterm quits.
                    call_later(self._tell_end, group)

        # `exclusive` cancels the older task, which notices at its next event; what it sends until then is dropped.
        # Textual's default for `exit_on_error` would end the whole app by a bug in one task.
        self._screen.run_worker(run_in_thread, group=group, thread=True, exclusive=True, exit_on_error=False, name=what)
        self.notify()

    def _fail(self, group: str, error: LittermError, failed: Callable[[LittermError], None] | None) -> None:
        if failed is None:
            self.show_failure(group, error)
        else:
            failed(error)

    def show_failure(self, group: str, error: LittermError) -> None:
        """Show an expected failure; `.` starts the task of `group` again."""
        self._on_failure(group, error)

    def _tell_end(self, group: str) -> None:
        """Tell the listeners that the thread of a task has ended, however the task ended."""
        for listener in self.end_listeners:
            listener(group)

    def deliver(self, group: str, ticket: int, use: Callable[[], None], *, is_last: bool = False) -> None:
        """Use a result or event of a task, unless a newer one of the group has been started or it was cancelled.

        With `is_last` nothing more will come.
        """
        if ticket != self._tickets.get(group):
            return
        if is_last:
            self._jobs.pop(group, None)
        # The job is off the list before: what is delivered may start the next of the same group.
        use()
        if is_last:
            # After the delivery, so that what is shown includes it.
            self.notify()

    def _record_progress(self, group: str, ticket: int, event: Progress | WaitingForServer | CostUpdate) -> None:
        """Record how far a task is, what it waits for, and what it has cost."""
        if isinstance(event, CostUpdate):
            # Also of a task that was cancelled: it is paid for all the same.
            self.spent = event.total
            self.notify()
        elif ticket == self._tickets.get(group) and group in self._jobs:
            self._jobs[group] = self._with_progress(self._jobs[group], event)
            self.notify()

    def _with_progress(self, job: Job, event: Progress | WaitingForServer) -> Job:
        now_s = monotonic()
        if isinstance(event, WaitingForServer):
            # The pace before a wait says nothing about the time after it.
            wait_s = max(0.0, event.left_s)
            return replace(job, step=event.why if wait_s else "", since=now_s, left_s=0.0, wait_s=wait_s)
        if event.unit == "bytes":
            # Bytes belong to one step; the count of steps stays as it was.
            return replace(job, step=download_words(event), since=now_s, wait_s=0.0)
        moved = replace(job, step=event.what, since=job.since if event.what == job.step else now_s, wait_s=0.0)
        if event.total == 0 and job.total > 0:
            # A step without a count, such as waiting for a service, keeps the count shown.
            return moved
        start = self._starts.get(job.group)
        if start is None or start.step_name != event.what or event.done < start.done:
            start = self._starts[job.group] = _CountStart(event.what, event.done, now_s)
        took_s, steps = now_s - start.started_s, event.done - start.done
        rate = steps / took_s if took_s > 0 else 0.0
        left_s = start.forecast.update(event, rate=rate, elapsed_s=took_s, now_s=now_s) or 0.0
        progressed = replace(moved, done=event.done, total=event.total, estimated=event.estimated)
        return replace(progressed, rate=rate, left_s=left_s)

    def cancel(self, *groups: str) -> bool:
        """Stop the tasks of `groups` or lanes and drop their later results; returns whether any was running."""
        running = [group for group, job in self._jobs.items() if group in groups or job.lane in groups]
        for group in running:
            # A new ticket makes whatever the thread still posts outdated.
            self._tickets[group] += 1
            self._jobs.pop(group)
            # This only asks: Python cannot end a thread, which stops at its next event.
            self._screen.workers.cancel_group(self._screen, group)
            if self._claims[group].acquire(blocking=False):
                # Its thread has not begun and never will: nobody else would say that the group is free.
                self._screen.call_later(self._tell_end, group)
            for listener in self.stop_listeners:
                listener(group)
        if running:
            self.notify()
        return bool(running)

    def fail_with_bug(self, group: str) -> None:
        """Report a task of `group` that a bug has ended, like any other failure."""
        # A task that was stopped has no job any more: whoever waited was told of that.
        if self._jobs.pop(group, None) is not None and (failed := self._failed.get(group)):
            failed(LittermError(BUG_MESSAGE))
        self.notify()

    def restart(self, group: str) -> bool:
        """Start the last task of `group` again; returns whether there was one."""
        if group not in self._restarts:
            return False
        self._restarts[group]()
        return True


def count_only(task: Task[T], what: str) -> Task[T]:
    """Runs `task` and removes counts from progress events, except where their `what` begins with the one given.

    The status line has room for one count. As long as no such event has one, as in a collection that comes as one
    archive, the others keep theirs.
    """
    is_counted = False
    try:
        while True:
            event = next(task)
            if isinstance(event, Progress) and event.unit == "steps":
                is_counted = is_counted or (event.what.startswith(what) and event.done > 0)
                yield event if event.what.startswith(what) or not is_counted else Progress(event.what)
            else:
                yield event
    except StopIteration as end:
        result: T = end.value
        return result
    finally:
        # A task is cancelled by being closed, and closing this one does not reach the one it drives.
        task.close()
