"""A task driven in this thread: progress on stderr, and an end by signal that leaves everything sound."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import TYPE_CHECKING, Protocol, TypeVar

from litterm.errors import Stopped
from litterm.model.events import (
    Charged,
    Event,
    Filled,
    Found,
    Graded,
    Heard,
    Notice,
    Outgoing,
    Progress,
    Ranked,
    Stepped,
    Stored,
    Waiting,
)
from litterm.tasks import Task, run
from litterm.text.escape import plain

if TYPE_CHECKING:
    import rich.progress

    from litterm.cli.output import Output
    from litterm.model.llm import Spent

T = TypeVar("T")
_QUIET_S = 0.4
"""Work shorter than this shows no progress at all."""
_FIRST_LINE_S = 2.0
_LINE_EVERY_S = 5.0
_WAIT = "\0wait"


class _Meter(Protocol):
    def show(self, progress: Progress, pace: Pace) -> None: ...

    def say(self, text: str) -> None: ...

    def wait(self, why: str, left_s: float) -> None: ...

    def close(self) -> None: ...


@dataclass(slots=True)
class Pace:
    """How fast a count grows, over the whole of one kind of step."""

    clock: Callable[[], float] = time.monotonic
    what: str = ""
    started_s: float = 0.0
    first: int = 0
    rate: float = 0.0
    """Steps a second; 0 while it is not known."""
    left_s: float | None = None
    """Seconds left; `None` while it is not known."""

    def take(self, progress: Progress) -> None:
        """Reckons with one more report; another `what` starts anew."""
        now = self.clock()
        if progress.what != self.what or progress.done < self.first:
            self.what, self.started_s, self.first = progress.what, now, progress.done
        elapsed = now - self.started_s
        done = progress.done - self.first
        self.rate = done / elapsed if elapsed > 0 else 0.0
        known = self.rate > 0 and progress.total >= progress.done
        self.left_s = (progress.total - progress.done) / self.rate if known else None


def drive(task: Task[T], output: Output, *, clock: Callable[[], float] = time.monotonic) -> T:
    """`task` run to its result; ctrl+c and SIGTERM end it at its next event, a second ctrl+c at once.

    Raises:
        Stopped: the user ended it.
        SystemExit: SIGTERM or SIGHUP ended it; the status is 128 plus its number.
    """
    told = _Narrator(output, clock)
    with _signals() as received:
        try:
            return run(task, told.hear, lambda: bool(received))
        except Stopped:
            told.close()
            if received[:1] != [signal.SIGINT]:
                raise SystemExit(128 + received[0]) from None
            raise Stopped(told.stopped_words()) from None
        finally:
            told.close()


@contextmanager
def _signals() -> Iterator[list[int]]:
    """The signals that asked for an end since it was entered, in order."""
    received: list[int] = []

    def note(number: int, _frame: FrameType | None) -> None:
        if received and number == signal.SIGINT:
            raise KeyboardInterrupt
        received.append(number)

    if threading.current_thread() is not threading.main_thread():
        yield received
        return
    before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@dataclass(slots=True)
class _Narrator:
    """Hears events and tells them: bars on a terminal, else a line now and then."""

    output: Output
    clock: Callable[[], float]
    pace: Pace = field(init=False)
    meter: _Meter | None = None
    started_s: float = field(init=False)
    stored: int = 0
    charged: Spent | None = None

    def __post_init__(self) -> None:
        self.pace = Pace(self.clock)
        self.started_s = self.clock()

    def hear(self, event: Event) -> None:
        match event:
            case Progress():
                self.pace.take(event)
                if self.meter is not None or self.clock() - self.started_s >= _QUIET_S:
                    self._meter().show(event, self.pace)
            case Stored(papers=papers):
                self.stored = papers
                self._meter().say(f"stored {papers:,} papers")
            case Notice(text=text):
                self._say(text)
            case Stepped(step=step):
                from litterm.render.trajectory import step_line

                self._say(step_line(step))
            case Waiting() | Outgoing() | Charged():
                self._hear_of_model(event)
            case Ranked() | Found() | Filled() | Graded() | Heard():
                return

    def _hear_of_model(self, event: Waiting | Outgoing | Charged) -> None:
        match event:
            case Waiting(why=why, left_s=left_s):
                self._meter().wait(why, left_s)
            case Outgoing(text=text):
                self.output.data(text)
            case Charged(run=run_so_far):
                self.charged = run_so_far

    def _say(self, text: str) -> None:
        if not text:
            # A task that waits says nothing, again and again, so that it can be stopped.
            return
        if self.meter is None:
            self.output.say(text)
        else:
            self.meter.say(text)

    def _meter(self) -> _Meter:
        if self.meter is None:
            stderr = self.output.stderr
            bars = stderr is not None and stderr.isatty() and os.environ.get("TERM", "dumb") != "dumb"
            self.meter = _Bars(self.output) if bars else _Lines(self.output, self.clock)
        return self.meter

    def close(self) -> None:
        if self.meter is not None:
            self.meter.close()
            self.meter = None
        if self.charged is not None and self.charged.calls:
            from litterm.render.asking import spent_words

            self.output.say(f"asked the model: {spent_words(self.charged)}")
            self.charged = None

    def stopped_words(self) -> str:
        if self.stored:
            return f"Stopped; {self.stored:,} papers are stored, and the same command goes on from there."
        return "Stopped."


class _Lines:
    """For a log or a pipe."""

    def __init__(self, output: Output, clock: Callable[[], float]) -> None:
        self._output = output
        self._clock = clock
        self._next_s = clock() + _FIRST_LINE_S
        self._waiting = False

    def show(self, progress: Progress, pace: Pace) -> None:
        if self._clock() >= self._next_s:
            self._next_s = self._clock() + _LINE_EVERY_S
            self._output.say(progress_line(progress, pace))

    def say(self, text: str) -> None:
        self._output.say(text)

    def wait(self, why: str, left_s: float) -> None:
        # Once a wait: a countdown in a log is noise.
        if left_s > 0 and not self._waiting:
            self._output.say(wait_line(why, left_s))
        self._waiting = left_s > 0

    def close(self) -> None:
        return


def progress_line(progress: Progress, pace: Pace) -> str:
    """`importing 12,345 of 108,962, 2,100/s, 46 s left`, with what is known."""
    return f"{progress.what} {_figures(progress, pace)}"


def wait_line(why: str, left_s: float) -> str:
    """`api.example.org asks for patience: again in 12 s`."""
    return f"{why}: again in {max(1, round(left_s))} s"


def _figures(progress: Progress, pace: Pace) -> str:
    total = f" of {progress.total:,}" if progress.total else ""
    rate = f", {pace.rate:,.0f}/s" if pace.rate >= 1 else ""
    return f"{progress.done:,}{total}{rate}{_left(pace.left_s)}"


def _left(seconds: float | None) -> str:
    if seconds is None:
        return ""
    return f", {seconds:,.0f} s left" if seconds < 120 else f", {seconds / 60:,.0f} min left"


class _Bars:
    """For a terminal; rich is imported when the first bar is needed."""

    def __init__(self, output: Output) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        self._bars: rich.progress.Progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=24),
            TextColumn("{task.fields[figures]}", markup=False),
            console=Console(file=output.stderr, markup=False, highlight=False, emoji=False),
            transient=True,
            refresh_per_second=5,
        )
        self._ids: dict[str, rich.progress.TaskID] = {}
        self._bars.start()

    def show(self, progress: Progress, pace: Pace) -> None:
        if progress.what not in self._ids:
            for old in self._ids.values():
                self._bars.remove_task(old)
            self._ids = {progress.what: self._bars.add_task(plain(progress.what), total=None, figures="")}
        # Our own reckoning of the time left: a total that is itself reckoned makes that of rich start anew each time.
        figures, total = _figures(progress, pace), progress.total or None
        self._bars.update(self._ids[progress.what], completed=progress.done, total=total, figures=figures)

    def say(self, text: str) -> None:
        self._bars.console.print(plain(text), soft_wrap=True)

    def wait(self, why: str, left_s: float) -> None:
        if _WAIT not in self._ids and left_s > 0:
            self._ids[_WAIT] = self._bars.add_task("", total=None, figures="")
        if left_s > 0:
            self._bars.update(self._ids[_WAIT], description=plain(wait_line(why, left_s)))
        elif _WAIT in self._ids:
            self._bars.remove_task(self._ids.pop(_WAIT))

    def close(self) -> None:
        self._bars.stop()
