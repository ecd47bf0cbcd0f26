"""The JSON of the sentences of a paper that cite others."""

from __future__ import annotations

from typing import TypedDict


class CitedWorkData(TypedDict):
    """A work that a sentence cites."""

    text: str
    paper: str | None


class CitingSentenceData(TypedDict):
    """A sentence with citations."""

    index: int
    text: str
    works: list[CitedWorkData]


class CitingSentencesData(TypedDict):
    """The answer of `evidence --from PAPER`."""

    paper: str
    sentences: list[CitingSentenceData]
