"""Computes the report of a retrieval bench: every method on the same cases, with errors, gains and subsets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from litterm.core.errors import UsageError
from litterm.core.tasks import Task
from litterm.model.paper import PaperId
from litterm_benchmarks.cases_at_once import measure_cases
from litterm_benchmarks.metrics import percent
from litterm_benchmarks.report import MethodRow, Metric, SubsetScore
from litterm_benchmarks.search.cases import Method, QueryCase
from litterm_benchmarks.search.library_records import BenchLibrary
from litterm_benchmarks.search.relevance import best_order, compute_metrics

BASELINE, CEILING = "bm25", "ceiling"
COUNTERPARTS: Mapping[str, str] = {"rerank": "litterm", "list-model": "list"}
"""By method that asks a model, the method without one that it is compared with; measured on the same cases."""
_CASES_PER_EVENT = 10
"""Cases between two reports of progress."""


@dataclass(frozen=True, slots=True)
class MethodRankings:
    """The rankings of one method, case by case."""

    method: str
    orders: tuple[tuple[PaperId, ...], ...]


def rank_cases(
    cases: Sequence[QueryCase], methods: Mapping[str, Method], at_once: Mapping[str, int] = MappingProxyType({})
) -> Task[tuple[MethodRankings, ...]]:
    """Every method on every case, and the best order there is.

    `at_once` says of methods that ask a model how many cases are asked about at the same time.
    """
    answers: list[MethodRankings] = []
    for name, method in methods.items():
        orders = yield from measure_cases(
            name,
            (_rank(case, method) for case in cases),
            len(cases),
            at_once=at_once.get(name, 1),
            per_event=1 if name in at_once else _CASES_PER_EVENT,
        )
        answers.append(MethodRankings(name, tuple(orders)))
    return (*answers, MethodRankings(CEILING, tuple(tuple(best_order(case)) for case in cases)))


def _rank(case: QueryCase, method: Method) -> Task[tuple[PaperId, ...]]:
    order = yield from method(case)
    ranked = tuple(paper for paper in order if paper not in case.exclude)
    return (*ranked, *_rest_of_pool(ranked, case))


def choose_methods(
    methods: Mapping[str, Method],
    names: Sequence[str],
    named: Mapping[str, Method] | None = None,
    counterparts: Mapping[str, str] = COUNTERPARTS,
) -> dict[str, Method]:
    """The methods asked for, in their own order; all `methods` where none is asked for, of `named` none.

    With a method that asks a model comes its counterpart without one.

    Raises:
        UsageError: one of them is not known.
    """
    every = {**methods, **(named or {})}
    require_known(names, every)
    wanted = {*(names or methods), *(counterparts[name] for name in names if name in counterparts)}
    return {name: method for name, method in every.items() if name in wanted}


def require_known(names: Sequence[str], known: Iterable[str]) -> None:
    """Refuses a method that is not known.

    Raises:
        UsageError: there is one.
    """
    there = list(known)
    unknown = [name for name in names if name not in there]
    if unknown:
        raise UsageError(f"no method {unknown[0]!r} here; there are {', '.join(there)}")


Measure = Callable[[Sequence[PaperId], QueryCase], Mapping[str, float]]
"""The metrics of one ranking, each in [0, 1]."""


def report_rows(
    cases: Sequence[QueryCase],
    answers: Sequence[MethodRankings],
    holdings: BenchLibrary,
    measure: Measure = compute_metrics,
    counterparts: Mapping[str, str] = COUNTERPARTS,
) -> tuple[MethodRow, ...]:
    """One row a method; gains over its counterpart where it asks a model, else over `bm25` where that is measured."""
    sections = dict(_sections(cases, holdings))
    whole = [(number, case) for number, case in enumerate(cases)]
    by_method = {answer.method: answer for answer in answers}

    def build_row(answer: MethodRankings) -> MethodRow:
        own_base = counterparts.get(answer.method, "")
        base = by_method.get(own_base) or by_method.get(BASELINE)
        parts = tuple(
            SubsetScore(field, value, len(members), _metrics(members, answer, base, measure))
            for (field, value), members in sections.items()
        )
        metrics = _metrics(whole, answer, base, measure)
        return MethodRow(answer.method, metrics, parts, own_base if own_base in by_method else "")

    return tuple(map(build_row, answers))


Members = Sequence[tuple[int, QueryCase]]
"""Cases with their number among all; a case may stand here with fewer targets than it has."""


def _sections(cases: Sequence[QueryCase], holdings: BenchLibrary) -> Iterator[tuple[tuple[str, str], Members]]:
    fields = dict.fromkeys(part for case in cases for part in case.parts)
    for field, value in sorted(fields):
        yield (field, value), [(number, case) for number, case in enumerate(cases) if (field, value) in case.parts]
    if any(case.pool for case in cases):
        return
    for value, with_abstract in (("with", True), ("without", False)):
        narrow = [
            (number, _restrict_targets(case, holdings, abstract=with_abstract)) for number, case in enumerate(cases)
        ]
        members = [(number, case) for number, case in narrow if case.targets]
        if members:
            yield ("abstract", value), members


def _restrict_targets(case: QueryCase, holdings: BenchLibrary, *, abstract: bool) -> QueryCase:
    """`case` with those targets only that have an abstract, or have none."""
    targets = [target for target in case.targets if target and holdings.has_abstract(target) is abstract]
    return replace(case, targets=tuple(targets))


def _metrics(
    members: Members, answer: MethodRankings, base: MethodRankings | None, measure: Measure
) -> tuple[Metric, ...]:
    # The ceiling gets no gain: it is no method, and to beat the baseline says nothing of it.
    values = [measure(answer.orders[number], case) for number, case in members]
    plain = (
        [measure(base.orders[number], case) for number, case in members] if base and answer.method != CEILING else []
    )
    compared = plain if base is not answer else []
    names = list(dict.fromkeys(name for figure in values for name in figure))
    return tuple(
        percent(
            name,
            [figure[name] for figure in values if name in figure],
            [case.cluster for figure, (_, case) in zip(values, members, strict=True) if name in figure],
            base=_baseline_values(name, values, compared),
        )
        for name in names
    )


def _baseline_values(
    name: str, values: Sequence[Mapping[str, float]], base: Sequence[Mapping[str, float]]
) -> list[float]:
    """What the baseline got on the same cases; nothing where one of the two lacks the metric on some case."""
    if not base or any(
        (name in method_metric) is not (name in other) for method_metric, other in zip(values, base, strict=True)
    ):
        return []
    return [figure[name] for figure in base if name in figure]


def _rest_of_pool(order: Sequence[PaperId], case: QueryCase) -> Iterator[PaperId]:
    """The papers of a pool that a method left out, by id: pools are ranked as a whole."""
    ranked = set(order)
    return (paper for paper in sorted(case.pool) if paper not in ranked and paper not in case.exclude)
