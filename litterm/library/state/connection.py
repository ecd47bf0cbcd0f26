"""Opening, reading and writing `<library>/state.db`.

The file is opened when it is first used. It is in WAL mode, in which readers never wait; on a network file system,
where WAL would damage it, it has a rollback journal. A transaction takes a free connection or opens one, so that no
thread waits for what another thread does.
"""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final
from weakref import WeakSet

from litterm.core.durable_files import sync_folder, translate_write_errors
from litterm.core.errors import DatabaseDamaged, DiskFull, LibraryError, LibraryTooNew, ReadOnly, StateBusy
from litterm.core.filesystem import is_on_network, no_space, open_private
from litterm.library.state.earlier_files import has_earlier_files, read_earlier_files, set_aside

if TYPE_CHECKING:
    from sqlite3 import Connection, Error

STATE_FILE: Final = "state.db"
STATE_VERSION: Final = 1
"""Version of `schema.sql`, in the file as `user_version`."""
WRITE_WAIT_S: Final = 10.0
"""How long a write in the background waits for another process, whose transactions take milliseconds."""
KEY_WAIT_S: Final = 0.25
"""The same for what a key writes at once."""
_READ_WAIT_S: Final = 2.0
"""Readers wait only with a rollback journal, for the end of a transaction."""
_APPLICATION_ID: Final = 0x4C495454
"""In the head of the file, which `file` and SQLite show: `LITT`."""


@dataclass(frozen=True, slots=True)
class StateFile:
    """The file of the state, read to its end and whole."""

    version: int
    """Of its tables."""
    bytes_on_disk: int
    """With what is in its log alone."""


class StateDatabase:
    """The small state of the library in `root`; safe from any thread.

    Where the folder cannot be written to, what is there is read, and nothing else is possible. A library without the
    file reads as an empty one, and the first write makes it.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.path = root / STATE_FILE
        self._idle: list[Connection] = []
        """Open connections that no transaction uses."""
        self._watcher: Connection | None = None
        self._watching = threading.Lock()
        self._copied: Connection | None = None
        """A copy in memory of what a read-only library holds, if it cannot be read where it is."""
        self._has_looked = False
        """Whether the files of an earlier version were looked for."""
        self._looking = threading.Lock()
        self._has_written = False

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection in a transaction: all its statements see one state, whoever writes meanwhile.

        Raises:
            LibraryTooNew, DatabaseDamaged: the file cannot be used, so for the other methods.
            StateBusy: without WAL, another process has been writing for too long.
        """
        with self._translated_errors():
            connection = self._take_for_reading()
        with self._transaction(connection, "BEGIN", _READ_WAIT_S):
            yield connection

    @contextmanager
    def write(self, wait_s: float = WRITE_WAIT_S) -> Iterator[Connection]:
        """A connection in a transaction that is durable at the end of the block, or undone by an exception.

        Nobody else can write meanwhile: the block holds statements, and nothing that computes or waits.

        Raises:
            StateBusy: another transaction has not ended for `wait_s` seconds.
            ReadOnly: the library cannot be written to.
            DiskFull: there is no room.
        """
        with self._translated_errors():
            self._check_writable()
            self._ensure_moved(wait_s)
            connection = self._open_for_writing()
        with self._transaction(connection, "BEGIN IMMEDIATE", wait_s):
            yield connection

    def version(self) -> int | None:
        """A number that changes with every transaction of any process; `None` while there is no file."""
        with self._watching, self._translated_errors():
            if self._watcher is None:
                if not self._has_file():
                    return None
                self._watcher = self._open_for_reading()
            return int(self._watcher.execute("PRAGMA data_version").fetchone()[0])

    def check(self) -> StateFile | None:
        """Reads all of the file, and moves nothing into it; `None` while there is none.

        Raises:
            DatabaseDamaged: names the tables that are damaged, where SQLite can tell them.
            LibraryTooNew, LibraryError: it cannot be read.
        """
        if not self._has_file():
            return None
        with self._translated_errors(), closing(self._open_for_reading()) as connection:
            version = int(connection.execute("PRAGMA user_version").fetchone()[0])
            if fault := _find_fault(connection, "quick_check(1)"):
                raise self._damaged(", ".join(_damaged_tables(connection)) or fault)
        return StateFile(version, self.path.stat().st_size + self._log_size())

    def close(self) -> None:
        """Closes what is open; a later use opens it again. What was written is then in the file, and the log empty.

        Not where another process is in a transaction, which is not waited for.
        """
        with self._watching:
            for connection in (self._watcher, self._copied):
                if connection is not None:
                    connection.close()
            self._watcher = self._copied = None
            self._has_looked = False
        while self._idle:
            connection = self._idle.pop()
            if self._has_written:
                _empty_log(connection)
                self._has_written = False
            connection.close()

    def __del__(self) -> None:
        with suppress(Exception):
            self.close()

    @contextmanager
    def _transaction(self, connection: Connection, begin: str, wait_s: float) -> Iterator[Connection]:
        """Runs the block in a transaction; a connection that failed is closed, any other one is used again."""
        try:
            with self._translated_errors():
                connection.execute(f"PRAGMA busy_timeout = {round(wait_s * 1000)}")
                connection.execute(begin)
                yield connection
                connection.execute("COMMIT")
        except BaseException:
            # Closing undoes the transaction, too.
            connection.close()
            raise
        in_file = connection.execute("SELECT 1 FROM pragma_database_list WHERE file <> ''").fetchone()
        if in_file or self._copied is not None:
            self._idle.append(connection)
        else:
            # It stood in for a file that may be there by now.
            connection.close()

    def _take_for_reading(self) -> Connection:
        """A connection to the file, or to a copy in memory."""
        if not self._has_looked:
            try:
                self._ensure_moved(KEY_WAIT_S)
            except (StateBusy, ReadOnly, DiskFull):
                return self._open_with_earlier_files()
        if self._idle:
            return self._idle.pop()
        return _duplicate(self._copied) if self._copied is not None else self._open_for_reading()

    def _ensure_moved(self, wait_s: float) -> None:
        """Moves into the file what an earlier version stored in files of its own, if this was not done yet.

        Raises:
            StateBusy, DiskFull: it could not be done now.
        """
        with self._looking:
            if not self._has_looked and has_earlier_files(self.root):
                self._move_earlier_files(wait_s)
            self._has_looked = True

    def _move_earlier_files(self, wait_s: float) -> None:
        if not os.access(self.root, os.W_OK):
            self._copied = self._open_with_earlier_files()
            return
        from litterm.library.segments.manifest import refuse_older_versions

        refuse_older_versions(self.root)
        # Before the transaction, during which nobody else can write.
        earlier = read_earlier_files(self.root)
        with self._transaction(self._open_for_writing(), "BEGIN IMMEDIATE", wait_s) as connection:
            for rows in earlier:
                rows.insert(connection)
        set_aside(self.root, (path for rows in earlier for path in rows.paths))

    def _open_with_earlier_files(self) -> Connection:
        """A copy in memory of what is in the file and in the files of an earlier version."""
        connection = _duplicate(opened := self._open_for_reading())
        opened.close()
        for rows in read_earlier_files(self.root):
            rows.insert(connection)
        return connection

    def _open_for_reading(self) -> Connection:
        """A new connection to the file, or to a copy in memory."""
        if not self._has_file():
            connection = _connect(":memory:")
            _create_tables(connection)
            return connection
        if os.access(self.root, os.W_OK):
            return self._checked(_connect(self._address("mode=rw")))
        return self._open_read_only()

    def _has_file(self) -> bool:
        """Whether something was stored; an empty file is one that is being made."""
        try:
            return self.path.stat().st_size > 0
        except OSError:
            return False

    def _open_read_only(self) -> Connection:
        import sqlite3

        try:
            return self._checked(_connect(self._address("mode=ro")))
        except sqlite3.OperationalError:
            # WAL needs a file of shared memory beside it, which cannot be made here.
            if not self._log_size():
                return self._checked(_connect(self._address("immutable=1")))
        self._copied = self._copied or self._copy()
        return _duplicate(self._copied)

    def _log_size(self) -> int:
        """Bytes of the write-ahead log, which may hold transactions that are in no other file."""
        try:
            return self._log_path().stat().st_size
        except OSError:
            return 0

    def _log_path(self) -> Path:
        return self.path.with_name(f"{STATE_FILE}-wal")

    def _copy(self) -> Connection:
        """The whole database in memory, with what is in its log."""
        import shutil
        from tempfile import TemporaryDirectory

        with TemporaryDirectory() as folder:
            for path in (self.path, self._log_path()):
                shutil.copyfile(path, Path(folder, path.name))
            connection = self._checked(_connect(_address(Path(folder, STATE_FILE), "mode=rw")))
            copied = _duplicate(connection)
            connection.close()
            return copied

    def _check_writable(self) -> None:
        # SQLite would say so as well, but not where a copy in memory stands in for the file.
        if any(path.exists() and not os.access(path, os.W_OK) for path in (self.root, self.path)):
            raise ReadOnly(f"Cannot write {self.path}: the library is read-only.")

    def _open_for_writing(self) -> Connection:
        if self._idle:
            return self._idle.pop()
        if not self.path.exists():
            self._create()
        connection = self._checked(_connect(self._address("mode=rw")))
        self._choose_log(connection)
        self._has_written = True
        _written.add(self)
        return connection

    def _create(self) -> None:
        """Makes the file, still empty, for its owner alone; another process may do so at the same time."""
        from litterm.library.segments.manifest import refuse_older_versions

        refuse_older_versions(self.root)
        with translate_write_errors(self.path):
            self.root.mkdir(parents=True, exist_ok=True)
            # Not by SQLite, which gives the rights of the umask: what the user searches and reads is private.
            os.close(open_private(self.path, os.O_RDWR))
            sync_folder(self.root)

    def _choose_log(self, connection: Connection) -> None:
        """WAL where processes can share memory, otherwise a rollback journal."""
        import sqlite3

        wanted = "delete" if is_on_network(self.root) else "wal"
        current = str(connection.execute("PRAGMA journal_mode").fetchone()[0])
        if current != wanted:
            # Not now, where another process uses the file; and on a file system without shared memory never.
            with suppress(sqlite3.OperationalError):
                connection.execute("PRAGMA busy_timeout = 0")
                connection.execute(f"PRAGMA journal_mode = {wanted}")

    def _checked(self, connection: Connection) -> Connection:
        """`connection`, with tables, if the file is one that this litterm can use."""
        try:
            connection.execute(f"PRAGMA busy_timeout = {round(_READ_WAIT_S * 1000)}")
            version = int(connection.execute("PRAGMA user_version").fetchone()[0])
            if version > STATE_VERSION:
                raise LibraryTooNew(
                    f"{self.path} was written by a newer litterm (version {version}, this one knows {STATE_VERSION}):"
                    " update litterm; nothing was touched."
                )
            if version == 0:
                self._fill(connection)
            elif int(connection.execute("PRAGMA application_id").fetchone()[0]) != _APPLICATION_ID:
                raise self._damaged("it is the database of another program")
        except BaseException:
            connection.close()
            raise
        return connection

    def _fill(self, connection: Connection) -> None:
        """Makes the tables in a file without any."""
        connection.execute("BEGIN IMMEDIATE")
        # Another process may have been faster.
        if int(connection.execute("PRAGMA user_version").fetchone()[0]) == 0:
            if connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
                raise self._damaged("it is the database of another program")
            _create_tables(connection)
        connection.execute("COMMIT")

    def _address(self, options: str) -> str:
        return _address(self.path, options)

    @contextmanager
    def _translated_errors(self) -> Iterator[None]:
        import sqlite3

        try:
            yield
        except sqlite3.Error as error:
            raise self._error(error) from error

    def _error(self, error: Error) -> LibraryError:
        """The error of litterm for one of SQLite, which has no code where Python raised it."""
        import sqlite3

        code = getattr(error, "sqlite_errorcode", 0)
        if code in (sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_SHMSIZE):
            # SQLite tells a full disk by another code, but not a quota or a limit of one file.
            return no_space(self.path)
        # The lower byte is the kind, the rest says more.
        match code & 0xFF:
            case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
                return StateBusy(
                    f"Another litterm is writing to {self.path} and does not end; if it was suspended (ctrl+z),"
                    " continue or end it, and do this again."
                )
            case sqlite3.SQLITE_FULL:
                return no_space(self.path)
            case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM:
                return ReadOnly(f"Cannot write {self.path}: {error}.")
            case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
                return self._damaged(str(error))
            case _:
                return LibraryError(f"Cannot use {self.path}: {error}.")

    def _damaged(self, why: str) -> DatabaseDamaged:
        return DatabaseDamaged(
            f"{self.path} is damaged ({why}): put a backup of it back, or move it away: a new one is made without"
            " matrices, agent runs, sessions, subscriptions and failed inputs; papers, marks and notes are elsewhere."
        )


_written: Final = WeakSet[StateDatabase]()
"""Those of this process that may have written to their log since it was last emptied."""


@atexit.register
def _close_written() -> None:
    """At the end of the process, which may end before those who hold a database have closed it."""
    for state in tuple(_written):
        with suppress(Exception):
            state.close()


def _empty_log(connection: Connection) -> None:
    """Moves what is in the log into the file: without it a library that cannot be written to is read in place."""
    import sqlite3

    # Another process in a transaction keeps it from ending, and leaves the log to the next one.
    with suppress(sqlite3.Error):
        connection.execute("PRAGMA busy_timeout = 0")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _address(path: Path, options: str) -> str:
    from urllib.parse import quote

    # From the bytes: a name of any other encoding, and one with `?`, are possible names, too.
    return f"file:{quote(os.fsencode(path.absolute()))}?{options}"


def _connect(address: str) -> Connection:
    import sqlite3
    import sys

    # Transactions are begun by us. A connection is used by one thread at a time, but not always by the same.
    connection = sqlite3.connect(address, uri=True, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA synchronous = FULL")
    if sys.platform == "darwin":
        # `fsync` stops at the drive there, which may keep in memory what it got.
        connection.execute("PRAGMA fullfsync = ON")
        connection.execute("PRAGMA checkpoint_fullfsync = ON")
    return connection


def _duplicate(connection: Connection) -> Connection:
    """A copy in memory."""
    copy = _connect(":memory:")
    connection.backup(copy)
    return copy


def _damaged_tables(connection: Connection) -> list[str]:
    """The tables that cannot be read to their end, by name."""
    names = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").fetchall()
    return [name for (name,) in names if _find_fault(connection, f"quick_check('{name}')")]


def _find_fault(connection: Connection, check: str) -> str:
    """What a check of SQLite says of the first fault; empty if there is none."""
    import sqlite3

    try:
        (said,) = connection.execute(f"PRAGMA {check}").fetchone()
    except sqlite3.DatabaseError as error:
        # Instead of a row, where already the first page of a table is none. Others of its subclasses are no damage.
        if type(error) is not sqlite3.DatabaseError:
            raise
        return str(error)
    return "" if said == "ok" else str(said).splitlines()[0]


def _create_tables(connection: Connection) -> None:
    """Runs `schema.sql` and writes its version, in the transaction of the caller."""
    for statement in _statements():
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {STATE_VERSION}")


def later_tables() -> list[str]:
    """The statements that make the tables which libraries of this version may lack: derived ones, made when needed."""
    return [statement for statement in _statements() if " IF NOT EXISTS " in statement]


def _statements() -> list[str]:
    return Path(__file__).with_name("schema.sql").read_text("utf-8").split(";\n")
