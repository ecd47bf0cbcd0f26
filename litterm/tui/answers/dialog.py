"""The view of an answer: its sentences in groups, each with its paper and place, to open, keep or drop."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from textual.binding import Binding, BindingType
from textual.content import Content

from litterm.model.annotations import MarkKind
from litterm.model.answer import Answer, AnswerSentence
from litterm.render.answers import NOTHING_ON_ASPECT, group_heading, read_words, silence_words, source_parts
from litterm.render.closeness import stance_label
from litterm.text.escape import plain
from litterm.tui.dialogs.choose import ListChoice, ListDialog
from litterm.tui.input.keymap import BY_ID, textual_key
from litterm.tui.widgets.glyphs import Glyphs
from litterm.tui.widgets.rows import Rows

AnswerAction = Literal["keep", "drop", "copy", "undo", "model"]
"""What may be done with the sentence under the cursor."""
_KEYS: Sequence[tuple[str, AnswerAction, str]] = (
    (BY_ID["all.accept"].keys[0], "keep", "keep the sentence; again = undecided"),
    (BY_ID["all.reject"].keys[0], "drop", "drop the sentence; again = undecided"),
    (BY_ID["all.copy"].keys[0], "copy", "copy the sentence with its citation"),
    (BY_ID["all.undo"].keys[0], "undo", "undo"),
    (BY_ID["all.model"].keys[0], "model", "let the model write an answer from quotes (shows cost first)"),
)
_DECISION_WORDS: Mapping[MarkKind, str] = {"accepted": "kept", "hand": "kept", "rejected": "dropped"}
SentenceKey = tuple[str, int]
"""Id of the paper and index of the sentence."""


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """A heading, or a sentence below one."""

    heading: str
    sentence: AnswerSentence | None = None
    restates: bool = False
    """Whether it says the same as the sentence above it."""


class AnswerDialog(ListDialog[AnswerSentence]):
    """Closes with the sentence to open on enter; the other keys decide about it at once."""

    BINDINGS: ClassVar[list[BindingType]] = [
        # As the table of keys has them: `a`, `x`, `u` do here what they do everywhere.
        Binding(textual_key(key), f"act('{action}')", meaning, id=f"answer.{action}")
        for key, action, meaning in _KEYS
    ]

    def __init__(
        self, answer: Answer, glyphs: Glyphs, on_action: Callable[[AnswerAction, AnswerSentence | None], None]
    ) -> None:
        """`on_action` does what a key asks with the sentence under the cursor."""
        dot = f" {glyphs.dot} "
        keys = ("a keep", "x drop", "y copy", "M model", "enter open", "esc leave")
        super().__init__(f"ask{dot}{answer.question}", dot.join(keys), glyphs, heading=_summary(answer, dot))
        self._on_action = on_action
        self.answer = answer
        self.rows: Sequence[AnswerRow] = tuple(_rows(answer))

    def on_mount(self) -> None:
        super().on_mount()
        self.choices.go(next((index for index, row in enumerate(self.rows) if row.sentence is not None), 0))

    def resume(self) -> None:
        self.choices.focus()

    def show(self, decisions: Mapping[SentenceKey, MarkKind]) -> None:
        """Show the sentences with the decisions on them; the cursor stays."""
        self.choices.replace_choices([self._choice(row, decisions) for row in self.rows])
        self.choices.refresh(layout=True)

    def _choice(self, row: AnswerRow, decisions: Mapping[SentenceKey, MarkKind]) -> ListChoice:
        item = row.sentence
        if item is None:
            return ListChoice(row.heading, role="accent")
        dot = f" {self.glyphs.dot} "
        decision = decisions.get((item.paper.id, item.index))
        marks = dot.join(filter(None, (stance_label(None, item.stance), _DECISION_WORDS[decision] if decision else "")))
        source = dot.join(source_parts(item))
        title = plain(item.paper.title)
        if row.restates:
            return ListChoice(item.text, marks, indent=1, below=(f"says the same{dot}{source}", title))
        role = "muted" if decision == "rejected" else ""
        return ListChoice(item.text, marks, key=str(item.rank), below=(source, title), role=role)

    @property
    def current(self) -> AnswerSentence | None:
        """The sentence under the cursor."""
        return self.rows[self.choices.cursor].sentence if self.choices.cursor < len(self.rows) else None

    def action_act(self, action: AnswerAction) -> None:
        if self.current is not None or action == "model":
            self._on_action(action, self.current)

    def on_rows_entered(self, event: Rows.Entered) -> None:
        event.stop()
        if self.current is not None:
            self.dismiss(self.current)

    def go_to(self, key: SentenceKey) -> None:
        """Put the cursor on a sentence."""
        places = (
            index
            for index, row in enumerate(self.rows)
            if row.sentence and (row.sentence.paper.id, row.sentence.index) == key
        )
        self.choices.go(next(places, self.choices.cursor))

    def tell(self, text: str) -> None:
        """Say something above the sentences."""
        self.message.update(Content(plain(text)))


def _summary(answer: Answer, dot: str) -> str:
    if answer.silence:
        return silence_words(answer)
    return dot.join(("looked for: " + "; ".join(answer.hypotheses), read_words(answer), *answer.notices))


def _rows(answer: Answer) -> Sequence[AnswerRow]:
    rows: list[AnswerRow] = []
    for group in answer.groups:
        heading = group_heading(group)
        if heading:
            rows.append(AnswerRow(heading))
        if not group.sentences:
            rows.append(AnswerRow(NOTHING_ON_ASPECT))
        for item in group.sentences:
            rows.append(AnswerRow(heading, item))
            rows += [AnswerRow(heading, other, restates=True) for other in item.restatements]
    return rows
