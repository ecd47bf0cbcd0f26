"""Which share of the real works of a venue, year and type the library knows: what the absence of one says."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from litterm.model.paper import Paper
from litterm.text.references.field_differences import entry_venue, is_preprint_entry
from litterm.text.references.venues import is_preprint_venue, name_alike, venue_acronyms, venue_words, years_in
from litterm.text.tokens import fold

CATALOGUE_FORMATS: Final = frozenset(("anthology", "acl", "iclr", "openreview"))
"""Sources that list every work of their venues: what they lack did not appear there."""
EXPECTED: Final = 0.9
"""Share of known works from which absence is told as a finding."""
_MIN_CATALOGUED: Final = 5
"""Papers of a venue in a year from which a catalogue is taken to have that year."""
_MIN_GROUP: Final = 3

VENUE_STATEMENT: Final = (
    "SELECT venue, booktitle, journal, year, imported_format, count(*) FROM papers"
    " WHERE venue <> '' OR booktitle <> '' OR journal <> '' GROUP BY ALL"
)
"""What `KnownVenues` is built from, as a statement over the views of `litterm sql`."""

CoverageGroup = Literal[
    "catalogue",
    "catalogue in print",
    "catalogue of another year",
    "some of the venue",
    "preprint",
    "unknown venue",
    "no venue",
]
"""Works about which the library says equally much."""
COVERAGE: Final[Mapping[CoverageGroup, float]] = {
    "catalogue": 0.97,
    "catalogue in print": 0.93,
    "catalogue of another year": 0.5,
    "some of the venue": 0.3,
    "preprint": 0.1,
    "unknown venue": 0.01,
    "no venue": 0.02,
}
"""The share of real works that was found, by group; fitted on the dev part of CiteAudit (`litterm bench check`)."""


@dataclass(frozen=True, slots=True)
class VenueRow:
    """How many papers of a venue and year came from a source."""

    venue: str
    booktitle: str
    journal: str
    year: int
    format: str
    count: int


@dataclass(slots=True)
class KnownVenues:
    """The venues of a library, and how much of each it has."""

    _names: dict[tuple[str, ...], set[str]] = field(default_factory=dict)
    """Venues, as shown and in small letters, by the words of their volumes' names."""
    _catalogued: dict[str, dict[int, int]] = field(default_factory=dict)
    """Papers from catalogues, by venue and year."""
    _other: dict[str, dict[int, int]] = field(default_factory=dict)
    _volumes: dict[tuple[str, ...], dict[int, int]] = field(default_factory=dict)
    """Papers from catalogues, by the words of the volume's name and year."""
    _findings: dict[str, dict[int, int]] = field(default_factory=dict)
    """Papers in the Findings of a conference, by year."""
    _words: dict[str, set[str]] = field(default_factory=dict)
    """Words in the names of a venue's volumes."""
    _found: dict[str, frozenset[str]] = field(default_factory=dict)
    """What `find` has answered."""

    @classmethod
    def of_rows(cls, rows: Iterable[VenueRow]) -> KnownVenues:
        """Of the counts of a library."""
        names: dict[tuple[str, ...], set[str]] = defaultdict(set)
        catalogued: dict[str, dict[int, int]] = defaultdict(lambda: defaultdict(int))
        other: dict[str, dict[int, int]] = defaultdict(lambda: defaultdict(int))
        volumes: dict[tuple[str, ...], dict[int, int]] = defaultdict(lambda: defaultdict(int))
        for row in rows:
            venue = fold(row.venue or row.journal or row.booktitle)
            if not venue or is_preprint_venue(venue):
                continue
            is_catalogue = row.format in CATALOGUE_FORMATS
            (catalogued if is_catalogue else other)[venue][row.year] += row.count
            for found in filter(_is_distinctive, (venue_words(row.booktitle), venue_words(row.journal))):
                names[found].add(venue)
                volumes[found][row.year] += row.count if is_catalogue else 0
        return cls(
            dict(names), dict(catalogued), dict(other), dict(volumes), _count_findings(volumes), _words_by_venue(names)
        )

    def find(self, name: str) -> frozenset[str]:
        """The venues, as shown and in small letters, that a name as people write it names; empty if none is known."""
        if name not in self._found:
            self._found[name] = self._find(name)
        return self._found[name]

    def _find(self, name: str) -> frozenset[str]:
        if found := self._names.get(venue_words(name)):
            return frozenset(found)
        whole = fold(name.strip())
        known = self._catalogued.keys() | self._other.keys()
        if whole in known:
            return frozenset((whole,))
        acronyms = venue_acronyms(name)
        spelt_out = {word for word in venue_words(name) if word not in acronyms}
        named = {venue for venue in known if venue in acronyms or acronyms & set(venue.split("-"))}
        # `LAD` is many a workshop: where the name is spelt out, its words decide.
        return frozenset(venue for venue in named if not spelt_out or spelt_out & self._words.get(venue, set()))

    def is_catalogued(self, venue: str, year: int | None) -> bool:
        """Whether a catalogue has all of that venue and year."""
        return year is not None and self._catalogued.get(venue, {}).get(year, 0) >= _MIN_CATALOGUED

    def lists_all(self, name: str, year: int | None) -> bool:
        """Whether catalogues have all that the venue had in `year` or, as it did not take place, in years after it."""
        venues = self.find(name)
        return bool(venues) and all(
            venue in self._catalogued and year is not None and year <= max(self._catalogued[venue]) for venue in venues
        )

    def _is_complete(self, name: str, venues: frozenset[str], year: int | None) -> bool:
        """Whether the volume that a name names is there, with the one beside it that many mean by the same name."""
        if year is None or not any(self.is_catalogued(venue, year) for venue in venues):
            return False
        volume = self._volumes.get(venue_words(name))
        if volume is not None and len(venue_words(name)) > 1:
            return volume.get(year, 0) >= _MIN_CATALOGUED
        if "workshop" in fold(name):
            # One of many beside a conference, and not every one has its volume here.
            return False
        if "findings" in fold(name):
            return any(self._findings.get(host, {}).get(year, 0) >= _MIN_CATALOGUED for host in _hosts(name))
        # `EMNLP` is also what bibliographies call its Findings.
        for host in _hosts(name) & venues:
            years = self._findings.get(host, {})
            if years and year >= min(years) and years.get(year, 0) < _MIN_CATALOGUED:
                return False
        return True

    def group_of(self, entry: Paper, *, is_printed: bool) -> CoverageGroup:
        """How much the library says about a work like `entry`."""
        name = entry_venue(entry)
        if is_preprint_entry(entry):
            return "preprint"
        if not name:
            return "no venue"
        venues = self.find(name)
        if self._is_complete(name, venues, entry.year):
            return "catalogue in print" if is_printed else "catalogue"
        if any(venue in self._catalogued for venue in venues):
            return "catalogue of another year"
        return "some of the venue" if venues else "unknown venue"

    def coverage_of(self, entry: Paper, *, is_printed: bool) -> float:
        """The share of real works like `entry` that the library has: 0 to 1."""
        return COVERAGE[self.group_of(entry, is_printed=is_printed)]

    def same_venue(self, name: str, record: Paper) -> bool | None:
        """Whether a venue as written is that of `record`; `None` where that cannot be told."""
        if not (record.imprint.booktitle or record.imprint.journal or record.venue):
            return None
        if "@" in name:
            # `ArgMining@EMNLP`: a workshop, and where it was held.
            return name_alike(name, record) or is_kin(name, record)
        years = years_in(name)
        if years and record.year and record.imprint.booktitle and min(abs(record.year - year) for year in years) > 1:
            # `COLING 2014` is not where something of 2022 appeared, though it may be the right conference.
            return False
        if "findings" in fold(name) and "findings" in fold(record.imprint.booktitle):
            return is_kin(name, record)
        named = self._names.get(venue_words(name))
        venue = fold(record.venue)
        own = {venue, *venue.split("-"), *record.venue_keys} - {""}
        if named is not None and own and not is_kin(name, record):
            # Both are known by name: `ACL` is not `NAACL`, though all words of the one are in the other.
            return not named.isdisjoint(own)
        acronyms = venue_acronyms(name)
        known = self._catalogued.keys() | self._other.keys()
        if venue in known and (acronyms & known) and not is_kin(name, record):
            return not own.isdisjoint(acronyms)
        return name_alike(name, record)


def _is_distinctive(found: Sequence[str]) -> bool:
    return len(found) > 1 or (bool(found) and len(found[0]) > 3)


def _count_findings(volumes: Mapping[tuple[str, ...], Mapping[int, int]]) -> dict[str, dict[int, int]]:
    """Papers in the Findings of each conference, by year."""
    findings: dict[str, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for volume, counts in volumes.items():
        for host in _hosts(" ".join(volume)) if "findings" in volume else ():
            for year, count in counts.items():
                findings[host][year] += count
    return dict(findings)


def _words_by_venue(names: Mapping[tuple[str, ...], set[str]]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for volume, venues in names.items():
        for venue in venues:
            found[venue].update(volume)
    return dict(found)


def is_kin(name: str, record: Paper) -> bool:
    """Whether an entry names the conference of a volume beside it: `EMNLP` of its Findings or its workshops."""
    volume = f"{record.imprint.booktitle} {record.venue}"
    if "findings" in fold(f"{name} {volume}"):
        return not _hosts(name).isdisjoint(_hosts(record.imprint.booktitle or record.venue))
    return not venue_acronyms(name).isdisjoint(venue_acronyms(volume) | set(record.venue_keys))


def _hosts(name: str) -> frozenset[str]:
    """The conferences of the Association for Computational Linguistics that a name names, as acronyms."""
    folded = fold(name)
    tokens = {token for word in folded.split() for token in word.strip(":,.()").split("-")}
    named = {host for host, words_of in _HOSTS.items() if host in tokens or words_of in folded}
    # The association is in the name of all Findings.
    is_association = "association for computational linguistics" in folded or not named
    return frozenset(named or ({"acl"} if is_association else ()))


_HOSTS: Final = {
    "acl": "annual meeting of the association for computational linguistics",
    "emnlp": "empirical methods in natural language",
    "naacl": "north american chapter",
    "eacl": "european chapter",
    "aacl": "asia-pacific chapter",
    "ijcnlp": "international joint conference on natural language processing",
}
