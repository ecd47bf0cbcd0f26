"""A real pseudo-terminal with an emulator behind it, and litterm inside."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pexpect
import pyte

from litterm.tui.input.letter_run import MAX_LETTER_GAP_S

LITTERM = (sys.executable, "-m", "litterm")
LETTER_PAUSE_S = 0.2
"""After a letter pressed alone: letters that follow each other faster are taken for typed text."""
KEYS = {"enter": "\r", "esc": "\x1b", "down": "\x1b[B", "up": "\x1b[A", "tab": "\t", "ctrl+q": "\x11", "ctrl+z": "\x1a"}


class Terminal:
    """What a person at a terminal sees and presses; every wait has an end."""

    def __init__(
        self,
        home: Path,
        *,
        command: Sequence[str] = LITTERM,
        columns: int = 120,
        rows: int = 40,
        **environ: str,
    ) -> None:
        settings = {"TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "LITTERM_HOME": str(home), **environ}
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "LITTERM_SHARED", "TMPDIR") if name in os.environ}
        self.screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self.screen)
        self.raw = b""
        self._lettered_at = 0.0
        """When the last single letter was pressed."""
        self.child = pexpect.spawn(
            command[0],
            list(command[1:]),
            env={**kept, **settings},
            dimensions=(rows, columns),
            timeout=20,
            use_poll=True,
        )

    @property
    def text(self) -> str:
        """What the screen shows now."""
        return "\n".join(self.screen.display)

    def press(self, *keys: str) -> None:
        """Named keys, or text as it is; of single letters each on its own, as a hand that gives commands does."""
        for key in keys:
            if len(key) == 1:
                # Faster ones would be taken for typed text, and asked about.
                time.sleep(max(0.0, self._lettered_at + 3 * MAX_LETTER_GAP_S - time.monotonic()))
                self._lettered_at = time.monotonic()
            self.child.send(KEYS.get(key, key))
            if len(key) == 1:
                time.sleep(LETTER_PAUSE_S)

    def until(self, wanted: str | Callable[[str], bool], *, within_s: float = 60.0) -> str:
        """Read until the screen shows `wanted`; the screen."""
        shows = wanted if callable(wanted) else lambda text: wanted in text
        end = time.monotonic() + within_s
        while not shows(self.text):
            if time.monotonic() > end or not self._read():
                raise AssertionError(f"{wanted!r} never came; the screen:\n{self.text}")
        return self.text

    def read_some(self) -> None:
        """Take what has come: a program whose output nobody reads stops in the end."""
        self._read()

    def _read(self) -> bool:
        try:
            got = self.child.read_nonblocking(65536, timeout=0.2)
        except pexpect.TIMEOUT:
            return True
        except pexpect.EOF:
            return False
        self.raw += got
        self._answer(got)
        self._stream.feed(got)
        return True

    def _answer(self, got: bytes) -> None:
        """Say where the cursor is, as a terminal does when asked."""
        if b"\x1b[6n" in got:
            before, _, _ = got.rpartition(b"\x1b[6n")
            told = before.rpartition(b"\r")[2].decode("utf-8", "replace")
            self.child.send(f"\x1b[1;{len(told) + 1}R")

    def close(self) -> None:
        """End what still runs: it may take its time to end well, and nobody waits for that here."""
        if self.child.isalive():
            self.child.kill(signal.SIGKILL)
            self.child.wait()
        self.child.close()

    def ended(self) -> int | None:
        """Wait for the end; the exit status."""
        end = time.monotonic() + 60
        while self._read() and time.monotonic() < end:
            pass
        self.child.close()
        return self.child.exitstatus
