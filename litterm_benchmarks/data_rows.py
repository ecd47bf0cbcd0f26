"""Rows of a benchmark's files: JSON Lines, packed or not, and Parquet."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, TypeVar, cast

from litterm.core.errors import BadInput, LibraryError
from litterm.library.segments.connections import connect, quote_sql, translate_errors

T = TypeVar("T")

_PARQUET, _GZIP = b"PAR1", b"\x1f\x8b"
_MEMORY_MB = 1024
"""For DuckDB, which else takes most of the machine's for a file that may be hostile."""
_BATCH = 1000
"""Rows held at a time."""


def read_rows(path: Path, read: Callable[[Mapping[str, object], int], T], columns: Sequence[str] = ()) -> Iterator[T]:
    """`read` of every row with its number from 1; the format is known from content.

    `path` is a file, or a folder of Parquet files as one table. Of Parquet only `columns` are read, if given.

    Raises:
        BadInput: it cannot be read, or `read` finds a field missing or wrong; names the file and the line.
    """
    for file in sorted(path.glob("*.parquet")) if path.is_dir() else [path]:
        for number, row in enumerate(_rows(file, columns), 1):
            try:
                yield read(row, number)
            except KeyError as error:
                raise BadInput(f"{file}:{number}: the field {error} is missing.") from error
            except (TypeError, ValueError, AttributeError) as error:
                raise BadInput(f"{file}:{number}: not what this bench reads ({error}).") from error


def first_row(path: Path) -> Mapping[str, object]:
    """The first row, by which kinds of files are told apart; empty if there is none.

    Raises:
        BadInput: it cannot be read.
    """
    return next(read_rows(path, lambda row, _number: row), {})


def _rows(path: Path, columns: Sequence[str]) -> Iterator[Mapping[str, object]]:
    try:
        with path.open("rb") as stream:
            head = stream.read(len(_PARQUET))
        if head == _PARQUET:
            yield from _parquet(path, columns)
        else:
            with _text(path, packed=head.startswith(_GZIP)) as lines:
                yield from (cast("Mapping[str, object]", json.loads(line)) for line in lines if line.strip())
    except (OSError, EOFError, ValueError, LibraryError) as error:
        raise BadInput(f"{path}: cannot be read ({error}).") from error


def _text(path: Path, *, packed: bool) -> IO[str]:
    return gzip.open(path, "rt", encoding="utf-8") if packed else path.open(encoding="utf-8")


def _parquet(path: Path, columns: Sequence[str]) -> Iterator[Mapping[str, object]]:
    selection = ", ".join(f'"{name}"' for name in columns) or "*"
    with translate_errors(path), connect(threads=1, memory_mb=_MEMORY_MB) as cursor:
        cursor.execute(f"SELECT {selection} FROM read_parquet({quote_sql(str(path))})")
        names = [column[0] for column in cursor.description or ()]
        while batch := cursor.fetchmany(_BATCH):
            yield from (dict(zip(names, values, strict=True)) for values in batch)
