"""The files in which an earlier version stored its small state, and how they move into `state.db`.

They move when the state is first used: all rows in one transaction, then the files into `old-format/`. A process that
is killed in between is no harm: the next one reads the same files again, and rows that are there already stay.
"""

from __future__ import annotations

from base64 import urlsafe_b64decode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from litterm.core.durable_files import new_key, sync_folder, translate_write_errors
from litterm.library.journal import FileJournal
from litterm.library.lock import is_locked
from litterm.library.state.row_codec import (
    ADD_RUN,
    ADD_RUN_ENTRY,
    PROJECT_PREFIX,
    RunKind,
    decode_failure,
    decode_session,
    decode_subscription,
    encode_failure,
    encode_json,
    encode_subscription,
)

if TYPE_CHECKING:
    from sqlite3 import Connection

EARLIER_FOLDER = "old-format"
"""Folder of a library with the files that have moved; nothing reads them."""
_PATTERNS = (
    "failures", "matrices/*", "trajectories/*", "subscriptions/*.json",
    "session.json", "project.json", "drafts.json", "projects/*.json",
)  # fmt: skip
"""What an earlier version had in the folder of a library."""
_RUN_FOLDERS: Mapping[RunKind, str] = {"matrix": "matrices", "trajectory": "trajectories"}
_RUN_LOCK_FILE = "run.lock"


@dataclass(frozen=True, slots=True)
class EarlierRows:
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


def has_earlier_files(root: Path) -> bool:
    """Whether there is anything to move; a few stats."""
    return any(any(root.glob(pattern)) for pattern in _PATTERNS)


def earlier_state_paths(root: Path) -> tuple[Path, ...]:
    """What is still to be moved."""
    return tuple(path for pattern in _PATTERNS for path in sorted(root.glob(pattern)))


def read_earlier_files(root: Path) -> tuple[EarlierRows, ...]:
    """All that an earlier version stored, without what cannot be read."""
    readers = (_earlier_failures, _earlier_runs, _earlier_sessions, _earlier_subscriptions)
    return tuple(rows for read in readers for rows in read(root))


def _earlier_failures(root: Path) -> Iterator[EarlierRows]:
    """Those of a library of an earlier version, which kept them in a journal of their own."""
    folder = root / "failures"
    if not folder.is_dir():
        return
    rows: dict[str, tuple[str, str, str]] = {}
    for time, kind, body in FileJournal(folder).entries():
        origin = str(body.get("origin", ""))
        rows.pop(origin, None)
        if kind == "failed":
            rows[origin] = (encode_json(origin), time, encode_json(encode_failure(decode_failure(origin, time, body))))
    statement = "INSERT OR IGNORE INTO failure (origin, at, body) VALUES (?, ?, ?)"
    yield EarlierRows((folder,), [(statement, list(rows.values()))])


def _earlier_runs(root: Path) -> Iterator[EarlierRows]:
    """Those of a library of an earlier version, which had a folder with a journal for each."""
    for kind, name in _RUN_FOLDERS.items():
        for folder in sorted((root / name).glob("*")):
            # One that is being continued by an older litterm moves when that has ended.
            if not is_locked(folder / _RUN_LOCK_FILE):
                yield EarlierRows((folder,), _earlier_inserts(folder, kind))


def _earlier_inserts(folder: Path, kind: RunKind) -> Sequence[tuple[str, Sequence[tuple[object, ...]]]]:
    # What is not a run, or has no request as its first entry, was none for the older version either.
    entries = list(FileJournal(folder).entries()) if folder.name.isalnum() and folder.is_dir() else []
    if not entries:
        return ()
    rows = [
        (folder.name, number, time, entry_kind, encode_json(body))
        for number, (time, entry_kind, body) in enumerate(entries)
    ]
    return (ADD_RUN, [(folder.name, kind)]), (ADD_RUN_ENTRY, rows)


def _earlier_sessions(root: Path) -> Iterator[EarlierRows]:
    """Those of a library of an earlier version, which had a file for each."""
    names = {root / f"{name}.json": name for name in ("session", "project", "drafts")}
    names |= {path: _earlier_project_name(path) for path in (root / "projects").glob("*.json")}
    for path, name in names.items():
        if path.exists():
            body = decode_session(path.read_bytes())
            rows = [(name, encode_json(body))] if name and body else []
            yield EarlierRows((path,), [("INSERT OR IGNORE INTO session (name, body) VALUES (?, ?)", rows)])


def _earlier_project_name(path: Path) -> str:
    """The name of its row, from the key of the project in letters that any file name may have; empty for no key."""
    try:
        key = urlsafe_b64decode(path.stem + "=" * (-len(path.stem) % 4)).decode()
    except ValueError:
        return ""
    return f"{PROJECT_PREFIX}{key}"


def _earlier_subscriptions(root: Path) -> Iterator[EarlierRows]:
    """Those of a library of an earlier version, which had a file for each, named after its key."""
    for path in sorted((root / "subscriptions").glob("*.json")):
        subscription = decode_subscription(path.read_bytes())
        rows = [] if subscription is None else [(path.stem, encode_json(encode_subscription(subscription)))]
        yield EarlierRows((path,), [("INSERT OR IGNORE INTO subscription (key, body) VALUES (?, ?)", rows)])


def set_aside(root: Path, moved: Iterable[Path]) -> None:
    """Moves the files `moved` of the library out of the way.

    Raises:
        LibraryError: they cannot be moved.
    """
    for path in moved:
        target = root / EARLIER_FOLDER / path.relative_to(root)
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
