"""One writer: an advisory lock that says who holds it. Readers never touch it."""

from __future__ import annotations

import fcntl
import json
import os
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from litterm.errors import LibraryError
from litterm.filesystem import UNSUPPORTED
from litterm.store.disk import refusal, utc_now, writing
from litterm.store.owner import OwnerFile

if TYPE_CHECKING:
    from litterm.tasks import Task

LOCK = "write.lock"
"""Its name in the library's folder."""

_POLL_S = 0.1
_REMIND_S = 30.0


@dataclass(frozen=True, slots=True)
class Holder:
    """Who has the library open for writing."""

    pid: int
    command: str
    since: str
    """UTC, ISO 8601."""

    def __str__(self) -> str:
        return f"{self.command} (process {self.pid}, since {self.since})"


class WriteLock:
    """The right to publish. The system takes it back when the process dies, however it dies."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor: int | None = None
        self._owner: OwnerFile | None = None
        """Where the file system has no locks."""

    @property
    def held(self) -> bool:
        """Whether this object holds the lock."""
        return self._descriptor is not None

    def acquire(self) -> Task[None]:
        """Waits as long as it takes; says at once, and every 30 s, whom it waits for."""
        from litterm.model.events import Notice, Progress

        reminded = 0.0
        while not self.try_acquire():
            if time.monotonic() - reminded > _REMIND_S or not reminded:
                reminded = time.monotonic()
                yield Notice(f"Waiting for {_who(read_holder(self._path))}.")
            else:
                yield Progress("waiting for another job that writes")
            time.sleep(_POLL_S)

    def try_acquire(self) -> bool:
        """Whether the lock could be had at once."""
        if self._descriptor is not None:
            raise LibraryError("This litterm is already writing to the library.")
        with writing(self._path):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            # Not inherited by children: Python opens descriptors close-on-exec, and nothing here forks.
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
            # Earlier versions let everybody read what command somebody is running.
            with suppress(PermissionError):
                os.fchmod(descriptor, 0o600)
        if not self._locked(descriptor):
            os.close(descriptor)
            return False
        self._descriptor = descriptor
        self._sign()
        return True

    def release(self) -> None:
        """Gives the lock back; harmless when it is not held."""
        if self._descriptor is not None:
            os.ftruncate(self._descriptor, 0)
            os.close(self._descriptor)
            self._descriptor = None
        if self._owner is not None:
            self._owner.leave()
            self._owner = None

    def _locked(self, descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError as error:
            if error.errno not in UNSUPPORTED:
                os.close(descriptor)
                raise refusal(error, self._path) from error
            owner = OwnerFile(self._path.with_name(f"{self._path.name}.owner"))
            if not owner.enter():
                return False
            self._owner = owner
        return True

    def _sign(self) -> None:
        assert self._descriptor is not None
        command = " ".join(["litterm", *sys.argv[1:]])[:200]
        line = json.dumps({"pid": os.getpid(), "command": command, "since": utc_now()})
        with writing(self._path):
            os.ftruncate(self._descriptor, 0)
            os.pwrite(self._descriptor, line.encode(), 0)


def _who(holder: Holder | None) -> str:
    if holder is not None and holder.pid == os.getpid():
        return "another job of this litterm that is writing"
    return f"another litterm that is writing: {holder or 'unknown'}"


def read_holder(path: Path) -> Holder | None:
    """Who wrote their name on the lock and still lives; asks the lock itself nothing."""
    try:
        told = json.loads(path.read_text())
        holder = Holder(int(told["pid"]), str(told["command"]), str(told["since"]))
        os.kill(holder.pid, 0)
    except PermissionError:
        return holder
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return holder
