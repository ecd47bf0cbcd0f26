"""Long runs in the state of a library: what each has done so far, and a lease for the process that continues it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from litterm.core.durable_files import new_key, utc_now
from litterm.library.lock import WriteLock, read_holder
from litterm.library.state.connection import StateDatabase
from litterm.library.state.row_codec import ADD_RUN, ADD_RUN_ENTRY, RunKind, encode_json

RunEntry = tuple[str, str, Mapping[str, object]]
"""Time (UTC, ISO 8601), kind and body."""


class Runs:
    """The runs of one kind, by id; ids sort by the time a run was begun. What is appended is durable."""

    def __init__(self, state: StateDatabase, kind: RunKind) -> None:
        self._state = state
        self._kind = kind

    def begin(self, request: Mapping[str, object]) -> str:
        """Begins a run, whose first entry holds the `request`; returns its id.

        Raises:
            DiskFull: it could not be written.
        """
        # Sorts by time by itself, so that no index of runs has to be kept.
        run_id, time, body = new_key(), utc_now(), encode_json(request)
        with self._state.write() as connection:
            connection.execute(ADD_RUN, (run_id, self._kind))
            connection.execute(ADD_RUN_ENTRY, (run_id, 0, time, "asked", body))
        return run_id

    def ids(self) -> list[str]:
        """The id of every run, the newest first."""
        with self._state.read() as connection:
            rows = connection.execute("SELECT id FROM run WHERE kind = ? ORDER BY id DESC", (self._kind,))
            return [run_id for (run_id,) in rows]

    def append(self, run_id: str, kind: str, body: Mapping[str, object]) -> None:
        """Adds an entry; nothing where the run was removed meanwhile.

        Raises:
            DiskFull: it could not be written; nothing earlier is lost.
        """
        values = (run_id, utc_now(), kind, encode_json(body), run_id)
        with self._state.write() as connection:
            connection.execute(
                "INSERT INTO run_entry (run, number, at, kind, body)"
                " SELECT ?, max(number) + 1, ?, ?, ? FROM run_entry WHERE run = ? HAVING count(*) > 0",
                values,
            )

    def entries(self, run_id: str) -> list[RunEntry]:
        """All entries, oldest first; none of a run that does not exist."""
        with self._state.read() as connection:
            rows = connection.execute(
                "SELECT at, run_entry.kind, body FROM run_entry JOIN run ON run.id = run"
                " WHERE run = ? AND run.kind = ? ORDER BY number",
                (run_id, self._kind),
            ).fetchall()
        return [(time, kind, json.loads(body)) for time, kind, body in rows]

    def remove(self, run_id: str) -> None:
        """Deletes a run; the caller has its lease."""
        with self._state.write() as connection:
            connection.execute("DELETE FROM run_entry WHERE run = ?", (run_id,))
            connection.execute("DELETE FROM run WHERE id = ?", (run_id,))
        self._lease_path(run_id).unlink(missing_ok=True)

    def lease(self, run_id: str) -> WriteLock | None:
        """The right to continue with it, until `release` or the end of this process; `None` while another has it."""
        # Not a row: of a lock the system knows when its holder dies.
        lock = WriteLock(self._lease_path(run_id))
        return lock if lock.try_acquire() else None

    def holder(self, run_id: str) -> str:
        """The process that works on the run now, as far as is known."""
        return str(read_holder(self._lease_path(run_id)) or "another litterm")

    def _lease_path(self, run_id: str) -> Path:
        return self._state.root / "leases" / f"{run_id}.lock"
