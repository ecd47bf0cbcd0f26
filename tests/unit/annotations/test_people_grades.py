"""Grades by people are in the journal: durable, undone, told apart by person."""

from __future__ import annotations

from pathlib import Path

import pytest

from litterm.annotations.people_grades import PeopleGrades
from litterm.annotations.undo_log import UndoLog
from litterm.core.errors import UsageError
from litterm.library.journal import FileJournal
from litterm.model.agreement import AgreementMark, Freeze, GradedCell, PersonGrade
from litterm.model.paper import PaperId

CELL = GradedCell(PaperId("acl:P18-1001"), "parsing speed")
SENTENCE = GradedCell(CELL.paper_id, "Parsing is fast.", "We parse fast.")
FREEZE = Freeze("tiny-1", "m", "p", "2026-01-01T00:00:00+00:00")


@pytest.fixture
def grades(tmp_path: Path) -> PeopleGrades:
    return again(tmp_path)


def again(folder: Path) -> PeopleGrades:
    """As another process finds them."""
    return PeopleGrades(UndoLog(FileJournal(folder)))


def test_a_grade_outlives_its_process_with_note_and_time(grades: PeopleGrades, tmp_path: Path) -> None:
    grade = PersonGrade("1", "by “inference”", "2026-01-01T00:00:00+00:00", blind=False)
    grades.grade(CELL, grade)
    assert again(tmp_path).grade_of(CELL) == grade


def test_people_and_sentences_are_told_apart(grades: PeopleGrades) -> None:
    grades.grade(CELL, PersonGrade("2"), "Zoe")
    grades.grade(CELL, PersonGrade("0"), "Bo")
    grades.grade(CELL, PersonGrade("1"))
    grades.grade(SENTENCE, PersonGrade("refutes"))
    found = grades.grades_of((CELL, SENTENCE))
    assert list(found) == ["you", "Bo", "Zoe"]
    assert {name: {cell: grade.label for cell, grade in given.items()} for name, given in found.items()} == {
        "you": {CELL: "1", SENTENCE: "refutes"},
        "Bo": {CELL: "0"},
        "Zoe": {CELL: "2"},
    }
    assert grades.grades_of((SENTENCE,)).keys() == {"you"}


def test_grades_are_undone_one_by_one_and_a_merged_sheet_at_once(grades: PeopleGrades) -> None:
    grades.grade(CELL, PersonGrade("2"))
    grades.merge("Bo", {CELL: PersonGrade("0"), SENTENCE: PersonGrade("neither")})
    assert grades.undo_log.undo() == "merged 2 grades of Bo"
    assert grades.grades_of((CELL, SENTENCE)).keys() == {"you"}
    assert grades.undo_log.undo() == "graded 2: acl:P18-1001 for “parsing speed”"
    assert grades.grades_of((CELL,)) == {}


def test_the_same_grade_again_is_no_change_and_a_grade_can_be_taken_back(grades: PeopleGrades) -> None:
    assert grades.grade(CELL, PersonGrade("2", at="2026-01-01T00:00:00+00:00"))
    assert not grades.grade(CELL, PersonGrade("2", at="2026-02-02T00:00:00+00:00"))
    assert grades.grade(CELL, None)
    assert grades.grade_of(CELL) is None


def test_a_label_of_another_kind_is_refused(grades: PeopleGrades) -> None:
    with pytest.raises(UsageError, match="supports is no grade; give one of 0, 1, 2"):
        grades.grade(CELL, PersonGrade("supports"))


def test_what_a_test_found_holds_for_that_model_and_prompt_only(grades: PeopleGrades, tmp_path: Path) -> None:
    grades.record_test("aspects", FREEZE, AgreementMark(60, agrees=True))
    known = again(tmp_path)
    assert known.mark("aspects", "m", "p") == AgreementMark(60, agrees=True)
    assert known.mark("aspects", "m", "another prompt") == AgreementMark()
    assert known.mark("aspects", "another model", "p") == AgreementMark()
    assert known.mark("evidence", "m", "p") == AgreementMark()
