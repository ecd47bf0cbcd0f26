"""What the workbench restores at its next start: if two share a library, the last one to save wins."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from litterm.core.errors import DatabaseDamaged
from litterm.library.state.connection import KEY_WAIT_S, StateDatabase
from litterm.library.state.row_codec import PROJECT_PREFIX, decode_session, encode_json

_log = logging.getLogger(__name__)


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
            return {} if row is None else decode_session(row[0])
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
    return SessionRow(state, f"{PROJECT_PREFIX}{project}" if project else "session")


def watched_files(state: StateDatabase, folder: str) -> SessionRow:
    """Size and time of each file of the watched folder with this key, as they were when it was last imported."""
    return SessionRow(state, f"folders/{folder}")


def draft_decisions(state: StateDatabase) -> SessionRow:
    """What was decided about the open marks of drafts."""
    return SessionRow(state, "drafts")
