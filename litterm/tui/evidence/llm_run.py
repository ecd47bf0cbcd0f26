"""Evidence with a language model: the cost estimate first, then an answer that replaces the offline one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from litterm.model.evidence import EvidenceScope
from litterm.model.llm import CostEstimate
from litterm.model.paper import PaperId
from litterm.render.cost import caps_words
from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.llm_consent import Consent, ConsentOption, LlmConsentDialog
from litterm.tui.dialogs.message import MessageDialog
from litterm.tui.evidence.controller import EvidenceController
from litterm.tui.evidence.options import EvidenceOption, EvidenceOptions
from litterm.tui.platform.textual_compat import ActionTarget
from litterm.tui.widgets.glyphs import Glyphs

_MAX_REQUEST_CHARS = 4_000
"""Characters of one request that a dry run shows; `litterm evidence --dry-run` prints all."""


class EvidenceLlmRun(ActionTarget):
    """Asks the model about the hypothesis and the paper of the evidence pane."""

    def __init__(
        self, context: WorkbenchContext, evidence: EvidenceController, evidence_options: EvidenceOptions
    ) -> None:
        self._context = context
        self._evidence = evidence
        self._evidence_options = evidence_options
        self._dialog: LlmConsentDialog | None = None

    def action_open(self) -> None:
        """Estimate what asking would cost, and ask for consent."""
        if self._question() is None:
            self._context.tell("Press e first: a model is asked about the hypothesis of a paper's evidence.")
            return
        self._estimate(self._on_estimate)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool:
        """Only what failed can be tried again."""
        earlier = self._evidence.evidence
        return action != "retry" or (earlier is not None and bool(earlier.failed))

    def action_retry(self) -> None:
        """Ask again about the failed part under the cursor, or else about all failed parts."""
        earlier, row = self._evidence.evidence, self._context.evidence.current
        if earlier is None:
            return
        asking, k, use = self._context.engine.model_evidence, self._evidence.how_many, self._evidence_options.use
        # From the reader no row is meant, so that all parts that failed are asked about.
        alone = (row.part,) if row and row.part and self._context.focus == "evidence" else ()
        self._evidence.judge_with_model(lambda: asking.retry(earlier, use, k=k, retry_sections=alone))

    def _question(self) -> tuple[PaperId, str] | None:
        document, state = self._context.reader.state.document, self._evidence.state
        return (document.paper_id, state.hypothesis) if document and state.asked and state.hypothesis else None

    def _options(self) -> tuple[EvidenceOption, ...]:
        return (self._evidence_options.scope(), *self._evidence_options.options())

    def _choices(self) -> tuple[ConsentOption, ...]:
        return tuple(ConsentOption(option.key, option.label, option.value) for option in self._options())

    def _switch(self, key: str) -> None:
        """Switch an option of the run, and estimate its cost again."""
        for option in self._options():
            if option.key == key:
                option.switch()
        if self._dialog is not None:
            self._dialog.show(self._choices(), None)
        self._estimate(self._on_new_estimate)

    def _estimate(self, on_estimate: Callable[[CostEstimate], None]) -> None:
        question = self._question()
        if question is None:
            return
        paper_id, hypothesis = question
        asking, use, (k, scope) = self._context.engine.model_evidence, self._evidence_options.use, self._size()
        self._context.work.start(
            "estimate", "estimating", lambda: asking.estimate(paper_id, hypothesis, use, k=k, scope=scope), on_estimate
        )

    def _size(self) -> tuple[int, EvidenceScope]:
        return self._evidence.how_many, self._evidence.scope

    def _on_new_estimate(self, estimate: CostEstimate) -> None:
        # The dialog may have been left while the estimate was computed.
        if self._dialog is not None and self._dialog in self._context.dialogs:
            self._dialog.show(self._choices(), estimate)

    def _on_estimate(self, estimate: CostEstimate) -> None:
        limits = caps_words(self._context.settings.model)
        leaves = "the hypothesis and the text of this paper, in parts"
        self._dialog = LlmConsentDialog(
            estimate, leaves, limits, self._context.glyphs, options=self._choices(), switch=self._switch
        )
        self._context.open(self._dialog, self._on_consent)

    def _on_consent(self, consent: Consent) -> None:
        question = self._question()
        if question is None:
            return
        paper_id, hypothesis = question
        asking, use, (k, scope) = self._context.engine.model_evidence, self._evidence_options.use, self._size()
        if consent == "run":
            self._evidence.judge_with_model(lambda: asking.find(paper_id, hypothesis, use, k=k, scope=scope))
            return
        self._context.work.start(
            "estimate",
            "dry run",
            lambda: asking.preview(paper_id, hypothesis, use, k=k, scope=scope),
            self._show_requests,
        )

    def _show_requests(self, requests: tuple[str, ...]) -> None:
        self._context.open(requests_dialog(requests, self._context.glyphs))


def requests_dialog(
    requests: Sequence[str], glyphs: Glyphs, command: str = "litterm evidence --dry-run"
) -> MessageDialog:
    """A dialog with the requests of a dry run; `command` is the shell command that prints them in full."""
    first_request = requests[0] if requests else "Every reply is cached: nothing would be sent."
    excerpt = (
        first_request
        if len(first_request) <= _MAX_REQUEST_CHARS
        else first_request[:_MAX_REQUEST_CHARS] + glyphs.ellipsis
    )
    heading = f"{len(requests)} requests; nothing was sent. `{command}` prints them all. The first:"
    return MessageDialog("dry run", (heading, excerpt), glyphs)
