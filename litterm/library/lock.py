"""The write lock of a library: an advisory lock that names its holder. Readers never take it.

On a file system without locks a file names the owner, and its time shows that the owner is alive.
"""

from __future__ import annotations

import fcntl
import json
import os
import socket
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from litterm.core.durable_files import new_key, translate_write_errors, utc_now, write_error
from litterm.core.errors import LibraryError
from litterm.core.filesystem import UNSUPPORTED_ERRORS

if TYPE_CHECKING:
    from litterm.core.tasks import Task


WRITE_LOCK_FILE = "write.lock"
"""Name of the lock file in the library's folder."""

STOPPED_HOLDER_TIMEOUT_S = 60.0
"""A holder that has been stopped for this long is no longer waited for: it will not continue on its own."""
_POLL_S = 0.1
_NOTICE_INTERVAL_S = 30.0
HEARTBEAT_S = 5.0
HEARTBEAT_TIMEOUT_S = 120.0
"""An owner on another computer counts as dead after this time without a heartbeat; the network may fail for less."""


class OwnerFile:
    """A lock on the file `path` for this process."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._ended = threading.Event()
        self._written = b""

    def acquire(self) -> bool:
        """Takes the lock if nobody holds it or its owner is dead; returns whether it did.

        Raises:
            LibraryError: the folder cannot be written to.
        """
        if not self._create() and not (self._remove_dead() and self._create()):
            return False
        self._ended.clear()
        threading.Thread(target=self._keep_beating, name="litterm-owner", daemon=True).start()
        return True

    def release(self) -> None:
        """Releases the lock."""
        self._ended.set()
        # Another process may have taken it over: a laptop may have slept for longer than an owner counts as alive.
        if _read_bytes(self._path) == self._written:
            self._path.unlink(missing_ok=True)

    def _create(self) -> bool:
        self._written = json.dumps({"host": socket.gethostname(), "pid": os.getpid(), "key": new_key()}).encode()
        try:
            # A new name is given to one alone on every file system, also over a network.
            descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            return False
        except OSError as error:
            raise LibraryError(
                f"{self._path.parent} does not support locks and cannot be written to: {error.strerror}."
            ) from error
        with os.fdopen(descriptor, "wb") as file:
            file.write(self._written)
        return True

    def _remove_dead(self) -> bool:
        """Removes the file of a dead owner; returns whether it was still the file that had been read."""
        content = _read_bytes(self._path)
        if not self._is_dead(content):
            return False
        moved_path = self._path.with_name(f".{self._path.name}.{new_key()}")
        try:
            # Renamed first: between reading and removing, another process may have put its own file there.
            self._path.rename(moved_path)
            if _read_bytes(moved_path) == content:
                moved_path.unlink()
                return True
            # Somebody else was faster, and it is theirs.
            os.link(moved_path, self._path)
            moved_path.unlink()
        except OSError:
            return False
        return False

    def _is_dead(self, content: bytes) -> bool:
        try:
            owner = json.loads(content)
            if owner["host"] == socket.gethostname():
                os.kill(int(owner["pid"]), 0)
                return False
        except ProcessLookupError:
            return True
        except (ValueError, KeyError, TypeError, PermissionError):
            # Half a file: its writer will update it soon.
            pass
        return self._age_s() > HEARTBEAT_TIMEOUT_S

    def _age_s(self) -> float:
        """Seconds since the last heartbeat, by the clock of the file system, which may differ from this computer's."""
        probe = self._path.with_name(f".{self._path.name}.{new_key()}")
        with translate_write_errors(probe):
            probe.touch()
            try:
                return probe.stat().st_mtime - self._path.stat().st_mtime
            except FileNotFoundError:
                return 0.0
            finally:
                probe.unlink(missing_ok=True)

    def _keep_beating(self) -> None:
        while not self._ended.wait(HEARTBEAT_S):
            try:
                os.utime(self._path)
            except OSError:
                continue


def _read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


@dataclass(frozen=True, slots=True)
class LockHolder:
    """The process that has the library open for writing."""

    pid: int
    command: str
    since: str
    """UTC, ISO 8601."""

    def __str__(self) -> str:
        return f"{self.command} (process {self.pid}, since {self.since})"

    @property
    def remedy(self) -> str:
        """What the user can do about a suspended holder."""
        return f"`kill -CONT {self.pid}` lets it continue, `kill -9 {self.pid}` ends it, and what it has stored stays"


def is_stopped(pid: int) -> bool:
    """Whether the system has stopped a process, as ctrl+z does; `False` if unknown."""
    try:
        # What is before the last bracket is the command, which may hold anything.
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] in (b"T", b"t")
    except (OSError, IndexError):
        pass
    # On Linux `/proc` has answered; other systems are asked with `ps`.
    if Path("/proc/self").exists():
        return False
    import subprocess

    state = subprocess.run(["/bin/ps", "-o", "state=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return state.stdout.strip().startswith("T")


@dataclass(frozen=True, slots=True)
class WaitPolicy:
    """How to wait for a lock; tests use other values."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], object] = time.sleep
    is_stopped: Callable[[int], bool] = is_stopped


class WriteLock:
    """The write lock of one library. The operating system releases it when the process dies."""

    def __init__(self, path: Path, policy: WaitPolicy | None = None) -> None:
        self._path = path
        self._policy = policy or WaitPolicy()
        self._descriptor: int | None = None
        self._owner: OwnerFile | None = None
        """Where the file system has no locks."""

    @property
    def is_held(self) -> bool:
        """Whether this object holds the lock."""
        return self._descriptor is not None

    def acquire(self) -> Task[None]:
        """Waits for the lock, and says at once and every 30 s for whom.

        Raises:
            LibraryError: its holder has been stopped for a minute.
        """
        from litterm.model.events import Notice, Progress

        last_notice = ("", 0.0)
        stopped_since: float | None = None
        while not self.try_acquire():
            holder, now_s = read_holder(self._path), self._policy.now()
            stopped = holder if holder is not None and self._policy.is_stopped(holder.pid) else None
            stopped_since = None if stopped is None else now_s if stopped_since is None else stopped_since
            sentence = _waiting_sentence(holder, stopped)
            if sentence != last_notice[0] or now_s - last_notice[1] > _NOTICE_INTERVAL_S:
                last_notice = (sentence, now_s)
                yield Notice(sentence)
            else:
                yield Progress("waiting for another job that writes")
            if stopped is not None and stopped_since is not None and now_s - stopped_since >= STOPPED_HOLDER_TIMEOUT_S:
                raise LibraryError(
                    f"The library is held by {stopped}, which has been stopped for {STOPPED_HOLDER_TIMEOUT_S:.0f} s:"
                    f" {stopped.remedy}; then run this again."
                )
            self._policy.sleep(_POLL_S)

    def try_acquire(self) -> bool:
        """Takes the lock if it is free; returns whether it did."""
        if self._descriptor is not None:
            raise LibraryError("This litterm is already writing to the library.")
        with translate_write_errors(self._path):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            # Not inherited by children: Python opens descriptors close-on-exec, and nothing here forks.
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
            # In earlier versions everybody could read which command a user is running.
            with suppress(PermissionError):
                os.fchmod(descriptor, 0o600)
        if not self._try_lock(descriptor):
            os.close(descriptor)
            return False
        self._descriptor = descriptor
        self._write_holder()
        return True

    def release(self) -> None:
        """Releases the lock, if it is held."""
        # The file stays: without it two that wait for the lock would each lock one of their own.
        if self._descriptor is not None:
            os.ftruncate(self._descriptor, 0)
            os.close(self._descriptor)
            self._descriptor = None
        if self._owner is not None:
            self._owner.release()
            self._owner = None

    def _try_lock(self, descriptor: int) -> bool:
        try:
            # Not `lockf`: its locks belong to the process, so that two jobs of one workbench would both get it.
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError as error:
            if error.errno not in UNSUPPORTED_ERRORS:
                os.close(descriptor)
                raise write_error(error, self._path) from error
            owner = OwnerFile(self._path.with_name(f"{self._path.name}.owner"))
            if not owner.acquire():
                return False
            self._owner = owner
        return True

    def _write_holder(self) -> None:
        assert self._descriptor is not None
        command = " ".join(["litterm", *sys.argv[1:]])[:200]
        # Only for those who wait; who holds the lock is decided by the system, whatever is here.
        line = json.dumps({"pid": os.getpid(), "command": command, "since": utc_now()})
        with translate_write_errors(self._path):
            os.ftruncate(self._descriptor, 0)
            os.pwrite(self._descriptor, line.encode(), 0)


def _waiting_sentence(holder: LockHolder | None, stopped: LockHolder | None) -> str:
    if stopped is not None:
        return (
            f"Waiting for another litterm that was writing and is stopped: {stopped}. {stopped.remedy};"
            f" after {STOPPED_HOLDER_TIMEOUT_S:.0f} s this one gives up."
        )
    if holder is not None and holder.pid == os.getpid():
        return "Waiting for another job of this litterm that is writing."
    return f"Waiting for another litterm that is writing: {holder or 'unknown'}."


def is_locked(path: Path) -> bool:
    """Whether another process, or another lock of this one, holds the lock on the file `path`; `False` if unknown."""
    try:
        with path.open("rb") as file:
            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        pass
    return False


def read_holder(path: Path) -> LockHolder | None:
    """The living process whose name is in the lock file; the lock itself is not tested."""
    try:
        fields = json.loads(path.read_text())
        holder = LockHolder(int(fields["pid"]), str(fields["command"]), str(fields["since"]))
        # Signal 0 sends nothing: it asks whether the process is there.
        os.kill(holder.pid, 0)
    except PermissionError:
        # It lives, under another user.
        return holder
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return holder
