"""Holds an entry against the record of its work, field by field; nothing is looked up here.

What is certain is a fault. Another way to write the same, and what may have a good reason, is none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final

from litterm.model.attribution.bibliography import DifferenceDegree, FieldDifference
from litterm.model.paper import Author, Paper, PaperId
from litterm.text.references.author_lists import AuthorComparison, compare_authors
from litterm.text.references.identity import bare_key, key_in, numerals, paper_ids, scheme_of, title_key
from litterm.text.references.same_paper import titles_agree
from litterm.text.references.venues import is_preprint_venue
from litterm.text.tokens import words

_PAGES: Final = re.compile(r"([A-Za-z]?)(\d{1,6})\s?(?:[–—‐‑-]{1,3}\s?([A-Za-z]?)(\d{1,6}))?")
_MIRRORS: Final = (
    # Copies and preprints have DOIs of their own: ACM's library, archives of data, preprint servers, societies.
    *("10.5555/", "10.5281/", "10.6084/", "10.13140/", "10.2139/", "10.1101/", "10.21203/", "10.26434/", "10.31234/"),
    *("10.31219/", "10.36227/", "10.20944/", "10.48550/", "10.17863/", "10.3929/", "10.18419/", "10.15480/"),
)
_MIN_WORDS_RATIO: Final = 0.55
"""Words in common, of all words of both titles, from which one title is the other with words changed."""
_MAX_NAMES_SHOWN: Final = 8
_MIN_MISREAD: Final = 40.0
"""Likeness of two family names, 0 to 100, from which one may be the other misread by a scanner."""
_LAST_PRINTED_YEAR: Final = 2010
"""From then on proceedings of conferences appear online, under one pagination."""


@dataclass(frozen=True, slots=True)
class Anchors:
    """What ties an entry to a record beside its title and authors."""

    has_id: bool
    """An id of the entry is one of the record."""
    has_pages: bool
    """Both name the same first and last page, of a range."""
    venue: bool | None
    """Whether the venues agree; `None` where one of them is not stated."""
    is_preprint: bool
    """Whether the entry names a preprint server, or nothing but a preprint's id."""

    @property
    def is_firm(self) -> bool:
        """Whether the entry describes just this publication, whatever else it says."""
        return self.has_id or self.has_pages


VenueTest = Callable[[str, Paper], bool | None]
"""Whether the venue of an entry, as it is written, is the record's; `None` where that cannot be told."""


def anchors_of(entry: Paper, record: Paper, same_venue: VenueTest) -> Anchors:
    """What ties `entry` to `record`."""
    known = {f"{scheme_of(one)}:{bare_key(one)}" for one in paper_ids(record)}
    own = {f"{scheme_of(one)}:{bare_key(one)}" for one in paper_ids(entry) if scheme_of(one) != "local"}
    first, second = read_pages(entry.imprint.pages), read_pages(record.imprint.pages)
    has_pages = first is not None and first == second and bool(first[1])
    venue = entry_venue(entry)
    is_preprint = is_preprint_entry(entry)
    return Anchors(bool(known & own), has_pages, same_venue(venue, record) if venue else None, is_preprint)


def entry_venue(entry: Paper) -> str:
    """Where an entry says that it appeared, in its own words."""
    return entry.imprint.booktitle or entry.imprint.journal or entry.venue


def is_preprint_entry(entry: Paper) -> bool:
    """Whether an entry cites a preprint: it names a server, or an arXiv id and no venue."""
    venue = entry_venue(entry)
    if venue:
        return is_preprint_venue(venue)
    return entry.type == "preprint" or bool(key_in(entry, "arxiv"))


def is_published(record: Paper) -> bool:
    """Whether a record is of something that appeared: no preprint, and no refused submission."""
    venue = record.imprint.booktitle or record.imprint.journal or record.venue
    has_appeared = bool(venue) and not is_preprint_venue(venue) and record.type != "preprint"
    return has_appeared and record.decision in ("", "accept")


def find_differences(
    entry: Paper, record: Paper, anchors: Anchors, *, is_printed: bool = False, printed: str = ""
) -> tuple[FieldDifference, ...]:
    """The fields in which `entry` is not as `record` and what its sources state; `printed` is its text, if any."""
    statements = [record, *(source.paper for source in record.sources)]
    found = [
        *_shortest(_title(entry, one, anchors, printed) for one in statements),
        *_shortest(_authors(entry, one, anchors, printed, is_printed=is_printed) for one in statements),
    ]
    # A preprint has a year of its own, and no pages.
    if anchors.is_preprint and not anchors.has_pages:
        return tuple(found)
    found += _shortest(_year(entry, one, anchors) for one in statements)
    found += _shortest(_venue(entry, one, anchors, is_printed=is_printed) for one in statements)
    found += _shortest(_pages(entry, one, anchors) for one in statements)
    found += _shortest(_volume(entry, one, anchors) for one in statements)
    return (*found, *_doi(entry, record, anchors))


def _shortest(several: Iterable[list[FieldDifference]]) -> list[FieldDifference]:
    """What differs from the source that differs least."""
    return min(several, key=lambda found: (sum(item.is_certain for item in found), len(found)))


# Titles.


def word_overlap(one: str, other: str) -> float:
    """Words in common, of all words of both titles: 0 to 1."""
    first, second = words(one), words(other)
    rest, common = list(second), 0
    for word in first:
        if word in rest:
            rest.remove(word)
            common += 1
    return 2 * common / (len(first) + len(second)) if first and second else 0.0


def _title(entry: Paper, record: Paper, anchors: Anchors, printed: str) -> list[FieldDifference]:
    one, other = title_key(entry.title), title_key(record.title)
    if not one or not other or one == other or other in title_key(printed):
        return []
    if titles_agree(entry.title, record.title):
        degree: DifferenceDegree = "spelling" if len(words(entry.title)) == len(words(record.title)) else "subtitle"
        return [FieldDifference("title", degree, entry.title, record.title, is_certain=False)]
    is_damaged = bool(printed) or _holds_formula(entry.title) or _holds_formula(record.title)
    changed = _changed_words(entry.title, record.title)
    if all(_is_near_word(stated, known) for stated, known in changed):
        return [FieldDifference("title", "spelling", entry.title, record.title, is_certain=False)]
    overlap = word_overlap(entry.title, record.title)
    if one in other or other in one:
        return [FieldDifference("title", "subtitle", entry.title, record.title, is_certain=False)]
    degree = "words" if overlap >= _MIN_WORDS_RATIO else "other title"
    is_changed_preprint = anchors.is_preprint
    return [
        FieldDifference(
            "title", degree, entry.title, record.title, is_certain=not is_damaged and not is_changed_preprint
        )
    ]


def _changed_words(one: str, other: str) -> list[tuple[str, str]]:
    """The stretches of words, joined, in which two titles differ."""
    first, second = words(one), words(other)
    codes = SequenceMatcher(None, first, second, autojunk=False).get_opcodes()
    changed = [("".join(first[a:b]), "".join(second[c:d])) for tag, a, b, c, d in codes if tag != "equal"]
    return [pair for pair in changed if pair[0] != pair[1]]


def _is_near_word(one: str, other: str) -> bool:
    """Whether two words are one but for a letter, or two that changed places."""
    if min(len(one), len(other)) < 4 or any(character.isdigit() for character in one + other):
        return False
    from rapidfuzz.distance import OSA

    return OSA.distance(one, other, score_cutoff=1) <= 1


def _holds_formula(title: str) -> bool:
    return any(sign in title for sign in "$\\^_{}<>")


# Authors.


def _authors(entry: Paper, record: Paper, anchors: Anchors, printed: str, *, is_printed: bool) -> list[FieldDifference]:
    stated, known = entry.authors, record.authors
    if not stated or not known or any(author.is_literal for author in (*stated, *known)):
        return []
    compared = compare_authors(stated, known, is_cut=entry.has_more_authors, is_known_cut=record.has_more_authors)
    if compared.is_equal:
        return []
    if not compared.matched:
        return [_names_difference("other authors", entry, record, compared, is_certain=not is_printed)]
    if anchors.is_preprint or (anchors.venue is False and not anchors.is_firm):
        # Another version may have other authors; one with nearly nobody in common is none.
        degree = _degree(compared)
        is_certain = not is_printed and 2 * len(compared.invented) > len(stated)
        return [_names_difference(degree, entry, record, compared, is_certain=is_certain)]
    if is_printed:
        return _printed_authors(entry, record, compared, printed)
    degree = _degree(compared)
    is_certain = degree not in ("given name", "spelling")
    is_certain = is_certain or (degree == "given name" and _is_other_given(compared, entry, record))
    return [_names_difference(degree, entry, record, compared, is_certain=is_certain)]


def _degree(compared: AuthorComparison) -> DifferenceDegree:
    """The gravest of what differs."""
    degrees: tuple[tuple[DifferenceDegree, bool], ...] = (
        ("invented", bool(compared.invented)),
        ("missing", bool(compared.missing)),
        ("order", compared.is_reordered),
        ("given name", bool(compared.misnamed)),
    )
    return next((degree for degree, differs in degrees if differs), "spelling")


def _printed_authors(entry: Paper, record: Paper, compared: AuthorComparison, printed: str) -> list[FieldDifference]:
    """Of running text: whoever was not recognised there may stand there all the same, misread or cut apart."""
    text = title_key(printed)
    unread = [place for place in compared.missing if title_key(record.authors[place].family) not in text]
    if compared.invented:
        # Names that were cut apart at the wrong place have no given name, or one of many words.
        is_clean = all(_is_clean_name(author) for author in entry.authors)
        is_certain = is_clean and bool(unread or entry.has_more_authors) and not _are_misread(entry, record, compared)
        return [_names_difference("invented", entry, record, compared, is_certain=is_certain)]
    is_whole = compared.matched == len(entry.authors) > 1
    if unread:
        is_certain = is_whole and not entry.has_more_authors and len(unread) < 3
        return [_names_difference("missing", entry, record, compared, is_certain=is_certain)]
    if compared.missing:
        return []
    degree: DifferenceDegree = "order" if compared.is_reordered else "spelling"
    return [_names_difference(degree, entry, record, compared, is_certain=degree == "order" and is_whole)]


def _is_clean_name(author: Author) -> bool:
    name = f"{author.given}{author.family}"
    letters = sum(character.isalpha() for character in name)
    is_name = author.family[:1].isupper() and bool(author.given) and len(author.given.split()) < 4
    return is_name and letters >= 0.8 * len(name)


def _are_misread(entry: Paper, record: Paper, compared: AuthorComparison) -> bool:
    """Whether each name that the record lacks may be that of somebody there, its letters misread."""
    from rapidfuzz import fuzz

    missing = [record.authors[place] for place in compared.missing]
    return all(
        any(
            title_key(one.given)[:1] == title_key(other.given)[:1]
            and fuzz.ratio(title_key(one.family), title_key(other.family)) >= _MIN_MISREAD
            for other in missing
        )
        for one in (entry.authors[place] for place in compared.invented)
    )


def _is_other_given(compared: AuthorComparison, entry: Paper, record: Paper) -> bool:
    """Whether given names begin with other letters: two ways to write one name from another script rarely do."""
    pairs = ((entry.authors[one].given, record.authors[other].given) for one, other in compared.misnamed)
    return any(title_key(one)[:1] != title_key(other)[:1] for one, other in pairs)


def _names_difference(
    degree: DifferenceDegree, entry: Paper, record: Paper, compared: AuthorComparison, *, is_certain: bool
) -> FieldDifference:
    """With the names that differ, or all of them where their order does."""
    if degree in ("order", "other authors"):
        ours: Sequence[Author] = entry.authors
        theirs: Sequence[Author] = record.authors
    else:
        pairs = (*compared.misnamed, *compared.misspelt)
        ours = [entry.authors[place] for place in (*compared.invented, *(one for one, _ in pairs))]
        theirs = [record.authors[place] for place in (*compared.missing, *(other for _, other in pairs))]
    return FieldDifference("authors", degree, _listed(ours), _listed(theirs), is_certain=is_certain)


def _listed(authors: Sequence[Author]) -> str:
    names = [f"{author.given} {author.surname}".strip() for author in authors]
    shown = names[:_MAX_NAMES_SHOWN]
    return "; ".join([*shown, *([f"{len(names) - len(shown)} more"] if len(names) > len(shown) else [])])


# Year, venue, pages, volume.


def _year(entry: Paper, record: Paper, anchors: Anchors) -> list[FieldDifference]:
    if entry.year is None or record.year is None or entry.year == record.year:
        return []
    # Journals put an article online in one year and print it in the next; of conferences the year is the year.
    is_journal = record.type == "article" and not record.id.startswith("acl:")
    is_near = abs(entry.year - record.year) == 1
    is_this = anchors.is_firm or bool(anchors.venue)
    is_certain = is_this and not (is_near and is_journal) and not anchors.is_preprint
    return [FieldDifference("year", "other", str(entry.year), str(record.year), is_certain=is_certain)]


def _venue(entry: Paper, record: Paper, anchors: Anchors, *, is_printed: bool) -> list[FieldDifference]:
    if anchors.venue is not False:
        return []
    known = record.imprint.booktitle or record.imprint.journal or record.venue
    is_certain = not is_printed and anchors.is_firm and not anchors.is_preprint and is_published(record)
    return [FieldDifference("venue", "other", entry_venue(entry), known, is_certain=is_certain)]


def read_pages(text: str) -> tuple[str, str] | None:
    """First and last page, `last` completed where it is shortened (`263-73`) and empty of one page; `None` of neither.

    Letters in front (`S12`) are kept.
    """
    match = _PAGES.search(text)
    if match is None:
        return None
    lead, first, last_lead, last = match[1].lower(), match[2].lstrip("0"), (match[3] or "").lower(), match[4] or ""
    last = last.lstrip("0")
    if last and len(last) < len(first):
        last = first[: len(first) - len(last)] + last
    return f"{lead}{first}", f"{last_lead or lead}{last}" if last and last != first else ""


def _pages(entry: Paper, record: Paper, anchors: Anchors) -> list[FieldDifference]:
    stated, known = read_pages(entry.imprint.pages), read_pages(record.imprint.pages)
    if stated is None or known is None or stated == known or (stated[0] == known[0] and not (stated[1] and known[1])):
        return []
    # The same number of pages from another page on: the volume was paginated twice, for print and for what came later.
    is_printed_volume = record.year is not None and record.year < _LAST_PRINTED_YEAR
    is_shifted = is_printed_volume and _extent(stated) == _extent(known) and stated[0] != known[0]
    is_certain = (anchors.has_id or bool(anchors.venue)) and not anchors.is_preprint and not is_shifted
    return [FieldDifference("pages", "other", entry.imprint.pages, record.imprint.pages, is_certain=is_certain)]


def _extent(pages: tuple[str, str]) -> int:
    """Pages from the first to the last; 0 of one page, or where they are no numbers."""
    return int(pages[1]) - int(pages[0]) if pages[0].isdecimal() and pages[1].isdecimal() else 0


def _volume(entry: Paper, record: Paper, anchors: Anchors) -> list[FieldDifference]:
    stated, known = entry.imprint.volume.strip(), record.imprint.volume.strip()
    if entry.type != "article" or not record.imprint.journal or not (stated.isdecimal() and known.isdecimal()):
        return []
    if stated.lstrip("0") == known.lstrip("0"):
        return []
    is_certain = anchors.has_id or bool(anchors.venue)
    return [FieldDifference("volume", "other", stated, known, is_certain=is_certain)]


# Ids.


def _doi(entry: Paper, record: Paper, anchors: Anchors) -> list[FieldDifference]:
    """A DOI that the record does not have, where it has one; where it leads is looked up by the caller."""
    stated = [one for one in paper_ids(entry) if scheme_of(one) == "doi"]
    known = [one for one in paper_ids(record) if scheme_of(one) == "doi"]
    known += [one for source in record.sources for one in paper_ids(source.paper) if scheme_of(one) == "doi"]
    keys = {bare_key(one) for one in known}
    # An address may have the right one beside a wrong one.
    strange = [one for one in stated if bare_key(one) not in keys]
    if not strange or not known:
        return []
    is_mirror = any(_key(one).startswith(_MIRRORS) for one in (*strange, *known))
    is_certain = not is_mirror and not anchors.is_preprint and (anchors.is_firm or bool(anchors.venue))
    return [FieldDifference("id", "other", _key(strange[0]), _key(known[0]), is_certain=is_certain)]


def _key(paper_id: PaperId) -> str:
    return paper_id.partition(":")[2]


def have_equal_numerals(one: str, other: str) -> bool:
    """Whether two titles name the same numbers: `GPT-3` is not `GPT-4`, nor 2019 2020."""
    return numerals(one) == numerals(other)
