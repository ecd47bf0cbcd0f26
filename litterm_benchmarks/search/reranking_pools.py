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
from litterm.model.aspects import AspectQuery
from litterm.model.paper import PaperId
from litterm_benchmarks.metrics import columns
from litterm_benchmarks.readers import csfcube, doris_mae
from litterm_benchmarks.readers.csfcube import read_csfcube
from litterm_benchmarks.readers.doris_mae import LongQuery, read_doris_mae
from litterm_benchmarks.report import BenchReport, MethodRow, SubsetScore
from litterm_benchmarks.search.bench_library import PaperListReader, with_library
from litterm_benchmarks.search.cases import Method, QueryCase, Target
from litterm_benchmarks.search.litterm_methods import RERANK, Subject
from litterm_benchmarks.search.relevance import compute_metrics
from litterm_benchmarks.search.retrieval import choose_methods, rank_cases, report_rows, require_known
from litterm_benchmarks.search.training_overlap import overlap_note

_POOL_NOTE = "every abstract of a pool is ranked; ndcg gains are the grades themselves"
ASPECTS = "gold aspects"
"""The aspects that people wrote, joined, as the query (tables 6 and 13 of DORIS-MAE), which nobody has who searches."""
SENTENCES, EACH_ASPECT, SUM = "sentences", "each aspect", "aspects, sum"
"""What `search` does with `--sort sentences`, with `--each-aspect`, and with this and `--sort aspects`; the aspects are
those that it finds in the query itself, offline."""
_METHODS = ("litterm", "bm25", RERANK)
_METHODS_WITH_ASPECTS = (
    *("litterm", "bm25", SENTENCES, EACH_ASPECT, SUM),
    *(ASPECTS, f"{ASPECTS}, {SENTENCES}", f"{ASPECTS}, each", f"{ASPECTS}, sum", RERANK),
)
SUBQUERIES = ("queries", "of two aspects")
"""The part of the sub-queries, which no other figure holds."""
_OF_SUBQUERIES = ("litterm", "bm25", SENTENCES)
"""Methods that are measured on sub-queries where none is named."""
_KIND = "kind of query"
_RANDOM_DRAWS = 50
"""Orders drawn for each case."""


def measure_doris_mae(path: Path, settings: Settings, *, methods: Sequence[str] = ()) -> Task[BenchReport]:
    """The whole query as it is; abstracts with an average grade of at least 1 are relevant.

    Raises:
        BadInput: the data is not in a known form.
        UsageError: a method is not known.
    """
    require_known(methods, _METHODS_WITH_ASPECTS)
    data = read_doris_mae(path)
    cases, subqueries = ([_long_case(item) for item in items] for items in (data.queries, data.subqueries))
    aspects = {item.key: item.aspects for item in (*data.queries, *data.subqueries) if item.aspects}
    without = sum(not case.targets for case in cases)
    notes = (
        _POOL_NOTE,
        f"{without} of {len(cases)} queries have no relevant abstract and count in ndcg only",
        f"{len(subqueries):,} queries of two aspects, as the code of the authors makes them"
        if subqueries
        else "queries of two aspects need the grades of single aspects, which these data do not have",
    )

    def measure(subject: Subject) -> Task[BenchReport]:
        named = _methods(subject, methods, aspects)
        report = yield from _measure("doris-mae", path, cases, named, subject, notes, chance=not methods)
        if not subqueries:
            return report
        # A thousand sub-queries take minutes by each way that searches aspect by aspect.
        quick = named if methods else {name: named[name] for name in _OF_SUBQUERIES if name in named}
        answers = yield from rank_cases(subqueries, quick, subject.at_once(RERANK))
        rows = report_rows(subqueries, answers, subject.holdings)
        by_method = {row.method: row for row in (*rows, *([] if methods else [_chance(subqueries)]))}
        return replace(report, rows=tuple(_with_subqueries(row, by_method, len(subqueries)) for row in report.rows))

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


def _long_case(item: LongQuery) -> QueryCase:
    return QueryCase(
        key=item.key,
        query=item.text,
        targets=_relevant(item.grades, doris_mae.RELEVANT),
        cluster=item.source or item.key,
        parts=((_KIND, item.kind),) if item.kind and not item.source else (),
        pool=tuple(item.grades),
        grades=item.grades,
        criteria=item.criteria,
    )


def _with_subqueries(row: MethodRow, by_method: Mapping[str, MethodRow], count: int) -> MethodRow:
    """`row` with what the same method reached on the sub-queries as one more part."""
    if row.method not in by_method:
        return row
    return replace(row, parts=(*row.parts, SubsetScore(*SUBQUERIES, count, by_method[row.method].metrics)))


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
    answers = yield from rank_cases(cases, methods, subject.at_once(RERANK))
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


def _methods(
    subject: Subject, names: Sequence[str], aspects: Mapping[str, Sequence[str]] | None = None
) -> dict[str, Method]:
    """The methods asked for; with `aspects`, texts by the key of a case, also those where aspects are the query."""
    ways: dict[str, Method] = {"litterm": subject.search, "bm25": subject.plain}
    if aspects:
        ways |= {
            SENTENCES: subject.by_sentences,
            EACH_ASPECT: subject.each_aspect,
            SUM: subject.sum_of_aspects,
            **_gold_methods(subject, aspects),
        }
    return choose_methods(ways, names, {RERANK: subject.rerank})


def _gold_methods(subject: Subject, aspects: Mapping[str, Sequence[str]]) -> dict[str, Method]:
    """The same ways with the aspects that people wrote."""

    def joined(case: QueryCase) -> QueryCase:
        return replace(case, query=" ".join(aspects.get(case.key, (case.query,))))

    def by_hand(case: QueryCase) -> AspectQuery:
        return subject.engine.aspects.read(aspects.get(case.key, (case.query,)))

    return {
        ASPECTS: lambda case: subject.search(joined(case)),
        f"{ASPECTS}, {SENTENCES}": lambda case: subject.by_sentences(joined(case)),
        f"{ASPECTS}, each": lambda case: subject.each_aspect(case, by_hand(case)),
        f"{ASPECTS}, sum": lambda case: subject.sum_of_aspects(case, by_hand(case)),
    }


def _relevant(grades: Mapping[PaperId, float], least: float) -> tuple[Target, ...]:
    return tuple(frozenset({paper}) for paper, grade in grades.items() if grade >= least)
