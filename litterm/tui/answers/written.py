"""An answer that a model wrote: asked for after consent, sentences at the left, the quotes behind the cursor right."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from litterm.core.errors import LittermError
from litterm.model.answer import AnswerSentence
from litterm.model.written_answer import WrittenAnswer, WrittenSentence
from litterm.render import sent_data
from litterm.render.answers import source_parts
from litterm.render.written_answers import GAPS_HEADING, PART_HEADINGS, fault_words, marks_of, summary_parts
from litterm.text.escape import plain
from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.base import Dialog, paragraph
from litterm.tui.dialogs.choose import ChoiceRows, ListChoice
from litterm.tui.dialogs.llm_consent import Consent, ConsentOption, LlmRun
from litterm.tui.input.keymap import BY_ID, textual_key
from litterm.tui.widgets.glyphs import Glyphs
from litterm.tui.widgets.rows import Rows

if TYPE_CHECKING:
    from litterm.evidence.answers.storage import SentenceDecision
    from litterm.model.llm import CostEstimate
    from litterm.model.search import Query

GROUP = "ask model"
WrittenAction = Literal["keep", "drop", "copy", "write", "follow-up", "again"]
_KEYS: Sequence[tuple[str, WrittenAction, str]] = (
    (BY_ID["all.accept"].keys[0], "keep", "keep the sentence; again = undecided"),
    (BY_ID["all.reject"].keys[0], "drop", "drop the sentence from what is written; again = undecided"),
    (BY_ID["all.copy"].keys[0], "copy", "copy the first quote with its citation"),
    (BY_ID["all.write"].keys[0], "write", "write Markdown, or LaTeX with its bibliography"),
    ("f", "follow-up", "ask a follow-up question"),
    (BY_ID["all.model"].keys[0], "again", "ask the model again (shows cost first)"),
)


class AnswerLlmRun(LlmRun):
    """Asks for consent, then for the answer; replies that were paid for are reused after a kill."""

    SENT_DATA = sent_data.ANSWER
    DRY_RUN_COMMAND = "litterm ask --model --dry-run"

    def __init__(self, context: WorkbenchContext, show: Callable[[str, WrittenAnswer], None]) -> None:
        """`show` puts the answer to the question typed on the screen."""
        super().__init__(context)
        self._show = show
        self._fresh = False
        self._typed = ""
        self._query: Query | None = None

    def open(self, typed: str, query: Query) -> None:
        """Estimate the cost of an answer to `query`, as `typed`, and ask for consent."""
        self._typed, self._query = typed, query
        self.request_consent()

    def options(self) -> tuple[ConsentOption, ...]:
        return (ConsentOption("c", "cached replies", "are not used" if self._fresh else "are used"),)

    def switch(self, key: str) -> None:
        self._fresh = not self._fresh

    def estimate(self, on_estimate: Callable[[CostEstimate], None]) -> None:
        context, query, fresh = self._context, self._query, self._fresh
        if query is None:
            return
        context.work.start(
            "estimate",
            "estimating",
            lambda: context.engine.written_answers.estimate(query, fresh=fresh),
            on_estimate,
            failed=lambda error: context.tell(f"No model was asked: {error}", warn=True),
        )

    def on_consent(self, consent: Consent) -> None:
        context, query, typed, fresh = self._context, self._query, self._typed, self._fresh
        if query is None:
            return
        written = context.engine.written_answers
        if consent == "run":
            context.work.start(
                GROUP,
                f"the model answers {typed}",
                lambda: written.write(query, fresh=fresh),
                lambda answer: self._show(typed, answer),
                failed=self._on_failure,
            )
        else:
            context.work.start("estimate", "dry run", lambda: written.preview(query), self.show_requests)

    def _on_failure(self, error: LittermError) -> None:
        self._context.tell(f"The model wrote no answer. {error}", warn=True)


@dataclass(frozen=True, slots=True)
class WrittenRow:
    """A heading, or a sentence below one."""

    heading: str
    sentence: WrittenSentence | None = None


class WrittenAnswerDialog(Dialog[AnswerSentence]):
    """Closes with the quote to open on enter; the other keys decide about the sentence at once."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(textual_key(key), f"act('{action}')", meaning, id=f"written-answer.{action}")
        for key, action, meaning in _KEYS
    ]

    def __init__(
        self,
        answer: WrittenAnswer,
        glyphs: Glyphs,
        on_action: Callable[[WrittenAction, WrittenSentence | None], None],
    ) -> None:
        """`on_action` does what a key asks with the sentence under the cursor."""
        dot = f" {glyphs.dot} "
        keys = ("a keep", "x drop", "f follow up", "w write", "enter open", "esc leave")
        super().__init__(f"ask{dot}{answer.question}", dot.join(keys), glyphs)
        self.answer = answer
        self.rows: Sequence[WrittenRow] = tuple(_rows(answer))
        self.choices = ChoiceRows((), glyphs, wrap=True)
        self._on_action = on_action
        self._message = paragraph(dot.join((*summary_parts(answer), *answer.notices)), "cause")
        self._quotes = Static(id="answer-quotes")

    def body(self) -> ComposeResult:
        yield self._message
        with Horizontal(id="answer-body"):
            yield self.choices
            with VerticalScroll(id="answer-right", can_focus=False):
                yield self._quotes

    def on_mount(self) -> None:
        self.choices.focus()
        self.choices.go(next((index for index, row in enumerate(self.rows) if row.sentence is not None), 0))
        self._show_quotes()

    def on_resize(self, _event: events.Resize) -> None:
        self.call_after_refresh(self.choices.show_cursor)

    def resume(self) -> None:
        self.choices.focus()

    def show(self, decisions: Mapping[str, SentenceDecision]) -> None:
        """Show the sentences with the decisions on them; the cursor stays."""
        self.choices.replace_choices([self._choice(row, decisions) for row in self.rows])
        self.choices.refresh(layout=True)

    def _choice(self, row: WrittenRow, decisions: Mapping[str, SentenceDecision]) -> ListChoice:
        sentence = row.sentence
        if sentence is None:
            return ListChoice(row.heading, role="accent")
        decision = decisions.get(sentence.text, "")
        text = f"{sentence.text} {marks_of(self.answer, sentence)}".rstrip()
        if sentence.is_struck:
            return ListChoice(f"struck out: {text}", decision, indent=1, below=(fault_words(sentence),), role="muted")
        return ListChoice(text, decision, indent=1, role="muted" if decision == "dropped" else "")

    @property
    def current(self) -> WrittenSentence | None:
        """The sentence under the cursor."""
        return self.rows[self.choices.cursor].sentence if self.choices.cursor < len(self.rows) else None

    def on_rows_moved(self, event: Rows.Moved) -> None:
        event.stop()
        self._show_quotes()

    def on_rows_entered(self, event: Rows.Entered) -> None:
        event.stop()
        if self.current is not None and (quotes := self.answer.quotes_of(self.current)):
            self.dismiss(quotes[0])

    def action_act(self, action: WrittenAction) -> None:
        self._on_action(action, self.current)

    def go_to(self, text: str) -> None:
        """Put the cursor on the sentence with this text."""
        places = (index for index, row in enumerate(self.rows) if row.sentence and row.sentence.text == text)
        self.choices.go(next(places, self.choices.cursor))
        self._show_quotes()

    def _show_quotes(self) -> None:
        sentence = self.current
        quotes = self.answer.quotes_of(sentence) if sentence is not None else ()
        dot = f" {self.glyphs.dot} "
        lines: list[str] = []
        for quote in quotes:
            source = dot.join(source_parts(quote))
            lines += [f"[{quote.rank}] {plain(quote.text)}", plain(source), plain(quote.paper.title), ""]
        if sentence is not None and not quotes:
            lines = ["No quote is behind this sentence."]
        self._quotes.update(Content("\n".join(lines)))


def _rows(answer: WrittenAnswer) -> Sequence[WrittenRow]:
    rows: list[WrittenRow] = []
    for number, part in enumerate(answer.parts):
        heading = PART_HEADINGS[part.kind]
        is_next_paragraph = number > 0 and part.kind == answer.parts[number - 1].kind
        rows.append(WrittenRow("" if is_next_paragraph else heading))
        rows += [WrittenRow(heading, sentence) for sentence in part.sentences]
    if answer.gaps:
        rows.append(WrittenRow(GAPS_HEADING))
        rows += [WrittenRow(GAPS_HEADING, gap) for gap in answer.gaps]
    return rows
