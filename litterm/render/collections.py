"""The JSON of collections."""

from __future__ import annotations

from typing import TypedDict


class CollectionData(TypedDict):
    """A collection."""

    name: str
    papers: int
    own_papers: int
    depth: int


class CollectionsData(TypedDict):
    """The answer of `collections`."""

    count: int
    collections: list[CollectionData]


class RenamedData(TypedDict):
    """The answer of `collections --rename`."""

    renamed: str


class DeletedCollectionsData(TypedDict):
    """The answer of `collections --delete`: how many."""

    deleted: int
