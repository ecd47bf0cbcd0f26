"""Decisions on the cells of a matrix: the user's own, and those of co-authors read from their files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from litterm.annotations.highlights import Highlights
from litterm.annotations.journal_codec import RegisterChange
from litterm.model.matrix import CellDecision, CodedCell
from litterm.model.paper import PaperId


@dataclass(frozen=True, slots=True)
class MatrixDecisions(Highlights):
    """The part of the desk that is about whether a paper bears a hypothesis out; apart from any matrix.

    A decision belongs to paper and hypothesis: it is there again in every later matrix with both.
    """

    def decide(self, paper_id: PaperId, hypothesis: str, decision: CellDecision | None) -> None:
        """Accepts or rejects what a paper says about a hypothesis; `None` leaves it undecided."""
        said = f"{decision or 'undecided again:'} {paper_id} for “{_short(hypothesis)}”"
        self.ledger.write(said, [RegisterChange("cell", paper_id, decision, hypothesis)])

    def decisions(
        self, papers: Sequence[PaperId], hypotheses: Sequence[str]
    ) -> tuple[tuple[CellDecision | None, ...], ...]:
        """The user's decisions: a row a paper, in it one a hypothesis."""
        state = self.ledger.state()
        return tuple(
            tuple(cast("CellDecision | None", state.value("cell", paper_id, hypothesis)) for hypothesis in hypotheses)
            for paper_id in papers
        )

    def take_sheet(self, coder: str, cells: Sequence[CodedCell]) -> bool:
        """Keeps a co-author's decisions, as one verb; whether any of them was new."""
        changes = [
            RegisterChange("cell", cell.paper_id, cell.decision, _place(cell.hypothesis, coder)) for cell in cells
        ]
        return self.ledger.write(f"merged {len(cells)} decisions of {coder}", changes)

    def coded(self) -> dict[str, tuple[CodedCell, ...]]:
        """Every decision by coder, the user's under the empty name; in the order of papers and decisions."""
        state = self.ledger.state()
        found: dict[str, list[CodedCell]] = {"": []}
        for paper_id in state.papers("cell"):
            for place, value in state.places("cell", paper_id):
                hypothesis, _, coder = place.partition("\n")
                found.setdefault(coder, []).append(CodedCell(paper_id, hypothesis, cast(CellDecision, value)))
        return {coder: tuple(cells) for coder, cells in found.items()}


def _place(hypothesis: str, coder: str) -> str:
    # Blanks of a hypothesis are squeezed: a line break cannot be part of it.
    return f"{hypothesis}\n{coder}" if coder else hypothesis


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:59].rstrip() + "…"
