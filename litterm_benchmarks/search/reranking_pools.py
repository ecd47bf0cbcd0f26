"""DORIS-MAE and CSFCube: a given pool of papers in order of relevance, for a long query or for a facet of a paper."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean

from litterm.core.settings import Settings
from litterm.core.tasks import Task
from litterm.model.paper import PaperId
from litterm_benchmarks.metrics import columns
from litterm_benchmarks.readers import csfcube, doris_mae
from litterm_benchmarks.readers.csfcube import read_csfcube
from litterm_benchmarks.readers.doris_mae import read_doris_mae
from litterm_benchmarks.report import BenchReport, MethodRow
from litterm_benchmarks.search.bench_library import PaperListReader, with_library
from litterm_benchmarks.search.cases import Method, QueryCase, Target
from litterm_benchmarks.search.litterm_methods import RERANK, Subject
from litterm_benchmarks.search.relevance import compute_metrics
from litterm_benchmarks.search.retrieval import choose_methods, rank_cases, report_rows, require_known
from litterm_benchmarks.search.training_overlap import overlap_note

_POOL_NOTE = "every abstract of a pool is ranked; ndcg gains are the grades themselves"
ASPECTS = "gold aspects"
"""The aspects that people wrote as the query (table 6 of DORIS-MAE), which nobody has who searches."""
_METHODS = ("litterm", "bm25", RERANK)
_RANDOM_DRAWS = 50
"""Orders drawn for each case."""


def measure_doris_mae(path: Path, settings: Settings, *, methods: Sequence[str] = ()) -> Task[BenchReport]:
    """The whole query as it is; abstracts with an average grade of at least 1 are relevant.

    Raises:
        BadInput: the data is not in a known form.
        UsageError: a method is not known.
    """
    require_known(methods, (*_METHODS, ASPECTS))
    data = read_doris_mae(path)
    cases = [
        QueryCase(
            key=item.key,
            query=item.text,
            targets=_relevant(item.grades, doris_mae.RELEVANT),
            cluster=item.key,
            pool=tuple(item.grades),
            grades=item.grades,
            criteria=item.criteria,
        )
        for item in data.queries
    ]
    aspects = {item.key: " ".join(item.aspects) for item in data.queries if item.aspects}
    without = sum(not case.targets for case in cases)
    notes = (_POOL_NOTE, f"{without} of {len(cases)} queries have no relevant abstract and count in ndcg only")

    def measure(subject: Subject) -> Task[BenchReport]:
        return _measure(
            "doris-mae", path, cases, _methods(subject, methods, aspects), subject, notes, chance=not methods
        )

    return (yield from with_library(PaperListReader(data.corpus), path, settings, measure))


def measure_csfcube(path: Path, settings: Settings, *, methods: Sequence[str] = ()) -> Task[BenchReport]:
    """A paper and one facet of it; candidates graded 2 or 3 are relevant. `bm25` gets title and abstract.

    Raises:
        BadInput: the data is not in a known form.
        UsageError: a method is not known.
    """
    require_known(methods, _METHODS)
    data = read_csfcube(path)
    cases = [
        QueryCase(
            key=item.key,
            query=item.text,
            targets=_relevant(item.grades, csfcube.RELEVANT),
            cluster=item.paper,
            parts=(("facet", item.facet),),
            pool=tuple(item.grades),
            grades=item.grades,
            about=item.paper,
        )
        for item in data.queries
    ]

    def measure(subject: Subject) -> Task[BenchReport]:
        return _measure("csfcube", path, cases, _methods(subject, methods), subject, (_POOL_NOTE,), chance=not methods)

    return (yield from with_library(PaperListReader(data.corpus), path, settings, measure))


def _measure(
    bench: str,
    path: Path,
    cases: Sequence[QueryCase],
    methods: dict[str, Method],
    subject: Subject,
    notes: tuple[str, ...],
    *,
    chance: bool,
) -> Task[BenchReport]:
    answers = yield from rank_cases(cases, methods)
    notes = (*notes, overlap_note(cases, subject.holdings))
    rows = report_rows(cases, answers, subject.holdings)
    if chance:
        # The ceiling stays last.
        rows = (*rows[:-1], _chance(cases), rows[-1])
    return BenchReport(bench, path.name, len(cases), rows, notes)


def _chance(cases: Sequence[QueryCase]) -> MethodRow:
    """What a random order gets."""
    values: defaultdict[str, list[float]] = defaultdict(list)
    for case in cases:
        # A seed of its own, so that a part of the cases gives the same figures.
        dice = random.Random(case.key)
        drawn = [compute_metrics(dice.sample(case.pool, len(case.pool)), case) for _ in range(_RANDOM_DRAWS)]
        for name in drawn[0]:
            values[name].append(fmean(metrics[name] for metrics in drawn))
    return MethodRow("random", columns(values))


def _methods(subject: Subject, names: Sequence[str], aspects: Mapping[str, str] | None = None) -> dict[str, Method]:
    """The methods asked for; with `aspects`, texts by the key of a case, these are one more query."""

    def search_aspects(case: QueryCase) -> Task[Sequence[PaperId]]:
        return (yield from subject.search(replace(case, query=(aspects or {}).get(case.key, case.query))))

    own: dict[str, Method] = {ASPECTS: search_aspects} if aspects else {}
    ways = {"litterm": subject.search, "bm25": subject.plain, **own}
    return choose_methods(ways, names, {RERANK: subject.rerank})


def _relevant(grades: Mapping[PaperId, float], least: float) -> tuple[Target, ...]:
    return tuple(frozenset({paper}) for paper, grade in grades.items() if grade >= least)
