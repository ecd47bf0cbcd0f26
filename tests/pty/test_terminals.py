"""The main job in real terminals: start, search, read, evidence, cite, quit."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import pytest
from pty_terminal import LITTERM, Terminal

pytestmark = pytest.mark.pty


def commanding(text: str) -> bool:
    """Whether the key line says NORMAL; while typing it only names the key that leads there."""
    return any(line.lstrip().startswith("NORMAL ") for line in text.splitlines()[-3:])


def looks(raw: bytes) -> set[bytes]:
    """Every code of colour and style that was sent."""
    return {code for group in re.findall(rb"\x1b\[([\d;]*)m", raw) for code in group.split(b";")}


def main_job(terminal: Terminal) -> None:
    """What a new user does; every step waits for its result on the screen."""
    terminal.until("guided tour")
    terminal.press("neural machine translation attention", "enter")
    terminal.until(lambda text: "results" in text and commanding(text) and "Attention" in text)
    terminal.press("enter")
    terminal.until("3 reader")
    terminal.press("e")
    terminal.until("evidence for which hypothesis?")
    terminal.press("enter")
    terminal.until("4 evidence")
    terminal.until(lambda text: re.search(r"\b(on topic|mentions)\b", text) is not None)
    terminal.press("n", "a")
    terminal.press("c")
    terminal.until("which paper is cited here?")
    terminal.press("Self-attention alone suffices for translation [CITATION].", "enter")
    terminal.until("1 ")
    terminal.press("esc")
    terminal.until("candidates")


def test_the_main_job_from_start_to_quit(terminal) -> None:  # type: ignore[no-untyped-def]
    shown = terminal()
    main_job(shown)
    shown.press("ctrl+q")
    assert shown.ended() == 0
    # The alternate screen is left and the cursor is back.
    assert b"\x1b[?1049l" in shown.raw
    assert shown.raw.rindex(b"\x1b[?25h") > shown.raw.rindex(b"\x1b[?25l")


def test_what_is_typed_before_the_screen_is_there_is_not_lost(terminal) -> None:  # type: ignore[no-untyped-def]
    shown = terminal()
    shown.press("neural machine translation", "enter")
    shown.until(lambda text: "neural machine translation" in text and "results 1/" in text)
    shown.press("ctrl+q")
    assert shown.ended() == 0


def test_a_session_is_there_again_at_the_next_start(terminal) -> None:  # type: ignore[no-untyped-def]
    first = terminal(columns=80, rows=24)
    first.until("guided tour")
    first.press("word embeddings", "enter")
    first.until(commanding)
    first.press("enter")
    first.until("3 reader")
    first.press(":", "quit", "enter")
    assert first.ended() == 0
    second = terminal(columns=80, rows=24)
    second.until("3 reader")
    second.until("word embeddings")
    second.press("ctrl+q")
    assert second.ended() == 0


@pytest.mark.parametrize("term", ["dumb", "vt100"])
def test_a_terminal_that_says_little_of_itself_gets_ascii(terminal, term: str) -> None:  # type: ignore[no-untyped-def]
    shown = terminal(TERM=term)
    main_job(shown)
    assert "┌" not in shown.text
    assert "╭" not in shown.text
    assert "◇" not in shown.text
    assert re.search(r"^\s*\+-", shown.text, re.MULTILINE)
    shown.press("ctrl+q")
    assert shown.ended() == 0


def test_in_a_c_locale_the_frames_and_marks_are_ascii(terminal) -> None:  # type: ignore[no-untyped-def]
    shown = terminal(LC_ALL="C", LANG="C")
    main_job(shown)
    assert {char for char in shown.text if ord(char) > 127} <= set("·¶§“”’‘…–—é")
    shown.press("ctrl+q")
    assert shown.ended() == 0


@pytest.mark.parametrize("term", ["xterm", "xterm-16color"])
@pytest.mark.parametrize("theme", ["litterm-dark", "high-contrast"])
def test_few_colours_are_those_of_the_terminal_and_there_is_colour(terminal, term: str, theme: str) -> None:  # type: ignore[no-untyped-def]
    shown = terminal(TERM=term, LITTERM_THEME=theme)
    shown.until("guided tour")
    assert not re.search(rb"\x1b\[[\d;]*[34]8;[25];", shown.raw)
    codes = looks(shown.raw)
    assert codes & {b"31", b"32", b"33", b"34", b"35", b"36"}
    assert not codes & {b"30", b"40"}
    shown.press("ctrl+q")
    assert shown.ended() == 0


def test_no_color_means_no_colour(terminal) -> None:  # type: ignore[no-untyped-def]
    shown = terminal(NO_COLOR="1")
    shown.until("guided tour")
    colours = re.findall(rb"[34]8;2;(\d+);(\d+);(\d+)", shown.raw)
    assert all(red == green == blue for red, green, blue in colours)
    shown.press("ctrl+q")
    assert shown.ended() == 0


@pytest.mark.parametrize("term", ["xterm", "xterm-16color"])
def test_no_color_on_a_terminal_of_few_colours_leaves_them_all_alone(terminal, term: str) -> None:  # type: ignore[no-untyped-def]
    shown = terminal(NO_COLOR="1", TERM=term)
    shown.until("guided tour")
    codes = looks(shown.raw)
    # Default colours, and what is told by weight, line or reversal.
    assert codes <= {b"", b"0", b"1", b"3", b"4", b"7", b"9", b"39", b"49"}
    assert b"7" in codes
    shown.press("ctrl+q")
    assert shown.ended() == 0


def test_a_theme_is_there_again_at_the_next_start(terminal) -> None:  # type: ignore[no-untyped-def]
    first = terminal()
    first.until("guided tour")
    first.press("ctrl+p")
    first.until("commands")
    first.press("theme litterm-light", "enter")
    first.until(lambda _: b"38;2;" in first.raw or b"38;5;" in first.raw)
    first.press("ctrl+q")
    assert first.ended() == 0
    second = terminal()
    second.until("guided tour")
    second.press("ctrl+p")
    second.until("commands")
    second.press("set", "enter")
    second.until("litterm-light")
    second.press("ctrl+q")
    assert second.ended() == 0


def test_under_tmux(terminal, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    tmux = shutil.which("tmux")
    if tmux is None:
        pytest.skip("needs tmux on PATH")
    socket = str(tmp_path / "tmux")
    shown = terminal(command=[tmux, "-S", socket, "-f", "/dev/null", "new-session", " ".join(LITTERM)])
    main_job(shown)
    shown.press("ctrl+q")
    assert shown.ended() == 0


def test_ctrl_z_gives_the_terminal_back_and_fg_the_workbench(terminal, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    bash = shutil.which("bash")
    assert bash
    shown = terminal(command=[bash, "--norc", "--noprofile", "-i"], PS1="shell> ")
    shown.until("shell>")
    shown.press(f"{sys.executable} -m litterm", "enter")
    shown.until("guided tour")
    shown.press("ctrl+z")
    shown.until("Stopped")
    shown.press("echo still $((40 + 2))", "enter")
    shown.until("still 42")
    # The screen is empty, as a terminal's own second screen is: all of the workbench has to be drawn again.
    shown.press(r"printf '\033[2J'; fg", "enter")
    shown.until("guided tour")
    shown.until("2 results")
    shown.press("ctrl+q")
    shown.until("shell>")
    shown.press("exit", "enter")


def test_without_a_terminal_it_says_what_to_do(tmp_path: Path) -> None:
    import os
    import subprocess

    environ = {**os.environ, "LITTERM_HOME": str(tmp_path)}
    done = subprocess.run(LITTERM, capture_output=True, text=True, stdin=subprocess.DEVNULL, env=environ, check=False)
    assert done.returncode == 2
    assert "terminal" in done.stderr
