"""A table of columns as CSV, a line for each paper, and its rows for Parquet, one for each value."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from typing import Final

from litterm.model.columns import ColumnRow, ColumnTable, ColumnValue
from litterm.model.paper import Paper
from litterm.render.bibliography.keys import CitationKeys
from litterm.render.columns.words import BY_HAND, by_words, cell_words, shown_values
from litterm.render.matrix.csv import escape_formula
from litterm.render.names import listed_names, status_warning

PAPER_COLUMNS = ("paper", "key", "title", "authors", "year", "venue", "standing")
_VALUE_SEPARATOR = "; "
PARQUET_TYPES: Final[Mapping[str, str]] = {
    **dict.fromkeys(PAPER_COLUMNS, "VARCHAR"),
    "year": "INTEGER",
    **dict.fromkeys(("column_name", "state", "value", "unit", "sentence", "locator"), "VARCHAR"),
    "page": "INTEGER",
    "sentence_index": "INTEGER",
    "read_by": "VARCHAR",
    "edited": "BOOLEAN",
}
"""By column, in order, its type in DuckDB."""


def dumps(table: ColumnTable, citation_keys: CitationKeys) -> str:
    """A header, then a line for every paper; each column has its value, unit, sentence, locator and what read it.

    Several values of a cell are divided by semicolons; an empty cell says why in its column `NAME: state`.
    """
    file = io.StringIO()
    writer = csv.writer(file)
    parts = ("", ": unit", ": state", ": by", ": sentence", ": locator")
    heads = [f"{name}{part}" for name in table.request.columns for part in parts]
    writer.writerow([escape_formula(head) for head in (*PAPER_COLUMNS, *heads)])
    keys = citation_keys.keys_of(row.paper for row in table.rows if row.paper)
    for row in table.rows:
        cells = [part for column in range(len(row.cells)) for part in _cell_fields(row, column)]
        paper = _paper_fields(row, keys[row.paper.id] if row.paper else "")
        writer.writerow([escape_formula(field) for field in (*paper, *cells)])
    return file.getvalue()


def _paper_fields(row: ColumnRow, key: str) -> tuple[str, ...]:
    paper = row.paper
    if paper is None:
        return (row.paper_id, "", "", "", "", "", "")
    names = "; ".join(listed_names(paper))
    return (row.paper_id, key, paper.title, names, str(paper.year or ""), paper.venue, status_warning(paper))


def _cell_fields(row: ColumnRow, column: int) -> Iterator[str]:
    values = shown_values(row, column)
    sources = [value.source for value in values if value.source]
    yield _VALUE_SEPARATOR.join(value.value for value in values)
    yield _VALUE_SEPARATOR.join(dict.fromkeys(value.unit for value in values if value.unit))
    yield "" if values else cell_words(row, column)
    yield by_words(row, column)
    yield " | ".join(dict.fromkeys(source.text for source in sources))
    yield " | ".join(dict.fromkeys(source.locator for source in sources))


def json_rows(table: ColumnTable, citation_keys: CitationKeys) -> Iterator[str]:
    """For each value, and each cell without any, a line of JSON with the values of `PARQUET_TYPES`."""
    keys = citation_keys.keys_of(row.paper for row in table.rows if row.paper)
    for row in table.rows:
        paper = _paper_row(row, row.paper, keys[row.paper.id] if row.paper else None)
        for column, name in enumerate(table.request.columns):
            for value in shown_values(row, column) or (None,):
                cell = _value_row(row, column, value)
                yield json.dumps({**paper, "column_name": name, **cell}, ensure_ascii=False)


def _paper_row(row: ColumnRow, paper: Paper | None, key: str | None) -> dict[str, object]:
    return {
        "paper": row.paper_id,
        "key": key,
        "title": paper.title if paper else None,
        "authors": "; ".join(listed_names(paper)) if paper else None,
        "year": paper.year if paper else None,
        "venue": paper.venue if paper else None,
        "standing": (status_warning(paper) or None) if paper else None,
    }


def _value_row(row: ColumnRow, column: int, value: ColumnValue | None) -> dict[str, object]:
    source = value.source if value else None
    by = by_words(row, column)
    return {
        "state": "stated" if value else cell_words(row, column),
        "value": value.value if value else None,
        "unit": (value.unit or None) if value else None,
        "sentence": source.text if source else None,
        "locator": source.locator if source else None,
        "page": source.page if source else None,
        "sentence_index": source.index if source else None,
        "read_by": by or None,
        "edited": by == BY_HAND,
    }
