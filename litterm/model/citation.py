"""Attribution: which paper does a masked citation refer to."""

from __future__ import annotations

from dataclasses import dataclass

from litterm.model.document import Span
from litterm.model.paper import Paper


@dataclass(frozen=True, slots=True)
class WeightedWord:
    """A word of the excerpt that takes part in the query."""

    word: str
    weight: float
    """In (0, 2]; falls with the distance to the mark."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Text with one citation masked, whose paper is sought."""

    text: str
    marks: tuple[Span, ...]
    """Every citation mark found, in order, in characters of `text`."""
    chosen: int
    """Index into `marks` of the one to resolve; -1 when there is no mark: the end of the text is meant."""
    words: tuple[WeightedWord, ...]
    lint: str = ""
    """One line for the user on how attributable it looks."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A library paper that the mark may refer to."""

    rank: int
    paper: Paper
    score: float
    matched: tuple[str, ...] = ()
    support: str = ""
    """The sentence of its abstract or full text nearest to the excerpt; empty if there is none."""


@dataclass(frozen=True, slots=True)
class Attribution:
    """Ranked candidates for one mark."""

    excerpt: Excerpt
    by: str
    candidates: tuple[Candidate, ...]
    steps: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
