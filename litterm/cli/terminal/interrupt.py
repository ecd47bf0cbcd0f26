"""Signals that end a command, and an end for a step that runs on after one."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType

GRACE_S = 0.7
"""Seconds a step may run on after a signal; reading a book of 30 MB is the longest step there is."""


class StepOverdue(BaseException):
    """A step ran on for too long after a signal.

    No `Exception`: the step must not mistake it for a failure of its own and continue.
    """


@dataclass(slots=True)
class ReceivedSignals:
    """The signals received so far, in order; handlers of `catch_signals` write into it."""

    received: list[int] = field(default_factory=list)

    def record(self, number: int, _frame: FrameType | None) -> None:
        """Notes a signal and starts the timer that ends a step which does not end by itself."""
        # Somebody who presses ctrl+c a second time does not want to wait for a tidy end.
        if self.received and number == signal.SIGINT:
            raise KeyboardInterrupt
        self.received.append(number)
        signal.setitimer(signal.ITIMER_REAL, GRACE_S)

    def on_timeout(self, _number: int, _frame: FrameType | None) -> None:
        """Ends the step: `GRACE_S` has passed."""
        raise StepOverdue

    def stop_requested(self) -> bool:
        """Whether the task is to end."""
        if self.received:
            # The task has noticed: closing what is open may take as long as it needs.
            signal.setitimer(signal.ITIMER_REAL, 0)
        return bool(self.received)


@contextmanager
def catch_signals() -> Iterator[ReceivedSignals]:
    """Collects ctrl+c, SIGTERM and SIGHUP while the block runs; outside the main thread nothing changes.

    Raises:
        StepOverdue: from anywhere in the block, `GRACE_S` after a signal that no step has noticed.
        KeyboardInterrupt: a second ctrl+c.
    """
    received = ReceivedSignals()
    # Python lets only the main thread set signal handlers.
    if threading.current_thread() is not threading.main_thread():
        yield received
        return
    ending_signals = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    previous_handlers = {number: signal.signal(number, received.record) for number in ending_signals}
    previous_handlers[signal.SIGALRM] = signal.signal(signal.SIGALRM, received.on_timeout)
    try:
        yield received
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in previous_handlers.items():
            signal.signal(number, handler)
