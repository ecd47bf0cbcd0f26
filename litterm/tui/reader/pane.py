"""The reader pane: one paper, of which only the lines on the screen are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.reactive import reactive

from litterm.model.annotations import PaperNotes
from litterm.model.document import Document
from litterm.model.paper import Paper
from litterm.render.names import short_authors, status_warning, title_warning, venue_and_year
from litterm.text.escape import plain, plain_in_place
from litterm.text.file_annotations import LocatedAnnotation, annotation_line, annotation_place
from litterm.text.plural import count_phrase
from litterm.text.terminal_width import wrap_text
from litterm.tui.reader.layout import MARGIN, PageLayout, lay_out, text_columns, with_byline, with_comments
from litterm.tui.reader.paint import EMPTY_PAGE
from litterm.tui.reader.text_search import TextSearch, search_text
from litterm.tui.reader.view import PageView
from litterm.tui.state import ReaderState
from litterm.tui.widgets.glyphs import Glyphs
from litterm.tui.widgets.highlight import word_finder
from litterm.tui.widgets.pane_title import set_title
from litterm.tui.widgets.styled_lines import Line, line

NOTHING_OPEN = ("Nothing is open.", "Choose a paper in the results (2) and press enter to read it here.")


class ReaderPane(PageView):
    """Shows one paper with its marks; a cursor is on one sentence."""

    state: reactive[ReaderState] = reactive(ReaderState())

    PANE = "reader"
    PLACE: ClassVar[tuple[str, ...]] = (*PageView.PLACE, "_last_position")

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(glyphs, id="reader")
        self._glyphs = glyphs
        self._layout_key: tuple[object, ...] = ()
        self._text_page = EMPTY_PAGE
        """The layout of the text without byline and footer."""
        self._pending_position: tuple[int, int] | None = None
        """Sentences to show at the top and under the cursor once the page is laid out."""
        self._pending_top: tuple[int, int] | None = None
        """Sentence to show near the top once the page is laid out, and how many lines are to be above it."""
        self._last_position = (0, 0, 0)
        """Sentence and lines above it as last shown, and the scroll position then."""

    @property
    def text_search(self) -> TextSearch:
        """The current search in the paper."""
        return self._painter.text_search

    @property
    def top_sentence(self) -> int:
        """The first sentence that begins on the screen; kept per paper."""
        return self._visible_position()[0] if self.scroll_offset.y else 0

    def _visible_position(self) -> tuple[int, int]:
        """The first sentence in view, and the number of lines above it."""
        y, (sentence, lines_above, held_at) = self.scroll_offset.y, self._last_position
        if y == held_at:
            # Not scrolled since it was shown: the same place, whatever sizes the screen had meanwhile.
            return sentence, lines_above
        sentence = self.page.sentence_starting_on(y, self.size.height)
        return sentence, max(0, (self.page.first_line[sentence] if self.page.first_line else 0) - y)

    def watch_state(self, state: ReaderState) -> None:
        painter = self._painter
        # By identity: another state of the same text, such as new marks, must keep cursor and place.
        if state.document is not painter.document:
            painter.document, painter.cursor = state.document, 0
            painter.text_search, painter.hit_ranges = TextSearch(), []
            self._anchor, painter.selected = None, range(0)
            self._last_position = (0, 0, 0)
            self.scroll_to(y=0, animate=False, force=True)
        painter.marks = state.marks
        painter.annotated = frozenset(index for one in state.annotations for index in one.sentences)
        painter.matched = word_finder(state.words)
        self.renew()

    def show_position(self, top: int, cursor: int) -> None:
        """Show sentence `top` at the top and put the cursor on `cursor`, as soon as there is a page."""
        # Kept, as there may be no page yet: `after_layout` is called again after each layout.
        self._pending_position = top, cursor
        self.after_layout()

    def after_layout(self) -> None:
        # Only once the page has those sentences: it may still be that of the paper before.
        if self._pending_position is not None and max(self._pending_position) < len(self.page.first_line):
            (top, self._painter.cursor), self._pending_position = self._pending_position, None
            self._pending_top = top, 0
        if self._pending_top is not None and self._pending_top[0] < len(self.page.first_line):
            sentence, above = self._pending_top
            # The width has changed how many lines are above: at most half a pane of them.
            self.jump(self.page.first_line[sentence] - min(above, self.size.height // 2))
            self._last_position, self._pending_top = (sentence, above, self.scroll_offset.y), None
            self.retitle()

    def lay_out(self, width: int) -> int:
        painter, state = self._painter, self.state
        key = (state.document, width, state.paper, state.notes, state.annotations)
        if key != self._layout_key:
            is_same_document = bool(self._layout_key) and self._layout_key[0] is state.document
            self._pending_top = self._visible_position() if is_same_document else self._pending_top
            if not is_same_document:
                painter.text = "" if state.document is None else plain_in_place(state.document.text)
                painter.sentence_starts = (
                    tuple(row.span.start for row in state.document.sentences) if state.document else ()
                )
            # Notes change only the byline; the text is laid out again for another document or width alone.
            if key[:2] != self._layout_key[:2]:
                self._text_page = (
                    lay_out(state.document, painter.text, width, self._glyphs) if state.document else EMPTY_PAGE
                )
            painter.page = _with_byline(self._text_page, state, width, self._glyphs)
            self._layout_key = key
        painter.lay_out_gutter(self.size.height)
        self.retitle()
        return len(painter.page.lines)

    def line_at(self, y: int, width: int) -> tuple[Line, str]:
        self._painter.top = self.scroll_offset.y
        if self.page.lines:
            return self._painter.line(y, width), ""
        message = (self.state.busy,) if self.state.busy else NOTHING_OPEN if self.state.paper is None else ()
        lines = [text for part in message for text in wrap_text(part, max(4, width - 2))]
        return (line((f" {lines[y]}", "hint")) if y < len(lines) else ()), ""

    def go(self, index: int, *, margin: int = 2) -> None:
        super().go(index, margin=margin)
        self.retitle()

    def find(self, text: str, step: int = 0) -> TextSearch:
        """Look for `text` from the cursor on, or step among the hits; the paper scrolls to the current one."""
        painter = self._painter
        if text != painter.text_search.wanted:
            # From the cursor on, as one looks for the next place and not for the first of the paper.
            start = painter.sentence_starts[self.cursor] if painter.sentence_starts else 0
            painter.text_search = search_text(painter.text, text, start=start)
        painter.text_search = painter.text_search.step(step) if step else painter.text_search
        painter.hit_ranges = painter.text_search.ranges()
        if painter.text_search.hit_start is not None:
            self.go(painter.sentence_at_offset(painter.text_search.hit_start))
        self.refresh()
        return painter.text_search

    def retitle(self) -> None:
        """Rewrite the title, for another width, frame or place."""
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
        return EMPTY_PAGE
    byline_lines = wrap_text(byline(state.paper, state.notes, glyphs), max(8, width - MARGIN - 2))
    after = after_text(state.paper, state.document, glyphs)
    columns = text_columns(width)
    comments = {index: wrap_text(text, columns) for index, text in annotation_texts(state.annotations, glyphs).items()}
    others = [plain(annotation_line(one.annotation)) for one in state.annotations if not one.sentences]
    heading = ["Annotations in its files that are at no sentence of this text:"] if others else []
    after = (*heading, *others, *after)
    page = with_comments(page, comments)
    return with_byline(page, byline_lines, [wrap_text(line, columns) for line in after])


def annotation_texts(annotations: Sequence[LocatedAnnotation], glyphs: Glyphs) -> dict[int, str]:
    """By the last sentence that each annotation covers: page, colour, comment and who made it."""
    texts: dict[int, list[str]] = {}
    for one in annotations:
        if one.sentences:
            comment = "; ".join(one.annotation.comment.splitlines())
            author = one.annotation.author if comment else ""
            said = ": ".join(filter(None, (annotation_place(one.annotation), comment)))
            facts = f" {glyphs.dot} ".join(filter(None, (said, author)))
            texts.setdefault(one.sentences[-1], []).append(plain(f"{glyphs.annotated} {facts}"))
    return {index: "  ".join(said) for index, said in texts.items()}


def byline(paper: Paper, notes: PaperNotes, glyphs: Glyphs) -> str:
    """Authors, place, id, what one must know, and what the user noted, on one line."""
    place = (short_authors(paper, max_authors=6), venue_and_year(paper), paper.id)
    facts = (*place, status_warning(paper), title_warning(paper))
    note_words = (*(f"#{tag}" for tag in notes.tags), notes.status, "starred" if notes.starred else "")
    note_words = (*note_words, *(f"in {name}" for name in notes.collections))
    note_words = (*note_words, f"note: {' '.join(notes.note.split())}" if notes.note else "")
    return f" {glyphs.dot} ".join(plain(part) for part in (*facts, *note_words) if part)


def after_text(paper: Paper, document: Document, glyphs: Glyphs) -> tuple[str, ...]:
    """Lines below the text: what is missing and which key helps, and how many references there are."""
    lines: list[str] = []
    if document.origin == "abstract":
        source = "the Anthology" if paper.id.startswith("acl:") else "its source"
        have = "Abstract only" if paper.abstract else f"Title only: no abstract in {source}"
        if paper.abstract_by == "litterm" and paper.abstract:
            have = "A summary by litterm, not the authors' abstract"
        lines.append(f"{have} {glyphs.dot} f full text")
    elif document.licence:
        lines.append(f"Licence of the full text: {plain(document.licence)}")
    if document.references:
        lines.append(f"{count_phrase(len(document.references), 'reference')} {glyphs.dot} r")
    elif document.references_known:
        lines.append("This paper has no references.")
    elif document.origin != "abstract":
        lines.append("References unknown: the source has no list of them.")
    return tuple(lines)
