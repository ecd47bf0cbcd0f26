"""The JSON of the cache."""

from __future__ import annotations

from typing import TypedDict


class CachedFilesData(TypedDict):
    """Files of a cache."""

    files: int
    bytes: int


class CacheData(TypedDict):
    """The answer of `cache`."""

    folder: str
    cleared: bool
    replies: CachedFilesData
    grades: CachedFilesData
    endpoints: CachedFilesData
    answers: CachedFilesData
