"""Machines that are not ours: file systems without locks, processes that stand still, clocks that are set back."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import AbstractContextManager
from pathlib import Path
from sqlite3 import Connection
from types import SimpleNamespace

import pytest
from libraries import record, store

from litterm.core import filesystem, temporary_files
from litterm.core.durable_files import new_key, time_of, utc_now
from litterm.core.errors import LibraryError
from litterm.core.filesystem import sync_file, sync_folder, try_lock
from litterm.library import journal, lock
from litterm.library.journal import FileJournal
from litterm.library.lock import WriteLock
from litterm.library.segments.library import DuckLibrary
from litterm.library.state.connection import StateDatabase
from litterm.library.state.failures import FailureList
from litterm.llm.budget import CapReached, Caps, DayBudget
from litterm.model.library import Failure
from litterm.model.llm import ModelCost
from litterm.services.http.cache import AnswerCache
from litterm.services.http.messages import DAY_S, Request, ServiceResponse
from litterm.services.http.rate_limit import SharedSlots
from litterm.tui.widgets.clipboard import copy_task

NO_LOCKS = [errno.ENOLCK, errno.EOPNOTSUPP, errno.EINVAL, errno.ENOSYS]


@pytest.fixture(params=NO_LOCKS, ids=errno.errorcode.get)
def lockless(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system that has neither locks nor durable folders."""

    def refuse(*_: object) -> None:
        raise OSError(request.param, os.strerror(request.param))

    monkeypatch.setattr(fcntl, "flock", refuse)
    whole = os.fsync

    def fsync(descriptor: int) -> None:
        if Path(f"/proc/self/fd/{descriptor}").is_dir():
            refuse()
        whole(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)


def test_without_locks_a_library_is_written_and_read_all_the_same(lockless: None, tmp_path: Path) -> None:
    store(tmp_path, [record("one"), record("two")])
    FileJournal(tmp_path / "journal").append("note", {"text": "kept"})
    assert DuckLibrary(tmp_path).status().papers == 2
    assert [kind for _, kind, _ in FileJournal(tmp_path / "journal").entries()] == ["note"]
    assert not list(tmp_path.glob("*.owner"))


def test_without_locks_a_file_with_an_owner_keeps_others_out(lockless: None, tmp_path: Path) -> None:
    one, other = WriteLock(tmp_path / "write.lock"), WriteLock(tmp_path / "write.lock")
    assert one.try_acquire()
    assert not other.try_acquire()
    one.release()
    assert other.try_acquire()
    other.release()


def dead_process() -> int:
    done = subprocess.Popen([sys.executable, "-c", ""])
    done.wait()
    return done.pid


@pytest.mark.parametrize(
    ("host", "pid", "silent_s", "free"),
    [
        ("here", "dead", 0, True),
        ("here", "alive", 9999, False),
        ("elsewhere", "dead", 0, False),
        ("elsewhere", "dead", 9999, True),
    ],
)
def test_an_owner_that_is_dead_holds_nothing(
    lockless: None, tmp_path: Path, host: str, pid: str, silent_s: int, free: bool
) -> None:
    import socket

    told = {
        "host": socket.gethostname() if host == "here" else "elsewhere",
        "pid": os.getpid() if pid == "alive" else dead_process(),
    }
    file = tmp_path / "write.lock.owner"
    file.write_text(json.dumps(told))
    then = time.time() - silent_s
    os.utime(file, (then, then))
    held = WriteLock(tmp_path / "write.lock")
    assert held.try_acquire() == free
    held.release()


def test_an_owner_shows_that_it_lives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock, "HEARTBEAT_S", 0.01)
    file = lock.OwnerFile(tmp_path / "lock.owner")
    assert file.acquire()
    os.utime(tmp_path / "lock.owner", (1.0, 1.0))
    end = time.monotonic() + 30
    while (tmp_path / "lock.owner").stat().st_mtime == 1.0:
        assert time.monotonic() < end
        time.sleep(0.01)
    file.release()


def test_any_other_trouble_with_a_lock_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(lock.fcntl, "flock", broken)
    with pytest.raises(LibraryError, match=r"^Cannot write .*write.lock: Input/output error\.$"):
        WriteLock(tmp_path / "write.lock").try_acquire()


def test_where_the_drive_can_be_asked_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(filesystem, "_FULL_SYNC", 51)
    monkeypatch.setattr(filesystem, "fcntl", SimpleNamespace(fcntl=lambda _file, what: asked.append(what)))
    with (tmp_path / "file").open("wb") as file:
        sync_file(file.fileno())
    assert asked == [51]


def test_a_real_failure_to_write_is_not_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "fsync", broken)
    with pytest.raises(OSError, match="Input/output"), (tmp_path / "file").open("wb") as file:
        sync_file(file.fileno())
    with pytest.raises(OSError, match="Input/output"):
        sync_folder(tmp_path)


@pytest.mark.parametrize("name", ["50% #1", "it's", 'a "b"', "two words", "a;b", "[x]*", "ü&x=1", "x=1"])
def test_any_name_of_a_folder_will_do(tmp_path: Path, name: str) -> None:
    root = tmp_path / name
    store(root, [record("one")])
    store(root, [record("two")])
    library = DuckLibrary(root)
    assert library.status().papers == 2
    (found,) = library.find(["two"])
    assert library.by_id(found)


def test_a_question_mark_in_its_path_is_refused_with_a_way_out(tmp_path: Path) -> None:
    root = tmp_path / "what?x=1"
    with pytest.raises(LibraryError, match=r"question mark in its name .* LITTERM_LIBRARY"):
        store(root, [record("one")])
    store(tmp_path / "plain", [record("one")])
    readable = (tmp_path / "plain").rename(tmp_path / "what?")
    assert DuckLibrary(readable).by_id(DuckLibrary(readable).find(["one"])[0])


HOLDING = """
import fcntl, os, sys, time
file = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)
fcntl.flock(file, fcntl.LOCK_EX)
print("held", flush=True)
time.sleep(600)
"""


class Stopped:
    """A process that has been stopped (SIGSTOP) while it holds the lock of `path`."""

    def __init__(self, path: Path) -> None:
        self._process = subprocess.Popen([sys.executable, "-c", HOLDING, str(path)], stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None and self._process.stdout.readline() == "held\n"
        self._process.send_signal(signal.SIGSTOP)

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()


def test_a_stopped_process_with_the_pace_in_its_hand_stops_nobody(tmp_path: Path) -> None:
    slots = SharedSlots(tmp_path, time.time)
    slots.take_slot("NCBI", 0.5)
    (file,) = tmp_path.iterdir()
    with Stopped(file):
        assert slots.take_slot("NCBI", 0.5) == 0.0


def test_a_stopped_process_that_writes_a_decision_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal, "LOCK_TIMEOUT_S", 0.1)
    kept = FileJournal(tmp_path)
    kept.append("note", {})
    with Stopped(tmp_path / "journal.jsonl"), pytest.raises(LibraryError, match=r"another litterm .* may be suspended"):
        kept.append("note", {})
    kept.append("note", {})
    assert len(list(kept.entries())) == 2


def test_a_lock_that_is_free_is_had(tmp_path: Path) -> None:
    with (tmp_path / "file").open("wb") as file:
        assert try_lock(file.fileno(), 0.0)


def test_the_day_is_one_day_in_every_time_zone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for zone in ("Pacific/Kiritimati", "Pacific/Pago_Pago"):
        monkeypatch.setenv("TZ", zone)
        time.tzset()
        day = DayBudget(tmp_path, Caps(1000, 0.0), lambda: 1_790_000_000.0, local=False)
        if zone == "Pacific/Kiritimati":
            day.hold("one", ModelCost(1, 0.0, 900), {})
        else:
            with pytest.raises(CapReached):
                day.hold("two", ModelCost(1, 0.0, 200), {})
    monkeypatch.undo()
    time.tzset()


def test_a_clock_set_back_gives_no_second_day(tmp_path: Path) -> None:
    DayBudget(tmp_path, Caps(1000, 0.0), lambda: 1_790_000_000.0, local=False).hold("one", ModelCost(1, 0.0, 900), {})
    before = DayBudget(tmp_path, Caps(1000, 0.0), lambda: 1_790_000_000.0 - 3 * DAY_S, local=False)
    assert before.total_cost().tokens == 900
    with pytest.raises(CapReached):
        before.hold("two", ModelCost(1, 0.0, 200), {})
    after = DayBudget(tmp_path, Caps(1000, 0.0), lambda: 1_790_000_000.0 + DAY_S, local=False)
    assert after.total_cost().tokens == 0


def test_what_comes_after_the_clock_was_set_back_is_the_newest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store(tmp_path, [record("one")])
    monkeypatch.setattr("litterm.library.writer.library_writer.utc_now", lambda: "2001-01-01T00:00:00Z")
    store(tmp_path, [record("two")])
    monkeypatch.undo()
    library = DuckLibrary(tmp_path)
    one, two = (library.by_id(found)[0].provenance.imported_at for found in library.find(["one", "two"]))
    assert one <= two <= utc_now()


def test_a_key_tells_when_it_was_made() -> None:
    before = utc_now()
    assert before <= time_of(new_key()) <= utc_now()
    assert time_of("no key!") == "" and time_of("z" * 40) == ""


def test_kept_answers_go_by_age_and_by_size(tmp_path: Path) -> None:
    now = 1_800_000_000.0
    cache = AnswerCache(tmp_path, lambda: now, most_bytes=2600)
    asked = [Request(f"https://example.org/{n}", keep=True) for n in range(6)]
    for age, request in enumerate(asked):
        before = {*tmp_path.glob("*/*.answer")}
        cache.put(request, ServiceResponse(request.url, 200, b"x" * 900, {}))
        (file,) = {*tmp_path.glob("*/*.answer")} - before
        os.utime(file, (now - age * 20 * DAY_S,) * 2)
    (tmp_path / "swept").unlink()
    last = Request("https://example.org/last", keep=True)
    cache.put(last, ServiceResponse(last.url, 200, b"x", {}))
    assert [cache.get(each) is not None for each in asked] == [True, True, False, False, False, False]
    assert cache.get(last) is not None


def test_a_kept_answer_that_is_asked_for_stays_longest(tmp_path: Path) -> None:
    clock = [1_800_000_000.0]
    cache = AnswerCache(tmp_path, lambda: clock[0], most_bytes=2600)
    asked = [Request(f"https://example.org/{n}", keep=True) for n in range(3)]
    for request in asked:
        cache.put(request, ServiceResponse(request.url, 200, b"x" * 900, {}))
        clock[0] += 60
    assert cache.get(asked[0]) is not None
    clock[0] += 2 * DAY_S
    last = Request("https://example.org/last", keep=True)
    cache.put(last, ServiceResponse(last.url, 200, b"x" * 900, {}))
    assert [cache.get(each) is not None for each in (*asked, last)] == [True, False, True, True]


def test_failures_are_read_again_only_when_something_was_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads: list[StateDatabase] = []
    inner = StateDatabase.read

    def read(state: StateDatabase) -> AbstractContextManager[Connection]:
        reads.append(state)
        return inner(state)

    monkeypatch.setattr(StateDatabase, "read", read)
    mine, another = FailureList(StateDatabase(tmp_path)), FailureList(StateDatabase(tmp_path))
    another.record([Failure("a.pdf", "damaged")])
    assert [each.origin for _ in range(3) for each in mine.all()] == ["a.pdf"] * 3
    assert len(reads) == 1
    another.dismiss()
    assert mine.all() == () == mine.all()
    assert [state.root for state in reads] == [tmp_path] * 3


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_what_says_what_somebody_does_is_for_its_owner_alone(tmp_path: Path) -> None:
    umask = os.umask(0o022)
    try:
        (tmp_path / "write.lock").touch(0o644)
        store(tmp_path, [record("one")])
        list(copy_task("text", tmp_path / "last-copy.txt"))
    finally:
        os.umask(umask)
    assert mode(tmp_path / "write.lock") == mode(tmp_path / "last-copy.txt") == 0o600


LEAVING = """
import os, signal
from litterm.core.temporary_files import scratch_folder
with scratch_folder() as folder:
    (folder / "file").write_text("left")
    print(folder, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_killed_process_left_in_the_temporary_folder_is_swept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(temporary_files, "_MIN_AGE_S", 0.0)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    environ = {**os.environ, "TMPDIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", LEAVING], env=environ, capture_output=True, text=True, check=False)
    left = Path(done.stdout.strip())
    assert (left / "file").exists()
    with temporary_files.scratch_folder() as mine:
        assert not left.exists()
        with temporary_files.scratch_folder() as other:
            # Of those that live nothing is taken.
            assert mine.exists() and other.parent == mine.parent == left.parent
    assert not list(mine.parent.iterdir())


def test_a_temporary_folder_that_others_may_write_to_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    home = tmp_path / f"litterm-{os.getuid()}"
    home.mkdir()
    home.chmod(0o777)
    with temporary_files.scratch_folder() as folder:
        assert folder.parent == tmp_path
    assert list(tmp_path.iterdir()) == [home]


def test_windows_is_refused_at_once_with_one_sentence() -> None:
    there = (
        "import sys, os; import litterm.__main__ as main\n"
        "sys.modules.update(fcntl=None, termios=None, resource=None); os.name = 'nt'\n"
        "main.entry()"
    )
    done = subprocess.run([sys.executable, "-c", there], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("litterm: Windows is not supported") and "WSL" in done.stderr
    assert done.stderr.count("\n") == 1


def test_an_owner_whose_file_was_taken_away_goes_on_without_a_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lock, "HEARTBEAT_S", 0.01)
    path = tmp_path / "lock.owner"
    file = lock.OwnerFile(path)
    assert file.acquire()
    content = path.read_bytes()
    path.unlink()
    time.sleep(0.1)
    path.write_bytes(content)
    os.utime(path, (1.0, 1.0))
    end = time.monotonic() + 30
    while path.stat().st_mtime == 1.0:
        assert time.monotonic() < end
        time.sleep(0.01)
    file.release()
