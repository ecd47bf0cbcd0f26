"""Answers written by a language model from quotes, and checked by other means than its own.

First the quotes are chosen without a model. One request writes sentences, each from quotes that it names before it
writes. Rules compare every sentence with its quotes; what they let pass is compared once more by a request of its own,
which sees this sentence and its quotes and nothing else. What fails is struck out and kept, with the reason.

Replies are kept, so that an answer that was interrupted costs only what it had not yet asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import count
from typing import TYPE_CHECKING, Final

from litterm.core.errors import ModelError
from litterm.core.tasks import Task, collect_outgoing
from litterm.evidence.answers.answers import QuotedAnswer, QuoteLimits
from litterm.evidence.answers.llm import (
    MAX_DISAGREEMENTS,
    MAX_POINTS,
    MAX_SENTENCES,
    CheckReply,
    check_question,
    write_question,
)
from litterm.evidence.answers.sentence_check import (
    check_by_rule,
    check_gap,
    quoted_texts,
    without_quote_numbers,
)
from litterm.evidence.answers.storage import KeptAnswer, WrittenAnswerStore
from litterm.model.answer import DEFAULT_ANSWER_SENTENCES
from litterm.model.events import Event, Progress
from litterm.model.llm import CostEstimate, ModelRequest, Question, StructuredReply
from litterm.model.written_answer import (
    DEFAULT_WRITTEN_PAPERS,
    SentenceFault,
    WrittenAnswer,
    WrittenPart,
    WrittenSentence,
)
from litterm.text.plural import count_phrase

if TYPE_CHECKING:
    from litterm.evidence.answers.answers import Answers
    from litterm.llm.model import ChatModel
    from litterm.model.search import Query

_FAULT_WORDS: Final = {
    "scope": "it says more than its quotes",
    "direction": "its quotes say that it goes the other way",
    "roles": "it exchanges who acts on whom in its quotes",
    "population": "its quotes speak of others",
    "quote": "its quotes do not say it",
}
_EXPECTED_CHECKS: Final = MAX_POINTS + MAX_SENTENCES + MAX_DISAGREEMENTS
_EXPECTED_QUOTES: Final = 2
"""Quotes behind a sentence, for the estimate."""


@dataclass(frozen=True, slots=True)
class WrittenAnswers:
    """Operations on answers that a model writes; every call is a run of its own, with its own cap."""

    answers: Callable[[], Answers]
    build_model: Callable[[bool], ChatModel]
    """Starts a run; the argument says whether kept replies do not count. Raises `UsageError` where no model is set,
    `ModelError` where the one that is set cannot be asked."""
    build_dry_run: Callable[[], ChatModel]
    """The same, that yields `OutgoingRequest` instead of sending."""
    limits: QuoteLimits
    store: Callable[[], WrittenAnswerStore]
    """Where answers of the current project are kept."""

    def write(
        self,
        typed: str | Query,
        *,
        k: int = DEFAULT_ANSWER_SENTENCES,
        papers: int = DEFAULT_WRITTEN_PAPERS,
        fresh: bool = False,
    ) -> Task[WrittenAnswer]:
        """An answer in sentences, each checked; where the model fails, the answer without it, with a notice.

        Nothing is asked where the search finds no paper, or only papers of another field.

        Raises:
            UsageError: no model is set, there is no word to look for, or `k` or `papers` is out of range.
            QueryError: `typed` cannot be read as a query.
        """
        quoted = yield from self._quoted(typed, k, papers)
        written = yield from self.write_from(quoted, fresh=fresh)
        if written.is_written:
            earlier = self.kept(written.question)
            self.keep(KeptAnswer(written, earlier.decisions if earlier is not None else {}))
        return written

    def kept(self, question: str) -> KeptAnswer | None:
        """The answer that the project keeps to this question, with the decisions on its sentences."""
        return self.store().load(question)

    def keep(self, kept: KeptAnswer) -> bool:
        """Keeps an answer and its decisions in the project; false in a library that cannot be written to.

        Raises:
            StateBusy: another process is writing.
            DiskFull: there is no room.
        """
        return self.store().save(kept)

    def write_from(self, quoted: QuotedAnswer, *, fresh: bool = False) -> Task[WrittenAnswer]:
        """As `write`, from quotes that are known."""
        answer = quoted.answer
        written = WrittenAnswer(
            question=answer.question,
            by="",
            quotes=quoted.quotes,
            parts=(),
            gaps=(),
            offline=answer,
            papers_read=answer.papers_read,
            full_texts=answer.full_texts,
            notices=answer.notices,
        )
        if not self._is_asked(quoted):
            return written
        try:
            model = self.build_model(fresh)
        except ModelError as error:
            return replace(written, notices=(*answer.notices, f"No model was asked: {error}"))
        yield Progress(f"{model.name} writes from {count_phrase(len(quoted.quotes), 'quote')}")
        written = replace(written, by=model.name)
        try:
            reply = yield from model.answer(write_question(answer.question, quoted.quotes))
        except ModelError as error:
            notice = f"{error.failed_at}, so this is the answer without one: {error}"
            return replace(written, notices=(*answer.notices, notice), spent=model.total_cost())
        written = replace(written, parts=reply.value.parts, gaps=reply.value.gaps)
        written = _checked_by_rule(written)
        return (yield from self._checked_by_model(written, model))

    def estimate(
        self, typed: str | Query, *, papers: int = DEFAULT_WRITTEN_PAPERS, fresh: bool = False
    ) -> Task[CostEstimate]:
        """What `write` would cost at most: writing, and checking as many sentences as may be written; sends nothing.

        Raises:
            UsageError: no model is set, there is no word to look for, or `papers` is out of range.
            QueryError: `typed` cannot be read as a query.
            ModelError: the model cannot be asked.
        """
        model = self.build_model(fresh)
        quoted = yield from self._quoted(typed, DEFAULT_ANSWER_SENTENCES, papers)
        return model.estimate(_expected_questions(quoted) if self._is_asked(quoted) else [])

    def preview(self, typed: str | Query, *, papers: int = DEFAULT_WRITTEN_PAPERS) -> Task[tuple[str, ...]]:
        """The request that writes, to the letter; those that check depend on its reply.

        Raises:
            UsageError: no model is set, there is no word to look for, or `papers` is out of range.
            QueryError: `typed` cannot be read as a query.
            ModelError: the model cannot be asked.
        """
        model = self.build_dry_run()
        quoted = yield from self._quoted(typed, DEFAULT_ANSWER_SENTENCES, papers)
        if not self._is_asked(quoted):
            return ()
        question = write_question(quoted.answer.question, quoted.quotes)
        return (yield from collect_outgoing(model.answer(question)))

    def _quoted(self, typed: str | Query, k: int, papers: int) -> Task[QuotedAnswer]:
        return (yield from self.answers().ask_with_quotes(typed, k=k, papers=papers, quotes=self.limits))

    def _is_asked(self, quoted: QuotedAnswer) -> bool:
        # "Nothing bears on it" is told by wording, which a model may understand better.
        return bool(quoted.quotes) and quoted.answer.silence not in ("no papers", "outside the library")

    def _checked_by_model(self, written: WrittenAnswer, model: ChatModel) -> Task[WrittenAnswer]:
        """`written` with what a request about each sentence says that no rule has struck out."""
        places = [
            (part, number)
            for part, of_part in enumerate(written.parts)
            for number, sentence in enumerate(of_part.sentences)
            if not sentence.is_struck
        ]
        sentences = [written.parts[part].sentences[number] for part, number in places]
        questions = [check_question(each.text, [quote.text for quote in written.quotes_of(each)]) for each in sentences]
        description, answered = f"{model.name} compares sentences with their quotes", count(1)

        def on_outcome(_number: int, _outcome: object) -> Iterator[Event]:
            yield Progress(description, next(answered), len(questions))

        yield Progress(description, 0, len(questions))
        outcomes = yield from model.answer_all(questions, on_outcome)
        of_place = {
            place: _with_outcome(sentence, outcome, model.name)
            for place, sentence, outcome in zip(places, sentences, outcomes, strict=True)
        }
        parts = tuple(
            WrittenPart(
                part.kind, tuple(of_place.get((number, place), each) for place, each in enumerate(part.sentences))
            )
            for number, part in enumerate(written.parts)
        )
        failed = [outcome for outcome in outcomes if isinstance(outcome, ModelError)]
        notices = written.notices
        if failed:
            what = count_phrase(len(failed), "sentence was", "sentences were")
            notices = (*notices, f"{what} compared with quotes by rule only: {failed[0]}")
        return replace(written, parts=parts, notices=notices, spent=model.total_cost())


def _expected_questions(quoted: QuotedAnswer) -> list[ModelRequest | Question[object]]:
    writing = write_question(quoted.answer.question, quoted.quotes).request
    longest = sorted((quote.text for quote in quoted.quotes), key=len, reverse=True)
    checks = [
        # Sentences differ, so that none of these requests stands for another.
        check_question(
            f"{number} {longest[number % len(longest)]}", longest[number % len(longest) :][:_EXPECTED_QUOTES]
        ).request
        for number in range(_EXPECTED_CHECKS)
    ]
    return [writing, *checks]


def _checked_by_rule(written: WrittenAnswer) -> WrittenAnswer:
    def checked(sentence: WrittenSentence) -> WrittenSentence:
        quotes = written.quotes_of(sentence)
        faults = check_by_rule(sentence.text, quoted_texts(quotes, written.quotes), written.question)
        return replace(sentence, text=without_quote_numbers(sentence.text), faults=faults)

    def checked_part(part: WrittenPart) -> WrittenPart:
        sentences = tuple(map(checked, part.sentences))
        if part.kind != "disagreement":
            return WrittenPart(part.kind, sentences)
        lone = SentenceFault("quote", "papers differ, but it names one quote only")
        return WrittenPart(
            part.kind,
            tuple(replace(each, faults=(*each.faults, lone)) if len(each.quotes) == 1 else each for each in sentences),
        )

    shown = quoted_texts(written.quotes)
    gaps = tuple(replace(gap, faults=check_gap(gap.text, shown, written.question)) for gap in written.gaps)
    return replace(written, parts=tuple(map(checked_part, written.parts)), gaps=gaps)


def _with_outcome(
    sentence: WrittenSentence, outcome: StructuredReply[CheckReply] | ModelError, model: str
) -> WrittenSentence:
    if isinstance(outcome, ModelError):
        return sentence
    kind = outcome.value.fault
    if kind is None:
        return replace(sentence, is_checked=True)
    reason = outcome.value.reason.rstrip(".")
    words = f"{_FAULT_WORDS[kind]}: {reason}" if reason else _FAULT_WORDS[kind]
    return replace(sentence, is_checked=True, faults=(SentenceFault(kind, words, model),))
