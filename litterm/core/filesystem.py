"""Locks, atomic replacement and durability of files, on file systems that may refuse any of it (NFS, SMB, FUSE)."""

from __future__ import annotations

import errno
import fcntl
import os
import time
from contextlib import suppress
from pathlib import Path

from litterm.core.errors import DiskFull

DISK_FULL = frozenset((errno.ENOSPC, errno.EDQUOT, errno.EFBIG))
"""No space left: on the disk, in the user's quota, or for one file."""

UNSUPPORTED_ERRORS = frozenset((errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP, errno.EINVAL))
"""The file system does not support the call."""
_FOLDER_SYNC_REFUSED = UNSUPPORTED_ERRORS | {errno.EBADF, errno.EACCES, errno.EPERM, errno.EISDIR}
_FULL_SYNC: int | None = getattr(fcntl, "F_FULLFSYNC", None)
"""On macOS `fsync` stops at the drive, which may keep what it got in memory; this call empties that, too."""
_POLL_S = 0.01


def try_lock(descriptor: int, max_wait_s: float) -> bool:
    """Locks an open file that everybody locks for a moment only; `False` if another process never lets go of it.

    A file system without locks counts as locked: what is then written has to be safe without one.

    Raises:
        OSError: anything else.
    """
    until = time.monotonic() + max_wait_s
    while True:
        # Without waiting in the kernel: `flock` has no time limit, and a signal that sets one is for the main thread
        # only.
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= until:
                return False
            time.sleep(_POLL_S)
        except OSError as error:
            if error.errno not in UNSUPPORTED_ERRORS:
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
        # Some file systems of macOS (SMB, FAT) do not know the full one; the usual `fsync` is then the best there is.
        with suppress(OSError):
            fcntl.fcntl(descriptor, _FULL_SYNC)
            return
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in UNSUPPORTED_ERRORS:
            raise


def no_space(path: Path) -> DiskFull:
    """The error for a file that there is no room to write."""
    return DiskFull(f"No space left to write {path}: free some space and run it again; nothing was lost.")


def sync_folder(folder: Path) -> None:
    """Makes renames and new names in `folder` durable, where the file system can do that."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError as error:
        # Some systems let nobody open a folder, or sync one: what was renamed there is as durable as they make it.
        if error.errno not in _FOLDER_SYNC_REFUSED:
            raise
        return
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _FOLDER_SYNC_REFUSED:
            raise
    finally:
        os.close(descriptor)


def replace_text(path: Path, text: str, *, mode: int = 0o600) -> None:
    """`path` holds either its old content or all of `text`, whatever happens meanwhile; the folder must be there.

    Raises:
        OSError: it cannot be written.
    """
    replace_bytes(path, text.encode("utf-8"), mode=mode)


def replace_bytes(path: Path, content: bytes, *, mode: int = 0o600) -> None:
    """As `replace_text`, of bytes.

    Raises:
        OSError: it cannot be written.
    """
    fresh = path.with_name(f".{path.name}.{os.getpid()}-{os.urandom(4).hex()}")
    # With its rights when it is made: a key that is protected afterwards could be read in between.
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            sync_file(file.fileno())
        fresh.replace(path)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise
