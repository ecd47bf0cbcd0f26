"""Backs up the user's own data: the library, what was written about papers of servers, and the settings.

Imports wait meanwhile, and everything else goes on: what others may change is copied first.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

from litterm.core.durable_files import sync_folder, translate_write_errors, utc_now
from litterm.core.errors import BadInput, ReadOnly
from litterm.core.filesystem import sync_file
from litterm.core.temporary_files import scratch_folder
from litterm.core.user_files import resolve_target
from litterm.core.version import __version__
from litterm.library.backup.archive import (
    CONFIG_NAME,
    LIBRARY_PREFIX,
    SEGMENTS_PREFIX,
    SERVERS_PREFIX,
    SETTINGS_PREFIX,
    THEMES_PREFIX,
    ArchiveWriter,
    Member,
    sum_file,
)
from litterm.library.lock import WRITE_LOCK_FILE, WriteLock
from litterm.library.segments.manifest import read_manifest
from litterm.library.state.connection import STATE_FILE, StateDatabase
from litterm.model.backup import BackupContents, BackupReport
from litterm.model.events import Progress

if TYPE_CHECKING:
    from pathlib import Path

    from litterm.core.tasks import Task
    from litterm.model.backup import BackupPlaces

_TEMPORARY_FOLDERS = frozenset(("tmp", "merged", "leases", "segments"))
"""Folders of a library that hold nothing to keep; the segments are those that are listed."""
_TEMPORARY_SUFFIXES = (".lock", ".lock.owner", ".log", f"{STATE_FILE}-wal", f"{STATE_FILE}-shm", STATE_FILE)
_STEP = "packing"


@dataclass(frozen=True, slots=True)
class _Source:
    """A file and its name in the backup."""

    name: str
    path: Path


def back_up(places: BackupPlaces, target: Path, *, force: bool = False) -> Task[BackupReport]:
    """Writes the backup to `target`, which is whole or not there.

    Raises:
        BadInput: `target` is there and `force` is not given, or it lies in the library.
        DiskFull, LibraryError: it cannot be written, or the library cannot be read.
    """
    real = _check_target(places, target, force=force)
    lock = WriteLock(places.library / WRITE_LOCK_FILE)
    if places.library.is_dir():
        # In a library that cannot be written to nobody else writes, either.
        with suppress(ReadOnly):
            yield from lock.acquire()
    try:
        with scratch_folder() as scratch:
            return (yield from _write(places, real, scratch))
    finally:
        lock.release()


def _check_target(places: BackupPlaces, target: Path, *, force: bool) -> Path:
    real = resolve_target(target, force=force)
    if not real.parent.is_dir():
        raise BadInput(f"{real.parent}: there is no such folder.")
    if real.exists() and not force:
        raise BadInput(f"{target} is there already; name another file, or replace it with --force.")
    if real.resolve().is_relative_to(places.library.resolve()):
        raise BadInput(f"{target} lies in the library itself; name a file elsewhere, at best on another disk.")
    return real


def _write(places: BackupPlaces, target: Path, scratch: Path) -> Task[BackupReport]:
    yield Progress("collecting what is backed up")
    manifest = read_manifest(places.library)
    sources = [
        *_library_sources(places.library, LIBRARY_PREFIX, scratch),
        *_segment_sources(places.library, [entry.key for entry in manifest.segments]),
        *_server_sources(places.servers, scratch),
        *_settings_sources(places, scratch),
    ]
    summed: list[tuple[Member, Path]] = []
    for source in sources:
        summed.append((sum_file(source.path, source.name), source.path))
        yield Progress("reading", len(summed), len(sources))
    members = [member for member, _ in summed]
    contents = BackupContents(utc_now(), __version__, manifest.papers, len(members), _bytes_by_part(members))
    # Beside it, so that it is renamed within one file system; hidden, and of this process alone.
    fresh = target.with_name(f".{target.name[:100]}.{os.getpid()}.part")
    with translate_write_errors(target):
        try:
            with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
                yield from _pack(file, contents, summed)
                sync_file(file.fileno())
            fresh.replace(target)
            sync_folder(target.parent)
        finally:
            fresh.unlink(missing_ok=True)
    return BackupReport(contents, target, target.stat().st_size)


def _pack(file: IO[bytes], contents: BackupContents, summed: list[tuple[Member, Path]]) -> Task[None]:
    total, done = sum(member.size for member, _ in summed), 0
    writer = ArchiveWriter(file, contents, (member for member, _ in summed))
    for member, path in summed:
        for written in writer.add(member, path):
            done += written
            yield Progress(_STEP, done, total, "bytes")
    writer.close()
    file.flush()


def _library_sources(root: Path, prefix: str, scratch: Path) -> Iterator[_Source]:
    """Everything of a library but its segments, as copies: other processes append to it and replace it."""
    if not root.is_dir():
        return
    for path in sorted(root.rglob("*")):
        relative = path.relative_to(root)
        if relative.parts[0] in _TEMPORARY_FOLDERS or any(part.startswith(".") for part in relative.parts):
            continue
        if path.is_symlink() or not path.is_file() or path.name.endswith(_TEMPORARY_SUFFIXES):
            continue
        if path.match("manifest-*.json") and path.name != _current_manifest(root):
            continue
        yield _copy(path, f"{prefix}{relative.as_posix()}", scratch)
    if (root / STATE_FILE).exists():
        yield _copy_state(root, f"{prefix}{STATE_FILE}", scratch)


def _current_manifest(root: Path) -> str:
    return f"manifest-{read_manifest(root).generation}.json"


def _segment_sources(root: Path, keys: list[str]) -> Iterator[_Source]:
    for key in keys:
        folder = root / "segments" / key
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                yield _Source(f"{SEGMENTS_PREFIX}{key}/{path.relative_to(folder).as_posix()}", path)


def _server_sources(servers: Path, scratch: Path) -> Iterator[_Source]:
    folders = sorted(servers.iterdir()) if servers.is_dir() else []
    for folder in folders:
        if folder.is_dir() and not folder.is_symlink():
            yield from _library_sources(folder, f"{SERVERS_PREFIX}{folder.name}/", scratch)


def _settings_sources(places: BackupPlaces, scratch: Path) -> Iterator[_Source]:
    """The settings file and the themes: what else is in that folder are keys, tokens and users."""
    if places.config.is_file():
        yield _copy(places.config, CONFIG_NAME, scratch)
    for path in sorted(places.themes.glob("*.toml")):
        if path.is_file():
            yield _copy(path, f"{THEMES_PREFIX}{path.name}", scratch)


def _copy(path: Path, name: str, scratch: Path) -> _Source:
    copy = scratch / name
    copy.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(path, copy)
    return _Source(name, copy)


def _copy_state(root: Path, name: str, scratch: Path) -> _Source:
    """The database as it is in one transaction, with what is in its log alone."""
    import sqlite3

    copy = scratch / name
    copy.parent.mkdir(parents=True, exist_ok=True)
    state = StateDatabase(root)
    try:
        with closing(sqlite3.connect(copy)) as target, state.read() as connection:
            connection.backup(target)
    finally:
        state.close()
    copy.chmod(0o600)
    return _Source(name, copy)


def _bytes_by_part(members: list[Member]) -> tuple[tuple[str, int], ...]:
    parts = {"papers and full texts": 0, "marks, notes and state": 0, "settings": 0}
    for member in members:
        if member.name.startswith(SEGMENTS_PREFIX):
            parts["papers and full texts"] += member.size
        elif member.name.startswith(SETTINGS_PREFIX):
            parts["settings"] += member.size
        else:
            parts["marks, notes and state"] += member.size
    return tuple(parts.items())
