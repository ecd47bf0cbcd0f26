"""What the user decides about papers and sentences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from litterm.model.annotations import LocatedMark, MarkKind, Screening
from litterm.model.document import Document
from litterm.model.paper import Paper, PaperId
from litterm.tui.context import WorkbenchContext
from litterm.tui.evidence.controller import EvidenceController
from litterm.tui.evidence.rows import decisions
from litterm.tui.reader.controller import ReaderController
from litterm.tui.search.filters_sort import FiltersAndSort
from litterm.tui.state import DecisionKey
from litterm.tui.textual_compat import ActionTarget


class AnnotationController(ActionTarget):
    """Writes to the desk at once and shows what became of it."""

    def __init__(
        self, stage: WorkbenchContext, refining: FiltersAndSort, reading: ReaderController, finding: EvidenceController
    ) -> None:
        self._stage = stage
        self._refining = refining
        self._reading = reading
        self._finding = finding
        self.reverted: Callable[[], None] = lambda: None
        """Called after an undo or redo: what others show may have been decided too."""

    def papers(self) -> tuple[Paper, ...]:
        """The papers a verb is for: those selected, else the one under the cursor or in the reader."""
        stage = self._stage
        if stage.focus == "matrix":
            row = stage.matrix.current
            return (row.paper,) if row and row.paper else ()
        if stage.focus in ("reader", "evidence"):
            return (self._reading.paper,) if self._reading.paper else ()
        state = stage.results.state
        if state.chosen:
            return tuple(row.paper for row in state.rows if row.paper.id in state.chosen)
        return (stage.results.current.paper,) if stage.results.current else ()

    def sentences(self) -> tuple[int, ...]:
        """The sentences a verb is for, in the pane with the focus; empty in query and results."""
        stage = self._stage
        if stage.focus == "reader":
            return stage.reader.selected
        row = stage.evidence.current
        return (row.index,) if stage.focus == "evidence" and row and row.index is not None else ()

    def action_decide(self, key: DecisionKey) -> None:
        """Accept or reject what the cursor stands on; the same once more makes it undecided."""
        stage, accept = self._stage, key == "accept"
        if stage.focus == "query":
            chip = stage.query.chip_line.under_cursor()
            if chip is not None and not accept:
                self._refining.strike(chip)
            else:
                stage.tell("There is no filter to remove." if not accept else "Nothing here to accept.")
        elif stage.focus == "results":
            self._screen(accept=accept)
        else:
            self._judge(accept=accept)

    def _screen(self, *, accept: bool) -> None:
        papers, desk = self.papers(), self._stage.engine.desk
        wanted: Screening = "included" if accept else "excluded"
        same = all(desk.notes(paper.id).screening == wanted for paper in papers)
        self.each(lambda paper_id: desk.screen(paper_id, None if same else wanted))

    def _judge(self, *, accept: bool) -> None:
        document, desk = self._reading.document, self._stage.engine.desk
        indexes = self.sentences()
        if document is None or not indexes:
            self._stage.tell("No sentence here.")
            return
        marks = desk.marks(document)
        proposed = {row.index for row in self._finding.state.rows if row.rank is not None}
        deeds: list[Callable[[], None]] = []
        for index in indexes:
            kind: MarkKind = ("accepted" if index in proposed else "hand") if accept else "rejected"
            asked = self._hypothesis()
            deeds.append(partial(self._mark, document, index, kind, asked, decisions(marks, asked).get(index)))
        self._together(deeds)
        self._stage.reader.unselect()
        self._finding.refresh_marks()
        if self._stage.focus == "reader":
            # What was just marked has a row only now.
            self._finding.follow(self._stage.reader.cursor)

    def _hypothesis(self) -> str:
        """What a decision on the sentence at hand is for: what its row is about, else what is asked."""
        row = self._stage.evidence.current if self._stage.focus == "evidence" else None
        return (row.hypothesis if row else "") or self._finding.state.hypothesis

    def _mark(self, document: Document, index: int, kind: MarkKind, asked: str, standing: LocatedMark | None) -> None:
        """Decide, or make undecided what is decided so already."""
        desk, hypothesis = self._stage.engine.desk, "" if kind == "hand" else asked
        if standing is not None and standing.mark.kind == kind:
            desk.unmark(document, index, standing.mark.hypothesis)
            return
        if standing is not None and kind == "hand":
            # A rejection for this hypothesis would stand before the mark.
            desk.unmark(document, index, standing.mark.hypothesis)
        desk.mark(document, index, kind, hypothesis)

    def each(self, deed: Callable[[PaperId], None]) -> None:
        """Do something to every paper a verb is for, as one decision."""
        papers = self.papers()
        if not papers:
            self._stage.tell("No paper here.")
        self._together([partial(deed, paper.id) for paper in papers])
        self.after(papers)
        if len(papers) > 1:
            self._stage.tell(f"Done for the {len(papers):,} selected papers; u takes it back.")

    def _together(self, deeds: Sequence[Callable[[], None]]) -> None:
        """One key press is one decision, to be taken back by one undo."""

        def all_of_them() -> None:
            with self._stage.engine.desk.together():
                for deed in deeds:
                    deed()

        self._stage.attempt(all_of_them)

    def after(self, papers: tuple[Paper, ...]) -> None:
        """Show what was decided about `papers`."""
        if papers:
            self._refining.refresh_notes()
            self._reading.refresh_notes()

    def action_undo(self) -> None:
        """Take the last decision back; where only filters keep papers out, ask again without them."""
        if not self._refining.unhide():
            self._told(self._stage.attempt(self._stage.engine.desk.undo), "Nothing to undo.")

    def action_redo(self) -> None:
        """Undo the undoing."""
        self._told(self._stage.attempt(self._stage.engine.desk.redo), "Nothing to redo.")

    def _told(self, what: str | None, nothing: str) -> None:
        self._stage.tell(what or nothing)
        if what:
            self._refining.refresh_notes()
            self._reading.refresh_notes()
            self._finding.refresh_marks()
        self.reverted()
