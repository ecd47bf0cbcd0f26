"""Temporary folders; those of killed processes are removed when the next one is made.

They lie in `litterm-UID` in the system's temporary folder, named by their process, each with a lock that the system
takes back when the process dies. Where somebody else owns `litterm-UID` or may write to it, each folder stands by
itself in the system's.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_LOCK_SUFFIX = ".lock"
_MIN_AGE_S = 60.0
"""A younger folder may still be in the making, and is kept even without a lock."""


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """An empty folder for this process, gone afterwards."""
    home = _shared_folder()
    if home is not None:
        _remove_abandoned(home)
    folder = Path(tempfile.mkdtemp(prefix="litterm-" if home is None else f"{os.getpid()}-", dir=home))
    lock = os.open(folder.with_name(f"{folder.name}{_LOCK_SUFFIX}"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        with suppress(OSError):
            # Without locks (some NFS) the folder works as well; it is just never swept.
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield folder
    finally:
        # Before the lock is given up: else another process would sweep the folder at the same time.
        _remove(folder)
        os.close(lock)


def _shared_folder() -> Path | None:
    """The folder of all temporary files; `None` if another user owns it or may write there."""
    folder = Path(tempfile.gettempdir()) / f"litterm-{os.getuid()}"
    try:
        with suppress(FileExistsError):
            folder.mkdir(mode=0o700)
        # Without following a link: in a folder that everybody may write to, it may have been put there to lead
        # elsewhere.
        status = folder.lstat()
    except OSError:
        return None
    ours = stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid() and not status.st_mode & 0o077
    return folder if ours else None


def _remove_abandoned(home: Path) -> None:
    """Removes the folders of processes that are dead."""
    for path in sorted(home.glob(f"*{_LOCK_SUFFIX}")):
        with suppress(OSError):
            # Both ways, for a clock that was set back makes times in the future.
            if abs(time.time() - path.stat().st_mtime) < _MIN_AGE_S:
                # It may have been made, and not locked yet.
                continue
            lock = os.open(path, os.O_RDWR | os.O_CLOEXEC)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                _remove(path.with_name(path.name.removesuffix(_LOCK_SUFFIX)))
            finally:
                os.close(lock)


def _remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.with_name(f"{folder.name}{_LOCK_SUFFIX}").unlink(missing_ok=True)
