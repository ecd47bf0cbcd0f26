"""A dialog that shows a table with the whole text of each cell; `h` and `l` move sideways."""

from __future__ import annotations

from textual.app import ComposeResult

from litterm.model.document import Table
from litterm.text.escape import plain
from litterm.text.terminal_width import cut_at, pad, width_of
from litterm.tui.dialogs.base import Dialog, paragraph
from litterm.tui.widgets.glyphs import Glyphs
from litterm.tui.widgets.rows import Drawn, Rows
from litterm.tui.widgets.styled_lines import line

SLIDE_CELLS = 8
"""Cells that one key press scrolls sideways."""


class TableRows(Rows):
    """The rows of a table, each column as wide as its widest cell."""

    def __init__(self, table: Table, glyphs: Glyphs) -> None:
        super().__init__(id="cells")
        # Widths are taken once: a table never changes, and sliding must not measure every cell again.
        rows = [[plain(cell) for cell in row] for row in table.rows]
        count = max(map(len, rows), default=0)
        widths = [max(width_of(row[column]) for row in rows if column < len(row)) for column in range(count)]
        self._rows = ["  ".join(pad(cell, width) for cell, width in zip(row, widths, strict=False)) for row in rows]
        self._glyphs = glyphs
        self._scrolled = 0

    def count(self) -> int:
        return len(self._rows)

    def get_content_height(self, container: object, viewport: object, width: int) -> int:
        return max(1, len(self._rows))

    def draw_row(self, index: int, width: int, under_cursor: bool) -> Drawn:
        text = self._rows[index]
        start = cut_at(text, 0, len(text), self._scrolled)
        role = "heading" if index == 0 else ""
        return (line((f" {text[start : cut_at(text, start, len(text), max(1, width - 2))]}", role)),)

    def slide(self, step: int) -> None:
        """Scroll left (-1) or right (1), within the text."""
        widest = max(map(width_of, self._rows), default=0)
        self._scrolled = max(0, min(self._scrolled + step * SLIDE_CELLS, widest - self.size.width + 2))
        self.renew()


class TableView(Dialog[bool]):
    """Label, caption and cells."""

    def __init__(self, table: Table, glyphs: Glyphs) -> None:
        dot = glyphs.dot
        super().__init__(table.label or "table", f"h l sideways {dot} j k rows {dot} esc leave", glyphs)
        self._caption = table.caption
        self.cells = TableRows(table, glyphs)

    def body(self) -> ComposeResult:
        if self._caption:
            yield paragraph(self._caption, "cause")
        yield self.cells

    def on_mount(self) -> None:
        self.cells.focus()

    def on_rows_sideways(self, event: Rows.Sideways) -> None:
        event.stop()
        self.cells.slide(event.step)

    def on_rows_entered(self, event: Rows.Entered) -> None:
        event.stop()
        self.dismiss(None)
