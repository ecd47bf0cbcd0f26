"""Sets the report of a bench beside the published figures of the same paper."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from litterm_benchmarks.report import BenchReport, ComparisonRow, ComparisonTable, MethodRow, Metric
from litterm_benchmarks.seeds.published import Line, SeedTable

AUTHORS_RUN = "published: "
"""How a bench names the runs of the authors on its own data."""
OURS = "litterm"
"""The column of lines that only one method of ours has."""


def compare(table: SeedTable, report: BenchReport, *, is_published: bool) -> ComparisonTable:
    """`table` with the figures of `report`; the published ones only if these are of the same data.

    Where the bench itself has runs of the authors on its data, those are the published columns.
    """
    rows = {row.method: row for row in report.rows}
    ours = {column: method for column, method in table.ours.items() if method in rows}
    runs = {method.removeprefix(AUTHORS_RUN): method for method in rows if method.startswith(AUTHORS_RUN)}
    known = table if is_published else replace(table, published={})
    lines = [expanded for line in table.lines for expanded in _expand(line, report)]
    missing = {column: _why_missing(method, rows) for column, method in table.ours.items() if method not in rows}
    left_out = [] if is_published or runs else [f"published figures are left out: they are of {table.size}"]
    return ComparisonTable(
        title=table.title,
        data=f"{report.source}, n={report.n}",
        published=(*known.published, *runs),
        ours=tuple(ours),
        rows=tuple(_row(line, known, rows, ours, runs) for line in lines),
        notes=(
            *left_out,
            *(f"{column}: - ({why})" for column, why in {**missing, **table.not_run}.items() if why),
            *report.notes,
        ),
    )


def only_published(table: SeedTable, why: str) -> ComparisonTable:
    """`table` where ours could not be measured, and why."""
    lines = [line for line in table.lines if _published_cells(line, table)]
    return ComparisonTable(
        title=table.title,
        data=table.size,
        published=tuple(table.published),
        ours=(OURS,),
        rows=tuple(ComparisonRow(line.name, _published_cells(line, table)) for line in lines),
        notes=(f"{OURS}: - ({why})",),
    )


def _why_missing(method: str, rows: Mapping[str, MethodRow]) -> str:
    """What the bench says of a method that it has no figures of; nothing where it does not belong to the data."""
    return next((name.removeprefix(f"{method}: ") for name in rows if name.startswith(f"{method}: ")), "")


def _expand(line: Line, report: BenchReport) -> Iterator[Line]:
    """A line for each value of a part of the data."""
    if line.value != "*":
        yield line
        return
    values = sorted({part.value for row in report.rows for part in row.parts if part.field == line.field})
    if not values and line.why:
        yield replace(line, value="")
    yield from (replace(line, name=f"{line.name} {value}", value=value) for value in values)


def _row(
    line: Line, table: SeedTable, rows: Mapping[str, MethodRow], ours: Mapping[str, str], runs: Mapping[str, str]
) -> ComparisonRow:
    methods = {OURS: line.method} if line.method else ours
    cells = _figures(line, rows, methods)
    why = "" if cells else line.why or "these data have none"
    return ComparisonRow(line.name, _published_cells(line, table) | _figures(line, rows, runs) | cells, why)


def _figures(line: Line, rows: Mapping[str, MethodRow], methods: Mapping[str, str]) -> dict[str, Metric]:
    found = {column: _figure(line, rows.get(method)) for column, method in methods.items()}
    return {column: metric for column, metric in found.items() if metric is not None}


def _published_cells(line: Line, table: SeedTable) -> dict[str, Metric]:
    figures = {system: values[line.name] for system, values in table.published.items() if line.name in values}
    return {system: Metric(line.name, value) for system, value in figures.items()}


def _figure(line: Line, row: MethodRow | None) -> Metric | None:
    if row is None:
        return None
    metrics = row.metrics
    if line.field:
        parts = [part for part in row.parts if (part.field, part.value) == (line.field, line.value)]
        metrics = parts[0].metrics if parts else ()
    return next((metric for metric in metrics if metric.name == line.metric), None)
