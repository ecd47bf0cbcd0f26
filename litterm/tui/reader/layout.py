"""The layout of a document in lines of cells, with the place of each sentence."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter

from litterm.model.document import Document, Section, Sentence
from litterm.text.escape import plain
from litterm.text.terminal_width import clip, width_of, wrap
from litterm.tui.reader.table_layout import GAP, count_fitting, fit_widths, number_widths, total_width, wrapped_row
from litterm.tui.widgets.glyphs import Glyphs

MARGIN = 4
"""Cells left of the text: bar, mark, two blanks."""
MAX_COLUMNS = 100
"""Text is never wider: longer lines read badly."""


@dataclass(frozen=True, slots=True)
class PageLine:
    """One line of the page."""

    start: int
    """Half-open range of `Document.text`; empty for a blank line or for `text`."""
    end: int
    sentence: int
    """Index of the first sentence on it; of the one before for a blank line."""
    indent: int = MARGIN
    role: str = ""
    text: str = ""
    """Shown instead of the range: table rows laid out as cells."""


@dataclass(frozen=True, slots=True)
class PageLayout:
    """Lines of a document at one width, and where its sentences are in them."""

    lines: tuple[PageLine, ...]
    first_line: tuple[int, ...]
    """Per sentence, the line it starts on."""
    last_line: tuple[int, ...]
    title_lines: int = 0
    """Lines of the title, behind which the byline goes."""

    def sentence_on(self, y: int) -> int:
        """The first sentence of line `y`, or the nearest above."""
        return self.lines[max(0, min(y, len(self.lines) - 1))].sentence if self.lines else 0

    def sentence_starting_on(self, y: int, rows: int) -> int:
        """The first sentence that begins on one of the `rows` lines from `y` on; where none does, that of line `y`."""
        index = bisect_left(self.first_line, y)
        return index if index < len(self.first_line) and self.first_line[index] < y + rows else self.sentence_on(y)


def text_columns(width: int) -> int:
    """Cells of text on a page of `width` cells."""
    return max(8, min(width - MARGIN - 2, MAX_COLUMNS))


def lay_out(document: Document, text: str, width: int, glyphs: Glyphs) -> PageLayout:
    """`text` is the document's text made harmless, character for character."""
    columns, title_lines = text_columns(width), 0
    lines: list[PageLine] = []
    first, last = [0] * len(document.sentences), [0] * len(document.sentences)
    for block in _blocks(document):
        gap = _has_gap(block[0], document)
        if lines and gap:
            # A blank line belongs to the sentence above, so that a click on it goes there.
            lines.append(PageLine(0, 0, max(0, block[0].index - 1)))
        line_count = len(lines)
        if block[0].kind == "table":
            # A table may be wider than lines of text, which would read badly.
            lines.extend(_table_lines(document, block, max(columns, width - MARGIN - 2), glyphs))
        else:
            lines.extend(_block_lines(document, text, block, columns))
        _record_sentence_lines(block, lines, line_count, first, last)
        if block[0].index == 0:
            title_lines = len(lines)
    return PageLayout(tuple(lines), tuple(first), tuple(last), title_lines)


def with_byline(page: PageLayout, byline: Sequence[str], after: Sequence[Sequence[str]]) -> PageLayout:
    """`page` with lines that are no text of the document: behind its title, and paragraphs at its end.

    They change with what the user notes about a paper, which must not lay out hundreds of sentences again.
    """
    title_end, end = page.title_lines, len(page.first_line) - 1
    title = max(0, page.sentence_on(title_end - 1))
    byline_page_lines = tuple(PageLine(0, 0, title, role="muted", text=byline_text) for byline_text in byline)
    blank = PageLine(0, 0, end)
    last = [
        made for paragraph in after for made in (blank, *(replace(blank, role="hint", text=text) for text in paragraph))
    ]
    first_line = tuple(line + len(byline_page_lines) if line >= title_end else line for line in page.first_line)
    last_line = tuple(line + len(byline_page_lines) if line >= title_end else line for line in page.last_line)
    return PageLayout(
        (*page.lines[:title_end], *byline_page_lines, *page.lines[title_end:], *last), first_line, last_line
    )


def with_comments(page: PageLayout, comments: Mapping[int, Sequence[str]]) -> PageLayout:
    """`page` with lines below sentences: by sentence the texts of these lines, which are no text of the document."""
    if not comments:
        return page
    below: dict[int, list[PageLine]] = {}
    for index, texts in sorted(comments.items()):
        if index < len(page.last_line):
            made = (PageLine(0, 0, index, role="hint", text=text) for text in texts)
            below.setdefault(page.last_line[index], []).extend(made)
    lines: list[PageLine] = []
    moved: list[int] = []
    for number, page_line in enumerate(page.lines):
        moved.append(len(lines))
        lines += [page_line, *below.get(number, ())]
    return PageLayout(
        tuple(lines),
        tuple(moved[line] for line in page.first_line),
        tuple(moved[line] for line in page.last_line),
        moved[page.title_lines] if page.title_lines < len(moved) else len(lines),
    )


def _blocks(document: Document) -> Iterator[tuple[Sentence, ...]]:
    """Paragraphs, headings and tables as runs of sentences."""
    block: list[Sentence] = []
    for sentence in document.sentences:
        if block and not _is_same_block(block[-1], sentence):
            yield tuple(block)
            block = []
        block.append(sentence)
    if block:
        yield tuple(block)


def _is_same_block(earlier: Sentence, later: Sentence) -> bool:
    place = attrgetter("section", "paragraph", "kind")
    # Headings and titles have no position: two of them in a row stay apart.
    return bool(earlier.position) and place(earlier) == place(later)


def _has_gap(sentence: Sentence, document: Document) -> bool:
    """Whether a blank line is before the block."""
    return sentence.kind in ("heading", "title", "table", "caption") or sentence.paragraph >= 1


def _block_lines(document: Document, text: str, block: tuple[Sentence, ...], columns: int) -> Iterator[PageLine]:
    kind = block[0].kind
    role = {"title": "title", "heading": "heading", "caption": "muted"}.get(kind, "")
    indent = MARGIN - 2 if kind in ("title", "heading") and _level(document, block[0]) == 1 else MARGIN
    # Bisected, as a paragraph of a hundred lines would otherwise be walked through for each.
    ends = [sentence.span.end for sentence in block]
    for start, end in wrap(text, block[0].span.start, block[-1].span.end, columns):
        yield PageLine(start, end, block[min(bisect_right(ends, start), len(block) - 1)].index, indent, role)


def _level(document: Document, sentence: Sentence) -> int:
    section: Section | None = document.sections[sentence.section] if sentence.section < len(document.sections) else None
    return section.level if section else 1


def _table_lines(document: Document, block: tuple[Sentence, ...], columns: int, glyphs: Glyphs) -> Iterator[PageLine]:
    """The rows with their cells wrapped; columns that have no room are left out, and `enter` shows them."""
    cells = _table_cells(document, block)
    widths = fit_widths(cells, columns, number_widths(cells))
    if total_width(widths) > columns:
        widths = widths[: count_fitting(widths, columns - GAP - width_of(glyphs.ellipsis))]
    for sentence, row in zip(block, cells, strict=True):
        start = sentence.span.start
        for number, text in enumerate(wrapped_row(row, widths)):
            is_cut = number == 0 and len(row) > len(widths)
            cut = " " * (total_width(widths) - width_of(text) + GAP) + glyphs.ellipsis if is_cut else ""
            yield PageLine(start, start, sentence.index, text=clip(text + cut, columns, glyphs.ellipsis))


def _table_cells(document: Document, block: tuple[Sentence, ...]) -> list[tuple[str, ...]]:
    # Cells where the table is known as one; otherwise its sentences as they are.
    for table in document.tables:
        row_index = block[0].index - table.first_sentence
        if 0 <= row_index < len(table.rows):
            rows = table.rows[row_index : row_index + len(block)]
            if len(rows) == len(block):
                return [tuple(plain(cell) for cell in row) for row in rows]
    return [(plain(sentence.text),) for sentence in block]


def _record_sentence_lines(
    block: tuple[Sentence, ...], lines: list[PageLine], start_line: int, first: list[int], last: list[int]
) -> None:
    """Note the lines of each sentence of a block whose lines start at `start_line`."""
    if block[0].kind == "table":
        for number, page_line in reversed(tuple(enumerate(lines[start_line:], start_line))):
            first[page_line.sentence] = number
            last[page_line.sentence] = max(last[page_line.sentence], number)
        return
    starts = [part.start for part in lines[start_line:]]
    for sentence in block:
        first[sentence.index] = start_line + max(0, bisect_right(starts, sentence.span.start) - 1)
        # The last character decides, as the end of a span is the start of what follows.
        last[sentence.index] = start_line + max(
            0, bisect_right(starts, max(sentence.span.start, sentence.span.end - 1)) - 1
        )
