"""The files in which an earlier version stored its small state, and how they move into `state.db`.

They move when the state is first used: all rows in one transaction, then the files into `old-format/`. A process that
is killed in between is no harm: the next one reads the same files again, and rows that are there already stay.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from litterm.core.durable_files import new_key, sync_folder, translate_write_errors

if TYPE_CHECKING:
    from sqlite3 import Connection

OLD_FOLDER = "old-format"
"""Folder of a library with the files that have moved; nothing reads them."""
_PATTERNS = (
    "failures", "matrices/*", "trajectories/*", "subscriptions/*.json",
    "session.json", "project.json", "drafts.json", "projects/*.json",
)  # fmt: skip
"""What an earlier version had in the folder of a library."""


@dataclass(frozen=True, slots=True)
class OldRows:
    """The rows of one store of an earlier version."""

    paths: tuple[Path, ...]
    """The files and folders that they were read from."""
    inserts: Sequence[tuple[str, Sequence[tuple[object, ...]]]]
    """Statements, each with the values of its rows; what is there already must stay."""

    def insert(self, connection: Connection) -> None:
        """Adds the rows in the transaction of the caller."""
        # Another process may have moved them, and what was deleted since must not come back.
        if not all(path.exists() for path in self.paths):
            return
        for statement, rows in self.inserts:
            connection.executemany(statement, rows)


def has_old_files(root: Path) -> bool:
    """Whether there is anything to move; a few stats."""
    return any(any(root.glob(pattern)) for pattern in _PATTERNS)


def list_old_files(root: Path) -> tuple[Path, ...]:
    """What is still to be moved."""
    return tuple(path for pattern in _PATTERNS for path in sorted(root.glob(pattern)))


def read_old_files(root: Path) -> tuple[OldRows, ...]:
    """All that an earlier version stored, without what cannot be read."""
    # Here, as each store knows its own old format.
    from litterm.library.state.failures import old_failures
    from litterm.library.state.runs import old_runs
    from litterm.library.state.sessions import old_sessions
    from litterm.library.state.subscriptions import old_subscriptions

    readers = (old_failures, old_runs, old_sessions, old_subscriptions)
    return tuple(rows for read in readers for rows in read(root))


def set_aside(root: Path, moved: Iterable[Path]) -> None:
    """Moves the files `moved` of the library out of the way.

    Raises:
        LibraryError: they cannot be moved.
    """
    for path in moved:
        target = root / OLD_FOLDER / path.relative_to(root)
        with translate_write_errors(target):
            target.parent.mkdir(parents=True, exist_ok=True)
            # An older litterm that still ran may have written it once more.
            target = target.with_name(f"{target.name}.{new_key()}") if target.exists() else target
            try:
                path.rename(target)
            except FileNotFoundError:
                # Another process was faster.
                continue
            sync_folder(path.parent)
            if path.parent != root:
                # Not where an older litterm still has something in it.
                with suppress(OSError):
                    path.parent.rmdir()
