"""A query in parts that a paper can meet one by one, and how far papers meet them (after DORIS-MAE)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from litterm.model.paper import PaperId

if TYPE_CHECKING:
    from litterm.model.search import Ranking

Grade = Literal[0, 1, 2, "?"]
"""0: no help for the key parts; 1: some of them; 2: all of them, directly. `?`: a model was asked, and what it said
cannot be read as one of these, or it was that the title alone does not tell; never counted as 0."""
MIN_WEIGHT, MAX_WEIGHT = 0.1, 10.0
MAX_SCORED_PAPERS = 200
"""Papers of a ranking that are scored by aspects, and may be put into their order."""


@dataclass(frozen=True, slots=True)
class Aspect:
    """One part of a query that makes sense alone."""

    text: str
    """One sentence or less, blanks squeezed."""
    sub_aspects: tuple[str, ...] = ()
    """Segments of it, each simpler; they are graded and not scored."""
    weight: float = 1.0
    """In `MIN_WEIGHT`..`MAX_WEIGHT`."""
    muted: bool = False
    """Whether it counts for nothing at the moment."""

    @property
    def criteria(self) -> tuple[str, ...]:
        """What is graded: the aspect, then its sub-aspects."""
        return (self.text, *self.sub_aspects)


@dataclass(frozen=True, slots=True)
class AspectQuery:
    """A query as its aspects."""

    aspects: tuple[Aspect, ...] = ()
    """In the order of the query, no two of the same text."""
    by: str = ""
    """How it was split: `separators`, `lines`, `sentences`, `clauses`, `hand`, or the name of a model."""

    @property
    def is_by_model(self) -> bool:
        """Whether a language model split it."""
        return self.by not in ("", "separators", "lines", "sentences", "clauses", "hand")

    @property
    def active(self) -> tuple[Aspect, ...]:
        """Those that are not muted."""
        return tuple(aspect for aspect in self.aspects if not aspect.muted)

    @property
    def texts(self) -> tuple[str, ...]:
        """The aspects alone, in order."""
        return tuple(aspect.text for aspect in self.aspects)


@dataclass(frozen=True, slots=True)
class AspectCell:
    """What is known of one paper and one aspect or sub-aspect."""

    score: float | None = None
    """Offline, in [0, 1]: share of the score of the paper of the library that fits the aspect best; `None`: not
    computed."""
    grade: Grade | None = None
    """By a model; `None`: not asked, or the model could not be reached."""
    reason: str = ""
    """The model's, in a few words of its own."""
    sentence: str = ""
    """The paper's own sentence that the model pointed to; empty if to none."""


CellKey = tuple[str, PaperId]
"""Text of an aspect or sub-aspect, and a paper."""
CellsByAspect = Mapping[CellKey, AspectCell]


@dataclass(frozen=True, slots=True)
class AspectScores:
    """Scores and grades known so far, by aspect and paper; changing one aspect leaves those of the others."""

    # A frozen class does not freeze what it holds; scores go from thread to thread.
    cells: CellsByAspect = field(default_factory=lambda: MappingProxyType({}))
    by: str = ""
    """Which searcher the offline scores are of; empty while there are none."""
    graded_by: str = ""
    """The model the grades are of; empty while there are none."""
    notices: tuple[str, ...] = ()

    def cell(self, text: str, paper_id: PaperId) -> AspectCell:
        """What is known; nothing at all if it was never asked."""
        return self.cells.get((text, paper_id), _EMPTY_CELL)


# One object for all: the results ask for hundreds of unknown cells at each key.
_EMPTY_CELL = AspectCell()


@dataclass(frozen=True, slots=True)
class AspectCoverage:
    """One paper over all aspects, put together by the rules of the paper; muted aspects count for nothing."""

    paper_id: PaperId
    cells: tuple[AspectCell, ...]
    """One an aspect, in order, muted ones included."""
    share: float | None
    """Weighted mean of the offline scores, in [0, 1]; `None` without any."""
    relevance: float | None
    """Weighted sum of the grades over the distinct aspects and sub-aspects; `None` without any."""
    average: float | None
    """The same as a weighted mean over those that have a grade, in [0, 2]."""
    unread: int = 0
    """How many of them have `?`; they are in neither sum nor mean."""

    @property
    def relevant(self) -> bool | None:
        """Whether the mean grade is at least 1, as the paper has it; `None` without grades."""
        return None if self.average is None else self.average >= 1.0


@dataclass(frozen=True, slots=True)
class AspectRanking:
    """A ranking with its aspects."""

    query: AspectQuery
    scores: AspectScores
    rows: tuple[AspectCoverage, ...]
    """One a paper of `ranking`, in its order."""
    ranking: Ranking
