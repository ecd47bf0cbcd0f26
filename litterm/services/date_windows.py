"""Splits a search of which only the first results can be reached into date windows that each hold few enough."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta

from litterm.core.tasks import Task

_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class DateWindow:
    """Days from `first` to `last`, both included."""

    first: date
    last: date

    @property
    def is_one_day(self) -> bool:
        """Whether it cannot be cut any more."""
        return self.first == self.last

    @property
    def newer_half(self) -> DateWindow:
        """The later days of it; at least one."""
        return DateWindow(self.first + (self.last - self.first) // 2 + _DAY, self.last)

    def before(self, other: DateWindow) -> DateWindow | None:
        """What of it lies before `other`; `None` if nothing does."""
        return DateWindow(self.first, other.first - _DAY) if other.first > self.first else None


def newest(whole: DateWindow, most: int, count: Callable[[DateWindow], Task[int]]) -> Task[DateWindow]:
    """The end of `whole` that holds at most `most` results, by halves; a single day may hold more."""
    # Each count is a request: halving takes about 18 of them for five centuries of days.
    span = whole
    while not span.is_one_day and (yield from count(span)) > most:
        span = span.newer_half
    return span
