"""Finds the ids that a PDF says are its own, and keeps them apart from those of works that it cites.

A publisher prints a paper's id in the head, the foot or the margin of its first page, on a line of its own or in the
imprint. Ids in running text, footnotes, links to data and the reference list belong to other works.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from enum import IntEnum

from litterm.importers.ids import parse_arxiv, parse_doi, parse_pmc, parse_pmid, rank_ids, recognize_id
from litterm.importers.pdf.blocks import PdfBlock, page_parts
from litterm.importers.pdf.dehyphenate import clean_text
from litterm.importers.pdf.lines import Line
from litterm.importers.pdf.pages import PdfPage
from litterm.importers.pdf.running_heads import PageBody, Style
from litterm.model.paper import PaperId
from litterm.text.references.identity import bare_key, scheme_of, title_key


class PageRegion(IntEnum):
    """Where on the first page something stands, the most telling place first."""

    STAMP = 0
    """Written across the page, at its side."""
    REPEATED = 1
    """In the head or the foot of several pages."""
    HEAD = 2
    """Before the text: above the title, or between title and text."""
    FOOT = 3
    """In small print, or at the very top or bottom of the page."""


@dataclass(frozen=True, slots=True)
class PrintedLines:
    """Consecutive lines of the first page that belong together."""

    lines: tuple[str, ...]
    place: PageRegion
    is_text: bool = False
    """Whether it is set like the text, and long enough to be a part of it."""


@dataclass(frozen=True, slots=True)
class PdfIds:
    """The ids of a PDF."""

    own: tuple[PaperId, ...] = ()
    unverified: tuple[PaperId, ...] = ()
    """Ids that are printed as if they were its own, while something speaks against it."""


@dataclass(frozen=True, slots=True)
class _Mention:
    """An id as a passage prints it."""

    id: PaperId
    start: int
    end: int


_DOI = re.compile(r"\b10\.\d{4,9}(?:\.\d{1,9})*/[^\s\"<>|]+")
_ARXIV = re.compile(
    r"(?:arXiv\s?:\s?|arxiv\.org/(?:abs|pdf)/)((?:\d{4}\.\d{4,5})|(?:[a-z-]+(?:\.[A-Z]{2})?/\d{7}))", re.IGNORECASE
)
_OLD_ARXIV = re.compile(
    r"^[ \t]*((?:[a-z]{2,8}-[a-z]{2,4}|[a-z]{2,8}-?[a-z]{0,3}(?:\.[A-Z]{2})?)/\d{7})(?:v\d)?[ \t]*$", re.M
)
_PMID = re.compile(r"\bPMID\s?:?\s?(\d{5,9})\b")
_PMC = re.compile(r"\bPMCID\s?:?\s?(PMC\d{4,9})\b")
_URL = re.compile(r"https?://[^\s\"<>|]+")
_BROKEN_DOIS: tuple[tuple[re.Pattern[str], str], ...] = (
    # TeX draws an underscore as a rule, which no font names: `10.1162/COLI a 00122`.
    (re.compile(r"\b(10\.1162/[A-Za-z]{3,5})\s([A-Za-z])\s(\d{5})\b"), r"\1_\2_\3"),
    (re.compile(r"\b(10\.1007/978-[\d-]{9,13}[\dX])[ _](\d{1,3})(?=[ \t]*(?:$|[,;.)©]))", re.MULTILINE), r"\1_\2"),
    # At a line's end, and where a blank is set behind a slash or a stop.
    (re.compile(r"\b(10\.1093/[a-z]+/)\s([a-z]{2,6}\d{3,4})\b"), r"\1\2"),
    (re.compile(r"\b(10\.1145/\d{6,7}\.)\s(\d{6,7})\b"), r"\1\2"),
    (re.compile(r"\b(10\.1371/journal\.)\s?([a-z]{4}\.)\s?(\d{7})\b"), r"\1\2\3"),
    (re.compile(r"\b(10\.18653/v1/)\s([A-Z]\d\d-\d{4}|\d{4}\.[\w-]+\.\d{1,4})\b"), r"\1\2"),
)
"""DOIs of a shape that is known in full, with a blank in them; what else is broken is no id."""
_ADDRESS_END = re.compile(r"/(?:pdf|epdf|full|abstract|meta)\Z", re.IGNORECASE)
_TEMPLATE_DOIS = frozenset(
    "10.1145/1122445.1122456 10.1109/access.2017.doi 10.1109/access.2024.0429000 10.3390/1010000".split()
)
"""What the templates of publishers print until an author changes it."""
_PLACEHOLDER = re.compile(r"x{3,}|n{5,}|0{7,}|\(issn\)", re.IGNORECASE)
_BOOK_DOI = re.compile(r"10\.1007/978-[\d-]{9,13}[\dX]", re.IGNORECASE)
_MORE_DIGITS = re.compile(r"[ \t]\d{6,}\b")
"""Behind a DOI these belong to it: `10.1162/0891201 05774321091`; a year or a page number is shorter."""
_FUNDERS = "10.13039/"
_DATA_PREFIXES = ("10.5281/", "10.6084/", "10.5061/", "10.17605/", "10.7910/", "10.17632/", "10.1594/", "10.24432/")
"""Registrants of data: a paper has such a DOI only where it stands at its head."""
_RAISED_MARK = re.compile(r"\s*[*†‡§¶#∗⋆¹²³⁴-⁹⁰]")
_NOTE_MARK = re.compile(
    r"\s*(?:[*†‡§¶#∗⋆¹²³⁴-⁹⁰]|[\[(]?\d{1,3}[\])]?\s+(?!(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec))|\[\w{1,12}\])",
    re.IGNORECASE,
)
"""The beginning of a footnote or of an entry in a reference list."""
_FOREIGN = re.compile(
    r"\bdata\s?(?:availab\w*|repositor\w*|descriptor)?\s?(?:\b(?:are|is|at|from|in|and|for|can)\b|:)"
    r"|\bdata\s?(?:sets?|bases?)\b|\bcodes?\b|\bsoftware\s?(?:\b(?:is|at|and)\b|:)|\brepositor|\bzenodo|\bfigshare"
    r"|\bdryad\b|\bgithub|\bdataverse|\barchived\b|\bdeposited\b|\bsuppl|\bsupporting information|\bsee\b|\bcf\."
    r"|\brefer(?:s|red|ences?)?\b|\bfollow|\bexten(?:d|sion of)|\bbased on|\bbuil[dt]s? (?:up)?on|\bprevious|\bearlier"
    r"|\boriginal (?:article|paper|publication|version)(?: can| is| was|:| of)"
    r"|\b(?:correction|corrigendum|erratum|addendum|retraction)(?: note)? (?:to|of|for)\b"
    r"|\bcomment(?:ary)? on|\b(?:reply|response) to|\brelated|\bcompanion|\baccompanying|\btrial registration"
    r"|\bpreregist|\btranslation of|\bprotocol|\breview of|\b(?:introduced|proposed|described) (?:by|in)|\bwe\b|\bour\b"
    r"|\buse[sd]?\b|\bet al\b",
    re.IGNORECASE,
)
"""Words before an id that make it one of another work."""
_CITES = re.compile(r"\bcit(?:e|es|ed|ing|ation)\b", re.IGNORECASE)
_OF_ITSELF = re.compile(
    r"(?:online|final|published|definitive|authenticated|edited) version of (?:this|the)"
    r" (?:article|paper|chapter|manuscript|work)"
    r"|published in final edited form|final (?:authenticated |published )?(?:version|publication) is available"
    r"|final authenticated version|version of record|cite this (?:article|paper|chapter|work) as:?\s*(?:doi|https?)"
    r"|(?:bio|med|chem)rxiv preprint",
    re.IGNORECASE,
)
"""Words with which a paper names its own id in a sentence."""
_IMPRINT = re.compile(
    r"©|\(c\) ?(?:19|20)\d\d|copyright|rights reserved|\bissn\b|\bisbn\b|\breceived\b|\baccepted\b|\bpublished\b"
    r"|available online|digital object identifier|permission to make|\A\W*preprint\b|licen[cs]e|downloaded from"
    r"|version posted|\bcorrespond|e-?mail|\blncs\b|\blnai\b|\A\W*(?:in )?proceedings\b"
    r"|(?:\A|(?:published|received|accepted)[^\n]*\n)[A-Z][\w.& -]{1,60}\(?(?:19|20)\d\d\)?[;,: ]{1,3}\d",
    re.IGNORECASE,
)
"""Words of an imprint, or a journal with year and volume at the beginning."""
_CITATION = re.compile(r"[A-Z][\w.& -]{1,60}\(?(?:19|20)\d\d\)?[;,: ]{1,3}\d")
"""A journal with year and volume."""
_LABEL = re.compile(
    r"(?>https?://\S{0,120}?(?:doi\.org/|/doi/(?:\w+/)?)|https?://|[\w.]{1,60}/(?:cgi/)?doi/|doi\.org/|\bdoi\b"
    r"|digital object identifier(?: no\.?)?|preprint|arxiv\.org/(?:abs|pdf)/|\barxiv\b|[\s:.|•·,;()\[\]–—-])*+",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?]\s+(?=[A-Z])")
_BAND_SHARE = 0.13
"""Share of the page's height, at the top and at the bottom, that counts as its head and foot."""
_SMALL_PRINT_DIFFERENCE_PT = 0.6
_MIN_TEXT_WORDS = 12
_MIN_PROSE_WORDS = 30
_MAX_WORDS_BEFORE = 6
_MAX_WORDS_AFTER = 8
_MIN_TITLE_KEY = 12
_MAX_PASSAGE_CHARS = 4000


def page_passages(
    page: PdfPage, body: PageBody, others: Set[Line], begin: Line | None, style: Style
) -> Iterator[PrintedLines]:
    """What may name the paper's own id on one page, most of it small print that is no part of the text.

    `others` are lines that cannot: those of the abstract, the reference list and other parts of the text.
    `begin` is the first line of the text, `None` if it is on another page.
    """
    if page.marginal:
        yield PrintedLines((clean_text(page.marginal),), PageRegion.STAMP)
    for line in body.running:
        yield PrintedLines((clean_text(line.text),), PageRegion.REPEATED)
    is_before = True
    for part in page_parts(body, style):
        is_before = is_before and begin not in part.lines
        if part.label or any(line in others for line in part.lines):
            continue
        heights = [line.y / body.height for line in part.lines]
        is_small = part.lines[0].size < style.size - _SMALL_PRINT_DIFFERENCE_PT
        # Some files draw the head last.
        if (is_before and max(heights) > _BAND_SHARE) or min(heights) > 1 - _BAND_SHARE:
            yield _passage(part, PageRegion.HEAD, style)
        elif is_small or max(heights) < _BAND_SHARE:
            yield _passage(part, PageRegion.FOOT, style)


def _passage(part: PdfBlock, place: PageRegion, style: Style) -> PrintedLines:
    lines = tuple(clean_text(line.text) for line in part.lines)
    words = sum(len(line.split()) for line in lines)
    has_face_of_text = (
        abs(part.lines[0].size - style.size) <= _SMALL_PRINT_DIFFERENCE_PT and part.lines[0].font == style.font
    )
    is_prose = words >= _MIN_PROSE_WORDS and _IMPRINT.search("\n".join(lines)) is None
    return PrintedLines(lines, place, is_prose or (has_face_of_text and words >= _MIN_TEXT_WORDS))


def find_ids(passages: Iterable[PrintedLines], stated: Sequence[str], title: str) -> PdfIds:
    """The ids that `passages` of the first page print, and those that the metadata state (`stated`)."""
    found: dict[PaperId, PageRegion] = {}
    doubtful: list[PaperId] = []
    for passage in passages:
        for paper_id, is_own in _judge(passage, title_key(title)):
            if is_own:
                found[paper_id] = min(passage.place, found.get(paper_id, passage.place))
            else:
                doubtful.append(paper_id)
    in_metadata = _stated_ids(stated)
    own: list[PaperId] = []
    for scheme in dict.fromkeys(scheme_of(paper_id) for paper_id in (*found, *in_metadata)):
        printed = {paper_id: place for paper_id, place in found.items() if scheme_of(paper_id) == scheme}
        named = [paper_id for paper_id in in_metadata if scheme_of(paper_id) == scheme]
        own += _choose(printed, named)
        doubtful += [*printed, *named]
    stamps = {scheme_of(paper_id) for paper_id, place in found.items() if place == PageRegion.STAMP}
    unverified = [paper_id for paper_id in doubtful if paper_id not in own and scheme_of(paper_id) not in stamps]
    return PdfIds(rank_ids(own), rank_ids(paper_id for paper_id in unverified if not _is_part(paper_id, own)))


def _choose(printed: dict[PaperId, PageRegion], named: Sequence[PaperId]) -> list[PaperId]:
    """The one id of a scheme that is the paper's; none where several have the same right."""
    best = min(printed.values(), default=None)
    choice = [paper_id for paper_id, place in printed.items() if place == best] or list(named)
    # `10.7554/eLife.00666.001` is a part of the paper `10.7554/eLife.00666`.
    choice = [paper_id for paper_id in choice if not _is_part(paper_id, choice)]
    if len(choice) > 1:
        choice = [paper_id for paper_id in choice if paper_id in named]
    return choice if len(choice) == 1 else []


def _is_part(paper_id: PaperId, others: Sequence[PaperId]) -> bool:
    return any(paper_id.startswith(f"{other}.") for other in others)


def _judge(passage: PrintedLines, title: str) -> Iterator[tuple[PaperId, bool]]:
    """Each id of `passage` that may be the paper's, and whether it is."""
    text = _mend("\n".join(passage.lines)[:_MAX_PASSAGE_CHARS])
    has_title = len(title) >= _MIN_TITLE_KEY and title in title_key(text)
    for mention in _mentions(text, passage.place):
        is_own = _is_own(passage, text, mention, has_title=has_title)
        if is_own is not None:
            yield mention.id, is_own


def _is_own(passage: PrintedLines, text: str, mention: _Mention, *, has_title: bool) -> bool | None:
    """Whether an id is the paper's own, where it may be; `None` where it is another work's, or nothing tells."""
    if passage.place in (PageRegion.STAMP, PageRegion.REPEATED):
        return True
    sentence = _sentence_before(text, mention.start)
    if _OF_ITSELF.search(sentence) or _OF_ITSELF.search(text[: mention.end].replace("\n", " ")):
        return True
    if _FOREIGN.search(sentence):
        return None
    if has_title:
        return True
    if _is_of_other_work(passage, text, mention):
        return None
    if _CITES.search(text) or _BOOK_DOI.fullmatch(bare_key(mention.id)):
        return False
    return True if _stands_alone(passage, text, mention) else None


def _is_of_other_work(passage: PrintedLines, text: str, mention: _Mention) -> bool:
    if passage.place == PageRegion.FOOT:
        return _NOTE_MARK.match(text) is not None or bare_key(mention.id).startswith(_DATA_PREFIXES)
    return _RAISED_MARK.match(text) is not None


def _stands_alone(passage: PrintedLines, text: str, mention: _Mention) -> bool:
    """Whether an id has a line of its own or stands in an imprint, not in a sentence."""
    line_start = text.rfind("\n", 0, mention.start) + 1
    line_end = text.find("\n", mention.end)
    before = text[line_start : mention.start]
    after = text[mention.end : line_end if line_end >= 0 else len(text)]
    is_labelled = _LABEL.fullmatch(before) is not None and not _FOREIGN.search(after)
    is_bare = is_labelled and _LABEL.fullmatch(after) is not None
    if passage.is_text:
        return is_bare and "\n" not in text
    has_few_words = len(before.split()) <= _MAX_WORDS_BEFORE and len(after.split()) <= _MAX_WORDS_AFTER
    if passage.place == PageRegion.HEAD:
        return has_few_words or _IMPRINT.search(text[line_start:]) is not None
    is_imprint = _IMPRINT.search(text) is not None
    has_citation = _CITATION.match(before) is not None
    return (is_bare and "\n" not in text) or (is_imprint and (is_labelled or has_few_words or has_citation))


def _sentence_before(text: str, position: int) -> str:
    """What stands before `position` in its sentence, on one line."""
    before = text[:position]
    ends = [match.end() for match in _SENTENCE_END.finditer(before)]
    return before[ends[-1] if ends else 0 :].replace("\n", " ")


def _mend(text: str) -> str:
    for pattern, whole in _BROKEN_DOIS:
        text = pattern.sub(whole, text)
    return text


def _mentions(text: str, place: PageRegion) -> Iterator[_Mention]:
    for match in _DOI.finditer(text):
        paper_id = _whole_doi(match, text)
        if paper_id is not None:
            yield _Mention(paper_id, match.start(), match.end())
    patterns = [(_ARXIV, parse_arxiv), (_PMID, parse_pmid), (_PMC, parse_pmc)]
    if place == PageRegion.HEAD:
        patterns.append((_OLD_ARXIV, parse_arxiv))
    for pattern, parse in patterns:
        for match in pattern.finditer(text):
            if (paper_id := parse(match[1])) is not None:
                yield _Mention(paper_id, match.start(), match.end())
    yield from _mentions_in_urls(text)


def _mentions_in_urls(text: str) -> Iterator[_Mention]:
    for match in _URL.finditer(text):
        paper_id = recognize_id(match.group())
        if paper_id is not None and scheme_of(paper_id) not in ("doi", "arxiv"):
            yield _Mention(paper_id, match.start(), match.end())


def _whole_doi(match: re.Match[str], text: str) -> PaperId | None:
    """The id of a DOI; `None` where it was cut off, or is none of a paper."""
    printed = match.group()
    rest = text[match.end() :]
    # It goes on behind the line's end, and nobody can say how far.
    if printed.endswith(("-", "/", "_", "(", ".")) and rest[:1] in ("\n", " ") and _continues(printed, rest[1:]):
        return None
    if printed[-1].isdigit() and _MORE_DIGITS.match(rest):
        return None
    paper_id = parse_doi(_ADDRESS_END.sub("", printed))
    if paper_id is None or scheme_of(paper_id) != "doi":
        return paper_id
    key = bare_key(paper_id)
    suffix = key.partition("/")[2]
    is_placeholder = key in _TEMPLATE_DOIS or _PLACEHOLDER.search(suffix) is not None or key.startswith(_FUNDERS)
    if is_placeholder or not any(character.isdigit() for character in suffix):
        return None
    return None if printed.endswith(("-", "/", "_", "(")) else paper_id


def _continues(printed: str, rest: str) -> bool:
    """Whether `rest` begins with more of a DOI: behind a stop only what can begin no sentence."""
    if not printed.endswith("."):
        return rest[:1].isalnum()
    return rest[:1].islower() or rest[:1].isdigit()


def _stated_ids(stated: Iterable[str]) -> list[PaperId]:
    """Ids in texts of the metadata, each of which names exactly one."""
    ids: list[PaperId] = []
    for text in stated:
        text = text[:_MAX_PASSAGE_CHARS]
        mentions = list(dict.fromkeys(mention.id for mention in _mentions(text, PageRegion.FOOT)))
        ids += mentions if len(mentions) == 1 else []
    return [paper_id for paper_id in dict.fromkeys(ids) if not _BOOK_DOI.fullmatch(bare_key(paper_id))]
