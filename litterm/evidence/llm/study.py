"""Study aspects with a language model: split, checked for leaks, aligned with windows of sentences.

After EvidenceBench: windows of ten sentences overlap by five, and a sentence carries an aspect if it was named in
either window. There each request is about one aspect; here it is about all of them, for a tenth of the cost.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Final, TypeVar

from litterm.core.errors import ModelError, ReplyUnreadable
from litterm.core.tasks import Task
from litterm.evidence.candidate_pool import content_stems
from litterm.evidence.llm.chunks import prompt_text
from litterm.evidence.study.split import distinct, split_offline
from litterm.model.document import Document, Sentence
from litterm.model.events import Event, Progress
from litterm.model.llm import CostEstimate, ModelRequest, Question, ReplyForm
from litterm.model.study_aspects import MAX_STUDY_ASPECTS, AlignedAspect, StudyAspect, StudyAspects
from litterm.text.llm.prompts import Data, Prompt, number_lines, prompt
from litterm.text.llm.reply_json import Label, LineShape, ListField, Record, WholeNumber
from litterm.text.plural import count_phrase

if TYPE_CHECKING:
    from litterm.llm.model import ChatModel

WINDOW_SENTENCES: Final = 10
WINDOW_OVERLAP: Final = 5
"""Sentences of a window that the next one shows again, so that all but the first five are judged twice."""
_MAX_ASPECT_CHARS, _MAX_ABSTRACT_CHARS, _MAX_CLAIM_CHARS = 300, 8_000, 1_000
_SPLIT_TOKENS, _LEAK_TOKENS, _ALIGN_TOKENS = 4_000, 2_000, 2_000
_READ_KINDS = frozenset({"abstract", "body"})
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _NamedAspect:
    aspect: str
    kind: str


@dataclass(frozen=True, slots=True)
class _Match:
    aspect: int
    sentences: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class AskedWindows:
    """How many windows of a paper a model was asked about, and how many it gave no usable reply to."""

    asked: int
    unanswered: int = 0
    why: str = ""
    """Of the first of those without a reply."""


class StudyModel:
    """Asks a model about study aspects, in one run with its own cap."""

    def __init__(self, model: ChatModel) -> None:
        """`model` has an open run."""
        self._model = model

    @property
    def name(self) -> str:
        """The name of the model."""
        return self._model.name

    def split(self, document: Document, hypothesis: str) -> Task[StudyAspects]:
        """The study aspects of `hypothesis` and of the abstract; those that leak are left out, and said.

        An aspect leaks if it holds a number that neither source has, or if the model, asked again, says so.

        Raises:
            ModelError: there is no answer, or no aspect in it.
        """
        yield Progress(f"asking {self.name}", 0, 2)
        answer = yield from self._model.answer(_split_question(document, hypothesis))
        aspects = distinct(
            StudyAspect(_with_capital(item.aspect), item.kind == "result", "model") for item in answer.value
        )
        if not aspects:
            raise ReplyUnreadable(f"{self.name} named no study aspect.")
        leaking = _with_other_numbers(aspects, f"{hypothesis} {_abstract(document)}")
        yield Progress(f"asking {self.name}", 1, 2)
        notices = []
        try:
            checked = yield from self._model.answer(_leak_question(document, hypothesis, aspects))
            leaking |= {number - 1 for number in checked.value}
        except ModelError as error:
            notices.append(f"The study aspects were not checked for leaks by the model: {error}")
        kept = tuple(aspect for place, aspect in enumerate(aspects) if place not in leaking)
        if not kept:
            raise ReplyUnreadable(f"Every study aspect of {self.name} holds more than hypothesis and abstract say.")
        if leaking:
            left_out = count_phrase(len(leaking), "study aspect")
            notices.append(f"{left_out} of the model held more than hypothesis and abstract say and were left out.")
        return StudyAspects(hypothesis, kept, self.name, tuple(notices))

    def align(self, document: Document, study: StudyAspects) -> Task[tuple[tuple[AlignedAspect, ...], AskedWindows]]:
        """For each aspect the sentences that the model named in any window, and how many windows it answered.

        Sentences named in two windows come first.

        Raises:
            ModelError: no window was answered.
        """
        windows = windows_of(document)
        questions = [_align_question(window, study) for window in windows]
        description = f"asking {self.name}"
        answered = count(1)

        def on_outcome(_number: int, _outcome: object) -> Iterator[Event]:
            yield Progress(description, next(answered), len(windows))

        yield Progress(description, 0, len(windows))
        outcomes = yield from self._model.answer_all(questions, on_outcome)
        votes: list[dict[int, int]] = [{} for _ in study.aspects]
        failed: list[ModelError] = []
        for window, outcome in zip(windows, outcomes, strict=True):
            if isinstance(outcome, ModelError):
                failed.append(outcome)
                continue
            for match in outcome.value:
                for number in match.sentences:
                    index = window[number - 1].index if number <= len(window) else None
                    if index is not None:
                        of_aspect = votes[match.aspect - 1]
                        of_aspect[index] = of_aspect.get(index, 0) + 1
        if failed and len(failed) == len(windows):
            raise failed[0]
        aligned = tuple(
            AlignedAspect(aspect, tuple(sorted(named, key=lambda index: (-named[index], index))))
            for aspect, named in zip(study.aspects, votes, strict=True)
        )
        return aligned, AskedWindows(len(windows), len(failed), str(failed[0]) if failed else "")

    def estimate(self, document: Document, hypothesis: str, study: StudyAspects | None) -> CostEstimate:
        """What `split` (unless there are aspects already) and `align` would cost at most."""
        return self._model.estimate(self._questions(document, hypothesis, study))

    def _questions(
        self, document: Document, hypothesis: str, study: StudyAspects | None
    ) -> list[ModelRequest | Question[object]]:
        expected = study or split_offline(document, hypothesis)
        aligning = [_align_question(window, expected).request for window in windows_of(document)]
        if study is not None:
            return list(aligning)
        splitting = (
            _split_question(document, hypothesis).request,
            _leak_question(document, hypothesis, expected.aspects).request,
        )
        return [*splitting, *aligning]


def windows_of(document: Document) -> tuple[tuple[Sentence, ...], ...]:
    """The sentences of abstract and text in windows of ten, each with the last five of the one before."""
    rows = [row for row in document.sentences if row.kind in _READ_KINDS]
    step = WINDOW_SENTENCES - WINDOW_OVERLAP
    # The last window is full: one that only repeats the end of the one before would ask nothing new.
    starts = range(0, max(1, len(rows) - WINDOW_OVERLAP), step)
    return tuple(tuple(rows[start : start + WINDOW_SENTENCES]) for start in starts if rows)


def _split_question(document: Document, hypothesis: str) -> Question[tuple[_NamedAspect, ...]]:
    filled = prompt(
        "study-split", hypothesis=_claim(hypothesis), abstract=_abstract_data(document), limit=MAX_STUDY_ASPECTS
    )
    item = Record(_NamedAspect, aspect=LineShape("one sentence", _MAX_ASPECT_CHARS), kind=Label(("result", "method")))
    return _question(
        filled, ReplyForm("aspects", Record(_same, aspects=ListField(item, MAX_STUDY_ASPECTS))), _SPLIT_TOKENS
    )


def _leak_question(document: Document, hypothesis: str, aspects: Sequence[StudyAspect]) -> Question[tuple[int, ...]]:
    sources = Data("sources", f"{_claim(hypothesis).text}\n{_abstract(document)}")
    filled = prompt("study-leak", sources=sources, aspects=_aspect_data(aspects))
    shape = Record(_second, thoughts=LineShape("a few words"), numbers=ListField(WholeNumber(1, max(1, len(aspects)))))
    return _question(filled, ReplyForm("leaks", shape), _LEAK_TOKENS)


def _align_question(window: Sequence[Sentence], study: StudyAspects) -> Question[tuple[_Match, ...]]:
    filled = prompt(
        "study-align",
        hypothesis=_claim(study.hypothesis),
        aspects=_aspect_data(study.aspects),
        paper=Data("paper", number_lines([prompt_text(row.text) for row in window])),
    )
    match = Record(
        _Match,
        aspect=WholeNumber(1, max(1, len(study.aspects))),
        sentences=ListField(WholeNumber(1, len(window)), WINDOW_SENTENCES),
    )
    return _question(filled, ReplyForm("matches", Record(_same_matches, matches=ListField(match))), _ALIGN_TOKENS)


def _question(filled: Prompt, form: ReplyForm[T], max_tokens: int) -> Question[T]:
    return Question(ModelRequest(filled.purpose, filled.messages, max_tokens=max_tokens), form)


def _same(aspects: tuple[_NamedAspect, ...]) -> tuple[_NamedAspect, ...]:
    return aspects


def _same_matches(matches: tuple[_Match, ...]) -> tuple[_Match, ...]:
    return matches


def _second(thoughts: str, numbers: tuple[int, ...]) -> tuple[int, ...]:
    """The numbers; the thoughts are only to be written before them."""
    return numbers if thoughts or numbers else ()


def _claim(hypothesis: str) -> Data:
    return Data("hypothesis", " ".join(hypothesis.split())[:_MAX_CLAIM_CHARS])


def _abstract(document: Document) -> str:
    rows = [row.text for row in document.sentences if row.kind == "abstract"]
    return " ".join(rows)[:_MAX_ABSTRACT_CHARS]


def _abstract_data(document: Document) -> Data:
    return Data("abstract", _abstract(document) or "This paper has no abstract.")


def _aspect_data(aspects: Sequence[StudyAspect]) -> Data:
    return Data("aspects", number_lines([aspect.text[:_MAX_ASPECT_CHARS] for aspect in aspects]))


def _with_other_numbers(aspects: Sequence[StudyAspect], sources: str) -> set[int]:
    """Places of the aspects that hold a number which the sources do not."""
    held = set(_NUMBER.findall(sources))
    return {place for place, aspect in enumerate(aspects) if not set(_NUMBER.findall(aspect.text)) <= held}


def _with_capital(text: str) -> str:
    bare = " ".join(text.split()).rstrip(".")
    return bare if content_stems(bare) else ""
