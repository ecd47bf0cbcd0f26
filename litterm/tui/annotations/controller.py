"""Decisions on papers and sentences: accept, reject, undo and redo."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial

from litterm.model.annotations import LocatedMark, MarkKind, Screening
from litterm.model.document import Document
from litterm.model.overview import UndoStep
from litterm.model.paper import Paper, PaperId
from litterm.text.escape import plain
from litterm.text.terminal_width import clip
from litterm.tui.context import WorkbenchContext
from litterm.tui.evidence.rows import decisions_by_sentence
from litterm.tui.input.action_target import ActionTarget
from litterm.tui.reader.controller import ReaderController
from litterm.tui.state import DecisionKey

_MAX_TITLE_WIDTH = 60
"""Cells of a title within a notice."""


class AnnotationController(ActionTarget):
    """Saves each decision at once and shows it in results, reader and evidence."""

    def __init__(
        self,
        context: WorkbenchContext,
        reader: ReaderController,
    ) -> None:
        self._context = context
        self._reader = reader
        self.revert_listeners: list[Callable[[], None]] = []
        """Called after an undo or redo, which may have changed what they show."""

    def papers(self) -> tuple[Paper, ...]:
        """The papers an action is for: those selected, else the one under the cursor or in the reader."""
        context = self._context
        if context.focus == "matrix":
            row = context.matrix.current
            return (row.paper,) if row and row.paper else ()
        if context.focus in ("reader", "evidence"):
            return (self._reader.paper,) if self._reader.paper else ()
        state = context.results.state
        if selected := state.selected_papers():
            return selected
        return (context.results.current.paper,) if context.results.current else ()

    def sentences(self) -> tuple[int, ...]:
        """The sentences an action is for, in the pane with the focus; empty in query and results."""
        context = self._context
        if context.focus == "reader":
            return context.reader.selected
        row = context.evidence.current
        return (row.index,) if context.focus == "evidence" and row and row.index is not None else ()

    def action_decide(self, key: DecisionKey) -> None:
        """Accept or reject what is under the cursor; the same key again makes it undecided."""
        context, accept = self._context, key == "accept"
        if context.focus == "query":
            chip = context.query.chip_line.chip_under_cursor()
            if chip is not None and not accept:
                context.query.remove_filters(chip)
            else:
                context.tell("There is no filter to remove." if not accept else "Nothing here to accept.")
        elif context.focus == "results" or (context.focus == "reader" and not context.evidence.sentences_to_judge()):
            self._screen(accept=accept)
        else:
            self._judge(accept=accept)

    def _screen(self, *, accept: bool) -> None:
        papers, annotations = self.papers(), self._context.engine.annotations
        decision: Screening = "included" if accept else "excluded"
        # Only where all are decided so already does the key take back: one press makes a mixed selection agree.
        are_decided = all(annotations.notes(paper.id).screening == decision for paper in papers)
        self.apply_to_papers(lambda paper_id: annotations.screen(paper_id, None if are_decided else decision))
        if papers and self._context.focus == "reader":
            # The row that shows the decision may be out of sight.
            self._context.tell("The paper is undecided again." if are_decided else f"The paper is {decision}.")

    def _judge(self, *, accept: bool) -> None:
        document, annotations = self._reader.document, self._context.engine.annotations
        indexes = self.sentences()
        if document is None or not indexes:
            self._context.tell("No sentence here.")
            return
        marks = annotations.marks(document)
        decided = decisions_by_sentence(marks, self._hypothesis())
        # Nobody quotes a heading. One that was marked before this was refused can still be cleared.
        indexes = tuple(i for i in indexes if i in decided or document.sentences[i].kind not in ("title", "heading"))
        if not indexes:
            self._context.tell("This is a heading. Move to a sentence, or press n for the next evidence sentence.")
            return
        # What no ranking proposed was found by the user: a mark by hand, which belongs to no hypothesis.
        proposed = {row.index for row in self._context.evidence.state.rows if row.rank is not None}
        changes: list[Callable[[], None]] = []
        for index in indexes:
            kind: MarkKind = ("accepted" if index in proposed else "hand") if accept else "rejected"
            # `partial` binds the values of this round; a lambda would see those of the last.
            changes.append(partial(self._mark, document, index, kind, self._hypothesis(), decided.get(index)))
        self._apply_as_one(changes)
        self._context.reader.unselect()
        self._context.evidence.refresh_marks()
        if self._context.focus == "reader":
            # A sentence just marked has a row only since the refresh.
            self._context.evidence.select(self._context.reader.cursor)

    def _hypothesis(self) -> str:
        """The hypothesis of a decision on the current sentence: that of its row, or else the pinned one."""
        row = self._context.evidence.current if self._context.focus == "evidence" else None
        return (row.hypothesis if row else "") or self._context.evidence.state.hypothesis

    def _mark(self, document: Document, index: int, kind: MarkKind, pinned: str, existing: LocatedMark | None) -> None:
        """Record a decision, or remove it if it is already there."""
        annotations, hypothesis = self._context.engine.annotations, "" if kind == "hand" else pinned
        if existing is not None and existing.mark.kind == kind:
            annotations.unmark(document, index, existing.mark.hypothesis)
            return
        if existing is not None and (kind == "hand" or (kind, existing.mark.kind) == ("rejected", "hand")):
            # A decision for this hypothesis comes before a mark by hand and would hide it. Who rejects a sentence
            # marked by hand no longer wants it as a quote.
            annotations.unmark(document, index, existing.mark.hypothesis)
        annotations.mark(document, index, kind, hypothesis)

    def apply_to_papers(self, change: Callable[[PaperId], None]) -> None:
        """Apply a change to every paper the action is for, as one decision."""
        papers = self.papers()
        if not papers:
            self._context.tell("No paper here.")
        self._apply_as_one([partial(change, paper.id) for paper in papers])
        self.show_decisions(papers)
        if len(papers) > 1:
            self._context.tell(f"Applied to the {len(papers):,} selected papers; u undoes it.")

    def _apply_as_one(self, changes: Sequence[Callable[[], None]]) -> None:
        """Apply changes as one decision, so that one undo takes them back."""

        def apply_all() -> None:
            with self._context.engine.annotations.group_changes():
                for change in changes:
                    change()

        self._context.attempt(apply_all)

    def show_decisions(self, papers: tuple[Paper, ...]) -> None:
        """Show the decisions on `papers`."""
        if papers:
            self._context.results.refresh_notes()
            self._reader.refresh_notes()

    def action_undo(self) -> None:
        """Undo the last decision; where only filters hide the papers found, search again without them."""
        if not self._context.results.remove_hiding_filters():
            self._show_outcome(self._context.attempt(self._context.engine.annotations.undo), "Nothing to undo.")

    def action_redo(self) -> None:
        """Redo the last undone decision."""
        self._show_outcome(self._context.attempt(self._context.engine.annotations.redo), "Nothing to redo.")

    def revert_to(self, step: UndoStep) -> None:
        """Undo a change and all that followed, or redo an undone one and those before it."""
        annotations = self._context.engine.annotations
        revert = annotations.redo_through if step.undone else annotations.undo_through
        self._show_outcome(
            self._context.attempt(lambda: revert(step.id)), "That changed meanwhile; open the list again."
        )

    def _show_outcome(self, outcome: str | None, nothing: str) -> None:
        self._context.tell(self._with_titles(outcome) if outcome else nothing)
        if outcome:
            self._context.results.refresh_notes()
            self._reader.refresh_notes()
            self._context.evidence.refresh_marks()
        for listener in self.revert_listeners:
            listener()

    def _with_titles(self, outcome: str) -> str:
        """`outcome` with titles instead of the ids of the papers that are listed or open."""
        # The engine's sentence names a paper by its id, which nobody knows by heart.
        papers = [row.paper for row in self._context.results.state.rows]
        for paper in (*papers, *([self._reader.paper] if self._reader.paper else [])):
            if paper.id in outcome and paper.title:
                title = clip(plain(paper.title), _MAX_TITLE_WIDTH, self._context.glyphs.ellipsis)
                outcome = replace_id(outcome, paper.id, f"“{title}”")
        return outcome


def replace_id(sentence: str, paper_id: PaperId, title: str) -> str:
    """`sentence` with `title` instead of the id; a longer id that begins alike stays."""
    return re.sub(rf"(?<![\w:]){re.escape(paper_id)}(?![\w/:-]|\.\w)", lambda _: title, sentence)
