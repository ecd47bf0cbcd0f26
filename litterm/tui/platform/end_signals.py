"""SIGTERM, SIGHUP and SIGQUIT in the workbench: it quits as by key, or is ended after restoring the terminal.

Without this the system ends the process where it is, and the shell is left in the alternate screen, with mouse
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
"""Seconds that quitting may take; a running task notices at its next event, several times a second."""
END_SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
RESTORE_SEQUENCES = (
    b"\x1b[?2004l\x1b[?7h\x1b[?2048l\x1b[?1000l\x1b[?1003l\x1b[?1015l\x1b[?1006l\x1b[?1016l\x1b[<u"
    b"\x1b[?1049l\x1b[?25h\x1b[?1004l"
)
"""Switches off what Textual switched on: paste and mouse reports, the key protocol, the alternate screen."""


class EndSignals:
    """The signals that ask the workbench to end; a context manager around all that it does to the terminal."""

    def __init__(self, grace_s: float = GRACE_S) -> None:
        self.received = 0
        """Number of the first signal; 0 for none."""
        self._grace_s = grace_s
        self._leave: Callable[[], None] | None = None
        self._handlers: dict[int, object] = {}
        self._attributes: list[object] | None = None

    def __enter__(self) -> EndSignals:
        # Before Textual changes them: this is what the shell gets back.
        self._attributes = _terminal_attributes()
        self.install_handlers()
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        # Quitting was in time: an alarm still set would end the process in the middle of its clean-up.
        signal.setitimer(signal.ITIMER_REAL, 0)
        self.restore_handlers()

    def call_on_end(self, leave: Callable[[], None]) -> None:
        """Call `leave` for a signal, also for one that came before; it must return at once."""
        # A signal may come before there is an app to leave.
        self._leave = leave
        if self.received:
            leave()

    def install_handlers(self) -> None:
        """Install the handlers, or install them again after a suspension."""
        for number in END_SIGNALS:
            # Started by `nohup`, which ignores the signal: it must stay ignored.
            if signal.getsignal(number) is not signal.SIG_IGN:
                before = signal.signal(number, self._on_signal)
                # Only the first time: after a suspension `before` may be our own handler.
                self._handlers.setdefault(number, before)
        self._handlers.setdefault(signal.SIGALRM, signal.signal(signal.SIGALRM, self._on_timeout))

    def restore_handlers(self) -> None:
        """Put the former handlers back while the process is suspended, so that a signal ends it at once.

        In the background it could not restore the terminal: the system stops a process that touches it there.
        """
        for number, handler in self._handlers.items():
            signal.signal(number, handler)  # type: ignore[arg-type]

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        # A second signal changes nothing: the deadline of the first stands.
        if self.received:
            return
        self.received = number
        signal.setitimer(signal.ITIMER_REAL, self._grace_s)
        if number == signal.SIGHUP and not _terminal_answers():
            # The terminal is gone. Textual's writer thread would end at the first failing write, and its queue fill.
            _discard_output()
        if self._leave is not None:
            self._leave()

    def _on_timeout(self, _number: int, _frame: FrameType | None) -> None:
        """End the process when quitting takes too long; every file on disk is as safe as in a power cut."""
        self._restore_terminal()
        # Not `sys.exit`, which would wait for the threads that quitting already waited for in vain.
        os._exit(128 + (self.received or signal.SIGALRM))

    def _restore_terminal(self) -> None:
        import termios

        with suppress(OSError, termios.error):
            # The terminal itself, as the standard streams may be redirected; without blocking, as it may be stopped.
            terminal = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
            os.write(terminal, RESTORE_SEQUENCES)
            if self._attributes is not None:
                termios.tcsetattr(terminal, termios.TCSANOW, self._attributes)  # type: ignore[arg-type]


def _terminal_attributes() -> list[object] | None:
    """The settings of the terminal; `None` without one."""
    import termios

    try:
        return termios.tcgetattr(0)
    except termios.error:
        return None


def _terminal_answers() -> bool:
    """Whether the terminal still exists; SIGHUP comes both when it closes and by `kill`."""
    return _terminal_attributes() is not None


def _discard_output() -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.__stdout__, sys.__stderr__):
        if stream is not None:
            os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
