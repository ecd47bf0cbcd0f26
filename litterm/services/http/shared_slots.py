"""Request slots shared by all running processes of litterm: when each service may be asked next."""

from __future__ import annotations

import errno
import hashlib
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from litterm.core.filesystem import lock_soon

_PATIENCE_S = 0.3
_log = logging.getLogger(__name__)
_LONGEST_S = 180.0
"""A time further ahead was written by a clock that has been set back since."""


class SharedSlots:
    """A small file a service, with the time of its next free slot in seconds since 1970."""

    def __init__(self, folder: Path, now: Callable[[], float]) -> None:
        self._folder = folder
        self._now = now

    def take(self, owner: str, every_s: float) -> float:
        """Seconds to wait for the slot that is taken hereby; 0 where nothing can be agreed on."""
        return self._moved(owner, lambda free, now: max(free, now) + every_s) - every_s

    def leave_alone(self, owner: str, seconds: float) -> None:
        """Nobody takes a slot before `seconds` are over."""
        self._moved(owner, lambda free, now: max(free, now + seconds))

    def _moved(self, owner: str, later: Callable[[float, float], float]) -> float:
        """Moves the next free slot; how far ahead it then is."""
        now = self._now()
        try:
            with self._locked(owner) as file:
                # One broken file must not stop every litterm for ever.
                free = min(_figure(file.read(64)), now + _LONGEST_S)
                free = later(free, now)
                file.seek(0)
                file.truncate()
                file.write(f"{free:.3f}".encode("ascii"))
                return free - now
        except OSError as error:
            _log.warning("the pace cannot be shared with another litterm: %s", error.strerror)
            # Without the file each process keeps to its own pace.
            return later(0.0, now) - now

    @contextmanager
    def _locked(self, owner: str) -> Iterator[BinaryIO]:
        self._folder.mkdir(parents=True, exist_ok=True)
        name = hashlib.sha256(owner.encode()).hexdigest()[:16]
        with (self._folder / name).open("a+b") as file:
            # Held for as long as it takes to write twenty bytes; by a process that was stopped meanwhile, for ever.
            if not lock_soon(file.fileno(), _PATIENCE_S):
                raise OSError(errno.EBUSY, "one that holds the lock does not let go of it")
            file.seek(0)
            yield file


def _figure(content: bytes) -> float:
    try:
        return float(content)
    except ValueError:
        return 0.0
