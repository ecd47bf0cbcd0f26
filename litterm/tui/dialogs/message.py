"""Dialogs with paragraphs to read, and a question to confirm."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from textual.app import ComposeResult
from textual.binding import Binding

from litterm.tui.dialogs.base import Dialog, paragraph
from litterm.tui.input.keymap import BY_ID, textual_key
from litterm.tui.widgets.glyphs import Glyphs

_SCROLL_ACTIONS = {
    "all.down": "scroll_down",
    "all.up": "scroll_up",
    "all.half-down": "page_down",
    "all.half-up": "page_up",
    "all.page-down": "page_down",
    "all.page-up": "page_up",
    "all.first": "scroll_home",
    "all.last": "scroll_end",
}
"""Scroll actions by binding, for text longer than the screen."""


SCROLL_BINDINGS = tuple(
    Binding(textual_key(key), does, does) for name, does in _SCROLL_ACTIONS.items() for key in BY_ID[name].keys
)


class MessageDialog(Dialog[bool], can_focus=True):
    """Paragraphs; enter or esc closes."""

    BINDINGS = [  # noqa: RUF012
        Binding("enter", "close", "close", id="dialog.close-enter"),
        *SCROLL_BINDINGS,
    ]

    def __init__(self, title: str, paragraphs: Sequence[str], glyphs: Glyphs) -> None:
        super().__init__(title, "enter or esc close", glyphs)
        self._paragraphs = tuple(paragraphs)

    def on_mount(self) -> None:
        self.focus()

    def body(self) -> ComposeResult:
        for index, text in enumerate(self._paragraphs):
            yield paragraph(text, "said" if index == 0 else "cause")


def task_failure_dialog(heading: str, cause: str, log: Path, glyphs: Glyphs) -> MessageDialog:
    """The dialog after a bug in a task: what failed, the cause, the next step, and where the log is."""
    heading = heading[:1].upper() + heading[1:]
    step = "litterm keeps running. `.` tries again; if it fails again, see the log."
    return MessageDialog("something went wrong", (heading, f"Cause: {cause}", step, f"Log: {log}"), glyphs)


class ConfirmDialog(Dialog[bool], can_focus=True):
    """A question that enter answers with yes and esc with no."""

    BINDINGS = [Binding("enter", "agree", "yes", id="dialog.agree")]  # noqa: RUF012

    def __init__(self, title: str, question: str, glyphs: Glyphs, *, yes: str = "yes", no: str = "no") -> None:
        super().__init__(title, f"enter {yes} {glyphs.dot} esc {no}", glyphs)
        self._question = question

    def on_mount(self) -> None:
        self.focus()

    def body(self) -> ComposeResult:
        yield paragraph(self._question)

    def action_agree(self) -> None:
        self.dismiss(True)
