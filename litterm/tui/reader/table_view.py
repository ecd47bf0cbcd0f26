"""A table of the paper whole: its cells wrapped, its first column in sight while one scrolls sideways."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from litterm.model.document import Table
from litterm.render.document_tables import table_csv, table_markdown
from litterm.text.escape import plain
from litterm.text.plural import count_phrase
from litterm.tui.dialogs.base import Dialog, paragraph
from litterm.tui.reader.table_layout import (
    GAP,
    count_fitting,
    fit_widths,
    natural_widths,
    number_widths,
    total_width,
    wrapped_row,
)
from litterm.tui.widgets.glyphs import Glyphs
from litterm.tui.widgets.rows import Drawn, Rows
from litterm.tui.widgets.styled_lines import line

_MAX_CELL_WIDTH = 28
"""Cells of a column of words in a table that is scrolled sideways."""
_MAX_FIRST_SHARE = 1 / 3
"""Of the width for the first column, which stays where it is."""


class TableRows(Rows):
    """The rows of a table."""

    def __init__(self, table: Table, glyphs: Glyphs) -> None:
        super().__init__(id="cells")
        self._glyphs = glyphs
        self._cells = [[plain(cell) for cell in row] for row in table.rows]
        self._natural = natural_widths(self._cells)
        self._numbers = number_widths(self._cells, as_printed=True)
        self._widths = self._natural
        self._scrolled = 0
        """Columns behind the first that are out of sight at the left."""
        self._shown = 0
        """Columns in sight behind these."""

    def count(self) -> int:
        return len(self._cells)

    def get_content_height(self, container: object, viewport: object, width: int) -> int:
        return max(1, self.lay_out(width))

    def lay_out(self, width: int) -> int:
        self._widths = self._fit(max(1, width - 2))
        return super().lay_out(width)

    def _fit(self, room: int) -> list[int]:
        widths = fit_widths(self._cells, room, self._numbers)
        self._scrolled, self._shown = 0 if total_width(widths) <= room else self._scrolled, len(widths) - 1
        if total_width(widths) <= room or len(widths) < 2:
            return widths
        # Not all columns fit: they are as wide as they read well, as one scrolls to the others anyway.
        most = [max(number, _MAX_CELL_WIDTH) for number in self._numbers]
        widths = [min(width, limit) for width, limit in zip(self._natural, most, strict=True)]
        widths[0] = min(widths[0], max(self._numbers[0], int(room * _MAX_FIRST_SHARE)))
        room -= widths[0] + GAP
        # The last column is the last to come into sight.
        scrolled_at_most = 0
        while total_width(widths[1 + scrolled_at_most :]) > room and scrolled_at_most < len(widths) - 2:
            scrolled_at_most += 1
        self._scrolled = min(self._scrolled, scrolled_at_most)
        self._shown = count_fitting(widths[1 + self._scrolled :], room)
        return widths

    @property
    def _columns(self) -> list[int]:
        """The columns in sight: the first, and those to which one has scrolled."""
        return [0, *range(1 + self._scrolled, 1 + self._scrolled + self._shown)] if self._widths else []

    def draw_head(self, width: int) -> Drawn:
        columns, count = self._columns, len(self._widths)
        if len(columns) == count:
            return ()
        words = f" columns 1 and {columns[1] + 1}-{columns[-1] + 1} of {count}"
        return (line((words, "muted")),)

    def draw_row(self, index: int, width: int, under_cursor: bool) -> Drawn:
        row, columns = self._cells[index], self._columns
        cells = [row[column] if column < len(row) else "" for column in columns]
        role = "heading" if index == 0 else ""
        lead = (self._glyphs.bar if under_cursor else " ", "bar")
        return tuple(line(lead, (text, role)) for text in wrapped_row(cells, [self._widths[c] for c in columns]))

    def slide(self, step: int) -> None:
        """Scroll left (-1) or right (1) by a column."""
        self._scrolled = max(0, self._scrolled + step)
        self.renew()


class TableView(Dialog[bool]):
    """Label, caption and cells; copies the table."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "copy('Markdown')", "copy as Markdown", id="table.copy-markdown"),
        Binding("Y", "copy('CSV')", "copy as CSV", id="table.copy-csv"),
    ]

    def __init__(self, table: Table, glyphs: Glyphs, copy: Callable[[str, str], None]) -> None:
        hints = ("y copy as Markdown", "Y as CSV", "h l columns", "j k rows", "esc leave")
        super().__init__(table.label or "table", f" {glyphs.dot} ".join(hints), glyphs)
        self._table = table
        self._copy = copy
        """Puts a text on the clipboard and says so in the words given."""
        self.cells = TableRows(table, glyphs)

    def body(self) -> ComposeResult:
        if self._table.caption:
            yield paragraph(self._table.caption, "cause")
        yield self.cells

    def on_mount(self) -> None:
        self.cells.focus()

    def action_copy(self, form: str) -> None:
        """Copy the table whole."""
        text = table_csv(self._table) if form == "CSV" else table_markdown(self._table)
        self._copy(text, f"a table of {count_phrase(len(self._table.rows), 'row')} as {form}")

    def on_rows_sideways(self, event: Rows.Sideways) -> None:
        event.stop()
        self.cells.slide(event.step)

    def on_rows_entered(self, event: Rows.Entered) -> None:
        event.stop()
        self.dismiss(None)
