"""Evidence with a language model: the offline answer first, then the model's choice in its place.

Section by section: the model picks at most k sentences of each part, all parts at the same time; of the union, in
paper order, it keeps the best k. Whole: one question. Whatever fails is said, and costs no more than itself: a part
that could not be asked about keeps what was found offline, and no model at all gives the offline answer.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from litterm.core.errors import ContextOverflow, ModelError, ModelGone
from litterm.core.tasks import Task
from litterm.evidence.hypothesis import read_hypothesis
from litterm.evidence.lexical import at_least_one
from litterm.evidence.llm.chunks import PaperChunk, parts_of, shortlisted, tokens_of, windows
from litterm.evidence.llm.prompts import Picks, about_part, about_union, about_whole, negation, plain_negation
from litterm.evidence.llm.stages import PaperQuestion, ask_for_at_most, ask_parts, choose, failed_words
from litterm.evidence.llm.votes import OfflineEvidence, SentenceVotes
from litterm.interfaces import ChatModel, EvidenceExtractor
from litterm.model.document import Document, Sentence
from litterm.model.events import EvidenceFound, Progress
from litterm.model.evidence import (
    Evidence,
    EvidenceLlmOptions,
    EvidenceScope,
    EvidenceSentence,
    FailedSection,
    Strategy,
)
from litterm.model.llm import CostEstimate, Question

T = TypeVar("T")
LONGEST_WHOLE = 100_000
"""Tokens above which a paper is not put before a model at once, but section by section."""
_LONGEST_ORDER = 1_000
"""Candidates that are put in order; what a longer text has beside them stands behind."""
_AS_USUAL = EvidenceLlmOptions()


class JudgedExtractor:
    """An offline extractor with a model on top; one run, whose caps count over all calls."""

    def __init__(self, offline: EvidenceExtractor, model: ChatModel, use: EvidenceLlmOptions = _AS_USUAL) -> None:
        """`model` has begun its run: caps count over everything asked through it."""
        self._offline = offline
        self._model = model
        self._use = use
        self._gone = ""
        self.name = self._rung(use.strategy)
        """Strategy and model: `sections · MODEL`."""

    def extract(
        self, document: Document, hypothesis: str, *, k: int, scope: EvidenceScope, everything: bool = False
    ) -> Task[Evidence]:
        """At most `k` sentences with stance and reason; `EvidenceFound` first with the offline answer, then after each
        part.

        Where the model cannot be asked at all it is the offline answer, with a notice; `by` tells which. One that is
        not there, or takes no request, is then not asked again in this run.
        `everything` is for that answer: a model's picks are evidence by themselves.

        Raises:
            UsageError: `k` is below 1, or the hypothesis has no content word.
        """
        question = PaperQuestion(document, hypothesis, k, scope)
        # Papers share sentences: the guard against repeated requests counts anew for each.
        self._model = self._model.start_item()
        evidence = yield from self._judge(question, everything=everything)
        # Without a model the negated words find the same sentences again.
        if not self._use.negate or evidence.by == self._offline.name:
            return evidence
        negated = yield from _negation(self._model, hypothesis)
        other = yield from quietly(self._judge(replace(question, hypothesis=negated)))
        return replace(evidence, negated=other)

    def retry(
        self, document: Document, earlier: Evidence, *, k: int, retry_sections: Collection[str] = ()
    ) -> Task[Evidence]:
        """`earlier` with another try at the failed parts whose `FailedSection.key` is named, or at all of them.

        What the model said of the other parts stands and is not asked again.
        """
        question = PaperQuestion(document, earlier.hypothesis, k, earlier.scope)
        if not earlier.failed:
            return (yield from self._judge(question))
        # Not kept with the answer, as it costs nothing to make again.
        offline = yield from quietly(self._consult(question))
        votes = SentenceVotes(offline, {item.sentence.index: item for item in earlier.judged})
        again: list[PaperChunk] = []
        for part in self._parts(question, offline.order):
            failed = _failure(part, earlier)
            if failed is None:
                votes.take(part, ())
            elif not retry_sections or failed.key in retry_sections:
                again.append(part)
            else:
                votes.fail(part, failed.why)
        yield from ask_parts(self._model, question, votes, again)
        evidence = yield from self._settle(question, votes)
        return replace(evidence, negated=earlier.negated)

    def estimate(self, document: Document, hypothesis: str, *, k: int, scope: EvidenceScope) -> Task[CostEstimate]:
        """What `extract` would cost at most; sends nothing."""
        planned = yield from self.plan(document, hypothesis, k=k, scope=scope)
        if self._use.negate:
            planned += yield from self.plan(document, plain_negation(hypothesis), k=k, scope=scope)
        return self._model.estimate(planned)

    def plan(self, document: Document, hypothesis: str, *, k: int, scope: EvidenceScope) -> Task[list[Question[Picks]]]:
        """What `extract` would ask, to the letter but for its last question, which depends on the answers.

        That one stands in at its likely length.
        """
        read_hypothesis(hypothesis)
        at_least_one(k)
        question = PaperQuestion(document, hypothesis, k, scope)
        # Only a shortlist depends on what is found offline, which takes much longer than the rest.
        order = (yield from quietly(self._ranked(question))) if self._use.shortlist else ()
        if self._whole_fits(document):
            return [self._whole_question(question, part) for part in _joined(self._shortlisted(question, order))]
        parts = self._parts(question, order)
        questions = [about_part(part, hypothesis, k=k, scope=scope) for part in parts]
        union = _spread({row.index: row for part in parts for row in part.sentences}, k * len(parts))
        if len(union) > k:
            questions.append(about_union(union, hypothesis, k=k, scope=scope))
        return questions

    def _judge(self, question: PaperQuestion, *, everything: bool = False) -> Task[Evidence]:
        offline = yield from self._consult(question, everything=everything)
        # At once: there is something to read while the model is asked.
        yield EvidenceFound(offline.answer.sentences)
        votes = SentenceVotes(offline)
        # A server that is not there is not asked for each paper of a matrix anew.
        if self._gone:
            return _unheard(offline, self._gone)
        if self._use.strategy != "sections":
            try:
                if self._whole_fits(question.document):
                    return (yield from self._ask_whole(question, votes))
                votes.notices.append("The paper is too long to be shown at once; it was asked about by sections.")
            # The estimate of tokens was too low, or the server has been given less room than it says.
            except ContextOverflow:
                votes.notices.append("The model cannot read this paper at once; it was asked about by sections.")
            except ModelError as error:
                self._gone = str(error) if isinstance(error, ModelGone) else ""
                return _unheard(offline, str(error))
        yield from ask_parts(self._model, question, votes, self._parts(question, offline.order))
        self._gone = votes.gone
        return (yield from self._settle(question, votes))

    def _consult(self, question: PaperQuestion, *, everything: bool = False) -> Task[OfflineEvidence]:
        document, hypothesis, scope = question.document, question.hypothesis, question.scope
        answer = yield from self._offline.extract(
            document, hypothesis, k=question.k, scope=scope, everything=everything
        )
        return OfflineEvidence(answer, (yield from quietly(self._ranked(question))))

    def _ranked(self, question: PaperQuestion) -> Task[tuple[EvidenceSentence, ...]]:
        """Every candidate, as the offline extractor orders them."""
        most = max(question.k, min(len(question.document.sentences), _LONGEST_ORDER))
        # A second call, because the answer shown leaves out what this order needs.
        ranked = self._offline.extract(
            question.document, question.hypothesis, k=most, scope=question.scope, everything=True
        )
        return (yield from ranked).sentences

    def _parts(self, question: PaperQuestion, order: Sequence[EvidenceSentence]) -> tuple[PaperChunk, ...]:
        return tuple(window for part in self._shortlisted(question, order) for window in windows(part))

    def _shortlisted(self, question: PaperQuestion, order: Sequence[EvidenceSentence]) -> tuple[PaperChunk, ...]:
        indices = [item.sentence.index for item in order]
        return tuple(shortlisted(part, indices, self._use.shortlist) for part in parts_of(question.document))

    def _whole_fits(self, document: Document) -> bool:
        return self._use.strategy != "sections" and tokens_of(document.sentences) <= LONGEST_WHOLE

    def _whole_question(self, question: PaperQuestion, part: PaperChunk) -> Question[Picks]:
        examples = self._use.strategy == "whole+examples"
        return about_whole(part, question.hypothesis, k=question.k, scope=question.scope, examples=examples)

    def _ask_whole(self, paper_question: PaperQuestion, votes: SentenceVotes) -> Task[Evidence]:
        for part in _joined(self._shortlisted(paper_question, votes.offline.order)):
            yield Progress(f"asking {self._model.name}", 0, 1)
            question = self._whole_question(paper_question, part)
            size = len(part.sentences)
            picks = yield from ask_for_at_most(
                self._model, paper_question.k, question, size=size, notices=votes.notices
            )
            votes.take(part, picks)
        return votes.evidence(votes.chosen.values(), self.name)

    def _settle(self, question: PaperQuestion, votes: SentenceVotes) -> Task[Evidence]:
        """Stage 2, and the answer."""
        failed = tuple(votes.failed.values())
        if failed and not votes.heard:
            return replace(_unheard(votes.offline, failed[0].why), failed=failed)
        if failed:
            votes.notices.append(failed_words((part.title or part.key for part in failed), failed[0].why))
        union = votes.union()
        chosen = votes.ranked(union)
        # Else every pick is in the answer, and a second question could only lose some.
        if len(union) > question.k:
            try:
                picks = yield from choose(self._model, question, votes, union)
                chosen = tuple(union[pick.number - 1] for pick in picks)
            except ModelError as error:
                best = f"the first {question.k} in the offline order are kept"
                votes.notices.append(f"The model could not choose among its {len(union)} sentences, {best}: {error}")
                chosen = chosen[: question.k]
        return votes.evidence(chosen, self._rung("sections"))

    def _rung(self, strategy: Strategy) -> str:
        few = f" (best {self._use.shortlist})" if self._use.shortlist else ""
        return f"{strategy}{few} · {self._model.name}"


def quietly(task: Task[T]) -> Task[T]:
    """`task` without its `EvidenceFound`: what it finds is not what is looked for."""
    try:
        while True:
            event = next(task)
            if not isinstance(event, EvidenceFound):
                yield event
    except StopIteration as end:
        result: T = end.value
        return result
    finally:
        task.close()


def _negation(model: ChatModel, hypothesis: str) -> Task[str]:
    """How the model negates the hypothesis; clumsily, without a model."""
    try:
        answer = yield from model.answer(negation(hypothesis))
    except ModelError:
        return plain_negation(hypothesis)
    return answer.value or plain_negation(hypothesis)


def _joined(parts: Iterable[PaperChunk]) -> tuple[PaperChunk, ...]:
    """The parts as one, in reading order; none where there is no sentence."""
    rows = sorted((row for part in parts for row in part.sentences), key=lambda row: row.index)
    return (PaperChunk("paper", "", tuple(rows)),) if rows else ()


def _spread(rows: Mapping[int, Sentence], count: int) -> list[Sentence]:
    """About `count` of the rows, by index, taken from all over the paper."""
    places = sorted(rows)
    step = max(1, len(places) // max(1, count))
    return [rows[place] for place in places[::step][:count]]


def _failure(part: PaperChunk, earlier: Evidence) -> FailedSection | None:
    """How `part` failed, as a whole or in a window it was cut into for a model with little room."""
    fits = (failed for failed in earlier.failed if failed.key == part.key or failed.key.startswith(f"{part.key}."))
    return next(fits, None)


def _unheard(offline: OfflineEvidence, why: str) -> Evidence:
    notice = f"The model could not be asked, so this is the offline result: {why}"
    return replace(offline.answer, notices=(*offline.answer.notices, notice))
