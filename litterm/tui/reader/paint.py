"""Draws lines of the page with marks, hits, selection, highlighted words, margin and gutter."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from litterm.model.document import Document
from litterm.text.terminal_width import cut_at, width_of
from litterm.tui.reader.layout import PageLayout, PageLine
from litterm.tui.reader.text_search import TextSearch
from litterm.tui.state import NO_MARKS, MarkRole
from litterm.tui.widgets.glyphs import Glyphs
from litterm.tui.widgets.highlight import Range, WordFinder, styled_pieces
from litterm.tui.widgets.styled_lines import Line, Piece

MARK_PRIORITY: dict[MarkRole, int] = {"accepted": 0, "hand": 1, "strong": 2, "proposed": 3, "rejected": 4}
"""Priority of marks where a line or a gutter cell holds several; the lowest is shown."""
EMPTY_PAGE = PageLayout((), (), ())


@dataclass(slots=True)
class Painter:
    """The state of the page, and how its lines are drawn."""

    glyphs: Glyphs
    page: PageLayout = field(default=EMPTY_PAGE)
    document: Document | None = None
    text: str = ""
    """The document's text made harmless, character for character."""
    matched: WordFinder = field(default_factory=WordFinder)
    marks: Mapping[int, MarkRole] = field(default_factory=lambda: NO_MARKS)
    annotated: frozenset[int] = frozenset()
    """Sentences that are marked in a file of the paper."""
    cursor: int = 0
    selected: range = field(default=range(0))
    text_search: TextSearch = field(default=TextSearch())
    gutter_marks: Mapping[int, MarkRole] = field(default_factory=lambda: NO_MARKS)
    """Gutter row to the weightiest mark in its stretch of the paper."""
    top: int = 0
    height: int = 1
    sentence_starts: tuple[int, ...] = ()
    """Where each sentence starts; for bisection."""
    hit_ranges: list[Range] = field(default_factory=list)
    """Hits, in order."""

    def line(self, y: int, width: int) -> Line:
        """Line `y` of the page, `width` cells with its gutter."""
        # Below the text the gutter continues: marks of a short paper are spread over the whole pane.
        if self.document is None or y >= len(self.page.lines):
            return (*self._padding(0, width), self.gutter(y - self.top)) if self.page.lines else ()
        page_line = self.page.lines[y]
        pieces = [*self._margin(page_line, y), *self._text_pieces(page_line)]
        width_used = sum(width_of(text) for text, _ in pieces)
        return (*pieces, *self._padding(width_used, width), self.gutter(y - self.top))

    def _padding(self, width_used: int, width: int) -> Iterator[Piece]:
        yield " " * max(0, width - 1 - width_used), ""

    def _margin(self, page_line: PageLine, y: int) -> Iterator[Piece]:
        on_cursor = self.page.first_line[self.cursor] <= y <= self.page.last_line[self.cursor]
        yield (self.glyphs.bar if on_cursor else " "), "bar"
        yield self._margin_mark(y)
        yield " " * (page_line.indent - 2), ""

    def _margin_mark(self, y: int) -> Piece:
        """The weightiest mark of the sentences that start on line `y`."""
        index = self.page.lines[y].sentence
        best: MarkRole | None = None
        has_annotation = False
        while index < len(self.sentence_starts) and self.page.first_line[index] <= y:
            role = self.marks.get(index) if self.page.first_line[index] == y else None
            if role and (best is None or MARK_PRIORITY[role] < MARK_PRIORITY[best]):
                best = role
            has_annotation = has_annotation or (index in self.annotated and self.page.first_line[index] == y)
            index += 1
        if best:
            return self.glyphs.mark(best), f"{best} mark"
        return (self.glyphs.annotated, "annotated mark") if has_annotation else (" ", "")

    def _text_pieces(self, page_line: PageLine) -> list[Piece]:
        if page_line.text:
            return self._cell_pieces(page_line)
        if page_line.start == page_line.end:
            return []
        return styled_pieces(self.text, page_line.start, page_line.end, list(self._overlays(page_line)), page_line.role)

    def _cell_pieces(self, page_line: PageLine) -> list[Piece]:
        role = self.marks.get(page_line.sentence, "") if page_line.role == "" else page_line.role
        chosen = " chosen" if page_line.role == "" and page_line.sentence in self.selected else ""
        # Lines with a role are byline and hints, no text of the paper: matches are not marked there.
        matches = [] if page_line.role else self.matched.ranges(page_line.text)
        return styled_pieces(page_line.text, 0, len(page_line.text), matches, f"{role}{chosen}")

    def _overlays(self, page_line: PageLine) -> Iterator[Range]:
        # Only within the line: a search through the whole text at each line would take the square of its length.
        yield from self.matched.ranges(self.text, page_line.start, page_line.end)
        index = page_line.sentence
        sentences = self.document.sentences if self.document else ()
        while index < len(sentences) and sentences[index].span.start < page_line.end:
            span, role = sentences[index].span, self.marks.get(index)
            if role:
                yield span.start, span.end, "struck" if role == "rejected" else role
            elif index in self.annotated:
                yield span.start, span.end, "annotated"
            if index in self.selected:
                yield span.start, span.end, "chosen"
            index += 1
        # One before, as a hit may begin on the line above.
        range_index = max(0, bisect_right(self.hit_ranges, (page_line.start, 0, "")) - 1)
        while range_index < len(self.hit_ranges) and self.hit_ranges[range_index][0] < page_line.end:
            yield self.hit_ranges[range_index]
            range_index += 1

    def gutter(self, row: int) -> Piece:
        """Cell `row` of the right edge: where marks lie in the paper, and what of it is on the screen."""
        role = self.gutter_marks.get(row)
        total = max(1, len(self.page.lines))
        first, last = row * total / self.height, (row + 1) * total / self.height
        in_view = total > self.height and first < self.top + self.height and last > self.top
        if role:
            return self.glyphs.gutter_mark(role), f"{role} mark{' viewport' if in_view else ''}"
        return (self.glyphs.viewport, "gutter") if in_view else (" ", "")

    def lay_out_gutter(self, height: int) -> None:
        """Arrange the gutter for `height` rows."""
        self.height = max(1, height)
        total = max(1, len(self.page.lines))
        by_line: dict[int, MarkRole] = {}
        for index, role in self.marks.items():
            if index < len(self.page.first_line):
                row = min(self.height - 1, self.page.first_line[index] * self.height // total)
                if row not in by_line or MARK_PRIORITY[role] < MARK_PRIORITY[by_line[row]]:
                    by_line[row] = role
        self.gutter_marks = by_line

    def sentence_at_offset(self, offset: int) -> int:
        """The sentence that holds character `offset`, or the one before it."""
        return max(0, bisect_right(self.sentence_starts, offset) - 1)

    def sentence_at(self, x: int, y: int) -> int:
        """The sentence under cell `x` of line `y`; the nearest where there is none."""
        if not self.page.lines:
            return 0
        page_line = self.page.lines[max(0, min(y, len(self.page.lines) - 1))]
        if page_line.text or page_line.start == page_line.end:
            return page_line.sentence
        offset = cut_at(self.text, page_line.start, page_line.end, max(0, x - page_line.indent))
        return max(page_line.sentence, self.sentence_at_offset(min(offset, page_line.end - 1)))
