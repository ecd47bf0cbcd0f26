"""Attribution: which paper does a masked citation refer to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from litterm.model.document import Span

if TYPE_CHECKING:
    from litterm.model.attribution.agent import AgentStep, AgentVote
    from litterm.model.paper import Paper, PaperId

ExcerptKind = Literal["attributable", "trivial", "ambiguous", "unattributable", "wordless"]
"""How much an excerpt tells of the cited paper, after the taxonomy of CiteME (Press et al. 2024).

`trivial`: it names what the paper introduced; `ambiguous`: many papers would fit; `unattributable`: it tells what
was taken over, not what the paper is about; `wordless`: there is nothing to search for.
"""

AttributionVerdict = Literal["found", "unsure", "absent"]
"""`found`: the first candidate is likely the one; `unsure`: one of them may be; `absent`: not in the library."""


@dataclass(frozen=True, slots=True)
class WeightedWord:
    """A word of the excerpt that takes part in the query."""

    word: str
    weight: float
    """In (0, 2]; falls with the distance to the mark."""


@dataclass(frozen=True, slots=True)
class StatedCitation:
    """What is in or right beside the mark itself: `Okada and Lee (2010)`, `\\cite{okada2010subword}`."""

    families: tuple[str, ...] = ()
    """Family names of authors, as printed."""
    year: int | None = None


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
    kind: ExcerptKind = "attributable"
    claim: Span = field(default=Span(0, 0))
    """The stretch of `text` that the mark stands for; the user may move it."""
    stated: StatedCitation = field(default=StatedCitation())
    coined: tuple[str, ...] = ()
    """Coined names near the mark, the nearest first: `ELMo`, `MT5`."""


@dataclass(frozen=True, slots=True)
class CandidateBounds:
    """What cannot be the cited paper."""

    year: int | None = None
    """The last that counts."""
    month: int | None = None
    """Of that year, the last that counts; papers whose month is not known stay in."""
    exclude: tuple[PaperId, ...] = ()
    """The citing paper, where it is in the library."""
    source: str = ""
    """Title of the citing paper, as typed; whatever has that title is left out."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A library paper that the mark may refer to."""

    rank: int
    paper: Paper
    score: float
    matched: tuple[str, ...] = ()
    support: str = ""
    """The sentence of its abstract or full text nearest to the excerpt; empty if there is none."""
    confidence: float | None = None
    """Calibrated probability that this is the cited paper, in [0, 1]; `None` where the method gives none."""
    why: tuple[str, ...] = ()
    """The reasons for it, in plain words, the weightiest first."""


@dataclass(frozen=True, slots=True)
class Attribution:
    """Ranked candidates for one mark."""

    excerpt: Excerpt
    by: str
    candidates: tuple[Candidate, ...]
    steps: tuple[AgentStep, ...] = ()
    """Of the agent that looked for the paper, if one did."""
    notices: tuple[str, ...] = ()
    verdict: AttributionVerdict = "unsure"
    confidence: float | None = None
    """Calibrated probability that the first candidate is the cited paper; `None` where the method gives none."""
    online_query: str = ""
    """What to search for elsewhere when the library does not hold the paper."""
    trajectory: str = ""
    """Under which id the steps are kept; empty where no agent was asked."""
    votes: tuple[AgentVote, ...] = ()
    """What several runs of an agent say, the most frequent first; `trajectory` is then the id of the first run, and
    `steps` are those of the first run that says what most say. Empty where there was one run."""
