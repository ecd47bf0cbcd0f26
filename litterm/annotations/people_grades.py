"""Grades that people gave to cells which a model judges too: the user, and others whose grades were merged."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

from litterm.annotations.journal_codec import RegisterChange
from litterm.core.errors import UsageError
from litterm.model.agreement import LABELS, OWN_GRADER, AgreementMark, CellKind, Freeze, GradedCell, PersonGrade
from litterm.model.paper import PaperId

if TYPE_CHECKING:
    from litterm.annotations.undo_log import UndoLog

_MAX_QUOTED_CHARACTERS = 60


@dataclass(frozen=True, slots=True)
class PeopleGrades:
    """Grades by person, and what tests of a model have found, in the user's journal; they belong to no project."""

    undo_log: UndoLog

    def grade(self, cell: GradedCell, grade: PersonGrade | None, grader: str = OWN_GRADER) -> bool:
        """Grades a cell as `grader`; `None` takes the grade back. Returns whether that changed anything.

        Raises:
            UsageError: the label is none of the kind.
            DiskFull: it could not be written.
        """
        what = f"{cell.paper_id} for “{_shorten(cell.text)}”"
        by = "" if grader == OWN_GRADER else f" as {grader}"
        if grade is None:
            return self.undo_log.write(f"took the grade back{by}: {what}", [_change(cell, None, grader)])
        if grade.label not in LABELS[cell.kind]:
            raise UsageError(f"{grade.label} is no grade; give one of {', '.join(LABELS[cell.kind])}.")
        known = self.grade_of(cell, grader)
        # The same once more is no change, whatever the time.
        if known is not None and (known.label, known.note, known.blind) == (grade.label, grade.note, grade.blind):
            return False
        return self.undo_log.write(f"graded {grade.label}{by}: {what}", [_change(cell, grade, grader)])

    def grade_of(self, cell: GradedCell, grader: str = OWN_GRADER) -> PersonGrade | None:
        """The grade of one person; `None` if there is none."""
        return _decode(self.undo_log.state().value("grade", cell.paper_id, _place(cell, grader)))

    def grades_of(self, cells: Iterable[GradedCell]) -> dict[str, dict[GradedCell, PersonGrade]]:
        """The grades of `cells` by person: the user first, then by name."""
        state, wanted = self.undo_log.state(), set(cells)
        by_person: dict[str, dict[GradedCell, PersonGrade]] = {}
        for paper_id in {cell.paper_id for cell in wanted}:
            for place, value in state.places("grade", paper_id):
                text, sentence, grader = (*place.split("\n", 2), "", "")[:3]
                cell, grade = GradedCell(paper_id, text, sentence), _decode(value)
                if cell in wanted and grade is not None and grade.label in LABELS[cell.kind]:
                    by_person.setdefault(grader or OWN_GRADER, {})[cell] = grade
        return {name: by_person[name] for name in sorted(by_person, key=lambda name: (name != OWN_GRADER, name))}

    def merge(self, grader: str, grades: Mapping[GradedCell, PersonGrade]) -> bool:
        """Takes over the grades of another person as one change. Returns whether any was new."""
        changes = [_change(cell, grade, grader) for cell, grade in grades.items()]
        return self.undo_log.write(f"merged {len(grades)} grades of {grader}", changes)

    def record_test(self, kind: CellKind, freeze: Freeze, mark: AgreementMark) -> None:
        """Keeps what a test has found of this model and prompt, for the mark beside its grades."""
        body = json.dumps({"model": freeze.model, "cells": mark.cells, "agrees": mark.agrees, "at": freeze.at})
        change = RegisterChange("agreement", _test_id(kind), body, f"{freeze.model_hash}\n{freeze.prompt_hash}")
        self.undo_log.write(f"tested {freeze.model} against people on {mark.cells} cells", [change])

    def mark(self, kind: CellKind, model_hash: str, prompt_hash: str) -> AgreementMark:
        """What the last test of this model and prompt has found."""
        body = _object(self.undo_log.state().value("agreement", _test_id(kind), f"{model_hash}\n{prompt_hash}"))
        cells, agrees = body.get("cells"), body.get("agrees")
        if not isinstance(cells, int) or not isinstance(agrees, bool):
            return AgreementMark()
        return AgreementMark(cells, agrees)


def now() -> str:
    """The time of a grade: UTC, ISO 8601, seconds."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _change(cell: GradedCell, grade: PersonGrade | None, grader: str) -> RegisterChange:
    return RegisterChange("grade", cell.paper_id, None if grade is None else _encode(grade), _place(cell, grader))


def _place(cell: GradedCell, grader: str) -> str:
    # Aspects, hypotheses and sentences of cells have their blanks squeezed, so that they hold no line break.
    return f"{cell.text}\n{cell.sentence}\n{'' if grader == OWN_GRADER else grader}"


def _test_id(kind: CellKind) -> PaperId:
    return PaperId(f"agreement:{kind}")


def _encode(grade: PersonGrade) -> str:
    body = {"label": grade.label, "note": grade.note, "at": grade.at, "blind": grade.blind}
    return json.dumps(body, ensure_ascii=False)


def _decode(value: object) -> PersonGrade | None:
    body = _object(value)
    if not isinstance(label := body.get("label"), str):
        return None
    blind: Literal[True, False] = body.get("blind") is not False
    return PersonGrade(label, str(body.get("note", "")), str(body.get("at", "")), blind)


def _object(value: object) -> Mapping[str, object]:
    try:
        body = json.loads(value) if isinstance(value, str) else {}
    except (ValueError, RecursionError):
        return {}
    return body if isinstance(body, dict) else {}


def _shorten(text: str) -> str:
    return text if len(text) <= _MAX_QUOTED_CHARACTERS else text[: _MAX_QUOTED_CHARACTERS - 1].rstrip() + "…"
