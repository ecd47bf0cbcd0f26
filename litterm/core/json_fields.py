"""Fields of decoded JSON with their types checked, before they become part of a dataclass."""

from __future__ import annotations

from collections.abc import Mapping


def integer(value: object) -> int:
    """`value` as an integer.

    Raises:
        TypeError: it is none; so for the other functions here.
    """
    # `True` is an `int` in Python, and a number nowhere in JSON.
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{value!r} is not a whole number")
    return value


def integer_or_none(value: object) -> int | None:
    """`value` as an integer, where there is one."""
    return None if value is None else integer(value)


def number(value: object) -> float:
    """`value` as a float."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{value!r} is not a number")
    return float(value)


def number_or_none(value: object) -> float | None:
    """`value` as a float, where there is one."""
    return None if value is None else number(value)


def text(value: object) -> str:
    """`value` as a string."""
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not a text")
    return value


def items(value: object) -> list[object]:
    """`value` as a list."""
    if not isinstance(value, list):
        raise TypeError(f"{value!r} is not a list")
    return value


def texts(value: object) -> tuple[str, ...]:
    """`value` as strings."""
    return tuple(map(text, items(value)))


def mapping(value: object) -> Mapping[str, object]:
    """`value` as an object."""
    if not isinstance(value, dict):
        raise TypeError(f"{value!r} is not an object")
    return value
