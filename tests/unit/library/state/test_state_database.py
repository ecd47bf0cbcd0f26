"""`state.db`: opened lazily, shared by processes, read where it cannot be written, and refused where it is not ours."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from state_writers import other_writer

from litterm.core.errors import DatabaseDamaged, LibraryTooNew, ReadOnly, StateBusy
from litterm.core.filesystem import is_on_network
from litterm.library.state import connection as state_module
from litterm.library.state.connection import STATE_FILE, STATE_VERSION, StateDatabase


def put(state: StateDatabase, name: str) -> None:
    with state.write() as connection:
        connection.execute("INSERT INTO session VALUES (?, '{}')", (name,))


def names(state: StateDatabase) -> list[str]:
    with state.read() as connection:
        return [name for (name,) in connection.execute("SELECT name FROM session ORDER BY name")]


@pytest.fixture
def state(tmp_path: Path) -> Iterator[StateDatabase]:
    database = StateDatabase(tmp_path / "library")
    yield database
    database.close()


def test_reading_makes_no_file_and_the_first_write_does(state: StateDatabase) -> None:
    assert names(state) == [] and state.version() is None
    assert not state.root.exists()
    put(state, "a")
    assert names(state) == ["a"] == names(StateDatabase(state.root))
    assert state.path.stat().st_mode & 0o777 == 0o600


def test_a_transaction_that_fails_leaves_nothing(state: StateDatabase) -> None:
    put(state, "a")
    with pytest.raises(ZeroDivisionError), state.write() as connection:
        connection.execute("INSERT INTO session VALUES ('b', '{}')")
        _ = 1 / 0
    assert names(state) == ["a"]
    put(state, "c")
    assert names(state) == ["a", "c"]


def test_a_reader_sees_one_state_from_its_begin_to_its_end(state: StateDatabase) -> None:
    put(state, "a")
    with state.read() as connection:
        before = connection.execute("SELECT count(*) FROM session").fetchone()
        put(state, "b")
        assert connection.execute("SELECT count(*) FROM session").fetchone() == before == (1,)
    assert names(state) == ["a", "b"]


def test_the_version_changes_with_what_any_connection_writes(state: StateDatabase) -> None:
    put(state, "a")
    first = state.version()
    assert first == state.version()
    put(state, "b")
    second = state.version()
    put(StateDatabase(state.root), "c")
    assert len({first, second, state.version()}) == 3


def test_reading_never_waits_for_the_transaction_of_another_process(state: StateDatabase) -> None:
    put(state, "a")
    with other_writer(state.root):
        start = time.monotonic()
        assert names(state) == ["a"]
        assert time.monotonic() - start < 0.5


def test_a_write_waits_no_longer_than_it_may_and_says_why(state: StateDatabase) -> None:
    put(state, "a")
    with other_writer(state.root):
        start = time.monotonic()
        with pytest.raises(StateBusy, match=r"Another litterm is writing to .*state\.db"), state.write(0.1):
            pass
        assert time.monotonic() - start < 5.0
    put(state, "b")
    assert names(state) == ["a", "b"]


def test_what_another_process_was_writing_when_it_was_killed_is_not_there(state: StateDatabase) -> None:
    put(state, "a")
    with other_writer(state.root) as process:
        process.send_signal(signal.SIGKILL)
        process.wait()
        put(state, "b")
    assert names(state) == ["a", "b"]


def test_processes_and_threads_that_write_at_once_lose_nothing(state: StateDatabase) -> None:
    code = """
import sys
from pathlib import Path
from litterm.library.state.connection import StateDatabase
state = StateDatabase(Path(sys.argv[1]))
for number in range(20):
    with state.write() as connection:
        connection.execute("INSERT INTO session VALUES (?, '{}')", (f"{sys.argv[2]}.{number}",))
"""
    # The file does not exist yet: whoever is first makes it.
    processes = [subprocess.Popen([sys.executable, "-c", code, str(state.root), name]) for name in "ab"]
    threads = [
        threading.Thread(target=lambda name=name: [put(state, f"{name}.{number}") for number in range(20)])  # type: ignore[misc]
        for name in "cd"
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [process.wait() for process in processes] == [0, 0]
    assert names(state) == sorted(f"{name}.{number}" for name in "abcd" for number in range(20))


ENDING_WRITER = """
import gc, sys
from pathlib import Path
from litterm.library.state.connection import StateDatabase
states = [StateDatabase(Path(sys.argv[1])) for _ in range(2)]
for number, state in enumerate(states):
    with state.write() as connection:
        connection.execute("INSERT INTO session VALUES (?, ?)", (f"end.{number}", "x" * 100_000))
    # In a cycle, as in an engine, and as `litterm` ends: nothing but the end of the process closes them.
    state.itself = state
gc.freeze()
raise SystemExit(0)
"""


def run_writer_to_its_end(state: StateDatabase) -> float:
    """Seconds that a process took that wrote and ended with its connections open."""
    start = time.monotonic()
    subprocess.run([sys.executable, "-c", ENDING_WRITER, str(state.root)], check=True, timeout=60)
    return time.monotonic() - start


def log_size(state: StateDatabase) -> int:
    log = state.path.with_name(f"{STATE_FILE}-wal")
    return log.stat().st_size if log.exists() else 0


def test_a_process_that_wrote_leaves_an_empty_log_though_another_has_the_file_open(state: StateDatabase) -> None:
    put(state, "a")
    # Idle, and without it the last to close would empty the log anyway.
    assert log_size(state) > 0
    run_writer_to_its_end(state)
    assert log_size(state) == 0
    assert names(state) == ["a", "end.0", "end.1"]


def test_a_process_that_wrote_ends_at_once_while_another_reads(state: StateDatabase) -> None:
    put(state, "a")
    with state.read() as connection:
        connection.execute("SELECT count(*) FROM session").fetchone()
        assert run_writer_to_its_end(state) < 5.0
        # What the reader sees must stay where it is.
        assert connection.execute("SELECT count(*) FROM session").fetchone() == (1,)
        assert log_size(state) > 0
    assert names(state) == ["a", "end.0", "end.1"]
    state.close()
    assert log_size(state) == 0


def read_only_copy(state: StateDatabase, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the library as it is on disk now, which this process cannot write to."""
    shutil.copytree(state.root, folder, ignore=shutil.ignore_patterns("*-shm"))
    monkeypatch.setattr(os, "access", lambda path, mode: not (mode & os.W_OK))
    connect = state_module._connect

    def connect_without_rights(address: str) -> sqlite3.Connection:
        # For root the rights of files do not count: this is what SQLite reports to anybody else.
        if str(folder) in address and "immutable" not in address:
            raise sqlite3.OperationalError("unable to open database file")
        return connect(address)

    monkeypatch.setattr(state_module, "_connect", connect_without_rights)
    return folder


@pytest.mark.parametrize("closed", [True, False])
def test_a_read_only_library_shows_all_that_was_written(
    state: StateDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, closed: bool
) -> None:
    put(state, "a")
    if closed:
        state.close()
    copy = StateDatabase(read_only_copy(state, tmp_path / "copy", monkeypatch))
    before = sorted(path.name for path in copy.root.iterdir())
    assert before == ([STATE_FILE] if closed else [STATE_FILE, f"{STATE_FILE}-wal"])
    assert names(copy) == ["a"] == names(copy)
    with pytest.raises(ReadOnly, match=r"Cannot write .*: the library is read-only"):
        put(copy, "b")
    assert sorted(path.name for path in copy.root.iterdir()) == before
    copy.close()


def test_a_library_on_a_read_only_mount_is_read(state: StateDatabase) -> None:
    put(state, "a")
    state.close()
    folder = state.root
    code = """
import sys
from pathlib import Path
from litterm.library.state.connection import StateDatabase
with StateDatabase(Path(sys.argv[1])).read() as connection:
    print([name for name, in connection.execute("SELECT name FROM session")])
"""
    mount = f'mount --bind "{folder}" "{folder}" && mount -o remount,bind,ro "{folder}" && exec "$@"'
    prefix = ["unshare", "-m", "sh", "-c", mount, "sh"]
    if shutil.which("unshare") is None or subprocess.run([*prefix, "true"], capture_output=True).returncode:
        pytest.skip("needs mount namespaces")
    done = subprocess.run([*prefix, sys.executable, "-c", code, str(folder)], capture_output=True, text=True)
    assert done.stdout == "['a']\n", done.stderr


def test_a_newer_version_is_refused_and_not_touched(state: StateDatabase) -> None:
    put(state, "a")
    state.close()
    with sqlite3.connect(state.path) as newer:
        newer.execute(f"PRAGMA user_version = {STATE_VERSION + 1}")
    newer.close()
    content = state.path.read_bytes()
    for use in (lambda: names(state), lambda: put(state, "b"), state.version):
        with pytest.raises(LibraryTooNew, match=r"newer litterm \(version \d+, .*update litterm"):
            use()
    assert state.path.read_bytes() == content


@pytest.mark.parametrize("content", [b"no database at all" * 300, b"SQLite format 3\0" + bytes(4080)])
def test_a_damaged_file_is_named_with_the_next_step(state: StateDatabase, content: bytes) -> None:
    state.root.mkdir()
    state.path.write_bytes(content)
    for use in (lambda: names(state), lambda: put(state, "b")):
        with pytest.raises(DatabaseDamaged, match=r"state\.db is damaged .*move it away"):
            use()
    assert state.path.read_bytes() == content


def test_a_page_that_was_overwritten_is_damage(state: StateDatabase) -> None:
    for number in range(200):
        put(state, f"{number:03}" * 30)
    state.close()
    content = bytearray(state.path.read_bytes())
    content[8192:] = b"\xff" * len(content[8192:])
    state.path.write_bytes(content)
    with pytest.raises(DatabaseDamaged, match=r"state\.db is damaged"):
        names(state)


def test_a_check_reads_all_and_names_the_tables_that_are_damaged(state: StateDatabase) -> None:
    assert state.check() is None
    with state.write() as connection:
        rows = [(f"{number:04}", "x" * 400) for number in range(400)]
        connection.executemany("INSERT INTO session VALUES (?, ?)", rows)
        connection.executemany("INSERT INTO run VALUES (?, ?)", rows)
    file = state.check()
    assert file is not None and file.version == STATE_VERSION
    assert file.bytes_on_disk >= state.path.stat().st_size + log_size(state) > 400 * 400
    state.close()
    with sqlite3.connect(state.path) as connection:
        (page,) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'session'").fetchone()
    connection.close()
    content = bytearray(state.path.read_bytes())
    content[(page - 1) * 4096 : page * 4096] = b"\xff" * 4096
    state.path.write_bytes(content)
    with pytest.raises(DatabaseDamaged, match=r"state\.db is damaged \(session\): "):
        state.check()
    assert state.path.read_bytes() == content


def test_the_database_of_another_program_is_left_alone(state: StateDatabase) -> None:
    state.root.mkdir()
    with sqlite3.connect(state.path) as foreign:
        foreign.execute("CREATE TABLE bookmark (url TEXT)")
    foreign.close()
    content = state.path.read_bytes()
    with pytest.raises(DatabaseDamaged, match="another program"):
        put(state, "a")
    assert state.path.read_bytes() == content


def test_on_a_network_file_system_there_is_no_write_ahead_log(
    state: StateDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(state, "a")
    state.close()
    monkeypatch.setattr(state_module, "is_on_network", lambda folder: True)
    put(state, "b")
    assert [path.name for path in state.root.iterdir()] == [STATE_FILE]
    assert names(StateDatabase(state.root)) == ["a", "b"]


def test_the_kind_of_a_file_system_is_that_of_the_innermost_mount(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mounts = "disk / ext4 rw\nhost:/home /home\\040of/me nfs4 rw\ndisk /home\\040of/me/local xfs rw\n"
    mounts += "box /box fuse.sshfs rw\n"
    read = Path.read_text
    monkeypatch.setattr(
        Path, "read_text", lambda path, *args: mounts if str(path) == "/proc/self/mounts" else read(path, *args)
    )
    folders = ["/", "/home", "/home of/me", "/home of/me/library", "/home of/me/local/library", "/box/a", "/boxes"]
    assert [is_on_network(Path(folder)) for folder in folders] == [False, False, True, True, False, True, False]


@pytest.mark.parametrize("name", ["a?b", "with blank", "100%", "a#b", "\udcff"])
def test_any_name_of_a_folder_will_do(tmp_path: Path, name: str) -> None:
    database = StateDatabase(tmp_path / name)
    put(database, "a")
    assert names(database) == ["a"] and database.path.exists()
    database.close()
