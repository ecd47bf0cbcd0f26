"""Builds a `Document` from blocks in reading order; used by the parsers of JATS, BioC, JSON Lines, HTML and PDF.

A parser says what is in the source, block by block; the builder splits sentences, lays the text out,
counts sections, paragraphs and positions, and turns ranges within a block into spans of the document.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from litterm.model.document import (
    CitingContext,
    Document,
    DocumentId,
    DocumentOrigin,
    Reference,
    Section,
    SectionKind,
    Sentence,
    SentenceKind,
    Span,
    Table,
)
from litterm.model.paper import Paper, PaperId
from litterm.text.documents.sentences import split

BUILDER_VERSION = "1"
"""Part of every document id: raise it when the layout of the text or the sentence rules change."""

BlockKind = Literal["title", "heading", "abstract", "body", "caption", "table"]

_CELL_SEPARATOR = " | "
_NEEDS_SQUEEZING = re.compile(r"^\s|\s$|[^\S ]|\s\s")


@dataclass(frozen=True, slots=True)
class InlineCitation:
    """A citation mark inside a block."""

    reference: int
    """Index into the document's references."""
    start: int
    """Half-open range in characters of the block's text as given."""
    end: int


@dataclass(frozen=True, slots=True)
class Block:
    """One title, heading, paragraph, caption or table of the source.

    A heading opens a section; one without text opens a section that shows no heading row. Text before the
    first heading falls into a first section without title. Blank runs in `text` are squeezed, ranges follow.
    """

    kind: BlockKind
    text: str = ""
    """A heading's title without its number; a table's caption belongs in a caption block before it."""
    sentences: tuple[str, ...] = ()
    """Sentences as the source splits them; `text` is then ignored and ranges refer to their join by one blank."""
    number: str = ""
    """Heading: its number as printed."""
    level: int = 1
    """Heading: 1 for a top section."""
    section_kind: SectionKind = "other"
    """Heading: what the section is for."""
    label: str = ""
    """Table: as cited, `Table 2`."""
    caption: str = ""
    """Table: its caption, as metadata of the cells; not laid out as text."""
    cells: tuple[tuple[str, ...], ...] = ()
    """Table: its rows; each becomes a sentence of kind `table`, blank rows are dropped."""
    pages: tuple[tuple[int, int], ...] = ()
    """`(offset, page)`, ascending: from this character on the text is on this page (from 1). Empty: unknown."""
    cites: tuple[InlineCitation, ...] = ()


@dataclass(frozen=True, slots=True)
class References:
    """The reference list of a source."""

    entries: tuple[Reference, ...] = ()
    known: bool = False
    """False where the source had no list at all: unknown, not none."""


def build_document(
    paper_id: PaperId,
    blocks: Iterable[Block],
    *,
    origin: DocumentOrigin,
    parser: str,
    references: References = References(),
    licence: str = "",
) -> Document:
    """`blocks` laid out as one text, with sections, sentences, tables and citing contexts.

    The title row comes first wherever the block stands. `parser` names parser and version (`jats-1`); it is
    hashed with the text into the document's id. Blocks without visible text are dropped.
    """
    ordered = sorted(blocks, key=lambda block: block.kind != "title")
    layout = _Layout()
    for block in ordered:
        layout.add(block)
    text = "".join(layout.parts)
    version = f"{parser}+{BUILDER_VERSION}"
    key = hashlib.sha256(f"{version}\n{text}".encode("utf-8", "surrogatepass")).hexdigest()[:20]
    return Document(
        id=DocumentId(key),
        paper_id=paper_id,
        text=text,
        sections=tuple(layout.sections),
        sentences=tuple(layout.sentences),
        origin=origin,
        tables=tuple(layout.tables),
        references=references.entries,
        references_known=references.known or bool(references.entries),
        contexts=tuple(layout.contexts),
        licence=licence,
    )


def abstract_document(paper: Paper) -> Document:
    """Title and abstract as a document of origin `abstract`; what there is when no full text is.

    A summary written by litterm stands under a heading that says so: it is nobody's abstract.
    """
    blocks = [Block("title", paper.title)]
    if paper.abstract:
        title = "Abstract" if paper.abstract_by == "authors" else "Summary by litterm"
        blocks += [Block("heading", title, section_kind="abstract"), Block("abstract", paper.abstract)]
    return build_document(paper.id, blocks, origin="abstract", parser="abstract-1")


@dataclass(slots=True)
class _Layout:
    """The document while it grows; positions are characters of the text so far."""

    parts: list[str] = field(default_factory=list)
    length: int = 0
    paragraph: int = 0
    sections: list[Section] = field(default_factory=list)
    sentences: list[Sentence] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    contexts: list[CitingContext] = field(default_factory=list)

    def add(self, block: Block) -> None:
        match block.kind:
            case "heading":
                self._open_section(block)
                self._heading_row(block, "heading")
            case "title":
                self._ensure_section("front")
                self._heading_row(block, "title")
            case "table":
                self._ensure_section()
                self._table(block)
            case "abstract" | "body" | "caption":
                self._ensure_section()
                self._paragraph(block, block.kind)

    def _open_section(self, block: Block) -> None:
        title = " ".join(block.text.split())
        section = Section(len(self.sections), title, block.number.strip(), max(1, block.level), block.section_kind)
        self.sections.append(section)
        self.paragraph = 0

    def _ensure_section(self, kind: SectionKind = "other") -> None:
        if not self.sections:
            self.sections.append(Section(0, "", kind=kind))

    def _heading_row(self, block: Block, kind: SentenceKind) -> None:
        text = " ".join(f"{block.number} {block.text}".split()) if kind == "heading" else " ".join(block.text.split())
        if not block.text.strip():
            return
        self._separate("\n\n")
        self._row(text, kind, 0, _page_at(block.pages, 0))

    def _paragraph(self, block: Block, kind: SentenceKind) -> None:
        squeezed = _Squeezed.from_text(" ".join(block.sentences) if block.sentences else block.text)
        text = squeezed.text
        if not text:
            return
        self.paragraph += 1
        self._separate("\n")
        base = self.length
        first = len(self.sentences)
        pages = tuple((squeezed.at(offset), page) for offset, page in block.pages)
        spans = _find_given_sentences(block.sentences) if block.sentences else split(text)
        # What is between two sentences is laid out, too, so that offsets of the block hold in the document.
        for position, span in enumerate(spans, 1):
            self._separate(text[self.length - base : span.start])
            self._row(text[span.start : span.end], kind, position, _page_at(pages, span.start))
        starts = [sentence.span.start for sentence in self.sentences[first:]]
        for cite in block.cites:
            start, end = base + squeezed.at(cite.start), base + squeezed.at(cite.end)
            index = first + max(0, bisect_right(starts, start) - 1)
            # Kept inside the text that is laid out so far, whatever range a parser gave.
            mark = Span(min(start, self.length), min(max(start, end), self.length))
            self.contexts.append(CitingContext(cite.reference, index, mark))

    def _table(self, block: Block) -> None:
        rows = tuple(tuple(" ".join(cell.split()) for cell in row) for row in block.cells)
        rows = tuple(row for row in rows if any(row))
        if not rows:
            return
        self.paragraph += 1
        caption = " ".join(block.caption.split())
        self.tables.append(Table(len(self.tables), block.label, caption, rows, len(self.sentences)))
        page = _page_at(block.pages, 0)
        for position, row in enumerate(rows, 1):
            self._separate("\n")
            self._row(_CELL_SEPARATOR.join(row).strip(), "table", position, page)

    def _separate(self, gap: str) -> None:
        if gap and self.parts:
            self.parts.append(gap)
            self.length += len(gap)

    def _row(self, text: str, kind: SentenceKind, position: int, page: int | None) -> None:
        span = Span(self.length, self.length + len(text))
        paragraph = self.paragraph if position else 0
        section = len(self.sections) - 1
        self.sentences.append(
            Sentence(len(self.sentences), text, span, kind, section, paragraph, position, page),
        )
        self.parts.append(text)
        self.length = span.end


@dataclass(frozen=True, slots=True)
class _Squeezed:
    """Text with its blank runs made one blank, and where each kept piece came from."""

    text: str
    sources: tuple[int, ...]
    targets: tuple[int, ...]

    @classmethod
    def from_text(cls, raw: str) -> _Squeezed:
        # Nearly all text is tidy: its offsets stay as they are.
        if not _NEEDS_SQUEEZING.search(raw):
            return cls(raw, (0,), (0,))
        words = [(match.start(), match.group()) for match in re.finditer(r"\S+", raw)]
        sources = tuple(start for start, _ in words)
        targets: list[int] = []
        length = 0
        for _, word in words:
            targets.append(length)
            length += len(word) + 1
        return cls(" ".join(word for _, word in words), sources or (0,), tuple(targets) or (0,))

    def at(self, offset: int) -> int:
        """The new offset of character `offset` of the raw text; a dropped blank maps to the next character kept."""
        index = bisect_right(self.sources, offset) - 1
        if index < 0:
            return 0
        moved = self.targets[index] + offset - self.sources[index]
        limit = self.targets[index + 1] if index + 1 < len(self.targets) else len(self.text)
        return min(moved, limit)


def _find_given_sentences(sentences: Sequence[str]) -> tuple[Span, ...]:
    spans: list[Span] = []
    start = 0
    for sentence in sentences:
        size = len(" ".join(sentence.split()))
        if size:
            spans.append(Span(start, start + size))
            start += size + 1
    return tuple(spans)


def _page_at(pages: tuple[tuple[int, int], ...], offset: int) -> int | None:
    known: int | None = None
    for start, page in pages:
        if start > offset:
            break
        known = page
    return known
