"""Figures, tables and files of a JATS article: their captions, cells and notes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final
from xml.etree.ElementTree import Element

from litterm.importers.jats.inline import InlineText, begin_paragraph, finish_paragraph, inline_text
from litterm.importers.xml.tables import table_grid
from litterm.text.documents.builder import Block

FLOATS: Final = frozenset(
    "fig fig-group table-wrap table-wrap-group supplementary-material media chem-struct-wrap".split()
)
"""Set apart from the paragraph that holds them."""


class FloatReader:
    """Reads them; `references` maps element ids to positions in the reference list."""

    def __init__(self, references: Mapping[str, int]) -> None:
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
