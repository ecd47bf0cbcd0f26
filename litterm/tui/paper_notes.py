"""What the user keeps about a paper: star, tags, note, how far it is read."""

from __future__ import annotations

from litterm.model.annotations import ReadStatus
from litterm.tui.annotations import AnnotationController
from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.note import NoteEditor
from litterm.tui.dialogs.text import TextDialog
from litterm.tui.textual_compat import ActionTarget

_NEXT_STATUS: dict[ReadStatus, ReadStatus] = {"": "reading", "reading": "read", "read": ""}


class PaperNotesController(ActionTarget):
    """Asks where it must and writes to the desk."""

    def __init__(self, stage: WorkbenchContext, deciding: AnnotationController) -> None:
        self._stage = stage
        self._deciding = deciding

    def action_star(self) -> None:
        """Star the paper or not."""
        desk = self._stage.engine.desk
        starred = all(desk.notes(paper.id).starred for paper in self._deciding.papers())
        self._deciding.each(lambda paper_id: desk.star(paper_id, not starred))

    def action_read_status(self) -> None:
        """To read, reading, read."""
        desk = self._stage.engine.desk
        self._deciding.each(lambda paper_id: desk.set_status(paper_id, _NEXT_STATUS[desk.notes(paper_id).status]))
        papers = self._deciding.papers()
        if papers:
            self._stage.tell(f"Marked as: {desk.notes(papers[0].id).status or 'to read'}.")

    def action_tags(self) -> None:
        """Edit the paper's tags."""
        papers, desk = self._deciding.papers(), self._stage.engine.desk
        if not papers:
            self._stage.tell("No paper here.")
            return
        now = " ".join(desk.notes(papers[0].id).tags)

        def keep(text: str) -> None:
            tags = tuple(dict.fromkeys(word.strip("#,").lower() for word in text.split() if word.strip("#,")))
            self._deciding.each(lambda paper_id: desk.tag(paper_id, tags))

        several = f" of the {len(papers):,} selected papers" if len(papers) > 1 else ""
        self._stage.open(
            TextDialog(f"Tags{several} (separated by spaces)", now, self._stage.glyphs, takes_empty=True, name=True),
            keep,
        )

    def action_note(self) -> None:
        """Edit the paper's note."""
        papers, desk = self._deciding.papers(), self._stage.engine.desk
        if not papers:
            self._stage.tell("No paper here.")
            return
        paper_id = papers[0].id

        def keep(text: str) -> None:
            self._stage.attempt(lambda: desk.note(paper_id, text))
            self._deciding.after(papers)

        title = f"note {self._stage.glyphs.dot} {papers[0].title}"
        self._stage.open(NoteEditor(title, desk.notes(paper_id).note, self._stage.glyphs), keep)
