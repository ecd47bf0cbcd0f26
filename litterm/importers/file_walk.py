"""The files under a path that are read: no link leads out of it, and nothing that the system makes up is a file."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from litterm.importers.byte_sources import printable
from litterm.model.library import Failure

_SYSTEM_FOLDERS: Final = ("/proc", "/sys")
"""Their files have no size and may have no end; reading some waits for something to happen."""
_SYSTEM_FILE_MESSAGE: Final = "A file of the system itself, which holds no paper; left out."
LEADS_OUT_MESSAGE: Final = "A link that leads out of the folder; name it to `litterm add` to have it read."


@dataclass(frozen=True, slots=True)
class FileEntry:
    """A regular file."""

    path: Path
    size: int
    modified_ns: int


def walk_files(path: Path) -> Iterator[FileEntry | Failure]:
    """`path` itself, or every visible file under it, sorted by name folder by folder.

    A folder reached twice, by a link, is read once. Hidden files and folders are left out, and links that lead out of
    `path`: whoever has packed a folder must not choose which other files of its reader are read. `path` itself may be a
    link, as somebody has named it. What the system makes up while it is read (`/proc`, `/sys`) is left out, too.
    """
    seen: set[tuple[int, int]] = set()
    waiting = [path]
    while waiting:
        current = waiting.pop()
        try:
            if cause := _why_left_out(current, path):
                yield Failure(printable(str(current)), cause)
                continue
            status = current.stat()
            if stat.S_ISDIR(status.st_mode):
                # By device and number and not by name: a link may lead back to a folder above it.
                key = (status.st_dev, status.st_ino)
                if key not in seen:
                    seen.add(key)
                    waiting.extend(_children(current))
                continue
        except (OSError, ValueError) as error:
            # Permissions can be fixed, and then the same path is worth another try.
            gone = isinstance(error, FileNotFoundError) and not current.is_symlink()
            yield Failure(
                printable(str(current)),
                _cause(error, current),
                transient=isinstance(error, PermissionError),
                missing="file" if gone else "record",
            )
            continue
        if stat.S_ISREG(status.st_mode):
            yield FileEntry(current, status.st_size, status.st_mtime_ns)
        else:
            yield Failure(printable(str(current)), "Not a file or folder.")


def _why_left_out(current: Path, root: Path) -> str:
    """Why a file or folder under `root` is not read; empty if it is."""
    place = os.path.realpath(current)
    if any(place == folder or place.startswith(f"{folder}/") for folder in _SYSTEM_FOLDERS):
        return _SYSTEM_FILE_MESSAGE
    if current == root or not current.is_symlink() or not os.path.lexists(place):
        return ""
    inside = os.path.realpath(root)
    return "" if place == inside or place.startswith(f"{inside.rstrip('/')}/") else LEADS_OUT_MESSAGE


def _children(folder: Path) -> list[Path]:
    # Backwards, because the walk takes from the end of what waits.
    names = sorted((child.name for child in folder.iterdir() if not child.name.startswith(".")), reverse=True)
    return [folder / name for name in names]


def _cause(error: OSError | ValueError, path: Path) -> str:
    if isinstance(error, FileNotFoundError):
        return "A link that leads nowhere." if path.is_symlink() else "There is no such file or folder."
    if isinstance(error, PermissionError):
        return "You may not read it: check its permissions."
    if isinstance(error, OSError):
        return f"Cannot be read: {error.strerror or error}."
    return "Not a valid path."
