"""Embase's CSV with one field per line: the name of the field, then its values, a cell each; record after record."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from litterm.importers.table_columns import COLUMNS, TELLING, TableHeader, normal_name, plain_cell, same_line_ends

Record: TypeAlias = tuple[int, Sequence[str] | None, TableHeader]
"""Number of the line where it begins, its cells, and what they mean."""
_DELIMITERS: Final = (",", ";", "\t")
_HEAD_CHARS: Final = 2**16
_EMBASE_NAMES: Final = frozenset(("author names", "embase accession id", "medline pmid", "pui", "embase link"))
"""What a table of this form is known by: without one of them it may describe anything."""
_ABOUT_EXPORT: Final = frozenset(("search query", "export date", "date of export"))
"""Names of lines before the first record."""
_LISTS: Final = frozenset(("authors", "editors", "keywords", "serials"))
"""Meanings whose cells are values of their own; other texts were cut at a delimiter within."""


def find_field_delimiter(text: str) -> str | None:
    """The delimiter if `text` begins as a table with one field per line; `None` if it does not."""
    head = text[:_HEAD_CHARS].removeprefix("\ufeff")
    for delimiter in _DELIMITERS:
        try:
            names = {_name(cells) for cells in csv.reader(same_line_ends(head), delimiter=delimiter) if any(cells[1:])}
        except csv.Error:
            continue
        meanings = {COLUMNS[name][0] for name in names if name in COLUMNS}
        if "title" in names and not _EMBASE_NAMES.isdisjoint(names) and len(meanings & TELLING) > 1:
            return delimiter
    return None


def field_records(rows: Iterable[tuple[int, list[str] | None]], delimiter: str) -> Iterator[Record]:
    """The records in numbered lines: where each begins, a cell for each of its fields, and what these are called.

    A record begins with the field that the first one begins with, or with another one that is there already, behind an
    empty line or if it is the title. Of a line with too long a cell the cells are `None`.
    """
    first = previous = ""
    begin, values, is_behind_gap = 1, dict[str, list[str]](), False
    for line, cells in rows:
        if cells is None:
            yield line, None, TableHeader(0, delimiter, (), frozenset())
            continue
        name = _name(cells)
        if not name or (name in _ABOUT_EXPORT and not first):
            is_behind_gap = True
            # What came without a title were lines about the export.
            first = first if "title" in values else ""
            continue
        first = first or name
        # Some write the values of one field on a line each.
        is_other = name != previous or is_behind_gap
        if is_other and (name == first or (name in values and (is_behind_gap or name == "title"))):
            yield _record(begin, values, delimiter)
            begin, values = line, {}
        previous, is_behind_gap = name, False
        values.setdefault(name, []).extend(filter(None, map(plain_cell, cells[1:])))
    yield _record(begin, values, delimiter)


def _record(line: int, values: Mapping[str, Sequence[str]], delimiter: str) -> Record:
    meanings = tuple(COLUMNS.get(name, ("", 0)) for name in values)
    cells = [
        ("; " if meaning in _LISTS else delimiter).join(found)
        for (meaning, _), found in zip(meanings, values.values(), strict=True)
    ]
    # The form says whose it is, also without the numbers of the database.
    return line, cells, TableHeader(0, delimiter, meanings, frozenset((*values, "embase accession id")))


def _name(cells: Sequence[str]) -> str:
    """The name of a field; empty for an empty line, or one of dashes."""
    return normal_name(plain_cell(cells[0])).strip("-=") if cells else ""
