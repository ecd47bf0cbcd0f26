"""Answers that a model writes (`:answer`, `M` in an answer): asked for, decided about, continued, written to files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from litterm.core.errors import QueryError
from litterm.core.tasks import Task
from litterm.core.user_files import write_file
from litterm.model.events import Progress
from litterm.render.export.markdown import Quote, citation
from litterm.render.names import home_relative
from litterm.render.written_answers import bibliography, written_latex, written_markdown
from litterm.text.queries.parser import free_text
from litterm.tui.answers.written import AnswerLlmRun, WrittenAction, WrittenAnswerDialog
from litterm.tui.dialogs.text import TextDialog

if TYPE_CHECKING:
    from litterm.evidence.answers.storage import KeptAnswer
    from litterm.model.answer import AnswerSentence
    from litterm.model.search import Query
    from litterm.model.written_answer import WrittenAnswer, WrittenSentence
    from litterm.tui.context import WorkbenchContext
    from litterm.tui.library.export import ExportController

MAX_QUESTIONS = 50
"""Questions remembered in a project."""
_WRITE_GROUP = "answer file"


def remember_question(context: WorkbenchContext, question: str) -> None:
    """Keep a question with those asked before in this project, as the last one."""
    context.questions = (*(each for each in context.questions if each != question), question)[-MAX_QUESTIONS:]


class WrittenAnswerController:
    """Shows one answer of a model at a time; what is decided about its sentences is kept in the project."""

    def __init__(
        self,
        context: WorkbenchContext,
        export: ExportController,
        open_quote: Callable[[AnswerSentence, str], None],
        ask_offline: Callable[[str], None],
    ) -> None:
        """`open_quote` opens a paper at a quote for a question; `ask_offline` shows the answer without a model."""
        self._context = context
        self._export = export
        self._open_quote = open_quote
        self._ask_offline = ask_offline
        self._run = AnswerLlmRun(context, self._on_written)
        self._dialog: WrittenAnswerDialog | None = None
        self._kept: KeptAnswer | None = None
        self._typed = ""
        self._place = ""
        """The sentence whose quote was opened last."""

    def ask(self, typed: str, *, again: bool = False) -> None:
        """Show the answer that is kept to a question, or ask the model after consent; blank: the last question.

        With `again` the model is asked although there is an answer.
        """
        context = self._context
        question = typed.strip() or self._typed or (context.questions[-1] if context.questions else "")
        if not question:
            context.tell("Type a question: :answer QUESTION.")
            return
        try:
            query = context.engine.parse(question)
        except QueryError as error:
            context.tell(str(error), warn=True)
            return
        query = replace(query.with_full_texts(context.settings.full_texts), library_name=context.library_name)
        remember_question(context, question)
        kept = None if again else context.engine.written_answers.kept(_question_of(query))
        if kept is not None:
            self._show(question, kept)
        else:
            self._run.open(question, query)

    def _on_written(self, typed: str, answer: WrittenAnswer) -> None:
        context = self._context
        if not answer.parts:
            context.tell("; ".join(answer.notices) or "The model found no answer in the quotes.", warn=True)
            self._ask_offline(typed)
            return
        from litterm.evidence.answers.storage import KeptAnswer

        kept = context.engine.written_answers.kept(answer.question)
        self._show(typed, KeptAnswer(answer, kept.decisions if kept is not None else {}))

    def _show(self, typed: str, kept: KeptAnswer) -> None:
        context = self._context
        if self._dialog is not None and self._dialog.is_attached:
            # An answer that comes in the background takes the place of the one shown.
            self._dialog.dismiss(None)
        self._typed, self._kept = typed, kept
        self._dialog = WrittenAnswerDialog(kept.answer, context.glyphs, self._on_action)
        context.open(self._dialog, self._open)
        self._dialog.show(kept.decisions)
        if self._place:
            self._dialog.call_after_refresh(self._dialog.go_to, self._place)

    def _open(self, quote: AnswerSentence) -> None:
        if self._dialog is not None and self._dialog.current is not None:
            self._place = self._dialog.current.text
        self._open_quote(quote, self._kept.answer.question if self._kept is not None else "")

    def _on_action(self, action: WrittenAction, sentence: WrittenSentence | None) -> None:
        match action:
            case "write":
                self._ask_for_file()
            case "follow-up":
                self._ask_further()
            case "again":
                if self._dialog is not None:
                    self._dialog.dismiss(None)
                self.ask(self._typed, again=True)
            case "copy":
                self._copy(sentence)
            case "keep" | "drop" if sentence is not None:
                self._decide(sentence, keep=action == "keep")
            case _:
                return

    def _decide(self, sentence: WrittenSentence, *, keep: bool) -> None:
        context, kept = self._context, self._kept
        if kept is None or self._dialog is None:
            return
        if keep and sentence.is_struck:
            context.tell(f"This sentence was struck out; {sentence.faults[0].words}.", warn=True)
            return
        decided = kept.decided(sentence.text, "kept" if keep else "dropped")
        if context.attempt(lambda: context.engine.written_answers.keep(decided)) is False:
            context.tell("The decision is not kept: this library cannot be written to.", warn=True)
        self._kept = decided
        self._dialog.show(decided.decisions)

    def _copy(self, sentence: WrittenSentence | None) -> None:
        kept = self._kept
        if kept is None or sentence is None or not (quotes := kept.answer.quotes_of(sentence)):
            return
        first = quotes[0]
        quote = Quote(first.paper, first.text, first.locator, first.page, kept.answer.question)
        self._export.copy_to_clipboard(citation(quote, first.key), "1 quote")

    def _ask_further(self) -> None:
        dialog = TextDialog(
            "follow-up question", self._typed, self._context.glyphs, about="Change it to what you want to know next."
        )
        dialog.enter = "ask the model"
        self._context.open(dialog, self._ask_next)

    def _ask_next(self, question: str) -> None:
        if self._dialog is not None:
            self._dialog.dismiss(None)
        self._place = ""
        self.ask(question)

    def _ask_for_file(self) -> None:
        dialog = TextDialog(
            "write the answer",
            str(Path.cwd() / "answer.md"),
            self._context.glyphs,
            about="FILE.md is Markdown, FILE.tex LaTeX with its bibliography in FILE.bib. Dropped sentences stay out.",
            name=True,
        )
        dialog.enter = "write"
        self._context.open(dialog, self._write)

    def _write(self, typed: str) -> None:
        context, kept = self._context, self._kept
        if kept is None:
            return
        path = Path(typed).expanduser()
        answer = kept.shown()
        is_latex = path.suffix == ".tex"
        files = [(path, written_latex(answer) if is_latex else written_markdown(answer))]
        if is_latex:
            files.append((path.with_suffix(".bib"), bibliography(answer)))

        def task() -> Task[str]:
            yield Progress("writing")
            for file, text in files:
                write_file(file, text.encode("utf-8", "replace"))
            return f"Written to {' and '.join(home_relative(str(file)) for file, _ in files)}."

        context.work.start(_WRITE_GROUP, "writing the answer", task, context.tell)


def _question_of(query: Query) -> str:
    return " ".join(free_text(query).split())
