"""Bench of the resolver: mentions judged by hand, and the reference lists of PDFs, against the ACL Anthology."""

from __future__ import annotations

import csv
import gzip
import json
import re
import tarfile
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from litterm.core.errors import BadInput
from litterm.core.tasks import Task
from litterm.importers.anthology import AnthologyReader
from litterm.importers.pdf.reader import read_pdf
from litterm.importers.xml.tree import parse_tree
from litterm.interfaces import WorkLookup
from litterm.model.events import Progress
from litterm.model.library import Parsed
from litterm.model.paper import Byline, Paper, PaperId
from litterm.text.documents.hyphens import HyphenStatistics
from litterm.text.references.identity import identity_key, title_key
from litterm.text.references.resolution import Mention, find_mentions, resolve_mention, resolve_references
from litterm_benchmarks.report import BenchReport, MethodRow, Metric

_COLLECTION = re.compile(r"(?:(?P<long>(?:19|20)\d\d)\..+|[A-Z](?P<short>\d\d))\.xml")
UNCERTAIN = "?"
"""Verdict on a mention that even a reader cannot place."""
ABSENT = "-"
"""Verdict on a mention of a work that the Anthology does not hold."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a reader says a mention cites."""

    document: str
    """Anthology id of the citing paper in `fulltext-acl`."""
    section: int
    sentence: int
    start: int
    """First character of the mention in its sentence."""
    truth: str
    """The cited paper's id, or `UNCERTAIN`, or `ABSENT`."""


class PaperList:
    """Papers in memory by id, title, or author and year; fits `interfaces.WorkLookup`."""

    def __init__(self, papers: Iterable[Paper]) -> None:
        self._by_id: dict[PaperId, Paper] = {}
        self._titled: dict[str, list[PaperId]] = defaultdict(list)
        self._written: dict[tuple[str, int], dict[PaperId, Paper]] = defaultdict(dict)
        for paper in papers:
            self._by_id[paper.id] = paper
            self._titled[identity_key(paper.title)].append(paper.id)
            for author in paper.authors if paper.year is not None else ():
                self._written[title_key(author.surname), paper.year or 0][paper.id] = paper

    def find(self, keys: Sequence[str]) -> tuple[tuple[PaperId, ...], ...]:
        """Per key, the paper whose id it is."""
        return tuple((PaperId(key),) if PaperId(key) in self._by_id else () for key in keys)

    def find_by_title(self, titles: Sequence[str]) -> tuple[tuple[PaperId, ...], ...]:
        """Per title, the papers with an equal title key and equal numerals."""
        return tuple(tuple(sorted(self._titled.get(identity_key(title), ()))) for title in titles)

    def by_id(self, ids: Sequence[PaperId]) -> tuple[Paper, ...]:
        """The papers with these ids, in order."""
        return tuple(self._by_id[paper_id] for paper_id in ids)

    def prefetch_first_authors(self, pairs: Sequence[tuple[str, int]]) -> None:
        """Nothing: all papers are in memory."""

    def find_by_first_author(self, family: str, year: int) -> tuple[Byline, ...]:
        """The papers of `year`, give or take one, with an author of this family name; ascending by id."""
        (papers,) = self.find_by_author_years([(family, year)])
        return tuple(paper.byline for paper in papers)

    def find_by_author_years(self, pairs: Sequence[tuple[str, int]]) -> tuple[tuple[Paper, ...], ...]:
        """Per family name and year, the papers of that year, give or take one, by such an author; ascending by id."""
        return tuple(self._find_by_author_year(*pair) for pair in pairs)

    def _find_by_author_year(self, family: str, year: int) -> tuple[Paper, ...]:
        papers: dict[PaperId, Paper] = {}
        for near in (year - 1, year, year + 1):
            papers |= self._written.get((title_key(family), near), {})
        return tuple(papers[key] for key in sorted(papers))


def read_verdicts(path: Path) -> tuple[Verdict, ...]:
    """Tab-separated: document, section, sentence, start, truth."""
    with path.open(encoding="utf-8", newline="") as lines:
        rows = csv.reader(lines, delimiter="\t")
        return tuple(
            Verdict(d, int(section), int(sentence), int(start), truth) for d, section, sentence, start, truth in rows
        )


def anthology(shared: Path, last_year: int = 9999) -> Task[PaperList]:
    """The papers of the archive up to `last_year`."""
    papers: list[Paper] = []
    reader = AnthologyReader({}, HyphenStatistics())
    with tarfile.open(shared / "data/acl-anthology-xml.tar.gz") as archive:
        for member in archive:
            year = _year_of(Path(member.name).name)
            if year is None or year > last_year:
                continue
            content = archive.extractfile(member)
            assert content is not None
            results = reader.papers(parse_tree(content.read()), member.name)
            papers += (result.paper for result in results if isinstance(result, Parsed))
            yield Progress("papers", len(papers))
    return PaperList(papers)


def _year_of(name: str) -> int | None:
    """The year of a collection by its file's name, `2020.acl.xml` or `P98.xml`."""
    match = _COLLECTION.fullmatch(name)
    if match is None:
        return None
    short = match["short"]
    return int(match["long"]) if match["long"] else 1900 + int(short) if int(short) > 50 else 2000 + int(short)


def measure(shared: Path, verdicts: Path) -> Task[BenchReport]:
    """Precision and coverage on the mentions of `verdicts`, and the share of PDF references resolved."""
    works = yield from anthology(shared)
    judged = read_verdicts(verdicts)
    right, wrong, in_anthology = judge(works, shared, judged)
    resolved, listed = yield from _lists(shared, works)
    metrics = (
        Metric("precision", 100 * right / max(1, right + wrong)),
        Metric("coverage", 100 * right / max(1, in_anthology)),
        Metric("of all mentions", 100 * (right + wrong) / max(1, len(judged))),
        Metric("of PDF references", 100 * resolved / max(1, listed)),
    )
    notes = (
        f"{in_anthology} of {len(judged)} judged mentions cite a paper of the Anthology; "
        f"{resolved} of {listed} references of Anthology PDFs were found in it",
    )
    return BenchReport(
        "references", "fulltext-acl, acl-anthology-xml, pdf", len(judged), (MethodRow("litterm", metrics),), notes
    )


def judge(works: WorkLookup, shared: Path, verdicts: Sequence[Verdict]) -> tuple[int, int, int]:
    """Mentions resolved as the reader did, resolved otherwise, and those whose paper the Anthology holds."""
    right = wrong = 0
    for verdict, mention, context in mentions(shared, verdicts):
        target = resolve_mention(mention, context, works)
        if target is not None and verdict.truth != UNCERTAIN:
            right += target == verdict.truth
            wrong += target != verdict.truth
    return right, wrong, sum(1 for verdict in verdicts if verdict.truth not in (UNCERTAIN, ABSENT))


def mentions(shared: Path, verdicts: Sequence[Verdict]) -> list[tuple[Verdict, Mention, str]]:
    """Each judged mention with the sentences around it.

    Raises:
        BadInput: a mention is not where the verdict says.
    """
    by_document: dict[str, list[Verdict]] = defaultdict(list)
    for verdict in verdicts:
        by_document[verdict.document].append(verdict)
    located: list[tuple[Verdict, Mention, str]] = []
    with gzip.open(shared / "data/fulltext-acl/fulltext-acl.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            fields = json.loads(line)
            for verdict in by_document.get(fields["acl_id"], ()):
                sentences = fields["sections"][verdict.section]["sentences"]
                at_start = [m for m in find_mentions(sentences[verdict.sentence]) if m.span.start == verdict.start]
                if not at_start:
                    raise BadInput(f"{verdict.document}: no mention at {verdict.section}.{verdict.sentence}.")
                around = sentences[max(0, verdict.sentence - 1) : verdict.sentence + 2]
                located.append((verdict, at_start[0], " ".join(around)))
    return located


def _lists(shared: Path, works: PaperList) -> Task[tuple[int, int]]:
    """References resolved and references listed, over the PDFs that are Anthology papers."""
    resolved = listed = 0
    for path in sorted((shared / "data/pdf").glob("[A-Z][0-9][0-9]-[0-9]*.pdf")):
        yield Progress(f"references of {path.stem}")
        try:
            references = read_pdf(path.read_bytes()).references
        except BadInput:
            continue
        listed += len(references)
        resolved += sum(reference.target is not None for reference in resolve_references(references, works))
    return resolved, listed
