"""Decisions made by keys just before `kill -9`: what the screen shows as done is on the disk."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest

pytestmark = pytest.mark.pty


def decisions(home: Path) -> int:
    lines = [line for file in home.rglob("journal.jsonl") for line in file.read_text().splitlines() if line]
    return sum(json.loads(line)["kind"] == "desk" for line in lines)


@pytest.mark.parametrize("wanted", [1, 2, 3, 4])
def test_what_is_shown_as_done_is_on_the_disk(terminal, tmp_path: Path, wanted: int) -> None:  # type: ignore[no-untyped-def]
    """Killed at the very moment at which so many papers are shown as excluded; more may be on the disk, never fewer."""
    shown = terminal()
    shown.until("guided tour")
    shown.press("esc")
    shown.until(lambda text: " command " in text.splitlines()[-1][:10])
    shown.until("10 ")
    shown.press(*["x", "j"] * 8)
    shown.until(lambda text: text.count("×") >= wanted)
    os.kill(shown.child.pid, signal.SIGKILL)
    assert shown.ended() is None
    assert wanted <= shown.text.count("×") <= decisions(tmp_path / "home")
