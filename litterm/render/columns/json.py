"""A table of columns as JSON; fields may be added, never removed or renamed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from litterm.model.columns import ColumnRow, ColumnRun, ColumnTable, ColumnTableSummary, ColumnValue
from litterm.render.bibliography.keys import CitationKeys
from litterm.render.columns.words import by_words, cell_words, shown_values, why_words
from litterm.render.names import full_name


class ColumnRunData(TypedDict):
    """One run that filled a table of columns."""

    date: str
    version: str
    by: list[str]
    cells: int
    calls: int
    cost: float | None
    ended: str


class ColumnValueData(TypedDict):
    """A value that a paper states, and its sentence; without one where you wrote it or it is of the record."""

    value: str
    unit: str
    sentence: str | None
    index: int | None
    locator: str | None
    page: int | None


class ColumnCellData(TypedDict):
    """What one paper states of one column; `read`: what was read where you wrote another value."""

    column: str
    computed: bool
    words: str
    values: list[ColumnValueData]
    empty: str | None
    why: str
    by: str
    ground: str | None
    document: str | None
    edited: bool
    read: list[ColumnValueData] | None


class ColumnRowData(TypedDict):
    """A paper of a table of columns."""

    paper: str
    id: str | None
    key: str | None
    title: str | None
    authors: list[str]
    year: int | None
    venue: str | None
    retraction: str
    cells: list[ColumnCellData]


class ColumnTableData(TypedDict):
    """The answer of `extract`."""

    table: str
    begun: str
    query: str
    columns: list[str]
    model: bool
    cells: int
    total: int
    notices: list[str]
    audit: list[ColumnRunData]
    rows: list[ColumnRowData]


class ColumnTableSummaryData(TypedDict):
    """One of the tables of columns there are."""

    table: str
    begun: str
    query: str
    papers: int
    columns: list[str]
    cells: int
    complete: bool


class ColumnTablesData(TypedDict):
    """The answer of `extract --list`."""

    count: int
    tables: list[ColumnTableSummaryData]


class ColumnEditData(TypedDict):
    """The answer of `extract --edit`."""

    paper: str
    column: str
    changed: bool


def table(table: ColumnTable, citation_keys: CitationKeys, notices: Sequence[str] = ()) -> ColumnTableData:
    """The whole table: audit, then a row for every requested paper; `notices` are about the search of its papers."""
    request = table.request
    keys = citation_keys.keys_of(row.paper for row in table.rows if row.paper)
    return {
        "table": table.id,
        "begun": table.begun_at,
        "query": request.query,
        "columns": list(request.columns),
        "model": request.options is not None,
        "cells": table.computed_count,
        "total": table.cell_count,
        "notices": list(notices),
        "audit": [_run(run) for run in table.runs],
        "rows": [_row(row, request.columns, keys[row.paper.id] if row.paper else None) for row in table.rows],
    }


def _run(run: ColumnRun) -> ColumnRunData:
    return {
        "date": run.at,
        "version": run.version,
        "by": list(run.by),
        "cells": run.cells,
        "calls": run.spent.calls,
        "cost": run.spent.dollars,
        "ended": run.ended,
    }


def _row(row: ColumnRow, columns: Sequence[str], key: str | None) -> ColumnRowData:
    paper = row.paper
    return {
        "paper": row.paper_id,
        "id": paper.id if paper else None,
        "key": key,
        "title": paper.title if paper else None,
        "authors": [full_name(author) for author in paper.authors] if paper else [],
        "year": paper.year if paper else None,
        "venue": paper.venue if paper else None,
        "retraction": paper.retraction if paper else "",
        "cells": [_cell(row, column, name) for column, name in enumerate(columns)],
    }


def _cell(row: ColumnRow, column: int, name: str) -> ColumnCellData:
    cell, edit = row.cells[column], row.edits[column]
    return {
        "column": name,
        "computed": cell is not None,
        "words": cell_words(row, column),
        "values": [_value(value) for value in shown_values(row, column)],
        "empty": None if edit is not None else cell.empty if cell else None,
        "why": why_words(cell),
        "by": by_words(row, column),
        "ground": cell.ground if cell else None,
        "document": cell.document_id if cell else None,
        "edited": edit is not None,
        "read": [_value(value) for value in cell.values] if cell and edit is not None else None,
    }


def _value(value: ColumnValue) -> ColumnValueData:
    source = value.source
    return {
        "value": value.value,
        "unit": value.unit,
        "sentence": source.text if source else None,
        "index": source.index if source else None,
        "locator": source.locator if source else None,
        "page": source.page if source else None,
    }


def listing(summaries: Sequence[ColumnTableSummary]) -> ColumnTablesData:
    """The list of tables."""
    return {"count": len(summaries), "tables": [_summary(line) for line in summaries]}


def _summary(line: ColumnTableSummary) -> ColumnTableSummaryData:
    return {
        "table": line.id,
        "begun": line.begun_at,
        "query": line.query,
        "papers": line.papers,
        "columns": list(line.columns),
        "cells": line.cells,
        "complete": line.cells >= line.papers * len(line.columns),
    }
