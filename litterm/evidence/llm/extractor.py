"""Evidence with a language model: the offline answer first, then the model's choice in its place.

Section by section: the model picks at most k sentences of each part, all parts at the same time; of the union, in
paper order, it keeps the best k. Whole: one question. Auto: whole where the paper is short enough.

Whatever fails is said, and costs at most itself: a part that could not be asked about keeps what was found offline,
and no model at all gives the offline answer.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from litterm.core.errors import ContextOverflow, ModelError, ModelGone, RepeatedRequest
from litterm.core.tasks import Task
from litterm.evidence.hypothesis import read_hypothesis
from litterm.evidence.lexical import require_positive
from litterm.evidence.llm.chunks import (
    MAX_CHUNK_TOKENS,
    PaperChunk,
    estimate_tokens,
    outline_of,
    shorten_chunk,
    split_chunk,
    split_paper,
)
from litterm.evidence.llm.examples import accepted_examples, describe_examples
from litterm.evidence.llm.prompts import (
    PaperQuestion,
    Picks,
    ask_about_chunk,
    ask_about_paper,
    ask_for_fewer,
    ask_for_negation,
    ask_to_choose,
    negate_plainly,
)
from litterm.evidence.llm.votes import OfflineEvidence, SentenceVotes, keep_valid
from litterm.interfaces import EvidenceExtractor
from litterm.model.annotations import Mark
from litterm.model.document import Document, Sentence
from litterm.model.events import Event, EvidenceFound, Progress
from litterm.model.evidence import (
    WITH_EXAMPLES,
    Evidence,
    EvidenceLlmOptions,
    EvidenceScope,
    EvidenceSentence,
    FailedSection,
    Strategy,
)
from litterm.model.llm import CostEstimate, Question, StructuredReply
from litterm.text.tokens import words

if TYPE_CHECKING:
    from litterm.llm.model import ChatModel

_log = logging.getLogger(__name__)

_MAX_ROUNDS = 3
"""How often a part that is too long is asked about in smaller pieces; the last are a 27th of its length."""
_SHRINK_FACTOR = 3
_FATAL_ERRORS = (ModelGone, RepeatedRequest)
"""Not `CapReached`: what was asked before counts, and the parts left are shown as not judged."""
T = TypeVar("T")
MAX_AUTO_WHOLE_TOKENS = 12_000
"""Tokens up to which a paper is put before a model at once where the user did not say how."""
MAX_WHOLE_PAPER_TOKENS = 100_000
"""Tokens above which a paper is not put before a model at once, but section by section."""
_MAX_RANKED_CANDIDATES = 1_000
"""Candidates that are put in order; the others of a longer text come after them."""
_LIKELY_REASON_CHARACTERS = 80
"""Fifteen short words."""
_DEFAULT_OPTIONS = EvidenceLlmOptions()


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
    question = ask_to_choose(paper_question, union)
    yield Progress(f"{model.name} chooses among {len(union)}", 0, 1)
    return (yield from ask_for_at_most(model, paper_question.k, question, size=len(union), notices=votes.notices))


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
        questions = [ask_about_chunk(self.question, part) for part in self.parts]
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


def describe_failures(titles: Iterable[str], asked: int, reason: str) -> str:
    """Which of `asked` parts were not judged, in one sentence."""
    named = [f'"{title}"' for title in titles]
    more = f" and {len(named) - 3} more" if len(named) > 3 else ""
    verb = "was" if len(named) == 1 else "were"
    failed = f"{', '.join(named[:3])}{more}"
    return f"{len(named)} of {asked} parts {verb} not judged ({failed}); the offline result is shown instead: {reason}"


@dataclass(slots=True)
class _ModelState:
    """What one paper has shown of the model, for all others of the run."""

    reason: str = ""
    """Why the model cannot be asked at all; empty as long as it can."""


class LlmExtractor:
    """Evidence chosen by a language model, with an offline fallback; one run, whose caps count over all calls."""

    def __init__(
        self,
        offline: EvidenceExtractor,
        model: ChatModel,
        options: EvidenceLlmOptions = _DEFAULT_OPTIONS,
        *,
        marks: Callable[[], Iterable[Mark]] = tuple,
    ) -> None:
        """`model` has an open run, whose caps count all requests made through it.

        `marks` are the user's, the oldest first: what is accepted among them gives the worked examples.
        """
        self._offline = offline
        self._model = model
        self._options = options
        self._marks = marks
        self._gone = _ModelState()
        self.name = self._method_name(options.strategy)
        """Strategy and model: `sections · MODEL`; an answer by `auto` names the strategy that was chosen for it."""

    def without_marks(self) -> LlmExtractor:
        """The same, whose worked examples are never the user's own."""
        return LlmExtractor(self._offline, self._model, self._options)

    def is_by_model(self, evidence: Evidence) -> bool:
        """Whether an answer of this extractor is the model's, as a whole or in part."""
        return evidence.by != self._offline.name

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
        question = self._question(document, hypothesis, k, scope)
        item = self._start_item()
        evidence = yield from item._ask_model(question, everything=everything)
        # Without a model the negated words find the same sentences again.
        if not self._options.negate or not self.is_by_model(evidence):
            return evidence
        negated, refusal = yield from _ask_negation(item._model, hypothesis)
        other = yield from without_partial_evidence(item._ask_model(replace(question, hypothesis=negated)))
        return replace(evidence, negated=replace(other, notices=(*other.notices, *refusal)))

    @property
    def at_once(self) -> int:
        """How many papers are best asked about at the same time: as many requests as the settings allow."""
        return self._model.at_once

    def _start_item(self) -> LlmExtractor:
        """The same for one of many papers, some of which may be asked about at the same time.

        Papers share sentences: the guard against repeated requests counts again for each.
        """
        item = copy(self)
        item._model = self._model.start_item()
        return item

    def retry(
        self, document: Document, earlier: Evidence, *, k: int, retry_sections: Collection[str] = ()
    ) -> Task[Evidence]:
        """`earlier` with another try at the failed parts whose `FailedSection.key` is named, or at all of them.

        What the model said of the other parts stands and is not asked again.
        """
        question = self._question(document, earlier.hypothesis, k, earlier.scope)
        if not earlier.failed:
            return (yield from self._ask_model(question))
        # Not kept with the answer, as it costs nothing to make again.
        offline = yield from without_partial_evidence(self._extract_offline(question))
        votes = SentenceVotes(offline, {item.sentence.index: item for item in earlier.judged})
        votes.notices += self._example_notices(question)
        votes.orders.append([item.sentence.index for item in earlier.sentences if item.sentence.index in votes.chosen])
        failed_chunks: list[PaperChunk] = []
        for part in self._chunks(question, offline.order):
            failed = _failure_of(part, earlier)
            if failed is None:
                votes.add_picks(part, ())
            elif not retry_sections or failed.key in retry_sections:
                failed_chunks.append(part)
            else:
                votes.add_failure(part, failed.why)
        yield from ask_about_chunks(self._model, question, votes, failed_chunks)
        evidence = yield from self._choose_best(question, votes)
        return replace(evidence, negated=earlier.negated)

    def estimate(self, document: Document, hypothesis: str, *, k: int, scope: EvidenceScope) -> Task[CostEstimate]:
        """What `extract` would cost at most; sends nothing."""
        planned = yield from self.plan(document, hypothesis, k=k, scope=scope)
        if self._options.negate:
            planned += yield from self.plan(document, negate_plainly(hypothesis), k=k, scope=scope)
        return self._model.estimate(planned)

    def plan(self, document: Document, hypothesis: str, *, k: int, scope: EvidenceScope) -> Task[list[Question[Picks]]]:
        """What `extract` would ask, to the letter but for its last question, which depends on the answers.

        That one is in at its likely length.
        """
        read_hypothesis(hypothesis)
        require_positive(k)
        question = self._question(document, hypothesis, k, scope)
        # Only a shortlist depends on what is found offline, which takes much longer than the rest.
        order = (
            (yield from without_partial_evidence(self._rank_candidates(question))) if self._options.shortlist else ()
        )
        if self._fits_whole(document):
            return [ask_about_paper(question, part) for part in _join_chunks(self._shortlisted_chunks(question, order))]
        parts = self._chunks(question, order)
        questions = [ask_about_chunk(question, part) for part in parts]
        union = _sample_evenly({row.index: row for part in parts for row in part.sentences}, k * len(parts))
        if len(union) > k:
            questions.append(ask_to_choose(question, [_likely_pick(row) for row in union]))
        return questions

    def _question(self, document: Document, hypothesis: str, k: int, scope: EvidenceScope) -> PaperQuestion:
        with_examples = self._options.strategy.endswith(WITH_EXAMPLES)
        examples = accepted_examples(self._marks(), document, scope) if with_examples else ()
        outline = outline_of(document)
        return PaperQuestion(document, outline, hypothesis, k, scope, with_examples=with_examples, examples=examples)

    def _example_notices(self, question: PaperQuestion) -> list[str]:
        return [describe_examples(question.examples, question.scope)] if question.with_examples else []

    def _ask_model(self, question: PaperQuestion, *, everything: bool = False) -> Task[Evidence]:
        offline = yield from self._extract_offline(question, everything=everything)
        # At once: there is something to read while the model is asked.
        yield EvidenceFound(offline.answer.sentences)
        votes = SentenceVotes(offline)
        votes.notices += self._example_notices(question)
        # A server that is not there is not asked for each paper of a matrix again.
        if self._gone.reason:
            return _offline_with_notice(offline, self._gone.reason)
        if self._fits_whole(question.document):
            try:
                return (yield from self._ask_whole(question, votes))
            # The estimate of tokens was too low, or the server has been given less room than it says.
            except ContextOverflow:
                votes.notices.append("The model cannot read this paper at once; it was asked about by sections.")
            except ModelError as error:
                self._gone.reason = str(error) if isinstance(error, ModelGone) else ""
                return _offline_with_notice(offline, str(error), error.failed_at)
        elif self._options.strategy in ("whole", "whole+examples"):
            votes.notices.append("The paper is too long to be shown at once; it was asked about by sections.")
        yield from ask_about_chunks(self._model, question, votes, self._chunks(question, offline.order))
        self._gone.reason = votes.unavailable_reason
        return (yield from self._choose_best(question, votes))

    def _extract_offline(self, question: PaperQuestion, *, everything: bool = False) -> Task[OfflineEvidence]:
        document, hypothesis, scope = question.document, question.hypothesis, question.scope
        answer = yield from self._offline.extract(
            document, hypothesis, k=question.k, scope=scope, everything=everything
        )
        return OfflineEvidence(answer, (yield from without_partial_evidence(self._rank_candidates(question))))

    def _rank_candidates(self, question: PaperQuestion) -> Task[tuple[EvidenceSentence, ...]]:
        """Every candidate, as the offline extractor orders them."""
        count = max(question.k, min(len(question.document.sentences), _MAX_RANKED_CANDIDATES))
        # A second call, because the answer shown leaves out what this order needs.
        ranked = self._offline.extract(
            question.document, question.hypothesis, k=count, scope=question.scope, everything=True
        )
        return (yield from ranked).sentences

    def _chunks(self, question: PaperQuestion, order: Sequence[EvidenceSentence]) -> tuple[PaperChunk, ...]:
        return tuple(window for part in self._shortlisted_chunks(question, order) for window in split_chunk(part))

    def _shortlisted_chunks(self, question: PaperQuestion, order: Sequence[EvidenceSentence]) -> tuple[PaperChunk, ...]:
        indices = [item.sentence.index for item in order]
        return tuple(shorten_chunk(part, indices, self._options.shortlist) for part in split_paper(question.document))

    def _fits_whole(self, document: Document) -> bool:
        strategy = self._options.strategy
        if strategy in ("sections", "sections+examples"):
            return False
        limit = MAX_AUTO_WHOLE_TOKENS if strategy == "auto" else MAX_WHOLE_PAPER_TOKENS
        return estimate_tokens(document.sentences) <= limit

    def _ask_whole(self, paper_question: PaperQuestion, votes: SentenceVotes) -> Task[Evidence]:
        for part in _join_chunks(self._shortlisted_chunks(paper_question, votes.offline.order)):
            yield Progress(f"asking {self._model.name}", 0, 1)
            question = ask_about_paper(paper_question, part)
            size = len(part.sentences)
            picks = yield from ask_for_at_most(
                self._model, paper_question.k, question, size=size, notices=votes.notices
            )
            votes.add_picks(part, picks)
        return votes.to_evidence(votes.chosen.values(), self._method_name("whole"))

    def _choose_best(self, question: PaperQuestion, votes: SentenceVotes) -> Task[Evidence]:
        """Stage 2, and the answer."""
        failed = tuple(votes.failed.values())
        if failed and not votes.judged_indices:
            return replace(_offline_with_notice(votes.offline, failed[0].why, _none_judged(votes)), failed=failed)
        if failed:
            titles = (part.title or part.key for part in failed)
            votes.notices.append(describe_failures(titles, votes.heard + len(failed), failed[0].why))
        union = votes.all_picks()
        chosen = votes.rank_sentences(union)
        # Else every pick is in the answer, and a second question could only lose some.
        if len(union) > question.k:
            try:
                picks = yield from choose_among(self._model, question, votes, union)
                chosen = tuple(union[pick.number - 1] for pick in picks)
            except ModelError as error:
                best = f"the first {question.k} in the offline order are kept"
                votes.notices.append(f"The model could not choose among its {len(union)} sentences, {best}: {error}")
                chosen = chosen[: question.k]
        return votes.to_evidence(chosen, self._method_name("sections"))

    def _method_name(self, strategy: Strategy) -> str:
        """`strategy`, with examples where they are wanted, and the model."""
        wanted = self._options.strategy.endswith(WITH_EXAMPLES) and not strategy.endswith(WITH_EXAMPLES)
        few = f" (best {self._options.shortlist})" if self._options.shortlist else ""
        return f"{strategy}{WITH_EXAMPLES if wanted else ''}{few} · {self._model.name}"


def without_partial_evidence(task: Task[T]) -> Task[T]:
    """Runs `task` and drops its `EvidenceFound` events, since its sentences are not the answer."""
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


def _ask_negation(model: ChatModel, hypothesis: str) -> Task[tuple[str, tuple[str, ...]]]:
    """How the model negates the hypothesis; clumsily without the model, and a notice that says why."""
    try:
        answer = yield from model.answer(ask_for_negation(hypothesis))
    except ModelError as error:
        return negate_plainly(hypothesis), (
            f"The model did not negate the hypothesis, so it is denied as a whole: {error}",
        )
    if not answer.value.strip():
        return negate_plainly(hypothesis), ("The model gave no negation, so the hypothesis is denied as a whole.",)
    # Asked with its own words the paper would seem to support a claim and its negation alike.
    if words(answer.value) == words(hypothesis):
        return negate_plainly(hypothesis), (
            "The model repeated the hypothesis instead of negating it, so it is denied as a whole.",
        )
    return answer.value, ()


def _join_chunks(parts: Iterable[PaperChunk]) -> tuple[PaperChunk, ...]:
    """The parts as one, in reading order; none where there is no sentence."""
    rows = sorted((row for part in parts for row in part.sentences), key=lambda row: row.index)
    return (PaperChunk("paper", "", tuple(rows)),) if rows else ()


def _sample_evenly(rows: Mapping[int, Sentence], count: int) -> list[Sentence]:
    """About `count` of the rows, by index, taken from all over the paper."""
    places = sorted(rows)
    step = max(1, len(places) // max(1, count))
    return [rows[place] for place in places[::step][:count]]


def _likely_pick(row: Sentence) -> EvidenceSentence:
    """A pick that is as long as the picks that are likely, for an estimate."""
    return EvidenceSentence(0, row, 0.0, "weak", stance="supports", reason="x" * _LIKELY_REASON_CHARACTERS)


def _failure_of(part: PaperChunk, earlier: Evidence) -> FailedSection | None:
    """How `part` failed, as a whole or in a window it was cut into for a model with little room."""
    fits = (failed for failed in earlier.failed if failed.key == part.key or failed.key.startswith(f"{part.key}."))
    return next(fits, None)


def _none_judged(votes: SentenceVotes) -> str:
    """How far the model came where no part was judged."""
    if votes.unavailable_reason:
        return ModelError.failed_at
    parts = len(votes.failed)
    return f"The model judged none of the {parts} parts" if parts > 1 else "The model judged nothing"


def _offline_with_notice(offline: OfflineEvidence, reason: str, failed_at: str = ModelError.failed_at) -> Evidence:
    notice = f"{failed_at}, so this is the offline result: {reason}"
    return replace(offline.answer, notices=(*offline.answer.notices, notice))
