"""The JSON of watches and of what is new in them."""

from __future__ import annotations

from typing import TypedDict


class NewPaperData(TypedDict):
    """A paper that is new in a watch."""

    id: str
    title: str
    year: int | None
    first_seen: str


class NewsData(TypedDict):
    """A watch and what is new in it."""

    query: str
    new: int
    papers: list[NewPaperData]


class WatchesData(TypedDict):
    """The answer of `watch` without a query."""

    watches: list[NewsData]


class WatchData(NewsData):
    """The answer of `watch QUERY`."""

    added: bool


class ForgottenData(TypedDict):
    """The answer of `watch --forget`."""

    query: str
    forgotten: bool
