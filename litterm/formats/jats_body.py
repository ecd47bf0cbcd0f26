"""The text of a JATS article as blocks in reading order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final
from xml.etree.ElementTree import Element

from litterm.formats.jats_floats import FLOATS, Floats
from litterm.formats.jats_front import abstracts_of, title_of
from litterm.formats.jats_inline import TextKind, finished, inline_text, started
from litterm.model.document import SectionKind
from litterm.text.document import Block
from litterm.text.sections import classify, heading_parts, kind_of_type

_NOT_PRINTED: Final = frozenset(("xref", "fn"))
_FLOATS: Final = frozenset(
    "fig fig-group table-wrap table-wrap-group supplementary-material media chem-struct-wrap".split()
)
"""Set apart from the paragraph that holds them."""
_BREAKS: Final = frozenset(
    "list def-list disp-quote boxed-text verse-group speech statement code preformat p fn-group".split()
)
"""Paragraphs of their own inside a paragraph."""
_SILENT: Final = frozenset(
    "title label object-id ref-list sec-meta alt-text long-desc permissions attrib sub-article".split()
)
_BACK_SECTIONS: Final = frozenset("ack app-group app sec notes glossary fn-group bio".split())
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


class ArticleText:
    """Walks one article; `references` maps element ids to positions in the reference list."""

    def __init__(self, article: Element, references: Mapping[str, int]) -> None:
        self._article = article
        self._references = references
        self._floats = Floats(references)
        self._kind: TextKind = "body"

    def blocks(self) -> Iterator[Block]:
        """Title, abstracts, body, floats at the end, back matter; sub-articles and reference lists left out."""
        meta = next(self._article.iter("article-meta"), Element("article-meta"))
        yield Block("title", title_of(meta))
        for abstract in abstracts_of(meta):
            yield from self._abstract(abstract)
        body = self._article.find("body")
        if body is not None:
            yield from self._body(body)
        for floats in self._article.findall("floats-group"):
            yield Block("heading", "")
            yield from self._all(floats, 1, "other")
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
        self._kind = "body"
        if any(block.text for block in blocks):
            named = inline_text(abstract.find("title"), skip=_NOT_PRINTED)
            title = named or _ABSTRACT_NAMES.get(abstract.get("abstract-type", ""), "Abstract")
            yield Block("heading", title, section_kind="abstract")
            yield from blocks

    def _body(self, body: Element) -> Iterator[Block]:
        if len(body) and body[0].tag != "sec":
            # Otherwise the text would belong to the abstract.
            yield Block("heading", "")
        for child in body:
            if child.tag == "sec":
                yield from self._section(child, 1, "other")
            else:
                yield from self._block(child, 1, "other")

    def _back(self, back: Element) -> Iterator[Block]:
        for child in back:
            if child.tag in _BACK_SECTIONS:
                yield from self._section(child, 1, "back")

    def _section(self, section: Element, level: int, parent: SectionKind) -> Iterator[Block]:
        title = inline_text(section.find("title"), skip=_NOT_PRINTED).removesuffix(":")
        label = inline_text(section.find("label")).rstrip(".")
        number, rest = (label, title) if label else heading_parts(title)
        kind = kind_of_type(section.get("sec-type", ""))
        if kind == "other" or parent != "other":
            kind = classify(rest, parent)
        yield Block("heading", rest, number=number, level=level, section_kind=kind)
        yield from self._all(section, level, kind)

    def _all(self, holder: Element, level: int, kind: SectionKind) -> Iterator[Block]:
        for child in holder:
            if child.tag in ("sec", "app"):
                yield from self._section(child, level + 1, kind)
            else:
                yield from self._block(child, level, kind)

    def _block(self, element: Element, level: int, kind: SectionKind) -> Iterator[Block]:
        tag = element.tag
        if tag in _SILENT:
            return
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
            yield from self._all(element, level, kind)
        else:
            yield from self._paragraph(element, level, kind)

    def _paragraph(self, element: Element, level: int, kind: SectionKind, lead: str = "") -> Iterator[Block]:
        """A paragraph in as many pieces as lists and quotes cut it into; figures and tables follow it."""
        if element.tag in ("disp-formula", "disp-formula-group"):
            holder = Element("p")
            holder.append(element)
            element = holder
        floats: list[Element] = []
        inline = started(self._references, f"{lead}{element.text or ''}")
        for child in element:
            if child.tag in FLOATS:
                floats.append(child)
            elif child.tag in _BREAKS:
                yield from finished(inline, self._kind)
                inline = started(self._references, "")
                yield from self._block(child, level, kind)
            else:
                inline.element(child)
            inline.add(child.tail)
        yield from finished(inline, self._kind)
        for each in floats:
            yield from self._block(each, level, kind)

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
        inline = started(self._references, "")
        for child in item:
            inline.content(child)
            inline.add(": " if child.tag == "term" else " ")
        yield from finished(inline, self._kind)
