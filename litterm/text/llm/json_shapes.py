"""Shapes of replies in JSON: each writes its JSON schema, and reads decoded JSON into a typed object.

```python
@dataclass(frozen=True, slots=True)
class Pick:
    reason: str
    sentence: int

PICKS = ReplyForm("picks", ListField(Record(Pick, reason=LineShape(), sentence=WholeNumber(1, 40)), max_items=10))
```

Reading is kinder than the schema: `"3"` is a whole number, a label may differ in case, unknown fields are ignored.
It is never kinder about the values: a number out of range, or a label that was not offered, does not fit.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from litterm.model.llm import ReplyMismatch, ReplyShape
from litterm.text.escape import plain

T = TypeVar("T")
_MAX_LINE_CHARS = 2000
_MAX_SHOWN_CHARS = 60


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
