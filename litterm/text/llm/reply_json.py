"""A model's reply to a typed object: the JSON in it, whatever is around it, and the shape that the JSON must have.

A shape writes its JSON schema, and reads decoded JSON into a typed object:

```python
@dataclass(frozen=True, slots=True)
class Pick:
    reason: str
    sentence: int

PICKS = ReplyForm("picks", ListField(Record(Pick, reason=LineShape(), sentence=WholeNumber(1, 40)), max_items=10))
```

Reading is kinder than the schema: `"3"` is a whole number, a label may differ in case, unknown fields are ignored; code
fences, chatter, reasoning and half-valid JSON are passed over. It is never kinder about the values: a number out of
range, or a label that was not offered, does not fit, and a reply that was cut is not completed.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar, cast

from litterm.model.llm import ReplyForm, ReplyMismatch, ReplyShape
from litterm.text.escape import plain

T = TypeVar("T")
_REASONING_START = re.compile(r"<(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_END = re.compile(r"</(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_FENCE = re.compile(r"\s*(?:```\w*\s*)?")
_TRAILING_COMMA = re.compile(r",(\s*[}\]])")
_WORD = re.compile(r"\b(true|false|null)\b")
_PYTHON_LITERALS = {"true": "True", "false": "False", "null": "None"}
_MAX_REPLY_CHARS = 100_000
"""Characters of a reply that are looked at."""
_MAX_STARTS = 20
"""Openings of JSON that are tried in one reply: each may cost a pass over the rest of it."""
_CLOSING_BRACKETS = {"{": "}", "[": "]"}
_MAX_LINE_CHARS = 2000
_MAX_SHOWN_CHARS = 60


def without_reasoning(text: str) -> tuple[str, str]:
    """The reply proper, and what the model thought aloud in `<think>` blocks before it."""
    thoughts: list[str] = []
    rest = text.strip()
    while opening := _REASONING_START.match(rest):
        end = _END.search(rest, opening.end())
        if end is None:
            # Never closed: the reply was cut while the model was still thinking.
            return "", "\n".join([*thoughts, rest[opening.end() :].strip()])
        thoughts.append(rest[opening.end() : end.start()].strip())
        rest = rest[end.end() :].strip()
    # Some templates open the block themselves, so that only its end is in the reply.
    end = _END.search(rest) if not rest.startswith(("{", "[")) else None
    if end:
        thoughts.append(rest[: end.start()].strip())
        rest = rest[end.end() :].strip()
    return rest, "\n".join(thoughts)


def read_form(text: str, form: ReplyForm[T], dropped: list[str], *, cut: bool = False) -> T:
    """The reply `text` as `form` wants it: the first JSON value in it that fits, else as the form reads plain text.

    Of a reply that was `cut` plain text is not read: nobody knows what would have followed.

    Raises:
        ReplyMismatch: nothing fits; says what was wrong with the nearest miss.
    """
    bare = without_reasoning(text)[0][:_MAX_REPLY_CHARS]
    if _is_cut_off(bare):
        # What stands whole in it may be half of what was meant.
        raise ReplyMismatch("The JSON in the reply breaks off before its end.")
    mismatch: ReplyMismatch | None = None
    for value in json_values(bare):
        try:
            return _read_value(value, form, dropped)
        except ReplyMismatch as error:
            mismatch = mismatch or error
    if form.from_text is not None and bare and not cut:
        try:
            return form.from_text(bare)
        except ReplyMismatch as error:
            mismatch = mismatch or error
    raise mismatch or ReplyMismatch("There is no JSON in the reply." if bare else "The reply is empty.")


def read_from_reasoning(reasoning: str, form: ReplyForm[T], dropped: list[str]) -> T:
    """The last JSON value in `reasoning` that fits: some servers put the whole reply there and leave the text empty.

    The last, as what a model tries out comes before what it decides on; prose is not read.

    Raises:
        ReplyMismatch: nothing fits.
    """
    for value in reversed(list(json_values(reasoning[-_MAX_REPLY_CHARS:]))):
        try:
            return _read_value(value, form, dropped)
        except ReplyMismatch:
            continue
    raise ReplyMismatch("The reply is empty.")


def _read_value(value: object, form: ReplyForm[T], dropped: list[str]) -> T:
    """`value`, or what is in the one object wrapped round it, as the form wants it.

    Raises:
        ReplyMismatch: neither fits; says what was wrong with `value`.
    """
    notes: list[str] = []
    mismatch: ReplyMismatch | None = None
    result: T | None = None
    try:
        result = form.shape.read(value, "the reply", notes)
    except ReplyMismatch as error:
        mismatch = error
    # A value of which parts were dropped may be a wrapper that happens to have the name of a field.
    inner = next(iter(value.values())) if isinstance(value, dict) and len(value) == 1 else None
    if isinstance(inner, dict) and (mismatch is not None or notes):
        inner_notes: list[str] = []
        try:
            unwrapped = form.shape.read(inner, "the reply", inner_notes)
        except ReplyMismatch:
            pass
        else:
            dropped += inner_notes
            return unwrapped
    if mismatch is not None:
        raise mismatch
    dropped += notes
    return cast(T, result)


def json_values(text: str) -> Iterator[object]:
    # A value inside one that was read is part of it, and not tried by itself.
    """Every outermost JSON object or list in `text`, in order, however it is wrapped; fixed where that is plain."""
    whole_value = _decode(text)
    if isinstance(whole_value, dict | list):
        yield whole_value
        return
    position, tried = 0, 0
    while tried < _MAX_STARTS:
        opening = _find_opening(text, position)
        if opening < 0:
            return
        end = _find_closing(text, opening)
        value = _decode(text[opening:end]) if end else None
        if isinstance(value, dict | list):
            yield value
            position = end
        else:
            position = opening + 1
        tried += 1


def _is_cut_off(text: str) -> bool:
    """Whether a reply that begins with JSON, in a fence or not, ends before the JSON does."""
    start = _FENCE.match(text)
    opening = start.end() if start else 0
    return (
        text[opening : opening + 1] in _CLOSING_BRACKETS and not _find_closing(text, opening) and _decode(text) is None
    )


def label_from_text(text: str, labels: tuple[str, ...]) -> str:
    """The one label that is in `text` as a whole word (`AGREE` is not found in `DISAGREE`).

    Raises:
        ReplyMismatch: none does, or several do.
    """
    named_labels = [label for label in labels if re.search(rf"\b{re.escape(label)}\b", text, re.IGNORECASE)]
    if len(named_labels) != 1:
        raise ReplyMismatch(f"The reply must name exactly one of {', '.join(labels)}.")
    return named_labels[0]


def _find_opening(text: str, position: int) -> int:
    indices = [index for index in (text.find("{", position), text.find("[", position)) if index >= 0]
    return min(indices, default=-1)


def _find_closing(text: str, opening: int) -> int:
    """The position after the bracket that closes the one at `opening`, ignoring strings; 0 if it is not closed."""
    closers: list[str] = []
    in_string = False
    escaped = False
    for index in range(opening, len(text)):
        char = text[index]
        if in_string:
            escaped, in_string = (char == "\\" and not escaped), (char != '"' or escaped)
        elif char == '"':
            in_string = True
        elif char in _CLOSING_BRACKETS:
            closers.append(_CLOSING_BRACKETS[char])
        elif closers and char == closers[-1]:
            closers.pop()
            if not closers:
                return index + 1
    return 0


def _decode(text: str) -> object:
    """The JSON value `text` is, also with trailing commas or as Python would write it; `None` if it is not JSON."""
    for attempt in (text, _TRAILING_COMMA.sub(r"\1", text)):
        try:
            value: object = json.loads(attempt, strict=False)
        except (ValueError, RecursionError):
            continue
        return value
    # What a model writes in Python's way has Python's quotes; without any there is nothing else to try.
    if "'" not in text:
        return None
    try:
        literal: object = ast.literal_eval(_WORD.sub(lambda word: _PYTHON_LITERALS[word[1]], text.strip()))
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    return literal


@dataclass(frozen=True, slots=True)
class LineShape:
    """Text on one line, made harmless for a terminal and cut at `longest` characters."""

    meaning: str = "text"
    longest: int = _MAX_LINE_CHARS

    def schema(self) -> Mapping[str, object]:
        """As JSON schema."""
        return {"type": "string"}

    def example(self) -> str:
        """As in an example."""
        return json.dumps(self.meaning)

    def read(self, value: object, field_path: str, dropped: list[str]) -> str:
        """Any text; a number is taken as its digits, nothing as nothing."""
        if value is None:
            return ""
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise ReplyMismatch(f"{field_path} is {_shorten(value)}, but must be text.")
        return plain(str(value)).strip()[: self.longest]


@dataclass(frozen=True, slots=True)
class Label:
    """One of several words."""

    choices: tuple[str, ...]

    def schema(self) -> Mapping[str, object]:
        """As JSON schema."""
        return {"type": "string", "enum": list(self.choices)}

    def example(self) -> str:
        """As in an example."""
        return " | ".join(json.dumps(choice) for choice in self.choices)

    def read(self, value: object, field_path: str, dropped: list[str]) -> str:
        """The choice, spelled as it was offered."""
        label = value.strip().casefold() if isinstance(value, str) else None
        for choice in self.choices:
            if choice.casefold() == label:
                return choice
        raise ReplyMismatch(f"{field_path} is {_shorten(value)}, but must be one of {', '.join(self.choices)}.")


@dataclass(frozen=True, slots=True)
class WholeNumber:
    """A whole number in `minimum`..`maximum`, both included."""

    minimum: int
    maximum: int

    def schema(self) -> Mapping[str, object]:
        """As JSON schema."""
        return {"type": "integer", "minimum": self.minimum, "maximum": self.maximum}

    def example(self) -> str:
        """As in an example."""
        return f"{self.minimum}..{self.maximum}"

    def read(self, value: object, field_path: str, dropped: list[str]) -> int:
        """The number; `3.0`, `"3"` and `"[3]"` are 3."""
        number = _to_whole_number(value)
        if number is None or not self.minimum <= number <= self.maximum:
            requirement = f"a whole number from {self.minimum} to {self.maximum}"
            raise ReplyMismatch(f"{field_path} is {_shorten(value)}, but must be {requirement}.")
        return number


@dataclass(frozen=True, slots=True)
class ListField(Generic[T]):
    """A list in the model's order, at most `max_items` long (0: as long as it likes).

    Items that do not fit are dropped singly and told, and so are those after the last allowed one; a list without a
    fitting item is empty, unless something was in it and `strict` is set.
    """

    item: ReplyShape[T]
    max_items: int = 0
    strict: bool = False

    def schema(self) -> Mapping[str, object]:
        """As JSON schema; without its greatest length, which some servers refuse."""
        return {"type": "array", "items": dict(self.item.schema())}

    def example(self) -> str:
        """As in an example."""
        return f"[{self.item.example()}, ...]"

    def read(self, value: object, field_path: str, dropped: list[str]) -> tuple[T, ...]:
        """The items that fit, a single one also without a list around it."""
        items = value if isinstance(value, list) else [] if value is None else [value]
        items_read: list[T] = []
        for number, item in enumerate(items):
            try:
                item_value = self.item.read(item, f"{field_path}[{number}]", dropped)
            except ReplyMismatch as mismatch:
                if self.strict:
                    raise
                dropped.append(str(mismatch))
                continue
            if self.max_items and len(items_read) == self.max_items:
                dropped.append(
                    f"{field_path} has more than {self.max_items} items; the first {self.max_items} are kept."
                )
                break
            items_read.append(item_value)
        return tuple(items_read)


@dataclass(frozen=True, slots=True)
class OptionalField(Generic[T]):
    """A field that may be missing, `null`, or wrong: it is then `default`."""

    shape: ReplyShape[T]
    default: T

    def schema(self) -> Mapping[str, object]:
        """As JSON schema: as if it were required, which is what a model should think."""
        return self.shape.schema()

    def example(self) -> str:
        """As in an example."""
        return self.shape.example()

    def read(self, value: object, field_path: str, dropped: list[str]) -> T:
        """The value, or else the default, which is reported."""
        try:
            return self.default if value is None else self.shape.read(value, field_path, dropped)
        except ReplyMismatch as mismatch:
            dropped.append(str(mismatch))
            return self.default


class Record(Generic[T]):
    """An object whose fields, in the order given, become the arguments of `make`.

    The order is that in which the model writes them: let it reason first and decide then.
    """

    __slots__ = ("_fields", "_make")

    def __init__(self, make: Callable[..., T], /, **fields: ReplyShape[object]) -> None:
        self._make = make
        self._fields = fields

    def schema(self) -> Mapping[str, object]:
        """As JSON schema: every field required, no others."""
        return {
            "type": "object",
            "properties": {name: dict(shape.schema()) for name, shape in self._fields.items()},
            "required": list(self._fields),
            "additionalProperties": False,
        }

    def example(self) -> str:
        """As in an example."""
        return "{" + ", ".join(f'"{name}": {shape.example()}' for name, shape in self._fields.items()) + "}"

    def read(self, value: object, field_path: str, dropped: list[str]) -> T:
        """The object; a list with exactly one object in it is taken as that."""
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
        if not isinstance(value, dict):
            raise ReplyMismatch(
                f"{field_path} is {_shorten(value)}, but must be an object with {', '.join(self._fields)}."
            )
        parts = {}
        for name, shape in self._fields.items():
            if name not in value and not isinstance(shape, OptionalField):
                raise ReplyMismatch(f"{field_path} has no {name!r}.")
            parts[name] = shape.read(value.get(name), f"{field_path}.{name}", dropped)
        try:
            return self._make(**parts)
        except ValueError as error:
            raise ReplyMismatch(f"{field_path}: {error}") from error


def _to_whole_number(value: object) -> int | None:
    if isinstance(value, str):
        bare = value.strip().strip("[]").strip()
        return int(bare) if bare.removeprefix("-").isdecimal() and len(bare) < 12 else None
    number = _to_number(value)
    return int(number) if number is not None and number == int(number) else None


def _to_number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    # Beyond, floats no longer hold every whole number.
    return number if abs(number) < 1e15 else None


def _shorten(value: object) -> str:
    text = plain(json.dumps(value, ensure_ascii=False, default=str, skipkeys=True))
    return text if len(text) <= _MAX_SHOWN_CHARS else f"{text[:_MAX_SHOWN_CHARS]}…"
