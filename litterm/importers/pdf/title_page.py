"""Reads the first page of a paper: title, authors, abstract, keywords, ids and year."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from litterm.importers.pdf.author_lines import find_authors
from litterm.importers.pdf.blocks import PdfBlock
from litterm.importers.pdf.dehyphenate import WordCounts, join_lines
from litterm.importers.pdf.headings import Heading, heading_text
from litterm.importers.pdf.running_heads import Style
from litterm.importers.pdf.title import ABSTRACT, KEYWORDS, MAX_FRONT_PAGES, find_title
from litterm.model.paper import Author

_INTRODUCTION = re.compile(
    r"introduction|background|einleitung|introducción|εισαγωγή|motivation|overview", re.IGNORECASE
)
_YEAR_PATTERNS = (
    re.compile(r"arXiv:\S{1,40}\s+\[[\w.-]+\]\s+\d{1,2} \w{3} ((?:19|20)\d\d)"),
    re.compile(
        r"(?:published(?: online)?|publication date)\s*:?\s*(?:\w{1,40} ){0,3}?"
        r"(?:\d{1,2},? )?(?:\w{1,40},? )?((?:19|20)\d\d)",
        re.IGNORECASE,
    ),
    re.compile(r"\bproceedings\b[^\n]{0,160}?\b((?:19|20)\d\d)\b", re.IGNORECASE),
    re.compile(r"(?:©|\(c\)|copyright)\s*(?:©\s*)?((?:19|20)\d\d)", re.IGNORECASE),
    # The journal's volume in the head: `Barn News Vol. 9, No. 3, pp. 177-186, Summer 2011`.
    re.compile(
        r"\bvol(?:ume)?\b[. ]{0,3}(?:no\b[. ]{0,3})?[\dIVXLC]{1,6}\b[^\n]{0,60}?\b((?:19|20)\d\d)\b", re.IGNORECASE
    ),
)
_NOTICE = re.compile(
    r"©|copyright|licen[cs]e|open access|correspond|e-?mail|received|accepted|all rights reserved|permission to"
    r"|author\(s\)",
    re.IGNORECASE,
)
_ABSTRACT_HEADINGS = frozenset(
    """background objective objectives aim aims purpose context methods method design setting participants results
    findings conclusion conclusions interpretation significance discussion""".split()
) | {"materials and methods", "patients and methods", "trial registration", "author summary", "results and discussion"}
_MIN_ABSTRACT_WORDS = 60
"""Words from which unlabelled paragraphs before the first heading can be an abstract."""


@dataclass(frozen=True, slots=True)
class TitlePage:
    """What is before the text, and where the text begins."""

    title: str
    title_page: int | None
    authors: tuple[Author, ...]
    abstract: tuple[PdfBlock, ...]
    labelled: bool
    """Whether the paper prints a heading over its abstract."""
    keywords: tuple[str, ...]
    begin: int
    """Index of the first part of the text."""


def read_front(
    parts: Sequence[PdfBlock], headings: Sequence[Heading | None], style: Style, words: WordCounts, info_title: str
) -> TitlePage:
    """The head of the paper whose parts these are."""
    found = find_title(parts, headings, style, info_title)
    first, last = (found.first, found.last) if found.is_certain else (0, 0)
    title = heading_text([line for part in parts[first:last] for line in part.lines]) if last > first else ""
    begin, abstract = _abstract(parts, headings, last)
    keywords = next((_keywords(part, words) for part in parts[last:begin] if KEYWORDS.match(part.text)), ())
    stop = parts.index(abstract[0]) if abstract and abstract[0] in parts else begin
    authors = find_authors(parts[last : min(stop, begin)]) if title else ()
    page = parts[first].lines[0].page if title else None
    labelled = any(ABSTRACT.match(heading_text(part.lines)) for part in parts[last:begin])
    return TitlePage(title, page, authors, abstract, labelled, keywords, begin)


def _abstract(
    parts: Sequence[PdfBlock], headings: Sequence[Heading | None], start: int
) -> tuple[int, tuple[PdfBlock, ...]]:
    """Where the text begins, and the parts of the abstract before it."""
    stop = next((index for index, part in enumerate(parts) if part.lines[0].page > MAX_FRONT_PAGES), len(parts))
    for index in range(start, stop):
        heading, text = headings[index], parts[index].text
        if ABSTRACT.fullmatch(heading_text(parts[index].lines)):
            return _abstract_after(parts, headings, index + 1)
        if heading is None and ABSTRACT.match(text) and len(text) > 60:
            return _abstract_after(parts, headings, index)
        if heading is not None and _INTRODUCTION.match(heading.title):
            return index, _unlabelled_abstract(parts[start:index])
    begin = next(
        (index for index in range(start, stop) if headings[index] is not None and _starts_text(headings[index])), None
    )
    if begin is not None:
        return begin, _unlabelled_abstract(parts[start:begin])
    prose = (
        index
        for index in range(start, len(parts))
        if len(parts[index].text.split()) > 40 and not _NOTICE.search(parts[index].text)
    )
    return next(prose, start), ()


def _starts_text(heading: Heading | None) -> bool:
    return heading is not None and (
        heading.number in ("1", "I", "1.") or (not heading.number and len(heading.title) < 60)
    )


def _abstract_after(
    parts: Sequence[PdfBlock], headings: Sequence[Heading | None], index: int
) -> tuple[int, tuple[PdfBlock, ...]]:
    """The abstract from part `index` on: until a heading that is none of its own, or comes a second time."""
    blocks: list[PdfBlock] = []
    abstract_headings: set[str] = set()
    for position in range(index, len(parts)):
        heading, part = headings[position], parts[position]
        if KEYWORDS.match(part.text) or part.label or part.rows:
            continue
        if part.lines[0].page > MAX_FRONT_PAGES + 3 or (
            heading is not None and not _is_inside_abstract(heading, abstract_headings, bool(blocks))
        ):
            return position, tuple(blocks)
        if heading is not None:
            abstract_headings.add(heading.title.casefold())
        elif not _NOTICE.search(part.text[:200]) and not _is_small_print(blocks, part):
            blocks.append(part)
    return len(parts), tuple(blocks)


def _is_inside_abstract(heading: Heading, abstract_headings: set[str], has_begun: bool) -> bool:
    """Whether a heading is one of a structured abstract: those begin at once or not at all."""
    name = heading.title.casefold().rstrip(":.")
    return (
        not heading.number
        and name in _ABSTRACT_HEADINGS
        and name not in abstract_headings
        and (bool(abstract_headings) or not has_begun)
    )


def _is_small_print(blocks: Sequence[PdfBlock], part: PdfBlock) -> bool:
    """Small print between abstract and introduction, such as affiliations in a side column."""
    return bool(blocks) and abs(blocks[0].lines[0].size - part.lines[0].size) > 0.6


def _unlabelled_abstract(parts: Sequence[PdfBlock]) -> tuple[PdfBlock, ...]:
    """An abstract without a heading: the long paragraphs of one size before the text."""
    prose = [part for part in parts if len(part.text.split()) >= 20 and not _NOTICE.search(part.text)]
    prose = [part for part in prose if not KEYWORDS.match(part.text)]
    if not prose:
        return ()
    longest = max(prose, key=lambda part: len(part.text))
    same_size_parts = tuple(part for part in prose if abs(part.lines[0].size - longest.lines[0].size) < 0.4)
    return same_size_parts if sum(len(part.text.split()) for part in same_size_parts) >= _MIN_ABSTRACT_WORDS else ()


def _keywords(part: PdfBlock, words: WordCounts) -> tuple[str, ...]:
    text = KEYWORDS.sub("", join_lines(part.lines, words).text, count=1)
    keywords = [keyword.strip(" .") for keyword in re.split(r"[,;•·|]|\s[–—]\s", text)]
    return tuple(keyword for keyword in keywords if 1 < len(keyword) < 80)[:30]


def paper_year(first_page: str) -> int | None:
    """The year of publication, where the first page says so in as many words."""
    for pattern in _YEAR_PATTERNS:
        years = {int(match[1]) for match in pattern.finditer(first_page)}
        if len(years) == 1:
            return years.pop()
    return None
