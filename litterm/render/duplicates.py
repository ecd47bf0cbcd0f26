"""The JSON of records that may be of one paper."""

from __future__ import annotations

from typing import TypedDict


class DuplicateData(TypedDict):
    """A record that may be that of another."""

    id: str
    aliases: list[str]
    title: str
    authors: list[str]
    year: int | None
    venue: str


class DuplicatesData(TypedDict):
    """The answer of `duplicates`; a pair is two records."""

    count: int
    pairs: list[list[DuplicateData]]
    shared: list[str]


class MergedData(TypedDict):
    """The answer of `duplicates --merge`."""

    shown: str
    merged: str


class ApartData(TypedDict):
    """The answer of `duplicates --apart`."""

    apart: list[str]
    changed: bool


class SplitData(TypedDict):
    """The answer of `duplicates --split`."""

    kept: DuplicateData
    apart: DuplicateData
