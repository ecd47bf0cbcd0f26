"""Runs one statement of the user that reads, in a database that can do nothing else.

Whoever wrote the statement: it reads the attached segments, in a transaction that cannot write, with neither files nor
network nor extensions, and with no setting left to change.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from typing import TYPE_CHECKING, Final

from litterm.core.errors import SqlError
from litterm.library.segments.connections import attach_read_only, connect, translate_errors
from litterm.library.segments.manifest import DATABASE
from litterm.library.segments.sql_views import VIEWS, ViewSources, create_views
from litterm.model.events import Progress
from litterm.model.sql import SqlResult

if TYPE_CHECKING:
    from pathlib import Path

    from duckdb import Statement

    from litterm.core.tasks import Task
    from litterm.library.segments.connections import Cursor

MAX_ROWS: Final = 1_000_000
"""Rows of one answer, which is held in memory."""
_MEMORY_MB = 1024
_THREADS = 2
_BATCH_ROWS = 10_000
_POLL_S = 0.1
_READING_WORDS = "SELECT, WITH, FROM, VALUES, DESCRIBE, SHOW or SUMMARIZE"
_LOCKS = (
    # Otherwise a name that is no table may be a variable of Python.
    "SET python_enable_replacements = false",
    "SET allow_community_extensions = false",
    "SET enable_external_access = false",
    # Last: nothing can be changed after it.
    "SET lock_configuration = true",
)
_UNKNOWN_TABLE = re.compile(r'Table with name "?(?P<name>[^"\n]+?)"? does not exist')
_UNKNOWN_COLUMN = re.compile(r'Referenced column "(?P<name>[^"\n]+)" (?:was )?not found')
_UNKNOWN_COLUMN_OF = re.compile(r'"[^"\n]+" does not have a column named "(?P<name>[^"\n]+)"')
_KIND_OF_ERROR = re.compile(r"^[A-Z][A-Za-z ]+ Error: ")


def run_statement(root: Path, sources: ViewSources, statement: str, *, limit: int | None) -> Task[SqlResult]:
    """Runs `statement` over the views of the library in `root`; closing the task interrupts the database.

    Raises:
        SqlError: it is not one statement that reads, or the database refuses it.
        LibraryError: a segment cannot be read.
    """
    cursor = connect(threads=_THREADS, memory_mb=_MEMORY_MB)
    try:
        parsed = _parse(cursor, statement)
        with translate_errors(root):
            _open_views(cursor, sources)
        return (yield from _in_thread(cursor, lambda: _run(cursor, parsed, limit)))
    finally:
        cursor.close()


def _parse(cursor: Cursor, statement: str) -> Statement:
    import duckdb

    try:
        parsed = cursor.extract_statements(statement)
    except (duckdb.Error, ValueError) as error:
        # The second is of a kind of statement that the library for Python does not know.
        raise SqlError(_sentence(cursor, str(error))) from error
    if len(parsed) != 1:
        raise SqlError("Give one statement." if parsed else f"Give a statement that begins with {_READING_WORDS}.")
    if parsed[0].type != duckdb.StatementType.SELECT:
        raise SqlError(f"Only statements that read are run: they begin with {_READING_WORDS}.")
    return parsed[0]


def _open_views(cursor: Cursor, sources: ViewSources) -> None:
    names = {segment.key: f"segment{number}" for number, segment in enumerate(sources.snapshot.segments, 1)}
    for segment in sources.snapshot.segments:
        attach_read_only(cursor, segment.folder / DATABASE, names[segment.key])
    create_views(cursor, sources, names)
    for lock in _LOCKS:
        cursor.execute(lock)
    # What begins with WITH may still write.
    cursor.execute("BEGIN TRANSACTION READ ONLY")


def _in_thread(cursor: Cursor, work: Callable[[], SqlResult]) -> Task[SqlResult]:
    """Runs `work` in a thread of its own, so that the task can be closed in the middle of a statement."""
    with ThreadPoolExecutor(1, thread_name_prefix="litterm-sql") as threads:
        answer: Future[SqlResult] = threads.submit(work)
        try:
            while not wait_for([answer], timeout=_POLL_S).done:
                yield Progress("running the statement")
        finally:
            # The end of the block waits for the thread, which this ends.
            if not answer.done():
                cursor.interrupt()
        return answer.result()


def _run(cursor: Cursor, statement: Statement, limit: int | None) -> SqlResult:
    import duckdb

    try:
        cursor.execute(statement)
        columns = tuple(str(column[0]) for column in cursor.description or ())
        most = MAX_ROWS if limit is None else min(limit, MAX_ROWS)
        rows: list[tuple[object, ...]] = []
        while len(rows) <= most and (batch := cursor.fetchmany(min(_BATCH_ROWS, most + 1 - len(rows)))):
            rows += batch
        return SqlResult(columns, tuple(rows[:most]), len(rows) > most)
    except (duckdb.Error, RuntimeError) as error:
        raise SqlError(_sentence(cursor, str(error))) from error


def _sentence(cursor: Cursor, message: str) -> str:
    """The error of the database in one sentence, with the name that was probably meant."""
    from litterm.core.settings.config_file import suggest_nearest

    if "out of memory" in message.lower():
        return f"The statement takes more than {_MEMORY_MB:,} MB of memory; read fewer rows, or sort less at a time."
    first_line = _KIND_OF_ERROR.sub("", message.strip().partition("\n")[0])
    if table := _UNKNOWN_TABLE.search(first_line):
        hint = suggest_nearest(table["name"], VIEWS)
        return _ended(f"There is no table {table['name']!r}{hint}")
    if column := _UNKNOWN_COLUMN.search(first_line) or _UNKNOWN_COLUMN_OF.search(first_line):
        hint = suggest_nearest(column["name"], _columns(cursor))
        return _ended(f"There is no column {column['name']!r}{hint}")
    return _ended(first_line or "The database gives no reason")


def _columns(cursor: Cursor) -> list[str]:
    # After an error the transaction takes no further statement.
    cursor.execute("ROLLBACK")
    sql = "SELECT DISTINCT column_name FROM duckdb_columns() WHERE database_name = 'memory' AND schema_name = 'main'"
    return [str(name) for (name,) in cursor.execute(sql).fetchall()]


def _ended(sentence: str) -> str:
    return sentence if sentence.endswith((".", "?", "!")) else f"{sentence}."
