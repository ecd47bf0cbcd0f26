"""What evidence is asked with, with and without a model, and the switches for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

from litterm.model.evidence import EvidenceLlmOptions, EvidenceScope, Strategy
from litterm.tui.state import SwitchedOption

DEFAULT_SENTENCES = 10
_FEWEST_SENTENCES = 5
_STRATEGY_WORDS: dict[Strategy, str] = {
    "auto": "the whole paper at once, long ones by section",
    "sections": "section by section",
    "sections+examples": "section by section, after sentences you accepted in other papers",
    "whole": "the whole paper at once",
    "whole+examples": "the whole paper, after sentences you accepted in other papers",
}
_SHORTLIST_SIZES = (0, 4, 8, 16)


Listed = Literal["hypothesis", "aspects", "findings"]
"""What the pane lists: what speaks to the hypothesis, its study aspects with their sentences, or key findings."""
_LISTED_WORDS: dict[Listed, str] = {
    "hypothesis": "this hypothesis",
    "findings": "key findings of the paper",
    "aspects": "study aspects",
}


class EvidenceOptions:
    """The options of evidence and of model runs; kept as long as the workbench runs."""

    def __init__(self, ask_again: Callable[[], None], draw_again: Callable[[], None]) -> None:
        """`ask_again` and `draw_again` are called after a switch that changes what is asked, or what is listed."""
        self._ask_again = ask_again
        self._draw_again = draw_again
        self.scope: EvidenceScope = "all"
        self.how_many = DEFAULT_SENTENCES
        self.auto = False
        """Whether the fewest sentences that cover all study aspects are listed, instead of `how_many`."""
        self.lists: Listed = "hypothesis"
        """What the pane lists."""
        self.llm = EvidenceLlmOptions()

    def scope_switch(self) -> SwitchedOption:
        """Where evidence is looked for, with a model too."""
        current = "all sections" if self.scope == "all" else "results only"
        return SwitchedOption("evidence from", current, self._switch_scope, "r")

    def switches(self) -> tuple[SwitchedOption, ...]:
        """The options of evidence extraction, each with its current value."""
        count = "auto: fewest that cover the study aspects" if self.auto else str(self.how_many)
        return (
            SwitchedOption("evidence sentences", count, self._switch_how_many),
            self.scope_switch(),
            SwitchedOption("evidence pane lists", _LISTED_WORDS[self.lists], self._switch_lists),
        )

    def llm_switches(self) -> tuple[SwitchedOption, ...]:
        """The options of asking a model, each with its current value."""
        options = self.llm
        few = f"the best {options.shortlist} sentences of each section" if options.shortlist else "every sentence"
        return (
            SwitchedOption("model reads", _STRATEGY_WORDS[options.strategy], self._switch_strategy, "s"),
            SwitchedOption("model is shown", few, self._switch_shortlist, "l"),
            SwitchedOption("negated hypothesis asked too", "yes" if options.negate else "no", self._toggle_negate, "n"),
            SwitchedOption(
                "cached replies", "are used" if options.cached else "are not used", self._toggle_cached, "c"
            ),
        )

    def _switch_how_many(self) -> None:
        if self.auto:
            self.auto = False
        elif self.how_many == _FEWEST_SENTENCES:
            # The extractor is asked for as many as by default; the study aspects say how many are listed.
            self.auto, self.how_many = True, DEFAULT_SENTENCES
        else:
            self.how_many = {10: 20}.get(self.how_many, _FEWEST_SENTENCES)
        self._ask_again()

    def _switch_scope(self) -> None:
        self.scope = "results" if self.scope == "all" else "all"
        self._ask_again()

    def _switch_lists(self) -> None:
        names = tuple(_LISTED_WORDS)
        self.lists = names[(names.index(self.lists) + 1) % len(names)]
        self._draw_again()

    def toggle_aspects(self) -> None:
        """List the study aspects, or again what speaks to the hypothesis."""
        self.lists = "hypothesis" if self.lists == "aspects" else "aspects"
        self._draw_again()

    def _switch_strategy(self) -> None:
        names = tuple(_STRATEGY_WORDS)
        index = names.index(self.llm.strategy)
        self.llm = replace(self.llm, strategy=names[(index + 1) % len(names)])

    def _switch_shortlist(self) -> None:
        index = _SHORTLIST_SIZES.index(self.llm.shortlist)
        self.llm = replace(self.llm, shortlist=_SHORTLIST_SIZES[(index + 1) % len(_SHORTLIST_SIZES)])

    def _toggle_negate(self) -> None:
        self.llm = replace(self.llm, negate=not self.llm.negate)

    def _toggle_cached(self) -> None:
        self.llm = replace(self.llm, cached=not self.llm.cached)
