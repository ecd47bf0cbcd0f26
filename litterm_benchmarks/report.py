"""One form for every bench: rows of methods, metrics with a mean and, where it has meaning, an error."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from litterm.render.bench import BenchData, BenchPartData, BenchRowData, ComparedTableData, MetricData


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
    base: str = ""
    """The method that gains are over; empty for the usual baseline of the bench."""


@dataclass(frozen=True, slots=True)
class BenchReport:
    """The outcome of a bench; the shipped default is the first row, under the method name `litterm`."""

    bench: str
    source: str
    """The file or folder measured."""
    n: int
    rows: tuple[MethodRow, ...]
    notes: tuple[str, ...] = ()
    tables: tuple[ComparisonTable, ...] = ()
    """Where the bench sets figures beside published ones."""


@dataclass(frozen=True, slots=True)
class ComparisonRow:
    """One line of a published table with ours."""

    name: str
    cells: Mapping[str, Metric] = field(default_factory=dict)
    """By column; what is missing is a dash."""
    why: str = ""
    """Why ours is a dash, where that is not the same for the whole table."""


@dataclass(frozen=True, slots=True)
class ComparisonTable:
    """The figures of one paper, and ours in the next columns."""

    title: str
    data: str
    """What ours were measured on, or why nothing was."""
    published: tuple[str, ...]
    """Columns with the figures of the paper; none where ours are of other data."""
    ours: tuple[str, ...]
    rows: tuple[ComparisonRow, ...]
    notes: tuple[str, ...] = ()


def as_json(report: BenchReport) -> BenchData:
    """`{"bench","data","n","rows":[{"method","metrics":{NAME:{"mean","se"}}}],"notes"}`.

    A metric with a baseline also has `gain` and `gain_se`, and the row `base` where the baseline is not that of the
    bench; a row of data that knows parts also has
    `parts`: `{FIELD: {VALUE: {"n", "metrics"}}}`. A bench with published figures also has
    `tables`: `[{"title","data","published","ours","rows":[{"name","cells":{COLUMN:{"mean","se"}},"why"}],"notes"}]`.
    """
    data: BenchData = {
        "bench": report.bench,
        "data": report.source,
        "n": report.n,
        "rows": [_row(row) for row in report.rows],
        "notes": list(report.notes),
    }
    if report.tables:
        data["tables"] = [_table_json(table) for table in report.tables]
    return data


def as_lines(report: BenchReport) -> list[str]:
    """Tables for the terminal: one line a method, `mean±se` a column; then the gains, then each part."""
    head = f"{report.bench} · {report.source} · n={report.n}"
    lines = [head, *(_table([(row.method, row.metrics) for row in report.rows]) if report.rows else [])]
    gains = [(f"{row.method} over {row.base or 'the baseline'}", _gains(row.metrics)) for row in report.rows]
    gains = [(method, metrics) for method, metrics in gains if metrics]
    if gains:
        lines += ["", *_table(gains, signed=True)]
    for part_field, value, n in dict.fromkeys(
        (part.field, part.value, part.n) for row in report.rows for part in row.parts
    ):
        same = [(row.method, part.metrics) for row in report.rows for part in row.parts if _is(part, part_field, value)]
        lines += ["", f"{part_field}: {value} · n={n}", *_table(same)]
    lines += [line for table in report.tables for line in _comparison_lines(table)]
    return [*lines, *report.notes]


def _row(row: MethodRow) -> BenchRowData:
    fields: BenchRowData = {"method": row.method, "metrics": _metrics(row.metrics)}
    if row.base:
        fields["base"] = row.base
    if row.parts:
        by_field: dict[str, dict[str, BenchPartData]] = {}
        for part in row.parts:
            by_field.setdefault(part.field, {})[part.value] = {"n": part.n, "metrics": _metrics(part.metrics)}
        fields["parts"] = by_field
    return fields


def _metrics(metrics: Sequence[Metric]) -> dict[str, MetricData]:
    return {metric.name: _metric(metric) for metric in metrics}


def _metric(metric: Metric) -> MetricData:
    data: MetricData = {"mean": None if math.isnan(metric.mean) else metric.mean, "se": metric.se}
    if metric.gain is not None:
        data |= {"gain": metric.gain, "gain_se": metric.gain_se}
    return data


def _table_json(table: ComparisonTable) -> ComparedTableData:
    return {
        "title": table.title,
        "data": table.data,
        "published": list(table.published),
        "ours": list(table.ours),
        "rows": [
            {
                "name": row.name,
                "cells": {name: {"mean": cell.mean, "se": cell.se} for name, cell in row.cells.items()},
                "why": row.why,
            }
            for row in table.rows
        ],
        "notes": list(table.notes),
    }


def _comparison_lines(table: ComparisonTable) -> list[str]:
    """Published columns, a bar, ours, and why one of ours is a dash."""
    first_of_ours = len(table.published) + 1
    columns = (*table.published, *table.ours)
    grid = [["", *columns], *([row.name, *(cell_text(row.cells.get(name)) for name in columns)] for row in table.rows)]
    if table.published:
        grid.insert(0, ["", "published", *[""] * (first_of_ours - 2), "measured here", *[""] * (len(table.ours) - 1)])
    reasons = [*[""] * (len(grid) - len(table.rows)), *(row.why for row in table.rows)]
    widths = [max(len(line[column]) for line in grid) for column in range(len(columns) + 1)]
    lines = ["", f"{table.title} · {table.data}"]
    for line, why in zip(grid, reasons, strict=True):
        cells = [cell.ljust(width) for cell, width in zip(line, widths, strict=True)]
        if table.published:
            cells.insert(first_of_ours, "|")
        lines.append("  ".join([*cells, why]).rstrip())
    return [*lines, *table.notes]


def _is(part: SubsetScore, field: str, value: str) -> bool:
    return (part.field, part.value) == (field, value)


def _gains(metrics: Sequence[Metric]) -> tuple[Metric, ...]:
    return tuple(Metric(metric.name, metric.gain, metric.gain_se) for metric in metrics if metric.gain is not None)


def _table(rows: Sequence[tuple[str, Sequence[Metric]]], *, signed: bool = False) -> list[str]:
    names = list(dict.fromkeys(metric.name for _, metrics in rows for metric in metrics))
    table = [["method", *names]]
    for method, metrics in rows:
        by_name = {metric.name: metric for metric in metrics}
        table.append([method, *(cell_text(by_name.get(name), signed=signed) for name in names)])
    widths = [max(len(line[column]) for line in table) for column in range(len(names) + 1)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in table]


def cell_text(metric: Metric | None, *, signed: bool = False) -> str:
    """`mean±se`, or a dash where there is nothing."""
    if metric is None or math.isnan(metric.mean):
        return "-"
    mean = f"{metric.mean:+.1f}" if signed else f"{metric.mean:.1f}"
    return mean if metric.se is None else f"{mean}±{metric.se:.1f}"
