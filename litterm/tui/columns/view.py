"""The table of columns on the screen: a line for each paper, and the sentence of the value under the cursor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Literal

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content

from litterm.model.columns import ColumnRow, ColumnTable
from litterm.render.columns.words import (
    BY_HAND,
    IN_ABSTRACT,
    by_words,
    cell_words,
    shown_values,
    state_words,
    value_words,
    why_words,
)
from litterm.render.matrix.words import byline
from litterm.text.escape import plain
from litterm.text.plural import count_phrase
from litterm.text.terminal_width import clip, pad, width_of, wrap_text
from litterm.tui.dialogs.base import Dialog
from litterm.tui.widgets.glyphs import Glyphs
from litterm.tui.widgets.rows import Drawn, Rows
from litterm.tui.widgets.styled_lines import Line, LineView, Piece, line

ColumnAct = Literal["open", "edit", "unedit", "add", "rest", "model", "why", "copy", "write"]
"""What a key of the table does."""
_LEAD_WIDTH = 5
"""Cells before the title: bar, number, blank."""
_MIN_TITLE_WIDTH, _MAX_TITLE_WIDTH = 18, 60
_TITLE_SHARE = 0.3
_MIN_CELL_WIDTH, _MAX_CELL_WIDTH = 14, 36
_DETAIL_LINES = 8
"""Lines below the table for the cell under the cursor."""


class ColumnRows(Rows):
    """A line for each paper; the first column, its title, stays in sight while one goes sideways."""

    def __init__(self, table: ColumnTable, glyphs: Glyphs) -> None:
        super().__init__(id="columns")
        self._glyphs = glyphs
        self.table = table
        self.column = 0
        """The column of the cursor."""
        self._first = 0
        """The first column in sight."""

    def show(self, table: ColumnTable) -> None:
        """Show another state of the table; the cursor stays."""
        self.table = table
        self.renew()

    def count(self) -> int:
        return len(self.table.rows)

    @property
    def current(self) -> ColumnRow | None:
        """The paper under the cursor."""
        return self.table.rows[self.cursor] if self.cursor < len(self.table.rows) else None

    def move_to_column(self, column: int) -> None:
        """Put the cursor on a column, or on the nearest one that exists."""
        self.column = max(0, min(column, len(self.table.request.columns) - 1))
        self.renew()

    def _grid(self, width: int) -> tuple[int, int, range]:
        """The width of the titles and of a cell, and the columns in sight, among them that of the cursor."""
        count = len(self.table.request.columns)
        title = max(_MIN_TITLE_WIDTH, min(_MAX_TITLE_WIDTH, int(width * _TITLE_SHARE)))
        shown = max(1, min(count, (width - title) // _MIN_CELL_WIDTH))
        cell = max(1, min(_MAX_CELL_WIDTH, (width - title) // shown))
        self._first = max(min(self._first, self.column, count - shown), self.column - shown + 1, 0)
        return max(1, width - cell * shown), cell, range(self._first, self._first + shown)

    def draw_head(self, width: int) -> Drawn:
        title, cell, columns = self._grid(width)
        hidden = len(self.table.request.columns) - len(columns)
        words = f"{columns[0] + 1}-{columns[-1] + 1} of {len(self.table.request.columns)}, h l" if hidden else "paper"
        pieces: list[Piece] = [(pad(f" {words}", title, self._glyphs.ellipsis), "muted")]
        for index in columns:
            # Not by colour alone: the column of the cursor has a bar.
            lead, role = (self._glyphs.bar, "title") if index == self.column else (" ", "heading")
            name = clip(plain(self.table.request.columns[index]), cell - 2, self._glyphs.ellipsis)
            pieces.append((pad(f"{lead}{name}", cell, self._glyphs.ellipsis), role))
        return (line(*pieces),)

    def draw_row(self, index: int, width: int, under_cursor: bool) -> Drawn:
        row = self.table.rows[index]
        title_width, cell_width, columns = self._grid(width)
        title = clip(_title(row), title_width - _LEAD_WIDTH - 1, self._glyphs.ellipsis)
        bar = (self._glyphs.bar if under_cursor else " ", "bar")
        pieces: list[Piece] = [
            bar,
            (f"{index + 1:>3} ", "muted"),
            (pad(title, title_width - _LEAD_WIDTH, self._glyphs.ellipsis), ""),
        ]
        for column in columns:
            role = _role(row, column)
            # That only the abstract was there is said below the table.
            words = plain(cell_words(row, column)).removesuffix(IN_ABSTRACT)
            shown = clip(words, cell_width - 2, self._glyphs.ellipsis)
            mark = f"{self._glyphs.accepted}" if row.edits[column] is not None else " "
            chosen = " chosen" if under_cursor and column == self.column else ""
            pieces.append((f"{mark}{shown}", f"{role}{chosen}".strip()))
            pieces.append((" " * max(0, cell_width - width_of(mark) - width_of(shown)), ""))
        return (line(*pieces),)

    def line_at(self, y: int, width: int) -> tuple[Line, str]:
        # The heads stay where they are while rows scroll below them.
        screen_line = y - self.scroll_offset.y
        return (self._head[screen_line], "") if 0 <= screen_line < len(self._head) else super().line_at(y, width)

    def show_cursor(self) -> None:
        """Scroll until the cursor's row is on the screen, below the heads."""
        if self.count() and self.cursor + 1 < len(self._offsets):
            self.show_lines(self._offsets[self.cursor] - len(self._head), self._offsets[self.cursor + 1])

    def go(self, index: int) -> None:
        super().go(index)
        # Rows have moved under the heads.
        self.refresh()

    def row_at(self, y: int) -> int | None:
        """The row on line `y` of the widget's inside; the heads belong to none."""
        return super().row_at(y) if y >= len(self._head) else None

    def action_left(self) -> None:
        self.move_to_column(self.column - 1)
        self.post_message(self.Moved(self, self.cursor))

    def action_right(self) -> None:
        self.move_to_column(self.column + 1)
        self.post_message(self.Moved(self, self.cursor))


class CellDetail(LineView, can_focus=False):
    """The cell under the cursor in full: value, what read it, and the sentence it stands in."""

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(id="column-detail")
        self._glyphs = glyphs
        self._row: ColumnRow | None = None
        self._place = (0, "")
        """The column and its name."""
        self._lines: Sequence[Line] = ()

    def show(self, row: ColumnRow | None, column: int, name: str) -> None:
        """Show another cell."""
        self._row, self._place = row, (column, name)
        self.renew()

    def get_content_height(self, container: object, viewport: object, width: int) -> int:
        return _DETAIL_LINES

    def lay_out(self, width: int) -> int:
        self._lines = tuple(self._draw(max(8, width - 2)))[:_DETAIL_LINES]
        return len(self._lines)

    def line_at(self, y: int, width: int) -> tuple[Line, str]:
        return (self._lines[y] if y < len(self._lines) else line()), ""

    def _draw(self, width: int) -> list[Line]:
        row, (column, name) = self._row, self._place
        if row is None or not name:
            return []
        about = byline(row.paper) if row.paper else row.paper_id
        drawn = [self._clipped(f"{_title(row)} {self._glyphs.dot} {about}", width, "title")]
        by = by_words(row, column)
        words = f"{name}: {cell_words(row, column)}" + (f" {self._glyphs.dot} {by}" if by else "")
        drawn += [line((f" {text}", "")) for text in wrap_text(plain(words), width, lines=2)]
        cell = row.cells[column]
        if by == BY_HAND and cell is not None and cell.values:
            read = "; ".join(map(value_words, cell.values))
            drawn.append(self._clipped(f"read by {cell.by}: {read}", width, "muted"))
        source = next((value.source for value in shown_values(row, column) if value.source), None)
        if source is not None:
            drawn.append(self._clipped(source.locator, width, "muted"))
            room = _DETAIL_LINES - len(drawn)
            texts = wrap_text(plain(source.text), width, lines=max(1, room), ellipsis=self._glyphs.ellipsis)
            drawn += [line((f" {text}", "")) for text in texts]
        elif why := why_words(cell):
            drawn += [line((f" {text}", "muted")) for text in wrap_text(plain(why), width, lines=3)]
        return drawn

    def _clipped(self, text: str, width: int, role: str) -> Line:
        return line((f" {clip(plain(text), width, self._glyphs.ellipsis)}", role))


class ColumnsView(Dialog[None]):
    """The table and the cell under the cursor."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("e", "act('edit')", "write into the cell", id="columns.edit"),
        Binding("x", "act('unedit')", "take back what you wrote", id="columns.unedit"),
        Binding("plus", "act('add')", "add a column", id="columns.add"),
        Binding("full_stop", "act('rest')", "read the rest", id="columns.rest"),
        Binding("M", "act('model')", "ask the language model", id="columns.model"),
        Binding("i", "act('why')", "why", id="columns.why"),
        Binding("y", "act('copy')", "copy value and sentence", id="columns.copy"),
        Binding("w", "act('write')", "write to a file", id="columns.write"),
    ]

    def __init__(self, table: ColumnTable, glyphs: Glyphs, act: Callable[[ColumnAct], None]) -> None:
        """`act` carries out what a key does."""
        hints = (
            "enter open",
            "e edit",
            "x undo edit",
            "+ column",
            ". read the rest",
            "M model",
            "w write",
            "esc leave",
        )
        super().__init__("columns", f" {glyphs.dot} ".join(hints), glyphs)
        self.rows = ColumnRows(table, glyphs)
        self.detail = CellDetail(glyphs)
        self._act = act

    def body(self) -> ComposeResult:
        yield self.rows
        yield self.detail

    def on_mount(self) -> None:
        self.rows.focus()
        self.show(self.rows.table)

    @property
    def column_name(self) -> str:
        """The name of the column under the cursor."""
        columns = self.rows.table.request.columns
        return columns[self.rows.column] if self.rows.column < len(columns) else ""

    def show(self, table: ColumnTable) -> None:
        """Show another state of the table."""
        self.rows.show(table)
        query = f' {self.glyphs.dot} "{table.request.query}"' if table.request.query else ""
        papers = count_phrase(len(table.rows), "paper")
        dot = self.glyphs.dot
        self.border_title = Content(plain(f"columns {dot} {papers}{query} {dot} {state_words(table)}"))
        self._show_cell()

    def _show_cell(self) -> None:
        self.detail.show(self.rows.current, self.rows.column, self.column_name)

    def on_rows_moved(self, event: Rows.Moved) -> None:
        event.stop()
        self._show_cell()

    def on_rows_entered(self, event: Rows.Entered) -> None:
        event.stop()
        self.action_act("open")

    def on_resize(self, _event: events.Resize) -> None:
        self.call_after_refresh(self.rows.show_cursor)

    def action_act(self, act: ColumnAct) -> None:
        self._act(act)


def _title(row: ColumnRow) -> str:
    return plain(row.paper.title if row.paper else row.paper_id) or "(no title)"


def _role(row: ColumnRow, column: int) -> str:
    if row.edits[column] is not None:
        return "hand mark"
    cell = row.cells[column]
    if cell is None or cell.empty is not None:
        return "warning" if cell is not None and cell.empty in ("failed", "parse failed") else "muted"
    return ""
