"""The user grades a paper for an aspect with a key, as the model does, without seeing the model's grade."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from textual.app import ComposeResult
from textual.binding import Binding

from litterm.annotations.people_grades import now
from litterm.model.agreement import LABELS, GradedCell, PersonGrade
from litterm.model.paper import Paper
from litterm.tui.aspects.controller import NO_ASPECTS, AspectsController
from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.base import Dialog, paragraph
from litterm.tui.dialogs.message import SCROLL_BINDINGS
from litterm.tui.input.action_target import ActionTarget
from litterm.tui.input.command_line import Command
from litterm.tui.widgets.glyphs import Glyphs

if TYPE_CHECKING:
    from litterm.model.aspects import Aspect

GradeAnswer = Literal["0", "1", "2", "skip", "take back"]


class GradeDialog(Dialog[str], can_focus=True):
    """A paper and an aspect; a digit grades and goes to the next paper."""

    BINDINGS = [  # noqa: RUF012
        *(
            Binding(label, f"answer('{label}')", f"grade {label}", id=f"dialog.grade-{label}")
            for label in ("0", "1", "2")
        ),
        Binding("s", "answer('skip')", "next paper", id="dialog.grade-skip"),
        Binding("u", "answer('take back')", "take the last grade back", id="dialog.grade-undo"),
        *SCROLL_BINDINGS,
    ]

    def __init__(self, place: str, aspect: str, paper: Paper, given: str, glyphs: Glyphs) -> None:
        """`given` is the grade that the user gave before; empty if none."""
        dot = glyphs.dot
        super().__init__(f"grade {place}", f"0 1 2 grade {dot} s next paper {dot} u take back {dot} esc stop", glyphs)
        self._aspect = aspect
        self._paper = paper
        self._given = given

    def on_mount(self) -> None:
        self.focus()

    def body(self) -> ComposeResult:
        yield paragraph(f"How far does the paper meet “{self._aspect}”?", "said")
        yield paragraph("2 all key parts, directly; 1 some of them, or by inference; 0 no help", "cause")
        if self._given:
            yield paragraph(f"You graded it {self._given}.", "cause")
        yield paragraph(self._paper.title, "said")
        yield paragraph(self._paper.abstract or "No abstract.", "cause")

    def action_answer(self, answer: str) -> None:
        self.dismiss(answer)


class OwnGrades(ActionTarget):
    """Asks the user for the grade of the paper under the cursor of the results for the aspect under the cursor."""

    def __init__(self, context: WorkbenchContext, aspects: AspectsController) -> None:
        self._context = context
        self._aspects = aspects
        self._graded: list[tuple[int, GradedCell]] = []
        """Rows and cells graded since the first dialog was opened."""

    def action_grade(self) -> None:
        """Ask for grades, paper after paper, until the user stops."""
        self._graded.clear()
        self._ask()

    def command(self) -> Command:
        """`:blind` hides the model's grades of what the user has not graded."""
        return Command(
            "blind",
            "hide the model's grades until you have graded, or show them",
            lambda _: self._aspects.toggle_blind(),
        )

    def _ask(self) -> None:
        aspect, row = self._context.aspects.current, self._context.results.current
        if aspect is None or row is None:
            self._context.tell(NO_ASPECTS if aspect is None else "There is no paper to grade.")
            return
        cell = GradedCell(row.paper.id, aspect.text)
        given = self._context.engine.people_grades.grade_of(cell)
        results = self._context.results
        place = f"paper {results.cursor + 1} of {len(results.shown)}"
        label = given.label if given is not None else ""
        dialog = GradeDialog(place, aspect.text, row.paper, label, self._context.glyphs)
        self._context.open(dialog, lambda answer: self._on_answer(answer, aspect, row.paper))

    def _on_answer(self, answer: str, aspect: Aspect, paper: Paper) -> None:
        results, grades = self._context.results, self._context.engine.people_grades
        if answer == "take back":
            if not self._graded:
                self._context.tell("Nothing to take back here.")
                return
            place, cell = self._graded.pop()
            self._context.attempt(lambda: grades.grade(cell, None))
            self._aspects.redraw()
            results.go(place)
            self._ask()
            return
        if answer in LABELS["aspects"]:
            self._keep(answer, aspect, paper)
        if results.cursor + 1 < len(results.shown):
            results.go(results.cursor + 1)
            self._ask()

    def _keep(self, label: str, aspect: Aspect, paper: Paper) -> None:
        """Keep the grade, then show the model's."""
        cell, place = GradedCell(paper.id, aspect.text), self._context.results.cursor
        blind = self._aspects.shown_scores().cell(aspect.text, paper.id).grade is None
        grade = PersonGrade(label, at=now(), blind=blind)
        if self._context.attempt(lambda: self._context.engine.people_grades.grade(cell, grade)) is None:
            return
        self._graded.append((place, cell))
        self._aspects.redraw()
        by_model = self._aspects.state.scores.cell(aspect.text, paper.id).grade
        if by_model is not None:
            self._aspects.note_seen(aspect.text, paper.id)
        said = "" if by_model is None else f"; {self._aspects.state.scores.graded_by}: {by_model}"
        seen = "" if blind else ". You had seen it, so this is not compared"
        self._context.tell(f"You: {label}{said}{seen}.")
