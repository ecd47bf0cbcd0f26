"""Grading papers oneself for an aspect, without seeing the model's grade."""

from __future__ import annotations

import pytest
from tui.harness import Bench, Start

from litterm.model.agreement import GradedCell, PersonGrade
from litterm.tui.aspects.own_grades import GradeDialog

TYPED = "pruning || sparse"


async def strip(bench: Bench) -> None:
    """A query with aspects, the cursor on the first."""
    await bench.search(TYPED)
    await bench.press("shift+tab")


async def let_the_model_grade(bench: Bench) -> None:
    await bench.press("M")
    await bench.press("enter")
    assert bench.context.aspects.state.scores.graded_by


def own_grade(bench: Bench, place: int, text: str = "pruning") -> PersonGrade | None:
    row = bench.context.results.shown[place]
    return bench.engine.people_grades.grade_of(GradedCell(row.paper.id, text))


@pytest.mark.parametrize("size", [(120, 40), (80, 24)])
async def test_digits_grade_paper_after_paper_and_escape_stops(start: Start, size: tuple[int, int]) -> None:
    async with start(size=size) as bench:
        await strip(bench)
        await bench.press("#")
        assert "How far does the paper meet “pruning”?" in bench.shown()
        await bench.press("2", "s", "0")
        dialog = bench.context.dialogs[-1]
        assert isinstance(dialog, GradeDialog)
        assert "grade paper 4 of" in bench.shown()
        await bench.press("escape")
        assert not bench.context.dialogs
        labels = [grade and grade.label for grade in (own_grade(bench, place) for place in range(4))]
        assert labels == ["2", None, "0", None]


async def test_the_last_grade_is_taken_back_and_its_paper_asked_about_again(start: Start) -> None:
    async with start(size=(120, 40)) as bench:
        await strip(bench)
        await bench.press("#", "2", "1", "u")
        assert "grade paper 2 of" in bench.shown()
        assert own_grade(bench, 1) is None
        await bench.press("0", "escape")
        assert [grade and grade.label for grade in (own_grade(bench, 0), own_grade(bench, 1))] == ["2", "0"]


async def test_a_grade_of_an_earlier_time_is_shown_and_can_be_changed(start: Start) -> None:
    async with start(size=(120, 40)) as bench:
        await strip(bench)
        await bench.press("#", "2", "escape")
        bench.context.results.go(0)
        await bench.press("#")
        assert "You graded it 2." in bench.shown()
        await bench.press("1", "escape")
        grade = own_grade(bench, 0)
        assert grade is not None
        assert (grade.label, grade.blind) == ("1", True)


async def test_a_grade_after_the_model_was_seen_is_kept_as_not_blind(start: Start) -> None:
    async with start(size=(120, 40)) as bench:
        await strip(bench)
        await let_the_model_grade(bench)
        assert "graded by parrot (untested)" in bench.shown()
        await bench.press("#", "0", "escape")
        grade = own_grade(bench, 0)
        assert grade is not None
        assert (grade.label, grade.blind) == ("0", False)


async def test_hidden_grades_appear_one_by_one_as_the_user_grades(start: Start) -> None:
    async with start(size=(120, 40)) as bench:
        await strip(bench)
        await bench.press(":", *"blind", "enter")
        await let_the_model_grade(bench)
        assert "hidden until you grade" in bench.shown()
        aspects, results = bench.controllers.aspects, bench.context.results
        first, second = results.shown[0].paper.id, results.shown[1].paper.id
        assert aspects.shown_scores().cell("pruning", first).grade is None
        assert "graded 2" not in "".join(aspects.explain_lines(results.shown[0]))
        await bench.press("#", "1", "escape")
        assert aspects.shown_scores().cell("pruning", first).grade == 2
        assert aspects.shown_scores().cell("pruning", second).grade is None
        grade = own_grade(bench, 0)
        assert grade is not None
        assert grade.blind
        await bench.press(":", *"blind", "enter")
        assert aspects.shown_scores().cell("pruning", second).grade == 2


async def test_hiding_what_was_seen_does_not_make_a_grade_blind(start: Start) -> None:
    async with start(size=(120, 40)) as bench:
        await strip(bench)
        await let_the_model_grade(bench)
        await bench.press(":", *"blind", "enter", "#", "1", "escape")
        grade = own_grade(bench, 0)
        assert grade is not None
        assert not grade.blind


async def test_a_grade_changed_after_the_model_was_shown_is_not_blind(start: Start) -> None:
    async with start(size=(120, 40)) as bench:
        await strip(bench)
        await bench.press(":", *"blind", "enter")
        await let_the_model_grade(bench)
        await bench.press("#", "1", "u", "2", "escape")
        grade = own_grade(bench, 0)
        assert grade is not None
        assert (grade.label, grade.blind) == ("2", False)
