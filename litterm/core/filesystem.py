"""What file systems may refuse: locks, and a word that something is on the disk (NFS, SMB, FUSE and others)."""

from __future__ import annotations

import errno
import fcntl
import os
import time
from contextlib import suppress
from pathlib import Path

UNSUPPORTED = frozenset((errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP, errno.EINVAL))
"""How a file system says that it knows no such thing."""
_FOLDERS_REFUSED = UNSUPPORTED | {errno.EBADF, errno.EACCES, errno.EPERM, errno.EISDIR}
_FULL_SYNC: int | None = getattr(fcntl, "F_FULLFSYNC", None)
"""On macOS `fsync` stops at the drive, which may keep what it got in memory."""
_POLL_S = 0.01


def lock_soon(descriptor: int, patience_s: float) -> bool:
    """Locks an open file that everybody locks for a moment only; `False` if another process never lets go of it.

    A file system without locks counts as locked: what is then written has to be safe without one.

    Raises:
        OSError: anything else.
    """
    until = time.monotonic() + patience_s
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= until:
                return False
            time.sleep(_POLL_S)
        except OSError as error:
            if error.errno not in UNSUPPORTED:
                raise
            return True
        else:
            return True


def sync_file(descriptor: int) -> None:
    """Returns when what was written is on the disk, as far as the file system can tell.

    Raises:
        OSError: it could not be written.
    """
    if _FULL_SYNC is not None:
        with suppress(OSError):
            fcntl.fcntl(descriptor, _FULL_SYNC)
            return
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in UNSUPPORTED:
            raise


def sync_folder(folder: Path) -> None:
    """Makes renames and new names in `folder` durable, where the file system can do that."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError as error:
        if error.errno not in _FOLDERS_REFUSED:
            raise
        return
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _FOLDERS_REFUSED:
            raise
    finally:
        os.close(descriptor)
