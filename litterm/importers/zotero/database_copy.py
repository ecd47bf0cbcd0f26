"""Copies Zotero's databases while Zotero may be writing to them, and opens the copies.

Zotero locks its database for as long as it runs, so it is never opened: its bytes and those of its journal are copied,
and the copy is used only if nothing has changed meanwhile.
"""

from __future__ import annotations

import hashlib
import shutil
import sqlite3
import time
from collections.abc import Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

from litterm.core.errors import BadInput
from litterm.importers.zotero.profiles import attachment_folder

_JOURNAL_SUFFIXES: Final = ("-wal", "-journal")
"""Files beside a database without which it may be out of date or torn; `-shm` is made anew from them."""
BETTER_BIBTEX_NAMES: Final = ("better-bibtex.sqlite", "better-bibtex.migrated")
"""Better BibTeX's database, and what is left of it once its keys have moved into Zotero's."""
_COPY_TRIES: Final = 6
_FIRST_WAIT_S: Final = 0.2
_SPARE_BYTES: Final = 64 * 2**20
_BUSY_MESSAGE: Final = "Zotero is writing to its database all the time; wait until it is idle, or close it, and repeat."


def side_digest(database: Path, home: Path) -> str:
    """Differs where the same database gives other records, because of its journal, Better BibTeX or the base folder."""
    sha = hashlib.sha256(attachment_folder(database.parent, home).encode("utf-8", "surrogatepass"))
    for file in (*_sidecars(database), *(database.with_name(name) for name in BETTER_BIBTEX_NAMES)):
        with suppress(OSError), file.open("rb") as stream:
            sha.update(f"\n{file.name}\n".encode("utf-8", "surrogateescape"))
            while block := stream.read(2**20):
                sha.update(block)
    return sha.hexdigest()[:16]


def _sidecars(database: Path) -> list[Path]:
    return [database.with_name(f"{database.name}{suffix}") for suffix in _JOURNAL_SUFFIXES]


def copy_database(database: Path, folder: Path) -> Path:
    """A sound copy of `database`, which another program may be writing to, in the empty `folder`.

    Raises:
        BadInput: it is being written to all the time, is damaged, or there is no room for the copy.
        OSError: it cannot be read.
    """
    wait_s = _FIRST_WAIT_S
    damage = ""
    for attempt in range(_COPY_TRIES):
        if attempt:
            time.sleep(wait_s)
            wait_s *= 2
        copy = _copy_once(database, folder)
        if copy is None:
            continue
        # Once may be a write that the file system has not told of; twice, it is the database.
        is_again, damage = bool(damage), _damage(copy)
        if not damage:
            return copy
        if is_again:
            break
    raise BadInput(damage or _BUSY_MESSAGE)


def _copy_once(database: Path, folder: Path) -> Path | None:
    """The copy; `None` where a file has changed while it was made."""
    copy = folder / database.name
    before = _state(database)
    for file in (database, *_sidecars(database)):
        target = folder / file.name
        target.unlink(missing_ok=True)
        try:
            _check_room(file, folder)
            # The names must match: the journal of a database is found by its name.
            shutil.copyfile(file, target)
        except FileNotFoundError:
            if file == database:
                raise
    return copy if _state(database) == before else None


def _state(database: Path) -> tuple[object, ...]:
    """What changes whenever the database or its journal is written."""
    facts: list[object] = []
    for file, start, size in zip((database, *_sidecars(database)), (24, 0, 0), (4, 32, 0), strict=True):
        try:
            status = file.stat()
            with file.open("rb") as stream:
                # The count of changes in the header of the database, the salts in that of the WAL.
                stream.seek(start)
                facts.append((status.st_ino, status.st_size, status.st_mtime_ns, stream.read(size)))
        except FileNotFoundError:
            facts.append(None)
    return tuple(facts)


def _check_room(file: Path, folder: Path) -> None:
    needed = file.stat().st_size + _SPARE_BYTES
    if shutil.disk_usage(folder).free < needed:
        raise BadInput(
            f"No room for a copy of it in {folder}: {needed // 2**20:,} MB are needed; free some, or set TMPDIR."
        )


def _damage(copy: Path) -> str:
    """What is wrong with the copy, as one sentence; empty if it is sound."""
    try:
        with closing(open_copy(copy)) as connection:
            (finding,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.Error as error:
        return f"The database is damaged ({error}); Zotero can repair it or restore its backup."
    return "" if finding == "ok" else f"The database is damaged ({finding}); Zotero can restore its backup."


def open_copy(copy: Path) -> sqlite3.Connection:
    """The copy of a database, for reading; its journal is taken in first, as Zotero would do.

    Raises:
        sqlite3.Error: it is no database, or damaged.
    """
    # Not read-only: the changes in the journal have to be written into the copy.
    connection = sqlite3.connect(copy, isolation_level=None)
    # Any bytes may be in it; undecodable ones must not end the import.
    connection.text_factory = lambda data: data.decode("utf-8", "replace")
    try:
        connection.execute("PRAGMA trusted_schema=OFF")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        connection.execute("PRAGMA query_only=ON")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def table_columns(connection: sqlite3.Connection) -> Mapping[str, frozenset[str]]:
    """The columns of every table; views and virtual tables, which Zotero does not have, are left out."""
    names = connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' AND rootpage > 0"
    ).fetchall()
    return {
        str(name): frozenset(
            str(row[0]) for row in connection.execute("SELECT name FROM pragma_table_info(?)", (name,))
        )
        for (name,) in names
    }
