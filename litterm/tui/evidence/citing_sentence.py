"""The hypothesis of a citing sentence in the reader, and the evidence of the cited paper for it (`H`)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import ClassVar

from textual.binding import Binding, BindingType

from litterm.core.errors import UsageError
from litterm.evidence.citing_sentences import find_citing_sentence, propose_hypothesis
from litterm.model.citing_sentence import CitationPlace, CitingSentence, ProposedHypothesis
from litterm.model.document import Document
from litterm.model.llm import CostEstimate
from litterm.model.paper import Paper
from litterm.render import sent_data
from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.choose import ChoiceDialog, ListChoice
from litterm.tui.dialogs.llm_consent import Consent, ConsentOption, LlmRun
from litterm.tui.dialogs.text import TextDialog
from litterm.tui.input.action_target import ActionTarget
from litterm.tui.input.command_line import Command
from litterm.tui.reader.controller import ReaderController
from litterm.tui.widgets.glyphs import Glyphs

GROUP = "citing sentence"
"""Group of the background tasks on the sentence under the cursor."""
ASK_MODEL = "\0"
"""The answer that stands for a hypothesis worded by a model; no text has it."""
_MAX_WORK_CHARACTERS = 200


class CitingHypothesis(ActionTarget):
    """Proposes the hypothesis that the paper cited in the sentence under the cursor is said to support."""

    def __init__(self, context: WorkbenchContext, reader: ReaderController) -> None:
        self._context = context
        self._reader = reader
        self._with_model: ProposalLlmRun | None = None
        """For the hypothesis proposed last."""

    def command(self) -> Command:
        """`:cited-for`."""
        return Command(
            "cited-for", "evidence of the paper cited here for what is said of it", lambda _: self.action_propose()
        )

    def action_propose(self) -> None:
        """Find the work that the sentence under the cursor cites; of several, ask which."""
        context, document = self._context, self._reader.document
        if document is None:
            context.tell("Open a paper first, and put the cursor on a sentence that cites.")
            return
        index, engine = context.reader.cursor, context.engine
        context.work.start(
            GROUP,
            "reading its citations",
            lambda: engine.link_references(document),
            lambda linked: context.attempt(lambda: self._choose_work(linked, index)),
        )

    def _choose_work(self, document: Document, index: int) -> None:
        citing = find_citing_sentence(document, index)
        places = citing.citations
        if len(places) == 1:
            self._propose(document, citing, places[0])
            return
        choices = [
            ListChoice(_words(place), "" if place.reference.target else "not in the library") for place in places
        ]
        dialog = ChoiceDialog("which of the works cited here?", choices, self._context.glyphs, wrap=True)
        self._context.open(
            dialog, lambda number: self._context.attempt(lambda: self._propose(document, citing, places[number]))
        )

    def _propose(self, document: Document, citing: CitingSentence, place: CitationPlace) -> None:
        context, target = self._context, place.reference.target
        if target is None:
            ids = place.reference.ids
            step = f":add {ids[0]} adds it" if ids else ":add takes its file or id"
            context.tell(f"Not in the library: {_words(place).rstrip('.')}. {step}.", warn=True)
            return
        paper = context.engine.paper(target)
        try:
            proposed = propose_hypothesis(citing, place)
            text, about = proposed.text, " ".join(proposed.notices)
        except UsageError as error:
            text, about = "", str(error)
        self._with_model = ProposalLlmRun(context, document, citing, place, partial(self._ask_user, paper))
        self._ask_user(paper, text, about)

    def _ask_user(self, paper: Paper, text: str, about: str) -> None:
        """Let the user change the hypothesis, then find the evidence of `paper` for it; or ask a model to word it."""
        context, with_model = self._context, self._with_model
        dialog = ProposalDialog(text, context.glyphs, about=f"Asked of: {paper.title}\n{about}")

        def on_answer(hypothesis: str) -> None:
            if hypothesis == ASK_MODEL:
                if with_model is not None:
                    with_model.request_consent()
            elif hypothesis.strip():
                # Pinned first: a paper that is opened is asked about the pinned hypothesis.
                context.evidence.pin(hypothesis.strip())
                self._reader.open(paper)

        context.open(dialog, on_answer)


class ProposalDialog(TextDialog):
    """Answers with the hypothesis as the user leaves it, or with `ASK_MODEL`."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("f2", "ask_model", "ask a model", id="hypothesis.ask-model")]

    def __init__(self, text: str, glyphs: Glyphs, *, about: str) -> None:
        super().__init__("what is it cited for?", text, glyphs, about=about)
        self.enter = f"find evidence {glyphs.dot} f2 let a model word it"

    def action_ask_model(self) -> None:
        self.dismiss(ASK_MODEL)


class ProposalLlmRun(LlmRun):
    """Lets the model word what a paper is cited for; a reply that was paid for is kept, also after a kill."""

    SENT_DATA = sent_data.CITED_HYPOTHESIS
    DRY_RUN_COMMAND = "litterm evidence --from PAPER:SENTENCE --model --dry-run"

    def __init__(
        self,
        context: WorkbenchContext,
        document: Document,
        citing: CitingSentence,
        cited: CitationPlace,
        show: Callable[[str, str], None],
    ) -> None:
        """`show` gets the hypothesis and what is to be said of it."""
        super().__init__(context)
        self._place = document, citing, cited
        self._show = show

    def options(self) -> tuple[ConsentOption, ...]:
        return ()

    def switch(self, key: str) -> None:
        """Nothing can be switched."""

    def estimate(self, on_estimate: Callable[[CostEstimate], None]) -> None:
        studies, place = self._context.engine.studies, self._place
        self._context.work.start("estimate", "estimating", lambda: studies.estimate_proposal(*place), on_estimate)

    def on_consent(self, consent: Consent) -> None:
        work, studies, place = self._context.work, self._context.engine.studies, self._place
        if consent == "run":
            what = "wording the hypothesis"
            work.start(GROUP, what, lambda: studies.propose(*place, with_model=True), self._show_proposal)
            return
        work.start("estimate", "dry run", lambda: studies.preview_proposal(*place), self.show_requests)

    def _show_proposal(self, proposed: ProposedHypothesis) -> None:
        self._show(proposed.text, " ".join(proposed.notices))


def _words(place: CitationPlace) -> str:
    reference = place.reference
    return " ".join((reference.text or reference.title or reference.label).split())[:_MAX_WORK_CHARACTERS]
