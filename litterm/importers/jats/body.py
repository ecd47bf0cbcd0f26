"""The text of a JATS article as blocks in reading order, with its figures, tables and files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final
from xml.etree.ElementTree import Element

from litterm.importers.jats.front import abstracts_of, title_of
from litterm.importers.jats.inline import (
    CitedEntries,
    InlineText,
    TextKind,
    begin_paragraph,
    finish_paragraph,
    inline_text,
)
from litterm.importers.xml.tables import table_grid
from litterm.model.document import SectionKind
from litterm.text.documents.builder import Block
from litterm.text.documents.sections import classify, heading_parts, kind_of_type

_UNPRINTED_TAGS: Final = frozenset(("xref", "fn"))
_BLOCK_TAGS: Final = frozenset(
    "list def-list disp-quote boxed-text verse-group speech statement code preformat p fn-group".split()
)
"""Paragraphs of their own inside a paragraph."""
_TITLED_TAGS: Final = frozenset("list def-list statement disp-quote verse-group".split())
"""May have a title that is no heading."""
_SKIPPED_TAGS: Final = frozenset(
    "title label object-id ref-list sec-meta alt-text long-desc permissions attrib sub-article".split()
)
_BACK_SECTION_TAGS: Final = frozenset("ack app-group app sec notes glossary fn-group bio".split())
_ABSTRACT_NAMES: Final = {
    "graphical": "Graphical abstract",
    "teaser": "Teaser",
    "toc": "Summary",
    "precis": "Summary",
    "web-summary": "Summary",
    "summary": "Summary",
    "executive-summary": "Summary",
    "author-highlights": "Highlights",
    "key-points": "Key points",
}
FLOATS: Final = frozenset(
    "fig fig-group table-wrap table-wrap-group supplementary-material media chem-struct-wrap".split()
)
"""Set apart from the paragraph that holds them."""


class FloatReader:
    """Reads them; `references` leads from element ids to positions in the reference list."""

    def __init__(self, references: CitedEntries) -> None:
        self._references = references

    def caption(self, element: Element) -> Iterator[Block]:
        """What a figure or a file says below itself; a group's own caption first, then its members'."""
        inline = begin_paragraph(self._references, "")
        for child in element:
            if child.tag == "label":
                self._label(inline, child)
            elif child.tag == "caption":
                self._add_caption_text(inline, child)
        yield from finish_paragraph(inline, "caption")
        for child in element:
            if child.tag in FLOATS:
                yield from self.caption(child)

    def _label(self, inline: InlineText, label: Element) -> None:
        text = inline_text(label)
        if text:
            # A label without a stop would become the first word of the caption's sentence.
            inline.add(text if text.endswith((".", ":")) else f"{text}.")
            inline.add(" ")

    def _add_caption_text(self, inline: InlineText, caption: Element) -> None:
        for part in caption:
            inline.content(part)
            text = "".join(part.itertext()).strip()
            inline.add(". " if part.tag == "title" and text and text[-1] not in ".?!:" else " ")
        if not len(caption):
            inline.add(caption.text)

    def table(self, element: Element) -> Iterator[Block]:
        """Caption, cells and notes of a table; of alternatives the one that has cells."""
        if element.tag == "table-wrap-group":
            yield from self.caption(element)
            for wrap in element.findall("table-wrap"):
                yield from self.table(wrap)
            return
        yield from self.caption(element)
        caption = inline_text(element.find("caption"))
        label = inline_text(element.find("label"))
        # `alternatives` hold a picture beside the cells: only cells can be read.
        for table in element.iter("table"):
            cells = table_grid(table, self._cell)
            if cells:
                yield Block("table", label=label, caption=caption, cells=cells)
        for foot in element.findall("table-wrap-foot"):
            inline = begin_paragraph(self._references, "")
            for note in foot:
                inline.content(note)
                inline.add(" ")
            yield from finish_paragraph(inline, "caption")

    def _cell(self, cell: Element) -> str:
        inline = begin_paragraph(self._references, "")
        inline.content(cell)
        return inline.text


class ArticleText:
    """Walks one article; `references` leads from element ids to positions in the reference list."""

    def __init__(self, article: Element, references: CitedEntries) -> None:
        self._article = article
        self._references = references
        self._floats = FloatReader(references)
        self._kind: TextKind = "body"
        self._boxes: list[Element] = []
        """Met inside a section, and read when its own paragraphs end."""

    def blocks(self) -> Iterator[Block]:
        """Title, abstracts, body, floats at the end, back matter; sub-articles and reference lists left out."""
        # An article without a front still has text: an empty `article-meta` gives it no title.
        meta = next(self._article.iter("article-meta"), Element("article-meta"))
        yield Block("title", title_of(meta))
        for abstract in abstracts_of(meta):
            yield from self._abstract(abstract)
        body = self._article.find("body")
        if body is not None:
            yield from self._split_sections(body, 0, "other")
        for floats in self._article.findall("floats-group"):
            # Without it floats would belong to the last section of the text.
            yield Block("heading", "")
            yield from self._section_content(floats, 0, "other")
        back = self._article.find("back")
        if back is not None:
            yield from self._back(back)

    def _abstract(self, abstract: Element) -> Iterator[Block]:
        blocks: list[Block] = []
        self._kind = "abstract"
        for child in abstract:
            blocks.extend(
                self._section(child, 2, "abstract") if child.tag == "sec" else self._block(child, 1, "abstract")
            )
        blocks.extend(self._boxed_text(2, "abstract"))
        self._kind = "body"
        if any(block.text for block in blocks):
            abstract_name = inline_text(abstract.find("title"), skip=_UNPRINTED_TAGS)
            title = abstract_name or _ABSTRACT_NAMES.get(abstract.get("abstract-type", ""), "Abstract")
            yield Block("heading", title, section_kind="abstract")
            yield from blocks

    def _split_sections(self, holder: Element, level: int, kind: SectionKind) -> Iterator[Block]:
        """What has sections but no title: text before the first would belong to what was read before."""
        if len(holder) and holder[0].tag != "sec":
            yield Block("heading", "", level=level + 1, section_kind=kind)
        yield from self._section_content(holder, level, kind)

    def _back(self, back: Element) -> Iterator[Block]:
        for child in back:
            if child.tag in _BACK_SECTION_TAGS:
                yield from self._section(child, 1, "back")

    def _section(self, section: Element, level: int, parent: SectionKind) -> Iterator[Block]:
        # Marks of footnotes and references are no part of a heading.
        title = inline_text(_find_title(section), skip=_UNPRINTED_TAGS).removesuffix(":")
        label = inline_text(section.find("label")).rstrip(".")
        number, rest = (label, title) if label else heading_parts(title)
        kind = kind_of_type(section.get("sec-type", ""))
        # What a section is for is inherited: its parts seldom say so themselves.
        if kind == "other" or parent != "other":
            kind = classify(rest, parent)
        if not rest and section.tag == "boxed-text":
            number, rest = "", number
        yield Block("heading", rest, number=number, level=level, section_kind=kind)
        yield from self._section_content(section, level, kind)

    def _section_content(self, section: Element, level: int, kind: SectionKind) -> Iterator[Block]:
        """The content of a section, without assigning a paragraph to a subsection that does not contain it."""
        in_box = False
        for child in section:
            if child.tag in ("sec", "app"):
                yield from self._boxed_text(level + 1, kind)
                yield from self._section(child, level + 1, kind)
                in_box = True
                continue
            blocks = list(self._block(child, level, kind))
            if blocks and in_box:
                yield Block("heading", "", level=max(level, 1), section_kind=kind)
                in_box = False
            yield from blocks
        yield from self._boxed_text(level + 1, kind)

    def _boxed_text(self, level: int, kind: SectionKind) -> Iterator[Block]:
        """The boxes met since the section began, as parts of it."""
        waiting, self._boxes = self._boxes, []
        for box in waiting:
            if _find_title(box) is None and box.find("label") is None:
                yield from self._split_sections(box, level - 1, kind)
            else:
                yield from self._section(box, level, kind)

    def _all_blocks(self, holder: Element, level: int, kind: SectionKind) -> Iterator[Block]:
        for child in holder:
            if child.tag in ("sec", "app"):
                yield from self._section(child, level + 1, kind)
            else:
                yield from self._block(child, level, kind)

    def _block(self, element: Element, level: int, kind: SectionKind) -> Iterator[Block]:
        if element.tag == "boxed-text" and _is_divided(element):
            self._boxes.append(element)
        elif element.tag not in _SKIPPED_TAGS:
            if element.tag in _TITLED_TAGS:
                yield from self._name(element)
            yield from self._text(element, level, kind)

    def _text(self, element: Element, level: int, kind: SectionKind) -> Iterator[Block]:
        tag = element.tag
        if tag == "p" or tag in ("disp-formula", "disp-formula-group", "code", "preformat"):
            yield from self._paragraph(element, level, kind)
        elif tag in ("table-wrap", "table-wrap-group"):
            yield from self._floats.table(element)
        elif tag in FLOATS:
            yield from self._floats.caption(element)
        elif tag == "list":
            yield from self._list(element, level, kind)
        elif tag == "def-item":
            yield from self._definition(element)
        elif len(element) and not (element.text or "").strip():
            yield from self._all_blocks(element, level, kind)
        else:
            yield from self._paragraph(element, level, kind)

    def _name(self, element: Element) -> Iterator[Block]:
        parts = (inline_text(element.find("label")), inline_text(_find_title(element), skip=_UNPRINTED_TAGS))
        yield from finish_paragraph(
            begin_paragraph(self._references, " ".join(part for part in parts if part)), self._kind
        )

    def _paragraph(self, element: Element, level: int, kind: SectionKind, lead: str = "") -> Iterator[Block]:
        """A paragraph in as many pieces as lists and quotes cut it into; figures and tables follow it."""
        if element.tag in ("disp-formula", "disp-formula-group"):
            holder = Element("p")
            holder.append(element)
            element = holder
        floats: list[Element] = []
        inline = begin_paragraph(self._references, f"{lead}{element.text or ''}")
        for child in element:
            if child.tag in FLOATS:
                # A caption in the middle of a sentence would cut it in two.
                floats.append(child)
            elif child.tag in _BLOCK_TAGS:
                yield from finish_paragraph(inline, self._kind)
                inline = begin_paragraph(self._references, "")
                yield from self._block(child, level, kind)
            else:
                inline.element(child)
            inline.add(child.tail)
        yield from finish_paragraph(inline, self._kind)
        for float_element in floats:
            yield from self._block(float_element, level, kind)

    def _list(self, element: Element, level: int, kind: SectionKind) -> Iterator[Block]:
        for item in element.findall("list-item"):
            label = inline_text(item.find("label"))
            lead = f"{label} " if label else ""
            if not any(child.tag == "p" for child in item):
                yield from self._paragraph(item, level, kind)
                continue
            for child in item:
                if child.tag == "p":
                    yield from self._paragraph(child, level, kind, lead)
                    lead = ""
                else:
                    yield from self._block(child, level, kind)

    def _definition(self, item: Element) -> Iterator[Block]:
        inline = begin_paragraph(self._references, "")
        for child in item:
            inline.content(child)
            inline.add(": " if child.tag == "term" else " ")
        yield from finish_paragraph(inline, self._kind)


def _find_title(holder: Element) -> Element | None:
    """The title of a section, or of a box, which may have it in a caption."""
    title = holder.find("title")
    return holder.find("caption/title") if title is None and holder.tag == "boxed-text" else title


def _is_divided(box: Element) -> bool:
    """Whether a box has a name or sections; others, as pull quotes, are read where they are."""
    named = _find_title(box) is not None or box.find("label") is not None
    return named or next(box.iter("sec"), None) is not None
