"""Check of a bibliography: which record each entry means, and in what it differs from it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from litterm.attribution.bibliographies.coverage import EXPECTED, KnownVenues
from litterm.core.errors import UnknownPaper, UsageError
from litterm.core.tasks import Task
from litterm.interfaces import PaperSearcher, WorkLookup
from litterm.model.attribution.bibliography import (
    BibliographyEntry,
    CheckedEntry,
    EntryStatus,
    FieldDifference,
)
from litterm.model.events import Progress
from litterm.model.paper import Paper, PaperId
from litterm.render.names import venue_and_year
from litterm.text.queries.parser import literal_query
from litterm.text.references.author_lists import compare_authors
from litterm.text.references.field_differences import (
    Anchors,
    anchors_of,
    entry_venue,
    find_differences,
    have_equal_numerals,
    is_published,
    word_overlap,
)
from litterm.text.references.identity import is_generic, paper_ids, scheme_of, title_key
from litterm.text.references.same_paper import titles_agree
from litterm.text.references.venues import name_alike
from litterm.text.tokens import words

_BATCH: Final = 250
"""Entries that are looked up together."""
_MIN_TITLE_CHARS: Final = 8
_MIN_LIKE_TITLE: Final = 0.55
"""Words in common, of all words of both titles, from which a title may be another one with words changed."""
_MIN_SAME_TITLE: Final = 0.75
"""The same where neither id nor pages say that it is this publication."""
_MIN_WORDS: Final = 5
"""Words of a title that two works rarely share by chance."""
_MAX_LIKE: Final = 5
"""Papers by the same first author whose titles are nearest, looked at whole."""
_MAX_TITLES_SEARCHED: Final = 2
_MAX_FOUND: Final = 3
_MIN_LIKENESS: Final = 85.0
"""Likeness of two title keys, 0 to 100, from which one may be the other misread."""
_MIN_CLEAN_WORDS: Final = 4
_WHOLE_VOLUMES: Final = ("proceedings", "book")
_OF_PUBLICATION: Final = ("year", "venue", "id")
"""Fields that tell one publication of a work from another."""


@dataclass(frozen=True, slots=True)
class BibliographyChecker:
    """Entries held against the papers of the library, and those that it lacks against the starter library."""

    works: Callable[[], WorkLookup]
    starter_works: Callable[[], WorkLookup | None]
    """`None` where the starter library is not shown."""
    venues: Callable[[], Task[KnownVenues]]
    searcher: PaperSearcher

    def check(self, entries: Sequence[BibliographyEntry]) -> Task[tuple[CheckedEntry, ...]]:
        """The outcome of each entry, in order; says how many are done."""
        yield Progress("bibliography", 0, len(entries))
        venues = yield from self.venues()
        works, starter = self.works(), self.starter_works()
        checked: list[CheckedEntry] = []
        for start in range(0, len(entries), _BATCH):
            looked_up = _Lookup(works, entries[start : start + _BATCH], venues, "library").check()
            if starter is not None:
                looked_up = _filled(looked_up, starter, venues)
            for item in looked_up:
                checked.append((yield from self._search(item, venues)) if item.status == "not found" else item)
            yield Progress("bibliography", len(checked), len(entries))
        return tuple(checked)

    def _search(self, item: CheckedEntry, venues: KnownVenues) -> Task[CheckedEntry]:
        """One more look for what should be there: by the words of its title, which may be misprinted or misread."""
        entry = item.entry
        for title in _titles_of(entry)[:_MAX_TITLES_SEARCHED]:
            try:
                ranking = yield from self.searcher.search(literal_query(title), k=_MAX_FOUND)
            except UsageError:
                continue
            for paper in (ranked.paper for ranked in ranking.papers):
                if _is_title_misread(entry, paper) and not is_generic(paper.title):
                    match = _hold_against(entry, paper, venues)
                    if compare_authors(entry.paper.authors, paper.authors, is_cut=True).matched or entry.is_printed:
                        return outcome_of(entry, paper, match.anchors, match.differences, source="library")
        if entry.is_printed and not _is_clean(entry):
            # What was read badly is not called absent.
            return replace(item, status="outside coverage", note="The reference could not be read for certain.")
        return item


@dataclass(frozen=True, slots=True)
class Match:
    """A record that an entry may mean."""

    record: Paper
    anchors: Anchors
    differences: tuple[FieldDifference, ...]

    @property
    def rank(self) -> tuple[int, int, bool, str]:
        """Lower is nearer."""
        certain = sum(item.is_certain for item in self.differences)
        return (certain, len(self.differences), not is_published(self.record), self.record.id)


def match_of(entry: BibliographyEntry, record: Paper, venues: KnownVenues) -> Match | None:
    """`entry` held against a record that a service has given for it; `None` where it is of another work."""
    match = _hold_against(entry, record, venues)
    is_titled = title_key(record.title) in {title_key(title) for title in _titles_of(entry)}
    is_meant = _is_same_work(entry, match) if is_titled else match.anchors.has_id and _is_described(entry, record)
    return match if is_meant or _is_changed_title(entry, match) else None


def _hold_against(entry: BibliographyEntry, record: Paper, venues: KnownVenues) -> Match:
    stated = entry.paper
    if entry.is_printed:
        # Of its parts the one that is the record's title is the title.
        title = max((stated.title, *entry.titles), key=lambda part: word_overlap(part, record.title))
        stated = replace(stated, title=title)
    if entry.is_printed and name_alike(entry.text, record):
        # What stands behind the title is more than the venue, and may be cut at the wrong place.
        anchors = anchors_of(stated, record, lambda _name, _record: True)
    else:
        anchors = anchors_of(stated, record, venues.same_venue)
    found = find_differences(stated, record, anchors, is_printed=entry.is_printed, printed=entry.text)
    return Match(record, anchors, tuple(_settle(item, stated, record, venues) for item in found))


def _settle(difference: FieldDifference, stated: Paper, record: Paper, venues: KnownVenues) -> FieldDifference:
    """A venue of which every work is known, but not this one, is certainly another."""
    if difference.field != "venue" or difference.is_certain:
        return difference
    is_certain = is_published(record) and venues.lists_all(entry_venue(stated), stated.year)
    return replace(difference, is_certain=is_certain)


def _filled(checked: Sequence[CheckedEntry], starter: WorkLookup, venues: KnownVenues) -> list[CheckedEntry]:
    """`checked` with those that have no record as the starter library knows them, where it does."""
    absent = [item.entry for item in checked if item.record is None]
    known = iter(_Lookup(starter, absent, venues, "starter library").check())
    found = [next(known) if item.record is None else item for item in checked]
    # That the starter library lacks a work says nothing.
    return [new if new.record is not None else old for new, old in zip(found, checked, strict=True)]


class _Lookup:
    """One batch of entries, looked up together: planning takes most of the time of a statement."""

    def __init__(
        self, works: WorkLookup, entries: Sequence[BibliographyEntry], venues: KnownVenues, source: str
    ) -> None:
        self._works = works
        self._source = source
        self._entries = entries
        self._venues = venues
        self._papers: dict[PaperId, Paper] = {}

    def check(self) -> list[CheckedEntry]:
        """The outcome of each entry."""
        by_id = self._find_by_ids()
        by_title = self._find_by_titles()
        self._fetch(paper_id for found in (*by_id, *by_title) for paper_id in found)
        matches = [
            [*self._named(entry, ids), *self._titled(entry, titled)]
            for entry, ids, titled in zip(self._entries, by_id, by_title, strict=True)
        ]
        open_places = [place for place, found in enumerate(matches) if not found]
        for place, likes in zip(open_places, self._find_alike(open_places), strict=True):
            matches[place] = likes
        return [
            self._outcome(entry, found, [self._papers[one] for one in ids if one in self._papers])
            for entry, found, ids in zip(self._entries, matches, by_id, strict=True)
        ]

    def _find_by_ids(self) -> list[list[PaperId]]:
        stated = [_stated_ids(entry.paper) for entry in self._entries]
        found = iter(self._works.find([one for ids in stated for one in ids]))
        return [list(dict.fromkeys(one for _ in ids for one in next(found))) for ids in stated]

    def _find_by_titles(self) -> list[list[PaperId]]:
        titles = [_titles_of(entry) for entry in self._entries]
        found = iter(self._works.find_by_title([title for several in titles for title in several]))
        return [list(dict.fromkeys(one for _ in several for one in next(found))) for several in titles]

    def _fetch(self, ids: Iterable[PaperId]) -> None:
        missing = [paper_id for paper_id in dict.fromkeys(ids) if paper_id not in self._papers]
        try:
            self._papers |= dict(zip(missing, self._works.by_id(missing), strict=True))
        except UnknownPaper:
            # Written away by somebody else in between: each by itself.
            for paper_id in missing:
                try:
                    self._papers[paper_id] = self._works.by_id([paper_id])[0]
                except UnknownPaper:
                    continue

    def _named(self, entry: BibliographyEntry, ids: Sequence[PaperId]) -> list[Match]:
        """The records that an id of the entry names, where the rest of it is theirs, too."""
        papers = [self._papers[paper_id] for paper_id in ids if paper_id in self._papers]
        return [self._match(entry, paper) for paper in papers if _is_described(entry, paper)]

    def _titled(self, entry: BibliographyEntry, ids: Sequence[PaperId]) -> list[Match]:
        matches = [self._match(entry, self._papers[paper_id]) for paper_id in ids if paper_id in self._papers]
        return [match for match in matches if _is_same_work(entry, match)]

    def _match(self, entry: BibliographyEntry, record: Paper) -> Match:
        return _hold_against(entry, record, self._venues)

    def _find_alike(self, places: Sequence[int]) -> list[list[Match]]:
        """Per entry without a record by id or title, those by its first author with nearly its title."""
        pairs = {
            place: (stated.authors[0].surname or stated.authors[0].given, stated.year)
            for place in places
            if (stated := self._entries[place].paper).authors and stated.year is not None
        }
        self._works.prefetch_first_authors(list(dict.fromkeys(pairs.values())))
        near: dict[int, list[PaperId]] = defaultdict(list)
        for place, (family, year) in pairs.items():
            titles = _titles_of(self._entries[place])
            bylines = self._works.find_by_first_author(family, year)
            scored = [
                (max((word_overlap(one, byline.title) for one in titles), default=0.0), byline) for byline in bylines
            ]
            alike = sorted(
                (item for item in scored if item[0] >= _MIN_LIKE_TITLE), key=lambda item: (-item[0], item[1].id)
            )
            near[place] = [byline.id for _, byline in alike[:_MAX_LIKE]]
        self._fetch(paper_id for ids in near.values() for paper_id in ids)
        return [
            [
                match
                for paper_id in near[place]
                if paper_id in self._papers
                and _is_changed_title(
                    self._entries[place], match := self._match(self._entries[place], self._papers[paper_id])
                )
            ]
            for place in places
        ]

    def _outcome(self, entry: BibliographyEntry, matches: Sequence[Match], named: Sequence[Paper]) -> CheckedEntry:
        if not matches:
            elsewhere = tuple(_leads_elsewhere(entry, named, None))
            coverage = self._venues.coverage_of(entry.paper, is_printed=entry.is_printed)
            absent: EntryStatus = "not found" if coverage >= EXPECTED else "outside coverage"
            status: EntryStatus = "wrong field" if any(item.is_certain for item in elsewhere) else absent
            return CheckedEntry(entry, status, differences=elsewhere, coverage=coverage)
        best = min(matches, key=lambda match: match.rank)
        others = [match.record for match in matches if match is not best]
        differences = (*best.differences, *_leads_elsewhere(entry, named, best.record))
        return outcome_of(entry, best.record, best.anchors, differences, others=others, source=self._source)


def outcome_of(
    entry: BibliographyEntry,
    record: Paper,
    anchors: Anchors,
    differences: Sequence[FieldDifference],
    *,
    others: Sequence[Paper] = (),
    source: str,
) -> CheckedEntry:
    """The outcome of an entry whose record is known; `others` are further publications of the work."""
    checked = CheckedEntry(entry, "sound", record, tuple(differences), source=source)
    retractions = sorted((paper.retraction for paper in (record, *others) if paper.retraction), key=_is_corrected)
    note = _sentence(retractions[0]) if retractions else ""
    if note and not _is_corrected(retractions[0]):
        return replace(checked, status="retracted", note=note)
    if any(item.is_certain for item in differences):
        return replace(checked, status="wrong field", note=note)
    if note:
        return replace(checked, status="corrected", note=note)
    published = next((paper for paper in (record, *others) if is_published(paper)), None)
    if anchors.is_preprint and published is not None:
        return replace(
            checked, status="published since", record=published, note=f"Appeared in {venue_and_year(published)}."
        )
    if any(item.field in _OF_PUBLICATION for item in differences):
        return replace(checked, status="other version", note=f"Known from {venue_and_year(record)}.")
    return checked


def _is_corrected(retraction: str) -> bool:
    """Whether the work stands, with an erratum."""
    return retraction.startswith("corrected")


def _sentence(retraction: str) -> str:
    state, _, reason = retraction.partition(":")
    first = {"concern": "Its publisher has expressed concern"}.get(state.strip(), f"It was {state.strip()}")
    return f"{first}: {reason.strip().rstrip('.')}." if reason.strip() else f"{first}."


def _stated_ids(paper: Paper) -> tuple[PaperId, ...]:
    return tuple(one for one in paper_ids(paper) if scheme_of(one) not in ("local", "zotero"))


def _titles_of(entry: BibliographyEntry) -> tuple[str, ...]:
    titles = dict.fromkeys((entry.paper.title, *entry.titles))
    return tuple(title for title in titles if len(title_key(title)) >= _MIN_TITLE_CHARS)


def _is_title_misread(entry: BibliographyEntry, record: Paper) -> bool:
    """Whether a title of the entry, or a part of its printed text, is nearly letter by letter that of `record`."""
    from rapidfuzz import fuzz

    key = title_key(record.title)
    if entry.is_printed and len(key) > _MIN_TITLE_CHARS * 2 and key in title_key(entry.text):
        return True
    alike = max((fuzz.ratio(key, title_key(title)) for title in _titles_of(entry)), default=0.0)
    return alike >= _MIN_LIKENESS and (entry.is_printed or have_equal_numerals(entry.paper.title, record.title))


def _is_clean(entry: BibliographyEntry) -> bool:
    """Whether a printed entry was read well: people with given names, and a title of words."""
    parts = entry.paper.title.split()
    letters = [part for part in parts if part.strip(".,:;?!()“”\"'’").replace("-", "").isalnum()]
    has_people = bool(entry.paper.authors) and all(author.given for author in entry.paper.authors)
    return has_people and len(parts) >= _MIN_CLEAN_WORDS and len(letters) >= 0.9 * len(parts)


def _is_described(entry: BibliographyEntry, record: Paper) -> bool:
    """Whether an entry describes the record that its id names: by title, or by its people and half the title."""
    stated = entry.paper
    overlap = max((word_overlap(title, record.title) for title in _titles_of(entry)), default=0.0)
    if overlap >= _MIN_LIKE_TITLE or titles_agree(stated.title, record.title):
        return True
    compared = compare_authors(stated.authors, record.authors, is_cut=True)
    return overlap > 0.3 and compared.matched * 2 >= len(stated.authors) > 0


def _is_same_work(entry: BibliographyEntry, match: Match) -> bool:
    """Whether an equal title means the same work: by its people, or as all else says that it appeared there."""
    stated, record = entry.paper, match.record
    if is_generic(record.title) and not match.anchors.is_firm:
        return False
    if match.anchors.is_firm or not stated.authors or not record.authors:
        return match.anchors.is_firm or match.anchors.venue is not False
    if compare_authors(stated.authors, record.authors, is_cut=stated.has_more_authors).matched:
        return True
    is_there = match.anchors.venue is True and stated.year == record.year
    return is_there and len(words(record.title)) >= _MIN_WORDS and not entry.is_printed


def _is_changed_title(entry: BibliographyEntry, match: Match) -> bool:
    """Whether a nearly equal title by the same first author is that of the entry, with words changed."""
    stated, record = entry.paper, match.record
    overlap = max(word_overlap(title, record.title) for title in _titles_of(entry))
    compared = compare_authors(stated.authors, record.authors, is_cut=stated.has_more_authors)
    if not compared.matched or 2 * compared.matched < len(stated.authors):
        return False
    if match.anchors.is_firm:
        return True
    if not have_equal_numerals(stated.title, record.title) and not entry.is_printed:
        return False
    is_there = match.anchors.venue is True or (match.anchors.is_preprint and is_published(record))
    return overlap >= _MIN_SAME_TITLE and is_there and not compared.invented and stated.year == record.year


def _leads_elsewhere(
    entry: BibliographyEntry, named: Sequence[Paper], record: Paper | None
) -> Iterable[FieldDifference]:
    """Ids of the entry that name another work than the rest of it."""
    for paper in named:
        own = set(paper_ids(paper))
        if record is not None and (paper.id == record.id or titles_agree(paper.title, record.title)):
            continue
        if _is_described(entry, paper):
            continue
        stated = next((one for one in _stated_ids(entry.paper) if one in own), paper.id)
        yield FieldDifference("id", "leads elsewhere", stated, paper.title, is_certain=paper.type not in _WHOLE_VOLUMES)
