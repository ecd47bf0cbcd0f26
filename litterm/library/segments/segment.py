"""A segment on its way to publication: lines spooled by the parent, loaded into DuckDB wherever it is built.

Spool files are what crosses the process border: the parser continues while a child fills the database.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import IO, TYPE_CHECKING

from litterm.core.durable_files import new_key, translate_write_errors, write_error
from litterm.library.segments.connections import (
    ROW_GROUP,
    attach_new,
    attach_read_only,
    connect,
    quote_sql,
    translate_errors,
)
from litterm.library.segments.documents import document_lines
from litterm.library.segments.manifest import DATABASE
from litterm.library.segments.papers import (
    PACKED_COLUMNS,
    packed_line,
    packed_row,
    paper_from_line,
    paper_line,
)
from litterm.library.segments.schema import Script, scripts
from litterm.model.document import Document
from litterm.model.index import IndexRow, index_row
from litterm.model.paper import Paper, PaperId

if TYPE_CHECKING:
    from litterm.library.index.records import RecordPacker
    from litterm.library.segments.connections import Cursor

INDEX_FOLDER = "index"
"""Folder inside a segment that holds its index."""

SORT_ORDERS = {"alias": "bare, id, row", "name": "word, row"}
"""Tables that are looked up by their first column; the others lie in the order of their rows."""

_LENGTHS_FILE = "spool.json"
"""Longest line per table, for DuckDB's buffers."""
_READ_MEMORY_MB = 1024
"""Memory of DuckDB, at most, while the index of a segment is made: 2,048 full texts at a time have to fit into it."""
_CHUNK_DOCUMENTS = 16
"""Fewer at a time than papers: one may be a whole book."""
_ORIGINS_SQL = (
    "SELECT regexp_replace(split_part(record ->> '$.provenance[1]', '!', 1), ':[0-9]+$', '') AS origin, count(*)"
    " FROM {name}.paper GROUP BY origin ORDER BY count(*) DESC, origin"
)
_NAME_WORDS_SQL = "SELECT DISTINCT unnest(string_split_regex(names, '[ \\n]+')) AS word, row FROM fresh.paper"
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


@dataclass(frozen=True, slots=True)
class PaperLink:
    """Two papers that are one work under two ids (`version`), or might be (`doubtful`)."""

    one: str
    other: str
    kind: str


@dataclass(frozen=True, slots=True)
class SegmentContents:
    """What a segment's database holds."""

    rows: int
    documents: int
    origins: tuple[tuple[str, int], ...] = ()
    """Files and services its papers came from, with how many of each, the most first."""


class SegmentTables:
    """Writes a segment's lines to files in `folder`, one a table."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._key = new_key()
        self._files: dict[str, IO[bytes]] = {}
        self._longest: dict[str, int] = {}
        self.papers = 0
        self.documents = 0

    def add_paper(self, paper: Paper) -> None:
        """Writes a paper as the next row."""
        self._write("paper", paper_line(paper, self.papers))
        self.papers += 1

    def add_document(self, document: Document) -> None:
        """Writes the next full text."""
        for table, line in document_lines(document, self.documents, f"{self._key}-{self.documents:06d}"):
            self._write(table, line)
        self.documents += 1

    def add_link(self, link: PaperLink) -> None:
        """Writes one link."""
        self._write("link", {"one": link.one, "other": link.other, "kind": link.kind})

    def close(self) -> None:
        """Closes the files."""
        for table, file in self._files.items():
            with translate_write_errors(self._path(table)):
                file.close()
        self._files.clear()
        with translate_write_errors(self._folder):
            (self._folder / _LENGTHS_FILE).write_text(json.dumps(self._longest))

    def _write(self, table: str, line: Mapping[str, object]) -> None:
        encoded = _encode(line).encode()
        try:
            file = self._files.get(table)
            if file is None:
                file = self._files[table] = self._path(table).open("wb")
                self._longest[table] = 0
            # DuckDB needs the length of the longest line before it reads the file.
            if len(encoded) > self._longest[table]:
                self._longest[table] = len(encoded)
            file.write(encoded)
            file.write(b"\n")
        except OSError as error:
            raise write_error(error, self._path(table)) from error

    def _path(self, table: str) -> Path:
        return _spool_path(self._folder, table)


def load_spool(folder: Path) -> SegmentContents:
    """Makes the database of the segment in `folder` from its spool files, which are then gone."""
    cursor = connect(threads=2, memory_mb=512)
    with translate_errors(folder):
        attach_new(cursor, folder / DATABASE, "fresh")
        run_scripts(cursor, "fresh", scripts())
        for table, longest in json.loads((folder / _LENGTHS_FILE).read_text()).items():
            path = _spool_path(folder, table)
            _load_table(cursor, table, path, longest)
            # One by one, as they are loaded: the disk never holds all lines twice.
            path.unlink()
        (folder / _LENGTHS_FILE).unlink()
        return close_database(cursor, "fresh")


@contextmanager
def spooled_rows(folder: Path, packer: RecordPacker) -> Iterator[Iterator[IndexRow]]:
    """What the index of the segment in `folder` is made from, in the order of the rows, out of its spool.

    `packer` gets the record of each row. Within, the spool may already be loaded and gone.
    """
    path = _spool_path(folder, "paper")
    with path.open("rb") if path.exists() else BytesIO() as lines:
        yield (_pack(packer, *packed_line(line)) for line in lines)


def run_scripts(cursor: Cursor, name: str, steps: Iterable[Script]) -> None:
    """Takes the attached database `name` from schema to schema."""
    cursor.execute(f"USE {name}")
    for step in steps:
        for statement in step.statements:
            cursor.execute(statement)
    # An attached database that is in use cannot be detached.
    cursor.execute("USE memory")


def tables(cursor: Cursor, name: str) -> tuple[str, ...]:
    """Names of the tables of the attached database `name`, in a fixed order."""
    rows = cursor.execute(
        "SELECT table_name FROM duckdb_tables() WHERE database_name = ? ORDER BY table_name", [name]
    ).fetchall()
    return tuple(str(row[0]) for row in rows)


def columns(cursor: Cursor, name: str, table: str) -> dict[str, str]:
    """Column to type, in the table's order."""
    rows = cursor.execute(
        "SELECT column_name, data_type FROM duckdb_columns() WHERE database_name = ? AND table_name = ?"
        " ORDER BY column_index",
        [name, table],
    ).fetchall()
    return {str(column): str(kind) for column, kind in rows}


def close_database(cursor: Cursor, name: str) -> SegmentContents:
    """Writes everything of `name` into its one file and lets go of it; what is in it."""
    counts = cursor.execute(
        f"SELECT (SELECT count(*) FROM {name}.paper), (SELECT count(*) FROM {name}.document)"
    ).fetchone()
    assert counts is not None
    origins = cursor.execute(_ORIGINS_SQL.format(name=name)).fetchall()
    cursor.execute(f"CHECKPOINT {name}")
    cursor.execute(f"DETACH {name}")
    cursor.close()
    return SegmentContents(
        int(counts[0]), int(counts[1]), tuple((str(origin or ""), int(count)) for origin, count in origins)
    )


def index_rows(folder: Path, packer: RecordPacker) -> Iterator[IndexRow]:
    """The same as `spooled_rows`, out of the segment's database."""
    with _open_database(folder) as cursor:
        (last,) = cursor.execute("SELECT max(row) FROM fresh.paper").fetchone() or (None,)
        sql = f"SELECT {PACKED_COLUMNS} FROM fresh.paper WHERE row >= ? AND row < ? ORDER BY row"
        # In portions: sorted by one statement, all records would have to fit into memory.
        for start in range(0, 0 if last is None else last + 1, ROW_GROUP):
            rows = cursor.execute(sql, [start, start + ROW_GROUP]).fetchall()
            yield from (_pack(packer, *packed_row(row)) for row in rows)


def _pack(packer: RecordPacker, record: bytes, title_hash: int) -> IndexRow:
    """Packs a record; what the index is made from."""
    packer.add(record, title_hash)
    return index_row(paper_from_line(record))


def body_texts(folder: Path) -> Iterator[tuple[PaperId, str]]:
    """Paper and text of every full text of the segment in `folder`, in the order they came."""
    with _open_database(folder) as cursor:
        # Unsorted: one thread reads them in order as they are stored; sorting would need all texts in memory.
        cursor.execute("SELECT paper, text FROM fresh.document WHERE origin <> 'abstract'")
        while chunk := cursor.fetchmany(_CHUNK_DOCUMENTS):
            yield from ((PaperId(paper), text) for paper, text in chunk)


@contextmanager
def _open_database(folder: Path) -> Iterator[Cursor]:
    """The database of the segment in `folder`, named `fresh`."""
    cursor = connect(threads=1, memory_mb=_READ_MEMORY_MB)
    try:
        with translate_errors(folder):
            attach_read_only(cursor, folder / DATABASE, "fresh")
            yield cursor
    finally:
        cursor.close()


def _load_table(cursor: Cursor, table: str, path: Path, longest: int) -> None:
    kinds = columns(cursor, "fresh", table)
    if table == "paper":
        kinds |= {"record": "JSON", "ids": "VARCHAR[]", "bare": "VARCHAR[]"}
    column_list = ", ".join(f"{quote_sql(column)}: {quote_sql(kind)}" for column, kind in kinds.items())
    # One line may be a whole book, and DuckDB wants to know the longest before it starts. In a folder `a=b` it would
    # see a column.
    source = (
        f"read_json({quote_sql(str(path))}, format = 'newline_delimited', columns = {{{column_list}}},"
        f" hive_partitioning = false, maximum_object_size = {max(1 << 24, longest + 2)})"
    )
    if table != "paper":
        # Unsorted: the lines are in order already, and a sort would hold all full texts in memory.
        cursor.execute(f"INSERT INTO fresh.{table} SELECT * FROM {source}")
        return
    cursor.execute(f"INSERT INTO fresh.paper SELECT * EXCLUDE (ids, bare) FROM {source} ORDER BY row")
    aliases = f"SELECT unnest(bare) AS bare, unnest(ids) AS id, row FROM {source}"
    cursor.execute(f"INSERT INTO fresh.alias FROM ({aliases}) ORDER BY {SORT_ORDERS['alias']}")
    cursor.execute(f"INSERT INTO fresh.name FROM ({_NAME_WORDS_SQL}) WHERE word <> '' ORDER BY {SORT_ORDERS['name']}")


def _spool_path(folder: Path, table: str) -> Path:
    return folder / f"{table}.spool"
