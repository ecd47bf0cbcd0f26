"""The dialog before a model is asked: which model, what leaves this machine, options, and the estimated cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.widgets import Static

from litterm.model.llm import CostEstimate
from litterm.render.cost import estimate_words
from litterm.text.escape import plain_lines
from litterm.tui.dialogs.base import Dialog, paragraph
from litterm.tui.widgets.glyphs import Glyphs

Consent = Literal["run", "rehearse"]


@dataclass(frozen=True, slots=True)
class ConsentOption:
    """An option of the dialog, switched by a key."""

    key: str
    label: str
    current: str


class LlmConsentDialog(Dialog[Consent], can_focus=True):
    """`enter` asks the model, `d` shows the requests first, `esc` stays local; letters switch how it is asked."""

    BINDINGS = [  # noqa: RUF012
        Binding("enter", "agree", "ask", id="dialog.ask-model"),
        Binding("d", "rehearse", "dry run", id="dialog.rehearse"),
        # The letters of all such dialogs: bindings belong to the class, and options to one dialog.
        *(Binding(key, f"switch('{key}')", "how it is asked", id=f"dialog.options-{key}") for key in "srlnc"),
    ]

    def __init__(
        self,
        estimate: CostEstimate,
        leaves: str,
        caps: str,
        glyphs: Glyphs,
        *,
        options: Sequence[ConsentOption] = (),
        switch: Callable[[str], None] = lambda key: None,
    ) -> None:
        dot = glyphs.dot
        super().__init__("ask a language model", f"enter run {dot} d dry run {dot} esc stay offline", glyphs)
        stays_here = f"{estimate.host} is this machine; nothing leaves it."
        destination = stays_here if estimate.local else f"{estimate.host} is sent {leaves}."
        self.paragraphs: Sequence[str] = (destination, estimate_words(estimate), caps)
        self.options: Sequence[ConsentOption] = tuple(options)
        """What can be switched, as it is now."""
        self._switch = switch
        self.on_left: Callable[[], None] = lambda: None
        """Called when the user declines."""
        # Held, not looked up by id: an estimate may arrive before the dialog has been composed.
        self._options = Static(Content(self._lines()), id="how", classes="said")
        self._cost = Static(Content(plain_lines(self.paragraphs[1])), id="cost", classes="cause")

    def on_mount(self) -> None:
        self.focus()

    def body(self) -> ComposeResult:
        yield paragraph(self.paragraphs[0])
        yield self._options
        yield self._cost
        yield Static(Content(plain_lines(self.paragraphs[2])), id="caps", classes="cause")

    def _lines(self) -> str:
        wide = max((len(option.label) for option in self.options), default=0)
        return "\n".join(f"{option.key}  {option.label.ljust(wide)}  {option.current}" for option in self.options)

    def show(self, options: Sequence[ConsentOption], estimate: CostEstimate | None) -> None:
        """Show other options and their cost; `None` while it is being estimated."""
        cost = estimate_words(estimate) if estimate else f"estimating{self.glyphs.ellipsis}"
        self.options = tuple(options)
        self.paragraphs = (self.paragraphs[0], cost, self.paragraphs[2])
        self._options.update(Content(self._lines()))
        self._cost.update(Content(plain_lines(cost)))

    def action_close(self) -> None:
        """Decline."""
        self.on_left()
        super().action_close()

    def action_agree(self) -> None:
        self.dismiss("run")

    def action_rehearse(self) -> None:
        self.dismiss("rehearse")

    def action_switch(self, key: str) -> None:
        if any(option.key == key for option in self.options):
            self._switch(key)
