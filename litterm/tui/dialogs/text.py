"""Dialogs with one text to edit: a hypothesis, tags, or letters typed where letters are commands."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from litterm.tui.dialogs.base import Dialog, paragraph
from litterm.tui.widgets.field import Field
from litterm.tui.widgets.glyphs import Glyphs

_ABOUT_TYPED_TEXT = "Letters are commands here (NORMAL mode), and none of these has been carried out."
RUN_AS_COMMANDS = "\0"
"""The answer that stands for the letters as commands; no text has it."""


class TextDialog(Dialog[str]):
    """A field with a text to edit. It has several lines unless a `name` is asked for."""

    def __init__(
        self, title: str, text: str, glyphs: Glyphs, *, about: str = "", takes_empty: bool = False, name: bool = False
    ) -> None:
        super().__init__(title, "", glyphs)
        self.enter = "save"
        """What enter does with the text, in words."""
        self._text = text
        self._about = about
        self._takes_empty = takes_empty
        self._is_name = name

    def compose(self) -> ComposeResult:
        self.key_hints.show((f"enter {self.enter}", *(() if self._is_name else ("ctrl+j new line",)), "esc leave"))
        yield from super().compose()

    def body(self) -> ComposeResult:
        if self._about:
            yield paragraph(self._about, "cause")
        yield Field(self._text, id="asked", single=self._is_name)

    def on_mount(self) -> None:
        field = self.query_one(Field)
        field.focus()
        # Selected as a whole: typing replaces the text, and an arrow continues with it.
        field.select_all()

    def on_resize(self) -> None:
        # On a screen too small for all of it what is typed comes before what is said about it.
        self.call_after_refresh(self.query_one(Field).scroll_visible, animate=False)

    def on_text_submitted(self, text: str) -> None:
        if text.strip() or self._takes_empty:
            self.dismiss(text.strip())


class TypedTextDialog(Dialog[str]):
    """Answers with the text to search for, or with `RUN_AS_COMMANDS`."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("f2", "commands", "commands", id="typed-text.commands")]

    def __init__(self, text: str, glyphs: Glyphs) -> None:
        keys = ("enter search for it", "f2 run as commands", "esc discard")
        super().__init__("typed text", f" {glyphs.dot} ".join(keys), glyphs)
        self._text = text

    def body(self) -> ComposeResult:
        yield paragraph(_ABOUT_TYPED_TEXT, "cause")
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
