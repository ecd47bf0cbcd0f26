"""Rows and columns of an XHTML or CALS table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final
from xml.etree.ElementTree import Element

_MAX_COLUMNS: Final = 300
_MAX_ROWS: Final = 5000
"""Larger tables are data sets; what lies beyond is left out."""


def table_grid(table: Element, text_of: Callable[[Element], str]) -> tuple[tuple[str, ...], ...]:
    """The cells row by row, columns aligned: a cell that spans several is in the first, the others are empty."""
    rows: list[tuple[str, ...]] = []
    below: dict[int, int] = {}
    for row in _rows(table):
        if len(rows) >= _MAX_ROWS:
            break
        cells, below = _row(row, below, text_of)
        rows.append(tuple(" ".join(cell.split()) for cell in cells))
    return tuple(rows)


def _rows(table: Element) -> list[Element]:
    return [row for row in table.iter() if row.tag in ("tr", "row")]


def _row(row: Element, below: dict[int, int], text_of: Callable[[Element], str]) -> tuple[list[str], dict[int, int]]:
    """One row's cells, and per column how many rows below are taken by a cell that reaches down."""
    cells: list[str] = []
    spanned = dict(below)
    reaching = {column: count - 1 for column, count in below.items() if count > 1}
    for cell in row:
        if cell.tag not in ("td", "th", "entry") or len(cells) >= _MAX_COLUMNS:
            continue
        while spanned.pop(len(cells), 0):
            cells.append("")
        width, height = min(_span(cell, "colspan"), _MAX_COLUMNS - len(cells)), _span(cell, "rowspan")
        for column in range(len(cells), len(cells) + width):
            if height > 1:
                reaching[column] = height - 1
        cells.extend([text_of(cell), *[""] * (width - 1)])
    while spanned.pop(len(cells), 0):
        cells.append("")
    return cells[:_MAX_COLUMNS], reaching


def _span(cell: Element, name: str) -> int:
    text = cell.get(name, "1").strip()
    # A hostile span of a million cells costs a few characters.
    return min(max(1, int(text)), _MAX_COLUMNS) if text.isdecimal() and len(text) < 6 else 1
