"""The scores of papers for the aspects of a query, as lines, as JSON, and in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from litterm.model.agreement import AgreementMark
from litterm.model.aspects import Aspect, AspectCell, AspectCoverage, AspectQuery, AspectRanking, AspectScores
from litterm.model.paper import PaperId
from litterm.render import lines as plain_lines
from litterm.render.agreement import mark_data
from litterm.render.lines import LineOptions

if TYPE_CHECKING:
    from litterm.render.json import AspectCellData, AspectCoverageData


MET_FROM, PARTLY_MET_FROM = 0.7, 0.45
"""Offline scores from which an aspect counts as met, and as met in part: read as 2, 1 and 0 their mean over the pools
of DORIS-MAE is then that of its grades (0.59 and 0.58)."""
_STATE_MARKS: Mapping[str, tuple[str, str]] = {
    "met": ("●", "#"),
    "partly": ("◐", "+"),
    "not": ("○", "-"),
    "muted": ("·", "."),
    "unread": ("?", "?"),
    "unknown": (" ", " "),
}
# "?" is what a reply that could not be read gets instead of a grade.
_STATE_OF_GRADE: Mapping[object, str] = {0: "not", 1: "partly", 2: "met", "?": "unread"}


def cell_state(cell: AspectCell, *, muted: bool = False) -> str:
    """`met`, `partly`, `not`, `unread` (a model was asked in vain), `unknown`, or `muted`; a grade before a score."""
    if muted:
        return "muted"
    # A model that read the abstract knows more than words in common.
    if cell.grade is not None:
        return _STATE_OF_GRADE[cell.grade]
    if cell.score is None:
        return "unknown"
    return "met" if cell.score >= MET_FROM else "partly" if cell.score >= PARTLY_MET_FROM else "not"


def state_mark(state: str, *, ascii_only: bool = False) -> str:
    """The mark of a state, one character: ● ◐ ○ · ?, or # + - . ?"""
    return _STATE_MARKS[state][ascii_only]


def total_words(row: AspectCoverage) -> str:
    """The total of a paper's aspects in at most five characters: the mean grade, or the share in percent."""
    if row.average is not None:
        return f"{row.average:.2f}"
    return "" if row.share is None else f"{100 * row.share:.0f}%"


def split_words(query: AspectQuery) -> str:
    """Says how a query was split into aspects."""
    ways = {"separators": "at ||", "lines": "line by line", "hand": "by hand"}
    return ways.get(query.by, f"by its {query.by}" if query.by in ("sentences", "clauses") else f"by {query.by}")


def aspect_lines(query: AspectQuery, options: LineOptions) -> list[str]:
    """A line for each aspect with its number, weight and whether it is muted; its sub-aspects below it."""
    lines: list[str] = []
    for number, aspect in enumerate(query.aspects, 1):
        heading = aspect.text + "".join(f" ({fact})" for fact in aspect_facts(aspect))
        lines += options.block(heading, indent=5, first=f"{number:>3}  ", style="dim" if aspect.muted else "")
        for sub in aspect.sub_aspects:
            lines += options.block(sub, indent=9, first="       - ", style="dim")
    return lines


def aspect_facts(aspect: Aspect) -> list[str]:
    """Facts about an aspect that differ from the default: its weight, and that it is muted."""
    weight = [f"weight {aspect.weight:g}"] if aspect.weight != 1.0 else []
    return [*weight, *(["muted"] if aspect.muted else [])]


def coverage_line(query: AspectQuery, row: AspectCoverage, options: LineOptions) -> str:
    """`● ◐ ○ · ?  0.62`: a mark for each aspect, then the total."""
    pairs = zip(query.aspects, row.cells, strict=True)
    marks = " ".join(
        state_mark(cell_state(cell, muted=aspect.muted), ascii_only=options.ascii) for aspect, cell in pairs
    )
    relevant = {None: "", True: "relevant", False: ""}[row.relevant]
    return options.join(part for part in (f"{marks}  {total_words(row)}".rstrip(), relevant) if part)


def reason_lines(query: AspectQuery, row: AspectCoverage, options: LineOptions) -> list[str]:
    """For each graded aspect its grade, the model's reason and the sentence it is based on."""
    lines: list[str] = []
    for number, cell in enumerate(row.cells, 1):
        if cell.grade is None:
            continue
        lines += options.block(f"{number}: {cell.grade} {cell.reason}".rstrip(), indent=9, first="     ", style="dim")
        if cell.sentence:
            lines += options.block(f'"{cell.sentence}"', indent=9)
    return lines


def lines(
    covered: AspectRanking, options: LineOptions, *, grounds: bool, reasons: Mapping[PaperId, Sequence[str]]
) -> list[str]:
    """The aspects, then the papers with their marks and `reasons`, and with `grounds` those of the model."""
    below = {
        row.paper_id: [
            f"     {coverage_line(covered.query, row, options)}",
            *(reason_lines(covered.query, row, options) if grounds else ()),
            *reasons.get(row.paper_id, ()),
        ]
        for row in covered.rows
    }
    return [*aspect_lines(covered.query, options), "", *plain_lines.search(covered.ranking, options, below=below)]


def search_data(body: Mapping[str, object], covered: AspectRanking, mark: AgreementMark) -> dict[str, object]:
    """Adds the fields of aspects to the JSON `body` of a ranking and to each of its results.

    `mark` says how far the model that graded agrees with people.
    """
    query, scores = covered.query, covered.scores
    results = body["results"]
    # `render.json.search` made the body; a mapping of JSON values cannot tell the type checker so.
    assert isinstance(results, list)
    aspects = [
        {
            "aspect": aspect.text,
            "sub_aspects": list(aspect.sub_aspects),
            "weight": aspect.weight,
            "muted": aspect.muted,
        }
        for aspect in query.aspects
    ]
    rows = [{**result, **_row_data(query, scores, row)} for result, row in zip(results, covered.rows, strict=True)]
    extra = {
        "aspects": aspects,
        "aspects_by": query.by,
        "scored_by": scores.by,
        "graded_by": scores.graded_by,
        "agreement": mark_data(mark) if scores.graded_by else None,
    }
    notices = [*scores.notices, *covered.ranking.notices]
    return {**body, "results": rows, **extra, "notices": notices}


def _row_data(query: AspectQuery, scores: AspectScores, row: AspectCoverage) -> AspectCoverageData:
    return {
        "aspects": [
            {
                **_cell_data(aspect.text, cell),
                "sub_aspects": [_cell_data(sub, scores.cell(sub, row.paper_id)) for sub in aspect.sub_aspects],
            }
            for aspect, cell in zip(query.aspects, row.cells, strict=True)
        ],
        "coverage": None if row.share is None else round(row.share, 4),
        "relevance": row.relevance,
        "average": None if row.average is None else round(row.average, 4),
        "relevant": row.relevant,
        "unread": row.unread,
    }


def _cell_data(text: str, cell: AspectCell) -> AspectCellData:
    return {
        "aspect": text,
        "score": cell.score,
        "grade": cell.grade,
        "reason": cell.reason,
        "sentence": cell.sentence,
    }
