"""The content of the home screen: new papers, unfinished reading and jobs, recent decisions."""

from __future__ import annotations

from dataclasses import dataclass

from litterm.model.annotations import PaperList, UnsavedTextKind
from litterm.model.attribution.draft import DraftSummary
from litterm.model.library import Failure
from litterm.model.matrix import MatrixSummary
from litterm.model.paper import Paper, PaperId
from litterm.model.reading_list import ListSummary
from litterm.model.services import Subscription


@dataclass(frozen=True, slots=True)
class NewPapers:
    """Papers of a watch that came into the library after it was last looked at."""

    query: str
    papers: tuple[Paper, ...]
    """Those litterm first saw last come first."""


@dataclass(frozen=True, slots=True)
class UnfinishedPaper:
    """A paper that the user has started to read and not finished."""

    paper: Paper
    place: int
    """The sentence at the top when it was left; 0 if it was only marked as being read."""
    percent: int = 0
    """How far into the text that is."""
    section: str = ""
    """The heading it stands under; empty before the first."""


@dataclass(frozen=True, slots=True)
class HalfWrittenText:
    """A note or a correction that was typed and neither saved nor discarded."""

    paper: Paper
    kind: UnsavedTextKind
    text: str


@dataclass(frozen=True, slots=True)
class RecentDecision:
    """A recent decision of the user, in one sentence."""

    sentence: str
    at: str
    """UTC, ISO 8601."""
    paper_id: PaperId | None = None
    """The paper it is about, if it is about one of the library."""


@dataclass(frozen=True, slots=True)
class UndoStep:
    """A change by the user that undo takes back, or one that redo would repeat."""

    id: str
    sentence: str
    """A description of the change, with the title of its paper."""
    at: str
    """UTC, ISO 8601."""
    undone: bool = False


@dataclass(frozen=True, slots=True)
class HomeOverview:
    """The sections of the home screen, each the newest first."""

    project: str
    news: tuple[NewPapers, ...] = ()
    reading: tuple[UnfinishedPaper, ...] = ()
    half_written: tuple[HalfWrittenText, ...] = ()
    drafts: tuple[DraftSummary, ...] = ()
    """Those with open marks."""
    matrices: tuple[MatrixSummary, ...] = ()
    """Those with cells that are still to be computed, then the newest of the others."""
    subscriptions: tuple[Subscription, ...] = ()
    """What is kept in step; not `complete` where the last synchronisation did not come to its end."""
    failures: tuple[Failure, ...] = ()
    lists: tuple[ListSummary, ...] = ()
    """Reading lists that are not read to the end."""
    paper_lists: tuple[PaperList, ...] = ()
    """The user's lists of papers that are not empty."""
    decisions: tuple[RecentDecision, ...] = ()
