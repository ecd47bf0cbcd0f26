"""Evidence and study aspects with a language model: the cost first, then an answer in place of the offline one."""

from __future__ import annotations

from collections.abc import Callable

from litterm.model.document import Document
from litterm.model.evidence import EvidenceScope
from litterm.model.llm import CostEstimate
from litterm.model.paper import PaperId
from litterm.render import sent_data
from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.llm_consent import Consent, ConsentOption, LlmRun
from litterm.tui.state import SwitchedOption


class StudyLlmRun(LlmRun):
    """Asks the model about the study aspects that the evidence pane lists; those it names are kept."""

    SENT_DATA = sent_data.STUDY_ASPECTS
    DRY_RUN_COMMAND = "litterm evidence --aspects --dry-run"

    def options(self) -> tuple[ConsentOption, ...]:
        return ()

    def switch(self, key: str) -> None:
        """Nothing can be switched."""

    def estimate(self, on_estimate: Callable[[CostEstimate], None]) -> None:
        question = self._question()
        if question is not None:
            studies, (document, hypothesis) = self._context.engine.studies, question
            self._context.work.start(
                "estimate", "estimating", lambda: studies.estimate(document, hypothesis), on_estimate
            )

    def on_consent(self, consent: Consent) -> None:
        if consent == "run":
            self._context.evidence.align_with_model()
            return
        question = self._question()
        if question is not None:
            studies, (document, hypothesis) = self._context.engine.studies, question
            self._context.work.start(
                "estimate", "dry run", lambda: studies.preview(document, hypothesis), self.show_requests
            )

    def _question(self) -> tuple[Document, str] | None:
        document, answer = self._context.reader.state.document, self._context.evidence.answer
        return None if document is None or answer is None else (document, answer.hypothesis)


class EvidenceLlmRun(LlmRun):
    """Asks the model about the hypothesis and the paper of the evidence pane."""

    SENT_DATA = sent_data.EVIDENCE
    DRY_RUN_COMMAND = "litterm evidence --dry-run"

    def __init__(self, context: WorkbenchContext) -> None:
        super().__init__(context)
        self._evidence = context.evidence
        self._study = StudyLlmRun(context)

    def action_open(self) -> None:
        """Estimate what asking about what the pane lists would cost, and ask for consent."""
        if self._evidence.options.lists == "aspects" and self._evidence.coverage is not None:
            self._study.request_consent()
            return
        if self._question() is None:
            self._context.tell("Press e first: a model is asked about the hypothesis of a paper's evidence.")
            return
        self.request_consent()

    def _question(self) -> tuple[PaperId, str] | None:
        document, state = self._context.reader.state.document, self._evidence.state
        return (document.paper_id, state.hypothesis) if document and state.asked and state.hypothesis else None

    def _switches(self) -> tuple[SwitchedOption, ...]:
        return (self._evidence.options.scope_switch(), *self._evidence.options.llm_switches())

    def options(self) -> tuple[ConsentOption, ...]:
        return tuple(ConsentOption(option.key, option.label, option.value) for option in self._switches())

    def switch(self, key: str) -> None:
        for option in self._switches():
            if option.key == key:
                option.switch()

    def estimate(self, on_estimate: Callable[[CostEstimate], None]) -> None:
        question = self._question()
        if question is None:
            return
        paper_id, hypothesis = question
        asking, options, (k, scope) = (
            self._context.engine.model_evidence,
            self._evidence.options.llm,
            self._size(),
        )
        self._context.work.start(
            "estimate",
            "estimating",
            lambda: asking.estimate(paper_id, hypothesis, options, k=k, scope=scope),
            on_estimate,
        )

    def _size(self) -> tuple[int, EvidenceScope]:
        return self._evidence.options.how_many, self._evidence.options.scope

    def on_consent(self, consent: Consent) -> None:
        question = self._question()
        if question is None:
            return
        paper_id, hypothesis = question
        asking, options, (k, scope) = (
            self._context.engine.model_evidence,
            self._evidence.options.llm,
            self._size(),
        )
        if consent == "run":
            self._evidence.judge_with_model(lambda: asking.find(paper_id, hypothesis, options, k=k, scope=scope))
            return
        self._context.work.start(
            "estimate",
            "dry run",
            lambda: asking.preview(paper_id, hypothesis, options, k=k, scope=scope),
            self.show_requests,
        )
