"""The events that a task yields while it works."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from litterm.model.aspects import AspectCell
    from litterm.model.attribution.agent import AgentStep
    from litterm.model.columns import ColumnCell
    from litterm.model.evidence import EvidenceSentence
    from litterm.model.llm import ModelCost
    from litterm.model.matrix import MatrixCell
    from litterm.model.paper import PaperId
    from litterm.model.search import Ranking
    from litterm.model.services import FetchResult


ProgressUnit = Literal["steps", "bytes"]


@dataclass(frozen=True, slots=True)
class Progress:
    """`done` of `total` steps of `what`; `total` 0 means not known."""

    what: str
    done: int = 0
    total: int = 0
    unit: ProgressUnit = "steps"
    """Bytes are on their way for a step of something larger, whose count they take nothing of."""
    estimated: bool = False
    """Whether `total` is reckoned from what has been read so far, and so changes on the way."""


@dataclass(frozen=True, slots=True)
class ProvisionalRanking:
    """A ranking good enough to show now; a better may come."""

    ranking: Ranking


@dataclass(frozen=True, slots=True)
class EvidenceFound:
    """Evidence sentences found so far in `section`; ranks are provisional."""

    sentences: tuple[EvidenceSentence, ...]
    section: str = ""


@dataclass(frozen=True, slots=True)
class CellFilled:
    """A cell of a matrix was computed and stored durably."""

    cell: MatrixCell


@dataclass(frozen=True, slots=True)
class ColumnCellFilled:
    """A cell of a table of columns was computed and stored durably."""

    cell: ColumnCell


@dataclass(frozen=True, slots=True)
class PaperGraded:
    """The grades of one paper by a model, by aspect or sub-aspect text, stored durably."""

    paper_id: PaperId
    cells: tuple[tuple[str, AspectCell], ...]


@dataclass(frozen=True, slots=True)
class AgentStepped:
    """An agent has taken one more step."""

    step: AgentStep


@dataclass(frozen=True, slots=True)
class PapersStored:
    """How many papers this task has stored durably so far: they survive a `kill -9`."""

    papers: int


@dataclass(frozen=True, slots=True)
class PaperFetched:
    """The result of fetching one of several papers, already stored."""

    result: FetchResult


@dataclass(frozen=True, slots=True)
class Notice:
    """One sentence for the user: trouble that was survived, or less done than asked."""

    text: str


@dataclass(frozen=True, slots=True)
class WaitingForServer:
    """A countdown, once a second, while a server asked to wait."""

    why: str
    """Who asked to wait, and for what: one sentence without a full stop."""
    left_s: float
    """0 or less: the wait is over."""


@dataclass(frozen=True, slots=True)
class ReplyPiece:
    """A piece of a model's reply, as it arrives."""

    text: str
    reasoning: bool = False
    """Whether it is thinking aloud and no part of the reply."""


@dataclass(frozen=True, slots=True)
class CostUpdate:
    """The cost so far, after each paid call; for the running total on the screen."""

    run: ModelCost
    """Of this run so far."""
    total: ModelCost
    """Of this process so far."""
    today: ModelCost
    """Of every litterm of this user today."""
    call: ModelCost
    """Of this call alone."""


@dataclass(frozen=True, slots=True)
class OutgoingRequest:
    """A request of a dry run, exactly as it would have been sent, without the key."""

    text: str


Event = (
    Progress
    | ProvisionalRanking
    | EvidenceFound
    | CellFilled
    | ColumnCellFilled
    | PaperGraded
    | AgentStepped
    | PapersStored
    | PaperFetched
    | Notice
    | WaitingForServer
    | ReplyPiece
    | CostUpdate
    | OutgoingRequest
)
