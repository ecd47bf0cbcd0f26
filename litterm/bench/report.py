"""One form for every bench: rows of methods, metrics with a mean and, where it has meaning, an error."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Metric:
    """One figure; its name carries the unit where it is not percent (`p50 ms`)."""

    name: str
    mean: float
    se: float | None = None
    """Bootstrap standard error; `None` where nothing was sampled."""


@dataclass(frozen=True, slots=True)
class Row:
    """What one method reached."""

    method: str
    metrics: tuple[Metric, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """The outcome of a bench; the shipped default is the first row, under the method name `litterm`."""

    bench: str
    source: str
    """The file or folder measured."""
    n: int
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()


def as_json(report: Report) -> dict[str, object]:
    """`{"bench","data","n","rows":[{"method","metrics":{NAME:{"mean","se"}}}],"notes"}`."""
    return {
        "bench": report.bench,
        "data": report.source,
        "n": report.n,
        "rows": [
            {"method": row.method, "metrics": {m.name: {"mean": m.mean, "se": m.se} for m in row.metrics}}
            for row in report.rows
        ],
        "notes": list(report.notes),
    }


def as_lines(report: Report) -> list[str]:
    """A table for the terminal: one line a method, `mean±se` a column."""
    names = list(dict.fromkeys(m.name for row in report.rows for m in row.metrics))
    table = [["method", *names]]
    for row in report.rows:
        by_name = {m.name: m for m in row.metrics}
        table.append([row.method, *(_cell(by_name.get(name)) for name in names)])
    widths = [max(len(line[column]) for line in table) for column in range(len(names) + 1)]
    head = f"{report.bench} · {report.source} · n={report.n}"
    rows = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in table]
    return [head, *rows, *report.notes]


def _cell(metric: Metric | None) -> str:
    if metric is None:
        return "-"
    return f"{metric.mean:.1f}" if metric.se is None else f"{metric.mean:.1f}±{metric.se:.1f}"
