"""DORIS-MAE and CSFCube: a given pool of papers in order of relevance, for a long query or for a facet of a paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from litterm.core.settings import Settings
from litterm.core.tasks import Task
from litterm.model.paper import PaperId
from litterm_benchmarks.readers import csfcube, doris_mae
from litterm_benchmarks.readers.csfcube import read_csfcube
from litterm_benchmarks.readers.doris_mae import read_doris_mae
from litterm_benchmarks.report import BenchReport
from litterm_benchmarks.search.bench_library import PaperListReader, with_library
from litterm_benchmarks.search.cases import Method, QueryCase, Target
from litterm_benchmarks.search.litterm_methods import RERANK, Subject
from litterm_benchmarks.search.retrieval import choose_methods, rank_cases, report_rows
from litterm_benchmarks.search.training_overlap import overlap_note

_POOL_NOTE = "every abstract of a pool is ranked; ndcg gains are the grades themselves"


def measure_doris_mae(path: Path, settings: Settings, *, methods: Sequence[str] = ()) -> Task[BenchReport]:
    """The whole query as it is; abstracts with an average grade of at least 1 are relevant.

    Raises:
        BadInput: the data is not in a known form.
        UsageError: a method is not known.
    """
    data = read_doris_mae(path)
    cases = [
        QueryCase(
            key=item.key,
            query=item.text,
            targets=_relevant(item.grades, doris_mae.RELEVANT),
            cluster=item.key,
            pool=tuple(item.grades),
            grades=item.grades,
        )
        for item in data.queries
    ]
    without = sum(not case.targets for case in cases)
    notes = (_POOL_NOTE, f"{without} of {len(cases)} queries have no relevant abstract and count in ndcg only")

    def measure(subject: Subject) -> Task[BenchReport]:
        return _measure("doris-mae", path, cases, _methods(subject, methods), subject, notes)

    return (yield from with_library(PaperListReader(data.corpus), path, settings, measure))


def measure_csfcube(path: Path, settings: Settings, *, methods: Sequence[str] = ()) -> Task[BenchReport]:
    """A paper and one facet of it; candidates graded 2 or 3 are relevant. `bm25` gets title and abstract.

    Raises:
        BadInput: the data is not in a known form.
        UsageError: a method is not known.
    """
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
        return _measure("csfcube", path, cases, _methods(subject, methods), subject, (_POOL_NOTE,))

    return (yield from with_library(PaperListReader(data.corpus), path, settings, measure))


def _measure(
    bench: str,
    path: Path,
    cases: Sequence[QueryCase],
    methods: dict[str, Method],
    subject: Subject,
    notes: tuple[str, ...],
) -> Task[BenchReport]:
    answers = yield from rank_cases(cases, methods)
    notes = (*notes, overlap_note(cases, subject.holdings))
    return BenchReport(bench, path.name, len(cases), report_rows(cases, answers, subject.holdings), notes)


def _methods(subject: Subject, names: Sequence[str]) -> dict[str, Method]:
    return choose_methods({"litterm": subject.search, "bm25": subject.plain}, names, {RERANK: subject.rerank})


def _relevant(grades: Mapping[PaperId, float], least: float) -> tuple[Target, ...]:
    return tuple(frozenset({paper}) for paper, grade in grades.items() if grade >= least)
