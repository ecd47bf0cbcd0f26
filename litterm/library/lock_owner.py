"""A lock for file systems without locks: a file that names its owner, and whose time shows that the owner is alive."""

from __future__ import annotations

import json
import os
import socket
import threading
from pathlib import Path

from litterm.core.durable_files import new_key, translate_write_errors
from litterm.core.errors import LibraryError

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
        # Taken over meanwhile, it is somebody else's: a laptop may have slept for longer than an owner counts as alive.
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
            # Half a file: whoever is about to write it beats soon.
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
