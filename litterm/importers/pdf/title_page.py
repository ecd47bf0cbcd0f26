"""Reads the first page of a paper: title, authors, abstract, keywords, ids and year.

The title may be on one of the first pages; whether it is certain to be the title is said with it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from litterm.importers.pdf.author_lines import find_authors, is_list_of_names, names_in
from litterm.importers.pdf.blocks import PdfBlock
from litterm.importers.pdf.dehyphenate import WordCounts, join_lines
from litterm.importers.pdf.headings import Heading, heading_text
from litterm.importers.pdf.lines import Line
from litterm.importers.pdf.running_heads import Style
from litterm.model.paper import Author
from litterm.text.documents.sections import classify, heading_parts
from litterm.text.references.identity import title_key

MAX_FRONT_PAGES = 3
"""Pages on which title and abstract are looked for: a cover page may come first."""
ABSTRACT = re.compile(r"(?:abstract|summary|zusammenfassung|résumé|resumen|περίληψη)\b[\s:.—–-]*", re.IGNORECASE)
KEYWORDS = re.compile(
    r"(?:key\s?-?words?(?: and phrases)?|index terms|palabras clave|mots[- ]clés)\b[\s:.—–-]*", re.IGNORECASE
)
_MASTHEAD = re.compile(
    r"\b(?:journal|proceedings|transactions|volume|issn|university|department|institute|licen[cs]e|elsevier|springer"
    r"|available (?:online|at)|contents|copyright|association|conference|workshop|www|https?|doi|vol\.|pages|editor"
    r"|frontiers in"
    r"|(?:original|research|review|full|short|regular|mini) (?:article|paper|report|review)|case report|open access"
    r"|letter to|correspondence|sciencedirect|arxiv|technical report|publication history|(?:accepted|author) manuscript"
    r"|public access)\b",
    re.IGNORECASE,
)
"""Words that stand above titles more often than in short ones."""
_AFFILIATION = re.compile(
    r"\b(?:universit|departe?ment|institut|school|laborator|facult|hospital|colleg)\w*", re.IGNORECASE
)
_ARTICLE_KIND = re.compile(
    r"(?:(?:original|research|review|mini|short|case|full|regular|invited|brief|rapid|technical) )*"
    r"(?:articles?|papers?|reviews?|reports?|communications?|open access)|open access(?: .*)?",
    re.IGNORECASE,
)
_CONTENTS = re.compile(
    r"(?:table of )?contents(?: lists? available .*)?|inhalt(?:sverzeichnis)?|sommaire", re.IGNORECASE
)
_NUMBERED = re.compile(r"(?:\d{1,2}|[IVX]{1,4})(?:\.\d{1,2})*\.?\s+[A-Z]")
_JOB_NAME = re.compile(
    r"microsoft (?:word|powerpoint)|\.(?:docx?|dvi|pdf|tex|fm|indd|qxd|p65|rtf|odt|ps|eps|xml)\b|untitled"
    r"|^(?:title|document\d*)$|\d\s?\.\.\s?\d|\.\.\.\s?$|^(?:the )?proceedings of|_|-{2}"
    r"|^pii:|^doi:|^https?:|10\.\d{4,}/",
    re.IGNORECASE,
)
_MIN_LARGER_PT = 1.4
"""Points above the size of the text from which a line is larger than the text."""
_MAX_MASTHEAD_WORDS = 6
_MAX_SIZE_CHANGE_PT = 2.0
_MAX_TITLE_CHARS = 350
_MAX_PLAIN_TITLE_CHARS = 200
_MIN_STATED_KEY = 4
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
class FoundTitle:
    """The parts that make up the title: from `first` up to `last`, which is none of them."""

    first: int = 0
    last: int = 0
    is_certain: bool = False


@dataclass(frozen=True, slots=True)
class _Group:
    """Neighbouring parts of one face."""

    first: int
    last: int
    text: str
    first_line: str
    size: float
    page: int
    y: float
    """Baseline of the first line."""
    bottom: float
    is_large: bool
    """Whether it is larger than the text."""
    is_distinct: bool
    """Whether it is bold or in another font than the text."""
    is_like_headings: bool
    """Whether other headings are set like it."""

    @property
    def words(self) -> int:
        return len(self.text.split())


@dataclass(frozen=True, slots=True)
class _Choice:
    group: _Group
    is_certain: bool


def find_title(parts: Sequence[PdfBlock], headings: Sequence[Heading | None], style: Style, stated: str) -> FoundTitle:
    """The title of the paper whose parts these are; `stated` is that of the document information."""
    groups = _groups(parts, headings, style)
    stated_key = title_key(stated)
    for group in groups:
        # What the file says of itself counts only where the page says it too: it is often the name of a print job.
        is_telling = len(stated_key) > 14 or (group.is_large and len(stated_key) >= _MIN_STATED_KEY)
        if is_telling and title_key(group.text) == stated_key and not _is_section(group):
            return FoundTitle(group.first, group.last, True)
    first_page = min((group.page for group in groups), default=1)
    choices: list[_Choice] = []
    for page in range(first_page, MAX_FRONT_PAGES + 1):
        on_page = [group for group in groups if group.page == page]
        candidates = [
            group for group in _above_text(on_page) if _may_be_title(group) or _is_set_as_title(group, on_page)
        ]
        choice = _largest(candidates, on_page)
        if choice is None and page == first_page:
            choice = _plain(on_page)
        # A cover may come first: the title is printed again, or for the first time, where the paper itself begins.
        if choice is not None and (page == first_page or _begins_paper(choice, choices, on_page)):
            choices.append(choice)
    if not choices:
        return FoundTitle()
    best = choices[-1]
    return FoundTitle(best.group.first, best.group.last, best.is_certain)


def _begins_paper(choice: _Choice, earlier: Sequence[_Choice], on_page: Sequence[_Group]) -> bool:
    """Whether a later page is the title page: it repeats the title of the cover, or has the first title and names."""
    if any(_is_same(choice.group, other.group) for other in earlier):
        return True
    return not any(other.is_certain for other in earlier) and _stands_above_names(choice.group, on_page)


def _is_same(group: _Group, other: _Group) -> bool:
    key, other_key = title_key(group.text), title_key(other.text)
    return len(key) > 14 and (key.startswith(other_key) or other_key.startswith(key))


def separate_sizes(parts: Iterable[PdfBlock]) -> list[PdfBlock]:
    """`parts` with those of the first pages split where the size changes, as between a head and a title beside it."""
    result: list[PdfBlock] = []
    for part in parts:
        lines: list[Line] = []
        for line in part.lines:
            if lines and line.page <= MAX_FRONT_PAGES and abs(line.size - lines[-1].size) > _MAX_SIZE_CHANGE_PT:
                result.append(replace(part, lines=tuple(lines)))
                lines = []
            lines.append(line)
        result.append(replace(part, lines=tuple(lines)) if len(lines) < len(part.lines) else part)
    return result


def is_plausible_title(stated: str) -> bool:
    """Whether the title of a document information can be one, and not the name of a file or a print job."""
    words = stated.split()
    letters = sum(character.isalpha() for character in stated)
    return len(words) >= 3 and letters > 0.7 * len(stated) and not _JOB_NAME.search(stated) and "\ufffd" not in stated


def _groups(parts: Sequence[PdfBlock], headings: Sequence[Heading | None], style: Style) -> list[_Group]:
    """Neighbouring parts of one face on the first pages."""
    ranges: list[tuple[int, int]] = []
    for index, part in enumerate(parts):
        line = part.lines[0]
        if line.page > MAX_FRONT_PAGES:
            break
        previous = parts[index - 1].lines[-1] if index else None
        joins = (
            previous is not None
            and previous.page == line.page
            and abs(previous.size - line.size) < 0.5
            and (previous.font == line.font or line.size > style.size + 2)
            and 0 < previous.y - line.y < 2.2 * line.size
            and (line.size > 11 or line.size > style.size + _MIN_LARGER_PT)
        )
        if joins and ranges:
            ranges[-1] = (ranges[-1][0], index + 1)
        else:
            ranges.append((index, index + 1))
    looks = Counter(heading.look for heading in headings if heading is not None)
    groups = []
    for first, last in ranges:
        heading = headings[first]
        is_like_headings = heading is not None and looks[heading.look] > 2
        groups.append(_group(parts, (first, last), style, is_like_headings))
    return groups


def _group(parts: Sequence[PdfBlock], limits: tuple[int, int], style: Style, is_like_headings: bool) -> _Group:
    first, last = limits
    while last - first > 1 and _ARTICLE_KIND.fullmatch(_text(parts[first : first + 1])):
        first += 1
    line = parts[first].lines[0]
    return _Group(
        first,
        last,
        _text(parts[first:last]),
        line.text,
        line.size,
        line.page,
        line.y,
        parts[last - 1].lines[-1].y,
        line.size > style.size + _MIN_LARGER_PT,
        line.bold or line.font != style.font,
        is_like_headings,
    )


def _text(parts: Sequence[PdfBlock]) -> str:
    return heading_text([line for part in parts for line in part.lines])


def _above_text(groups: Sequence[_Group]) -> list[_Group]:
    """The groups of a page above its abstract or introduction, by their height: some files draw the title last."""
    begins = [group.y for group in groups if _is_label(ABSTRACT, group) or _is_usual_heading(group.text)]
    return [group for group in groups if not begins or group.y > max(begins)]


def _is_label(label: re.Pattern[str], group: _Group) -> bool:
    """Whether a group is or begins with a label, and is no title such as `Abstract Meaning Representation`."""
    match = label.match(group.text)
    return match is not None and (
        not group.is_large or match.end() == len(group.text) or match.group().rstrip().endswith((":", ".", "—", "–"))
    )


def _is_usual_heading(text: str) -> bool:
    """Whether it is the heading that opens the text of many papers: `1 Introduction`, `Background`."""
    number, title = heading_parts(text)
    words = title.strip(" .:").split()
    return len(words) <= (3 if number else 1) and classify(title) in ("abstract", "introduction")


def _may_be_title(group: _Group) -> bool:
    text = group.text
    if not 2 < len(text) < _MAX_TITLE_CHARS or _is_label(KEYWORDS, group) or "@" in text or "http" in text:
        return False
    if _ARTICLE_KIND.fullmatch(text) or _CONTENTS.fullmatch(text):
        return False
    return sum(map(str.isalpha, text)) >= max(3, 0.3 * len(text)) and not _is_section(group)


def _is_set_as_title(group: _Group, on_page: Sequence[_Group]) -> bool:
    """Whether the place says that it is the title, whatever its words: the largest, with the authors right below it."""
    number, _ = heading_parts(group.text)
    is_title_like = group.is_large and len(group.text) < _MAX_TITLE_CHARS and any(map(str.isalnum, group.text))
    if not is_title_like or _CONTENTS.fullmatch(group.text) or (number and group.is_like_headings):
        return False
    if any(other.size > group.size - 0.5 for other in on_page if other is not group):
        return False
    below = sorted((other for other in on_page if other.y < group.bottom), key=lambda other: -other.y)[:2]
    if not below or not names_in(below[0].first_line):
        return False
    # A title of two words looks like a name, and has the authors below it in another size.
    return len(below) < 2 or not names_in(below[1].first_line) or abs(below[0].size - below[1].size) < 0.5


def _is_section(group: _Group) -> bool:
    """Whether a group is named like a section, or numbered and set like other headings."""
    number, title = heading_parts(group.text)
    words = title.strip(" .:").split()
    is_named = len(words) <= (3 if number else 1) and classify(title) != "other"
    return is_named or (bool(number) and group.is_like_headings)


def _largest(candidates: Sequence[_Group], on_page: Sequence[_Group]) -> _Choice | None:
    """The title among what is set larger than the text; `None` if nothing is."""
    larger = [group for group in candidates if group.is_large]
    groups_of_names = [group for group in larger if is_list_of_names(group.text)]
    others = [group for group in larger if group not in groups_of_names]
    # A few words that all have capitals look like a name, but nobody sets names larger than the title.
    largest = max((group.size for group in others), default=0.0)
    others += [group for group in groups_of_names[:1] if group.size > largest + 1]
    if not others:
        return None
    others = [group for group in others if not _NUMBERED.match(group.text)] or others
    best = max(others, key=lambda group: (round(group.size), -group.first))
    if not _stands_above_names(best, on_page) and (_is_suspect(best) or best.words <= _MAX_MASTHEAD_WORDS):
        below_masthead = _below_masthead(best, others, on_page)
        if below_masthead:
            return _Choice(max(below_masthead, key=lambda group: (round(group.size), -group.first)), True)
    return _Choice(best, not _is_suspect(best) or _stands_above_names(best, on_page))


def _below_masthead(best: _Group, others: Sequence[_Group], on_page: Sequence[_Group]) -> list[_Group]:
    """What may be the title where the largest words are a journal's name: longer, or right above the names."""
    names = [group for group in on_page if group.y < best.y and is_list_of_names(group.text)]
    return [
        group
        for group in others
        if (_is_suspect(best) or (group.y < best.y and not _may_be_names(group.text)))
        and (group.words > _MAX_MASTHEAD_WORDS or _stands_above_names(group, on_page))
        # What stands below names as large is an address, or what they are the authors of stands above.
        and not any(group.y < other.y and other.size > group.size - 0.5 for other in names)
    ]


def _may_be_names(text: str) -> bool:
    """Whether a text may be a list of authors with their addresses, in which the names were not recognised."""
    return _AFFILIATION.search(text) is not None or text.count(",") > 1


def _is_suspect(group: _Group) -> bool:
    """Whether a group needs more than its size to be a title: a masthead, a single word, a heading among others."""
    letters = sum(character.isalpha() or character.isspace() for character in group.text)
    return (
        (group.words < 9 and _MASTHEAD.search(group.text) is not None)
        or group.words < 2
        or letters <= 0.75 * len(group.text)
        or _NUMBERED.match(group.text) is not None
        or group.is_like_headings
        or is_list_of_names(group.text)
    )


def _stands_above_names(group: _Group, on_page: Sequence[_Group]) -> bool:
    """Whether names follow below, before anything else that is set larger than the text."""
    below = sorted((other for other in on_page if other.y < group.bottom), key=lambda other: -other.y)
    below = [other for other in below if not _ARTICLE_KIND.fullmatch(other.text)]
    for other in below[:2]:
        if names_in(other.first_line) or is_list_of_names(other.text):
            return True
        if other.is_large:
            return False
    return False


def _plain(on_page: Sequence[_Group]) -> _Choice | None:
    """A title as large as the text: bold or in a font of its own, above everything else, with names below it."""
    above = [
        group
        for group in _above_text(on_page)
        if _may_be_title(group) and not _is_suspect(group) and len(group.text) < _MAX_PLAIN_TITLE_CHARS
    ]
    if not above:
        return None
    group = next((group for group in above if group.is_distinct), above[0])
    return _Choice(group, _stands_above_names(group, on_page) or (group.is_distinct and group.words > 3))


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
