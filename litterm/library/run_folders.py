"""Long runs on disk: a folder for each, with an append-only journal and a lock for the process that continues it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from litterm.core.durable_files import new_key
from litterm.library.journal import FileJournal
from litterm.library.lock import WriteLock, read_holder

_LOCK_FILE = "run.lock"


class RunFolders:
    """The runs in `folder`, by id; ids sort by the time a run was begun."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def begin(self, request: Mapping[str, object]) -> str:
        """Begins a run, whose first line holds the `request`; returns its id.

        Raises:
            DiskFull: it could not be written.
        """
        # Sorts by time by itself, so that no index of runs has to be kept.
        run_id = new_key()
        self.journal(run_id).append("asked", request)
        return run_id

    def ids(self) -> list[str]:
        """The id of every run, the newest first; none is opened, so that one without a whole first line is included."""
        if not self.folder.is_dir():
            return []
        return sorted((path.name for path in self.folder.iterdir() if path.name.isalnum()), reverse=True)

    def journal(self, run_id: str) -> FileJournal:
        """The journal of what the run has done so far."""
        return FileJournal(self.folder / run_id)

    def lease(self, run_id: str) -> WriteLock | None:
        """The right to continue with it, until `release` or the end of this process; `None` while another has it."""
        lock = WriteLock(self.folder / run_id / _LOCK_FILE)
        return lock if lock.try_acquire() else None

    def holder(self, run_id: str) -> str:
        """The process that works on the run now, as far as is known."""
        return str(read_holder(self.folder / run_id / _LOCK_FILE) or "another litterm")
