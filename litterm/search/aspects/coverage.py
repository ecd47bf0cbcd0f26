"""Adds up the aspect scores and grades of a paper by the rules of DORIS-MAE; fast enough for every keystroke."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from litterm.model.aspects import Aspect, AspectCell, AspectCoverage, AspectQuery, AspectScores
from litterm.model.paper import PaperId


def coverage(query: AspectQuery, scores: AspectScores, papers: Iterable[PaperId]) -> tuple[AspectCoverage, ...]:
    """The coverage of all aspects of `query` by each paper, in the order of `papers`.

    The offline share is a mean over the aspects that are not muted. Grades are added up over their distinct texts and
    sub-aspects, each with the largest weight it has; `?` and missing grades are in neither sum nor mean.
    """
    criteria = tuple(criterion_weights(query.active).items())
    return tuple(_coverage_row(query, criteria, scores, paper_id) for paper_id in papers)


def rank_by_aspects(query: AspectQuery, scores: AspectScores, papers: Iterable[PaperId]) -> tuple[AspectCoverage, ...]:
    """The papers ranked by mean grade, then those without grades by offline share; ties keep the order of `papers`."""
    return tuple(sorted(coverage(query, scores, papers), key=_sort_key))


def _coverage_row(
    query: AspectQuery, criteria: Sequence[tuple[str, float]], scores: AspectScores, paper_id: PaperId
) -> AspectCoverage:
    cells = tuple(scores.cell(aspect.text, paper_id) for aspect in query.aspects)
    near = [
        (aspect.weight, cell.score)
        for aspect, cell in zip(query.aspects, cells, strict=True)
        if not aspect.muted and cell.score is not None
    ]
    # Without a grading model the criteria are the aspects alone, and no grade is missing.
    weighed = [(weight, scores.cell(text, paper_id)) for text, weight in criteria] if scores.graded_by else []
    graded = [(weight, float(cell.grade)) for weight, cell in weighed if cell.grade not in (None, "?")]
    relevance = sum(weight * grade for weight, grade in graded) if graded else None
    return AspectCoverage(
        paper_id,
        cells,
        _weighted_mean(near),
        relevance,
        _weighted_mean(graded),
        _count_unread(cell for _, cell in weighed),
    )


def criterion_weights(aspects: Iterable[Aspect]) -> dict[str, float]:
    """Every distinct aspect and sub-aspect in order, with the largest weight of its aspects."""
    weight_by_text: dict[str, float] = {}
    for aspect in aspects:
        for text in aspect.criteria:
            weight_by_text[text] = max(aspect.weight, weight_by_text.get(text, 0.0))
    return weight_by_text


def _sort_key(row: AspectCoverage) -> tuple[bool, float, float]:
    # Graded papers first, even those graded 0: mean grades and shares cannot be compared.
    return row.average is None, -(row.average or 0.0), -(row.share or 0.0)


def _weighted_mean(weighed: Sequence[tuple[float, float]]) -> float | None:
    total = sum(weight for weight, _ in weighed)
    return sum(weight * value for weight, value in weighed) / total if total > 0 else None


def _count_unread(cells: Iterable[AspectCell]) -> int:
    return sum(cell.grade == "?" for cell in cells)
