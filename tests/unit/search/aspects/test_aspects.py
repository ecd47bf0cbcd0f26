"""Aspects: the rules that add them up, and the methods."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import pytest

from litterm.core.errors import ModelError, UsageError
from litterm.core.tasks import Task, run
from litterm.model.aspects import Aspect, AspectCell, AspectCoverage, AspectQuery, AspectScores, Grade
from litterm.model.events import Event, Notice, Progress
from litterm.model.paper import PaperId
from litterm.search.aspects import aspects as aspects_module
from litterm.search.aspects.aspects import Aspects


def coverage(query: AspectQuery, scores: AspectScores, paper_id: PaperId) -> AspectCoverage:
    [row] = aspects_module.coverage(query, scores, [paper_id])
    return row


A, B, C = PaperId("acl:a"), PaperId("acl:b"), PaperId("acl:c")
LABELS, COST = Aspect("labels", ("quality", "noise")), Aspect("cost", ("noise",), weight=2.0)
QUERY = AspectQuery((LABELS, COST), "hand")


def graded(*cells: tuple[str, PaperId, Grade | None, float]) -> AspectScores:
    made = {(text, paper): AspectCell(score, grade) for text, paper, grade, score in cells}
    return AspectScores(MappingProxyType(made), graded_by="parrot")


def test_grades_are_added_up_once_over_the_distinct_aspects_and_sub_aspects_by_weight() -> None:
    scores = graded(("labels", A, 2, 0.5), ("quality", A, 1, 0.0), ("noise", A, 1, 0.0), ("cost", A, 0, 0.8))
    row = coverage(QUERY, scores, A)
    assert row.relevance == 1 * 2 + 1 * 1 + 2 * 1 + 2 * 0
    assert row.average == pytest.approx(5 / 6)
    assert row.relevant is False
    assert row.share == pytest.approx((0.5 + 2 * 0.8) / 3)


def test_a_paper_is_relevant_from_a_mean_grade_of_one() -> None:
    query = AspectQuery((Aspect("labels"), Aspect("cost")))
    assert coverage(query, graded(("labels", A, 2, 0), ("cost", A, 0, 0)), A).relevant is True
    assert coverage(query, graded(("labels", A, 1, 0), ("cost", A, 0, 0)), A).relevant is False
    assert coverage(query, AspectScores(), A).relevant is None


def test_what_could_not_be_read_is_neither_zero_nor_part_of_the_mean() -> None:
    query = AspectQuery((Aspect("labels"), Aspect("cost")))
    row = coverage(query, graded(("labels", A, 2, 0), ("cost", A, "?", 0)), A)
    assert (row.relevance, row.average, row.relevant, row.unread) == (2.0, 2.0, True, 1)
    assert coverage(query, graded(("labels", A, "?", 0)), A).average is None


def test_a_muted_aspect_counts_for_nothing_and_keeps_its_cell() -> None:
    scores = graded(("labels", A, 2, 0.9), ("cost", A, 0, 0.1))
    query = AspectQuery((Aspect("labels", muted=True), Aspect("cost")))
    row = coverage(query, scores, A)
    assert (row.share, row.average) == (pytest.approx(0.1), 0.0)
    assert row.cells[0].grade == 2


@dataclass
class Scorer:
    """Counts what is asked."""

    asked: list[tuple[str, tuple[PaperId, ...]]] = field(default_factory=list)

    def scores(self, texts: Sequence[str], papers: Sequence[PaperId]) -> Task[AspectScores]:
        yield Progress("scoring")
        for text in texts:
            self.asked.append((text, tuple(papers)))
        near = {A: 0.9, B: 0.5, C: 0.1}
        flip = {"cost": lambda value: 1 - value}
        cells = {
            (text, each): AspectCell(flip.get(text, lambda value: value)(near[each]))
            for text in texts
            for each in papers
        }
        return AspectScores(MappingProxyType(cells), "overlap")


def aspects_over(scorer: Scorer) -> Aspects:
    def nobody() -> object:
        raise ModelError("The server is ill.")

    return Aspects(lambda: scorer, *[nobody] * 7)  # type: ignore[arg-type]


def order(found: Sequence[object]) -> list[PaperId]:
    return [row.paper_id for row in found]  # type: ignore[attr-defined]


def test_muting_and_weighing_reorder_without_scoring_anything_again() -> None:
    scorer = Scorer()
    aspects = aspects_over(scorer)
    query = AspectQuery((Aspect("labels"), Aspect("cost")))
    scores = run(aspects.score(query, (A, B, C)))
    assert order(aspects.rank_by_coverage(query, scores, (C, B, A))) == [C, B, A], (
        "all equal: the order of the whole query"
    )
    asked = list(scorer.asked)
    muted = AspectQuery((Aspect("labels"), Aspect("cost", muted=True)))
    assert order(aspects.rank_by_coverage(muted, scores, (C, B, A))) == [A, B, C]
    heavy = AspectQuery((Aspect("labels"), Aspect("cost", weight=3.0)))
    assert order(aspects.rank_by_coverage(heavy, scores, (A, B, C))) == [C, B, A]
    assert scorer.asked == asked


def test_editing_one_aspect_costs_only_that_one_and_a_new_paper_only_itself() -> None:
    scorer = Scorer()
    aspects = aspects_over(scorer)
    query = AspectQuery((Aspect("labels"), Aspect("cost")))
    scores = run(aspects.score(query, (A, B)))
    scorer.asked.clear()
    edited = replace(query, aspects=(query.aspects[0], Aspect("price")))
    scores = run(aspects.score(edited, (A, B), scores))
    assert scorer.asked == [("price", (A, B))]
    scorer.asked.clear()
    scores = run(aspects.score(edited, (A, B, C), scores))
    assert scorer.asked == [("labels", (C,)), ("price", (C,))]
    assert scores.by == "overlap"


def test_graded_papers_come_first_and_then_those_with_an_offline_score_only() -> None:
    query = AspectQuery((Aspect("labels"),))
    scores = graded(("labels", A, None, 0.9), ("labels", B, 0, 0.2), ("labels", C, 2, 0.1))
    assert order(aspects_over(Scorer()).rank_by_coverage(query, scores, (A, B, C))) == [C, B, A]


def test_a_model_that_cannot_be_asked_costs_a_notice_not_the_aspects() -> None:
    aspects = aspects_over(Scorer())
    told: list[Event] = []
    text = "labelled data for dialects || the cost of annotation"
    assert run(aspects.decompose(text), told.append).texts == ("labelled data for dialects", "the cost of annotation")
    assert any(isinstance(event, Notice) and "The server is ill." in event.text for event in told)
    scores = run(aspects.grade(QUERY, (), AspectScores(by="overlap")))
    assert "The server is ill." in scores.notices[0]
    assert scores.by == "overlap"


def test_without_a_model_grading_says_how_to_set_one_up() -> None:
    def none() -> object:
        raise UsageError("No language model is set.")

    aspects = Aspects(Scorer, *[none] * 7)  # type: ignore[arg-type]
    with pytest.raises(UsageError):
        run(aspects.grade(QUERY, ()))
