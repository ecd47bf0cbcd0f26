"""Reads a PDF as a paper with its text; runs in a child process, once for each file."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import replace

from litterm.core.errors import BadInput
from litterm.importers.pdf.blocks import PdfBlock, page_parts
from litterm.importers.pdf.body import Unit, body_blocks
from litterm.importers.pdf.dehyphenate import WordCounts, clean_text, join_lines
from litterm.importers.pdf.headings import Heading, find_heading
from litterm.importers.pdf.line_numbers import without_line_numbers
from litterm.importers.pdf.marked_words import bounded, with_quotes
from litterm.importers.pdf.own_ids import PdfIds, PrintedLines, find_ids, page_passages
from litterm.importers.pdf.pages import PdfPages, read_pages
from litterm.importers.pdf.pdf_paper import PdfPaper
from litterm.importers.pdf.references import split_references
from litterm.importers.pdf.running_heads import PageBody, Style, is_references_heading, page_bodies, style_of
from litterm.importers.pdf.tables import with_tables
from litterm.importers.pdf.title_page import (
    MAX_FRONT_PAGES,
    TitlePage,
    is_plausible_title,
    paper_year,
    read_front,
    separate_sizes,
)
from litterm.text.documents.builder import Block
from litterm.text.references.identity import title_key

_MIN_LETTERS = 200
_MIN_LETTERS_PER_PAGE = 20
_MIN_STATED_KEY = 15
_MAX_LIST_SIZE_DIFFERENCE_PT = 0.6
_AFTER_REFERENCES_HEADING = re.compile(
    r"(?:[A-H]\.?\s+)?(?:appendi|supplement|supporting|annex|anhang|proofs?\b|additional )", re.IGNORECASE
)
_LETTERED_HEADING = re.compile(r"A(?:\.1)?\.?\s+[A-Z].{3,}")


def read_pdf(content: bytes, max_pages: int = 1000) -> PdfPaper:
    """The paper that `content` holds.

    Raises:
        BadInput: it cannot be read as a PDF, or holds no text that can be read.
    """
    pages = read_pages(content, max_pages)
    _check_readable(pages)
    pages = replace(pages, pages=without_line_numbers(pages.pages))
    bodies = page_bodies(pages.pages)
    # Style and words of the whole paper first: what a part is can be determined only by how most of the text looks.
    lines = [line for body_page in bodies for line in body_page.lines]
    style, words = style_of(lines), WordCounts.of(lines)
    parts = [part for body in bodies for part in with_tables(separate_sizes(page_parts(body, style)), style)]
    headings = _headings(parts, style)
    front = read_front(parts, headings, style, words, pages.info_title)
    units, reference_parts, known = _without_references(parts, headings, front.begin)
    first_page = _first_page(bodies, pages, reference_parts)
    ids = _ids(pages, bodies, front, parts, reference_parts, style)
    title, is_title_certain = front.title, bool(front.title)
    if not title:
        title, is_title_certain = _stated_title(pages.info_title, bodies)
    abstract = [join_lines(part.lines, words) for part in front.abstract]
    annotations, left_out_annotations = bounded(
        annotation
        for page in pages.pages
        for annotation in with_quotes(page.annotations, page.number, page.words, words)
    )
    return PdfPaper(
        title=title,
        authors=front.authors,
        abstract=" ".join(text.text for text in abstract),
        keywords=front.keywords,
        year=paper_year(first_page),
        ids=ids.own,
        unverified_ids=ids.unverified,
        is_title_certain=is_title_certain,
        text_digest=_text_digest(pages),
        blocks=(*_front_blocks(front, words), *body_blocks(units, style, words)),
        references=split_references([line for part in reference_parts for line in part.lines], words),
        references_known=known,
        pages=len(pages.pages),
        annotations=annotations,
        left_out_annotations=left_out_annotations,
    )


def _check_readable(pages: PdfPages) -> None:
    count = len(pages.pages)
    letters = sum(character.isalpha() for page in pages.pages for word in page.words for character in word.text)
    # Half: a few formulas in a font of their own do not spoil a paper.
    if pages.unreadable > 0.5 * max(1, pages.glyphs):
        raise BadInput("The PDF's fonts do not say which characters they show; it needs OCR.")
    if letters < max(_MIN_LETTERS, _MIN_LETTERS_PER_PAGE * count):
        raise BadInput(f"The PDF holds no text on its {count:,} page{'s' * (count != 1)}, only images; it needs OCR.")
    shown = sum(len(word.text) for page in pages.pages for word in page.words)
    if letters < 0.35 * shown:
        raise BadInput("The PDF's text layer is not readable text; it needs OCR.")


def _headings(parts: Sequence[PdfBlock], style: Style) -> list[Heading | None]:
    around = [None, *parts, None]
    return [find_heading(part, around[index], around[index + 2], style) for index, part in enumerate(parts)]


def _first_page(bodies: Sequence[PageBody], pages: PdfPages, reference_parts: Sequence[PdfBlock]) -> str:
    """The text of the first page; the works that it lists have years of their own."""
    first = bodies[0]
    listed = {line for part in reference_parts for line in part.lines}
    lines = [clean_text(line.text) for line in (*first.running, *first.lines) if line not in listed]
    return "\n".join([*lines, pages.pages[0].marginal])


def _stated_title(stated: str, bodies: Sequence[PageBody]) -> tuple[str, bool]:
    """The title of the document information if it can be one, and whether the first pages print it too."""
    if not is_plausible_title(stated):
        return "", False
    printed = title_key(" ".join(line.text for body in bodies[:MAX_FRONT_PAGES] for line in body.lines))
    key = title_key(stated)
    return clean_text(stated), len(key) >= _MIN_STATED_KEY and key in printed


def _text_digest(pages: PdfPages) -> str:
    text = " ".join(word.text for page in pages.pages for word in page.words)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()


def _ids(
    pages: PdfPages,
    bodies: Sequence[PageBody],
    front: TitlePage,
    parts: Sequence[PdfBlock],
    reference_parts: Sequence[PdfBlock],
    style: Style,
) -> PdfIds:
    """The ids on the first page and, behind a cover, on that of the title."""
    # What is drawn behind the reference list may be the head or the foot of its page, in a size of its own.
    listed = [line for part in reference_parts for line in part.lines]
    listed = [line for line in listed if abs(line.size - listed[0].size) <= _MAX_LIST_SIZE_DIFFERENCE_PT]
    passages: list[PrintedLines] = []
    for number in sorted({1, front.title_page or 1}):
        begin = next((part.lines[0] for part in parts[front.begin :] if part.lines[0].page == number), None)
        others = {*listed, *(line for part in front.abstract for line in part.lines)}
        passages += page_passages(pages.pages[number - 1], bodies[number - 1], others, begin, style)
    return find_ids(passages, pages.info_ids, front.title)


def _without_references(
    parts: Sequence[PdfBlock], headings: Sequence[Heading | None], begin: int
) -> tuple[list[Unit], list[PdfBlock], bool]:
    """The units of the text, the parts of the reference list, and whether there is one."""
    start = _list_start(parts, headings, begin)
    units = [Unit(part, heading) for part, heading in zip(parts[begin:start], headings[begin:start], strict=True)]
    reference_parts: list[PdfBlock] = []
    is_after_references = False
    for part, heading in zip(parts[start + 1 :], headings[start + 1 :], strict=True):
        is_after_references = is_after_references or (
            heading is not None and _is_after_references(heading, headings[start])
        )
        if is_after_references or part.label or part.rows:
            units.append(Unit(part, heading))
        else:
            reference_parts.append(part)
    return units, reference_parts, start < len(parts)


def _list_start(parts: Sequence[PdfBlock], headings: Sequence[Heading | None], begin: int) -> int:
    # From the end: a table of contents or a heading of the text may have the same name.
    for index in range(len(parts) - 1, begin, -1):
        if len(parts[index].lines) == 1 and is_references_heading(parts[index].lines[0].text):
            return index
        heading = headings[index]
        if heading is not None and is_references_heading(heading.title):
            return index
    return len(parts)


def _is_after_references(heading: Heading, references: Heading | None) -> bool:
    """An appendix behind the list: named so, or lettered and set like the list's own heading."""
    if _AFTER_REFERENCES_HEADING.match(heading.title) or heading.number.casefold().startswith("appendix"):
        return True
    is_same_level = references is None or heading.look[0] >= references.look[0]
    return is_same_level and _LETTERED_HEADING.fullmatch(f"{heading.number} {heading.title}".strip()) is not None


def _front_blocks(front: TitlePage, words: WordCounts) -> list[Block]:
    blocks: list[Block] = []
    if front.title:
        page = ((0, front.title_page),) if front.title_page else ()
        blocks.append(Block("title", front.title, pages=page))
    if front.abstract:
        title = "Abstract" if front.labelled else ""
        page = ((0, front.abstract[0].lines[0].page),)
        blocks.append(Block("heading", title, section_kind="abstract", pages=page))
        for part in front.abstract:
            text = join_lines(part.lines, words)
            blocks.append(Block("abstract", text.text, pages=text.pages))
    return blocks
