"""Builds the requests about a paper from the prompt files, ready to be sent to a model.

Sentences stand numbered within fences that no paper can close, and a reply can only name numbers: whatever a paper
makes a model say, it cannot put words of its own on the screen as evidence.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from litterm.evidence.llm.chunks import PaperChunk, PaperOutline, prompt_text
from litterm.evidence.llm.examples import AcceptedExample, example_lines
from litterm.evidence.llm.replies import (
    PickedSentence,
    clean_reason,
    drop_out_of_range,
    drop_repeated,
    parse_numbers,
    read_picks,
    stance_of,
)
from litterm.model.document import Document, Sentence
from litterm.model.evidence import EvidenceScope, EvidenceSentence
from litterm.model.llm import Message, ModelRequest, Question, ReplyForm, ReplyMismatch
from litterm.text.escape import plain
from litterm.text.llm.prompts import Data, Prompt, number_lines, phrase, prompt
from litterm.text.llm.reply_json import LineShape, Record, json_values

Picks = tuple[PickedSentence, ...]
_STANCES = ("supports", "refutes", "context")
# As other models of the field name them; taken, never asked for.
_LIST_FIELDS = ("picks", "numbers", "decision", "ids", "indices", "sentences", "evidence")
_NUMBER_FIELDS = ("number", "id", "index", "sentence")


@dataclass(frozen=True, slots=True)
class PickList:
    """Numbers with stance and reason; a bare number, or a range such as `"3-5"`, is taken too."""

    sentence_count: int = 0
    """Sentences that were shown, so that a number is from 1 to this; 0: not said."""

    def schema(self) -> Mapping[str, object]:
        """As JSON schema: the thoughts first, so that the model reasons before it decides."""
        fields = {
            "number": {"type": "integer"},
            "stance": {"type": "string", "enum": list(_STANCES)},
            "reason": {"type": "string"},
        }
        # Closed, with all fields required: strict servers refuse any other schema.
        return _object_schema("picks", {"type": "object", "properties": fields, **_strict_fields(fields)})

    def example(self) -> str:
        """As in an example."""
        stances = " | ".join(f'"{stance}"' for stance in _STANCES)
        return f'{{"thoughts": "text", "picks": [{{"number": 1, "stance": {stances}, "reason": "text"}}]}}'

    def read(self, value: object, field_path: str, dropped: list[str]) -> tuple[PickedSentence, ...]:
        """The picks in order, the first of each number; anything else is dropped one by one and reported."""
        return drop_out_of_range(drop_repeated(_read_picks(value, field_path, dropped)), self.sentence_count, dropped)


@dataclass(frozen=True, slots=True)
class NumberList(PickList):
    """Numbers alone."""

    def schema(self) -> Mapping[str, object]:
        """As JSON schema: the thoughts first, so that the model reasons before it decides."""
        return _object_schema("numbers", {"type": "integer"})

    def example(self) -> str:
        """As in an example."""
        return '{"thoughts": "text", "numbers": [1, 2]}'


def names_sentences(value: object) -> bool:
    """Whether decoded JSON is an object that names sentences, whichever."""
    if not isinstance(value, dict):
        return False
    return any(value.get(name) for name in _LIST_FIELDS if isinstance(value.get(name), list)) or any(
        name in value for name in _NUMBER_FIELDS
    )


def _object_schema(name: str, item: Mapping[str, object]) -> Mapping[str, object]:
    fields = {"thoughts": {"type": "string"}, name: {"type": "array", "items": item}}
    return {"type": "object", "properties": fields, **_strict_fields(fields)}


def _strict_fields(fields: Mapping[str, object]) -> Mapping[str, object]:
    return {"required": list(fields), "additionalProperties": False}


def _read_picks(value: object, field_path: str, dropped: list[str]) -> Iterator[PickedSentence]:
    for item in _pick_items(value, field_path):
        picks = tuple(_picks_of_item(item))
        if not picks:
            dropped.append(f"{field_path} names something that is no sentence number.")
        yield from picks


def _pick_items(value: object, field_path: str) -> Sequence[object]:
    if isinstance(value, dict):
        items = next((value[name] for name in _LIST_FIELDS if isinstance(value.get(name), list)), None)
        if items is not None:
            return tuple(items)
        if any(name in value for name in _NUMBER_FIELDS):
            return (value,)
    elif isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        return value
    # A bare list of numbers is left to the reader of plain text, which knows that the last one counts.
    raise ReplyMismatch(f"{field_path} must be an object with a list of picks.")


def _picks_of_item(item: object) -> Iterator[PickedSentence]:
    if not isinstance(item, dict):
        yield from (PickedSentence(number) for number in _numbers_of_value(item))
        return
    named = next((item[name] for name in _NUMBER_FIELDS if name in item), None)
    stance, reason = str(item.get("stance") or ""), str(item.get("reason") or "")
    yield from (PickedSentence(number, stance_of(stance), clean_reason(reason)) for number in _numbers_of_value(named))


def _numbers_of_value(value: object) -> tuple[int, ...]:
    # For Python `true` is 1, and would be the first sentence.
    if isinstance(value, bool):
        return ()
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return tuple(parse_numbers(str(value).strip("[] "))) if isinstance(value, int | str) else ()


def _read_negation(negation: str) -> str:
    """The only field of the reply."""
    return negation


_MIN_REPLY_TOKENS = 2048
_TOKENS_PER_PICK = 64
_MAX_CLAIM_CHARACTERS = 1000
_NEGATION_FORM: ReplyForm[str] = ReplyForm(
    "negation", Record(_read_negation, negation=LineShape("the negated claim", _MAX_CLAIM_CHARACTERS))
)


@dataclass(frozen=True, slots=True)
class PaperQuestion:
    """One question to one paper."""

    document: Document
    outline: PaperOutline
    """Of `document`."""
    hypothesis: str
    k: int
    scope: EvidenceScope
    with_examples: bool = False
    examples: tuple[AcceptedExample, ...] = ()
    """Out of other papers; those of the prompts where there is none."""


def ask_about_chunk(question: PaperQuestion, part: PaperChunk) -> Question[Picks]:
    """Stage 1: which sentences of one part."""
    return _ask_to_pick("evidence-section", "evidence-shown-part", question, part)


def ask_about_paper(question: PaperQuestion, part: PaperChunk) -> Question[Picks]:
    """Which sentences of a whole paper."""
    return _ask_to_pick("evidence-whole", "evidence-shown-whole", question, part)


def _ask_to_pick(name: str, shown: str, question: PaperQuestion, part: PaperChunk) -> Question[Picks]:
    if question.outline.abstract_only:
        has_abstract = any(row.kind not in ("title", "heading") for row in part.sentences)
        shown = "evidence-shown-abstract" if has_abstract else "evidence-shown-title"
    filled = prompt(
        name,
        shown=phrase(shown),
        aim=_aim_phrase(question.scope),
        rules=phrase("evidence-rules", limit=question.k),
        limit=question.k,
        examples=_example_phrase(question),
        accepted=Data("examples", example_lines(question.examples)) if question.examples else "",
        hypothesis=_claim_data(question.hypothesis),
        paper=_paper_data(_paper_text(question.outline, part.sentences)),
    )
    return _build_question(filled, _pick_form(len(part.sentences)), question.k)


def _example_phrase(question: PaperQuestion) -> str:
    """What is said before accepted sentences, or examples of our own; empty where none are wanted."""
    if not question.with_examples:
        return ""
    return phrase("evidence-accepted-examples" if question.examples else f"evidence-example-{question.scope}")


def ask_to_choose(question: PaperQuestion, union: Sequence[EvidenceSentence]) -> Question[Picks]:
    """Stage 2: which of the sentences that were picked in the parts, in paper order."""
    remarks = [f"{item.stance}: {item.reason}" if item.reason else item.stance or "" for item in union]
    text = _paper_text(question.outline, [item.sentence for item in union], remarks)
    filled = prompt(
        "evidence-choose",
        aim=_aim_phrase(question.scope),
        limit=question.k,
        hypothesis=_claim_data(question.hypothesis),
        paper=_paper_data(text),
    )
    return _build_question(filled, _choice_form(len(union)), question.k)


def ask_for_fewer(question: Question[Picks], answer: str, *, count: int, k: int) -> Question[Picks]:
    """The same conversation with the model's own answer `answer`, which named `count`, and the wish for at most `k`."""
    request = question.request
    turns = (Message("assistant", answer), Message("user", phrase("evidence-again", count=count, limit=k)))
    second_request = ModelRequest(
        f"{request.purpose}+again", (*request.messages, *turns), max_tokens=request.max_tokens
    )
    return Question(second_request, question.form)


def ask_for_negation(hypothesis: str) -> Question[str]:
    """How the hypothesis reads negated."""
    filled = prompt("evidence-negate", hypothesis=_claim_data(hypothesis))
    return Question(ModelRequest(filled.purpose, filled.messages, max_tokens=512), _NEGATION_FORM)


def negate_plainly(hypothesis: str) -> str:
    """The negated hypothesis without a model: clumsy, and always true to it."""
    return f"It is not the case that: {' '.join(hypothesis.split())}"


def _pick_form(sentence_count: int) -> ReplyForm[Picks]:
    """The form of a reply with sentence numbers, stances and reasons."""
    return ReplyForm("evidence", PickList(sentence_count), lambda text: _read_plain_picks(text, sentence_count))


def _choice_form(sentence_count: int) -> ReplyForm[Picks]:
    """The form of a reply with sentence numbers alone."""
    return ReplyForm("choice", NumberList(sentence_count), lambda text: _read_plain_picks(text, sentence_count))


def _read_plain_picks(text: str, sentence_count: int) -> Picks:
    """The picks of a reply that is no JSON.

    Raises:
        ReplyMismatch: it holds none, or it is JSON after all, whose numbers the shape did not take.
    """
    if any(names_sentences(value) for value in json_values(text)):
        raise ReplyMismatch(f"No number is one of the sentences shown: they must be from 1 to {sentence_count}.")
    return read_picks(text, sentence_count)


def _build_question(filled: Prompt, form: ReplyForm[Picks], k: int) -> Question[Picks]:
    # Always sent: without a limit local servers write until their context is full.
    max_tokens = max(_MIN_REPLY_TOKENS, _MIN_REPLY_TOKENS // 4 + _TOKENS_PER_PICK * k)
    return Question(ModelRequest(filled.purpose, filled.messages, max_tokens=max_tokens), form)


def _aim_phrase(scope: EvidenceScope) -> str:
    return phrase(f"evidence-{scope}")


def _claim_data(hypothesis: str) -> Data:
    return Data("hypothesis", " ".join(hypothesis.split())[:_MAX_CLAIM_CHARACTERS])


def _paper_data(text: str) -> Data:
    return Data("paper", text)


def _paper_text(outline: PaperOutline, sentences: Sequence[Sentence], remarks: Sequence[str] = ()) -> str:
    """The title, then numbered sentences, below the name of each part of the paper and with the remark on each."""
    lines = [f"Title: {plain(prompt_text(outline.title))}"] if outline.title else []
    heading = ""
    numbered = number_lines([prompt_text(sentence.text) for sentence in sentences]).split("\n")
    for place, (sentence, line) in enumerate(zip(sentences, numbered, strict=True)):
        above = outline.headings.get(sentence.index, "")
        if above != heading:
            heading = above
            lines.append(plain(prompt_text(heading)))
        lines.append(line)
        if place < len(remarks) and remarks[place]:
            lines.append(f"    {plain(remarks[place])}")
    return "\n".join(lines)
