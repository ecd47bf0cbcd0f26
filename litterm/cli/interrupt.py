"""The user wants an end: signals, and what becomes of a step that does not notice."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType

GRACE_S = 0.7
"""How long a step may go on after the user has asked for its end; the longest ones are books of 30 MB."""


class StepOverdue(BaseException):
    """A step went on for too long after an end was asked for; nothing in it may take this for trouble of its own."""


@dataclass(slots=True)
class ReceivedSignals:
    """The signals that asked for an end, in order."""

    received: list[int] = field(default_factory=list)

    def note(self, number: int, _frame: FrameType | None) -> None:
        """Hears of one more; what does not end by itself soon is ended."""
        if self.received and number == signal.SIGINT:
            raise KeyboardInterrupt
        self.received.append(number)
        signal.setitimer(signal.ITIMER_REAL, GRACE_S)

    def overdue(self, _number: int, _frame: FrameType | None) -> None:
        """The time is over."""
        raise StepOverdue

    def asked(self) -> bool:
        """Whether the task is to end; from now on it may take the time it needs to close what is open."""
        if self.received:
            signal.setitimer(signal.ITIMER_REAL, 0)
        return bool(self.received)


@contextmanager
def signals() -> Iterator[ReceivedSignals]:
    """Within it, ctrl+c, SIGTERM and SIGHUP are heard by an `ReceivedSignals`; in another thread nothing changes.

    Raises:
        Overdue: from anywhere within, `GRACE_S` after a signal that nobody has asked for.
        KeyboardInterrupt: a second ctrl+c.
    """
    ending = ReceivedSignals()
    if threading.current_thread() is not threading.main_thread():
        yield ending
        return
    heard = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.signal(number, ending.note) for number in heard}
    before[signal.SIGALRM] = signal.signal(signal.SIGALRM, ending.overdue)
    try:
        yield ending
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in before.items():
            signal.signal(number, handler)
