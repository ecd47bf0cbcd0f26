"""What a key did just before `kill -9`: what the screen shows as done is on the disk."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from pty_terminal import Terminal

from litterm.library.state.connection import StateDatabase
from litterm.library.state.sessions import draft_decisions

pytestmark = pytest.mark.pty
CLEAR = "\x15"
"""ctrl+u: empties a field."""


def journal(home: Path) -> list[dict[str, object]]:
    lines = [line for file in home.rglob("journal.jsonl") for line in file.read_text().splitlines() if line]
    return [json.loads(line) for line in lines]


def killed(shown: Terminal, shows: Callable[[str], bool]) -> None:
    """Ends it at the very moment at which the screen first shows what `shows` looks for."""
    shown.until(shows)
    os.kill(shown.child.pid, signal.SIGKILL)
    assert shown.ended() is None


def results(terminal: Callable[..., Terminal]) -> Terminal:
    """The papers of the starter library, the cursor on the first."""
    shown = terminal()
    shown.until("guided tour")
    shown.press("esc")
    shown.until(lambda text: " NORMAL " in text.splitlines()[-1][:10])
    shown.until("10 ")
    return shown


@pytest.mark.parametrize(
    "wanted", [pytest.param(1, marks=pytest.mark.extra), 2, *(pytest.param(n, marks=pytest.mark.extra) for n in (3, 4))]
)
def test_papers_shown_as_excluded_are_excluded(terminal, tmp_path: Path, wanted: int) -> None:  # type: ignore[no-untyped-def]
    """More may be on the disk, never fewer."""
    shown = results(terminal)
    shown.press(*["x", "j"] * 8)
    killed(shown, lambda text: text.count("×") >= wanted)
    assert wanted <= shown.text.count("×") <= len(journal(tmp_path / "home"))


def test_a_star_and_what_was_taken_back_are_written(terminal, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    shown = results(terminal)
    shown.press("s")
    shown.until("★")
    assert [line["kind"] for line in journal(tmp_path / "home")] == ["desk"]
    shown.press("u")
    killed(shown, lambda text: "★" not in text)
    assert [line["kind"] for line in journal(tmp_path / "home")] == ["desk", "desk-undo"]


def test_a_note_is_written_when_its_dialog_is_gone(terminal, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    shown = results(terminal)
    shown.press("m")
    shown.until("─ note · ")
    shown.press("zebras")
    shown.until("zebras")
    shown.press("enter")
    killed(shown, lambda text: "─ note · " not in text)
    (line,) = journal(tmp_path / "home")
    assert '"zebras"' in json.dumps(line)


def test_a_mark_on_evidence_is_written_when_it_is_shown(terminal, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    shown = results(terminal)
    shown.press("2", "enter")
    shown.until("─ 3 reader · ")
    shown.press("e")
    shown.until("hypothesis")
    shown.press(CLEAR, "evidence sentences are chosen", "enter")
    shown.until("─ 4 evidence · ")
    shown.until(lambda text: "▌· 1 " in text)
    assert "◆" not in shown.text
    shown.press("n", "a")
    killed(shown, lambda text: "◆" in text)
    written = [json.dumps(line) for line in journal(tmp_path / "home")]
    assert sum('["mark", "starter:tour"' in line for line in written) == 1


def test_a_decision_about_a_cell_of_a_matrix_is_written_when_it_is_shown(terminal, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    shown = results(terminal)
    shown.press("2", "v", "j", "v", "E")
    shown.until("each becomes a column")
    shown.press(CLEAR, "evidence sentences are chosen", "enter")
    shown.until("all 2 cells")
    shown.press("a")
    killed(shown, lambda text: "◆ accepted" in text)
    (line,) = (line for line in journal(tmp_path / "home") if line["kind"] == "desk")
    assert '"accepted"' in json.dumps(line)


def test_a_decision_about_a_draft_is_written_when_it_is_shown(terminal, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    draft = tmp_path / "d.tex"
    draft.write_text("Greedy choice of sentences covers what a claim says [CITATION].\n")
    shown = results(terminal)
    shown.press(f":draft {draft}", "enter")
    shown.until("0 of 1 accepted")
    shown.until("%")
    shown.press("a")
    killed(shown, lambda text: "1 of 1 accepted" in text)
    (file,) = (tmp_path / "home").rglob("state.db")
    assert '"starter:' in json.dumps(draft_decisions(StateDatabase(file.parent)).load())
