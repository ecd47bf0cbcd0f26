"""Folders whose new and changed files are imported: which these are, and what is kept of them."""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from litterm.core.errors import DatabaseDamaged, StateBusy, UsageError
from litterm.core.tasks import Task
from litterm.importers.file_walk import FileEntry, walk_files
from litterm.importers.reader import FileReader
from litterm.library.import_files import add
from litterm.library.state.connection import StateDatabase
from litterm.library.state.failures import FailureList, mark_resolved
from litterm.library.state.sessions import watched_files
from litterm.model.library import ImportReport

if TYPE_CHECKING:
    from litterm.interfaces import Records
    from litterm.library.writer.library_writer import LibraryWriter

FileStamp = tuple[int, int]
"""Size in bytes, and the time of the last change in nanoseconds."""
_UNFINISHED_SUFFIXES: Final = (".part", ".crdownload", ".download", ".partial", ".tmp", "~")
"""Of files that browsers and editors have not written to their end."""
_log = logging.getLogger(__name__)


class WatchedFolders:
    """Finds what is new or changed below a folder, and imports it.

    A file whose size and time are those of the last import is not opened; one whose content is known is not read.
    """

    def __init__(
        self,
        state: StateDatabase,
        reader: Callable[[], FileReader],
        writer: Callable[[], LibraryWriter],
        records: Callable[[], Records],
    ) -> None:
        self._state = state
        self._reader = reader
        self._writer = writer
        self._records = records
        self._failures = FailureList(state)
        self._known: dict[Path, tuple[int | None, Mapping[str, FileStamp]]] = {}
        """By folder the stamps, with the version of the state in which they were read."""

    def changed(self, folder: Path) -> Mapping[str, FileStamp]:
        """The new and changed files below `folder`, by path; empty files and unfinished downloads are left out.

        Raises:
            UsageError: there is no such folder.
        """
        return _without_known(_look(folder), self._stamps(folder))

    def sync(self, folder: Path, files: Mapping[str, FileStamp] | None = None) -> Task[ImportReport]:
        """Imports the new and changed files below `folder`, or those of them that are `files`.

        Files that are gone leave their papers in the library. A file that fails is listed as a failure, and read again
        when it has changed or the failure is retried.

        Raises:
            UsageError: there is no such folder.
            LibraryError: the library cannot be written at all.
        """
        present, known = _look(folder), self._stamps(folder)
        changed = _without_known(present, known)
        if files is not None:
            changed = {path: stamp for path, stamp in changed.items() if path in files}
        report = ImportReport()
        if changed:
            reader = self._reader().with_attached_files().limited_to(changed)
            report = yield from add(self._writer(), reader, self._failures, [folder])
            mark_resolved(self._failures, self._records())
        # As they were before they were read: whatever was written to a file since makes it a changed one.
        kept = {path: stamp for path, stamp in known.items() if path in present} | changed
        if kept != known:
            self._save(folder, kept)
        return replace(report, skipped_files=report.skipped_files + len(present) - len(changed))

    def _stamps(self, folder: Path) -> Mapping[str, FileStamp]:
        try:
            version = self._state.version()
        except DatabaseDamaged:
            # By their content the files are still known; `doctor` says what is damaged.
            return {}
        # Asked for every few seconds.
        if version is None or folder not in self._known or self._known[folder][0] != version:
            self._known[folder] = (version, _decode(watched_files(self._state, _key(folder)).load()))
        return self._known[folder][1]

    def _save(self, folder: Path, stamps: Mapping[str, FileStamp]) -> None:
        try:
            watched_files(self._state, _key(folder)).save({path: list(stamp) for path, stamp in stamps.items()})
        except StateBusy as error:
            # The next import opens these files once more, and finds their content known.
            _log.warning("watched folder: %s", error)


def _look(folder: Path) -> dict[str, FileStamp]:
    """The files below `folder` as they are now, by path.

    Raises:
        UsageError: there is no such folder.
    """
    if not folder.is_dir():
        raise UsageError(f"there is no folder {folder}")
    entries = (entry for entry in walk_files(folder.absolute()) if isinstance(entry, FileEntry))
    return {
        str(entry.path): (entry.size, entry.modified_ns)
        for entry in entries
        if entry.size and not entry.path.name.lower().endswith(_UNFINISHED_SUFFIXES)
    }


def _without_known(present: Mapping[str, FileStamp], known: Mapping[str, FileStamp]) -> dict[str, FileStamp]:
    return {path: stamp for path, stamp in present.items() if known.get(path) != stamp}


def _decode(body: Mapping[str, object]) -> dict[str, FileStamp]:
    stamps: dict[str, FileStamp] = {}
    for path, stamp in body.items():
        match stamp:
            case [int() as size, int() as modified_ns]:
                stamps[path] = (size, modified_ns)
            case _:
                # Written by another version: the file is opened once more.
                continue
    return stamps


def _key(folder: Path) -> str:
    """The name of the folder in the state; paths may hold bytes that are no text."""
    return hashlib.sha256(os.fsencode(folder.absolute())).hexdigest()[:16]
