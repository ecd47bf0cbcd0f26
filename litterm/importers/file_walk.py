"""Lists the files under a path in a fixed order, and names loops, pipes and broken links without entering them."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from litterm.importers.byte_sources import printable
from litterm.model.library import Failure


@dataclass(frozen=True, slots=True)
class FileEntry:
    """A regular file."""

    path: Path
    size: int


def walk_files(path: Path) -> Iterator[FileEntry | Failure]:
    """`path` itself, or every visible file under it, sorted by name folder by folder.

    A folder reached twice, by a link, is read once. Hidden files and folders are left out.
    """
    seen: set[tuple[int, int]] = set()
    waiting = [path]
    while waiting:
        current = waiting.pop()
        try:
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
            yield Failure(printable(str(current)), _cause(error, current), transient=isinstance(error, PermissionError))
            continue
        if stat.S_ISREG(status.st_mode):
            yield FileEntry(current, status.st_size)
        else:
            yield Failure(printable(str(current)), "Not a file or folder.")


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
