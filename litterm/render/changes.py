"""The JSON of changes: undone, repeated, listed."""

from __future__ import annotations

from typing import TypedDict


class UndoneData(TypedDict):
    """What was undone; `null`: there was nothing."""

    undone: str | None


class RedoneData(TypedDict):
    """What was repeated; `null`: there was nothing."""

    redone: str | None


class ChangeData(TypedDict):
    """A change that can be undone."""

    sentence: str
    at: str
    undone: bool


class ChangesData(TypedDict):
    """The answer of `undo --list`."""

    count: int
    changes: list[ChangeData]
