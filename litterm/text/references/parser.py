"""Parses the fields of a printed reference: authors, year, title and ids, as far as they are recognised."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from litterm.model.document import Reference
from litterm.model.paper import PaperId
from litterm.text.references.identity import make_id

_LABEL = re.compile(
    r"\s*(?:\[(?P<bracket>[^\]\s]{1,20}(?: et al\.?[^\]]{0,8})?)\]|\(?(?P<number>\d{1,3})[.)\]]"
    r"|(?P<bare>\d{1,3})(?=\s+[A-Z]))\s*"
)
_YEAR = r"(?:1[89]|20)\d\d"
# From the surest sign of a year to the weakest: a number of a page or a volume must not be taken for one.
_YEARS = (
    re.compile(rf"\((?:[A-Z][a-z]+\.?,? )?({_YEAR})[a-z]?(?:,? [A-Z][a-z]+\.?(?: \d\d?)?)?\)"),
    re.compile(rf"[.,;:]\s+({_YEAR})[a-z]?\s*[.,;:](?!\d)"),
    re.compile(rf"(?<![\d./-])({_YEAR})[a-z]?(?=\s*;|\.?\s*$)"),
    re.compile(rf"(?<![\d./:–-])\b({_YEAR})[a-z]?\b(?![–-]?\d)"),
)
# DOIs of old articles hold a SICI with brackets: `10.1002/(sici)1096-9861(19960129)365:1<113::aid-cne9>3.0.co;2-6`.
_DOI = re.compile(r"\b10\.\d{4,9}/(?:\(sici\)[^\s\"]+|[^\s\"<>]+)", re.IGNORECASE)
_ARXIV = re.compile(
    r"\b(?:arxiv(?:\.org/(?:abs|pdf)/|\s*[:.]\s*|\s+preprint\s+arxiv\s*:?\s*)|corr[,:]?\s+abs/)((?:\d{4}\.\d{4,5})|(?:[a-z-]+(?:\.[a-z]{2})?/\d{7}))",
    re.IGNORECASE,
)
_PMID = re.compile(r"\b(?:PMID|PubMed(?:\.ncbi\.nlm\.nih\.gov)?)(?::?\s*|/)(\d{5,9})\b", re.IGNORECASE)
_PMC = re.compile(r"\b(?:PMCID:?\s*(?:PMC\s?)?|PMC)(\d{5,9})\b", re.IGNORECASE)
_ACL = re.compile(r"aclanthology\.org/([A-Z]\d\d-\d{4}|(?:19|20)\d\d\.[a-z0-9_-]+\.\d+)")
_QUOTED = re.compile(r"[“\"]([^”\"]{12,300}?)[.,?!]?[”\"]")
_SEGMENT_BREAK = re.compile(
    r"(?<=[^\sA-Z.][^\sA-Z.])[.?!]\s+(?=[A-Z0-9“\"'(])"
    # Initials behind the last name: `Vyas DS. Ocimum sanctum`.
    r"|(?:(?<=[a-z]\s[A-Z])|(?<=[a-z]\s[A-Z]{2})|(?<=[a-z]\s[A-Z]{3}))\.\s+(?=[A-Z][a-z]+ [a-z])"
)
_INITIALS = re.compile(r"(?:[A-Z]\.?[\s-]*){1,4}")
_TRAILING_INITIALS = re.compile(r"(?P<family>[^\d,]+?)(?<!\s)\s++(?:[A-Z]{1,4}|(?:[A-Z]\.[\s-]*){1,4})")
_LEADING_INITIALS = re.compile(r"(?:[A-Z]\.[\s-]*){1,4}(?P<family>[^\d,.]+)")
# Blanks are looked at once, from where they begin: a line of nothing else would take the square of its length.
_SEPARATOR = re.compile(r"(?:(?<!\s)\s+)?+(?:,\s*(?:and|&|und|et)\s+|[,;·•]\s*)|(?<!\s)\s+(?:and|&|und|et|with)\s+")
_INVERTED = re.compile(
    r"[^\W\d_][\w'’-]+, [A-ZÀ-Þ][^\W\d_]+(?:[- ][A-ZÀ-Þ][\w.]*){0,2}(?=$|,? (?:and|&) |, [A-ZÀ-Þ][\w.-]+ [A-ZÀ-Þ])"
)
_PARTICLES = frozenset("van von der den de del della di da dos du la le ten ter zu al el ben bin".split())
_MAX_NAMES = 60
_CACHE_SIZE = 4096
"""Entries whose fields are held: an entry is read to find its target, and again to tell what could change that."""


@dataclass(frozen=True, slots=True)
class Fields:
    """The fields of a printed reference."""

    label: str = ""
    families: tuple[str, ...] = ()
    year: int | None = None
    title: str = ""
    titles: tuple[str, ...] = ()
    """Every part of the text that may be the title, the most likely first."""
    ids: tuple[PaperId, ...] = ()
    authors: str = ""
    """What stands before title and year: the names, as printed."""
    rest: str = ""
    """What stands behind the title: where and when it appeared."""


@lru_cache(maxsize=_CACHE_SIZE)
def read_reference(text: str) -> Fields:
    """The fields of one entry of a reference list."""
    label, body = _read_label(text)
    year, year_start, year_end = _read_year(body)
    titles = _read_titles(body, year_start, year_end)
    authors = _find_authors(body, year_start, titles[0] if titles else "")
    title = titles[0] if titles else ""
    rest = body[body.find(title) + len(title) :] if title else ""
    return Fields(label, _read_families(authors), year, title, titles, read_ids(body), authors, rest)


def fill_fields(reference: Reference) -> Reference:
    """`reference` with fields parsed from its text where the source gave none."""
    fields = read_reference(reference.text)
    return replace(
        reference,
        label=reference.label or fields.label,
        families=reference.families or fields.families,
        year=reference.year or fields.year,
        title=reference.title or fields.title,
        ids=reference.ids or fields.ids,
    )


def _read_label(text: str) -> tuple[str, str]:
    match = _LABEL.match(text)
    if match is None:
        return "", text.strip()
    return match["bracket"] or match["number"] or match["bare"], text[match.end() :].strip()


def _read_year(body: str) -> tuple[int | None, int, int]:
    for pattern in _YEARS:
        if match := pattern.search(body):
            return int(match[1]), match.start(), match.end()
    return None, -1, -1


def _read_titles(body: str, year_at: int, year_end: int) -> tuple[str, ...]:
    candidates: list[str] = []
    if quoted := _QUOTED.search(body):
        candidates.append(quoted[1])
    early = 0 < year_at < 0.6 * len(body) and not _is_title_like(body[:year_at])
    if early:
        candidates += _split_segments(body[year_end:])[:2]
    segments = _split_segments(body)
    candidates += segments[1:3] + segments[:1] if not early else segments
    seen: dict[str, None] = {}
    for candidate in candidates:
        title = candidate.strip(" .,;:“”\"'")
        if len(title) > 11 and sum(map(str.isalpha, title)) > 0.6 * len(title):
            seen.setdefault(title)
    return tuple(seen)[:5]


def _split_segments(text: str) -> list[str]:
    return [piece for piece in _SEGMENT_BREAK.split(text.lstrip(" .,;:)")) if piece.strip()]


def _is_title_like(text: str) -> bool:
    """A year may be at the end of `authors. title. journal, 1999`: then much before it is in small letters."""
    words = text.split()
    small = sum(1 for word in words if word.islower() and word not in ("and", "et", "al.", "und") and len(word) > 2)
    return small > 4


def _find_authors(body: str, year_at: int, title: str) -> str:
    start = body.find(title) if title else -1
    ends = [position for position in (year_at, start) if position > 0]
    return body[: min(ends)] if ends else ""


def _read_families(authors: str) -> tuple[str, ...]:
    text = re.sub(r"\b(?:et al\.?|eds?\.|editors?)|[()]", " ", authors).strip(' .,;:“"')
    parts = [part.strip(' .,;:“"') if len(part) > 3 else part.strip() for part in _SEPARATOR.split(text)[:_MAX_NAMES]]
    parts = [part for part in parts if part and not part.isdigit()]
    if _INVERTED.match(text):
        # `Geffet, Maayan and Ido Dagan`: only the first name is turned round.
        parts = parts[:1] + parts[2:]
        return (parts[0], *(_read_family(part, whole=False) for part in parts[1:]))
    if not parts or any(len(part.split()) > 6 for part in parts):
        return ()
    names = [part for part in parts if not _INITIALS.fullmatch(part)]
    separate_count = len(parts) - len(names)
    return tuple(_read_family(part, whole=separate_count > 0 and separate_count >= len(parts) // 3) for part in names)


def _read_family(name: str, *, whole: bool) -> str:
    """The family name in one name; with `whole`, all of it is the family name, as the given names are elsewhere."""
    if match := _LEADING_INITIALS.fullmatch(name):
        return match["family"].strip()
    if match := _TRAILING_INITIALS.fullmatch(name):
        return match["family"].strip()
    words = name.split()
    if whole or len(words) == 1:
        return name
    first = len(words) - 1
    if first > 1 and re.fullmatch(r"(?:Jr|Sr|I{1,3}|IV)\.?", words[first]):
        first -= 1
    while first > 0 and words[first - 1].casefold() in _PARTICLES:
        first -= 1
    return " ".join(words[first:])


def read_ids(body: str) -> tuple[PaperId, ...]:
    """The ids that a printed reference names."""
    ids: list[PaperId | None] = []
    # A line end often splits a DOI behind its prefix.
    joined_body = re.sub(r"(?<=10\.\d{4}/)\s+", "", body)
    ids += [make_id("acl", match[1]) for match in _ACL.finditer(body)]
    ids += [make_id("doi", match.group().rstrip(".,;:)]}")) for match in _DOI.finditer(joined_body)]
    ids += [make_id("arxiv", match[1]) for match in _ARXIV.finditer(body)]
    ids += [make_id("pmid", match[1]) for match in _PMID.finditer(body)]
    ids += [make_id("pmc", match[1]) for match in _PMC.finditer(body)]
    return tuple(dict.fromkeys(paper_id for paper_id in ids if paper_id is not None))
