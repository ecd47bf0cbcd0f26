"""What is saved at the end of a process while another one is writing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from litterm.library.state import sessions
from litterm.library.state.connection import StateDatabase
from litterm.library.state.sessions import LATE_FILE, project_session


def test_a_session_is_not_lost_while_the_database_is_busy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "END_WAIT_S", 0.01)
    ending, late = project_session(StateDatabase(tmp_path), ""), tmp_path / LATE_FILE
    ending.save({"query": "before"})
    with StateDatabase(tmp_path).write():
        ending.save_at_end({"query": "at the end"})
        project_session(StateDatabase(tmp_path), "other").save_at_end({"query": "of another project"})
    assert late.stat().st_mode & 0o777 == 0o600
    next_start = project_session(StateDatabase(tmp_path), "")
    assert next_start.load() == {"query": "at the end"}
    next_start.save({"query": "the next day"})
    assert next_start.load() == {"query": "the next day"}
    assert list(json.loads(late.read_bytes())) == ["projects/other"]
    project_session(StateDatabase(tmp_path), "other").save({})
    assert not late.exists()


def test_a_damaged_file_of_late_rows_is_passed_over(tmp_path: Path) -> None:
    session = project_session(StateDatabase(tmp_path), "")
    session.save_at_end({"query": "a"})
    assert not (tmp_path / LATE_FILE).exists()
    (tmp_path / LATE_FILE).write_bytes(b'{"session": [')
    assert session.load() == {"query": "a"}
