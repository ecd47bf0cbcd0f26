"""A table of columns in words: the same for every form of output and for the screen."""

from __future__ import annotations

from collections.abc import Sequence

from litterm.model.columns import (
    ColumnCell,
    ColumnEdit,
    ColumnRow,
    ColumnRun,
    ColumnTable,
    ColumnTableSummary,
    ColumnValue,
    EmptyColumnReason,
)
from litterm.render.matrix.words import cost_words
from litterm.text.plural import count_phrase

EMPTY_COLUMN_WORDS: dict[EmptyColumnReason, str] = {
    "not stated": "not stated",
    "none found": "none found",
    "needs a model": "needs a model",
    "not in library": "not in the library",
    "not open": "no text available",
    "parse failed": "its file could not be read",
    "failed": "failed; tried again by the next run",
}
NOT_READ = "not read yet"
IN_ABSTRACT = " in the abstract"
BY_HAND = "by hand"
"""`by` of a cell that the user wrote into."""
_JOINED_UNITS = "%‰°"
"""Units that follow their number without a blank."""


def value_words(value: ColumnValue | ColumnEdit) -> str:
    """`147 patients`, `85.3%`."""
    blank = "" if not value.unit or value.unit[0] in _JOINED_UNITS or value.unit.startswith("-") else " "
    return f"{value.value}{blank}{value.unit}"


def cell_words(row: ColumnRow, column: int) -> str:
    """What stands in a cell: what the user wrote, else the values, else why there is none."""
    edit, cell = row.edits[column], row.cells[column]
    if edit is not None:
        return value_words(edit) if edit.value else "not stated"
    if cell is None:
        return NOT_READ
    if cell.empty is not None:
        # The rules alone cannot know that a paper does not state something.
        scope = IN_ABSTRACT if cell.empty == "none found" and cell.ground == "abstract" else ""
        return f"{EMPTY_COLUMN_WORDS[cell.empty]}{scope}"
    return "; ".join(map(value_words, cell.values))


def shown_values(row: ColumnRow, column: int) -> Sequence[ColumnValue]:
    """The values of a cell; one without a source where the user wrote it, unless the paper's own values hold it."""
    edit, cell = row.edits[column], row.cells[column]
    if edit is None:
        return cell.values if cell else ()
    if not edit.value:
        return ()
    same = [value for value in (cell.values if cell else ()) if (value.value, value.unit) == (edit.value, edit.unit)]
    return same or (ColumnValue(edit.value, edit.unit),)


def by_words(row: ColumnRow, column: int) -> str:
    """What a cell was filled by: `by hand`, `rules`, `record`, or the name of a model; empty for an empty cell."""
    cell = row.cells[column]
    return BY_HAND if row.edits[column] is not None else cell.by if cell else ""


def why_words(cell: ColumnCell | None) -> str:
    """What limits a cell, in one sentence or more; empty where nothing does."""
    if cell is None:
        return ""
    hints = {
        "needs a model": "No rule reads this column: a language model can, and you can write into the cell.",
        "none found": "The rules found no such value; that does not say that the paper states none."
        if cell.by == "rules"
        else "",
    }
    return " ".join(filter(None, (hints.get(cell.empty or "", ""), cell.why)))


def state_words(table: ColumnTable) -> str:
    """`all 40 cells read`, or how many of them."""
    read, total = table.computed_count, table.cell_count
    return f"all {count_phrase(total, 'cell')} read" if read >= total else f"{read:,} of {total:,} cells read"


def audit_words(run: ColumnRun) -> str:
    """One line of the audit: date, version, method, cells, cost, and how it ended."""
    by = ", ".join(run.by) or "nothing to read"
    cells = count_phrase(run.cells, "cell")
    return f"{run.at} · litterm {run.version} · {by} · {cells} · {cost_words(run.spent)} · {run.ended}"


def summary_line(line: ColumnTableSummary) -> str:
    """A table in the list: id, date, size, how far it is, its columns."""
    total = line.papers * len(line.columns)
    far = "done" if line.cells >= total else f"{line.cells:,} of {total:,} cells"
    query = f" · query: {line.query}" if line.query else ""
    columns = "; ".join(line.columns)
    return f"{line.id}  {line.begun_at[:16]}  {line.papers:,} x {len(line.columns)}  {far}  {columns}{query}"
