"""Options of evidence extraction, with and without a model, and the switches for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from litterm.model.evidence import EvidenceLlmOptions, Strategy
from litterm.tui.evidence.controller import EvidenceController

_STRATEGY_WORDS: dict[Strategy, str] = {
    "sections": "section by section",
    "whole": "the whole paper at once",
    "whole+examples": "the whole paper, after worked examples",
}
_SHORTLIST_SIZES = (0, 4, 8, 16)


@dataclass(frozen=True, slots=True)
class EvidenceOption:
    """An option as the dialogs show it, with the function that switches it."""

    label: str
    value: str
    switch: Callable[[], None]
    key: str = ""
    """In the dialog before a model is asked."""


class EvidenceOptions:
    """The options of evidence and of model runs; kept as long as the workbench runs."""

    def __init__(self, evidence_controller: EvidenceController) -> None:
        self._evidence = evidence_controller
        self.llm_options = EvidenceLlmOptions()

    def scope(self) -> EvidenceOption:
        """Where evidence is looked for, with a model too."""
        current = "all sections" if self._evidence.scope == "all" else "results only"
        return EvidenceOption("evidence from", current, self._scope, "r")

    def evidence(self) -> tuple[EvidenceOption, ...]:
        """The options of evidence extraction, each with its current value."""
        evidence_controller = self._evidence
        reading_words = "key findings of the paper" if evidence_controller.findings else "this hypothesis"
        return (
            EvidenceOption("evidence sentences", str(evidence_controller.how_many), self._how_many),
            self.scope(),
            EvidenceOption("evidence pane lists", reading_words, self._toggle_findings),
        )

    def options(self) -> tuple[EvidenceOption, ...]:
        """The options of asking a model, each with its current value."""
        options = self.llm_options
        few = f"the best {options.shortlist} sentences of each section" if options.shortlist else "every sentence"
        return (
            EvidenceOption("model reads", _STRATEGY_WORDS[options.strategy], self._strategy, "s"),
            EvidenceOption("model is shown", few, self._shortlist, "l"),
            EvidenceOption("negated hypothesis asked too", "yes" if options.negate else "no", self._negate, "n"),
            EvidenceOption(
                "cached replies", "are used" if options.cached else "are not used", self._toggle_cached, "c"
            ),
        )

    def _how_many(self) -> None:
        self._evidence.how_many = {5: 10, 10: 20, 20: 5}.get(self._evidence.how_many, 10)
        self._evidence.repeat_query()

    def _scope(self) -> None:
        self._evidence.scope = "results" if self._evidence.scope == "all" else "all"
        self._evidence.repeat_query()

    def _toggle_findings(self) -> None:
        self._evidence.findings = not self._evidence.findings
        self._evidence.refresh()

    def _strategy(self) -> None:
        names = tuple(_STRATEGY_WORDS)
        index = names.index(self.llm_options.strategy)
        self.llm_options = replace(self.llm_options, strategy=names[(index + 1) % len(names)])

    def _shortlist(self) -> None:
        index = _SHORTLIST_SIZES.index(self.llm_options.shortlist)
        self.llm_options = replace(self.llm_options, shortlist=_SHORTLIST_SIZES[(index + 1) % len(_SHORTLIST_SIZES)])

    def _negate(self) -> None:
        self.llm_options = replace(self.llm_options, negate=not self.llm_options.negate)

    def _toggle_cached(self) -> None:
        self.llm_options = replace(self.llm_options, cached=not self.llm_options.cached)
