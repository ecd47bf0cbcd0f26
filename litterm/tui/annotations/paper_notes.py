"""Changes star, tags, note and reading status of papers."""

from __future__ import annotations

from collections.abc import Callable

from litterm.annotations.paper_changes import join_tags, split_tags
from litterm.model.annotations import NEXT_READ_STATUS
from litterm.model.paper import Paper
from litterm.tui.annotations.controller import AnnotationController
from litterm.tui.annotations.text_editor import EditedText, PaperTextEditor
from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.text import TextDialog
from litterm.tui.input.action_target import ActionTarget

_NOTE_HINT = "Markdown. note:WORD finds it by its words, has:note finds every note. Save it empty to delete it."


class PaperNotesController(ActionTarget):
    """Changes what the user notes about papers; tags and notes are typed in a dialog."""

    def __init__(self, context: WorkbenchContext, annotations: AnnotationController) -> None:
        self._context = context
        self._annotations = annotations

    def action_star(self) -> None:
        """Star or unstar the paper."""
        annotations = self._context.engine.annotations
        # The first press stars a mixed selection as a whole, so that the second can take all of it back.
        starred = all(annotations.notes(paper.id).starred for paper in self._annotations.papers())
        self._annotations.apply_to_papers(lambda paper_id: annotations.star(paper_id, not starred))
        papers = self._annotations.papers()
        if len(papers) == 1 and annotations.notes(papers[0].id).screening:
            # The mark of a paper included or excluded is where the star would be.
            self._context.tell("Star removed." if starred else "Starred.")

    def action_read_status(self) -> None:
        """Switch to the next reading status: to read, reading, read, none."""
        annotations = self._context.engine.annotations
        self._annotations.apply_to_papers(
            lambda paper_id: annotations.set_status(paper_id, NEXT_READ_STATUS[annotations.notes(paper_id).status])
        )
        papers = self._annotations.papers()
        if papers:
            status = annotations.notes(papers[0].id).status
            self._context.tell(f"Marked as: {status}." if status else "Reading status removed.")

    def action_tags(self) -> None:
        """Edit the paper's tags."""
        papers, annotations = self._annotations.papers(), self._context.engine.annotations
        if not papers:
            self._context.tell("No paper here.")
            return
        current_tags = join_tags(annotations.notes(papers[0].id).tags)

        def keep(text: str) -> None:
            tags = split_tags(text)
            self._annotations.apply_to_papers(lambda paper_id: annotations.tag(paper_id, tags))

        several = f" of the {len(papers):,} selected papers" if len(papers) > 1 else ""
        self._context.open(
            TextDialog(
                f"Tags{several} (separated by spaces, or by commas)",
                current_tags,
                self._context.glyphs,
                takes_empty=True,
                name=True,
            ),
            keep,
        )

    def action_note(self) -> None:
        """Edit the paper's note."""
        papers = self._annotations.papers()
        if papers:
            self.edit(papers[0], lambda: self._annotations.show_decisions(papers))
        else:
            self._context.tell("No paper here.")

    def edit(self, paper: Paper, done: Callable[[], None]) -> None:
        """Edit the note of `paper`, as it was left if it was left unsaved; `done` is called once it is saved."""
        annotations, unsaved = self._context.engine.annotations, self._context.engine.unsaved_texts

        def save(text: str) -> bool:
            annotations.note(paper.id, text)
            # Afterwards: a kill in between keeps both.
            unsaved.discard("note", paper.id)
            return True

        def keep(text: str) -> None:
            if not self._context.attempt(lambda: save(text)):
                self._context.attempt(lambda: unsaved.keep("note", paper.id, text))
            done()

        edited = EditedText(
            "note",
            paper.id,
            f"note {self._context.glyphs.dot} {paper.title}",
            annotations.notes(paper.id).note,
            _NOTE_HINT,
            "The note is not saved; m opens it as you left it.",
        )
        self._context.open(PaperTextEditor(edited, self._context), keep)
