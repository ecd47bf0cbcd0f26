"""What ends a workbench from outside: the terminal is as it was, the session kept, and no process left behind."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from pty_terminal import Terminal

from litterm.library.state.connection import StateDatabase
from litterm.library.state.sessions import project_session

pytestmark = pytest.mark.pty

ENDING = [signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT]
MODES = {
    "alternate screen": (b"\x1b[?1049h", b"\x1b[?1049l"),
    "mouse": (b"\x1b[?1000h", b"\x1b[?1000l"),
    "every movement of the mouse": (b"\x1b[?1003h", b"\x1b[?1003l"),
    "mouse in figures": (b"\x1b[?1006h", b"\x1b[?1006l"),
    "bracketed paste": (b"\x1b[?2004h", b"\x1b[?2004l"),
    "reports of the focus": (b"\x1b[?1004h", b"\x1b[?1004l"),
    "no cursor": (b"\x1b[?25l", b"\x1b[?25h"),
    "no wrapping": (b"\x1b[?7l", b"\x1b[?7h"),
}


def left_on(raw: bytes) -> list[str]:
    """What was switched on last rather than off."""
    return [name for name, (on, off) in MODES.items() if raw.rfind(on) > raw.rfind(off)]


def children(pid: int) -> list[int]:
    told = subprocess.run(["ps", "-Ao", "pid=,ppid=,stat="], capture_output=True, text=True, check=True).stdout
    rows = (line.split() for line in told.splitlines())
    return [int(row[0]) for row in rows if int(row[1]) == pid and not row[2].startswith("Z")]


def wait_for(what: Callable[[], object], within_s: float = 60.0) -> object:
    end = time.monotonic() + within_s
    while not (found := what()):
        assert time.monotonic() < end, "it never came"
        time.sleep(0.05)
    return found


def is_gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def searched(terminal: Callable[..., Terminal], query: str = "neural machine translation attention") -> Terminal:
    shown = terminal()
    shown.until("guided tour")
    shown.press(query, "enter")
    # Results come while one types: what follows must not come before the last letter and the enter.
    shown.until(lambda text: "Attention" in text and " NORMAL " in text.splitlines()[-1][:10])
    return shown


def session(home: Path) -> dict[str, object]:
    (file,) = home.rglob("state.db")
    return dict(project_session(StateDatabase(file.parent), "").load())


@pytest.mark.parametrize("number", ENDING)
def test_a_signal_ends_it_as_its_key_does(terminal, tmp_path: Path, number: signal.Signals) -> None:  # type: ignore[no-untyped-def]
    shown = searched(terminal)
    device = shown.child.child_fd
    wait_for(lambda: not termios.tcgetattr(device)[3] & termios.ECHO)
    os.kill(shown.child.pid, number)
    wait_for(lambda: (shown.read_some(), termios.tcgetattr(device)[3] & termios.ECHO)[1])
    assert shown.ended() == 128 + number
    assert left_on(shown.raw) == []
    assert b"Traceback" not in shown.raw
    assert session(tmp_path / "home")["query"] == "neural machine translation attention"


@pytest.mark.parametrize("number", ENDING)
def test_its_children_end_with_it(terminal, tmp_path: Path, number: signal.Signals) -> None:  # type: ignore[no-untyped-def]
    shown, papers = terminal(), tmp_path / "many.jsonl"
    row = '{"id": "p%d", "title": "Paper number %d on parsing", "abstract": "%s"}\n'
    # So many that the import is still going on when the screen has been read.
    papers.write_text("".join(row % (n, n, "Words on parsing. " * 60) for n in range(20_000)))
    shown.until("guided tour")
    shown.press("esc")
    # Behind an escape at once a letter would be one with alt.
    shown.until(lambda text: " NORMAL " in text.splitlines()[-1][:10])
    shown.press(":")
    shown.until("add PATH")
    shown.press(f"add {papers}")
    shown.until(papers.name)
    shown.press("enter")
    shown.until("adding")
    found = wait_for(lambda: (shown.read_some(), children(shown.child.pid))[1], within_s=60)
    os.kill(shown.child.pid, number)
    assert shown.ended() == 128 + number
    assert left_on(shown.raw) == []
    assert isinstance(found, list)
    wait_for(lambda: all(map(is_gone, found)))


def test_closing_the_terminal_ends_it(terminal, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    shown = searched(terminal)
    shown.child.ptyproc.fileobj.close()
    shown.child.ptyproc.closed = True
    wait_for(lambda: not shown.child.isalive())
    assert session(tmp_path / "home")["query"] == "neural machine translation attention"


@pytest.mark.parametrize("number", ENDING)
def test_one_that_hangs_is_ended_all_the_same(terminal, tmp_path: Path, number: signal.Signals) -> None:  # type: ignore[no-untyped-def]
    """The event loop stands still, as in a slow file system: nothing that is done in turn is ever done."""
    hanging = (
        "import time, litterm.tui.app as app; from litterm.cli.main import entry\n"
        "app.LittermApp.leave = lambda *_: time.sleep(600)\n"
        "entry()"
    )
    shown = terminal(command=[sys.executable, "-c", hanging])
    shown.until("guided tour")
    before = termios.tcgetattr(shown.child.child_fd)[3] & termios.ECHO
    assert not before
    os.kill(shown.child.pid, number)
    assert shown.ended() == 128 + number
    assert left_on(shown.raw) == []


def test_one_that_was_suspended_ends_without_touching_the_terminal(terminal, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    bash = shutil.which("bash")
    assert bash
    shown = terminal(command=[bash, "--norc", "--noprofile", "-i"], PS1="shell> ")
    shown.until("shell>")
    shown.press(f"{sys.executable} -m litterm", "enter")
    shown.until("guided tour")
    shown.press("ctrl+z")
    shown.until("Stopped")
    shown.press("kill %1", "enter")
    wait_for(lambda: (shown.read_some(), not children(shown.child.pid))[1])
    shown.press("echo said $((40 + 2))", "enter")
    shown.until("said 42")
    # Bash tells of it before a prompt, which may be this one or the next.
    shown.until("Terminated")
    shown.press("exit", "enter")
