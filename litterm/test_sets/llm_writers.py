"""What a model does for a test set: writes questions and hypotheses, and says which papers it knows by heart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING, Protocol, TypeAlias

from litterm.core.errors import ModelError, UsageError
from litterm.model.llm import CostEstimate, ModelRequest, Question, ReplyForm
from litterm.model.test_sets import (
    CitedHypothesis,
    CitingPassage,
    MaskedExcerpt,
    SearchQuestion,
    SetItem,
    SetRequest,
)
from litterm.test_sets.hypotheses import find_fault, has_numbers_of
from litterm.test_sets.questions import TOO_EASY, title_overlap
from litterm.text.llm.prompts import Data, prompt
from litterm.text.llm.reply_json import LineShape, ListField, Record
from litterm.text.references.titles import same_title

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.llm.model import ChatModel
    from litterm.model.paper import PaperId

Candidate: TypeAlias = "CitingPassage | SetItem | str"
REMEMBERED = "the model knows the cited paper by heart"
NO_QUESTION = "the model found no question in the paragraph"
NO_REPLY = "the model gave no usable reply"
GIVEN_AWAY = "the hypothesis gives a number of the evidence away"
RECALL_TRIES = 5
"""Times that the model is asked for the hidden paper, as by CiteME; one right answer is enough to leave it out."""
_RECALL_TEMPERATURE = 0.95
"""As by CiteME: at 0 the five replies would be one."""
_MAX_QUESTIONS, _MAX_QUESTION_CHARS, _MAX_TITLE_CHARS = 6, 600, 300
_MAX_PARAGRAPH_CHARS = 6_000
_QUESTIONS_TOKENS, _TITLE_TOKENS, _PURPOSE_TOKENS, _HYPOTHESIS_TOKENS = 1_200, 120, 300, 200


class ModelWriter(Protocol):
    """Turns candidates into items with a model: `QuestionWriter`, `RecallFilter`, `HypothesisWriter`."""

    def write(self, candidates: Sequence[Candidate]) -> Task[list[Candidate]]:
        """Items, and reasons against candidates that give none.

        Raises:
            ModelError: the model gave no reply to any of them.
        """
        ...

    def estimate(self, candidates: Sequence[Candidate]) -> CostEstimate:
        """What `write` would cost at most; sends nothing."""
        ...


def open_writer(request: SetRequest, model: ChatModel) -> ModelWriter:
    """The writer of one kind of test set.

    Raises:
        UsageError: a model has no part in this kind.
    """
    if request.kind == "questions":
        return QuestionWriter(model, request.max_overlap)
    if request.kind == "excerpts":
        return RecallFilter(model)
    if request.kind == "hypotheses":
        return HypothesisWriter(model)
    raise UsageError(f"--model has no part in making {request.kind}")


@dataclass(frozen=True, slots=True)
class _Written:
    """A question as the model wrote it, with the keys of its answers."""

    question: str
    answer: tuple[str, ...]


_QUESTIONS: ReplyForm[tuple[_Written, ...]] = ReplyForm(
    "questions",
    Record(
        lambda questions: questions,
        questions=ListField(
            Record(
                _Written,
                question=LineShape("a question", _MAX_QUESTION_CHARS),
                answer=ListField(LineShape("cite_001", 20)),
            ),
            max_items=_MAX_QUESTIONS,
        ),
    ),
)
_TITLE: ReplyForm[str] = ReplyForm(
    "cited_title", Record(lambda title: title, title=LineShape("the exact title, or empty", _MAX_TITLE_CHARS))
)
_PURPOSE: ReplyForm[str] = ReplyForm(
    "purpose", Record(lambda question: question, question=LineShape("one to three sentences", 1_000))
)
_HYPOTHESIS: ReplyForm[str] = ReplyForm(
    "hypothesis", Record(lambda hypothesis: hypothesis, hypothesis=LineShape("one sentence", 600))
)


@dataclass(frozen=True, slots=True)
class QuestionWriter:
    """Has the model write questions from paragraphs, by the four rules of LitSearch."""

    model: ChatModel
    max_overlap: float

    def write(self, candidates: Sequence[Candidate]) -> Task[list[Candidate]]:
        """See `ModelWriter`."""
        passages = [passage for passage in candidates if isinstance(passage, CitingPassage)]
        replies = yield from self.model.answer_all([_ask_for_questions(passage) for passage in passages])
        _raise_if_none(replies)
        outcomes: list[Candidate] = []
        for passage, reply in zip(passages, replies, strict=True):
            outcomes += [NO_REPLY] if isinstance(reply, ModelError) else self._items(passage, reply.value)
        return outcomes

    def estimate(self, candidates: Sequence[Candidate]) -> CostEstimate:
        """See `ModelWriter`."""
        passages = [passage for passage in candidates if isinstance(passage, CitingPassage)]
        return self.model.estimate([_ask_for_questions(passage) for passage in passages])

    def _items(self, passage: CitingPassage, written: Sequence[_Written]) -> list[Candidate]:
        keys = {key: paper for paper, key in _cite_keys(passage).items()}
        items: list[Candidate] = []
        for number, pair in enumerate(written):
            named = [key.strip("{} ") for key in pair.answer]
            targets = tuple(passage.papers[keys[key]] for key in dict.fromkeys(named) if key in keys)
            if not pair.question or not targets or len(targets) < len(set(named)):
                items.append(NO_REPLY)
                continue
            overlap = title_overlap(pair.question, targets)
            key = f"{passage.key}.q{number}"
            items.append(
                TOO_EASY
                if overlap > self.max_overlap
                else SearchQuestion(
                    key, pair.question, targets, overlap, passage.source, _text_with_keys(passage), self.model.name
                )
            )
        return items or [NO_QUESTION]


@dataclass(frozen=True, slots=True)
class RecallFilter:
    """Leaves out excerpts whose paper the model names without looking anything up."""

    model: ChatModel

    def write(self, candidates: Sequence[Candidate]) -> Task[list[Candidate]]:
        """See `ModelWriter`."""
        excerpts = [excerpt for excerpt in candidates if isinstance(excerpt, MaskedExcerpt)]
        replies = yield from self.model.answer_all(self._questions(excerpts))
        _raise_if_none(replies)
        outcomes: list[Candidate] = []
        for number, excerpt in enumerate(excerpts):
            own = replies[number * RECALL_TRIES : (number + 1) * RECALL_TRIES]
            titles = [reply.value for reply in own if not isinstance(reply, ModelError)]
            if any(same_title(title, excerpt.target.title) for title in titles if title):
                outcomes.append(REMEMBERED)
            elif not titles:
                outcomes.append(NO_REPLY)
            else:
                outcomes.append(replace(excerpt, by=f"{excerpt.by}, not known by heart to {self.model.name}"))
        return outcomes

    def estimate(self, candidates: Sequence[Candidate]) -> CostEstimate:
        """See `ModelWriter`."""
        excerpts = [excerpt for excerpt in candidates if isinstance(excerpt, MaskedExcerpt)]
        return self.model.estimate(self._questions(excerpts))

    def _questions(self, excerpts: Sequence[MaskedExcerpt]) -> list[Question[str]]:
        return [
            _question("make-recall", _TITLE, _TITLE_TOKENS, {"excerpt": excerpt.text}, sample=sample)
            for excerpt in excerpts
            for sample in range(RECALL_TRIES)
        ]


@dataclass(frozen=True, slots=True)
class HypothesisWriter:
    """Has the model make hypotheses from summaries in two steps: the question that they serve, then the claim."""

    model: ChatModel

    def write(self, candidates: Sequence[Candidate]) -> Task[list[Candidate]]:
        """See `ModelWriter`."""
        items = [item for item in candidates if isinstance(item, CitedHypothesis)]
        purposes = yield from self.model.answer_all([_ask_for_purpose(item) for item in items])
        _raise_if_none(purposes)
        pairs = [
            (item, reply.value)
            for item, reply in zip(items, purposes, strict=True)
            if not isinstance(reply, ModelError) and reply.value
        ]
        claims = yield from self.model.answer_all([_ask_for_hypothesis(item, purpose) for item, purpose in pairs])
        outcomes: list[Candidate] = [NO_REPLY] * (len(items) - len(pairs))
        for (item, _), reply in zip(pairs, claims, strict=True):
            outcomes.append(NO_REPLY if isinstance(reply, ModelError) else self._item(item, reply.value))
        return outcomes

    def estimate(self, candidates: Sequence[Candidate]) -> CostEstimate:
        """See `ModelWriter`."""
        items = [item for item in candidates if isinstance(item, CitedHypothesis)]
        # The second question holds the reply to the first, which is no longer than what it may have tokens for.
        longest = "x" * (4 * _PURPOSE_TOKENS)
        steps = (
            self.model.estimate([_ask_for_purpose(item) for item in items]),
            self.model.estimate([_ask_for_hypothesis(item, longest) for item in items]),
        )
        return reduce(CostEstimate.plus, steps)

    def _item(self, item: CitedHypothesis, text: str) -> Candidate:
        if has_numbers_of(text, item.text):
            return GIVEN_AWAY
        return find_fault(text) or replace(item, text=text, by=self.model.name)


def _question(
    name: str, form: ReplyForm[str], max_tokens: int, texts: Mapping[str, str], *, sample: int = 0
) -> Question[str]:
    written = prompt(name, **{key: Data(key, text) for key, text in texts.items()})
    temperature = _RECALL_TEMPERATURE if name == "make-recall" else None
    return Question(
        ModelRequest(written.purpose, written.messages, max_tokens, temperature=temperature, sample=sample), form
    )


def _ask_for_purpose(item: CitedHypothesis) -> Question[str]:
    texts = {"passage": item.passage[:_MAX_PARAGRAPH_CHARS], "statement": item.text}
    return _question("make-purpose", _PURPOSE, _PURPOSE_TOKENS, texts)


def _ask_for_hypothesis(item: CitedHypothesis, purpose: str) -> Question[str]:
    return _question("make-hypothesis", _HYPOTHESIS, _HYPOTHESIS_TOKENS, {"question": purpose, "statement": item.text})


def _ask_for_questions(passage: CitingPassage) -> Question[tuple[_Written, ...]]:
    keys = _cite_keys(passage)
    titles = "\n".join(f"{key}: {passage.papers[paper].title}" for paper, key in keys.items())
    written = prompt(
        "make-questions",
        paragraph=Data("paragraph", _text_with_keys(passage)[:_MAX_PARAGRAPH_CHARS]),
        titles=Data("titles", titles),
    )
    return Question(ModelRequest(written.purpose, written.messages, _QUESTIONS_TOKENS), _QUESTIONS)


def _cite_keys(passage: CitingPassage) -> dict[PaperId, str]:
    """The key of each paper that is cited where all works are held, in the order of the text."""
    papers = [
        paper
        for sentence in passage.sentences
        for group in sentence.groups
        if not group.others and passage.source.id not in group.cited
        for paper in group.cited
    ]
    return {paper: f"cite_{number:03}" for number, paper in enumerate(dict.fromkeys(papers), 1)}


def _text_with_keys(passage: CitingPassage) -> str:
    """The paragraph with a key for each citation; other citations stand as `{other}`."""
    keys = _cite_keys(passage)
    texts = []
    for sentence in passage.sentences:
        text = sentence.text
        for group in reversed(sentence.groups):
            known = not group.others and all(paper in keys for paper in group.cited) and group.cited
            mark = "".join(f"{{{keys[paper]}}}" for paper in group.cited) if known else "{other}"
            text = f"{text[: group.span.start]}{mark}{text[group.span.end :]}"
        texts.append(text)
    return " ".join(texts)


def _raise_if_none(replies: Sequence[object]) -> None:
    """Raises the error of the first reply where all are errors: then the next questions would fail as well."""
    errors = [reply for reply in replies if isinstance(reply, ModelError)]
    if errors and len(errors) == len(replies):
        raise errors[0]
