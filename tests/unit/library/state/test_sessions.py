from __future__ import annotations

from pathlib import Path

from litterm.library.state.connection import StateDatabase
from litterm.library.state.sessions import project_session


def test_a_session_is_replaced_whole(tmp_path: Path) -> None:
    state = StateDatabase(tmp_path / "deep")
    session = project_session(state, "")
    assert session.load() == {}
    for query in ("é", "half a character: \ud83d"):
        session.save({"query": query, "scroll": [["acl:P1", 3]]})
        loaded = project_session(StateDatabase(tmp_path / "deep"), "").load()
        assert loaded == {"query": query, "scroll": [["acl:P1", 3]]}
    assert project_session(state, "other").load() == {}
    assert {path.stat().st_mode & 0o777 for path in (tmp_path / "deep").iterdir()} == {0o600}


def test_a_session_that_cannot_be_read_is_empty(tmp_path: Path) -> None:
    state = StateDatabase(tmp_path)
    project_session(state, "").save({"query": "a"})
    with state.write() as connection:
        connection.execute("UPDATE session SET body = '[]'")
    assert project_session(state, "").load() == {}
    state.close()
    (tmp_path / "state.db").write_bytes(b"no database" * 1000)
    assert project_session(state, "").load() == {}
