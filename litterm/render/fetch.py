"""The JSON of papers that services have: `find`, `fetch`, and `add` for ids."""

from __future__ import annotations

from typing import TypedDict


class FoundOnlineData(TypedDict):
    """A record that a service found."""

    id: str
    title: str
    authors: list[str]
    year: int | None
    venue: str
    in_library: bool


class FindData(TypedDict):
    """The answer of `find`."""

    query: str
    service: str
    papers: list[FoundOnlineData]


class FetchResultData(TypedDict):
    """What came of one id."""

    asked: str
    outcome: str
    id: str | None
    title: str
    via: str
    licence: str
    version: str
    why: str
    transient: bool


class FetchData(TypedDict):
    """The answer of `fetch`, and of `add` for ids."""

    papers: list[FetchResultData]
