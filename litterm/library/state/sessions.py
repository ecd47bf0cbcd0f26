"""What the workbench restores at its next start: if two share a library, the last one to save wins."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Final

from litterm.core.durable_files import replace_file
from litterm.core.errors import DatabaseDamaged, StateBusy
from litterm.library.state.connection import KEY_WAIT_S, StateDatabase
from litterm.library.state.row_codec import PROJECT_PREFIX, decode_session, encode_json

LATE_FILE: Final = "session-late.json"
"""Beside `state.db`: rows, by name, that it could not take at the end of a process. Each holds until it is saved."""
END_WAIT_S: Final = 1.0
"""How long the end of a process waits for another one that is writing."""
_log = logging.getLogger(__name__)


class SessionRow:
    """A JSON object that is replaced as a whole."""

    def __init__(self, state: StateDatabase, name: str) -> None:
        self._state = state
        self._name = name
        self._late_file = state.root / LATE_FILE

    def load(self) -> Mapping[str, object]:
        """What was saved last; empty if there is nothing or it cannot be read."""
        late = self._late_rows().get(self._name)
        if isinstance(late, Mapping):
            return late
        try:
            with self._state.read() as connection:
                row = connection.execute("SELECT body FROM session WHERE name = ?", (self._name,)).fetchone()
            return {} if row is None else decode_session(row[0])
        except DatabaseDamaged as error:
            # Without its session the workbench starts all the same; `doctor` says what is damaged.
            _log.warning("%s", error)
            return {}

    def save(self, body: Mapping[str, object], wait_s: float = KEY_WAIT_S) -> None:
        """Replaces it, durably.

        Raises:
            StateBusy: another process is writing, for longer than `wait_s`; a key does this, which must not wait.
            DiskFull: it could not be written.
        """
        with self._state.write(wait_s) as connection:
            row = (self._name, encode_json(body))
            connection.execute("INSERT OR REPLACE INTO session (name, body) VALUES (?, ?)", row)
        self._forget_late_row()

    def save_at_end(self, body: Mapping[str, object]) -> None:
        """As `save`, for a process that ends: what the database cannot take is in a file, from which `load` reads it.

        Raises:
            ReadOnly, DiskFull: neither could be written.
        """
        try:
            self.save(body, END_WAIT_S)
        except StateBusy:
            self._write_late_rows({**self._late_rows(), self._name: body})

    def remove(self) -> None:
        """Removes it.

        Raises:
            StateBusy: another process is writing.
        """
        with self._state.write(KEY_WAIT_S) as connection:
            connection.execute("DELETE FROM session WHERE name = ?", (self._name,))
        self._forget_late_row()

    def _late_rows(self) -> Mapping[str, object]:
        return _read_late_rows(self._state)

    def _write_late_rows(self, rows: Mapping[str, object]) -> None:
        replace_file(self._late_file, encode_json(rows).encode(), private=True)

    def _forget_late_row(self) -> None:
        """Drops the row from the file, as a newer one is in the database."""
        rows = {name: body for name, body in self._late_rows().items() if name != self._name}
        if rows:
            self._write_late_rows(rows)
        else:
            self._late_file.unlink(missing_ok=True)


def rows_below(state: StateDatabase, prefix: str) -> Mapping[str, Mapping[str, object]]:
    """By name, the rows whose names begin with `prefix`; none if they cannot be read."""
    try:
        with state.read() as connection:
            query = "SELECT name, body FROM session WHERE substr(name, 1, ?) = ?"
            stored = connection.execute(query, (len(prefix), prefix)).fetchall()
    except DatabaseDamaged as error:
        _log.warning("%s", error)
        stored = []
    late = {name: body for name, body in _read_late_rows(state).items() if name.startswith(prefix)}
    return {name: decode_session(body) for name, body in stored} | {
        name: body for name, body in late.items() if isinstance(body, Mapping)
    }


def _read_late_rows(state: StateDatabase) -> Mapping[str, object]:
    try:
        return decode_session((state.root / LATE_FILE).read_bytes())
    except OSError:
        return {}


def last_project(state: StateDatabase) -> SessionRow:
    """Which project was used last."""
    return SessionRow(state, "project")


def project_session(state: StateDatabase, project: str) -> SessionRow:
    """The session of the project with this key, which is empty for the default project."""
    return SessionRow(state, f"{PROJECT_PREFIX}{project}" if project else "session")


def search_options(state: StateDatabase, project: str) -> SessionRow:
    """How queries are searched in the project with this key."""
    return SessionRow(state, f"searching/{project}")


def watched_files(state: StateDatabase, folder: str) -> SessionRow:
    """Size and time of each file of the watched folder with this key, as they were when it was last imported."""
    return SessionRow(state, f"folders/{folder}")


def draft_decisions(state: StateDatabase) -> SessionRow:
    """What was decided about the open marks of drafts."""
    return SessionRow(state, "drafts")


def written_answer(state: StateDatabase, name: str) -> SessionRow:
    """The answer of a model that was kept under this name, with what was decided about its sentences."""
    return SessionRow(state, f"written-answer/{name}")


def study_aspects(state: StateDatabase, name: str) -> SessionRow:
    """The study aspects that were kept under this name."""
    return SessionRow(state, f"study-aspects/{name}")
