"""Splits a query into aspects with a language model, by the criteria of DORIS-MAE; leaves out invalid aspects."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from litterm.core.errors import ReplyUnreadable
from litterm.model.aspects import Aspect, AspectQuery
from litterm.model.events import Notice, Progress
from litterm.model.llm import CostEstimate, ModelRequest, Question, ReplyForm
from litterm.text.documents import sentences
from litterm.text.llm.prompts import Data, prompt
from litterm.text.llm.reply_json import LineShape, ListField, OptionalField, Record
from litterm.text.queries.aspects import MAX_ASPECTS, MAX_SUB_ASPECTS
from litterm.text.tokens import tokens

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.llm.model import ChatModel

_MAX_REQUEST_CHARS = 20_000
_MAX_ASPECT_CHARS = 400
"""Longer aspects are cut."""
_MAX_REPLY_TOKENS = 3_000

_NO_SUB_ASPECTS: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _SplitAspect:
    aspect: str
    sub_aspects: tuple[str, ...]


def _only_field(aspects: tuple[_SplitAspect, ...]) -> tuple[_SplitAspect, ...]:
    """Gives the value of the only field of the form."""
    return aspects


_FORM: ReplyForm[tuple[_SplitAspect, ...]] = ReplyForm(
    "aspects",
    Record(
        _only_field,
        aspects=ListField(
            Record(
                _SplitAspect,
                aspect=LineShape("one sentence", _MAX_ASPECT_CHARS),
                sub_aspects=OptionalField(
                    ListField(LineShape("one sentence", _MAX_ASPECT_CHARS), max_items=MAX_SUB_ASPECTS), _NO_SUB_ASPECTS
                ),
            ),
            max_items=MAX_ASPECTS,
        ),
    ),
)


class ModelSplitter:
    """Asks a model for the aspects of a query, in one run with its own cap."""

    def __init__(self, model: ChatModel) -> None:
        """`model` has an open run."""
        self._model = model

    def split(self, text: str) -> Task[AspectQuery]:
        """The aspects of `text` with their sub-aspects.

        Raises:
            ModelError: there is no answer, or none with at least two aspects.
        """
        yield Progress(f"asking {self._model.name}", 0, 1)
        answer = yield from self._model.answer(_question(text))
        aspects, left_out = _distinct_aspects(answer.value)
        if len(aspects) < 2:
            raise ReplyUnreadable(f"{self._model.name} named fewer than two aspects.")
        if left_out or answer.dropped:
            yield Notice(
                f"{left_out + len(answer.dropped)} of the model's aspects added nothing new and were left out."
            )
        return AspectQuery(aspects, self._model.name)

    def estimate(self, text: str) -> CostEstimate:
        """What `split` would cost at most."""
        return self._model.estimate([_question(text)])


def _question(text: str) -> Question[tuple[_SplitAspect, ...]]:
    split_prompt = prompt("aspects-split", request=Data("request", text.strip()[:_MAX_REQUEST_CHARS]))
    return Question(ModelRequest(split_prompt.purpose, split_prompt.messages, max_tokens=_MAX_REPLY_TOKENS), _FORM)


def _distinct_aspects(reply_aspects: Iterable[_SplitAspect]) -> tuple[tuple[Aspect, ...], int]:
    """The aspects with distinct stems, one sentence each, and how many were left out."""
    seen: set[frozenset[str]] = set()
    aspects: list[Aspect] = []
    # A model repeats itself: the same stems are the same aspect.
    left_out = 0
    for reply_aspect in reply_aspects:
        text, stems = _first_sentence(reply_aspect.aspect), frozenset(tokens(reply_aspect.aspect))
        if not stems or stems in seen:
            left_out += 1
            continue
        seen.add(stems)
        subs = (_first_sentence(sub) for sub in reply_aspect.sub_aspects)
        aspects.append(Aspect(text, tuple(dict.fromkeys(sub for sub in subs if tokens(sub) and sub != text))))
    return tuple(aspects), left_out


def _first_sentence(text: str) -> str:
    flat = " ".join(text.split())
    first = next(iter(sentences.split(flat)), None)
    return flat[first.start : first.end] if first else flat
