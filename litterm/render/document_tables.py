"""A table of a paper as Markdown and as CSV."""

from __future__ import annotations

import csv
import io
import re
from typing import Final

from litterm.model.document import Table
from litterm.render.export.markdown import escape_markdown
from litterm.render.matrix.csv import escape_formula
from litterm.text.escape import plain

_NUMBER: Final = re.compile(r"[+-]?\d+(?:[.,]\d+)*(?:[eE][+-]?\d+)?%?")
"""What a spreadsheet reads as a number, although a formula may begin alike."""


def table_markdown(table: Table) -> str:
    """A pipe table, its first row as the head; below it label and caption, as pandoc reads them."""
    count = max(map(len, table.rows), default=0)
    lines = [_pipes([*map(escape_markdown, row), *[""] * (count - len(row))]) for row in table.rows]
    if lines:
        lines.insert(1, _pipes(["---"] * count))
    caption = escape_markdown(" ".join(filter(None, (table.label, table.caption))))
    return "\n".join([*lines, *(("", f": {caption}") if caption else ())]) + "\n"


def _pipes(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def table_csv(table: Table) -> str:
    """The rows as CSV; what a spreadsheet would take for a formula is behind an apostrophe."""
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows([[_csv_cell(cell) for cell in row] for row in table.rows])
    return file.getvalue()


def _csv_cell(cell: str) -> str:
    text = plain(cell)
    return text if _NUMBER.fullmatch(text.strip()) else escape_formula(text)
