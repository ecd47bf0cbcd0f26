"""Changes star, tags, note and reading status of papers."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult, SuspendNotSupported
from textual.binding import Binding, BindingType

from litterm.annotations.paper_changes import split_tags
from litterm.core.temporary_files import scratch_folder
from litterm.model.annotations import NEXT_READ_STATUS
from litterm.tui.annotations.controller import AnnotationController
from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.base import Dialog, paragraph
from litterm.tui.dialogs.text import TextDialog
from litterm.tui.input.action_target import ActionTarget
from litterm.tui.widgets.field import Field
from litterm.tui.widgets.glyphs import Glyphs

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
        current_tags = " ".join(annotations.notes(papers[0].id).tags)

        def keep(text: str) -> None:
            tags = split_tags(text)
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
            self._context.note_drafts.pop(paper_id, None)
            self._context.attempt(lambda: annotations.note(paper_id, text))
            self._annotations.show_decisions(papers)

        def left(text: str) -> None:
            self._context.note_drafts[paper_id] = text
            self._context.tell("The note is not saved; m opens it as you left it.")

        title, note = f"note {self._context.glyphs.dot} {papers[0].title}", annotations.notes(paper_id).note
        editor = NoteEditor(title, note, self._context.glyphs, draft=self._context.note_drafts.get(paper_id), left=left)
        self._context.open(editor, keep)


class NoteEditor(Dialog[str]):
    """Answers with the text; the cursor begins at its end, so that typing adds to it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        # With priority, as in a field ctrl+e goes to the end of the line.
        Binding("ctrl+e", "editor", "edit outside", id="note.editor", priority=True)
    ]

    def __init__(
        self, title: str, note: str, glyphs: Glyphs, *, draft: str | None = None, left: Callable[[str], None]
    ) -> None:
        """`draft` is the text to begin with, if not the `note`; `left` gets a text that was not saved."""
        keys = ("enter save", "ctrl+j new line", "ctrl+e $EDITOR", "esc leave")
        super().__init__(title, f" {glyphs.dot} ".join(keys), glyphs)
        self._note = note
        self._draft = draft
        self._left = left

    def body(self) -> ComposeResult:
        yield paragraph(_NOTE_HINT, "cause")
        yield Field(self._note if self._draft is None else self._draft, id="asked")

    def on_mount(self) -> None:
        field = self.query_one(Field)
        field.focus()
        field.move_cursor(field.document.end)

    def on_text_submitted(self, text: str) -> None:
        self.dismiss(text.strip())

    def dismiss(self, answer: str | None) -> None:
        """Close; a text that is not saved is kept for the next time."""
        # A dialog may be left before it is drawn.
        for field in self.query(Field) if answer is None else ():
            if field.text.strip() != self._note:
                self._left(field.text)
        super().dismiss(answer)

    def action_editor(self) -> None:
        """Hand the text to the user's editor, and take back what it leaves."""
        field, command = self.query_one(Field), editor_command()
        try:
            with self.app.suspend():
                text, trouble = edit_outside(field.text, command)
        # Textual steps aside only where it owns a terminal; an editor with a window of its own opens all the same.
        except SuspendNotSupported:
            text, trouble = edit_outside(field.text, command)
        # The editor has drawn over the screen, and Textual would draw only what changes.
        self.app.refresh(repaint=True)
        if trouble:
            self.app.notify(trouble, severity="warning", markup=False)
        else:
            field.set_text(text)


def editor_command() -> str:
    """The user's editor: `$VISUAL`, `$EDITOR`, else vi."""
    return os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"


def edit_outside(text: str, command: str) -> tuple[str, str]:
    """`text` as the editor `command` leaves it, and why it could not be edited; empty if it could."""
    with scratch_folder() as folder:
        file = Path(folder) / "note.md"
        file.write_text(text, encoding="utf-8")
        try:
            ended = subprocess.run([*shlex.split(command), str(file)], check=False)
        except (OSError, ValueError) as error:
            return text, f"The editor {command!r} could not be started ({error}). Set $EDITOR to another editor."
        # As with git: a failing status, such as that of `:cq` in vi, is how one gives up.
        if ended.returncode:
            return text, f"The editor {command!r} ended with status {ended.returncode}; the note is unchanged."
        # Editors end the last line, which a note does not need.
        return file.read_text(encoding="utf-8", errors="replace").rstrip("\n"), ""
