"""Reads the first page of a paper: title, authors, abstract, keywords, ids and year."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from litterm.importers.author_names import author_from_name
from litterm.importers.ids import parse_arxiv, rank_ids
from litterm.importers.pdf.blocks import PdfBlock
from litterm.importers.pdf.dehyphenate import WordCounts, clean_text, join_lines
from litterm.importers.pdf.headings import Heading, heading_text
from litterm.importers.pdf.running_heads import Style
from litterm.model.paper import Author, PaperId
from litterm.text.references.identity import make_id, title_key

_ABSTRACT = re.compile(r"(?:abstract|summary|zusammenfassung|résumé|resumen|περίληψη)\b[\s:.—–-]*", re.IGNORECASE)
_KEYWORDS = re.compile(
    r"(?:key\s?-?words?(?: and phrases)?|index terms|palabras clave|mots[- ]clés)\b[\s:.—–-]*", re.IGNORECASE
)
_INTRODUCTION = re.compile(
    r"introduction|background|einleitung|introducción|εισαγωγή|motivation|overview", re.IGNORECASE
)
_NON_TITLE = re.compile(
    r"\b(?:journal|proceedings|transactions|volume|issn|university|department|institute|licen[cs]e|elsevier|springer"
    r"|available (?:online|at)|contents|copyright|association|conference|workshop|www|https?|doi|vol\.|pages|editor"
    r"|frontiers in"
    r"|(?:original|research|review|full|short|regular|mini) (?:article|paper|report|review)|case report|open access"
    r"|letter to|correspondence|sciencedirect|arxiv|technical report|publication history|accepted manuscript)\b",
    re.IGNORECASE,
)
_NON_NAME = re.compile(
    r"\b(?:universit\w*|department|dept|institut\w*|school|college|laborator\w*|labs?|center|centre|facult\w*|hospital|academy"
    r"|inc|ltd|corporation|company|research|science|sciences|technolog\w*|group|division|avenue|street|road|usa|china|india"
    r"|japan|germany|france|uk|email|e-mail|abstract|received|accepted|published|editor|correspond\w*|article|review|open"
    r"|access|copyright|the|of|for|in|on|with|at|is|from|by|journal|proceedings|conference|box|km|state|city)\b|@|\d{3,}|://",
    re.IGNORECASE,
)
_ARTICLE_KIND = re.compile(
    r"(?:(?:original|research|review|mini|short|case|full) )*(?:articles?|papers?|reviews?|reports?)", re.IGNORECASE
)
_NAME = re.compile(r"(?:[A-ZÀ-ÖØ-ÞŁŠŽČİ][\w'’.-]*|(?:van|von|der|den|de|del|della|di|da|dos|la|le|bin|al|el)\b)")
_NAME_MARKS = re.compile(
    r"[*†‡§¶#∗⋆♦♣♠♥✉⁎,]{0,20}[⁰¹²³⁴-⁹⁺⁻⁼ᵃ-ᶻʰʲʳˢʷˣʸ]+[*†‡§¶#∗⋆,⁰¹²³⁴-⁹ᵃ-ᶻ]*|(?<=[a-z])\d{1,2}(?:,\d{1,2})*|[*†‡§¶#∗⋆♦♣♠♥✉⁎]"
)
_NAME_SEPARATOR = re.compile(r"(?:(?<!\s)\s+)?+(?:,\s*(?:and|&)\s+|[,;•·∙|])\s*|(?<!\s)\s+(?:and|&|und|et)\s+|\s{2,}")
_DOI = re.compile(r"\b10\.\d{4,9}/[^\s\"<>|]+")
_ARXIV = re.compile(r"arXiv:\s*((?:\d{4}\.\d{4,5})|(?:[a-z-]+(?:\.[A-Z]{2})?/\d{7}))")
_YEAR_PATTERNS = (
    re.compile(r"arXiv:\S{1,40}\s+\[[\w.-]+\]\s+\d{1,2} \w{3} ((?:19|20)\d\d)"),
    re.compile(
        r"(?:published(?: online)?|publication date)\s*:?\s*(?:\w{1,40} ){0,3}?"
        r"(?:\d{1,2},? )?(?:\w{1,40},? )?((?:19|20)\d\d)",
        re.IGNORECASE,
    ),
    re.compile(r"\bproceedings\b[^\n]{0,160}?\b((?:19|20)\d\d)\b", re.IGNORECASE),
    re.compile(r"(?:©|\(c\)|copyright)\s*(?:©\s*)?((?:19|20)\d\d)", re.IGNORECASE),
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
_NUMBERED = re.compile(r"(?:\d{1,2}|[IVX]{1,4})(?:\.\d{1,2})*\.?\s+[A-Z]")
_MAX_FRONT_PAGES = 3
"""Pages on which title and abstract are looked for: a cover page may come first."""
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
    first, last = _title(parts, style, info_title)
    while last - first > 1 and _ARTICLE_KIND.fullmatch(_text(parts[first : first + 1])):
        first += 1
    title = heading_text([line for part in parts[first:last] for line in part.lines]) if last > first else ""
    begin, abstract = _abstract(parts, headings, last)
    keywords = next((_keywords(part, words) for part in parts[:begin] if _KEYWORDS.match(part.text)), ())
    stop = parts.index(abstract[0]) if abstract and abstract[0] in parts else begin
    authors = _authors(parts[last : min(stop, begin)]) if title else ()
    page = parts[first].lines[0].page if title else None
    labelled = any(_ABSTRACT.match(heading_text(part.lines)) for part in parts[last:begin])
    return TitlePage(title, page, authors, abstract, labelled, keywords, begin)


def _title(parts: Sequence[PdfBlock], style: Style, info_title: str) -> tuple[int, int]:
    """The range of parts that make up the title; empty if none can be determined."""
    groups = _groups(parts, style)
    stated_title = title_key(info_title)
    for first, last in groups:
        # What the file says of itself counts only where the page says it too: it is often the name of a print job.
        if len(stated_title) > 14 and title_key(_text(parts[first:last])) == stated_title:
            return first, last
    fit = [group for group in groups if _may_be_title(_text(parts[group[0] : group[1]]))]
    groups_above_names = [group for group in fit if _names(_text(parts[group[0] : group[1]])) is not None]
    fit = [group for group in fit if group not in groups_above_names]
    larger = [group for group in fit if parts[group[0]].lines[0].size > style.size + 1.4]
    # A few words that all have capitals look like a name, but nobody sets names larger than the title.
    largest = max((parts[first].lines[0].size for first, _ in larger), default=style.size + 1.4)
    larger += [group for group in groups_above_names[:1] if parts[group[0]].lines[0].size > largest + 1]
    larger = [group for group in larger if not _NUMBERED.match(_text(parts[group[0] : group[1]]))] or larger
    if larger:
        # A journal's name may be set larger than the title, but it is shorter.
        long = [group for group in larger if len(_text(parts[group[0] : group[1]]).split()) > 6]
        return max(long or larger, key=lambda group: (round(parts[group[0]].lines[0].size), -group[0]))
    plain = [
        group for group in fit if parts[group[0]].lines[0].page == 1 and len(_text(parts[group[0] : group[1]])) < 200
    ]
    distinct_groups = [
        group for group in plain if parts[group[0]].lines[0].bold or parts[group[0]].lines[0].font != style.font
    ]
    return (distinct_groups or plain or [(0, 0)])[0]


def _groups(parts: Sequence[PdfBlock], style: Style) -> list[tuple[int, int]]:
    """Neighbouring parts of one face on the first pages."""
    groups: list[tuple[int, int]] = []
    for index, part in enumerate(parts):
        line = part.lines[0]
        if line.page > _MAX_FRONT_PAGES:
            break
        previous = parts[index - 1].lines[-1] if index else None
        joins = (
            previous is not None
            and previous.page == line.page
            and abs(previous.size - line.size) < 0.5
            and (previous.font == line.font or line.size > style.size + 2)
            and 0 < previous.y - line.y < 2.2 * line.size
            and line.size > 11
        )
        if joins and groups:
            groups[-1] = (groups[-1][0], index + 1)
        else:
            groups.append((index, index + 1))
    return groups


def _text(parts: Sequence[PdfBlock]) -> str:
    return heading_text([line for part in parts for line in part.lines])


def _may_be_title(text: str) -> bool:
    if not 12 < len(text) < 350 or len(text.split()) < 2 or _ABSTRACT.match(text) or _KEYWORDS.match(text):
        return False
    letters = sum(character.isalpha() or character.isspace() for character in text)
    if len(_NAME_MARKS.findall(text)) > 2:
        return False
    journal = _NON_TITLE.search(text) is not None and len(text.split()) < 9
    return letters > 0.75 * len(text) and not journal and "@" not in text and "http" not in text


def _abstract(
    parts: Sequence[PdfBlock], headings: Sequence[Heading | None], start: int
) -> tuple[int, tuple[PdfBlock, ...]]:
    """Where the text begins, and the parts of the abstract before it."""
    stop = next((index for index, part in enumerate(parts) if part.lines[0].page > _MAX_FRONT_PAGES), len(parts))
    for index in range(start, stop):
        heading, text = headings[index], parts[index].text
        if _ABSTRACT.fullmatch(heading_text(parts[index].lines)):
            return _abstract_after(parts, headings, index + 1)
        if heading is None and _ABSTRACT.match(text) and len(text) > 60:
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
        if _KEYWORDS.match(part.text) or part.label or part.rows:
            continue
        if part.lines[0].page > _MAX_FRONT_PAGES + 3 or (
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
    prose = [part for part in prose if not _KEYWORDS.match(part.text)]
    if not prose:
        return ()
    longest = max(prose, key=lambda part: len(part.text))
    same_size_parts = tuple(part for part in prose if abs(part.lines[0].size - longest.lines[0].size) < 0.4)
    return same_size_parts if sum(len(part.text.split()) for part in same_size_parts) >= _MIN_ABSTRACT_WORDS else ()


def _keywords(part: PdfBlock, words: WordCounts) -> tuple[str, ...]:
    text = _KEYWORDS.sub("", join_lines(part.lines, words).text, count=1)
    keywords = [keyword.strip(" .") for keyword in re.split(r"[,;•·|]|\s[–—]\s", text)]
    return tuple(keyword for keyword in keywords if 1 < len(keyword) < 80)[:30]


def _authors(parts: Sequence[PdfBlock]) -> tuple[Author, ...]:
    """Names between title and abstract, all set in the face of the first; the rest is addresses."""
    authors: list[Author] = []
    face: tuple[float, str] | None = None
    for line in (line for part in parts for line in part.lines):
        names = _names(line.text) if face is None or (abs(line.size - face[0]) < 0.6 and line.font == face[1]) else None
        if names:
            face = face or (line.size, line.font)
            authors += names
    return tuple(dict.fromkeys(authors))[:200]


def _names(text: str) -> list[Author] | None:
    """The names of a line, or `None` if it is no line of names."""
    clean = " ".join(_NAME_MARKS.sub(" , ", clean_text(text)).split())
    if _NON_NAME.search(clean):
        return None
    names = [piece.strip(" .,") for piece in _NAME_SEPARATOR.split(clean)]
    names = [name for name in names if name]
    if not names or not all(_is_name(name) for name in names):
        return None
    authors = [author_from_name(name) for name in names]
    return [author for author in authors if author is not None]


def _is_name(name: str) -> bool:
    words = name.split()
    if not 2 <= len(words) <= 5 or (name.upper() == name and len(name) > 30):
        return False
    return all(_NAME.fullmatch(word) for word in words) and any(len(word) > 2 for word in words)


def paper_ids(first_page: str) -> tuple[PaperId, ...]:
    """Ids the first page prints of itself: a DOI if it names exactly one, an arXiv stamp."""
    dois = {match.group().rstrip(".,;:)]}").casefold() for match in _DOI.finditer(first_page)}
    # Of several one is cited, and nobody knows which.
    ids = [make_id("doi", key) for key in dois] if len(dois) == 1 else []
    ids += [parse_arxiv(match[1]) for match in _ARXIV.finditer(first_page)]
    return rank_ids(ids)


def paper_year(first_page: str) -> int | None:
    """The year of publication, where the first page says so in as many words."""
    for pattern in _YEAR_PATTERNS:
        years = {int(match[1]) for match in pattern.finditer(first_page)}
        if len(years) == 1:
            return years.pop()
    return None
