"""How a ranking is expanded by citations, and how a model is asked to order it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from litterm.model.graph import HopDirection
    from litterm.model.paper import PaperId

HopOrder = Literal["interleaved", "seeds-first"]
"""Each seed followed by its neighbours, or all seeds before the first neighbour."""


@dataclass(frozen=True, slots=True)
class HopOptions:
    """One hop through the citation graph; the defaults are those of LitSearch (section 5.3)."""

    direction: HopDirection = "refs"
    """Whether what the seeds cite is taken in, what cites them, or both."""
    seeds: int = 50
    """Papers of the first ranking whose neighbours are taken in."""
    cap: int = 200
    """Papers in all, seeds included."""
    order: HopOrder = "interleaved"
    """In which order they come into question, where there are more than `cap`."""


@dataclass(frozen=True, slots=True)
class ExpandedPaper:
    """One candidate of an expansion."""

    paper: PaperId
    seed: int | None
    """Its place in the first ranking, from 1; `None` for one that only a seed led to."""
    via: tuple[PaperId, ...] = ()
    """Seeds that cite it or are cited by it, the best first."""


@dataclass(frozen=True, slots=True)
class RankUse:
    """How a model orders a ranking."""

    most: int = 100
    """Papers shown to it, the first of the local order."""
    window: int = 0
    """Papers shown at once; 0: all, or 20 to a model on this machine, whose context is mostly small."""
    cached: bool = True
    """Whether replies kept from earlier may answer."""
    by: Literal["model", "embeddings"] = "model"
    """A language model that reads the list, or an embedding model that compares each paper with the query."""
