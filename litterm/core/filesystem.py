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
_PRIVATE_MODE = 0o600
_SYNCHRONISED_NAMES = (
    ("Dropbox", "Dropbox"),
    ("Mobile Documents", "iCloud Drive"),
    ("OneDrive", "OneDrive"),
    ("Google Drive", "Google Drive"),
    ("GoogleDrive", "Google Drive"),
    ("Nextcloud", "Nextcloud"),
    ("ownCloud", "ownCloud"),
)
"""Names of folders that a service synchronises, and of the service; an account may follow the name."""
_SYNCHRONISED_MARKS = (
    (".dropbox.cache", "Dropbox"),
    (".tmp.drivedownload", "Google Drive"),
    (".tmp.driveupload", "Google Drive"),
    (".stfolder", "Syncthing"),
    (".nextcloudsync.log", "Nextcloud"),
    (".owncloudsync.log", "Nextcloud or ownCloud"),
    (".sync_*.db", "Nextcloud or ownCloud"),
    ("._sync_*.db", "Nextcloud or ownCloud"),
)
"""What a service puts into the folder that it synchronises, and its name."""
_NETWORK_FILE_SYSTEMS = frozenset(
    "nfs nfs4 cifs smb smb2 smb3 smbfs afpfs webdav 9p afs ceph lustre gpfs beegfs glusterfs ncpfs coda pvfs2".split()
)
"""Their names in the system's list of mounts; a file system that is a program (`fuse.sshfs`) counts as one, too."""


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


def is_on_network(folder: Path) -> bool:
    """Whether `folder` is on a file system that several computers may share; `False` if unknown."""
    try:
        mounts = Path("/proc/self/mounts").read_text("utf-8", "surrogateescape").splitlines()
    except OSError:
        mounts = _mounts_by_command()
    path, longest, kind = f"{folder.resolve()}/", "", ""
    for words in (line.split() for line in mounts):
        # Blanks in a name are written in octal.
        point = words[1].replace("\\040", " ").rstrip("/") + "/"
        # The last of several mounts on one folder is the one that is seen.
        if path.startswith(point) and len(point) >= len(longest):
            longest, kind = point, words[2]
    return kind in _NETWORK_FILE_SYSTEMS or kind.startswith("fuse.")


def synchronising_service(folder: Path) -> str:
    """The service that copies `folder`, or one above it, to other computers; empty if none is known to."""
    # As written, too: the folder that is synchronised may be a link.
    folders = tuple(dict.fromkeys((*_with_parents(folder.absolute()), *_with_parents(folder.resolve()))))
    for part in folders:
        for name, service in _SYNCHRONISED_NAMES:
            # `OneDrive - University`, `Dropbox (Personal)`, `GoogleDrive-me@example.org`.
            if part.name == name or part.name.startswith((f"{name} ", f"{name}-")):
                return service
    marked = (
        service for part in folders for mark, service in _SYNCHRONISED_MARKS if next(part.glob(mark), None) is not None
    )
    return next(marked, "")


def _with_parents(folder: Path) -> tuple[Path, ...]:
    return (folder, *folder.parents)


def _mounts_by_command() -> list[str]:
    """Device, folder and kind of every mount, as lines; on macOS, which has them from a command only."""
    import re
    import subprocess

    mounts = subprocess.run(["/sbin/mount"], capture_output=True, text=True, check=False).stdout
    parts = (re.fullmatch(r"(.+?) on (/.*) \((\w+).*\)", line) for line in mounts.splitlines())
    return [f"device {part[2].replace(' ', chr(92) + '040')} {part[3]}" for part in parts if part]


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


def open_private(path: str | Path, flags: int) -> int:
    """A descriptor of a file that, if it is made here, only its owner can read from its first moment on.

    A mode that is set afterwards leaves a moment in which others can open the file.

    Raises:
        OSError: it cannot be opened.
    """
    return os.open(path, flags | os.O_CREAT | os.O_CLOEXEC, _PRIVATE_MODE)


def replace_text(path: Path, text: str, *, mode: int = _PRIVATE_MODE) -> None:
    """`path` holds either its old content or all of `text`, whatever happens meanwhile; the folder must be there.

    Raises:
        OSError: it cannot be written.
    """
    replace_bytes(path, text.encode("utf-8"), mode=mode)


def replace_bytes(path: Path, content: bytes, *, mode: int = _PRIVATE_MODE) -> None:
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
