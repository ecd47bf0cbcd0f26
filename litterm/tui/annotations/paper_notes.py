"""Changes star, tags, note and reading status of papers."""

from __future__ import annotations

from litterm.model.annotations import ReadStatus
from litterm.tui.annotations.controller import AnnotationController
from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.note import NoteEditor
from litterm.tui.dialogs.text import TextDialog
from litterm.tui.platform.textual_compat import ActionTarget

_NEXT_STATUS: dict[ReadStatus, ReadStatus] = {"": "reading", "reading": "read", "read": ""}


class PaperNotesController(ActionTarget):
    """Changes what the user notes about papers; tags and notes are typed in a dialog."""

    def __init__(self, context: WorkbenchContext, annotations_controller: AnnotationController) -> None:
        self._context = context
        self._annotations = annotations_controller

    def action_star(self) -> None:
        """Star or unstar the paper."""
        annotations = self._context.engine.annotations
        # The first press stars a mixed selection as a whole, so that the second can take all of it back.
        starred = all(annotations.notes(paper.id).starred for paper in self._annotations.papers())
        self._annotations.apply_to_papers(lambda paper_id: annotations.star(paper_id, not starred))

    def action_read_status(self) -> None:
        """Switch to the next reading status: to read, reading, read."""
        annotations = self._context.engine.annotations
        self._annotations.apply_to_papers(
            lambda paper_id: annotations.set_status(paper_id, _NEXT_STATUS[annotations.notes(paper_id).status])
        )
        papers = self._annotations.papers()
        if papers:
            self._context.tell(f"Marked as: {annotations.notes(papers[0].id).status or 'to read'}.")

    def action_tags(self) -> None:
        """Edit the paper's tags."""
        papers, annotations = self._annotations.papers(), self._context.engine.annotations
        if not papers:
            self._context.tell("No paper here.")
            return
        current_tags = " ".join(annotations.notes(papers[0].id).tags)

        def keep(text: str) -> None:
            # Tags are typed as `#tag` or with commas as often as bare.
            tags = tuple(dict.fromkeys(word.strip("#,").lower() for word in text.split() if word.strip("#,")))
            self._annotations.apply_to_papers(lambda paper_id: annotations.tag(paper_id, tags))

        several = f" of the {len(papers):,} selected papers" if len(papers) > 1 else ""
        self._context.open(
            TextDialog(
                f"Tags{several} (separated by spaces)", current_tags, self._context.glyphs, takes_empty=True, name=True
            ),
            keep,
        )

    def action_note(self) -> None:
        """Edit the paper's note."""
        papers, annotations = self._annotations.papers(), self._context.engine.annotations
        if not papers:
            self._context.tell("No paper here.")
            return
        paper_id = papers[0].id

        def keep(text: str) -> None:
            self._context.attempt(lambda: annotations.note(paper_id, text))
            self._annotations.show_decisions(papers)

        title = f"note {self._context.glyphs.dot} {papers[0].title}"
        self._context.open(NoteEditor(title, annotations.notes(paper_id).note, self._context.glyphs), keep)
