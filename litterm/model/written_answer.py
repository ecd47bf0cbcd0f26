"""An answer that a language model wrote from quotes: every sentence with its quotes, and what is wrong in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from litterm.model.answer import Answer, AnswerSentence
    from litterm.model.llm import ModelCost

DEFAULT_WRITTEN_PAPERS, MAX_WRITTEN_PAPERS = 12, 30
"""Papers of the search that a model is shown, if no number is given, and at most."""

FaultKind = Literal[
    "quote", "figure", "unit", "name", "source", "direction", "roles", "population", "scope", "language pair"
]
"""What a sentence says otherwise than its quotes. `quote`: it names none, or none of them says it; `source`: it names
authors or a year that are not those of its papers; `roles`: who does what to whom."""
PartKind = Literal["points", "paragraph", "disagreement"]

BY_RULE = "rule"
"""`SentenceFault.by` of what was found without a model."""


@dataclass(frozen=True, slots=True)
class SentenceFault:
    """One thing for which a sentence is struck out."""

    kind: FaultKind
    words: str
    """What is wrong, as a clause: `12 % is in none of its quotes`."""
    by: str = BY_RULE
    """`rule`, or the name of the model that was asked about sentence and quotes."""


@dataclass(frozen=True, slots=True)
class WrittenSentence:
    """A sentence of the model."""

    text: str
    quotes: tuple[int, ...]
    """Ranks of the quotes that it was written from, from 1; chosen before it was written."""
    faults: tuple[SentenceFault, ...] = ()
    is_checked: bool = False
    """Whether a request of its own has compared it with its quotes; what the rules struck out is not asked about."""

    @property
    def is_struck(self) -> bool:
        """Whether it failed a check, so that it is no part of the answer."""
        return bool(self.faults)


@dataclass(frozen=True, slots=True)
class WrittenPart:
    """Points, a paragraph, or what the papers disagree on."""

    kind: PartKind
    sentences: tuple[WrittenSentence, ...]
    """At least one."""


@dataclass(frozen=True, slots=True)
class WrittenAnswer:
    """What a model wrote from quotes of the papers."""

    question: str
    """As typed, without filters."""
    by: str
    """Name of the model."""
    quotes: tuple[AnswerSentence, ...]
    """All that the model was shown, `rank` from 1 in this order."""
    parts: tuple[WrittenPart, ...]
    """Points first, then paragraphs, then disagreement; none where the model wrote nothing, or was not reached."""
    gaps: tuple[WrittenSentence, ...]
    """What the quotes do not say, without quotes behind it; struck out where it names what was not shown."""
    offline: Answer
    """The answer without a model."""
    papers_read: int
    full_texts: int
    notices: tuple[str, ...] = ()
    spent: ModelCost | None = None
    """What writing and checking it has cost now; `None` where no model was asked."""

    @property
    def is_written(self) -> bool:
        """Whether there is a sentence that is not struck out."""
        return any(not sentence.is_struck for part in self.parts for sentence in part.sentences)

    @property
    def sentences(self) -> tuple[WrittenSentence, ...]:
        """All sentences of all parts, struck ones among them; the gaps are not."""
        return tuple(sentence for part in self.parts for sentence in part.sentences)

    def quotes_of(self, sentence: WrittenSentence) -> tuple[AnswerSentence, ...]:
        """The quotes behind a sentence."""
        return tuple(self.quotes[rank - 1] for rank in sentence.quotes if 1 <= rank <= len(self.quotes))
