"""Temporary folders that do not outlive their process by more than a start: what a killed one leaves is swept.

They lie in `litterm-UID` in the system's temporary folder, named by their process, each with a lock that the system
takes back when the process dies. Where that folder is not ours alone, a folder is made as for anybody.
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

_LOCK = ".lock"
_YOUNG_S = 60.0


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """An empty folder for this process, gone afterwards."""
    home = _home()
    if home is not None:
        _sweep(home)
    folder = Path(tempfile.mkdtemp(prefix="litterm-" if home is None else f"{os.getpid()}-", dir=home))
    lock = os.open(folder.with_name(f"{folder.name}{_LOCK}"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        with suppress(OSError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield folder
    finally:
        _remove(folder)
        os.close(lock)


def _home() -> Path | None:
    """The folder of all of them; `None` if somebody else may write there or owns it."""
    folder = Path(tempfile.gettempdir()) / f"litterm-{os.getuid()}"
    try:
        with suppress(FileExistsError):
            folder.mkdir(mode=0o700)
        found = folder.lstat()
    except OSError:
        return None
    ours = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077
    return folder if ours else None


def _sweep(home: Path) -> None:
    """Removes the folders of processes that are dead."""
    for path in sorted(home.glob(f"*{_LOCK}")):
        with suppress(OSError):
            if abs(time.time() - path.stat().st_mtime) < _YOUNG_S:
                # It may have been made, and not locked yet.
                continue
            lock = os.open(path, os.O_RDWR | os.O_CLOEXEC)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                _remove(path.with_name(path.name.removesuffix(_LOCK)))
            finally:
                os.close(lock)


def _remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.with_name(f"{folder.name}{_LOCK}").unlink(missing_ok=True)
