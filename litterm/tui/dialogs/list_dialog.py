"""The base of dialogs that are a message above a list of rows."""

from __future__ import annotations

from typing import TypeVar

from textual.app import ComposeResult

from litterm.tui.dialogs.base import Dialog, paragraph
from litterm.tui.dialogs.choose import ChoiceRows
from litterm.tui.widgets.glyphs import Glyphs

T = TypeVar("T")


class ListDialog(Dialog[T]):
    """`message`, then `choices`, which have the focus."""

    def __init__(self, title: str, keys: str, glyphs: Glyphs, *, heading: str = "") -> None:
        super().__init__(title, keys, glyphs)
        # Held, not looked up: an answer or a report may arrive before the dialog has been composed.
        self.message = paragraph(heading, "cause")
        self.choices = ChoiceRows((), glyphs, wrap=True)

    def body(self) -> ComposeResult:
        yield self.message
        yield self.choices

    def on_mount(self) -> None:
        self.choices.focus()
