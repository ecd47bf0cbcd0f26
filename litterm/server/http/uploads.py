"""Files on their way to the server: how many of one user, how many bytes in all, and how much of the disk."""

from __future__ import annotations

import shutil
import threading
from dataclasses import dataclass, field
from pathlib import Path

from litterm.server.protocol.error_mapping import BUSY, Refused
from litterm.server.users.limits import ServerLimits

_RETRY_AFTER_S = 30
_TOO_MANY_OF_ONE = "{:,} of your files are being imported already; send the next when one of them is done."
_NO_ROOM = "The files that are being sent take all the room that the server has for them; try again when they are done."
_DISK_SHARE = 0.5
"""Of the free space, for files that arrive: their papers take about as much again."""


@dataclass(eq=False, slots=True)
class Upload:
    """A file in a folder of its own, from its first byte to the end of its import."""

    user: str
    folder: Path
    name: str
    retry: bool
    reserved_bytes: int
    """What its sender said or, where that is more, what has arrived."""
    bytes: int = 0
    is_cancelled: threading.Event = field(default_factory=threading.Event)

    @property
    def path(self) -> Path:
        """Where its bytes are written."""
        return self.folder / self.name


class Uploads:
    """The files that are arriving, wait, or are being imported."""

    def __init__(self, limits: ServerLimits) -> None:
        self._limits = limits
        self._uploads: set[Upload] = set()
        self._lock = threading.Lock()

    def check_user(self, user: str) -> None:
        """Checks whether `user` may send another file.

        Raises:
            Refused: as many as are allowed are on their way.
        """
        with self._lock:
            count = sum(upload.user == user for upload in self._uploads)
        if count >= self._limits.uploads_per_user:
            raise Refused(BUSY, "LibraryServerBusy", _TOO_MANY_OF_ONE.format(count), retry_after_s=_RETRY_AFTER_S)

    def begin(self, upload: Upload) -> None:
        """Counts a file from now on.

        Raises:
            Refused: too many of its user, or too many bytes, are on their way.
        """
        self.check_user(upload.user)
        with self._lock:
            self._check_room(upload, upload.reserved_bytes)
            self._uploads.add(upload)

    def grow(self, upload: Upload, size: int) -> None:
        """Counts `size` bytes that have arrived.

        Raises:
            Refused: more bytes have come than were announced, and there is no room for them.
        """
        upload.bytes += size
        if upload.bytes > upload.reserved_bytes:
            with self._lock:
                self._check_room(upload, upload.bytes - upload.reserved_bytes)
                upload.reserved_bytes = upload.bytes

    def end(self, upload: Upload) -> None:
        """Removes a file and forgets it."""
        shutil.rmtree(upload.folder, ignore_errors=True)
        with self._lock:
            self._uploads.discard(upload)

    def _check_room(self, upload: Upload, added: int) -> None:
        reserved = sum(other.reserved_bytes for other in self._uploads) + added
        arrived = sum(other.bytes for other in self._uploads)
        free = shutil.disk_usage(upload.folder).free + arrived
        if reserved > min(self._limits.all_uploads_bytes, free * _DISK_SHARE):
            raise Refused(BUSY, "LibraryServerBusy", _NO_ROOM, retry_after_s=_RETRY_AFTER_S)
