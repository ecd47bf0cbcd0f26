"""Runs a task in this thread: shows its progress on stderr and ends it cleanly on a signal."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeVar

from litterm.cli.terminal.interrupt import StepOverdue, catch_signals
from litterm.core.errors import Stopped
from litterm.core.tasks import Task, run
from litterm.model.events import (
    AgentStepped,
    CellFilled,
    ColumnCellFilled,
    CostUpdate,
    Event,
    EvidenceFound,
    Notice,
    OutgoingRequest,
    PaperFetched,
    PaperGraded,
    PapersStored,
    Progress,
    ProvisionalRanking,
    ReplyPiece,
    WaitingForServer,
)
from litterm.render.time_left import TimeLeft, share_words
from litterm.text.escape import plain
from litterm.text.plural import count_phrase

if TYPE_CHECKING:
    import rich.progress

    from litterm.cli.terminal.output import Output
    from litterm.model.llm import ModelCost


T = TypeVar("T")
_PROGRESS_DELAY_S = 0.4
"""Work shorter than this shows no progress at all."""
# A log wants few lines: none for what is quickly done, then one every few seconds.
_FIRST_LOG_LINE_S = 2.0
_LOG_INTERVAL_S = 5.0
# Names of bars; the NUL keeps them apart from any name a task can give to its steps.
_WAIT_BAR, _DETAIL_BAR = "\0wait", "\0detail"
_MEGABYTE = 2**20
"""Bytes up to which they are counted in thousands."""


@dataclass(slots=True)
class ProgressRate:
    """Steps a second since the first report on one kind of step."""

    clock: Callable[[], float] = time.monotonic
    step_name: str = ""
    started_s: float = 0.0
    first: int = 0
    last: int = 0
    rate: float = 0.0
    """Steps a second; 0 while it is not known."""
    left_s: float | None = None
    """Seconds left; `None` while it is not known."""
    _forecast: TimeLeft = field(default_factory=TimeLeft)

    def update(self, progress: Progress) -> None:
        """Takes one more report into account; another `step_name`, or a count that starts over, resets the rate."""
        now = self.clock()
        if progress.what != self.step_name or progress.done < self.last:
            # From what there is now: a task that is continued begins at thousands, which say nothing of its pace.
            self.step_name, self.started_s, self.first = progress.what, now, progress.done
            self._forecast = TimeLeft()
        self.last = progress.done
        elapsed = now - self.started_s
        steps_done = progress.done - self.first
        self.rate = steps_done / elapsed if elapsed > 0 else 0.0
        self.left_s = self._forecast.update(progress, rate=self.rate, elapsed_s=elapsed, now_s=now)


def progress_line(progress: Progress, pace: ProgressRate) -> str:
    """`importing 12,345 of 108,962, 2,100/s, 46 s left`, with what is known."""
    return f"{progress.what} {progress_figures(progress, pace)}".rstrip()


def wait_line(reason: str, left_s: float) -> str:
    """`api.example.org asked to wait: again in 12 s`."""
    return f"{reason}: again in {max(1, round(left_s))} s"


def progress_figures(progress: Progress, pace: ProgressRate) -> str:
    """`12,345 of 108,962, 2,100/s, 46 s left`, `3.2 of 24.1 MB, 8 s left`; empty where nothing is counted."""
    if not progress.done and not progress.total:
        return ""
    if progress.unit == "bytes":
        return f"{_bytes(progress)}{_time_left(pace.left_s)}"
    return f"{share_words(progress)}{_rate(pace.rate)}{_time_left(pace.left_s)}"


def _rate(per_second: float) -> str:
    if per_second >= 1:
        return f", {per_second:,.0f}/s"
    return f", {per_second * 60:,.0f}/min" if per_second * 60 >= 1 else ""


def _bytes(progress: Progress) -> str:
    size, unit = (2**20, "MB") if max(progress.done, progress.total) >= _MEGABYTE else (2**10, "kB")
    digits = 1 if unit == "MB" else 0
    total = f" of {progress.total / size:,.{digits}f}" if progress.total else ""
    return f"{progress.done / size:,.{digits}f}{total} {unit}"


def _time_left(seconds: float | None) -> str:
    if seconds is None:
        return ""
    return f", {seconds:,.0f} s left" if seconds < 120 else f", {seconds / 60:,.0f} min left"


class _ProgressDisplay(Protocol):
    """`_BarProgress` on a terminal, else `_LogProgress`."""

    def show(self, progress: Progress, pace: ProgressRate) -> None: ...

    def detail(self, progress: Progress, pace: ProgressRate) -> None: ...

    def say(self, text: str) -> None: ...

    def wait(self, why: str, left_s: float) -> None: ...

    def close(self) -> None: ...


def run_with_progress(task: Task[T], output: Output, *, clock: Callable[[], float] = time.monotonic) -> T:
    """Runs `task` to its result; ctrl+c and SIGTERM end it at its next event, or in the middle of a long step.

    Neither damages anything: what was published stays, and unpublished files are swept later. A second ctrl+c does not
    wait.

    Raises:
        Stopped: the user ended it.
        SystemExit: SIGTERM or SIGHUP ended it; the status is 128 plus its number.
    """
    display = _EventDisplay(output, clock)
    with catch_signals() as received_signals:
        try:
            return run(task, display.on_event, received_signals.stop_requested)
        except (Stopped, StepOverdue):
            display.close()
            # The shell convention: 128 plus the signal. Ctrl+c is left to `main`, which has a sentence for it.
            if received_signals.received[:1] != [signal.SIGINT]:
                raise SystemExit(128 + received_signals.received[0]) from None
            raise Stopped(display.stopped_words()) from None
        finally:
            display.close()


@dataclass(slots=True)
class _EventDisplay:
    """Shows the events of a task: as bars on a terminal, or else as occasional lines."""

    output: Output
    clock: Callable[[], float]
    pace: ProgressRate = field(init=False)
    detail: ProgressRate = field(init=False)
    """Rate within one step (bytes of a download, say); apart, as it must not disturb the rate of the whole task."""
    meter: _ProgressDisplay | None = None
    started_s: float = field(init=False)
    stored: int = 0
    charged: ModelCost | None = None

    def __post_init__(self) -> None:
        self.pace, self.detail = ProgressRate(self.clock), ProgressRate(self.clock)
        self.started_s = self.clock()

    def on_event(self, event: Event) -> None:
        match event:
            case Progress():
                self._on_progress(event)
            case PapersStored(papers=papers):
                self.stored = papers
                self._meter().say(f"stored {count_phrase(papers, 'paper')}")
            case Notice(text=text):
                self._say(text)
            case AgentStepped(step=step):
                from litterm.render.attribution.trajectory import step_line

                self._say(step_line(step))
            case WaitingForServer() | OutgoingRequest() | CostUpdate():
                self._on_model_event(event)
            # Partial results are for the workbench; a command prints only the whole result.
            case (
                ProvisionalRanking()
                | EvidenceFound()
                | CellFilled()
                | ColumnCellFilled()
                | PaperGraded()
                | PaperFetched()
                | ReplyPiece()
            ):
                return

    def _on_progress(self, event: Progress) -> None:
        is_overall = event.unit == "steps" and bool(event.total or event.done)
        rate = self.pace if is_overall else self.detail
        rate.update(event)
        if self.meter is not None or self.clock() - self.started_s >= _PROGRESS_DELAY_S:
            meter = self._meter()
            (meter.show if is_overall else meter.detail)(event, rate)

    def _on_model_event(self, event: WaitingForServer | OutgoingRequest | CostUpdate) -> None:
        match event:
            case WaitingForServer(why=why, left_s=left_s):
                self._meter().wait(why, left_s)
            case OutgoingRequest(text=text):
                self.output.write(text)
            case CostUpdate(run=run_so_far):
                self.charged = run_so_far

    def _say(self, text: str) -> None:
        if not text:
            # A waiting task yields empty notices, so that it can be stopped between them.
            return
        if self.meter is None:
            self.output.say(text)
        else:
            self.meter.say(text)

    def _meter(self) -> _ProgressDisplay:
        if self.meter is None:
            stderr = self.output.stderr
            bars = stderr is not None and stderr.isatty() and os.environ.get("TERM", "dumb") != "dumb"
            self.meter = _BarProgress(self.output) if bars else _LogProgress(self.output, self.clock)
        return self.meter

    def close(self) -> None:
        if self.meter is not None:
            self.meter.close()
            self.meter = None
        if self.charged is not None and self.charged.calls:
            from litterm.render.cost import spent_words

            self.output.say(f"asked the model: {spent_words(self.charged)}")
            self.charged = None

    def stopped_words(self) -> str:
        if self.stored:
            verb = "is" if self.stored == 1 else "are"
            return f"Stopped; {count_phrase(self.stored, 'paper')} {verb} stored, and the same command continues."
        return "Stopped."


class _LogProgress:
    """Progress as occasional lines, for a log or a pipe."""

    def __init__(self, output: Output, clock: Callable[[], float]) -> None:
        self._output = output
        self._clock = clock
        self._next_s = clock() + _FIRST_LOG_LINE_S
        self._waiting = False
        self._overall_line = ""
        """The last line on the whole task, said beside the line on its current step."""

    def show(self, progress: Progress, pace: ProgressRate) -> None:
        self._overall_line = progress_line(progress, pace)
        self._say_throttled(self._overall_line)

    def detail(self, progress: Progress, pace: ProgressRate) -> None:
        detail_line = progress_line(progress, pace)
        self._say_throttled(f"{self._overall_line}; {detail_line}" if self._overall_line else detail_line)

    def _say_throttled(self, line: str) -> None:
        if self._clock() >= self._next_s:
            self._next_s = self._clock() + _LOG_INTERVAL_S
            self._output.say(line)

    def say(self, text: str) -> None:
        self._output.say(text)

    def wait(self, why: str, left_s: float) -> None:
        # Once a wait: a countdown in a log is noise.
        if left_s > 0 and not self._waiting:
            self._output.say(wait_line(why, left_s))
        self._waiting = left_s > 0

    def close(self) -> None:
        return


class _BarProgress:
    """Progress as bars on a terminal; rich is imported when the first bar is needed."""

    def __init__(self, output: Output) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        self._bars: rich.progress.Progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=24),
            TextColumn("{task.fields[figures]}", markup=False),
            # Titles hold brackets and colons, of which rich would make markup and emoji.
            console=Console(file=output.stderr, markup=False, highlight=False, emoji=False),
            # Gone when done: what stays on the screen is the result.
            transient=True,
            refresh_per_second=5,
        )
        self._ids: dict[str, rich.progress.TaskID] = {}
        self._bars.start()

    def show(self, progress: Progress, pace: ProgressRate) -> None:
        # A step has ended: its bytes say nothing about the next.
        self._remove_bars(_DETAIL_BAR)
        if progress.what not in self._ids:
            self._remove_bars(*self._ids)
            self._ids[progress.what] = self._bars.add_task(plain(progress.what), total=None, figures="")
        self._draw(progress.what, progress, pace)

    def detail(self, progress: Progress, pace: ProgressRate) -> None:
        """Draw the bar of the current step, below that of the whole task."""
        if _DETAIL_BAR not in self._ids:
            self._ids[_DETAIL_BAR] = self._bars.add_task("", total=None, figures="")
        self._draw(_DETAIL_BAR, progress, pace)

    def _draw(self, name: str, progress: Progress, pace: ProgressRate) -> None:
        # The time left is our own: rich starts its estimate again whenever the total changes, and ours is an estimate
        # that changes all the time.
        description, figures_text, total = (
            plain(progress.what),
            progress_figures(progress, pace),
            progress.total or None,
        )
        self._bars.update(
            self._ids[name],
            description=description,
            completed=progress.done,
            total=total,
            figures=figures_text,
        )

    def _remove_bars(self, *names: str) -> None:
        for name in names:
            if name in self._ids:
                self._bars.remove_task(self._ids.pop(name))

    def say(self, text: str) -> None:
        self._bars.console.print(plain(text), soft_wrap=True)

    def wait(self, why: str, left_s: float) -> None:
        if _WAIT_BAR not in self._ids and left_s > 0:
            self._ids[_WAIT_BAR] = self._bars.add_task("", total=None, figures="")
        if left_s > 0:
            self._bars.update(self._ids[_WAIT_BAR], description=plain(wait_line(why, left_s)))
        elif _WAIT_BAR in self._ids:
            self._bars.remove_task(self._ids.pop(_WAIT_BAR))

    def close(self) -> None:
        self._bars.stop()
