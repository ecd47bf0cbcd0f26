"""An answer to a question: sentences of papers of the library, never text of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from litterm.model.document import DocumentId, DocumentOrigin, SentenceKind
    from litterm.model.evidence import LikelyStance, Strength
    from litterm.model.paper import Paper

DEFAULT_ANSWER_SENTENCES, DEFAULT_ANSWER_PAPERS = 10, 20
"""Sentences shown, and papers of the search that are read, if no number is given."""
MAX_ANSWER_SENTENCES, MAX_ANSWER_PAPERS = 100, 100

AnswerSide = Literal["for", "against", "unclear"]
"""What a sentence says to a question that is answered by yes or no; `unclear`: its wording does not tell."""
SilenceReason = Literal["", "no papers", "nothing bears on it", "outside the library"]
"""Why the library does not say; empty where it does. `outside the library`: its papers do not know words of the
question."""


@dataclass(frozen=True, slots=True)
class AnswerSentence:
    """A sentence of a paper that bears on the question."""

    rank: int
    """From 1, over all papers."""
    paper: Paper
    document_id: DocumentId
    origin: DocumentOrigin
    """What the text of the paper was read from; `abstract`: its abstract is all that is here."""
    index: int
    """`Sentence.index` in that document."""
    text: str
    kind: SentenceKind
    section: str
    """Title of its section, without number; empty before the first heading."""
    locator: str
    """Section, paragraph, sentence, and the page where it is known, in words."""
    page: int | None
    """From 1; `None` where it is not known."""
    key: str
    """Under which the paper is cited."""
    probability: float
    """That a reader would give it as an answer, in (0, 1); compares sentences of different papers and questions."""
    strength: Strength
    """How close it comes to the question within its paper."""
    stance: LikelyStance | None = None
    """For or against what is asked, where its wording tells."""
    restatements: tuple[AnswerSentence, ...] = ()
    """Sentences that say the same, mostly of other papers, the best first; they have none of their own."""

    @property
    def side(self) -> AnswerSide:
        """For, against, or unclear."""
        if self.stance is None:
            return "unclear"
        return "for" if self.stance.stance == "supports" else "against"


@dataclass(frozen=True, slots=True)
class AnswerGroup:
    """Sentences that say the same kind of thing."""

    title: str
    """A side, or an aspect of the question; empty where there is one group and nothing to tell apart."""
    side: AnswerSide | None
    """`None` where groups are aspects, or there is one."""
    sentences: tuple[AnswerSentence, ...]
    """The best first; none where the library does not say anything on this aspect."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What the library says to a question."""

    question: str
    """As typed, without filters."""
    hypotheses: tuple[str, ...]
    """What was looked for: the question as a statement, or each of its aspects."""
    groups: tuple[AnswerGroup, ...]
    """In the order for, against, unclear, or in that of the aspects; none where the library does not say."""
    by: str
    """Which method chose the sentences."""
    papers_read: int
    """Papers of the search that were looked through."""
    full_texts: int
    """How many of these are full texts; of the others the abstract was read."""
    probability: float
    """That the library answers the question, in (0, 1)."""
    silence: SilenceReason = ""
    unknown_words: tuple[str, ...] = ()
    """Words of the question, as typed, that none of the papers read holds."""
    notices: tuple[str, ...] = ()

    @property
    def sentences(self) -> tuple[AnswerSentence, ...]:
        """All sentences by rank, without restatements."""
        return tuple(sorted((item for group in self.groups for item in group.sentences), key=lambda item: item.rank))
