"""The marks of the screen in two sets, Unicode and ASCII, and the choice between them."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass

from litterm.render.aspects import state_mark
from litterm.tui.state import MarkRole

_CLOSENESS = ("strong", "medium", "weak", "none", "unclear", "failed")


@dataclass(frozen=True, slots=True)
class Glyphs:
    """One set of marks, each one cell wide, so that a layout never depends on the set."""

    ascii: bool
    proposed: str
    strong: str
    """Before a sentence that is on topic."""
    accepted: str
    hand: str
    rejected: str
    annotated: str
    """Before a sentence that is marked in a file of the paper."""
    star: str
    mine: str
    """Before the title of a paper that an import of the user's own brought."""
    open: str
    """Before the title of the paper in the reader."""
    full: str
    bar: str
    """Left of the current row or sentence."""
    gutter: str
    viewport: str
    dot: str
    """Between facts of one line."""
    ellipsis: str
    rule: str
    """Fills a pane's title line."""
    section: str
    chip_open: str
    chip_close: str
    chosen: str
    digits: str
    """Raised 0 to 9; ten blanks where there are none."""
    levels: str
    """Columns of a histogram, the lowest first."""
    closeness: str
    """How close a cell of the matrix comes, one character for each of `_CLOSENESS`."""
    both: str
    """The stance of a cell that is for and against."""

    def mark(self, role: MarkRole) -> str:
        """The mark of a sentence: strong and weak guesses and a person's decisions all differ in shape."""
        marks = {"strong": self.strong, "accepted": self.accepted, "hand": self.hand, "rejected": self.rejected}
        return marks.get(role, self.proposed)

    def gutter_mark(self, role: MarkRole) -> str:
        """The mark where such a sentence stands in the paper: a machine's guesses are smaller than decisions."""
        return {"strong": self.gutter, "proposed": self.dot}.get(role) or self.mark(role)

    def closeness_mark(self, state: str) -> str:
        """How close a cell comes to its hypothesis: a strength, or `none`, `unclear` (cannot be told) or `failed`."""
        return self.closeness[_CLOSENESS.index(state)]

    def coverage_mark(self, state: str) -> str:
        """How far a paper meets an aspect: `met`, `partly`, `not`, `muted`, `unread`, `unknown`."""
        return state_mark(state, ascii_only=self.ascii)

    def place(self, locator: str) -> str:
        """A locator with the signs the terminal can draw."""
        return locator.replace("¶", "par.").replace("§", "sec.") if self.ascii else locator

    def with_count(self, word: str, count: int) -> str:
        """A word and how often: `pruning³`."""
        if count < 2:
            return word
        raised = "".join(self.digits[int(digit)] for digit in str(count))
        return f"{word}({count})" if self.ascii else word + raised


UNICODE = Glyphs(
    ascii=False, proposed="◇", strong="◈", accepted="◆", hand="●", rejected="×", annotated="”", star="★", mine="▪",
    open="›", full="●", bar="▌", gutter="▪", viewport="▐", dot="·", ellipsis="…", rule="─", section="§",
    chip_open="⟨", chip_close="⟩", chosen="✓", digits="⁰¹²³⁴⁵⁶⁷⁸⁹", levels="▁▂▃▄▅▆▇█",
    closeness="●◐○·?!", both="±",
)  # fmt: skip
ASCII = Glyphs(
    ascii=True, proposed="?", strong="!", accepted="*", hand="+", rejected="x", annotated='"', star="^", mine="m",
    open=">", full="@", bar=">", gutter="#", viewport="|", dot="-", ellipsis="~", rule="-", section="s",
    chip_open="<", chip_close=">", chosen="+", digits="          ", levels=".:-=+*#@",
    closeness="#=o.?!", both="&",
)  # fmt: skip

_POSITION_REPORT = re.compile(rb"\x1b\[\d+;(\d+)R")
_ESCAPE_SEQUENCE = re.compile(rb"\x1b(?:\[[\d;?]*[ -/]*[@-~]|O.|.)?", re.DOTALL)
_MAX_RECEIVED_BYTES = 65_536
"""More than is typed or pasted before a screen is there."""
AMBIGUOUS_MARKS = "◇◈◆●◐○×★▌▪▐…⟨⟩✓±"
"""Marks of the Unicode set whose width differs between terminals."""


def default_glyphs(environ: Mapping[str, str]) -> Glyphs:
    """The set to use when the terminal did not answer: by TERM and locale."""
    # The console of Linux has few of these marks in its font, the others none.
    if environ.get("TERM", "") in ("", "dumb", "linux", "vt100", "vt220"):
        return ASCII
    locale = environ.get("LC_ALL") or environ.get("LC_CTYPE") or environ.get("LANG") or ""
    return UNICODE if "utf" in locale.lower() else ASCII


def choose_glyphs(ascii_only: bool | None, environ: Mapping[str, str], measured: int | None) -> Glyphs:
    """The set to use: the user's choice, else as the terminal was measured, else what is likely.

    `measured` is how many cells `AMBIGUOUS_MARKS` took; `None` if the terminal did not say.
    """
    if ascii_only is not None:
        return ASCII if ascii_only else UNICODE
    guess = default_glyphs(environ)
    # A terminal without the marks may still answer with the right width, as it counts boxes for them.
    if guess.ascii or measured is None:
        return guess
    return UNICODE if measured == len(AMBIGUOUS_MARKS) else ASCII


@dataclass(frozen=True, slots=True)
class TerminalAnswer:
    """What the terminal said before the app owned it."""

    cells: int | None = None
    """Cells that `AMBIGUOUS_MARKS` takes; `None` without an answer."""
    typed: str = ""
    """What was typed meanwhile, which comes in the same stream."""


def ask_terminal(timeout_s: float = 0.12) -> TerminalAnswer:
    """Ask for the width of the marks by a cursor-position report, only before the app owns the terminal.

    The line that was written on is cleared again.
    """
    try:
        terminal = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY)
    except OSError:
        return TerminalAnswer()
    try:
        return _read_report(_request_position(terminal, timeout_s))
    finally:
        os.close(terminal)


def _request_position(terminal: int, timeout_s: float) -> bytes:
    """What came in after a cursor-position request behind the marks at the line's start."""
    import termios
    import tty

    before, received = termios.tcgetattr(terminal), bytearray()
    try:
        # Without line editing and echo: the answer comes without a line break and must not be shown.
        tty.setcbreak(terminal, termios.TCSANOW)
        os.write(terminal, f"\r{AMBIGUOUS_MARKS}\x1b[6n".encode())
        _receive_report(terminal, timeout_s, received)
    except (OSError, termios.error):
        pass
    finally:
        os.write(terminal, b"\r\x1b[K")
        termios.tcsetattr(terminal, termios.TCSANOW, before)
    return bytes(received)


def _receive_report(terminal: int, timeout_s: float, received: bytearray) -> None:
    import select
    import time

    # The answer may come in pieces; a terminal that never answers costs `timeout_s` of the start.
    until = time.monotonic() + timeout_s
    while not _POSITION_REPORT.search(received) and len(received) < _MAX_RECEIVED_BYTES:
        remaining_s = until - time.monotonic()
        if remaining_s <= 0 or not select.select([terminal], [], [], remaining_s)[0]:
            return
        received += os.read(terminal, 1024)


def _read_report(received: bytes) -> TerminalAnswer:
    """The cells before the cursor, from `ESC [ row ; column R`, and what stands around it."""
    report = _POSITION_REPORT.search(received)
    typed = _ESCAPE_SEQUENCE.sub(b"", _POSITION_REPORT.sub(b"", received)).decode(errors="ignore")
    return TerminalAnswer(int(report.group(1)) - 1 if report else None, typed)
