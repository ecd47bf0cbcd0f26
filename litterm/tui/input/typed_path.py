"""A path as a user brings it: typed, dropped on the terminal, or pasted."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote

_FILE_SCHEME = "file://"


def typed_path(typed: str) -> Path:
    """The path meant. A terminal quotes the path of a file that is dropped on it; a file manager pastes `file://`."""
    text = typed.strip().strip("'\"")
    if text.startswith(_FILE_SCHEME):
        text = unquote(text.removeprefix(_FILE_SCHEME))
    return Path(text).expanduser()
