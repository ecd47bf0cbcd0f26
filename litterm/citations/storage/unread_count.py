"""The number of reference lists still to be read, in a file of the graph's folder: one stat where there are none."""

from __future__ import annotations

from pathlib import Path

from litterm.core.durable_files import replace_file
from litterm.text.plural import count_phrase

UNREAD_FILE = "unread"
"""Name of the file."""


def unread_lists(folder: Path) -> int:
    """The stored number of lists of the graph in `folder` that are not read yet."""
    try:
        return int((folder / UNREAD_FILE).read_bytes())
    except (OSError, ValueError):
        return 0


def store_unread(folder: Path, count: int) -> None:
    """Stores how many lists are left.

    Raises:
        DiskFull: it could not be written.
    """
    path = folder / UNREAD_FILE
    if count:
        replace_file(path, str(count).encode())
    else:
        path.unlink(missing_ok=True)


def unread_notice(count: int) -> str:
    """One sentence for the user; empty where all lists are read."""
    if not count:
        return ""
    lists = count_phrase(count, "reference list")
    verb = "is" if count == 1 else "are"
    return f"{lists} {verb} not read yet, and what they cite is missing; reading them goes on in the background."
