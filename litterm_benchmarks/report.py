"""One form for every bench: rows of methods, metrics with a mean and, where it has meaning, an error."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Metric:
    """One figure; its name carries the unit where it is not percent (`p50 ms`)."""

    name: str
    mean: float
    """Not a number where there is nothing to measure: shown as a dash."""
    se: float | None = None
    """Bootstrap standard error; `None` where nothing was sampled."""
    gain: float | None = None
    """Over the baseline of the same run, paired case by case; `None` where there is none."""
    gain_se: float | None = None


@dataclass(frozen=True, slots=True)
class SubsetScore:
    """What a method reached on the cases that share a property."""

    field: str
    """The property: `set`, `specificity`, `abstract`, ..."""
    value: str
    n: int
    metrics: tuple[Metric, ...]


@dataclass(frozen=True, slots=True)
class MethodRow:
    """What one method reached."""

    method: str
    metrics: tuple[Metric, ...]
    parts: tuple[SubsetScore, ...] = ()


@dataclass(frozen=True, slots=True)
class BenchReport:
    """The outcome of a bench; the shipped default is the first row, under the method name `litterm`."""

    bench: str
    source: str
    """The file or folder measured."""
    n: int
    rows: tuple[MethodRow, ...]
    notes: tuple[str, ...] = ()


def as_json(report: BenchReport) -> dict[str, object]:
    """`{"bench","data","n","rows":[{"method","metrics":{NAME:{"mean","se"}}}],"notes"}`.

    A metric with a baseline also has `gain` and `gain_se`; a row of data that knows parts also has
    `parts`: `{FIELD: {VALUE: {"n", "metrics"}}}`.
    """
    return {
        "bench": report.bench,
        "data": report.source,
        "n": report.n,
        "rows": [_row(row) for row in report.rows],
        "notes": list(report.notes),
    }


def as_lines(report: BenchReport) -> list[str]:
    """Tables for the terminal: one line a method, `mean±se` a column; then the gains, then each part."""
    head = f"{report.bench} · {report.source} · n={report.n}"
    lines = [head, *_table([(row.method, row.metrics) for row in report.rows])]
    gains = [(f"{row.method} over the baseline", _gains(row.metrics)) for row in report.rows]
    gains = [(method, metrics) for method, metrics in gains if metrics]
    if gains:
        lines += ["", *_table(gains, signed=True)]
    for field, value, n in dict.fromkeys((part.field, part.value, part.n) for row in report.rows for part in row.parts):
        same = [(row.method, part.metrics) for row in report.rows for part in row.parts if _is(part, field, value)]
        lines += ["", f"{field}: {value} · n={n}", *_table(same)]
    return [*lines, *report.notes]


def _row(row: MethodRow) -> dict[str, object]:
    fields: dict[str, object] = {"method": row.method, "metrics": _metrics(row.metrics)}
    if row.parts:
        by_field: dict[str, dict[str, object]] = {}
        for part in row.parts:
            by_field.setdefault(part.field, {})[part.value] = {"n": part.n, "metrics": _metrics(part.metrics)}
        fields["parts"] = by_field
    return fields


def _metrics(metrics: Sequence[Metric]) -> dict[str, dict[str, float | None]]:
    return {
        metric.name: {"mean": None if math.isnan(metric.mean) else metric.mean, "se": metric.se}
        | ({} if metric.gain is None else {"gain": metric.gain, "gain_se": metric.gain_se})
        for metric in metrics
    }


def _is(part: SubsetScore, field: str, value: str) -> bool:
    return (part.field, part.value) == (field, value)


def _gains(metrics: Sequence[Metric]) -> tuple[Metric, ...]:
    return tuple(Metric(metric.name, metric.gain, metric.gain_se) for metric in metrics if metric.gain is not None)


def _table(rows: Sequence[tuple[str, Sequence[Metric]]], *, signed: bool = False) -> list[str]:
    names = list(dict.fromkeys(metric.name for _, metrics in rows for metric in metrics))
    table = [["method", *names]]
    for method, metrics in rows:
        by_name = {metric.name: metric for metric in metrics}
        table.append([method, *(_cell(by_name.get(name), signed) for name in names)])
    widths = [max(len(line[column]) for line in table) for column in range(len(names) + 1)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in table]


def _cell(metric: Metric | None, signed: bool) -> str:
    if metric is None or math.isnan(metric.mean):
        return "-"
    mean = f"{metric.mean:+.1f}" if signed else f"{metric.mean:.1f}"
    return mean if metric.se is None else f"{mean}±{metric.se:.1f}"
