"""The user's annotations: marks, decisions, tags and notes. They are kept in the journal, never in a segment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from litterm.model.document import DocumentId
    from litterm.model.paper import PaperId

MarkKind = Literal["accepted", "rejected", "hand"]
Screening = Literal["included", "excluded"]
ReadStatus = Literal["", "to read", "reading", "read"]
NEXT_READ_STATUS: Mapping[ReadStatus, ReadStatus] = {"": "to read", "to read": "reading", "reading": "read", "read": ""}


@dataclass(frozen=True, slots=True)
class Anchor:
    """Where a mark sits: found again by its words, with `index` only as a hint."""

    document_id: DocumentId
    index: int
    """Sentence index in that document at the time of marking."""
    quote: str
    before: str = ""
    """Text of the sentence before; empty at the start."""
    after: str = ""


@dataclass(frozen=True, slots=True)
class Mark:
    """A decision on one sentence of one paper."""

    paper_id: PaperId
    anchor: Anchor
    kind: MarkKind
    hypothesis: str = ""
    at: str = ""
    project: str | None = ""
    """The key of the project it was made in; `None` where the journal does not say, as before marks had projects."""


@dataclass(frozen=True, slots=True)
class LocatedMark:
    """A mark and the sentence it is on now; `index` is `None` when it was not located."""

    mark: Mark
    index: int | None


@dataclass(frozen=True, slots=True)
class PaperNotes:
    """What the user holds about one paper."""

    screening: Screening | None = None
    starred: bool = False
    tags: tuple[str, ...] = ()
    note: str = ""
    status: ReadStatus = ""
    collections: tuple[str, ...] = ()
    """The names of those that it is filed under, sorted."""


@dataclass(frozen=True, slots=True)
class CollectionSummary:
    """A collection of the user's and how many papers it has."""

    name: str
    """With the names of those that it lies in: `Thesis/Methods`."""
    papers: int
    """In it and in those that lie in it, each paper once."""
    own_papers: int
    """In it itself."""
    depth: int
    """In how many it lies."""


@dataclass(frozen=True, slots=True)
class ImportedCollection:
    """A collection as another program has it."""

    key: str
    """Names the program, too: it identifies the collection here for good."""
    name: str
    papers: tuple[PaperId, ...]
    """Those that are filed under it directly."""
    parent: str = ""
    """The key of the one that it lies in, which comes before it; empty for an outermost one."""
    outer: tuple[str, ...] = ()
    """Where an outermost one is put here: the parts of that name."""


@dataclass(frozen=True, slots=True)
class TakenCollections:
    """What taking over the collections of another program has changed here."""

    filed: int = 0
    """Papers that were filed under a collection."""
    taken_out: int = 0
    """Papers that were taken out of one."""
    created: int = 0
    """Collections; so are the next two."""
    renamed: int = 0
    """Also those that were moved."""
    removed: int = 0


@dataclass(frozen=True, slots=True)
class PaperChanges:
    """What to change of the user's notes on papers; what is `None` or empty stays as it is."""

    screening: Screening | Literal["undecided"] | None = None
    starred: bool | None = None
    status: ReadStatus | None = None
    note: str | None = None
    """Replaces the note; an empty one removes it."""
    tags: tuple[str, ...] = ()
    """Added to those of the paper."""
    removed_tags: tuple[str, ...] = ()
    """Taken off, in any case."""
    collections: tuple[str, ...] = ()
    """The paper is filed under them."""
    removed_collections: tuple[str, ...] = ()
    """The paper is taken out of them, and stays in those that lie in them."""


@dataclass(frozen=True, slots=True)
class MarkedPapers:
    """What came of marking papers."""

    papers: tuple[PaperId, ...]
    """All that were asked for and known, each once, in the order asked for."""
    changed: frozenset[PaperId]
    """Those of them that were not so before."""
    unknown: tuple[str, ...] = ()
    """What names no paper of the library."""
    summary: str = ""
    """What was done, as `starred, tagged pruning`."""


@dataclass(frozen=True, slots=True)
class PaperList:
    """A list of the user's papers: a built-in one such as `starred`, the papers with a note, or those with one tag."""

    name: str
    query: str
    """The query that finds them."""
    papers: int
    """How many there are."""


@dataclass(frozen=True, slots=True)
class ProjectSize:
    """How much of its own a project holds."""

    watches: int = 0
    included: int = 0
    excluded: int = 0
    starred: int = 0
    quoted: int = 0
    """Papers with decisions on sentences."""


@dataclass(frozen=True, slots=True)
class RecordVisibility:
    """Which records the user merged or removed; stored papers do not change."""

    shown: Mapping[PaperId, PaperId] = field(default_factory=dict)
    """By the id of a record that was merged into another, the id under which both are shown."""
    removed: frozenset[PaperId] = frozenset()
    """Papers not to be shown, by the ids under which they would be."""
    pairs: int = 0
    """Doubtful pairs decided about, to be one or to be kept apart."""

    def shown_id(self, paper_id: PaperId) -> PaperId:
        """The id under which a record is shown."""
        return self.shown.get(paper_id, paper_id)

    def merged_ids(self, paper_id: PaperId) -> tuple[PaperId, ...]:
        """Every record shown as one with `paper_id`, the one shown first."""
        # Asked for every paper that is shown, and most users merge none.
        if not self.shown:
            return (paper_id,)
        first = self.shown_id(paper_id)
        return (first, *sorted(other for other, name in self.shown.items() if name == first))


NO_DECISIONS = RecordVisibility()
"""Nothing was merged, kept apart or removed."""


UnsavedTextKind = Literal["note", "correction"]
UNSAVED_TEXT_KINDS: tuple[UnsavedTextKind, ...] = ("note", "correction")


@dataclass(frozen=True, slots=True)
class UnsavedText:
    """A text about a paper that the user has begun and neither saved nor discarded."""

    kind: UnsavedTextKind
    paper_id: PaperId
    text: str


@dataclass(frozen=True, slots=True)
class UnfinishedJob:
    """A job that was asked for and has not come to its end; enough to ask for it again."""

    lane: str
    """What kind of job it is: `add`, `obtain`, `fetch`, `sync`."""
    what: str
    """As the list of jobs calls it."""
    args: tuple[str, ...]
    """Paths, ids, or a source and its query."""


@dataclass(frozen=True, slots=True)
class Session:
    """What a restart brings back."""

    query: str = ""
    paper_id: PaperId | None = None
    hypothesis: str = ""
    scroll: tuple[tuple[PaperId, int], ...] = field(default=())
    """Top sentence index per paper, most recently read last, at most 200."""
    history: tuple[str, ...] = ()
    """Queries, oldest first, at most 200."""
    matrix: str = ""
    """The matrix that was looked at when one left; empty if none was."""
    focus: str = ""
    """The pane that had the focus when one left."""
    unfinished: tuple[UnfinishedJob, ...] = ()
    """Jobs that waited or ran when the process ended, at most 200."""
    tour: int = 0
    """Steps of the guided tour that are done."""
    commands: tuple[str, ...] = ()
    """Entered in the command line, oldest first, at most 50."""
    questions: tuple[str, ...] = ()
    """Put to the library with `:ask`, oldest first, at most 50."""
    note_drafts: tuple[tuple[PaperId, str], ...] = ()
    """Notes that were left without saving them, in the sessions of an earlier version; `UnsavedTexts` has them now."""
