"""Grades that another person wrote into a sheet of `litterm agree sheet`."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from litterm.annotations.highlights import normalize_sentence
from litterm.core.errors import BadInput
from litterm.model.agreement import LABELS, GradedCell, PersonGrade
from litterm.model.paper import PaperId
from litterm.text.spreadsheets import clean_value, read_rows

_COLUMNS: Final = ("paper", "text", "sentence", "grade")
_LABEL_BY_WORD: Final = {
    **{label: label for labels in LABELS.values() for label in labels},
    # A spreadsheet makes decimals of digits.
    **{f"{digit}.0": str(digit) for digit in range(3)},
    **{"support": "supports", "refute": "refutes", "none": "neither", "neutral": "neither"},
}
_MAX_FAULTS = 20


@dataclass(frozen=True, slots=True)
class GradeSheet:
    """The grades of one person."""

    grader: str
    grades: dict[GradedCell, PersonGrade]
    empty: int = 0
    """Rows without a grade."""
    faults: tuple[str, ...] = ()
    """Rows that could not be read, a sentence each."""


def read_grades(content: bytes, grader: str, cells: Collection[GradedCell]) -> GradeSheet:
    """The grades of `cells` in a sheet that a spreadsheet may have saved since; `grader` is who wrote it.

    Raises:
        BadInput: it is no such sheet.
    """
    rows = read_rows(content, grader)
    header = [name.strip().casefold() for name in next(rows, [])]
    missing = [name for name in _COLUMNS if name not in header]
    if missing:
        raise BadInput(f"{grader}: no column {missing[0]!r} in the first line; is this a sheet of `litterm agree`?")
    by_key = {_key(cell.paper_id, cell.text, cell.sentence): cell for cell in cells}
    grades: dict[GradedCell, PersonGrade] = {}
    faults: list[str] = []
    empty = 0
    for number, row in enumerate(rows, 2):
        values = {name: clean_value(row[at]) if at < len(row) else "" for at, name in enumerate(header)}
        word = values["grade"].casefold()
        cell = by_key.get(_key(values["paper"], values["text"], values["sentence"]))
        if not any(values.values()):
            continue
        if not word:
            empty += 1
        elif cell is None:
            faults.append(f"{grader}, line {number}: no cell of this set.")
        elif (label := _LABEL_BY_WORD.get(word)) not in LABELS[cell.kind]:
            faults.append(
                f"{grader}, line {number}: {values['grade']!r} is no grade; write {', '.join(LABELS[cell.kind])} or "
                "nothing."
            )
        elif cell in grades and grades[cell].label != label:
            faults.append(f"{grader}, line {number}: graded differently on an earlier line, which counts.")
        else:
            blind = values.get("blind", "") != "no"
            grades[cell] = PersonGrade(str(label), values.get("note", ""), values.get("graded_at", ""), blind)
    more = len(faults) - _MAX_FAULTS
    shown = faults[:_MAX_FAULTS] + ([f"{grader}: {more} more lines like these."] if more > 0 else [])
    return GradeSheet(grader, grades, empty, tuple(shown))


def _key(paper: str, text: str, sentence: str) -> tuple[PaperId, str, str]:
    # By their words: what a spreadsheet may change is between them.
    return PaperId(paper), normalize_sentence(text) or text, normalize_sentence(sentence) or sentence
