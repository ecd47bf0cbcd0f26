"""Many excerpts in one file: JSON Lines, or CSV with a heading; CiteME's published file is one."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from litterm.core.errors import BadInput

_MAX_BYTES = 100_000_000
# Names of a field in order of preference: litterm's own, then those of CiteME and of files of citing sentences.
_TEXT_COLUMNS = ("excerpt", "text", "context")
_SOURCE_COLUMNS = ("source", "source_paper_title", "citing_id")
_DATE_COLUMNS = ("before", "year", "citing_year")


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
    fault: str = ""
    """Why the row cannot be asked about; empty for a sound one."""


def read_excerpts(path: Path) -> tuple[ExcerptRow, ...]:
    """Every row of a `.csv` file, or of JSON Lines.

    A row needs `excerpt` and may have `id`, `mark`, `before` and `source`; one that cannot be read says why itself.

    Raises:
        BadInput: the file cannot be read, or none of its rows; names the first.
    """
    try:
        with path.open("rb") as file:
            text = file.read(_MAX_BYTES).decode("utf-8-sig", "replace")
    except OSError as error:
        raise BadInput(f"{path}: cannot be read ({error.strerror}).") from error
    rows = tuple(_csv_rows(text) if path.suffix.lower() == ".csv" else _json_rows(text))
    if rows and all(row.fault for row in rows):
        raise BadInput(f"{path}:{rows[0].key}: {rows[0].fault}")
    return rows


def _csv_rows(text: str) -> Iterator[ExcerptRow]:
    # Spreadsheets write semicolons or tabs, too. Only the heading tells which: excerpts are full of all three.
    heading = text.partition("\n")[0]
    comma = max((",", ";", "\t"), key=heading.count)
    # Excerpts hold line breaks; the number is that of the row then, not of the line.
    for number, fields in enumerate(csv.DictReader(io.StringIO(text, newline=""), delimiter=comma), 2):
        yield _row(number, fields)


def _json_rows(text: str) -> Iterator[ExcerptRow]:
    # Not `splitlines`, which also cuts at U+2028, and JSON may hold that within a string.
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            fields = json.loads(line)
        except (ValueError, RecursionError) as error:
            yield ExcerptRow(str(number), "", fault=f"not JSON ({error}).")
            continue
        yield _row(number, fields) if isinstance(fields, dict) else ExcerptRow(str(number), "", fault="not an object.")


def _row(number: int, fields: Mapping[str, object]) -> ExcerptRow:
    key, text = _first_value(fields, ("id",)) or str(number), _first_value(fields, _TEXT_COLUMNS)
    if not text.strip():
        return ExcerptRow(key, "", fault="no `excerpt`.")
    mark = _first_value(fields, ("mark", "pick")) or "1"
    # `isdigit` alone takes superscripts, which `int` refuses; and `int` refuses digits beyond the 4,300th.
    if not (mark.isascii() and mark.isdigit() and int(mark[:20]) > 0):
        return ExcerptRow(key, text, fault=f"`mark` is {mark}, not a number from 1.")
    return ExcerptRow(
        key, text, int(mark[:20]), _first_value(fields, _DATE_COLUMNS), _first_value(fields, _SOURCE_COLUMNS)
    )


def _first_value(fields: Mapping[str, object], names: tuple[str, ...]) -> str:
    return next((str(fields[name]) for name in names if fields.get(name) not in (None, "")), "")
