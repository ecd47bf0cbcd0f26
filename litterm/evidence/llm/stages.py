"""The two stages of asking a model: about each part of a paper, then about everything picked in them."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from litterm.core.errors import ContextOverflow, ModelError, ModelGone, RepeatedRequest
from litterm.core.tasks import Task
from litterm.evidence.llm.chunks import MAX_CHUNK_TOKENS, PaperChunk, split_chunk
from litterm.evidence.llm.prompts import Picks, ask_about_chunk, ask_for_fewer, ask_to_choose
from litterm.evidence.llm.votes import SentenceVotes, keep_valid
from litterm.model.document import Document
from litterm.model.events import Event, EvidenceFound, Progress
from litterm.model.evidence import EvidenceScope, EvidenceSentence
from litterm.model.llm import Question, StructuredReply

if TYPE_CHECKING:
    from litterm.llm.model import ChatModel

_log = logging.getLogger(__name__)

_MAX_ROUNDS = 3
"""How often a part that is too long is asked about in smaller pieces; the last are a 27th of its length."""
_SHRINK_FACTOR = 3
_FATAL_ERRORS = (ModelGone, RepeatedRequest)


@dataclass(frozen=True, slots=True)
class PaperQuestion:
    """One question to one paper."""

    document: Document
    hypothesis: str
    k: int
    scope: EvidenceScope


def ask_about_chunks(
    model: ChatModel, question: PaperQuestion, votes: SentenceVotes, parts: Sequence[PaperChunk]
) -> Task[None]:
    """Stage 1, all parts at the same time; one that is too long for the model is cut smaller and asked again."""
    tokens = MAX_CHUNK_TOKENS
    # Only the parts that were too long: what was heard is paid for.
    for rounds_left in reversed(range(_MAX_ROUNDS)):
        too_long = yield from _Round(model, question, votes, parts, is_last=not rounds_left).run()
        tokens //= _SHRINK_FACTOR
        parts = [window for part in too_long for window in split_chunk(part, most_tokens=tokens)]
        if not parts:
            return


def choose_among(
    model: ChatModel, paper_question: PaperQuestion, votes: SentenceVotes, union: Sequence[EvidenceSentence]
) -> Task[Picks]:
    """Stage 2: the model's choice among `union`, at most k, numbers from 1 in its order.

    Raises:
        ModelError: there is none.
    """
    rows = [item.sentence for item in union]
    question = ask_to_choose(rows, paper_question.hypothesis, k=paper_question.k, scope=paper_question.scope)
    yield Progress(f"{model.name} chooses among {len(rows)}", 0, 1)
    return (yield from ask_for_at_most(model, paper_question.k, question, size=len(rows), notices=votes.notices))


def ask_for_at_most(
    model: ChatModel, k: int, question: Question[Picks], *, size: int, notices: list[str]
) -> Task[Picks]:
    """A final answer: the picks of `size` sentences, asked for once more when there are more than `k`, then cut.

    Raises:
        ModelError: there is no answer at all.
    """
    answer = yield from model.answer(question)
    picks = _valid_picks(answer, size, "final")
    if len(picks) <= k:
        return picks
    try:
        second_answer = yield from model.answer(ask_for_fewer(question, answer.reply.text, count=len(picks), k=k))
    except ModelError as error:
        notices.append(f"The model named {len(picks)} sentences and the first {k} are kept: {error}")
        return picks[:k]
    fewer = _valid_picks(second_answer, size, "again") or picks
    what_is_kept = f"the first {k} are kept" if len(fewer) > k else f"{len(fewer)} are kept"
    notices.append(
        f"The model named {len(picks)} sentences, and {len(fewer)} when told that {k} are allowed; {what_is_kept}."
    )
    return fewer[:k]


@dataclass(slots=True)
class _Round:
    """One round of questions about several parts."""

    model: ChatModel
    question: PaperQuestion
    votes: SentenceVotes
    parts: Sequence[PaperChunk]
    is_last: bool
    """Whether a part that is too long has failed."""

    def run(self) -> Task[list[PaperChunk]]:
        """Every part heard or failed, but for those that were too long."""
        description = f"asking {self.model.name}"
        unanswered = dict(enumerate(self.parts))
        too_long: list[PaperChunk] = []

        def on_outcome(number: int, outcome: StructuredReply[Picks] | ModelError) -> Iterator[Event]:
            part = unanswered.pop(number)
            if isinstance(outcome, ContextOverflow) and not self.is_last:
                too_long.append(part)
            else:
                self._record_outcome(part, outcome)
            yield EvidenceFound(self.votes.provisional_sentences(), part.title)
            yield Progress(description, len(self.parts) - len(unanswered), len(self.parts))

        yield Progress(description, 0, len(self.parts))
        question = self.question
        questions = [
            ask_about_chunk(part, question.hypothesis, k=question.k, scope=question.scope) for part in self.parts
        ]
        try:
            yield from self.model.answer_all(questions, on_outcome)
        except ModelError as error:
            self.votes.unavailable_reason = str(error) if isinstance(error, ModelGone) else ""
            for part in unanswered.values():
                self.votes.add_failure(part, str(error))
        return too_long

    def _record_outcome(self, part: PaperChunk, outcome: StructuredReply[Picks] | ModelError) -> None:
        if not isinstance(outcome, ModelError):
            self.votes.add_picks(part, _valid_picks(outcome, len(part.sentences), part.key))
            return
        self.votes.add_failure(part, str(outcome))
        if isinstance(outcome, _FATAL_ERRORS):
            raise outcome


def _valid_picks(answer: StructuredReply[Picks], size: int, key: str) -> Picks:
    for fault in answer.dropped:
        # In the log alone: a number out of range says nothing of the paper.
        _log.info("%s: %s", key, fault)
    return keep_valid(answer.value, size, key)


def describe_failures(titles: Iterable[str], reason: str) -> str:
    """Which parts were not judged, in one sentence."""
    named = [f'"{title}"' for title in titles]
    more = f" and {len(named) - 3} more" if len(named) > 3 else ""
    verb = "was" if len(named) == 1 else "were"
    return f"{', '.join(named[:3])}{more} {verb} not judged; the offline result is shown instead: {reason}"
