"""Restores a backup: everything is unpacked beside the library and verified, then moved to its place.

Nothing that is there is replaced, and the library comes last and as a whole, so that a kill leaves none, and the same
command continues.
"""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

from litterm.core.durable_files import remove_tree, sync_folder, sync_tree, translate_write_errors
from litterm.core.errors import BadInput, DatabaseDamaged, DiskFull, LibraryError
from litterm.library.backup.archive import (
    CONFIG_NAME,
    LIBRARY_PREFIX,
    SERVERS_PREFIX,
    THEMES_PREFIX,
    ArchiveReader,
    open_archive,
)
from litterm.library.lock import WriteLock
from litterm.library.segments.connections import attach_read_only, connect, translate_errors
from litterm.library.segments.manifest import DATABASE, read_manifest
from litterm.library.state.connection import STATE_FILE, StateDatabase
from litterm.model.backup import BackupPlaces, RestoreReport
from litterm.model.events import Progress

if TYPE_CHECKING:
    from pathlib import Path

    from litterm.core.tasks import Task

_FOLDER_SETTINGS = ("library", "cache")
"""Settings that name folders of the machine that was backed up."""
_ADDRESS_SETTINGS = ("model.base_url", "server", "cluster", "segments")
_FORBIDDEN_SQL = (
    "SELECT count(*) FROM duckdb_views() WHERE database_name = 'checked' AND NOT internal UNION ALL"
    " SELECT count(*) FROM duckdb_functions() WHERE database_name = 'checked' AND NOT internal"
)


def restore(places: BackupPlaces, archive: Path) -> Task[RestoreReport]:
    """Restores the backup `archive` to `places`, where no library may be.

    Raises:
        BadInput: it is no backup, damaged, or holds what no backup holds; nothing was changed.
        LibraryTooNew: a newer litterm wrote it.
        LibraryError: there is a library already, or it cannot be written.
    """
    library = places.library
    _refuse_library(library)
    with translate_write_errors(library):
        library.parent.mkdir(parents=True, exist_ok=True)
    lock_file = library.with_name(f".{library.name}.restoring.lock")
    lock = WriteLock(lock_file)
    if not lock.try_acquire():
        raise LibraryError(f"Another litterm is restoring a backup to {library}.")
    staged = library.with_name(f".{library.name}.restoring")
    try:
        # What a killed process left.
        remove_tree(staged)
        with open_archive(archive) as reader:
            _check_space(reader, library.parent)
            yield from _unpack(reader, staged)
            contents = reader.list.contents
        yield Progress("verifying the databases")
        _check_staged(staged)
        notices = _move_into_place(places, staged)
        return RestoreReport(contents, library, notices)
    finally:
        remove_tree(staged)
        # Before it is given up: afterwards it may be another process's.
        lock_file.unlink(missing_ok=True)
        lock.release()


def _refuse_library(library: Path) -> None:
    if library.is_symlink() or (library.exists() and (not library.is_dir() or any(library.iterdir()))):
        raise LibraryError(
            f"There is a library in {library} already, and a backup replaces none: give --home with an empty folder,"
            " or move that folder away."
        )


def _check_space(reader: ArchiveReader, folder: Path) -> None:
    needed = sum(member.size for member in reader.list.members)
    free = shutil.disk_usage(folder).free
    if needed > free:
        raise DiskFull(
            f"The backup takes {needed / 1e6:,.0f} MB, and {folder} has {free / 1e6:,.0f} MB left: free some space and"
            " run it again; nothing was changed."
        )


def _unpack(reader: ArchiveReader, staged: Path) -> Task[None]:
    total, done = sum(member.size for member in reader.list.members), 0
    with translate_write_errors(staged):
        staged.mkdir(mode=0o700)
        for member, mode, pieces in reader.members():
            path = staged / member.name
            path.parent.mkdir(parents=True, exist_ok=True)
            with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
                for piece in pieces:
                    file.write(piece)
                    done += len(piece)
                    yield Progress("unpacking", done, total, "bytes")
        sync_tree(staged)


def _check_staged(staged: Path) -> None:
    """Opens what was unpacked, as far as it could do more than be read.

    Raises:
        BadInput: a database holds views or functions, or the settings have a fault.
    """
    from litterm.core.settings.config_file import write_settings

    library = staged / LIBRARY_PREFIX
    for entry in read_manifest(library).segments:
        _check_segment(library / "segments" / entry.key / DATABASE)
    for path in sorted(staged.rglob(STATE_FILE)):
        _check_state(path)
    if (config := staged / CONFIG_NAME).exists():
        # The folders of another machine would hide the library that is restored.
        write_settings(config, dict.fromkeys(_FOLDER_SETTINGS))


def _check_segment(path: Path) -> None:
    cursor = connect(threads=1, memory_mb=128)
    try:
        with translate_errors(path):
            attach_read_only(cursor, path, "checked")
            counts = cursor.execute(_FORBIDDEN_SQL).fetchall()
    finally:
        cursor.close()
    if any(count for (count,) in counts):
        raise BadInput(f"{path.parent.name} holds views or functions, as no segment of litterm does; not restored.")


def _check_state(path: Path) -> None:
    state = StateDatabase(path.parent)
    try:
        state.check()
        with state.read() as connection:
            others = connection.execute("SELECT count(*) FROM sqlite_schema WHERE type NOT IN ('table', 'index')")
            if others.fetchone()[0]:
                raise DatabaseDamaged(f"{STATE_FILE} holds views or triggers, as none of litterm does; not restored.")
    finally:
        state.close()


def _move_into_place(places: BackupPlaces, staged: Path) -> tuple[str, ...]:
    """The settings, then what was written about papers of servers, and the library last."""
    notices = [*_place_settings(places, staged)]
    for folder in sorted((staged / SERVERS_PREFIX).glob("*")):
        target = places.servers / folder.name
        if target.exists():
            notices.append(f"{target} stays as it is.")
            continue
        with translate_write_errors(target):
            target.parent.mkdir(parents=True, exist_ok=True)
            folder.rename(target)
            sync_folder(target.parent)
    library = staged / LIBRARY_PREFIX
    with translate_write_errors(places.library):
        library.mkdir(exist_ok=True)
        # Fails where the folder has got a file meanwhile: only an empty one is replaced.
        library.rename(places.library)
        sync_folder(places.library.parent)
    return tuple(notices)


def _place_settings(places: BackupPlaces, staged: Path) -> list[str]:
    notices: list[str] = []
    files = [(staged / CONFIG_NAME, places.config)]
    files += [(path, places.themes / path.name) for path in sorted((staged / THEMES_PREFIX).glob("*.toml"))]
    for source, target in files:
        if not source.exists():
            continue
        if target.exists():
            if target.read_bytes() != source.read_bytes():
                notices.append(f"{target} stays as it is, with other settings than those of the backup.")
            continue
        with translate_write_errors(target):
            target.parent.mkdir(parents=True, exist_ok=True)
            _place_file(source, target)
        if target == places.config:
            notices += _addresses(target)
    return notices


def _place_file(source: Path, target: Path) -> None:
    """Copies `source` to a name that must be free, whole or not at all; it may lie on another disk."""
    fresh = target.with_name(f".{target.name}.restoring")
    shutil.copy(source, fresh)
    try:
        with fresh.open("rb") as file:
            os.fsync(file.fileno())
        # Unlike a rename, a link never replaces a file.
        os.link(fresh, target)
    finally:
        fresh.unlink()
    sync_folder(target.parent)


def _addresses(config: Path) -> list[str]:
    from litterm.core.settings.config_file import read_file

    values = read_file(config)[0]
    return [f"The settings name {values[name]} as `{name}`." for name in _ADDRESS_SETTINGS if values.get(name)]
