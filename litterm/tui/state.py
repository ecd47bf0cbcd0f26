"""State of the panes, one frozen object each; controllers replace it, panes only draw it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

from litterm.model.annotations import PaperNotes
from litterm.model.citations.citation_counts import PaperCounts
from litterm.model.document import Document
from litterm.model.evidence import LikelyStance, Stance, Strength, Verdict
from litterm.model.library import LibraryStatus
from litterm.model.paper import LibraryName, Paper, PaperId
from litterm.model.search import Query, SortOrder
from litterm.text.file_annotations import LocatedAnnotation

PaneName = Literal["query", "aspects", "results", "reader", "evidence", "matrix", "home"]
DecisionKey = Literal["accept", "reject"]
"""Which of the two keys that decide was pressed."""
PANES: tuple[PaneName, ...] = ("query", "aspects", "results", "reader", "evidence", "matrix", "home")
STANDALONE_PANES: tuple[PaneName, ...] = ("query", "aspects", "matrix", "home")
"""Panes with a place of their own; a single column shows one of the others at a time."""
TOUR_PROJECT = "Guided tour"
UNANNOUNCED_GROUPS = (
    "search",
    "open",
    "status",
    "rows",
    "aspects",
    "home",
    "encoder",
    "facets",
    "preview",
    "first sentences",
    "answer decision",
    "settings",
    "folder",
    "unsaved-text",
)
"""Task groups not shown in the status line, as they are short or were not requested."""
MarkRole = Literal["proposed", "strong", "accepted", "hand", "rejected"]
"""A guess of the machine (`proposed`, `strong`) and a decision of a person never share a mark."""
RowOrder = SortOrder | Literal["aspects"]
ROW_ORDERS: tuple[RowOrder, ...] = ("relevance", "aspects", "newest", "oldest", "citations", "title", "author", "added")
"""Orders of the results; `aspects` is offered only while the query has some."""

NO_NOTES: Mapping[PaperId, PaperNotes] = MappingProxyType({})
NO_MARKS: Mapping[int, MarkRole] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class QueryState:
    """The query as typed and as read."""

    text: str = ""
    query: Query | None = None
    """As last parsed; its chips are shown."""
    result_count: int | None = None
    """Papers that match; `None` before the first answer."""
    fault: str = ""
    """Why the text cannot be read as a query; empty if it can."""
    fault_at: tuple[int, int] | None = None
    """Which characters of the text are at fault."""
    open_at: tuple[int, int] | None = None
    """The quote, parenthesis or operator of a text being typed that still waits for its other side."""
    pending: str = ""
    """The filter at the end of a text being typed, which has no effect before enter or a blank."""
    busy: bool = False
    sample: bool = False
    """The text is litterm's sample question: the first keystroke replaces it."""


@dataclass(frozen=True, slots=True)
class ResultRow:
    """One paper in the results, from a search or as a candidate for a citation."""

    rank: int
    paper: Paper
    score: float | None
    by: str
    matched: tuple[tuple[str, int], ...] = ()
    library_name: LibraryName = "own"
    support: str = ""
    """Candidates only: the sentence nearest to the excerpt."""
    has_answer_line: bool = False
    """Whether it has a line for the sentence that answers the question searched for; known when it is first shown."""
    answer: str = ""
    """That sentence; empty while it is looked for, and where the paper has none."""
    moved: str = ""
    """What moved it, and from where: a citation that led to it, a model and its reason; empty if nothing did."""
    previous_place: int | None = None
    """Its place before it was moved."""
    online: str = ""
    """The service in which it was found; empty for papers a search of the library found."""
    held: bool = True
    """Whether it is in one of the libraries that are searched."""
    cited: PaperCounts | None = None
    """How often it is cited; `None` where nobody looked."""
    why: tuple[str, ...] = ()
    """Sentences on what its place is on; empty where its score has no parts."""


@dataclass(frozen=True, slots=True)
class ResultsState:
    """The rows of the results, with what ranked, filtered and selected them."""

    rows: tuple[ResultRow, ...] = ()
    result_count: int = 0
    by: str = ""
    source: Literal["search", "cite"] = "search"
    sort: RowOrder = "relevance"
    only: str = ""
    """In-place filter: rows without this text are not shown."""
    notes: Mapping[PaperId, PaperNotes] = field(default_factory=lambda: NO_NOTES)
    chosen: frozenset[PaperId] = frozenset()
    """Ids of the papers selected."""
    beyond: tuple[Paper, ...] = ()
    """Papers of the results whose rows are not here, so that they can be selected all the same."""
    reading: PaperId | None = None
    """The paper in the reader; once there is one, rows wrap instead of unfolding."""
    ordered: bool = False
    """Whether a model has put the rows in order: fetching more of them would undo it."""
    hint: tuple[str, ...] = ()
    """Lines above the rows: first start, starter library."""
    suggestion: str = ""
    """The query in its likely spelling, if that is another one."""
    offer: str = ""
    """The spelling that is offered though something was found, in words."""
    empty: tuple[str, ...] = ()
    """What to say when there are no rows."""

    def selected_papers(self) -> tuple[Paper, ...]:
        """The papers selected, in the order of the results."""
        rows = [row.paper for row in self.rows if row.paper.id in self.chosen]
        here = {row.paper.id for row in self.rows} if self.beyond else set()
        return (*rows, *(paper for paper in self.beyond if paper.id in self.chosen and paper.id not in here))


@dataclass(frozen=True, slots=True)
class ReaderState:
    """The paper in the reader, its text, and the marks in it."""

    paper: Paper | None = None
    document: Document | None = None
    busy: str = ""
    """What is being waited for; empty when nothing is."""
    marks: Mapping[int, MarkRole] = field(default_factory=lambda: NO_MARKS)
    """By sentence index."""
    annotations: tuple[LocatedAnnotation, ...] = ()
    """Highlights and notes in the files of the paper."""
    words: tuple[str, ...] = ()
    """To highlight: the words of the query."""
    notes: PaperNotes = field(default=PaperNotes())


@dataclass(frozen=True, slots=True)
class EvidenceRow:
    """One sentence of the evidence pane."""

    index: int | None
    """Sentence index; `None`: a mark whose sentence was not located."""
    text: str
    role: MarkRole | None
    """`None`: a key finding of the paper, no evidence and without a mark in the text."""
    locator: str
    rank: int | None = None
    """`None` for what the user marked by hand."""
    strength: Strength | None = None
    terms: tuple[str, ...] = ()
    hypothesis: str = ""
    stance: Stance | None = None
    reason: str = ""
    """A model's one line on why; not the paper's words."""
    likely: LikelyStance | None = None
    """The stance its wording suggests, where no model judged it."""
    part: str = ""
    """Key of a part of the paper that the model could not be asked about: the row is this failure, no sentence."""
    negated: bool = False
    """For the negated hypothesis; without `index` the row is that hypothesis itself."""
    aspect: int | None = None
    """Place of a study aspect: the row is that aspect itself, no sentence."""


@dataclass(frozen=True, slots=True)
class RowVerdict:
    """What the paper of one result row says about the pinned hypothesis."""

    count: int
    """Evidence sentences."""
    verdict: Verdict | None = None
    words: str = ""
    """How close the best of them comes to the hypothesis, in words; where a model judged, its stances, counted."""


@dataclass(frozen=True, slots=True)
class EvidenceState:
    """What one paper says about one hypothesis, and what the user made of it."""

    hypothesis: str = ""
    rows: tuple[EvidenceRow, ...] = ()
    by: str = ""
    busy: str = ""
    asked: bool = False
    """Whether a hypothesis was asked of the paper in the reader."""
    notices: tuple[str, ...] = ()
    note: str = ""
    """One line above the rows: weak or no evidence, thin ground."""
    mark: str = ""
    """How far the model whose stances these are agrees with people; empty without stances."""


@dataclass(frozen=True, slots=True)
class SwitchedOption:
    """An option as dialogs show it, with the function that switches it."""

    label: str
    value: str
    switch: Callable[[], None]
    key: str = ""
    """In the dialog before a model is asked."""


@dataclass(frozen=True, slots=True)
class Job:
    """A background task as the status line shows it."""

    group: str
    what: str
    step: str = ""
    """What it is at now, if that says more."""
    done: int = 0
    total: int = 0
    left_s: float = 0.0
    """Seconds it will take at the pace so far; 0 where that is not known."""
    rate: float = 0.0
    """Of what is counted, a second, since the count began; 0 where that is not known."""
    since: float = 0.0
    """When `step` began; seconds of the monotonic clock."""
    wait_s: float = 0.0
    """Seconds until it continues, where somebody has asked it to wait; `step` says who."""
    estimated: bool = False
    """Whether `total` is a guess that changes on the way."""

    @property
    def lane(self) -> str:
        """The lane of a job that was queued; the group of any other."""
        return self.group.partition("#")[0]


@dataclass(frozen=True, slots=True)
class QueuedJob:
    """A job that writes, from being asked for to being dropped from the list."""

    key: str
    lane: str
    what: str
    state: Literal["waiting", "running", "done", "unfinished", "failed"]
    report: str = ""
    """The outcome of it, or why it failed."""
    number: int = 0
    """In the order in which they were asked for."""


@dataclass(frozen=True, slots=True)
class StatusState:
    """What the status line says: library, project, ranking, network, model, tasks."""

    library: LibraryStatus | None = None
    since: str = ""
    """The time of day at which the library was as the results show it."""
    project: str = ""
    ranked_by: str = ""
    network: str = "offline"
    server_trouble: str = ""
    """Why the server of the library cannot be asked, as `does not answer`; empty while it answers."""
    model: str = ""
    """The model that was asked and what that has cost; empty before the first call."""
    jobs: tuple[Job, ...] = ()
    failures: int = 0
