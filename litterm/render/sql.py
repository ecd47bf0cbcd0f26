"""The answer to a statement in SQL: as a table for reading, as tab-separated values, as JSON and as CSV."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypedDict

from litterm.render.matrix.csv import escape_formula
from litterm.text.escape import plain
from litterm.text.terminal_width import pad, width_of

if TYPE_CHECKING:
    from litterm.model.sql import SqlResult
    from litterm.render.lines import LineOptions


class SqlData(TypedDict):
    """The answer of `sql`; a row has a value for each column."""

    columns: list[str]
    rows: list[dict[str, object]]
    has_more: bool


_MAX_CELL_WIDTH, _MIN_CELL_WIDTH = 60, 4
_MEASURED_ROWS = 1000
"""The first rows of a table, by which its columns are as wide as they are."""
_GAP = "  "


def sql_data(result: SqlResult) -> SqlData:
    """A mapping for each row; a column whose name another has is called `name_2`."""
    names = _distinct(result.columns)
    rows = [dict(zip(names, map(_json_value, row), strict=True)) for row in result.rows]
    return {"columns": names, "rows": rows, "has_more": result.has_more}


def sql_csv(result: SqlResult) -> str:
    """A header and a line for each row, safe to open in a spreadsheet."""
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(map(escape_formula, result.columns))
    # Numbers stay as they are: with a minus in front they are no formulas.
    writer.writerows(
        [value if _is_number(value) else escape_formula(_cell(value)) for value in row] for row in result.rows
    )
    return file.getvalue()


def sql_lines(result: SqlResult, options: LineOptions) -> list[str]:
    """A header and the rows: in columns that fit a terminal, otherwise whole and between tabs."""
    rows = [result.columns, *(tuple(map(_cell, row)) for row in result.rows)]
    if not options.terminal:
        return ["\t".join(map(plain, row)) for row in rows]
    widths = _widths(rows[:_MEASURED_ROWS], options.columns)
    ellipsis = "..." if options.ascii else "…"
    cells = ([pad(plain(cell), width, ellipsis) for cell, width in zip(row, widths, strict=True)] for row in rows)
    lines = list(map(_GAP.join, cells))
    return [options.paint(lines[0].rstrip(), "bold"), *(options.text(line.rstrip()) for line in lines[1:])]


def _widths(rows: Sequence[Sequence[str]], columns: int) -> list[int]:
    """The width of each column: the widest lose what the terminal lacks."""
    widths = [min(_MAX_CELL_WIDTH, max(width_of(plain(cell)) for cell in cells)) for cells in zip(*rows, strict=True)]
    while sum(widths) + len(_GAP) * (len(widths) - 1) > columns > 0 and max(widths) > _MIN_CELL_WIDTH:
        widths[widths.index(max(widths))] -= 1
    return widths


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return "; ".join(map(_cell, value))
    return str(value)


def _json_value(value: object) -> object:
    if isinstance(value, float):
        # JSON has no word for what is no number.
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, Mapping):
        return {str(name): _json_value(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_json_value(part) for part in value]
    return str(value)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _distinct(names: Sequence[str]) -> list[str]:
    taken: list[str] = []
    for name in names:
        number, free = 1, name
        while free in taken:
            number += 1
            free = f"{name}_{number}"
        taken.append(free)
    return taken
