"""The text of a draft with its marks; the current one stands out and is scrolled into view."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from litterm.model.document import Span
from litterm.text.escape import plain_in_place
from litterm.text.terminal_width import wrap
from litterm.tui.widgets.glyphs import Glyphs
from litterm.tui.widgets.highlight import Range, styled_pieces
from litterm.tui.widgets.styled_lines import Line, LineView, line

WINDOW_CHARS = 20_000
"""Characters shown on either side of the current mark: a book in one file must not be wrapped at every step."""
LINES_ABOVE = 3
"""Lines that stay above the current mark."""
MarkState = Literal["open", "accepted", "rejected"]


@dataclass(frozen=True, slots=True)
class ShownMark:
    """One mark of the draft and its state."""

    span: Span
    state: MarkState = "open"
    shown: str = ""
    """What stands in the text in its place once it is decided."""


class DraftText(LineView):
    """Shows the part of a draft around one of its marks."""

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(id="draft-text")
        self.can_focus = False
        self._glyphs = glyphs
        self._text = ""
        self._marks: Sequence[ShownMark] = ()
        self.current = 0
        """Index of the current mark."""
        self._lines: list[tuple[int, int]] = []
        self._ranges: list[Range] = []

    def show(self, text: str, marks: Sequence[ShownMark], current: int) -> None:
        """The draft with its marks; the one with index `current` is scrolled into view."""
        self._text, self._marks = _put_decisions(text, marks)
        self.current = current
        self.renew()

    def lay_out(self, width: int) -> int:
        room = max(4, width - 2)
        start, end = self._window()
        # As long as the text, so that the places of the marks still hold.
        part = plain_in_place(self._text[start:end])
        self._part, self._from = part, start
        self._lines, start_line = [], 0
        for piece in part.split("\n"):
            spans = list(wrap(part, start_line, start_line + len(piece), room)) or [(start_line, start_line)]
            self._lines += spans
            start_line += len(piece) + 1
        self._ranges = [
            (first_column - start, last_column - start, _role(mark, start_line == self.current))
            for start_line, mark in enumerate(self._marks)
            for first_column, last_column in [_visible_span(mark.span)]
            if last_column > start and first_column < end
        ]
        return len(self._lines)

    def after_layout(self) -> None:
        lines = self._lines_of_current()
        if lines:
            height = self.size.height
            lines_above = min(LINES_ABOVE, max(0, height - (lines[-1] - lines[0]) - 2))
            top = self.scroll_offset.y
            # As little as needed: of two marks in one paragraph the text stays where it is.
            if lines[0] - lines_above < top or lines[-1] + 1 + min(lines_above, 2) > top + height:
                self.jump(lines[0] - max(lines_above, height // 3))

    def line_at(self, y: int, width: int) -> tuple[Line, str]:
        if y >= len(self._lines):
            return line(), ""
        start, end = self._lines[y]
        bar = self._glyphs.bar if y in self._lines_of_current() else " "
        return line((f"{bar} ", "accent"), *styled_pieces(self._part, start, end, self._ranges)), ""

    def scroll_half(self, step: int) -> None:
        """Half a page up (-1) or down (1)."""
        self.jump(self.scroll_offset.y + step * max(1, self.size.height // 2))

    def _window(self) -> tuple[int, int]:
        """The characters around the current mark, whole lines of the file where there are any."""
        if not self._marks:
            return 0, min(len(self._text), 2 * WINDOW_CHARS)
        span = self._marks[min(self.current, len(self._marks) - 1)].span
        start, end = max(0, span.start - WINDOW_CHARS), min(len(self._text), span.end + WINDOW_CHARS)
        if start:
            newline = self._text.find("\n", start, span.start)
            start = newline + 1 if newline >= 0 else start
        if end < len(self._text):
            newline = self._text.rfind("\n", span.end, end)
            end = newline if newline >= 0 else end
        return start, end

    def _lines_of_current(self) -> range:
        """The lines that contain the current mark."""
        if not self._marks:
            return range(0)
        first, last = _visible_span(self._marks[min(self.current, len(self._marks) - 1)].span)
        first, last = first - self._from, last - self._from
        line_indexes = [index for index, (start, end) in enumerate(self._lines) if start < last and end > first]
        return range(line_indexes[0], line_indexes[-1] + 1) if line_indexes else range(0)

    _part = ""
    _from = 0


def _put_decisions(text: str, marks: Sequence[ShownMark]) -> tuple[str, tuple[ShownMark, ...]]:
    """The text with what is shown for each decided mark, and the marks where they are in it."""
    pieces: list[str] = []
    placed: list[ShownMark] = []
    read_to = length = 0
    for mark in marks:
        words = mark.shown or text[mark.span.start : mark.span.end]
        before = text[read_to : mark.span.start]
        start = length + len(before)
        placed.append(replace(mark, span=Span(start, start + len(words))))
        pieces += before, words
        read_to, length = mark.span.end, start + len(words)
    return "".join([*pieces, text[read_to:]]), tuple(placed)


def _visible_span(span: Span) -> tuple[int, int]:
    """The characters of a mark; of one without width, at the end of a text, the one before it."""
    return (span.start, span.end) if span.end > span.start else (max(0, span.start - 1), span.start)


def _role(mark: ShownMark, is_current: bool) -> str:
    if is_current:
        return "hit-now"
    return {"open": "hit", "accepted": "accepted", "rejected": "rejected"}[mark.state]
