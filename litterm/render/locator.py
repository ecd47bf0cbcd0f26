"""The locator of a sentence in its paper: section, paragraph, position, page."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from litterm.model.document import Document, Section, Sentence


def locator(document: Document, sentence: Sentence) -> str:
    """`Results §4.2 ¶3 s2 p.6`; the number where the section has one, the page only where it is known."""
    return " ".join(part for part in (_place_words(document, sentence), page_words(sentence)) if part)


def section_of(document: Document, sentence: Sentence) -> str:
    """The title of a sentence's section as printed, without number; empty before the first heading."""
    section = _section(document, sentence)
    return section.title if section else ""


def page_words(sentence: Sentence) -> str:
    """`p.6`, or nothing where the page is not known."""
    return "" if sentence.page is None else f"p.{sentence.page}"


def _section(document: Document, sentence: Sentence) -> Section | None:
    return document.sections[sentence.section] if 0 <= sentence.section < len(document.sections) else None


def _place_words(document: Document, sentence: Sentence) -> str:
    section = _section(document, sentence)
    if sentence.kind == "title":
        return "Title"
    title = (section.title if section else "") or ("Abstract" if sentence.kind == "abstract" else "")
    number = f"§{section.number}" if section and section.number else ""
    position = f"¶{sentence.paragraph} s{sentence.position}" if sentence.paragraph and sentence.position else ""
    return " ".join(part for part in (title, number, position) if part) or f"row {sentence.index}"
