"""Sheets: what another person writes into a spreadsheet is read back, and nothing else is believed."""

from __future__ import annotations

import csv
import io

import pytest

from litterm.agreement.sheets import read_grades
from litterm.core.errors import BadInput
from litterm.model.agreement import GradedCell, GradedSet, PersonGrade
from litterm.model.paper import Paper, PaperId
from litterm.render.agreement import SHEET_COLUMNS, sheet

ONE = GradedCell(PaperId("p:1"), "=cmd|' /C calc'!A0")
TWO = GradedCell(PaperId("p:2"), "parsing speed")
PAPERS = {
    ONE.paper_id: Paper(ONE.paper_id, "@Title", abstract="We\nparse."),
    TWO.paper_id: Paper(TWO.paper_id, "Other, title", abstract="Fast; very."),
}
DRAWN = GradedSet("aspects", "q", 0, (ONE,), (TWO,))


def rows(**grades: str) -> list[dict[str, str]]:
    read = list(csv.DictReader(io.StringIO(sheet(DRAWN, PAPERS, {}))))
    for place, grade in grades.items():
        read[int(place[1:])]["grade"] = grade
    return read


def encoded(read: list[dict[str, str]], delimiter: str = ",", encoding: str = "utf-8") -> bytes:
    file = io.StringIO()
    writer = csv.DictWriter(file, SHEET_COLUMNS, delimiter=delimiter)
    writer.writeheader()
    writer.writerows(read)
    return file.getvalue().encode(encoding)


def test_a_sheet_holds_every_cell_and_no_formula() -> None:
    read = rows()
    assert [(row["paper"], row["grade"]) for row in read] == [("p:1", ""), ("p:2", "")]
    assert read[0]["text"].startswith("'=")
    assert read[0]["title"].startswith("'@")


@pytest.mark.parametrize(("delimiter", "encoding"), [(",", "utf-8"), (";", "utf-8-sig"), ("\t", "utf-16")])
def test_what_a_spreadsheet_saved_is_read(delimiter: str, encoding: str) -> None:
    read = rows(r0="2.0", r1=" 1 ")
    read[1]["note"] = "by inference"
    got = read_grades(encoded(read, delimiter, encoding), "bo", (ONE, TWO))
    assert got.grades == {ONE: PersonGrade("2"), TWO: PersonGrade("1", "by inference")}
    assert (got.empty, got.faults) == (0, ())


def test_one_own_grades_are_written_and_read_with_note_time_and_whether_they_were_blind() -> None:
    own = {ONE: PersonGrade("0", "off topic", "2026-01-01T00:00:00+00:00"), TWO: PersonGrade("2", blind=False)}
    assert read_grades(sheet(DRAWN, PAPERS, own).encode(), "bo", (ONE, TWO)).grades == own


def test_rows_that_are_no_grade_or_no_cell_are_named_and_the_others_read() -> None:
    read = rows(r0="maybe", r1="2")
    read.append({**read[1], "text": "another aspect", "grade": "1"})
    read.append({**read[1], "grade": "0"})
    got = read_grades(encoded(read), "bo", (ONE, TWO))
    assert got.grades == {TWO: PersonGrade("2")}
    assert got.faults == (
        "bo, line 2: 'maybe' is no grade; write 0, 1, 2 or nothing.",
        "bo, line 4: no cell of this set.",
        "bo, line 5: graded differently on an earlier line, which counts.",
    )


def test_a_stance_is_no_grade_of_an_aspect() -> None:
    assert read_grades(encoded(rows(r0="supports")), "bo", (ONE, TWO)).grades == {}


def test_a_table_of_something_else_is_refused() -> None:
    with pytest.raises(BadInput, match="no column 'text'"):
        read_grades(b"paper,grade\np:1,2\n", "bo", (ONE,))
