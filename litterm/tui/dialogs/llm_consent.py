"""Consent before a model is asked: which model, what leaves this machine, options, and the estimated cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.widgets import Static

from litterm.model.llm import CostEstimate
from litterm.render.cost import caps_words, destination_words, estimate_words
from litterm.text.escape import plain_lines
from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.base import Dialog, paragraph
from litterm.tui.dialogs.local_model import with_model
from litterm.tui.dialogs.message import MessageDialog
from litterm.tui.input.action_target import ActionTarget
from litterm.tui.widgets.glyphs import Glyphs

Consent = Literal["run", "dry-run"]
_MAX_REQUEST_CHARS = 4_000
"""Characters of one request that a dry run shows; the commands print all."""


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
        Binding("d", "dry_run", "dry run", id="dialog.rehearse"),
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
        on_switch: Callable[[str], None] | None = None,
        on_decline: Callable[[], None] | None = None,
    ) -> None:
        """`leaves` says what leaves this machine; `on_switch` gets the key of an option."""
        dot = glyphs.dot
        super().__init__("ask a language model", f"enter run {dot} d dry run {dot} esc stay offline", glyphs)
        self.paragraphs: Sequence[str] = (destination_words(estimate, leaves), estimate_words(estimate), caps)
        self.options: Sequence[ConsentOption] = tuple(options)
        """What can be switched, as it is now."""
        self._on_switch = on_switch
        self._on_decline = on_decline
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
        if self._on_decline is not None:
            self._on_decline()
        super().action_close()

    def action_agree(self) -> None:
        self.dismiss("run")

    def action_dry_run(self) -> None:
        self.dismiss("dry-run")

    def action_switch(self, key: str) -> None:
        if self._on_switch is not None and any(option.key == key for option in self.options):
            self._on_switch(key)


class LlmRun(ActionTarget):
    """Asks a model after consent: the estimate, options that change it, then the run or a dry run.

    A feature overrides what is sent, the options, the estimate, and what follows consent.
    """

    SENT_DATA: ClassVar[str]
    """What leaves this machine."""
    DRY_RUN_COMMAND: ClassVar[str]
    """The shell command that prints all requests."""

    def __init__(self, context: WorkbenchContext) -> None:
        self._context = context
        self._consent_dialog: LlmConsentDialog | None = None

    def options(self) -> tuple[ConsentOption, ...]:
        """What the dialog offers to switch, as it is now."""
        raise NotImplementedError

    def switch(self, key: str) -> None:
        """Switch the option of `key`."""
        raise NotImplementedError

    def estimate(self, on_estimate: Callable[[CostEstimate], None]) -> None:
        """Start estimating what asking would cost.

        In the group `estimate`, as a new one takes the place of that for options no longer chosen.
        """
        raise NotImplementedError

    def on_consent(self, consent: Consent) -> None:
        """Ask the model, or make a dry run."""
        raise NotImplementedError

    def request_consent(self) -> None:
        """Estimate what asking would cost, then open the dialog."""
        with_model(self._context, lambda: self.estimate(self._on_first_estimate))

    def _on_first_estimate(self, estimate: CostEstimate) -> None:
        context = self._context
        self._consent_dialog = LlmConsentDialog(
            estimate,
            self.SENT_DATA,
            caps_words(context.settings.model),
            context.glyphs,
            options=self.options(),
            on_switch=self._on_switch,
        )
        context.open(self._consent_dialog, self.on_consent)

    def _on_switch(self, key: str) -> None:
        self.switch(key)
        if self._consent_dialog is not None:
            self._consent_dialog.show(self.options(), None)
        self.estimate(self._on_new_estimate)

    def _on_new_estimate(self, estimate: CostEstimate) -> None:
        # The dialog may have been left while the estimate was made.
        if self._consent_dialog is not None and self._consent_dialog in self._context.dialogs:
            self._consent_dialog.show(self.options(), estimate)

    def show_requests(self, requests: tuple[str, ...]) -> None:
        """Show the first request of a dry run."""
        self._context.open(requests_dialog(requests, self._context.glyphs, self.DRY_RUN_COMMAND))


def requests_dialog(requests: Sequence[str], glyphs: Glyphs, command: str) -> MessageDialog:
    """A dialog with the requests of a dry run; `command` is the shell command that prints them in full."""
    first_request = requests[0] if requests else "Every reply is cached: nothing would be sent."
    excerpt = (
        first_request
        if len(first_request) <= _MAX_REQUEST_CHARS
        else first_request[:_MAX_REQUEST_CHARS] + glyphs.ellipsis
    )
    heading = f"{len(requests)} requests; nothing was sent. `{command}` prints them all. The first:"
    return MessageDialog("dry run", (heading, excerpt), glyphs)
