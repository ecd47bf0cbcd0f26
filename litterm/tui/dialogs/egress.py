"""Before a model is asked: which one, where, what leaves this machine, and what it may cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from textual.app import ComposeResult
from textual.binding import Binding

from litterm.model.llm import Estimate
from litterm.render.asking import estimate_words
from litterm.tui.dialogs.base import Dialog, said
from litterm.tui.glyphs import Glyphs

Consent = Literal["run", "rehearse"]


class Egress(Dialog[Consent], can_focus=True):
    """`enter` asks the model, `d` shows the requests first, `esc` stays local."""

    BINDINGS = [  # noqa: RUF012
        Binding("enter", "agree", "ask", id="dialog.ask-model"),
        Binding("d", "rehearse", "dry run", id="dialog.rehearse"),
    ]

    def __init__(self, estimate: Estimate, leaves: str, caps: str, glyphs: Glyphs) -> None:
        dot = glyphs.dot
        super().__init__("ask a language model", f"enter run {dot} d dry run {dot} esc stay local", glyphs)
        here = f"{estimate.host} is this machine: nothing leaves it."
        where = here if estimate.local else f"{estimate.host} is sent {leaves}."
        self.paragraphs: Sequence[str] = (where, estimate_words(estimate), caps)

    def on_mount(self) -> None:
        self.focus()

    def body(self) -> ComposeResult:
        for at, paragraph in enumerate(self.paragraphs):
            yield said(paragraph, "said" if at == 0 else "cause")

    def action_agree(self) -> None:
        self.dismiss("run")

    def action_rehearse(self) -> None:
        self.dismiss("rehearse")
