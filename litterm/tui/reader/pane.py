"""The reader pane: one paper, of which only the lines on the screen are drawn."""

from __future__ import annotations

from textual.reactive import reactive

from litterm.text.escape import plain_in_place
from litterm.text.terminal_width import wrap_text
from litterm.tui.reader.layout import MARGIN, PageLayout, columns_of, lay_out, with_byline
from litterm.tui.reader.paint import NO_PAGE
from litterm.tui.reader.paper_facts import after_text, byline
from litterm.tui.reader.text_search import TextSearch, seek
from litterm.tui.reader.view import PageView
from litterm.tui.state import ReaderState
from litterm.tui.widgets.glyphs import Glyphs
from litterm.tui.widgets.highlight import word_pattern
from litterm.tui.widgets.pane_title import set_title
from litterm.tui.widgets.styled_lines import Line, line

EMPTY = ("Nothing is open.", "Choose a paper in the results (2) and press enter to read it here.")


class ReaderPane(PageView):
    """Shows one paper with its marks; a cursor stands on one sentence."""

    state: reactive[ReaderState] = reactive(ReaderState())

    PANE = "reader"

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(glyphs, id="reader")
        self._glyphs = glyphs
        self._laid: tuple[object, ...] = ()
        self._bare = NO_PAGE
        """The page without what is told about the paper."""
        self._goal: tuple[int, int] | None = None
        """Sentences to put at the top and the cursor on once the page is laid out."""
        self._top: tuple[int, int] | None = None
        """Sentence to show near the top once the page is laid out, and how many lines are to stand above it."""
        self._last_placed = (0, 0, 0)
        """Those last shown so, and where the page was scrolled to for it."""

    @property
    def seeking(self) -> TextSearch:
        """What is looked for in the paper."""
        return self._painter.seek

    @property
    def top_sentence(self) -> int:
        """The first sentence that begins on the screen; kept per paper."""
        return self._seen()[0] if self.scroll_offset.y else 0

    def _seen(self) -> tuple[int, int]:
        """What to show near the top to see the same again, and how many lines above it."""
        y, (sentence, above, held_at) = self.scroll_offset.y, self._last_placed
        if y == held_at:
            # Not scrolled since it was shown: the same place, whatever sizes the screen had meanwhile.
            return sentence, above
        sentence = self.page.begun_on(y, self.size.height)
        return sentence, max(0, (self.page.first_line[sentence] if self.page.first_line else 0) - y)

    def watch_state(self, state: ReaderState) -> None:
        painter = self._painter
        # By identity: another state of the same text, such as new marks, must keep cursor and place.
        if state.document is not painter.document:
            painter.document, painter.cursor = state.document, 0
            painter.seek, painter.ranges = TextSearch(), []
            self._anchor, painter.chosen = None, range(0)
            self._last_placed = (0, 0, 0)
            self.scroll_to(y=0, animate=False, force=True)
        painter.marks = state.marks
        painter.pattern = word_pattern(state.words)
        self.renew()

    def open_at(self, top: int, cursor: int) -> None:
        """Show sentence `top` at the top and put the cursor on `cursor`, as soon as there is a page."""
        # Kept, as there may be no page yet: `laid` is called again after each layout.
        self._goal = top, cursor
        self.laid()

    def laid(self) -> None:
        # Only once the page has those sentences: it may still be that of the paper before.
        if self._goal is not None and max(self._goal) < len(self.page.first_line):
            (top, self._painter.cursor), self._goal = self._goal, None
            self._top = top, 0
        if self._top is not None and self._top[0] < len(self.page.first_line):
            sentence, above = self._top
            # The width has changed how many lines stand above: at most half a pane of them.
            self.jump(self.page.first_line[sentence] - min(above, self.size.height // 2))
            self._last_placed, self._top = (sentence, above, self.scroll_offset.y), None
            self.retitle()

    def lay_out(self, width: int) -> int:
        painter, state = self._painter, self.state
        key = (state.document, width, state.paper, state.notes)
        if key != self._laid:
            same = bool(self._laid) and self._laid[0] is state.document
            self._top = self._seen() if same else self._top
            if not same:
                painter.text = "" if state.document is None else plain_in_place(state.document.text)
                painter.starts = tuple(row.span.start for row in state.document.sentences) if state.document else ()
            # Notes change only the byline; the text is laid out again for another document or width alone.
            if key[:2] != self._laid[:2]:
                self._bare = lay_out(state.document, painter.text, width, self._glyphs) if state.document else NO_PAGE
            painter.page = _with_byline(self._bare, state, width, self._glyphs)
            self._laid = key
        painter.spread(self.size.height)
        self.retitle()
        return len(painter.page.lines)

    def line_at(self, y: int, width: int) -> tuple[Line, str]:
        self._painter.top = self.scroll_offset.y
        if self.page.lines:
            return self._painter.line(y, width), ""
        message = (self.state.busy,) if self.state.busy else EMPTY if self.state.paper is None else ()
        lines = [text for part in message for text in wrap_text(part, max(4, width - 2))]
        return (line((f" {lines[y]}", "hint")) if y < len(lines) else ()), ""

    def go(self, index: int, *, margin: int = 2) -> None:
        super().go(index, margin=margin)
        self.retitle()

    def find(self, text: str, step: int = 0) -> TextSearch:
        """Look for `text` from the cursor on, or step among the hits; the paper scrolls to the current one."""
        painter = self._painter
        if text != painter.seek.wanted:
            # From the cursor on, as one looks for the next place and not for the first of the paper.
            near = painter.starts[self.cursor] if painter.starts else 0
            painter.seek = seek(painter.text, text, near=near)
        painter.seek = painter.seek.step(step) if step else painter.seek
        painter.ranges = painter.seek.ranges()
        if painter.seek.place is not None:
            self.go(painter.sentence_of(painter.seek.place))
        self.refresh()
        return painter.seek

    def retitle(self) -> None:
        """Write the title anew, for another width, frame or place."""
        paper, document = self.state.paper, self.state.document
        if paper is None or document is None or not self.page.lines:
            set_title(self, f"3 reader {self._glyphs.dot} {paper.title}" if paper else "3 reader", "", self._glyphs)
            return
        section = document.sections[document.sentences[self.cursor].section] if document.sentences else None
        place = f"{self._glyphs.section}{section.number} " if section and section.number else ""
        share = min(100, round(100 * (self.scroll_offset.y + self.size.height) / max(1, len(self.page.lines))))
        set_title(self, f"3 reader {self._glyphs.dot} {paper.title}", f"{place}{share}%", self._glyphs)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self.retitle()


def _with_byline(page: PageLayout, state: ReaderState, width: int, glyphs: Glyphs) -> PageLayout:
    if state.document is None or state.paper is None:
        return NO_PAGE
    byline_lines = wrap_text(byline(state.paper, state.notes, glyphs), max(8, width - MARGIN - 2))
    after = after_text(state.paper, state.document, glyphs)
    return with_byline(page, byline_lines, [wrap_text(line, columns_of(width)) for line in after])
