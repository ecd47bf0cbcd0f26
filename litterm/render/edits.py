"""The JSON of edits of the library: files attached, records edited, papers removed and restored."""

from __future__ import annotations

from typing import TypedDict


class AttachedData(TypedDict):
    """The answer of `attach`; `annotations` is a number."""

    id: str
    title: str
    full_text: bool
    annotations: int


class EditedData(TypedDict):
    """The answer of `edit`."""

    id: str
    title: str
    authors: list[str]
    year: int | None
    bibkey: str
    is_title_certain: bool


class RemovedPapersData(TypedDict):
    """The answer of `remove --list`."""

    count: int
    removed: list[str]


class RemovedData(TypedDict):
    """The answer of `remove`."""

    removed: int


class RestoredData(TypedDict):
    """The answer of `remove --undo PAPER`."""

    restored: int
