"""Who was first: the oldest relevant papers, and what later papers say of where a topic comes from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from litterm.model.graph import Citance
    from litterm.model.search import Query, RankedPaper


@dataclass(frozen=True, slots=True)
class FirstPaper:
    """A relevant paper and the citing sentences that name it as an origin."""

    paper: RankedPaper
    """At its place by relevance."""
    named: tuple[Citance, ...] = ()
    """The oldest citing paper first."""


@dataclass(frozen=True, slots=True)
class FirstPapers:
    """The answer to *who was first*."""

    query: Query
    papers: tuple[FirstPaper, ...]
    """Those named as an origin, by how many papers name them; then the others, the oldest first."""
    looked_at: int
    """How many of the most relevant papers were looked at."""
    citances: int
    """How many citing sentences were read; 0 where the library has no full text that cites them."""
    notices: tuple[str, ...] = ()
