"""A second writer and the first: what it is told, and when it gives up."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from litterm.core.errors import LibraryError
from litterm.library.lock import STOPPED_HOLDER_TIMEOUT_S, WaitPolicy, WriteLock, is_stopped
from litterm.model.events import Event, Notice

HOLD = """
import sys
from pathlib import Path
from litterm.library.lock import WriteLock
sys.argv[1:] = ["add", "papers"]
assert WriteLock(Path(sys.stdin.readline().strip())).try_acquire()
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def holder(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the lock until it ends."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(f"{tmp_path / 'write.lock'}\n")
        process.stdin.flush()
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


@dataclass
class Waited:
    """Time that passes only by waiting; `stopped` says from when to when the holder is."""

    stopped: tuple[float, float] = (0.0, 0.0)
    at: float = 1000.0
    events: list[Event] = field(default_factory=list)

    def sleep(self, seconds: float) -> None:
        self.at += 100 * seconds

    def policy(self) -> WaitPolicy:
        first, last = self.stopped
        return WaitPolicy(lambda: self.at, self.sleep, lambda _pid: first <= self.at - 1000 < last)

    def notices(self, lock: WriteLock, steps: int) -> list[str]:
        """What is said in so many steps, or until it ends."""
        task = lock.acquire()
        for _ in range(steps):
            self.events.append(next(task))
        task.close()
        return [event.text for event in self.events if isinstance(event, Notice)]


def test_a_holder_that_was_stopped_is_named_and_not_waited_for_for_ever(
    holder: subprocess.Popen[str], tmp_path: Path
) -> None:
    os.kill(holder.pid, signal.SIGSTOP)
    assert os.WIFSTOPPED(os.waitpid(holder.pid, os.WUNTRACED)[1])
    waited = Waited()
    lock = WriteLock(tmp_path / "write.lock", WaitPolicy(lambda: waited.at, waited.sleep))
    told: list[Event] = []
    with pytest.raises(LibraryError, match=rf"litterm add papers \(process {holder.pid}, .* stopped for 60 s") as ended:
        told.extend(lock.acquire())
    (first, *_) = [event.text for event in told if isinstance(event, Notice)]
    assert f"is stopped: litterm add papers (process {holder.pid}, since " in first
    assert f"kill -CONT {holder.pid}" in first and "after 60 s this one gives up" in first
    assert f"kill -9 {holder.pid}" in str(ended.value)
    assert STOPPED_HOLDER_TIMEOUT_S <= waited.at - 1000 < 2 * STOPPED_HOLDER_TIMEOUT_S


def test_a_stopped_process_is_told_from_one_that_runs(holder: subprocess.Popen[str]) -> None:
    assert not is_stopped(holder.pid)
    os.kill(holder.pid, signal.SIGSTOP)
    os.waitpid(holder.pid, os.WUNTRACED)
    assert is_stopped(holder.pid)
    os.kill(holder.pid, signal.SIGCONT)
    os.waitpid(holder.pid, os.WCONTINUED)
    assert not is_stopped(holder.pid)


def test_a_holder_that_works_is_waited_for_as_long_as_it_takes(holder: subprocess.Popen[str], tmp_path: Path) -> None:
    waited = Waited()
    said = waited.notices(WriteLock(tmp_path / "write.lock", waited.policy()), 100)
    assert waited.at - 1000 > 900
    assert len(said) > 20
    assert set(said) == {said[0]}
    assert said[0].startswith(f"Waiting for another litterm that is writing: litterm add papers (process {holder.pid}")


def test_a_minute_counts_from_when_the_holder_was_stopped_last(holder: subprocess.Popen[str], tmp_path: Path) -> None:
    waited = Waited(stopped=(40.0, 95.0))
    said = waited.notices(WriteLock(tmp_path / "write.lock", waited.policy()), 40)
    assert ["stopped" in each for each in dict.fromkeys(said)] == [False, True]
    assert "stopped" not in said[-1]


def test_the_lock_is_had_when_the_holder_is_gone(holder: subprocess.Popen[str], tmp_path: Path) -> None:
    waited = Waited()
    lock = WriteLock(tmp_path / "write.lock", waited.policy())
    task = lock.acquire()
    next(task)
    holder.kill()
    holder.wait()
    with pytest.raises(StopIteration):
        next(task)
    assert lock.is_held
    lock.release()
