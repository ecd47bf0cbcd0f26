"""The hypothesis of a citing sentence in the reader, and the evidence of the cited paper for it (`H`)."""

from __future__ import annotations

from litterm.core.errors import UsageError
from litterm.evidence.citing_sentences import find_citing_sentence, propose_hypothesis
from litterm.model.citing_sentence import CitationPlace, CitingSentence
from litterm.model.document import Document
from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.choose import ChoiceDialog, ListChoice
from litterm.tui.dialogs.text import TextDialog
from litterm.tui.input.action_target import ActionTarget
from litterm.tui.input.command_line import Command
from litterm.tui.reader.controller import ReaderController

_GROUP = "citing sentence"
_MAX_WORK_CHARACTERS = 200


class CitingHypothesis(ActionTarget):
    """Proposes the hypothesis that the paper cited in the sentence under the cursor is said to support."""

    def __init__(self, context: WorkbenchContext, reader: ReaderController) -> None:
        self._context = context
        self._reader = reader

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
            _GROUP,
            "reading its citations",
            lambda: engine.link_references(document),
            lambda linked: context.attempt(lambda: self._choose_work(linked, index)),
        )

    def _choose_work(self, document: Document, index: int) -> None:
        citing = find_citing_sentence(document, index)
        places = citing.citations
        if len(places) == 1:
            self._propose(citing, places[0])
            return
        choices = [
            ListChoice(_words(place), "" if place.reference.target else "not in the library") for place in places
        ]
        dialog = ChoiceDialog("which of the works cited here?", choices, self._context.glyphs, wrap=True)
        self._context.open(dialog, lambda number: self._context.attempt(lambda: self._propose(citing, places[number])))

    def _propose(self, citing: CitingSentence, place: CitationPlace) -> None:
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
        dialog = TextDialog("what is it cited for?", text, context.glyphs, about=f"Asked of: {paper.title}\n{about}")
        dialog.enter = "find evidence"

        def ask(hypothesis: str) -> None:
            if hypothesis.strip():
                # Pinned first: a paper that is opened is asked about the pinned hypothesis.
                context.evidence.pin(hypothesis.strip())
                self._reader.open(paper)

        context.open(dialog, ask)


def _words(place: CitationPlace) -> str:
    reference = place.reference
    return " ".join((reference.text or reference.title or reference.label).split())[:_MAX_WORK_CHARACTERS]
