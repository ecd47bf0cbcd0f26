"""Statistics of agreement: accuracy, macro F1, Cohen's kappa, Spearman's rho, and a bootstrap that draws papers.

After the human study of EvidenceBench: papers are drawn with replacement, then cells inside each drawn paper, because
cells of one paper are alike. The hypothesis tested is that of DORIS-MAE: people agree with the model as with people.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from litterm.model.agreement import (
    LABELS,
    METRICS,
    MIN_TEST_CELLS,
    SIGNIFICANCE,
    AgreementReport,
    AgreementRow,
    CellKind,
    GradedCell,
    Metric,
    MetricInterval,
    SetPart,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

DRAWS = 4_000
"""Draws of the bootstrap: the ends of an interval then move by less than a point."""
_SEED = 20_240_601
"""Fixed, so that the same grades give the same figures."""
_QUANTILES = (0.025, 0.975)
_MIN_DEFINED_SHARE = 0.5
"""Share of the draws in which a metric must be defined to have an interval."""
_MIN_PAPERS = 2
_MIN_GRADED_SHARE = 0.5
"""Share of the cells graded by two people of which somebody must have graded more to count among the people."""
_PEOPLE = "people with people"

Grades = Mapping[GradedCell, str]


def compare(
    part: SetPart,
    kind: CellKind,
    cells: Sequence[GradedCell],
    people: Mapping[str, Grades],
    model: str = "",
    by_model: Grades | None = None,
    *,
    with_test: bool = False,
) -> AgreementReport:
    """Compares the grades of `people`, by name, on `cells` with each other and with those of the model.

    `with_test` also tests whether people agree with the model as with people, if two people and the model have graded
    at least `MIN_TEST_CELLS` cells.
    """
    graded = {name: {cell: grades[cell] for cell in cells if cell in grades} for name, grades in people.items()}
    graded = {name: grades for name, grades in graded.items() if grades}
    report = AgreementReport(
        part, kind, len(cells), {name: len(grades) for name, grades in graded.items()}, model, splits=_splits(graded)
    )
    pair_rows = [_pair_row(f"{one} and {other}", kind, [(graded[one], graded[other])]) for one, other in _pairs(graded)]
    if not model or not by_model:
        people, shared = graded_together(graded)
        among = [(people[one], people[other]) for one, other in _pairs(people)]
        mean = [AgreementRow(_PEOPLE, len(shared), _Bootstrap.of(kind, among))] if len(pair_rows) > 1 and among else []
        return replace(report, rows=(*mean, *pair_rows))
    given = {cell: label for cell, label in by_model.items() if label in LABELS[kind]}
    model_rows = [_pair_row(f"{name} and {model}", kind, [(grades, given)]) for name, grades in graded.items()]
    # One pair is all there is of people with people.
    own_rows = (*(pair_rows if len(pair_rows) > 1 else ()), *model_rows)
    return _compare_with_model(replace(report, rows=own_rows), graded, given, with_test=with_test)


def graded_together(graded: Mapping[str, Grades]) -> tuple[dict[str, Grades], frozenset[GradedCell]]:
    """The cells that at least two people graded, and the grades on these of everyone who graded most of them.

    Who graded two cells of fifty would otherwise weigh in the mean over people as much as who graded all.
    """
    shared = _cells_of_two(graded)
    people = {
        name: grades for name, grades in graded.items() if len(shared & grades.keys()) > _MIN_GRADED_SHARE * len(shared)
    }
    shared = _cells_of_two(people)
    return {name: {cell: grades[cell] for cell in grades if cell in shared} for name, grades in people.items()}, shared


def _cells_of_two(graded: Mapping[str, Grades]) -> frozenset[GradedCell]:
    votes = Counter(cell for grades in graded.values() for cell in grades)
    return frozenset(cell for cell, count in votes.items() if count > 1)


def _compare_with_model(
    report: AgreementReport, graded: Mapping[str, Grades], given: Grades, *, with_test: bool
) -> AgreementReport:
    """Adds the rows of both kinds of agreement on the same cells, and the test."""
    people, shared = graded_together(
        {name: {cell: label for cell, label in grades.items() if cell in given} for name, grades in graded.items()}
    )
    if not shared:
        return report
    bootstrap = _Bootstrap(report.kind, shared)
    among_people = bootstrap.mean_of([(people[one], people[other]) for one, other in _pairs(people)])
    with_model = bootstrap.mean_of([(grades, given) for grades in people.values()])
    rows = [
        AgreementRow(_PEOPLE, len(shared), bootstrap.intervals(among_people)),
        AgreementRow(f"people with {report.model}", len(shared), bootstrap.intervals(with_model)),
    ]
    if (majority := _majority(people)) and len(people) > 2:
        both = [(majority, given)]
        rows.append(AgreementRow(f"{report.model} with the majority", len(majority), _Bootstrap.of(report.kind, both)))
    report = replace(report, rows=(*rows, *report.rows), compared=len(shared), papers=bootstrap.papers)
    if not with_test or len(shared) < MIN_TEST_CELLS or bootstrap.papers < _MIN_PAPERS:
        return report
    p = {
        metric: value
        for at, metric in enumerate(METRICS)
        if (value := _p_value(among_people[1:, at] - with_model[1:, at])) is not None
    }
    differences = bootstrap.intervals(among_people - with_model)
    lower = [metric for metric, value in p.items() if value < SIGNIFICANCE and (differences[metric].value or 0.0) > 0]
    # A model that hits no better than chance passes where people do not either; that is no agreement.
    kappa = rows[1].metrics["kappa"].low
    return replace(report, p=p, differences=differences, agrees=not lower and kappa is not None and kappa > 0)


class _Bootstrap:
    """Draws of cells, as how often each is in a draw; the first row has every cell once."""

    def __init__(self, kind: CellKind, graded_cells: Collection[GradedCell]) -> None:
        cells = sorted(graded_cells, key=lambda cell: (cell.paper_id, cell.text, cell.sentence))
        self._labels = {label: number for number, label in enumerate(LABELS[kind])}
        self._cells = cells
        sizes = list(Counter(cell.paper_id for cell in cells).values())
        self.papers = len(sizes)
        random = np.random.default_rng(_SEED)
        chosen = random.multinomial(self.papers, [1 / self.papers] * self.papers, size=DRAWS)
        drawn = [
            random.multinomial(chosen[:, paper] * size, [1 / size] * size, size=DRAWS)
            for paper, size in enumerate(sizes)
        ]
        self._weights = np.vstack((np.ones((1, len(cells))), np.hstack(drawn)))

    @classmethod
    def of(cls, kind: CellKind, pairs: Sequence[tuple[Grades, Grades]]) -> Mapping[Metric, MetricInterval]:
        """The mean of the metrics of `pairs` over all cells that a pair shares."""
        cells = {cell for one, other in pairs for cell in one if cell in other}
        if not cells:
            return {metric: MetricInterval(None) for metric in METRICS}
        bootstrap = cls(kind, cells)
        return bootstrap.intervals(bootstrap.mean_of(pairs))

    def mean_of(self, pairs: Sequence[tuple[Grades, Grades]]) -> Floats:
        """The metrics of each draw (rows), as the mean over `pairs`; `nan` where one is undefined."""
        per_pair = [metrics_of(self._confusions(one, other)) for one, other in pairs]
        stacked = np.stack([values for values in per_pair if not np.isnan(values[0, 0])] or per_pair)
        # A metric that one pair does not have in a draw is the mean of the others.
        defined = (~np.isnan(stacked)).sum(axis=0)
        return np.where(defined > 0, np.nansum(stacked, axis=0) / np.maximum(defined, 1), np.nan)

    def _confusions(self, one: Grades, other: Grades) -> Floats:
        size = len(self._labels)
        codes = np.array(
            [
                self._labels[one[cell]] * size + self._labels[other[cell]] if cell in one and cell in other else -1
                for cell in self._cells
            ]
        )
        members = (codes[:, None] == np.arange(size * size)).astype(float)
        return np.asarray(self._weights @ members).reshape(-1, size, size)

    def intervals(self, drawn: Floats) -> Mapping[Metric, MetricInterval]:
        """Value and interval of each metric."""
        return {metric: self._interval(drawn[:, at]) for at, metric in enumerate(METRICS)}

    def _interval(self, values: Floats) -> MetricInterval:
        value = None if np.isnan(values[0]) else float(values[0])
        draws = values[1:][~np.isnan(values[1:])]
        if value is None or self.papers < _MIN_PAPERS or len(draws) < _MIN_DEFINED_SHARE * DRAWS:
            return MetricInterval(value)
        low, high = np.quantile(draws, _QUANTILES)
        return MetricInterval(value, float(low), float(high))


def metrics_of(confusions: Floats) -> Floats:
    """Accuracy, macro F1, kappa and rho (columns) of confusion matrices of shape (draws, labels, labels).

    `nan` where one is undefined: all of an empty matrix, kappa and rho where a grader used one label only.
    """
    total = confusions.sum(axis=(1, 2))
    rows, columns = confusions.sum(axis=2), confusions.sum(axis=1)
    hits = np.diagonal(confusions, axis1=1, axis2=2)
    with np.errstate(divide="ignore", invalid="ignore"):
        observed = hits.sum(axis=1) / total
        # A label that neither used has no F1.
        f1 = np.nanmean(np.where(rows + columns > 0, 2 * hits / (rows + columns), np.nan), axis=1)
        by_chance = (rows * columns).sum(axis=1) / total**2
        kappa = (observed - by_chance) / (1 - by_chance)
        rho = _spearman(confusions, rows, columns, total)
    f1 = np.where(total > 0, f1, np.nan)
    return np.stack((observed, f1, np.where(np.isclose(by_chance, 1), np.nan, kappa), rho), axis=1)


def _spearman(confusions: Floats, rows: Floats, columns: Floats, total: Floats) -> Floats:
    """The correlation of the ranks, of equal ones their mean."""
    row_ranks, column_ranks = (np.cumsum(counts, axis=1) - (counts - 1) / 2 for counts in (rows, columns))
    middle = ((total + 1) / 2)[:, None]
    row_ranks, column_ranks = row_ranks - middle, column_ranks - middle
    together = np.einsum("dij,di,dj->d", confusions, row_ranks, column_ranks)
    spread = np.sqrt((rows * row_ranks**2).sum(axis=1) * (columns * column_ranks**2).sum(axis=1))
    return np.asarray(np.where(spread > 1e-9, together / spread, np.nan))


def _p_value(differences: Floats) -> float | None:
    """How probable such a difference is if there is none, from two sides; `None` where it is mostly undefined."""
    values = differences[~np.isnan(differences)]
    if len(values) < _MIN_DEFINED_SHARE * DRAWS:
        return None
    below, above = ((1 + float(count)) / (1 + len(values)) for count in ((values <= 0).sum(), (values >= 0).sum()))
    return min(1.0, 2 * min(below, above))


def _pair_row(name: str, kind: CellKind, pairs: Sequence[tuple[Grades, Grades]]) -> AgreementRow:
    cells = {cell for one, other in pairs for cell in one if cell in other}
    return AgreementRow(name, len(cells), _Bootstrap.of(kind, pairs))


def _pairs(graded: Mapping[str, Grades]) -> list[tuple[str, str]]:
    return [(one, other) for one, other in combinations(graded, 2) if not graded[one].keys().isdisjoint(graded[other])]


def _majority(people: Mapping[str, Grades]) -> dict[GradedCell, str]:
    """The label that most people gave; cells without one are left out."""
    majority = {}
    for cell in {cell for grades in people.values() for cell in grades}:
        ranked = Counter(grades[cell] for grades in people.values() if cell in grades).most_common(2)
        if len(ranked) == 1 or ranked[0][1] > ranked[1][1]:
            majority[cell] = ranked[0][0]
    return majority


def _splits(graded: Mapping[str, Grades]) -> tuple[tuple[GradedCell, tuple[tuple[str, str], ...]], ...]:
    cells = dict.fromkeys(cell for grades in graded.values() for cell in grades)
    by_cell = (
        (cell, tuple((name, grades[cell]) for name, grades in graded.items() if cell in grades)) for cell in cells
    )
    return tuple((cell, given) for cell, given in by_cell if len({label for _, label in given}) > 1)
