"""A page of text with a cursor on a sentence, a selection and the mouse."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.message import Message

from litterm.tui.input.keymap import bindings
from litterm.tui.reader.layout import PageLayout
from litterm.tui.reader.paint import Painter
from litterm.tui.widgets.glyphs import Glyphs
from litterm.tui.widgets.styled_lines import LineView


class PageView(LineView):
    """Moves the cursor from sentence to sentence and scrolls so that it is seen."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("reader"), *bindings("pane")]
    PLACE: ClassVar[tuple[str, ...]] = ("_anchor",)

    @dataclass
    class Moved(Message):
        """The cursor is on another sentence, or the selection has changed."""

        index: int

    def __init__(self, glyphs: Glyphs, *, id: str) -> None:
        super().__init__(id=id)
        self._painter = Painter(glyphs)
        self._anchor: int | None = None
        """Where a selection began; `None` without one."""

    @property
    def page(self) -> PageLayout:
        """The lines as laid out now."""
        return self._painter.page

    @property
    def cursor(self) -> int:
        """Index of the sentence under the cursor."""
        return self._painter.cursor

    @property
    def cursor_line(self) -> int:
        return self.page.first_line[self.cursor] if self.cursor < len(self.page.first_line) else 0

    @property
    def selected(self) -> tuple[int, ...]:
        """The sentences that an action is for: the selection, else the one under the cursor."""
        return (tuple(self._painter.selected) or (self.cursor,)) if self._painter.sentence_starts else ()

    @property
    def is_selecting(self) -> bool:
        """Whether a selection is being made."""
        return self._anchor is not None

    def place(self) -> tuple[object, ...]:
        painter = self._painter
        return (*super().place(), painter.cursor, painter.selected, painter.text_search)

    def return_to(self, place: tuple[object, ...]) -> None:
        if place != self.place():
            painter = self._painter
            *rest, painter.cursor, painter.selected, painter.text_search = place  # type: ignore[assignment]
            painter.hit_ranges = painter.text_search.ranges()
            super().return_to((*rest,))

    def on_page_view_moved(self) -> None:
        self.place_terminal_cursor()

    def go(self, index: int, *, margin: int = 2) -> None:
        """Put the cursor on sentence `index` and show it; a selection grows or shrinks with it."""
        painter = self._painter
        if not painter.sentence_starts:
            return
        index = max(0, min(index, len(painter.sentence_starts) - 1))
        before, scrolled = painter.cursor, self.scroll_offset.y
        painter.cursor = index
        if self._anchor is not None:
            painter.selected = range(min(self._anchor, index), max(self._anchor, index) + 1)
        top = 0 if index == 0 else self.page.first_line[index]
        self.show_lines(top, self.page.last_line[index] + 1, margin=margin)
        # Two sentences and not the page: where nothing scrolled, that is all that looks different.
        if self._anchor is None and scrolled == self.scroll_offset.y:
            self._redraw(before)
            self._redraw(index)
        else:
            self.refresh()
        self.post_message(self.Moved(index))

    def _redraw(self, index: int) -> None:
        """Redraw the lines of one sentence."""
        if index < len(self.page.first_line):
            first = self.page.first_line[index]
            self.refresh_lines(first, self.page.last_line[index] + 1 - first)

    def unselect(self) -> None:
        """End the selection."""
        self._anchor, self._painter.selected = None, range(0)
        self.refresh()
        self.post_message(self.Moved(self.cursor))

    def action_move(self, step: int) -> None:
        page, top, height = self.page, self.scroll_offset.y, self.size.height
        if not page.lines:
            return
        first, last = page.first_line[self.cursor], page.last_line[self.cursor]
        # Scrolled away from the cursor: it comes to the page instead of the page going back.
        if last < top or first >= top + height:
            self.go(page.sentence_on(top + (1 if step > 0 else height - 2)))
        elif step > 0 and last >= top + height:
            # A sentence taller than the pane is scrolled through before the next one.
            self.jump(top + 1)
        elif step < 0 and first < top:
            self.jump(top - 1)
        else:
            self.go(self.cursor + step)

    def action_edge(self, end: int) -> None:
        self.go(0 if end < 0 else len(self._painter.sentence_starts) - 1)
        self.jump(0 if end < 0 else len(self.page.lines))

    def action_page(self, pages: float) -> None:
        rows = max(1, int(self.size.height * abs(pages)) - 1)
        before = self.scroll_offset.y
        self.jump(before + (rows if pages > 0 else -rows))
        # Nothing left to scroll: the key still does something, as it goes to the last sentence.
        if self.scroll_offset.y == before:
            self.action_edge(1 if pages > 0 else -1)
        elif self.page.lines:
            line_at = self.scroll_offset.y + (0 if pages > 0 else self.size.height - 1)
            self.go(self.page.sentence_on(line_at), margin=0)

    def action_section(self, step: int) -> None:
        sentences = self._painter.document.sentences if self._painter.document else ()
        ahead = sentences[self.cursor + 1 :] if step > 0 else sentences[: self.cursor][::-1]
        heading = next((row.index for row in ahead if row.kind in ("heading", "title")), None)
        if heading is not None:
            self.go(heading)
            self.jump(self.page.first_line[heading])

    def action_range(self) -> None:
        if self._anchor is not None:
            self.unselect()
        else:
            self._anchor = self.cursor
        self.go(self.cursor)

    def action_pick(self) -> None:
        self.action_range()

    def action_everything(self) -> None:
        self._anchor = 0
        self.go(len(self._painter.sentence_starts) - 1)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        inside = event.get_content_offset(self)
        if inside is None or not self.page.lines or event.button != 1:
            return
        self.unselect()
        self.go(self._painter.sentence_at(inside.x, inside.y + self.scroll_offset.y), margin=0)
        self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        # Textual asks the terminal for all movements, also those without a button.
        if self.app.mouse_captured is not self or not event.button:
            return
        # A captured mouse may be outside the pane, where `get_content_offset` gives nothing.
        y = event.y - self.gutter.top + self.scroll_offset.y
        index = self._painter.sentence_at(event.x - self.gutter.left, y)
        if self._anchor is None and index != self.cursor:
            self._anchor = self.cursor
        if index != self.cursor:
            self.go(index, margin=0)

    def on_mouse_up(self) -> None:
        self.release_mouse()
