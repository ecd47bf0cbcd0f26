"""The editor of a text about one paper: what is typed is stored every second until it is saved or discarded."""

from __future__ import annotations

import os
import shlex
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import ClassVar

from textual.app import ComposeResult, SuspendNotSupported
from textual.binding import Binding, BindingType
from textual.timer import Timer

from litterm.core.errors import LittermError
from litterm.core.tasks import Task
from litterm.core.temporary_files import scratch_folder
from litterm.model.annotations import UnsavedTextKind
from litterm.model.events import Progress
from litterm.model.paper import PaperId
from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.base import Dialog, paragraph
from litterm.tui.widgets.field import Field

STORE_AFTER_S = 0.8
"""Seconds after a key until what is typed is stored; the keys in between cost nothing."""
GROUP = "unsaved-text"


@dataclass(frozen=True, slots=True)
class EditedText:
    """What is edited: a text of a paper, as it is saved."""

    kind: UnsavedTextKind
    paper_id: PaperId
    title: str
    saved: str
    hint: str
    """About the form of the text."""
    left_notice: str
    """What is said when the editor is left without saving."""


class PaperTextEditor(Dialog[str]):
    """Answers with the text; the cursor begins at its end, so that typing adds to it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        # With priority, as in a field ctrl+e goes to the end of the line.
        Binding("ctrl+e", "editor", "edit outside", id="note.editor", priority=True),
        Binding("f2", "discard", "discard what is not saved", id="note.discard"),
    ]

    def __init__(self, edited: EditedText, context: WorkbenchContext) -> None:
        """Begins with what was left without saving, if there is anything."""
        glyphs = context.glyphs
        keys = ("enter save", "ctrl+j new line", "ctrl+e $EDITOR", "f2 discard", "esc leave")
        super().__init__(edited.title, f" {glyphs.dot} ".join(keys), glyphs)
        self._edited = edited
        self._workbench = context
        self._unsaved = context.engine.unsaved_texts
        self._timer: Timer | None = None
        self._writing = Lock()
        self._is_over = False
        """Whether the text was saved, left or discarded: then no thread may store it any more."""

    def body(self) -> ComposeResult:
        edited = self._edited
        left = self._workbench.attempt(lambda: self._unsaved.text_of(edited.kind, edited.paper_id))
        yield paragraph(edited.hint, "cause")
        yield Field(edited.saved if left is None else left, id="asked")

    def on_mount(self) -> None:
        field = self.query_one(Field)
        field.focus()
        field.move_cursor(field.document.end)

    def on_field_edited(self, event: Field.Edited) -> None:
        event.stop()
        self._store_soon()

    def _store_soon(self) -> None:
        if self._timer is None and not self._is_over:
            self._timer = self.set_timer(STORE_AFTER_S, self._store_in_background)

    def _store_in_background(self) -> None:
        self._timer, text = None, self.query_one(Field).text

        def task() -> Task[None]:
            yield Progress("storing what is typed")
            with self._writing:
                if not self._is_over:
                    self._store(text)

        def on_failure(_error: LittermError) -> None:
            # Tried again with the next second: another process is writing, or the disk is full.
            self._store_soon()

        self._workbench.work.start(GROUP, "storing what is typed", task, lambda _: None, failed=on_failure)

    def _store(self, text: str, *, at_end: bool = False) -> None:
        edited = self._edited
        if text.strip() == edited.saved.strip():
            self._unsaved.discard(edited.kind, edited.paper_id)
        else:
            self._unsaved.keep(edited.kind, edited.paper_id, text, at_end=at_end)

    def keep_at_end(self) -> None:
        for field in self.query(Field) if not self._is_over else ():
            # What fails now has no later attempt, and nobody to be told.
            with self._writing, suppress(LittermError):
                self._store(field.text, at_end=True)

    def on_text_submitted(self, text: str) -> None:
        self._end()
        self.dismiss(text.strip())

    def _end(self) -> None:
        # After a store that a thread may be in the middle of.
        with self._writing:
            self._is_over = True

    def dismiss(self, answer: str | None) -> None:
        """Close; a text that is not saved is kept for the next time."""
        # A dialog may be left before it is drawn.
        for field in self.query(Field) if answer is None and not self._is_over else ():
            self._end()
            self._workbench.attempt(lambda text=field.text: self._store(text))  # type: ignore[misc]
            if field.text.strip() != self._edited.saved.strip():
                self._workbench.tell(self._edited.left_notice)
        super().dismiss(answer)

    def action_discard(self) -> None:
        """Close, and forget what is not saved."""
        edited = self._edited
        self._end()
        self._workbench.attempt(lambda: self._unsaved.discard(edited.kind, edited.paper_id))
        self._workbench.tell("Discarded.")
        self.dismiss(None)

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
            self._store_soon()


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
