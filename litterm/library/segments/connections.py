"""Connections to DuckDB: files attached and errors translated. No other module imports DuckDB at run time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from litterm.core.errors import DatabaseDamaged, DiskFull, LibraryError, OutOfMemory

if TYPE_CHECKING:
    import duckdb

    Cursor: TypeAlias = duckdb.DuckDBPyConnection


ROW_GROUP = 2048
"""The smallest DuckDB knows: fetching 20 rows takes a third of the time it takes with the default."""
BLOCK = 131_072
"""Bytes read for one value of a row. With the default of twice as many fetching 20 rows takes a quarter longer; with
half as many making a segment does."""

_DAMAGE_SIGNS = ("Corrupt database", "checksum", "not a valid DuckDB", "Could not read")
_DISK_FULL_SIGNS = ("No space left on device", "File too large", "Disk quota exceeded", "Out of Disk")


def connect(*, threads: int, memory_mb: int) -> Cursor:
    """A database in memory, to which segments are attached. It never loads an extension from outside."""
    import duckdb

    return duckdb.connect(
        ":memory:",
        config={
            # Its default is all cores, which a workbench shares with the screen.
            "threads": threads,
            "memory_limit": f"{memory_mb}MB",
            "autoload_known_extensions": "false",
            "autoinstall_known_extensions": "false",
            # Otherwise DuckDB spills into a folder `.tmp` of its own in the working directory.
            "temp_directory": "",
        },
    )


def attach_read_only(cursor: Cursor, path: Path, name: str) -> None:
    """Makes the file `path` readable as the database `name`."""
    cursor.execute(f"ATTACH {quote_sql(str(path))} AS {name} (READ_ONLY)")


def attach_new(cursor: Cursor, path: Path, name: str) -> None:
    """Creates the file `path` as the database `name`.

    Raises:
        LibraryError: DuckDB would take a part of `path` for options and lose sight of its own files.
    """
    if "?" in str(path):
        raise LibraryError(
            f"A library cannot be stored below a folder with a question mark in its name ({path.parent}); "
            "rename that folder, or name another with LITTERM_LIBRARY."
        )
    cursor.execute(f"ATTACH {quote_sql(str(path))} AS {name} (ROW_GROUP_SIZE {ROW_GROUP}, BLOCK_SIZE {BLOCK})")


def quote_sql(text: str) -> str:
    """`text` as an SQL string; for the few places that take no parameter."""
    return "'" + text.replace("'", "''") + "'"


@contextmanager
def translate_errors(path: Path) -> Iterator[None]:
    """Turns DuckDB's errors into litterm's.

    Raises:
        DiskFull: there is no room.
        OutOfMemory: it takes more memory than the connection may use.
        DatabaseDamaged: what the file holds is not what was written.
        LibraryError: anything else DuckDB refuses.
        KeyboardInterrupt: the user's, which DuckDB takes for an error of its own.
    """
    import duckdb

    try:
        yield
    except (duckdb.InterruptException, RuntimeError) as error:
        # Ctrl+c reaches DuckDB's own handler first, which turns it into either of these two.
        if "interrupted" not in str(error).lower():
            raise
        raise KeyboardInterrupt from error
    except duckdb.Error as error:
        # Its further lines are a stack trace or a piece of SQL, which no user can act upon.
        cause = str(error).splitlines()[0] if str(error) else type(error).__name__
        # DuckDB has one class for all input and output errors: only the message shows that the disk is full.
        if any(sign in cause for sign in _DISK_FULL_SIGNS):
            raise DiskFull(
                f"No space left to write {path}: free some space and run it again; nothing was lost."
            ) from error
        raise _error_type(error, cause)(f"The library in {path} cannot be used: {cause}") from error


def _error_type(error: Exception, cause: str) -> type[LibraryError]:
    import duckdb

    if isinstance(error, duckdb.OutOfMemoryException):
        return OutOfMemory
    damaged = isinstance(error, duckdb.SerializationException)
    return DatabaseDamaged if damaged or any(sign in cause for sign in _DAMAGE_SIGNS) else LibraryError
