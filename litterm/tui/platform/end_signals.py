"""SIGTERM, SIGHUP and SIGQUIT in the workbench: it leaves as with the key for it, or is ended with the terminal mended.

Without this the system ends the process where it stands, and the shell is left in the alternate screen, with mouse
reports for input and without a cursor.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from types import FrameType, TracebackType

GRACE_S = 3.0
"""How long leaving may take: a task at work ends at its next event, several times a second."""
HEARD = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
RESTORE = (
    b"\x1b[?2004l\x1b[?7h\x1b[?2048l\x1b[?1000l\x1b[?1003l\x1b[?1015l\x1b[?1006l\x1b[?1016l\x1b[<u"
    b"\x1b[?1049l\x1b[?25h\x1b[?1004l"
)
"""No bracketed paste, wrapped lines, no mouse, the usual keys; then the first screen, with its cursor."""


class EndSignals:
    """The signals that ask the workbench to end; a context manager around all that it does to the terminal."""

    def __init__(self, grace_s: float = GRACE_S) -> None:
        self.received = 0
        """The first that came; 0: none."""
        self._grace_s = grace_s
        self._leave: Callable[[], None] | None = None
        self._handlers: dict[int, object] = {}
        self._attributes: list[object] | None = None

    def __enter__(self) -> EndSignals:
        self._attributes = _attributes()
        self.listen()
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        self.let_go()

    def tell(self, leave: Callable[[], None]) -> None:
        """From now on `leave` is called for a signal, also for one that came before; it must return at once."""
        self._leave = leave
        if self.received:
            leave()

    def listen(self) -> None:
        """Hear the signals, from now on or again."""
        for number in HEARD:
            # Whoever started this to outlive its terminal has the signal ignored.
            if signal.getsignal(number) is not signal.SIG_IGN:
                before = signal.signal(number, self._hear)
                self._handlers.setdefault(number, before)
        self._handlers.setdefault(signal.SIGALRM, signal.signal(signal.SIGALRM, self._overdue))

    def let_go(self) -> None:
        """The terminal is given back for a while: what ends the process ends it at once, as it does any other.

        In the background it could not leave by itself: it would be stopped for touching the terminal.
        """
        for number, handler in self._handlers.items():
            signal.signal(number, handler)  # type: ignore[arg-type]

    def _hear(self, number: int, _frame: FrameType | None) -> None:
        if self.received:
            return
        self.received = number
        signal.setitimer(signal.ITIMER_REAL, self._grace_s)
        if number == signal.SIGHUP and not _terminal_answers():
            # Textual's thread that writes would end at the first refusal, and its queue fill up behind it.
            _discard_output()
        if self._leave is not None:
            self._leave()

    def _overdue(self, _number: int, _frame: FrameType | None) -> None:
        """Leaving takes too long: whatever is under way is as safe as at a power cut."""
        self._restore()
        os._exit(128 + (self.received or signal.SIGALRM))

    def _restore(self) -> None:
        import termios

        with suppress(OSError, termios.error):
            terminal = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
            os.write(terminal, RESTORE)
            if self._attributes is not None:
                termios.tcsetattr(terminal, termios.TCSANOW, self._attributes)  # type: ignore[arg-type]


def _attributes() -> list[object] | None:
    """How the terminal is set now; `None` without one."""
    import termios

    try:
        return termios.tcgetattr(0)
    except termios.error:
        return None


def _terminal_answers() -> bool:
    """Whether there still is a terminal: it has been closed where SIGHUP comes from the system."""
    return _attributes() is not None


def _discard_output() -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.__stdout__, sys.__stderr__):
        if stream is not None:
            os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
