"""Files of JSON lines that only grow: how a line is written, and how a change of the file is noticed."""

from __future__ import annotations

import json
from pathlib import Path

SMALL_FILE_BYTES = 1 << 20
"""Bytes below which lines that were replaced are left in the file."""


def encoded_line(value: object) -> bytes:
    """`value` as one line of JSON; a lone surrogate, which UTF-8 cannot hold, is written as an escape."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "backslashreplace") + b"\n"


def file_version(path: Path) -> tuple[int, int] | None:
    """Which file is at `path`, and how much is in it; `None` where there is none.

    One stat: a file that only grows has changed where its size has, and a rewritten one has another inode.
    """
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ino, status.st_size
