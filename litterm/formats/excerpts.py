"""Many excerpts in one file: JSON Lines, or CSV with a heading; CiteME's published file is one."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from litterm.errors import BadInput

_LARGEST_BYTES = 100_000_000
_TEXT = ("excerpt", "text", "context")
_SOURCE = ("source", "source_paper_title", "citing_id")
_BEFORE = ("before", "year", "citing_year")


@dataclass(frozen=True, slots=True)
class ExcerptRow:
    """One excerpt of a file."""

    key: str
    """Its `id`, else its line number; what tells that it was answered before."""
    text: str
    mark: int = 1
    """From 1, in the order in which marks are preferred."""
    before: str = ""
    source: str = ""


def read_excerpts(path: Path) -> tuple[ExcerptRow, ...]:
    """Every row of a `.csv` file, or of JSON Lines.

    A row needs `excerpt` and may have `id`, `mark`, `before` and `source`.

    Raises:
        BadInput: the file cannot be read, a row is no object, or it has no excerpt; names the line.
    """
    try:
        with path.open("rb") as file:
            text = file.read(_LARGEST_BYTES).decode("utf-8-sig", "replace")
    except OSError as error:
        raise BadInput(f"{path}: cannot be read ({error.strerror}).") from error
    rows = _csv_rows(text) if path.suffix.lower() == ".csv" else _json_rows(path, text)
    return tuple(_row(path, number, fields) for number, fields in rows)


def _csv_rows(text: str) -> Iterator[tuple[int, Mapping[str, object]]]:
    # Excerpts hold line breaks; the number is that of the row then, not of the line.
    yield from enumerate(csv.DictReader(io.StringIO(text, newline="")), 2)


def _json_rows(path: Path, text: str) -> Iterator[tuple[int, Mapping[str, object]]]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            fields = json.loads(line)
        except ValueError as error:
            raise BadInput(f"{path}:{number}: not JSON ({error}).") from error
        if not isinstance(fields, dict):
            raise BadInput(f"{path}:{number}: not an object with an excerpt.")
        yield number, fields


def _row(path: Path, number: int, fields: Mapping[str, object]) -> ExcerptRow:
    text = _first(fields, _TEXT)
    if not text.strip():
        raise BadInput(f"{path}:{number}: no `excerpt`.")
    mark = _first(fields, ("mark", "pick")) or "1"
    if not (mark.isascii() and mark.isdigit() and int(mark) > 0):
        raise BadInput(f"{path}:{number}: `mark` is {mark}, not a number from 1.")
    return ExcerptRow(
        _first(fields, ("id",)) or str(number), text, int(mark), _first(fields, _BEFORE), _first(fields, _SOURCE)
    )


def _first(fields: Mapping[str, object], names: tuple[str, ...]) -> str:
    return next((str(fields[name]) for name in names if fields.get(name) not in (None, "")), "")
