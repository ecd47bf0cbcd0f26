"""Bibliographies checked: changes planted in true entries, altered and invented references, and what absence says.

CiteTracer's entries carry a code of what was altered; of CiteAudit's citations is known which are real. Changes are
planted by a seeded program into records of the user's own library, each written as BibTeX writers would.
"""

from __future__ import annotations

import gzip
import json
import random
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal

from litterm.attribution.bibliographies.bibliographies import Bibliographies
from litterm.attribution.bibliographies.check import BibliographyChecker
from litterm.attribution.bibliographies.coverage import COVERAGE, EXPECTED, KnownVenues
from litterm.attribution.bibliographies.entries import printed_entry
from litterm.core.errors import BadInput
from litterm.core.tasks import Task
from litterm.importers.bibtex.names import people_from_bibtex
from litterm.importers.bibtex.reader import decode_latex
from litterm.importers.ids import parse_arxiv, parse_doi, rank_ids, recognize_id
from litterm.interfaces import WorkLookup
from litterm.model.attribution.bibliography import BibliographyEntry, CheckedEntry
from litterm.model.document import Reference
from litterm.model.paper import Author, Paper, PaperId, PublicationDetails
from litterm.model.sql import SqlResult
from litterm.text.references.field_differences import read_pages
from litterm.text.references.identity import is_generic, key_in, local_id, scheme_of
from litterm.text.references.venues import venue_words
from litterm_benchmarks.report import BenchReport, MethodRow, Metric

PLANTED_ENTRIES: Final = 5000
_SEED: Final = 37
_TIMED: Final = 2000
"""Entries whose check is timed."""
_BINS: Final = 10
_FOLDS: Final = 5
_MIN_BIN: Final = 20
"""Works of a bin that is looked at: fewer say nothing."""
_MIN_TITLE_WORDS: Final = 4
_TRUE: Final = frozenset(("R1", "R2", "R3"))
_FIELDS_OF_CODES: Final = {"H2": "authors", "H3": "venue", "H4": "year", "H5": "id", "H6": "pages"}

Change = Literal[
    "none",
    "other form",
    "author",
    "author left out",
    "authors moved",
    "year",
    "title word",
    "venue",
    "pages",
    "DOI",
    "invented",
]
_CHANGES: Final[tuple[Change, ...]] = (
    *("none", "other form", "author", "author left out", "authors moved", "year", "title word"),
    *("venue", "pages", "DOI", "invented"),
)
_FIELD_OF_CHANGE: Final[dict[Change, str]] = {
    "author": "authors",
    "author left out": "authors",
    "authors moved": "authors",
    "year": "year",
    "title word": "title",
    "venue": "venue",
    "pages": "pages",
    "DOI": "id",
}


def measure(
    path: Path, bibliographies: Bibliographies, sample: Callable[[int], Task[tuple[PaperId, ...]]]
) -> Task[BenchReport]:
    """Over the folder with `citetracer` and `citeaudit`; `sample` gives ids of papers of the user's library.

    Raises:
        BadInput: a file of the sets is not there.
    """
    venues = yield from bibliographies.known_venues()
    checker = replace(bibliographies.checker(), venues=_fixed(venues))
    ids = yield from sample(PLANTED_ENTRIES)
    planted, seconds = yield from _measure_planted(checker, bibliographies.works(), ids)
    tracer = yield from _measure_tracer(path / "citetracer" / "made.jsonl", checker)
    rejected = yield from _measure_rejected(path / "citetracer" / "desk-rejected.jsonl", checker)
    audit = yield from _measure_audit(path / "citeaudit" / "citations.jsonl.gz", checker, venues)
    notes = (
        f"planted: {PLANTED_ENTRIES:,} papers of your own library, a change each in turn, seed {_SEED}",
        f"{_TIMED:,} entries took {seconds:.1f} s",
        "citetracer: entries whose title the Anthology has; fields that the record lacks are left out",
        "told: the change is named as certain; alarms: true entries with a field that is told to be wrong",
        "citeaudit: alarms on real references and findings on made ones are of those that have a record here (n: real)",
        f"citeaudit: shares of real works that are known, {_FOLDS} folds, each left out in turn",
        "no threshold was chosen on a test part: both sets are dev parts",
    )
    return BenchReport("check", str(path), len(ids), (*planted, *tracer, rejected, *audit), notes)


def _fixed(venues: KnownVenues) -> Callable[[], Task[KnownVenues]]:
    def known() -> Task[KnownVenues]:
        yield from ()
        return venues

    return known


# Planted changes.


@dataclass(frozen=True, slots=True)
class PlantedEntry:
    """An entry made from a record, and what was changed in it."""

    entry: BibliographyEntry
    change: Change


def plant(papers: Sequence[Paper], seed: int = _SEED) -> tuple[PlantedEntry, ...]:
    """An entry of each paper, each change in turn; those that cannot be made of a paper are made of none."""
    chance = random.Random(seed)
    planted: list[PlantedEntry] = []
    for number, paper in enumerate(papers):
        change = _CHANGES[number % len(_CHANGES)]
        changed = _changed(_as_entry(paper), change, papers, chance)
        if changed is not None:
            path = Path("planted.bib")
            planted.append(PlantedEntry(BibliographyEntry(path, number + 1, f"p{number}", changed), change))
    return tuple(planted)


def _as_entry(paper: Paper) -> Paper:
    """What a bibliography states of a paper: no abstract, and of the ids the DOI alone."""
    doi = key_in(paper, "doi")
    own = PaperId(f"doi:{doi}") if doi else local_id(paper.title, paper.authors, paper.year)
    imprint = paper.imprint
    kept = PublicationDetails(
        booktitle=imprint.booktitle,
        journal=imprint.journal,
        volume=imprint.volume,
        issue=imprint.issue,
        pages=imprint.pages,
        publisher=imprint.publisher,
    )
    return Paper(own, paper.title, authors=paper.authors, year=paper.year, type=paper.type, imprint=kept)


def _changed(entry: Paper, change: Change, papers: Sequence[Paper], chance: random.Random) -> Paper | None:
    other = chance.choice(papers)
    if change == "invented":
        return _invented(entry, papers, chance)
    return _CHANGERS[change](entry, other, chance)


def _unchanged(entry: Paper, _other: Paper, _chance: random.Random) -> Paper:
    return entry


def _other_author(entry: Paper, other: Paper, chance: random.Random) -> Paper | None:
    authors = entry.authors
    place = chance.randrange(len(authors))
    strangers = [one for one in other.authors if one.surname not in {each.surname for each in authors}]
    return replace(entry, authors=(*authors[:place], strangers[0], *authors[place + 1 :])) if strangers else None


def _author_left_out(entry: Paper, _other: Paper, chance: random.Random) -> Paper | None:
    authors = entry.authors
    place = chance.randrange(len(authors))
    return replace(entry, authors=(*authors[:place], *authors[place + 1 :])) if len(authors) > 2 else None


def _authors_moved(entry: Paper, _other: Paper, chance: random.Random) -> Paper | None:
    authors = entry.authors
    if len(authors) < 2 or authors[0] == authors[1]:
        return None
    place = chance.randrange(len(authors) - 1)
    return replace(entry, authors=(*authors[:place], authors[place + 1], authors[place], *authors[place + 2 :]))


def _other_year(entry: Paper, _other: Paper, chance: random.Random) -> Paper | None:
    shift = chance.choice((-3, -2, -1, 1, 2, 3))
    # Without its id nothing but the venue says which publication is meant.
    return replace(_without_id(entry), year=entry.year + shift) if entry.year else None


def _other_title_word(entry: Paper, other: Paper, chance: random.Random) -> Paper | None:
    title = _with_other_word(entry.title, other.title, chance)
    return replace(_without_id(entry), title=title) if title else None


def _other_venue(entry: Paper, other: Paper, _chance: random.Random) -> Paper | None:
    if not other.imprint.booktitle or not entry.imprint.booktitle or _is_near(other, entry):
        return None
    return replace(entry, imprint=replace(entry.imprint, booktitle=other.imprint.booktitle))


def _other_pages(entry: Paper, _other: Paper, chance: random.Random) -> Paper | None:
    pages = read_pages(entry.imprint.pages)
    if pages is None or not (pages[0].isdecimal() and pages[1].isdecimal()):
        return None
    # As typing errors are: one of both numbers is another.
    first, last = int(pages[0]), int(pages[1])
    shift = chance.randrange(1, 60)
    changed = f"{first}--{last + shift}" if chance.random() < 0.5 or first <= shift else f"{first - shift}--{last}"
    return replace(entry, imprint=replace(entry.imprint, pages=changed))


def _other_doi(entry: Paper, _other: Paper, chance: random.Random) -> Paper | None:
    if scheme_of(entry.id) != "doi":
        return None
    return replace(entry, id=PaperId(f"doi:10.{chance.randrange(1000, 9999)}/{chance.randrange(10**6)}"))


def _is_near(one: Paper, other: Paper) -> bool:
    """Whether two papers are in volumes of one event: nobody takes `Long Papers` for another venue."""
    return (one.year == other.year and bool(set(one.venue_keys) & set(other.venue_keys))) or (
        venue_words(one.imprint.booktitle) == venue_words(other.imprint.booktitle)
    )


def _without_id(entry: Paper) -> Paper:
    return replace(entry, id=local_id(entry.title, entry.authors, entry.year), aliases=())


def _in_other_form(entry: Paper, _other: Paper, chance: random.Random) -> Paper:
    """The same in the forms that people use: initials, small letters, `Proc.`, one dash, a cut list of authors."""
    authors = tuple(replace(one, given=" ".join(f"{word[0]}." for word in one.given.split())) for one in entry.authors)
    is_cut = len(authors) > 3 and chance.random() < 0.5
    book = entry.imprint.booktitle.replace("Proceedings of the", "Proc.").replace("Conference", "Conf.")
    short = chance.random() < 0.3
    pages = entry.imprint.pages.replace("–", chance.choice(("-", "--", "–")))
    return replace(
        entry,
        title=entry.title.lower() if chance.random() < 0.5 else entry.title.title(),
        authors=authors[: 1 if short else 3] if is_cut else authors,
        has_more_authors=is_cut,
        imprint=replace(entry.imprint, booktitle=book, pages=pages),
    )


_CHANGERS: Final[dict[Change, Callable[[Paper, Paper, random.Random], Paper | None]]] = {
    "none": _unchanged,
    "other form": _in_other_form,
    "author": _other_author,
    "author left out": _author_left_out,
    "authors moved": _authors_moved,
    "year": _other_year,
    "title word": _other_title_word,
    "venue": _other_venue,
    "pages": _other_pages,
    "DOI": _other_doi,
}


def _with_other_word(title: str, other: str, chance: random.Random) -> str:
    """`title` with one of its longer words replaced by one of another title; empty where it has none."""
    parts = title.split()
    places = [place for place, part in enumerate(parts) if len(part) > 4 and part.isalpha()]
    strange = [word for word in other.split() if len(word) > 4 and word.isalpha() and word.lower() not in title.lower()]
    if len(parts) < _MIN_TITLE_WORDS or not places or not strange:
        return ""
    parts[chance.choice(places)] = chance.choice(strange)
    return " ".join(parts)


def _invented(entry: Paper, papers: Sequence[Paper], chance: random.Random) -> Paper | None:
    """A title of the halves of two, people of several papers, in a real venue."""
    one, other = chance.choice(papers).title.split(), chance.choice(papers).title.split()
    if min(len(one), len(other)) < _MIN_TITLE_WORDS:
        return None
    title = " ".join((*one[: len(one) // 2], *other[len(other) // 2 :]))
    people: list[Author] = [chance.choice(paper.authors) for paper in chance.sample(papers, 3) if paper.authors]
    return replace(_without_id(entry), title=title, authors=tuple(people)) if len(people) > 1 else None


def _measure_planted(
    checker: BibliographyChecker, works: WorkLookup, ids: Sequence[PaperId]
) -> Task[tuple[tuple[MethodRow, ...], float]]:
    papers = [paper for paper in works.by_id(ids) if paper.authors and paper.year and not is_generic(paper.title)]
    planted = plant(papers, _SEED)
    started = time.perf_counter()
    timed = yield from checker.check([item.entry for item in planted[:_TIMED]])
    seconds = (time.perf_counter() - started) * _TIMED / max(1, len(timed))
    rest = yield from checker.check([item.entry for item in planted[_TIMED:]])
    by_change: dict[Change, list[tuple[PlantedEntry, CheckedEntry]]] = defaultdict(list)
    for item, checked in zip(planted, (*timed, *rest), strict=True):
        by_change[item.change].append((item, checked))
    rows = [_planted_row(change, by_change[change]) for change in _CHANGES if by_change[change]]
    return tuple(rows), seconds


def _planted_row(change: Change, cases: Sequence[tuple[PlantedEntry, CheckedEntry]]) -> MethodRow:
    results = [checked for _, checked in cases]
    if change in ("none", "other form"):
        found = [checked.status == "wrong field" for checked in results]
        lost = [checked.record is None for checked in results]
        return MethodRow(f"planted: {change}", (_share("alarms", found), _share("lost", lost), _count(results)))
    if change == "invented":
        covered = [checked for checked in results if checked.coverage is None or checked.coverage >= EXPECTED]
        return MethodRow(
            "planted: invented",
            (
                _share("told", [checked.is_finding for checked in covered]),
                _share("of all", [checked.is_finding for checked in results]),
                _count(covered),
            ),
        )
    field = _FIELD_OF_CHANGE[change]
    told = [any(item.field == field and item.is_certain for item in checked.differences) for checked in results]
    return MethodRow(
        f"planted: {change}",
        (_share("told", told), _share("findings", [one.is_finding for one in results]), _count(results)),
    )


def _share(name: str, hits: Sequence[bool]) -> Metric:
    return Metric(name, 100 * sum(hits) / len(hits) if hits else float("nan"))


def _count(cases: Sequence[object]) -> Metric:
    return Metric("n", float(len(cases)))


# CiteTracer.


def tracer_entry(row: dict[str, object], path: Path, number: int) -> BibliographyEntry:
    """One made entry as a bibliography would state it."""
    names, venue = row["authors"], str(row["venue"] or "")
    people = people_from_bibtex(" and ".join(names if isinstance(names, list) else []), decode_latex)
    year = row["year"] if isinstance(row["year"], int) else None
    title = decode_latex(str(row["title"]))
    doi, arxiv, url = (str(row.get(name) or "") for name in ("doi", "arxiv_id", "url"))
    stated = [
        parse_doi(doi) if doi else None,
        parse_arxiv(arxiv) if arxiv else None,
        recognize_id(url) if url else None,
    ]
    ids = rank_ids(stated) or (local_id(title, people.authors, year),)
    is_journal = any(word in venue for word in ("ournal", "ransactions", "etters"))
    imprint = PublicationDetails(
        booktitle="" if is_journal else venue,
        journal=venue if is_journal else "",
        volume=str(row.get("volume") or ""),
        pages=str(row.get("pages") or ""),
    )
    paper = Paper(
        ids[0],
        title,
        authors=people.authors,
        has_more_authors=people.has_more,
        year=year,
        type="article" if is_journal else "inproceedings",
        aliases=tuple(ids[1:]),
        imprint=imprint,
    )
    return BibliographyEntry(path, number, str(row["id"]), paper)


def _measure_tracer(path: Path, checker: BibliographyChecker) -> Task[tuple[MethodRow, ...]]:
    rows = _rows(path)
    checked = yield from checker.check([tracer_entry(row, path, number) for number, row in enumerate(rows, 1)])
    by_code: dict[str, list[tuple[dict[str, object], CheckedEntry]]] = defaultdict(list)
    for row, result in zip(rows, checked, strict=True):
        if row["acl"] or row["code"] == "H1":
            by_code[str(row["code"])].append((row, result))
    return tuple(_tracer_row(code, by_code[code]) for code in sorted(by_code))


def _tracer_row(code: str, cases: Sequence[tuple[dict[str, object], CheckedEntry]]) -> MethodRow:
    results = [result for _, result in cases]
    if code in _FIELDS_OF_CODES:
        field = _FIELDS_OF_CODES[code]
        results = [result for result in results if result.record is not None and _has_field(result, field)]
        told = [any(item.field == field and item.is_certain for item in result.differences) for result in results]
        return MethodRow(
            f"citetracer {code}",
            (_share("told", told), _share("findings", [one.is_finding for one in results]), _count(results)),
        )
    if code == "H1":
        covered = [result for result in results if result.coverage is None or result.coverage >= EXPECTED]
        return MethodRow("citetracer H1", (_share("told", [one.is_finding for one in covered]), _count(covered)))
    alarms = [result.status == "wrong field" for result in results]
    return MethodRow(
        f"citetracer {code}",
        (_share("alarms", alarms), _share("lost", [one.record is None for one in results]), _count(results)),
    )


def _measure_rejected(path: Path, checker: BibliographyChecker) -> Task[MethodRow]:
    """Invented references of submissions, as printed; those of venues that are known here, or that have a record."""
    rows = _rows(path)
    entries = [printed_entry(path, Reference(number, str(row["raw"]))) for number, row in enumerate(rows)]
    results = yield from checker.check(entries)
    known = [result for result in results if result.record is not None or (result.coverage or 0) >= EXPECTED]
    findings = [result.is_finding for result in known]
    of_all = [result.is_finding for result in results]
    return MethodRow("citetracer desk-rejected", (_share("told", findings), _share("of all", of_all), _count(known)))


def _has_field(checked: CheckedEntry, field: str) -> bool:
    """Whether the record has what is compared, and the entry states another value."""
    record, stated = checked.record, checked.entry.paper
    if record is None:
        return False
    if field == "id":
        return bool(key_in(record, "doi")) and bool(key_in(stated, "doi"))
    if field == "pages":
        # The volume was altered instead, which proceedings do not have.
        pages = read_pages(stated.imprint.pages)
        return pages is not None and pages != read_pages(record.imprint.pages)
    if field == "year":
        return record.year is not None and record.year != stated.year
    return True


def _rows(path: Path) -> list[dict[str, object]]:
    if not path.is_file():
        raise BadInput(f"{path}: is not there.")
    with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
        return [json.loads(line) for line in file]


# CiteAudit.


def _measure_audit(path: Path, checker: BibliographyChecker, venues: KnownVenues) -> Task[tuple[MethodRow, ...]]:
    rows = _rows(path)
    entries = [printed_entry(path, Reference(number, str(row["citation"]))) for number, row in enumerate(rows)]
    checked = yield from checker.check(entries)
    real = [(row, result) for row, result in zip(rows, checked, strict=True) if row["real"]]
    made = [result for row, result in zip(rows, checked, strict=True) if not row["real"]]
    groups = [venues.group_of(result.entry.paper, is_printed=True) for _, result in real]
    found = [result.record is not None for _, result in real]
    shipped = [COVERAGE[group] for group in groups]
    fitted = _left_out(groups, found)
    summary = MethodRow(
        "citeaudit",
        (
            _share("alarms", [result.status == "wrong field" for _, result in real if result.record is not None]),
            _share("lost", [result.status == "not found" for _, result in real]),
            _share("findings", [result.is_finding for result in made if result.record is not None]),
            _count([result for _, result in real if result.record is not None]),
        ),
    )
    worst = Metric("worst gap", max((100 * gap for *_, gap in _bins(shipped, found)), default=0.0))
    out = Metric("worst gap, left out", max((100 * gap for *_, gap in _bins(fitted, found)), default=0.0))
    counts = Counter(groups)
    by_group = [
        MethodRow(
            f"coverage: {group}",
            (
                Metric("told", 100 * COVERAGE[group]),
                _share("found", [hit for own, hit in zip(groups, found, strict=True) if own == group]),
                Metric("n", float(count)),
            ),
        )
        for group, count in counts.most_common()
    ]
    return (summary, MethodRow("coverage, ten bins", (worst, out)), *by_group)


def _left_out(groups: Sequence[str], found: Sequence[bool]) -> list[float]:
    """The share found of each group in the other folds."""
    hits: Counter[tuple[str, int]] = Counter()
    counts: Counter[tuple[str, int]] = Counter()
    for place, (group, hit) in enumerate(zip(groups, found, strict=True)):
        counts[group, place % _FOLDS] += 1
        hits[group, place % _FOLDS] += hit
    shares = {
        (group, fold): (sum(hits[group, other] for other in range(_FOLDS) if other != fold) + 1)
        / (sum(counts[group, other] for other in range(_FOLDS) if other != fold) + 2)
        for group in set(groups)
        for fold in range(_FOLDS)
    }
    return [shares[group, place % _FOLDS] for place, group in enumerate(groups)]


def _bins(told: Sequence[float], found: Sequence[bool]) -> Iterable[tuple[float, float, float]]:
    """Mean told, share found and their distance, of each of ten bins that holds anything."""
    for number in range(_BINS):
        own = [(one, hit) for one, hit in zip(told, found, strict=True) if min(int(one * _BINS), _BINS - 1) == number]
        if len(own) >= _MIN_BIN:
            mean, share = sum(one for one, _ in own) / len(own), sum(hit for _, hit in own) / len(own)
            yield mean, share, abs(mean - share)


def sampler(sql: Callable[..., Task[SqlResult]]) -> Callable[[int], Task[tuple[PaperId, ...]]]:
    """Draws papers of the user's library, the same each time, by a statement over its views."""

    def sample(count: int) -> Task[tuple[PaperId, ...]]:
        result = yield from sql(
            f"SELECT id FROM papers WHERE len(authors) > 0 AND year IS NOT NULL AND starts_with(id, 'acl:')"
            f" AND type IN ('inproceedings', 'article') ORDER BY hash(id || '{_SEED}'), id LIMIT {count}"
        )
        return tuple(PaperId(str(row[0])) for row in result.rows)

    return sample
