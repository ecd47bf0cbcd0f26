"""One text asked for: a hypothesis, a note, tags."""

from __future__ import annotations

from textual.app import ComposeResult

from litterm.tui.dialogs.base import Dialog, said
from litterm.tui.field import Field
from litterm.tui.glyphs import Glyphs


class Ask(Dialog[str]):
    """A multi-line field with something in it already; enter takes it."""

    def __init__(self, title: str, text: str, glyphs: Glyphs, *, about: str = "", takes_empty: bool = False) -> None:
        super().__init__(title, f"enter take {glyphs.dot} ctrl+j new line {glyphs.dot} esc leave", glyphs)
        self._text = text
        self._about = about
        self._takes_empty = takes_empty

    def body(self) -> ComposeResult:
        if self._about:
            yield said(self._about, "cause")
        yield Field(self._text, id="asked")

    def on_mount(self) -> None:
        field = self.query_one(Field)
        field.focus()
        field.select_all()

    def submitted(self, text: str) -> None:
        if text.strip() or self._takes_empty:
            self.dismiss(text.strip())
