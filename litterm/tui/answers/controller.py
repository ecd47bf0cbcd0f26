"""Answers a question in the background (`:ask`), and keeps what is decided about its sentences."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from litterm.annotations.highlights import find_quote
from litterm.core.errors import LittermError, QueryError
from litterm.model.annotations import MarkKind
from litterm.model.answer import Answer, AnswerSentence
from litterm.render.export.markdown import Quote, citation
from litterm.text.queries.aspects import words_without_filters
from litterm.tui.answers.dialog import AnswerAction, AnswerDialog, SentenceKey
from litterm.tui.answers.written_controller import WrittenAnswerController, remember_question
from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.text import TextDialog
from litterm.tui.input.command_line import Command
from litterm.tui.reader.controller import ReaderController

if TYPE_CHECKING:
    from litterm.model.document import Document
    from litterm.tui.library.export import ExportController

GROUP, DECIDE_GROUP = "ask", "answer decision"


class AnswerController:
    """Asks one question at a time; the last answer stays at hand."""

    def __init__(self, context: WorkbenchContext, reader: ReaderController, export: ExportController) -> None:
        self._context = context
        self._reader = reader
        self._export = export
        self._dialog: AnswerDialog | None = None
        self._answer: Answer | None = None
        self._typed = ""
        """The question of `_answer`, with its filters."""
        self._place: SentenceKey | None = None
        """The sentence that was opened last."""
        self.written = WrittenAnswerController(context, export, self.open_quote, self.ask)
        """Answers that a model writes."""
        self._undecided: list[tuple[AnswerSentence, MarkKind]] = []
        """Decisions that are not recorded yet, in the order of the keys; the first is being recorded."""

    def ask(self, typed: str) -> None:
        """Answer a question; a blank one shows the last answer again, or asks for a question."""
        context, question = self._context, typed.strip()
        if not question:
            if self._answer is not None:
                self._show(self._typed, self._answer)
            else:
                self._ask_question()
            return
        try:
            query = context.engine.parse(question)
        except QueryError as error:
            context.tell(str(error), warn=True)
            return
        query = replace(query.with_full_texts(context.settings.full_texts), library_name=context.library_name)
        remember_question(context, question)
        context.work.start(
            GROUP, f"answering {question}", lambda: context.engine.ask(query), partial(self._show, question)
        )

    def _ask_question(self) -> None:
        """Ask for the question, offering the one asked last or the words of the current query."""
        context = self._context
        typed = context.questions[-1] if context.questions else words_without_filters(context.query.state.text)
        dialog = TextDialog("ask the library", typed, context.glyphs, name=True)
        dialog.enter = "ask"
        context.open(dialog, self.ask)

    def _show(self, typed: str, answer: Answer) -> None:
        self._typed, self._answer = typed, answer
        context = self._context
        if self._dialog is not None and self._dialog.is_attached:
            # An answer that comes in the background takes the place of the one shown.
            self._dialog.dismiss(None)
        self._dialog = AnswerDialog(answer, context.glyphs, self._on_action)
        context.open(self._dialog, self._open_paper)
        self.refresh()
        if self._place is not None:
            self._dialog.call_after_refresh(self._dialog.go_to, self._place)

    def refresh(self) -> None:
        """Show the decisions as they are now."""
        if self._dialog is not None and self._answer is not None:
            self._dialog.show(self._decisions(self._answer))

    def _decisions(self, answer: Answer) -> dict[SentenceKey, MarkKind]:
        annotations = self._context.engine.annotations
        sentences = [each for item in answer.sentences for each in (item, *item.restatements)]
        marks = {
            paper_id: {
                mark.anchor.quote: mark.kind
                for mark in annotations.visible_marks(paper_id)
                if mark.hypothesis == answer.question
            }
            for paper_id in dict.fromkeys(item.paper.id for item in sentences)
        }
        # By its words, as the paper may have been read again since.
        return {
            (item.paper.id, item.index): marks[item.paper.id][item.text]
            for item in sentences
            if item.text in marks[item.paper.id]
        }

    def _open_paper(self, item: AnswerSentence) -> None:
        """Open the paper at the sentence, with its evidence on the question."""
        self._place = item.paper.id, item.index
        self.open_quote(item, self._answer.question if self._answer else "")

    def open_quote(self, item: AnswerSentence, question: str) -> None:
        """Open the paper at a sentence, with its evidence on the question."""

        def show_sentence(document: Document) -> None:
            if question:
                # Once: opening a sentence pins nothing for the papers opened later.
                self._context.evidence.ask_once(question)
            if document.id == item.document_id:
                self._context.reader.go(item.index, margin=4)

        self._reader.open(item.paper, sentence=item.index, on_opened=show_sentence)

    def _on_action(self, action: AnswerAction, item: AnswerSentence | None) -> None:
        if action == "model":
            self._ask_model()
        elif item is not None:
            self._act_on(action, item)

    def _ask_model(self) -> None:
        if self._dialog is not None:
            self._dialog.dismiss(None)
        self.written.ask(self._typed)

    def _act_on(self, action: AnswerAction, item: AnswerSentence) -> None:
        match action:
            case "keep":
                self._decide(item, "accepted")
            case "drop":
                self._decide(item, "rejected")
            case "copy":
                question = self._answer.question if self._answer else ""
                quote = Quote(item.paper, item.text, item.locator, item.page, question)
                self._export.copy_to_clipboard(citation(quote, item.key), "1 quote")
            case "undo":
                undone = self._context.attempt(self._context.engine.annotations.undo)
                self._context.tell(undone or "Nothing to undo.")
                self._show_decision()
            case "model":
                self._ask_model()

    def _decide(self, item: AnswerSentence, kind: MarkKind) -> None:
        """Record a decision on a sentence, or take it back where it is already there."""
        self._undecided.append((item, kind))
        # One after the other, as a newer task would take the place of one that has not written yet.
        if len(self._undecided) == 1:
            self._record_next()

    def _record_next(self) -> None:
        if not self._undecided:
            return
        context, (item, kind) = self._context, self._undecided[0]

        def record(document: Document) -> None:
            self._undecided.pop(0)
            self._record(document, item, kind)
            self._record_next()

        def fail(error: LittermError) -> None:
            self._undecided.pop(0)
            context.tell(str(error), warn=True)
            self._record_next()

        # A mark holds the sentences around it, which a server may have to be asked for.
        context.work.start(DECIDE_GROUP, "deciding", lambda: context.engine.read(item.paper.id), record, failed=fail)

    def _record(self, document: Document, item: AnswerSentence, kind: MarkKind) -> None:
        context, annotations, answer = self._context, self._context.engine.annotations, self._answer
        index = find_quote(document, item.index, item.text)
        if index is None or answer is None:
            context.tell("This sentence could not be located in the current text.", warn=True)
        elif self._decisions(answer).get((item.paper.id, item.index)) == kind:
            context.attempt(lambda: annotations.unmark(document, index, answer.question))
        else:
            context.attempt(lambda: annotations.mark(document, index, kind, answer.question))
        self._show_decision()

    def _show_decision(self) -> None:
        self.refresh()
        self._context.results.refresh_notes()
        self._context.evidence.refresh_marks()

    def commands(self) -> tuple[Command, ...]:
        """The commands for the command line."""
        return (
            Command(
                "ask",
                "sentences of your papers that answer a question",
                self.ask,
                "QUESTION",
                lambda: self._context.questions[::-1],
            ),
            Command("ask", "the last answer again", lambda _: self.ask("")),
            Command(
                "answer",
                "let the model write an answer from quotes, or show the one that is kept",
                self.written.ask,
                "QUESTION",
                lambda: self._context.questions[::-1],
            ),
        )
