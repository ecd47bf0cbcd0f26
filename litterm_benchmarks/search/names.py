"""Names of data sets and models, each searched as one source writes it while that source is left out of the facts.

The papers are those whose introduction of the name is known from the source; they are in the library that is searched.
"""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from litterm.core.errors import BadInput, UsageError
from litterm.library.citation_facts.names import NameTable
from litterm.library.citation_facts.shipped import ShippedFacts, name_key, open_facts
from litterm.library.index.reader import IndexFolder
from litterm.library.index.static_embeddings import open_static
from litterm.model.events import Progress
from litterm.model.paper import PaperId
from litterm.search.hybrid import HybridSearcher
from litterm.search.signals.paper_names import PaperNames
from litterm.text.queries.parser import parse_query
from litterm_benchmarks.metrics import percent
from litterm_benchmarks.report import BenchReport, MethodRow, Metric, SubsetScore

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm_benchmarks.search.litterm_methods import Subject

METHODS = ("litterm", "without names")
_FIRST, _SECOND = 1, 2
_MIN_KIND_CASES = 10
"""Cases from which a kind of name is shown by itself."""


@dataclass(frozen=True, slots=True)
class NameCase:
    """One name as one source writes it."""

    name: str
    kind: str
    source: str
    """Key of the source, which is left out."""
    paper: PaperId


@dataclass(frozen=True, slots=True)
class _Outcome:
    case: NameCase
    is_known: bool
    """Whether another source knows the name, whatever paper it says."""
    rank: int
    """Of the paper; 0 where it is not among the first two."""


def read_cases(path: Path) -> list[NameCase]:
    """Every name of the file, with each of its sources, whose paper has an Anthology id.

    Raises:
        BadInput: the file is not of this form.
    """
    cases = []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            try:
                row = json.loads(line)
                paper = row["ids"].get("acl")
                sources = [source.rpartition(" (")[0] or source for source in row["sources"]]
                cases += [
                    NameCase(row["name"], row["kind"], source, PaperId(f"acl:{paper}"))
                    for source in sources
                    if paper and name_key(row["name"])
                ]
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise BadInput(f"{path}:{number}: not a name of a paper ({error!r}).") from error
    return cases


def measure(
    path: Path, subject: Subject, *, methods: Sequence[str] = (), until: int | None = None
) -> Task[BenchReport]:
    """How often the paper of a name comes first, and among the first two, over the papers of `subject`.

    Raises:
        BadInput: the file is not of the form of names.
        UsageError: a method is not known, or a year is given, which names do not have.
    """
    if until is not None or not set(methods) <= set(METHODS):
        raise UsageError(f"names has the methods {' and '.join(METHODS)}, and no --until")
    cases = read_cases(path)
    held = subject.library.find(sorted({case.paper for case in cases}))
    present = {paper for papers in held for paper in papers}
    cases = [case for case in cases if case.paper in present]
    rows = []
    for method in methods or METHODS:
        outcomes = yield from _search(cases, subject, with_names=method == METHODS[0])
        rows.append(_row(method, outcomes))
    known = sum(outcome.is_known for outcome in outcomes)
    notes = (f"{len(cases):,} names with the source of each left out; {known:,} of them another source knows, too",)
    return BenchReport("names", path.name, len(cases), tuple(rows), notes)


def _search(cases: Sequence[NameCase], subject: Subject, *, with_names: bool) -> Task[list[_Outcome]]:
    facts = open_facts("bench")
    library = subject.library
    by_source: dict[str, list[NameCase]] = defaultdict(list)
    for case in cases:
        by_source[case.source].append(case)
    index, model = IndexFolder(), open_static()
    outcomes: list[_Outcome] = []
    for source, chosen in sorted(by_source.items()):
        known = facts.without_source(source)
        names = PaperNames(NameTable(partial(_same, known)), library, lambda title: library.find_by_title([title])[0])
        searcher = HybridSearcher(library, index, embedder=model, names=names if with_names else None)
        for case in chosen:
            if len(outcomes) % 20 == 0:
                yield Progress("searching for names", len(outcomes), len(cases))
            ranking = yield from searcher.search(parse_query(case.name), k=_SECOND)
            papers = [item.paper.id for item in ranking.papers]
            rank = papers.index(case.paper) + 1 if case.paper in papers else 0
            is_known = bool(known.names(name_key(case.name), with_variants=True))
            outcomes.append(_Outcome(case, is_known, rank))
    return outcomes


def _same(facts: ShippedFacts) -> ShippedFacts:
    return facts


def _row(method: str, outcomes: Sequence[_Outcome]) -> MethodRow:
    known = [outcome for outcome in outcomes if outcome.is_known]
    by_kind: dict[str, list[_Outcome]] = defaultdict(list)
    for outcome in known:
        by_kind[outcome.case.kind].append(outcome)
    kinds = sorted(
        (kind for kind, some in by_kind.items() if len(some) >= _MIN_KIND_CASES),
        key=lambda kind: -_share(by_kind[kind], _FIRST),
    )
    parts = [
        ("another source", "knows the name", known),
        ("another source", "does not", [outcome for outcome in outcomes if not outcome.is_known]),
        *(("kind, known", kind, by_kind[kind]) for kind in kinds),
    ]
    return MethodRow(
        method,
        tuple(_metrics(outcomes)),
        tuple(SubsetScore(field, value, len(some), tuple(_metrics(some))) for field, value, some in parts if some),
    )


def _share(outcomes: Sequence[_Outcome], most: int) -> float:
    return sum(0 < outcome.rank <= most for outcome in outcomes) / len(outcomes)


def _metrics(outcomes: Iterable[_Outcome]) -> Iterator[Metric]:
    ranks = [outcome.rank for outcome in outcomes]
    yield percent("first", [float(rank == _FIRST) for rank in ranks])
    yield percent("among two", [float(0 < rank <= _SECOND) for rank in ranks])
