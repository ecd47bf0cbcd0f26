"""Decisions on the cells of a matrix: the user's own, and those of co-authors read from their files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from litterm.annotations.highlights import Highlights
from litterm.annotations.journal_codec import RegisterChange
from litterm.annotations.project_scope import is_shown, others_showing
from litterm.model.matrix import CellDecision, CodedCell
from litterm.model.paper import PaperId


@dataclass(frozen=True, slots=True)
class MatrixDecisions(Highlights):
    """Decisions on whether a paper bears a hypothesis out; they belong to no single matrix.

    A decision belongs to paper, hypothesis and project: it is there again in every later matrix there with both.
    """

    def decide(self, paper_id: PaperId, hypothesis: str, decision: CellDecision | None) -> None:
        """Accepts or rejects what a paper says about a hypothesis; `None` leaves it undecided."""
        sentence = f"{decision or 'undecided again:'} {paper_id} for “{_short(hypothesis)}”"
        self.undo_log.write(sentence, self._set(paper_id, hypothesis, "", decision))

    def decisions(
        self, papers: Sequence[PaperId], hypotheses: Sequence[str]
    ) -> tuple[tuple[CellDecision | None, ...], ...]:
        """The user's decisions: a row a paper, in it one a hypothesis."""
        by_paper = (
            {cell.hypothesis: cell.decision for _, cell in self._cells(key) if not cell.coder} for key in papers
        )
        return tuple(tuple(row.get(key) for key in hypotheses) for row in by_paper)

    def take_sheet(self, coder: str, cells: Sequence[CodedCell]) -> bool:
        """Keeps a co-author's decisions, as one verb; whether any of them was new."""
        changes = [
            change for cell in cells for change in self._set(cell.paper_id, cell.hypothesis, coder, cell.decision)
        ]
        return self.undo_log.write(f"merged {len(cells)} decisions of {coder}", changes)

    def coded(self) -> dict[str, tuple[CodedCell, ...]]:
        """Every decision by coder, the user's under the empty name; in the order of papers and decisions."""
        by_coder: dict[str, list[CodedCell]] = {"": []}
        for paper_id in self.undo_log.state().papers("cell"):
            for _, cell in self._cells(paper_id):
                by_coder.setdefault(cell.coder, []).append(CodedCell(paper_id, cell.hypothesis, cell.decision))
        return {coder: tuple(cells) for coder, cells in by_coder.items()}

    def _cells(self, paper_id: PaperId) -> list[tuple[str, _Cell]]:
        """Place and decision of every cell of a paper that the project in use shows, the one made last at the end."""
        state, key = self.undo_log.state(), self.project
        read = [
            (place, _cell(place, cast(CellDecision, value), order))
            for place, value, order in state.ordered_places("cell", paper_id)
        ]
        return [(place, cell) for place, cell in read if is_shown(state, cell.project, cell.order, key)]

    def _set(
        self, paper_id: PaperId, hypothesis: str, coder: str, decision: CellDecision | None
    ) -> list[RegisterChange]:
        """A decision in the project in use; other projects keep an older one that they show too."""
        place = _place(hypothesis, coder, self.project)
        changes = [RegisterChange("cell", paper_id, decision, place)]
        for older, cell in self._cells(paper_id):
            # As with marks: an older decision goes from this project alone.
            if cell.project is None and (cell.hypothesis, cell.coder) == (hypothesis, coder):
                changes.append(RegisterChange("cell", paper_id, None, older))
                others = others_showing(self.undo_log.state(), cell.order, self.project)
                changes += [
                    RegisterChange("cell", paper_id, cell.decision, _place(hypothesis, coder, other))
                    for other in others
                ]
        return changes


@dataclass(frozen=True, slots=True)
class _Cell:
    """One decision as the journal has it."""

    hypothesis: str
    coder: str
    """Empty: the user."""
    decision: CellDecision
    project: str | None
    """`None`: from before decisions belonged to projects."""
    order: int


def _place(hypothesis: str, coder: str, project: str) -> str:
    # Blanks of a hypothesis are squeezed: a line break cannot be part of it.
    return f"{hypothesis}\n{coder}\n{project}"


def _cell(place: str, decision: CellDecision, order: int) -> _Cell:
    hypothesis, coder, project = (*place.split("\n", 2), "", "")[:3]
    return _Cell(hypothesis, coder, decision, project if place.count("\n") > 1 else None, order)


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:59].rstrip() + "…"
