"""The forms in which picks are asked for, read more kindly than they are asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from litterm.evidence.llm.replies import (
    PickedSentence,
    clean_reason,
    drop_out_of_range,
    drop_repeated,
    parse_numbers,
    stance_of,
)
from litterm.model.llm import ReplyMismatch

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
        """The picks in order, the first of each number; what is none is dropped singly and told."""
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
