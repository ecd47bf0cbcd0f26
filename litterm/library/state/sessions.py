"""What the workbench restores at its next start: if two share a library, the last one to save wins."""

from __future__ import annotations

import json
import logging
from base64 import urlsafe_b64decode
from collections.abc import Iterator, Mapping
from pathlib import Path

from litterm.core.errors import DatabaseDamaged
from litterm.core.json_fields import mapping
from litterm.library.state.connection import KEY_WAIT_S, StateDatabase, encode_json
from litterm.library.state.old_files import OldRows

_log = logging.getLogger(__name__)
_PROJECT_PREFIX = "projects/"


class SessionRow:
    """A JSON object that is replaced as a whole."""

    def __init__(self, state: StateDatabase, name: str) -> None:
        self._state = state
        self._name = name

    def load(self) -> Mapping[str, object]:
        """What was saved last; empty if there is nothing or it cannot be read."""
        try:
            with self._state.read() as connection:
                row = connection.execute("SELECT body FROM session WHERE name = ?", (self._name,)).fetchone()
            return {} if row is None else _decode(row[0])
        except DatabaseDamaged as error:
            # Without its session the workbench starts all the same; `doctor` says what is damaged.
            _log.warning("%s", error)
            return {}

    def save(self, body: Mapping[str, object]) -> None:
        """Replaces it, durably.

        Raises:
            StateBusy: another process is writing; a key does this, which must not wait.
            DiskFull: it could not be written.
        """
        with self._state.write(KEY_WAIT_S) as connection:
            row = (self._name, encode_json(body))
            connection.execute("INSERT OR REPLACE INTO session (name, body) VALUES (?, ?)", row)


def last_project(state: StateDatabase) -> SessionRow:
    """Which project was used last."""
    return SessionRow(state, "project")


def project_session(state: StateDatabase, project: str) -> SessionRow:
    """The session of the project with this key, which is empty for the default project."""
    return SessionRow(state, f"{_PROJECT_PREFIX}{project}" if project else "session")


def draft_decisions(state: StateDatabase) -> SessionRow:
    """What was decided about the open marks of drafts."""
    return SessionRow(state, "drafts")


def old_sessions(root: Path) -> Iterator[OldRows]:
    """Those of a library of an earlier version, which had a file for each."""
    names = {root / f"{name}.json": name for name in ("session", "project", "drafts")}
    names |= {path: _old_project_name(path) for path in (root / "projects").glob("*.json")}
    for path, name in names.items():
        if path.exists():
            body = _decode(path.read_bytes())
            rows = [(name, encode_json(body))] if name and body else []
            yield OldRows((path,), [("INSERT OR IGNORE INTO session (name, body) VALUES (?, ?)", rows)])


def _old_project_name(path: Path) -> str:
    """The name of its row, from the key of the project in letters that any file name may have; empty for no key."""
    try:
        key = urlsafe_b64decode(path.stem + "=" * (-len(path.stem) % 4)).decode()
    except ValueError:
        return ""
    return f"{_PROJECT_PREFIX}{key}"


def _decode(body: str | bytes) -> Mapping[str, object]:
    try:
        return mapping(json.loads(body))
    except (ValueError, TypeError):
        return {}
