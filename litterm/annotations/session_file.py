"""The one small file that brings a session back; two workbenches on one library overwrite each other's, whole."""

from __future__ import annotations

import json
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from pathlib import Path

from litterm.core.durable_files import replace_file, writing
from litterm.core.json_fields import mapping


class SessionFile:
    """A file that brings a session back; the last writer wins."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def load(self) -> Mapping[str, object]:
        """What was saved last; empty if nothing was, or if it cannot be read."""
        try:
            return mapping(json.loads(self._path.read_bytes()))
        except (OSError, ValueError, TypeError):
            return {}

    def save(self, body: Mapping[str, object]) -> None:
        """Replaces the file at once, so that a crash leaves the old one.

        Raises:
            DiskFull: it could not be written.
        """
        with writing(self._path):
            self._path.parent.mkdir(parents=True, exist_ok=True)
        # A query pasted from a terminal may hold half a character.
        content = json.dumps(body, ensure_ascii=False).encode("utf-8", "backslashreplace")
        # Queries and commands tell what one works on, which others who use the library need not see.
        replace_file(self._path, content, private=True)


def last_project(folder: Path) -> SessionFile:
    """Which project of the library `folder` was used last."""
    return SessionFile(folder / "project.json")


def project_session(folder: Path, project: str) -> SessionFile:
    """The session file of a project in the library `folder`; of the one there always is with an empty name."""
    if not project:
        return SessionFile(folder / "session.json")
    # Any name makes a file name this way, on any file system, and no two make the same.
    name = urlsafe_b64encode(project.encode()).decode().rstrip("=")
    return SessionFile(folder / "projects" / f"{name}.json")
