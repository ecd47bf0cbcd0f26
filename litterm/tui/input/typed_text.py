"""Text typed where letters are commands: shown, and searched for only if that was meant."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from litterm.tui.dialogs.base import Dialog, paragraph
from litterm.tui.widgets.field import Field
from litterm.tui.widgets.glyphs import Glyphs

_ABOUT = "Letters are commands here (NORMAL mode), and none of these has been carried out."
RUN_AS_COMMANDS = "\0"
"""The answer that stands for the letters as commands; no text has it."""


class TypedTextDialog(Dialog[str]):
    """Answers with the text to search for, or with `RUN_AS_COMMANDS`."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("f2", "commands", "commands", id="typed-text.commands")]

    def __init__(self, text: str, glyphs: Glyphs) -> None:
        keys = ("enter search for it", "f2 run as commands", "esc discard")
        super().__init__("typed text", f" {glyphs.dot} ".join(keys), glyphs)
        self._text = text

    def body(self) -> ComposeResult:
        yield paragraph(_ABOUT, "cause")
        yield Field(self._text, id="typed-text", single=True)

    def on_mount(self) -> None:
        field = self.query_one(Field)
        field.focus()
        # What is typed on belongs to it.
        field.move_cursor(field.document.end)

    def on_text_submitted(self, text: str) -> None:
        if text.strip():
            self.dismiss(text.strip())

    def action_commands(self) -> None:
        self.dismiss(RUN_AS_COMMANDS)
