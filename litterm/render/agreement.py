"""Agreement of people and a model as lines, as JSON and as a mark; cells to be graded as lines and as a sheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypedDict

from litterm.model.agreement import (
    METRICS,
    MIN_TEST_CELLS,
    AgreementMark,
    AgreementReport,
    GradedCell,
    GradedSet,
    Metric,
    MetricInterval,
    PersonGrade,
)
from litterm.render.matrix.csv import escape_formula
from litterm.text.escape import plain
from litterm.text.plural import count_phrase
from litterm.text.terminal_width import clip, width_of

if TYPE_CHECKING:
    from litterm.model.paper import Paper, PaperId
    from litterm.render.lines import LineOptions


class MarkOfAgreement(TypedDict):
    """Whether the model agrees with people as a person does; `null`: untested."""

    like_a_person: bool | None
    cells: int


class DrawnData(TypedDict):
    """The answer of `agree draw`."""

    file: str
    kind: str
    development: int
    test: int


class GradesOfSheetData(TypedDict):
    """How many grades a sheet holds, and how many are empty."""

    grades: int
    empty: int


class GradesData(TypedDict):
    """The answer of `agree merge`."""

    graders: dict[str, GradesOfSheetData]
    faults: list[str]


class FreezeData(TypedDict):
    """Model and prompt as they were fixed."""

    model: str
    model_hash: str
    prompt_hash: str
    at: str


class FrozenData(TypedDict):
    """The answer of `agree freeze`."""

    frozen: FreezeData | None


class IntervalData(TypedDict):
    """A figure with bounds of 95 %; `null` is undefined."""

    value: float | None
    low: float | None
    high: float | None


class AgreementRowData(TypedDict):
    """How far two graders agree."""

    name: str
    cells: int
    metrics: dict[str, IntervalData]


class GradedCellData(TypedDict):
    """A cell on which graders disagree."""

    paper: str
    text: str
    sentence: int | str | None
    grades: dict[str, int | str]


class AgreementReportData(TypedDict):
    """The answer of `agree test`."""

    part: str
    kind: str
    cells: int
    graders: dict[str, int]
    model: str
    rows: list[AgreementRowData]
    difference: dict[str, IntervalData]
    p: dict[str, float]
    compared: int
    papers: int
    like_a_person: bool | None
    disagreements: list[GradedCellData]
    notices: list[str]


class AgreeData(TypedDict):
    """The answer of `agree report`."""

    kind: str
    frozen: FreezeData | None
    development: AgreementReportData
    test: AgreementReportData
    mark: MarkOfAgreement


SHEET_COLUMNS: Final = ("paper", "title", "abstract", "text", "sentence", "grade", "note", "graded_at", "blind")
"""`grade` and `note` are for a person to fill in."""
UNTESTED: Final = "untested"
"""What stands beside grades or stances of a model that was never tested against people."""
_NAME_WIDTH, _COLUMN_WIDTH = 10, 23


def mark_words(mark: AgreementMark) -> str:
    """`agrees like a person on 60 of yours`, or `untested`."""
    if mark.agrees is None:
        return UNTESTED
    return f"agrees {'like' if mark.agrees else 'less than'} a person on {mark.cells:,} of yours"


def mark_data(mark: AgreementMark) -> MarkOfAgreement:
    """The mark as JSON: whether the model agrees as a person does (null: untested), and on how many cells."""
    return {"like_a_person": mark.agrees, "cells": mark.cells}


def sheet(
    drawn: GradedSet,
    papers: Mapping[PaperId, Paper],
    grades: Mapping[GradedCell, PersonGrade],
) -> str:
    """The cells of a set as CSV, the development cells first, with `grades`."""
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(SHEET_COLUMNS)
    for cell in (*drawn.development, *drawn.test):
        paper, grade = papers.get(cell.paper_id), grades.get(cell)
        facts = (cell.paper_id, paper.title if paper else "", paper.abstract if paper else "", cell.text, cell.sentence)
        given = (grade.label, grade.note, grade.at, "" if grade.blind else "no") if grade else ("", "", "", "")
        writer.writerow([escape_formula(value) for value in (*facts, *given)])
    return file.getvalue()


def report_lines(report: AgreementReport, options: LineOptions) -> list[str]:
    """Who graded how much, then a table with a column for each comparison, as many beside each other as fit."""
    people = ", ".join(f"{name} {count:,}" for name, count in report.graders.items()) or "nobody yet"
    lines = [
        options.paint(f"{report.part}: {count_phrase(report.cells, 'cell')}", "bold"),
        *options.block(f"graded by: {people}", indent=0),
    ]
    columns = [
        (row.name, f"{row.cells:,}", [_interval_words(row.metrics.get(metric)) for metric in METRICS])
        for row in report.rows
    ]
    if report.differences:
        differences = [_interval_words(report.differences.get(metric)) for metric in METRICS]
        columns.insert(2, ("difference", f"{report.compared:,}", differences))
        columns.insert(3, ("p", "", [_p_words(report.p.get(metric)) for metric in METRICS]))
    at_once = max(1, (options.columns - _NAME_WIDTH) // _COLUMN_WIDTH) if options.columns else len(columns)
    for start in range(0, len(columns), max(1, at_once)):
        lines += ["", *_table(columns[start : start + at_once], options)]
    return lines


def _table(columns: Sequence[tuple[str, str, Sequence[str]]], options: LineOptions) -> list[str]:
    ellipsis = "..." if options.ascii else "…"
    names = [clip(plain(name), _COLUMN_WIDTH - 2, ellipsis) for name, _, _ in columns]
    rows = [("", names), ("cells", [cells for _, cells, _ in columns])]
    rows += [(metric, [values[at] for _, _, values in columns]) for at, metric in enumerate(METRICS)]
    return [
        (head.ljust(_NAME_WIDTH) + "".join(text + " " * (_COLUMN_WIDTH - width_of(text)) for text in texts)).rstrip()
        for head, texts in rows
    ]


def _interval_words(interval: MetricInterval | None) -> str:
    if interval is None or interval.value is None:
        return "undefined"
    bounds = "" if interval.low is None else f" ({100 * interval.low:.1f} to {100 * (interval.high or 0.0):.1f})"
    return f"{100 * interval.value:.1f}{bounds}"


def _p_words(p: float | None) -> str:
    return "undefined" if p is None else "below .001" if p < 0.001 else f"{p:.3f}".removeprefix("0")


def verdict_sentence(report: AgreementReport) -> str:
    """What the test found, in one sentence with its limits."""
    where = f"on {count_phrase(report.compared, 'cell')} of {count_phrase(report.papers, 'paper')}"
    if report.agrees is None:
        return f"Not tested: that takes {MIN_TEST_CELLS} cells of several papers, graded by two people and the model."
    if not report.agrees:
        return f"{report.model} agrees less than a person {where}."
    return (
        f"{report.model} agrees like a person {where}: no figure is significantly below that of people with people. "
        "That does not prove them equal; the row `difference` says how far they may lie apart."
    )


def report_data(report: AgreementReport) -> AgreementReportData:
    """The report as JSON; figures are shares from 0 to 1 (kappa, rho and differences from -1)."""
    return {
        "part": report.part,
        "kind": report.kind,
        "cells": report.cells,
        "graders": dict(report.graders),
        "model": report.model,
        "rows": [{"name": row.name, "cells": row.cells, "metrics": _metrics_data(row.metrics)} for row in report.rows],
        "difference": _metrics_data(report.differences),
        "p": {metric: round(value, 4) for metric, value in report.p.items()},
        "compared": report.compared,
        "papers": report.papers,
        "like_a_person": report.agrees,
        "disagreements": [
            {"paper": cell.paper_id, "text": cell.text, "sentence": cell.sentence, "grades": dict(given)}
            for cell, given in report.splits
        ],
        "notices": list(report.notices),
    }


def _metrics_data(metrics: Mapping[Metric, MetricInterval]) -> dict[str, IntervalData]:
    return {metric: _bounds(interval) for metric, interval in metrics.items()}


def _bounds(interval: MetricInterval) -> IntervalData:
    value, low, high = (None if one is None else round(one, 4) for one in (interval.value, interval.low, interval.high))
    return {"value": value, "low": low, "high": high}


def cell_lines(cell: GradedCell, paper: Paper, around: Sequence[str], place: str, options: LineOptions) -> list[str]:
    """A cell for a person to grade, without anything a model or litterm has said of it.

    `around` are the sentences before and after the one to be graded, empty where there is none.
    """
    lines = ["", *options.block(f"{place}: {cell.text}", indent=0, style="bold"), ""]
    lines += options.block(paper.title, indent=2)
    if not cell.sentence:
        return [*lines, *options.block(paper.abstract, indent=2)]
    before, after = (*around, "", "")[:2]
    lines += options.block(before, indent=4, style="dim") if before else []
    lines += options.block(cell.sentence, indent=2, first="> ", style="bold")
    return [*lines, *(options.block(after, indent=4, style="dim") if after else [])]
