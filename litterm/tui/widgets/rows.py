"""A virtualised list: rows of one or more lines and a cursor; only rows on the screen are drawn."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.message import Message

from litterm.tui.input.keymap import bindings
from litterm.tui.widgets.styled_lines import Line, LineView, line

Drawn = tuple[Line, ...]


class Rows(LineView):
    """Scrolls and moves the cursor; subclasses count and draw the rows."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("pane")]
    PLACE: ClassVar[tuple[str, ...]] = ("cursor", "range_start")

    @dataclass
    class Moved(Message):
        """The cursor is on another row."""

        rows: Rows
        index: int

        @property
        def control(self) -> Rows:
            return self.rows

    @dataclass
    class Entered(Message):
        """The row under the cursor is to be opened."""

        rows: Rows
        index: int

    @dataclass
    class Toggled(Message):
        """Rows to select or not; several when a range or all is meant."""

        rows: Rows
        indexes: tuple[int, ...]

    @dataclass
    class RangeChanged(Message):
        """All rows between the start of a range and the cursor; `begun` for its first row."""

        rows: Rows
        indexes: tuple[int, ...]
        begun: bool

    @dataclass
    class Sideways(Message):
        """`h` (-1) or `l` (1)."""

        rows: Rows
        step: int

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.cursor = 0
        self.range_start: int | None = None
        """Where a range began."""
        self._offsets: Sequence[int] = (0,)
        # By row and whether the cursor is on it, as a row under the cursor may unfold.
        self._drawn: dict[tuple[int, bool], Drawn] = {}
        self._head: Drawn = ()

    @property
    def cursor_line(self) -> int:
        return self._offsets[min(self.cursor, len(self._offsets) - 1)]

    def on_rows_moved(self) -> None:
        self.place_terminal_cursor()

    def count(self) -> int:
        """How many rows there are."""
        raise NotImplementedError

    def draw_row(self, index: int, width: int, under_cursor: bool) -> Drawn:
        """The lines of row `index`, at least one, each at most `width` cells."""
        raise NotImplementedError

    def draw_head(self, width: int) -> Drawn:
        """Lines above the first row; they scroll with it."""
        return ()

    def background_role(self, index: int, under_cursor: bool) -> str:
        """The role of a row's background."""
        return "cursor" if under_cursor else ""

    def row_lines(self, index: int, width: int) -> Drawn:
        """The lines of row `index`, cached."""
        key = (index, index == self.cursor)
        if key not in self._drawn:
            self._drawn[key] = self.draw_row(index, width, key[1])
        return self._drawn[key]

    def lay_out(self, width: int) -> int:
        self._drawn.clear()
        return self._measure(width)

    def _measure(self, width: int) -> int:
        self.cursor = max(0, min(self.cursor, self.count() - 1))
        self._head = self.draw_head(width)
        heights = (self.height_of(index, width) for index in range(self.count()))
        self._offsets = tuple(accumulate(heights, initial=len(self._head)))
        return self._offsets[-1]

    def height_of(self, index: int, width: int) -> int:
        """How many lines row `index` has; a subclass may know that without drawing it."""
        return len(self.row_lines(index, width))

    def line_at(self, y: int, width: int) -> tuple[Line, str]:
        if y < len(self._head):
            return self._head[y], ""
        index = bisect_right(self._offsets, y) - 1
        if not 0 <= index < self.count():
            return line(), ""
        lines = self.row_lines(index, width)
        inner_line = y - self._offsets[index]
        return (lines[inner_line] if inner_line < len(lines) else line()), self.background_role(
            index, index == self.cursor
        )

    def go(self, index: int) -> None:
        """Put the cursor on row `index`, or the nearest there is."""
        index = max(0, min(index, self.count() - 1))
        before, offsets, top = self.cursor, self._offsets, self.scroll_offset.y
        if index != before:
            # The row left folds up again, which may change its height.
            self._drawn.pop((before, True), None)
            self.cursor = index
            if self.size.width > 0 and (height := self._measure(self.size.width)) != self.virtual_size.height:
                self.virtual_size = self.virtual_size.with_height(height)
            self.post_message(self.Moved(self, index))
            if self.range_start is not None:
                start, end = sorted((self.range_start, index))
                self.post_message(self.RangeChanged(self, tuple(range(start, end + 1)), begun=False))
        self.show_cursor()
        if offsets != self._offsets or top != self.scroll_offset.y or max(before, index) + 1 >= len(offsets):
            self.refresh()
            return
        for row in (before, index):
            # No other row has moved, so only the two are drawn again.
            self.refresh_lines(offsets[row], offsets[row + 1] - offsets[row])

    def show_cursor(self) -> None:
        """Scroll until the cursor's row, and with the first row what is above it, is on the screen."""
        if self.count() and self.cursor + 1 < len(self._offsets):
            top = 0 if self.cursor == 0 else self._offsets[self.cursor]
            self.show_lines(top, self._offsets[self.cursor + 1])

    def row_at(self, y: int) -> int | None:
        """The row on line `y` of the widget's inside."""
        index = bisect_right(self._offsets, y + self.scroll_offset.y) - 1
        return index if 0 <= index < self.count() and y + self.scroll_offset.y >= len(self._head) else None

    def action_move(self, step: int) -> None:
        # A row taller than the page is scrolled through before the next one.
        if not self._scroll_within_row(step):
            self.go(self.cursor + step)

    def _scroll_within_row(self, step: int) -> bool:
        """Scroll by a line where more of the row under the cursor is out of sight on that side."""
        height, scrolled = self.size.height, self.scroll_offset.y
        if self.cursor + 1 >= len(self._offsets):
            return False
        top, bottom = self._offsets[self.cursor], self._offsets[self.cursor + 1]
        is_in_sight = top < scrolled + height and bottom > scrolled
        if bottom - top <= height or not is_in_sight:
            return False
        is_hidden = bottom > scrolled + height if step > 0 else top < scrolled
        if is_hidden:
            self.jump(scrolled + step)
        return is_hidden

    def action_edge(self, end: int) -> None:
        self.go(0 if end < 0 else self.count() - 1)

    def action_page(self, pages: float) -> None:
        # One line less, so that the last one read is still there to read on from.
        height = max(1, int(self.size.height * abs(pages)) - 1)
        target = self._offsets[min(self.cursor, len(self._offsets) - 1)] + (height if pages > 0 else -height)
        target_row = max(0, bisect_right(self._offsets, target) - 1)
        # A row taller than the page would hold the cursor for ever.
        self.go(target_row if target_row != self.cursor else self.cursor + (1 if pages > 0 else -1))

    def action_enter(self) -> None:
        if self.count():
            self.post_message(self.Entered(self, self.cursor))

    def action_left(self) -> None:
        self.post_message(self.Sideways(self, -1))

    def action_right(self) -> None:
        self.post_message(self.Sideways(self, 1))

    def action_pick(self) -> None:
        """Select the row, or no longer, and go on to the next, so that pressing it again selects that."""
        if self.count():
            self.post_message(self.Toggled(self, (self.cursor,)))
            self.go(self.cursor + 1)

    def action_range(self) -> None:
        """Begin a range, whose first row is selected at once; it grows with the cursor until this is pressed again."""
        if not self.count():
            return
        begins = self.range_start is None
        self.range_start = self.cursor if begins else None
        self.post_message(self.RangeChanged(self, (self.cursor,) if begins else (), begins))

    def action_everything(self) -> None:
        self.post_message(self.Toggled(self, tuple(range(self.count()))))

    def on_click(self, event: events.Click) -> None:
        """A click moves the cursor; a double click on the row under it opens the row."""
        inside = event.get_content_offset(self)
        index = self.row_at(inside.y) if inside is not None else None
        if index is None:
            return
        # `chain` counts clicks in quick succession: a double click opens.
        if index == self.cursor and self.has_focus_within and event.chain != 1:
            self.run_binding("all.enter")
        self.go(index)
