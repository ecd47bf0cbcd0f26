"""The rate of a task's progress, and the words for it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from litterm.model.events import Progress
from litterm.render.time_left import TimeLeft, share_words

_MEGABYTE = 2**20
"""Bytes up to which they are counted in thousands."""


@dataclass(slots=True)
class ProgressRate:
    """Steps a second since the first report on one kind of step."""

    clock: Callable[[], float] = time.monotonic
    what: str = ""
    started_s: float = 0.0
    first: int = 0
    last: int = 0
    rate: float = 0.0
    """Steps a second; 0 while it is not known."""
    left_s: float | None = None
    """Seconds left; `None` while it is not known."""
    _forecast: TimeLeft = field(default_factory=TimeLeft)

    def update(self, progress: Progress) -> None:
        """Takes one more report into account; another `what`, or a count that starts over, resets the rate."""
        now = self.clock()
        if progress.what != self.what or progress.done < self.last:
            # From what there is now: a task that is continued begins at thousands, which say nothing of its pace.
            self.what, self.started_s, self.first = progress.what, now, progress.done
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
