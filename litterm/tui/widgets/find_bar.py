"""The find bar at the bottom: searches the paper, or filters the rows of a list."""

from __future__ import annotations

from dataclasses import dataclass

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from litterm.tui.widgets.field import Field


class FindBar(Horizontal):
    """`enter` and `down` next, `up` previous, `esc` ends."""

    @dataclass
    class Searched(Message):
        """The text to find has changed."""

        text: str

    @dataclass
    class Stepped(Message):
        """The next (1) or previous (-1) hit."""

        step: int

    @dataclass
    class Ended(Message):
        """The bar is left; hits or filter stay with `keep`."""

        keep: bool

    def __init__(self) -> None:
        super().__init__(id="find")

    def compose(self) -> ComposeResult:
        yield Static(Content("/ "), id="find-label")
        yield Field(id="find-field", single=True)
        yield Static(Content(""), id="find-says")

    @property
    def field(self) -> Field:
        """The text field."""
        return self.query_one(Field)

    def open(self, text: str) -> None:
        """Show the bar with `text` in it, ready to be typed over."""
        self.add_class("-open")
        self.field.set_text(text)
        self.field.select_all()
        self.field.focus()

    def close(self) -> None:
        """Hide the bar."""
        self.remove_class("-open")

    def show_status(self, text: str) -> None:
        """Show the outcome: `3 of 12`."""
        self.query_one("#find-says", Static).update(Content(text))

    def on_field_edited(self, event: Field.Edited) -> None:
        event.stop()
        self.post_message(self.Searched(event.text))

    def on_field_action_requested(self, event: Field.ActionRequested) -> None:
        event.stop()
        match event.what:
            case "submit" | "below":
                self.post_message(self.Stepped(1))
            case "above":
                self.post_message(self.Stepped(-1))
            case "leave" | "cancel":
                self.post_message(self.Ended(keep=False))
            case _:
                pass
