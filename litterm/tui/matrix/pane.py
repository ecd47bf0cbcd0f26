"""The matrix pane: papers by hypotheses above, the sentences of the cell under the cursor below."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.reactive import reactive

from litterm.model.matrix import MatrixCell, MatrixRow
from litterm.model.paper import PaperId
from litterm.render.matrix.words import state_words
from litterm.render.names import method_words
from litterm.text.plural import count_phrase
from litterm.text.terminal_width import wrap_text
from litterm.tui.input.keymap import bindings
from litterm.tui.matrix.cell_lines import cell_lines
from litterm.tui.matrix.rows import Grid, MatrixLine, fit_grid, header_lines, row_line
from litterm.tui.matrix.state import MatrixState
from litterm.tui.part_messages import PartMessage
from litterm.tui.widgets.glyphs import Glyphs
from litterm.tui.widgets.pane_title import set_title
from litterm.tui.widgets.rows import Drawn, Rows
from litterm.tui.widgets.styled_lines import Line, line

EMPTY_TEXT = "No matrix here. Select papers in the results (space, v, *), then E asks for the hypotheses."

MIN_SPLIT_HEIGHT = 8
"""Lines below the heads from which both halves have room; below that the sentences get what the papers leave."""


class MatrixPane(Rows):
    """Draws a matrix with a cursor on a cell."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("matrix")]
    PANE = "matrix"
    PLACE: ClassVar[tuple[str, ...]] = (*Rows.PLACE, "column")

    state: reactive[MatrixState] = reactive(MatrixState())

    class Focused(PartMessage):
        """The matrix has the focus again; meanwhile sentences may have been decided on."""

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(id="matrix")
        self._glyphs = glyphs
        self._rows_shown: Sequence[MatrixRow] = ()
        self._grid = Grid(1, 1, 0, 1)
        self._lower_height = 0
        """Lines of the lower half."""
        self._lower: Drawn = ()
        """The lower half as it is drawn."""
        self.column = 0
        """Of the cell under the cursor, from 0."""
        self._selected_before_range: frozenset[PaperId] = frozenset()
        """What was selected when a range was begun."""

    @property
    def shown(self) -> Sequence[MatrixRow]:
        """The rows that the in-place filter lets through."""
        return self._rows_shown

    @property
    def current(self) -> MatrixRow | None:
        """The row under the cursor."""
        return self._rows_shown[self.cursor] if self.cursor < len(self._rows_shown) else None

    @property
    def cell(self) -> MatrixCell | None:
        """The cell under the cursor, if it is computed."""
        return self.current.cells[self.column] if self.current and self.current.cells else None

    @property
    def hypothesis(self) -> str:
        """The hypothesis of the column under the cursor; empty without a matrix."""
        columns = self.state.hypotheses
        return columns[self.column] if self.column < len(columns) else ""

    def on_rows_toggled(self, message: Rows.Toggled) -> None:
        """Select rows, or unselect them if all of them are."""
        chosen, ids = self.state.chosen, self._ids(message.indexes)
        self.state = replace(self.state, chosen=chosen - ids if ids <= chosen else chosen | ids)

    def on_rows_range_changed(self, message: Rows.RangeChanged) -> None:
        """Add a range to the rows that were selected when it began; without rows the range ends."""
        if message.begun:
            self._selected_before_range = self.state.chosen
        if ids := self._ids(message.indexes):
            self.state = replace(self.state, chosen=self._selected_before_range | ids)

    def _ids(self, indexes: Sequence[int]) -> frozenset[PaperId]:
        return frozenset(self.shown[index].paper_id for index in indexes if index < len(self.shown))

    def watch_state(self, old: MatrixState, state: MatrixState) -> None:
        keep = self.current.paper_id if self.current else None
        self._rows_shown = state.shown()
        if old.key != state.key:
            self.column = 0
        places = (index for index, row in enumerate(self._rows_shown) if row.paper_id == keep)
        self.cursor = next(places, 0) if old.key == state.key else 0
        # Drawn for every cell that comes, so that the cursor has to stay on its paper and not on its place.
        self.renew()
        self.call_after_refresh(self.show_cursor)

    def count(self) -> int:
        return len(self._rows_shown)

    def on_focus(self) -> None:
        self.post_message(self.Focused())

    def lay_out(self, width: int) -> int:
        self.retitle()
        return super().lay_out(width)

    def _measure(self, width: int) -> int:
        # Every row is one line, so that a thousand rows are measured without drawing.
        count = self.count()
        self.cursor = max(0, min(self.cursor, count - 1))
        columns = len(self.state.hypotheses)
        self.column = max(0, min(self.column, columns - 1))
        self._grid = fit_grid(width, columns, self.column, self._grid.first)
        self._head = self.draw_head(width)
        height = max(0, self.size.height - len(self._head))
        least = height // 2 if height >= MIN_SPLIT_HEIGHT else 0
        self._lower_height = max(least, height - count) if count else 0
        self._lower = self._draw_lower(width)
        self._offsets = range(len(self._head), len(self._head) + count + 1)
        # The last row can be scrolled to above the lower half.
        return self._offsets[-1] + self._lower_height

    def _draw_lower(self, width: int) -> Drawn:
        row = self.current
        if row is None or not row.cells:
            return ()
        return cell_lines(row, self.column, self.hypothesis, (width, self._lower_height), self._glyphs)

    def draw_head(self, width: int) -> Drawn:
        if not self.state.hypotheses:
            return tuple(line((f" {text}", "hint")) for text in wrap_text(EMPTY_TEXT, max(4, width - 2)))
        return header_lines(self.state.hypotheses, self.column, self._grid, self._glyphs)

    def draw_row(self, index: int, width: int, under_cursor: bool) -> Drawn:
        return (row_line(self._row(index), self._grid, self._glyphs, under_cursor=under_cursor),)

    def _row(self, index: int) -> MatrixLine:
        row = self._rows_shown[index]
        return MatrixLine(self.state.number(row), row, row.paper_id in self.state.chosen, self.column)

    def line_at(self, y: int, width: int) -> tuple[Line, str]:
        # Heads and lower half stay where they are while rows scroll between them.
        screen_line = y - self.scroll_offset.y
        if screen_line < len(self._head):
            return self._head[screen_line], ""
        lower_line = screen_line - self._upper_height
        if 0 <= lower_line < len(self._lower):
            return self._lower[lower_line], ""
        return super().line_at(y, width)

    @property
    def _upper_height(self) -> int:
        """Lines of the heads and the rows."""
        return max(len(self._head), self.size.height - self._lower_height)

    def go(self, index: int) -> None:
        super().go(index)
        # The lower half is of another cell.
        self.refresh()

    def show_cursor(self) -> None:
        """Scroll until the cursor's row is on the screen, below the heads and above the lower half."""
        if self.count() and self.cursor + 1 < len(self._offsets):
            top, bottom = self._offsets[self.cursor], self._offsets[self.cursor + 1]
            self.show_lines(top - len(self._head), bottom + self._lower_height)

    def action_page(self, pages: float) -> None:
        height = max(1, int((self._upper_height - len(self._head)) * abs(pages)) - 1)
        self.go(self.cursor + (height if pages > 0 else -height))

    def row_at(self, y: int) -> int | None:
        """The row on line `y` of the widget's content; heads and lower half belong to none."""
        return super().row_at(y) if len(self._head) <= y < self._upper_height else None

    def move_to_column(self, column: int) -> None:
        """Put the cursor on a column, or on the nearest one that exists."""
        column = max(0, min(column, len(self.state.hypotheses) - 1))
        if column != self.column:
            self.column = column
            self.renew()
            self.show_cursor()

    def action_left(self) -> None:
        self.move_to_column(self.column - 1)

    def action_right(self) -> None:
        self.move_to_column(self.column + 1)

    def on_click(self, event: events.Click) -> None:
        """A click moves the cursor to a cell; a click on the cell under it opens it."""
        inside = event.get_content_offset(self)
        index = self.row_at(inside.y) if inside is not None else None
        if inside is not None and index is not None and inside.x >= self._grid.title and self.state.hypotheses:
            column = self._grid.first + min((inside.x - self._grid.title) // self._grid.cell, self._grid.shown - 1)
            if column != self.column:
                # Only the column changes: the handler of the base class would open the row under the cursor.
                event.prevent_default()
                self.move_to_column(column)
                self.go(index)

    def retitle(self) -> None:
        """Update the title after a change of width, frame or position."""
        state, dot = self.state, self._glyphs.dot
        if state.matrix is None:
            set_title(self, "matrix", "", self._glyphs)
            return
        query = state.matrix.request.query
        query_words = f' {dot} "{query}"' if query else ""
        narrowed = f" {dot} {len(self._rows_shown)} shown" if state.only else ""
        heading = f"matrix {dot} {count_phrase(len(state.matrix.rows), 'paper')}{query_words}{narrowed}"
        parts = (state_words(state.matrix), method_words(state.matrix.request.method), state.mark)
        right = f" {dot} ".join(part for part in parts if part)
        set_title(self, heading, right, self._glyphs)

    def on_resize(self, event: events.Resize) -> None:
        # Both halves have another height.
        self.call_after_refresh(self.renew)
        self.call_after_refresh(self.show_cursor)
