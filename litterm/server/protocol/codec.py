"""Converts data classes of `model` to JSON and back, by their types: the format between server and client.

A field that has its default is left out. Where a field may hold one of several data classes, `is` names which.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, NewType, TypeVar, Union, get_args, get_origin, get_type_hints

from litterm.core.tasks import Task
from litterm.model import answer, document, evidence, library, paper, reading_list, search
from litterm.model.attribution import agent, bibliography, citation, draft
from litterm.model.citations import citation_counts, facts, graph
from litterm.text.escape import valid_text

T = TypeVar("T")
TYPED_MEDIA_TYPE = "application/vnd.litterm+json"
"""What litterm itself asks for: data classes instead of the documented JSON."""
_MAX_WHOLE_NUMBER = 2**53
"""Up to it every program reads whole numbers in JSON exactly (RFC 8259)."""
TYPE_FIELD = "is"
_TYPE_NAMES: dict[str, object] = {
    name: value
    for module in (
        answer,
        agent,
        bibliography,
        draft,
        citation_counts,
        document,
        facts,
        paper,
        library,
        graph,
        search,
        reading_list,
        evidence,
        citation,
    )
    for name, value in vars(module).items()
    if not name.startswith("_")
} | {"Task": Task}
"""Names that the modules of data classes and of the engine import only for their type checker."""


class NotDecodable(ValueError):
    """A value does not have the expected type; the message names the field."""


def dumps(value: object) -> bytes:
    """An object of a data class, or a tuple of some, as compact JSON."""
    text = json.dumps(encode(value), ensure_ascii=False, separators=(",", ":"))
    try:
        return text.encode()
    # Half of a surrogate pair, as a terminal in another encoding may give it: nobody would take it.
    except UnicodeEncodeError:
        return valid_text(text).encode()


def loads(kind: type[T], content: bytes) -> T:
    """The object of type `kind` that `content` holds.

    Raises:
        NotDecodable: it holds something else.
    """
    try:
        parsed: object = json.loads(content.decode())
    # The parser raises `RecursionError` for JSON that is nested a thousand deep.
    except (ValueError, RecursionError) as error:
        raise NotDecodable("it is no JSON") from error
    return decode(kind, parsed)


def decode(kind: type[T], parsed: object) -> T:
    """The object of type `kind` in parsed JSON.

    Raises:
        NotDecodable: it is of another type, or has a field that the data class has not.
    """
    named: object = kind
    try:
        value: T = _reader(named)(parsed)
    # Data classes that hold one another may be nested deeper than the reader can follow.
    except RecursionError:
        raise NotDecodable("it is nested too deep") from None
    return value


def encode(value: object) -> object:
    """An object of a data class as what `json.dumps` takes."""
    if value is None or isinstance(value, str | int | float | bool):
        return value
    if isinstance(value, tuple | list):
        return [encode(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): encode(item) for key, item in value.items()}
    if isinstance(value, frozenset):
        # In an order: the same set is always the same text.
        return sorted(map(encode, value), key=repr)
    kind: type = type(value)
    body: dict[str, object] = {TYPE_FIELD: kind.__name__} if kind in _TAGGED_TYPES else {}
    for name, default in _defaults(kind):
        item = getattr(value, name)
        if item != default:
            body[name] = encode(item)
    return body


@cache
def types_of(kind: type | Callable[..., object]) -> Mapping[str, object]:
    """The types of the fields of a data class by name, or those of the parameters of a function and of its `return`."""
    # Two modules may call different things by one name: its own module takes precedence.
    return get_type_hints(
        kind, localns={**_TYPE_NAMES, **vars(sys.modules[kind.__module__])}, include_extras=not isinstance(kind, type)
    )


@cache
def _defaults(kind: type) -> tuple[tuple[str, object], ...]:
    """The fields of a data class with their defaults; `MISSING`, which equals nothing, where there is none."""
    named: tuple[Field[Any], ...] = fields(kind)
    return tuple((field.name, default_of(field)) for field in named)


def default_of(field: Field[Any]) -> object:
    """What a field holds unless it is given; `MISSING` if it has to be."""
    return field.default if field.default_factory is MISSING else field.default_factory()


def union_members(kind: object) -> tuple[object, ...]:
    """The alternatives of a union, or else the type itself."""
    if isinstance(kind, NewType):
        return union_members(kind.__supertype__)
    return get_args(kind) if isinstance(kind, UnionType) or get_origin(kind) is Union else (kind,)


def item_types(kind: object) -> tuple[object, ...] | None:
    """The types of what a list in JSON holds, the second `...` where it is of any length; `None` for no list."""
    origin = get_origin(kind)
    if origin is tuple:
        return get_args(kind)
    return (*get_args(kind), Ellipsis) if origin in (frozenset, Sequence, Collection) else None


_Reader = Callable[[object], Any]


@cache
def _reader(kind: object) -> _Reader:
    """The function that reads a value of type `kind`; made once per type."""
    if isinstance(kind, NewType):
        return _reader(kind.__supertype__)
    alternatives = union_members(kind)
    if len(alternatives) > 1:
        return _read_union(alternatives)
    origin = get_origin(kind)
    if origin is Literal:
        return _literal(get_args(kind))
    if (items := item_types(kind)) is not None:
        read_items = _tuple(items)
        return (lambda value: frozenset(read_items(value))) if origin is frozenset else read_items
    if isinstance(kind, type) and is_dataclass(kind):
        return _dataclass(kind)
    if kind in (str, int, float, bool, NoneType):
        return _plain(kind)
    raise TypeError(f"{kind} cannot be sent")


def _read_union(alternatives: tuple[object, ...]) -> _Reader:
    data_classes = {kind.__name__: kind for kind in alternatives if isinstance(kind, type) and is_dataclass(kind)}
    other_types = [alternative for alternative in alternatives if alternative not in data_classes.values()]

    def read(value: object) -> Any:
        if isinstance(value, dict) and data_classes:
            # Where only one data class is possible, its name may be left out.
            single_type = next(iter(data_classes)) if len(data_classes) == 1 else ""
            which = value.get(TYPE_FIELD, single_type)
            if not isinstance(which, str) or which not in data_classes:
                raise NotDecodable(f"{_abbreviate(which)} is not one of {', '.join(data_classes)}")
            return _reader(data_classes[which])(value)
        for alternative in other_types:
            try:
                return _reader(alternative)(value)
            except NotDecodable:
                continue
        raise NotDecodable(f"{_abbreviate(value)} is not what is expected")

    return read


def _literal(values: tuple[object, ...]) -> _Reader:
    def read(value: object) -> object:
        # `True` equals 1, and would pass for the number.
        if value not in values or isinstance(value, bool):
            raise NotDecodable(f"{_abbreviate(value)} is not one of {', '.join(map(str, values))}")
        return value

    return read


def _tuple(items: tuple[object, ...]) -> _Reader:
    if len(items) == 2 and items[1] is Ellipsis:
        read_item = _reader(items[0])

        def read_any(value: object) -> tuple[Any, ...]:
            return tuple(map(read_item, _list(value)))

        return read_any
    readers = tuple(map(_reader, items))

    def read_fixed(value: object) -> tuple[Any, ...]:
        values = _list(value)
        if len(values) != len(readers):
            raise NotDecodable(f"{len(values)} items where {len(readers)} are expected")
        return tuple(read(item) for read, item in zip(readers, values, strict=True))

    return read_fixed


def _list(value: object) -> list[object]:
    if not isinstance(value, list):
        raise NotDecodable(f"{_abbreviate(value)} is not a list")
    return value


def _plain(kind: object) -> _Reader:
    check = _CHECKS.get(kind)

    def read(value: object) -> object:
        if kind is NoneType and value is None:
            return None
        # A whole number is a number, too; not `isinstance`, for which a truth value is one.
        if type(value) is not kind and (kind is not float or type(value) is not int):
            raise NotDecodable(f"{_abbreviate(value)} is not {_TYPE_WORDS.get(kind, 'empty')}")
        return check(value) if check is not None else value

    return read


_TYPE_WORDS: Mapping[object, str] = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}


def _text(value: Any) -> str:
    text: str = value
    try:
        # No database and no file can hold half of a surrogate pair.
        text.encode()
    except UnicodeEncodeError as error:
        raise NotDecodable(f"{_abbreviate(text)} holds half of a character at {error.start:,}") from None
    return text


def _whole_number(value: Any) -> int:
    if abs(value) > _MAX_WHOLE_NUMBER:
        raise NotDecodable(f"a whole number is beyond {_MAX_WHOLE_NUMBER:,}")
    number: int = value
    return number


def _number(value: Any) -> float:
    # `NaN` and `Infinity` are no JSON, though Python reads them; a whole number may be too large for a float.
    if not abs(value) <= sys.float_info.max:
        raise NotDecodable("a number is not finite")
    return float(value)


_CHECKS: Mapping[object, Callable[[Any], object]] = {str: _text, int: _whole_number, float: _number}


def _dataclass(kind: type) -> _Reader:
    required = frozenset(name for name, default in _defaults(kind) if default is MISSING)

    def read(body: object) -> Any:
        if not isinstance(body, dict):
            raise NotDecodable(f"{_abbreviate(body)} is not an object")
        # Looked up when something is read, as data classes hold one another.
        readers = _field_readers(kind)
        if unknown := body.keys() - readers.keys() - {TYPE_FIELD}:
            raise NotDecodable(f"there is no field {_abbreviate(min(unknown))}; known are {', '.join(readers)}")
        if missing := required - body.keys():
            raise NotDecodable(f"{next(name for name in readers if name in missing)} is missing")
        values = {}
        for name, value in body.items():
            if name != TYPE_FIELD:
                try:
                    values[name] = readers[name](value)
                except NotDecodable as error:
                    raise NotDecodable(f"{name}: {error}") from None
        return kind(**values)

    return read


@cache
def _field_readers(kind: type) -> Mapping[str, _Reader]:
    return {name: _reader(field_type) for name, field_type in types_of(kind).items()}


def _abbreviate(value: object) -> str:
    try:
        text = json.dumps(value, default=str)
    # Nested as deep as the parser has just allowed.
    except RecursionError:
        return "what is nested so deep"
    return text if len(text) <= 60 else f"{text[:57]}..."


_TAGGED_TYPES = frozenset((search.Filters, search.TextCondition, search.AllOf, search.AnyOf, search.NegatedCondition))
"""Data classes of which a field may hold one or another."""
