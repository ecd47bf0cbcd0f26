"""Parts of the text to blocks: paragraphs joined over columns and pages, captions and tables between them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from litterm.importers.pdf.blocks import TERMINATOR, PdfBlock
from litterm.importers.pdf.dehyphenate import TextFlow, WordCounts, join_lines
from litterm.importers.pdf.headings import Heading, heading_levels, run_in_heading
from litterm.importers.pdf.running_heads import Style
from litterm.model.document import SectionKind
from litterm.text.documents.builder import Block
from litterm.text.documents.sections import classify

_ITEM_MARK = re.compile(r"[•▪◦●■–*]\s|\(?(?:\d{1,2}|[a-zA-Z]|[ivx]{1,4})[.)]\s")
_NOTICE = re.compile(
    r"©|copyright|licen[cs]e\b|open access|correspond(?:ence|ing)|e-?mail\b|received:?\s|all rights reserved"
    r"|permission to make|author\(s\)|supported by a grant|published by",
    re.IGNORECASE,
)
_MAX_NOTE_WORDS = 8
_NOTE_SIZE_DIFFERENCE_PT = 0.8
"""Points below the size of the text from which a part is a note."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A part of the text with the heading it is, if it is one."""

    block: PdfBlock
    heading: Heading | None


def body_blocks(units: Sequence[Unit], style: Style, words: WordCounts) -> list[Block]:
    """Blocks in order of reading."""
    opened = list(_with_run_ins(units, style))
    headings = [unit.heading for unit in opened if unit.heading is not None]
    # All headings first: a level is known from comparing looks, and the last heading may be the highest.
    ranks = iter(heading_levels(headings))
    writer = _BodyWriter(style, words)
    for unit in opened:
        if unit.heading is not None:
            writer.heading(unit, next(ranks))
        else:
            writer.part(unit.block)
    return writer.finish()


def _with_run_ins(units: Sequence[Unit], style: Style) -> Sequence[Unit]:
    """Headings at the head of their paragraphs taken out, where the paper has at least two of the kind."""
    run_ins = {
        index: pair
        for index, unit in enumerate(units)
        if unit.heading is None and (pair := run_in_heading(unit.block, style))
    }
    numbered = sum(1 for heading, _ in run_ins.values() if heading.number)
    opened: list[Unit] = []
    for index, unit in enumerate(units):
        pair = run_ins.get(index)
        if pair is None or (len(run_ins) < 2 and not pair[0].number) or (numbered >= 2 and not pair[0].number):
            opened.append(unit)
            continue
        heading, lines = pair
        part = unit.block
        opened.append(Unit(PdfBlock(part.lines[:1], part.side, part.gap, part.indented, width=part.width), heading))
        opened.append(Unit(PdfBlock(lines, part.side, 1.0, False, width=part.width), None))
    return opened


@dataclass(slots=True)
class _BodyWriter:
    """Blocks so far, the paragraph that may continue, and what floats until it has ended."""

    style: Style
    words: WordCounts
    blocks: list[Block] = field(default_factory=list)
    floats: list[Block] = field(default_factory=list)
    paragraph: TextFlow | None = None
    path: list[SectionKind] = field(default_factory=list)
    """What the sections are for that the text is in, from the top."""

    def heading(self, unit: Unit, level: int) -> None:
        heading = unit.heading
        assert heading is not None
        self._end()
        page = unit.block.lines[0].page
        parent = self.path[level - 2] if 1 < level <= len(self.path) + 1 else "other"
        kind = classify(heading.title, parent)
        self.path = [*self.path[: level - 1], kind]
        self.blocks.append(
            Block("heading", heading.title, number=heading.number, level=level, section_kind=kind, pages=((0, page),))
        )

    def part(self, part: PdfBlock) -> None:
        if part.rows:
            page = part.lines[0].page
            self.floats.append(Block("table", label=part.label, cells=part.rows, pages=((0, page),)))
        elif part.label:
            self.floats.append(self._block("caption", join_lines(part.lines, self.words)))
        elif part.lines[0].size < self.style.size - _NOTE_SIZE_DIFFERENCE_PT:
            self._note(part)
        else:
            self._running(part)
        # A figure drawn in the middle of a paragraph must not cut it in two.
        if self.paragraph is None:
            self._put_floats()

    def finish(self) -> list[Block]:
        self._end()
        return self.blocks

    def _note(self, part: PdfBlock) -> None:
        """Footnotes wait for the end of the paragraph; imprints and addresses go."""
        text = join_lines(part.lines, self.words)
        if len(text.text.split()) >= _MAX_NOTE_WORDS and not _NOTICE.search(text.text):
            self.floats.append(self._block("body", text))

    def _running(self, part: PdfBlock) -> None:
        text = join_lines(part.lines, self.words)
        if not text.text:
            return
        item = _ITEM_MARK.match(text.text) is not None
        if self.paragraph is not None and self._continues_paragraph(part, text, item):
            self.paragraph = self.paragraph.then(text, self.words)
        else:
            self._end()
            self.paragraph = text

    def _continues_paragraph(self, part: PdfBlock, text: TextFlow, item: bool) -> bool:
        """Whether the open paragraph has not ended: its last sentence has no end, and this one no beginning."""
        assert self.paragraph is not None
        # A paragraph may continue after a page's end, a figure or a footnote.
        if TERMINATOR.search(self.paragraph.text) or item:
            return False
        first = text.text[0]
        return first.islower() or not first.isalpha() or not part.indented or part.gap > 1.3

    def _end(self) -> None:
        if self.paragraph is not None:
            self.blocks.append(self._block("body", self.paragraph))
            self.paragraph = None
        self._put_floats()

    def _put_floats(self) -> None:
        self.blocks += self.floats
        self.floats = []

    def _block(self, kind: str, text: TextFlow) -> Block:
        return Block("caption" if kind == "caption" else "body", text.text, pages=text.pages)
