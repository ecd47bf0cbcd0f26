"""JSON read at the door: every field is checked before it becomes part of a noun."""

from __future__ import annotations

from collections.abc import Mapping


def whole(told: object) -> int:
    """`told` as an integer.

    Raises:
        TypeError: it is none; so for the other functions here.
    """
    if isinstance(told, bool) or not isinstance(told, int):
        raise TypeError(f"{told!r} is not a whole number")
    return told


def whole_or_none(told: object) -> int | None:
    """`told` as an integer, where there is one."""
    return None if told is None else whole(told)


def number(told: object) -> float:
    """`told` as a float."""
    if isinstance(told, bool) or not isinstance(told, int | float):
        raise TypeError(f"{told!r} is not a number")
    return float(told)


def text(told: object) -> str:
    """`told` as a string."""
    if not isinstance(told, str):
        raise TypeError(f"{told!r} is not a text")
    return told


def items(told: object) -> list[object]:
    """`told` as a list."""
    if not isinstance(told, list):
        raise TypeError(f"{told!r} is not a list")
    return told


def texts(told: object) -> tuple[str, ...]:
    """`told` as strings."""
    return tuple(map(text, items(told)))


def mapping(told: object) -> Mapping[str, object]:
    """`told` as an object."""
    if not isinstance(told, dict):
        raise TypeError(f"{told!r} is not an object")
    return told
