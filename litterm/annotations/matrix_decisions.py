"""Decisions on the cells of a matrix, by the user and by co-authors whose files were merged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from litterm.annotations.highlights import Highlights, normalize_sentence
from litterm.annotations.journal_codec import RegisterChange
from litterm.annotations.projects import find_other_projects, is_visible
from litterm.model.annotations import Mark, MarkKind
from litterm.model.matrix import CellDecision, CodedCell, MatrixCell
from litterm.model.paper import PaperId


@dataclass(frozen=True, slots=True)
class MatrixDecisions(Highlights):
    """Decisions on whether a paper supports a hypothesis.

    A decision belongs to a paper, a hypothesis and a project, not to a matrix: every matrix with both shows it.
    """

    def decide(self, paper_id: PaperId, hypothesis: str, decision: CellDecision | None) -> None:
        """Accepts or rejects a paper for a hypothesis; `None` leaves it undecided."""
        sentence = f"{decision or 'undecided again:'} {paper_id} for “{_shorten(hypothesis)}”"
        self.undo_log.write(sentence, self._decision_changes(paper_id, hypothesis, "", decision))

    def decisions(
        self, papers: Sequence[PaperId], hypotheses: Sequence[str]
    ) -> tuple[tuple[CellDecision | None, ...], ...]:
        """The user's decisions, a row for each paper and a column for each hypothesis."""
        by_paper = (
            {cell.hypothesis: cell.decision for _, cell in self._visible_cells(key) if not cell.coder} for key in papers
        )
        return tuple(tuple(row.get(key) for key in hypotheses) for row in by_paper)

    def sentence_marks(
        self, paper_id: PaperId, hypotheses: Sequence[str], cells: Sequence[MatrixCell | None]
    ) -> tuple[Mapping[str, MarkKind], ...]:
        """The user's marks on sentences of a paper as in `MatrixRow.marks`; `cells` are those of its row."""
        marks = self.visible_marks(paper_id)
        # Most papers of a matrix have none.
        if not marks:
            return ()
        return tuple(_marks_on_cell(marks, *column) for column in zip(hypotheses, cells, strict=True))

    def merge_coder_decisions(self, coder: str, cells: Sequence[CodedCell]) -> bool:
        """Merges the decisions of a co-author as one change. Returns whether any was new."""
        changes = [
            change
            for cell in cells
            for change in self._decision_changes(cell.paper_id, cell.hypothesis, coder, cell.decision)
        ]
        return self.undo_log.write(f"merged {len(cells)} decisions of {coder}", changes)

    def decisions_by_coder(self) -> dict[str, tuple[CodedCell, ...]]:
        """All decisions by coder, those of the user under the empty name."""
        by_coder: dict[str, list[CodedCell]] = {"": []}
        for paper_id in self.undo_log.state().papers("cell"):
            for _, cell in self._visible_cells(paper_id):
                by_coder.setdefault(cell.coder, []).append(CodedCell(paper_id, cell.hypothesis, cell.decision))
        return {coder: tuple(cells) for coder, cells in by_coder.items()}

    def _visible_cells(self, paper_id: PaperId) -> list[tuple[str, _Cell]]:
        """Places and decisions of the cells of a paper visible in the current project, the newest last."""
        state, key = self.undo_log.state(), self.project
        cells = [
            (place, _decode_cell(place, cast(CellDecision, value), order))
            for place, value, order in state.ordered_places("cell", paper_id)
        ]
        return [(place, cell) for place, cell in cells if is_visible(state, cell.project, cell.order, key)]

    def _decision_changes(
        self, paper_id: PaperId, hypothesis: str, coder: str, decision: CellDecision | None
    ) -> list[RegisterChange]:
        """The changes that set a decision in the current project; other projects keep an older one that they show."""
        place = _encode_place(hypothesis, coder, self.project)
        changes = [RegisterChange("cell", paper_id, decision, place)]
        for older, cell in self._visible_cells(paper_id):
            # A decision from before there were projects is removed from this project only.
            if cell.project is None and (cell.hypothesis, cell.coder) == (hypothesis, coder):
                changes.append(RegisterChange("cell", paper_id, None, older))
                other_projects = find_other_projects(self.undo_log.state(), cell.order, self.project)
                changes += [
                    RegisterChange("cell", paper_id, cell.decision, _encode_place(hypothesis, coder, other))
                    for other in other_projects
                ]
        return changes


@dataclass(frozen=True, slots=True)
class _Cell:
    """One decision as stored in the journal."""

    hypothesis: str
    coder: str
    """Empty: the user."""
    decision: CellDecision
    project: str | None
    """`None` if it was made before decisions belonged to projects."""
    order: int


def _marks_on_cell(marks: Sequence[Mark], hypothesis: str, cell: MatrixCell | None) -> dict[str, MarkKind]:
    by_text: dict[str, MarkKind] = {}
    # By their words: the sentences of the cell and the mark may be from two parses of the paper.
    own_texts = {normalize_sentence(quote.text): quote.text for quote in cell.quotes} if cell else {}
    # Those for the hypothesis last, which take the place of the others.
    for mark in sorted(marks, key=lambda mark: mark.hypothesis == hypothesis):
        text = own_texts.get(normalize_sentence(mark.anchor.quote))
        if text is not None and mark.hypothesis in (hypothesis, ""):
            by_text[text] = mark.kind
        elif text is None and mark.hypothesis == hypothesis:
            by_text[mark.anchor.quote] = mark.kind
    return by_text


def _encode_place(hypothesis: str, coder: str, project: str) -> str:
    # A hypothesis contains no line breaks, because its whitespace is collapsed.
    return f"{hypothesis}\n{coder}\n{project}"


def _decode_cell(place: str, decision: CellDecision, order: int) -> _Cell:
    hypothesis, coder, project = (*place.split("\n", 2), "", "")[:3]
    return _Cell(hypothesis, coder, decision, project if place.count("\n") > 1 else None, order)


def _shorten(text: str) -> str:
    return text if len(text) <= 60 else text[:59].rstrip() + "…"
