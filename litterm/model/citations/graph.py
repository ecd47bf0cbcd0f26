"""Who cites whom, in which words, and which papers were first: edges and citing sentences of the library."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable

    from litterm.model.document import DocumentId, Reference, Span
    from litterm.model.paper import PaperId
    from litterm.model.search import Query, RankedPaper


EdgeSource = Literal[
    "text", "starter", "semantic-scholar", "openalex", "crossref", "europepmc", "acl-network", "public-lists"
]
"""Where it is known from: a full text here, the starter library, a service that was asked, or what ships."""
Direction = Literal["references", "citations"]
"""From a paper to what it cites, or to what cites it."""
ListSlot: TypeAlias = "tuple[PaperId, EdgeSource, Direction]"
"""What a list is stored under: the paper whose list it is, where it is known from, and what it lists."""
HopDirection = Literal["refs", "cited", "both"]
"""Which neighbours one hop takes in: what the seeds cite, what cites them, or both."""


@dataclass(frozen=True, slots=True)
class Edge:
    """One paper cites another; both are in the library, under these ids."""

    citing: PaperId
    cited: PaperId
    count: int = 0
    """Places of the citing text that cite it; 0 where only the list is known."""
    year: int | None = None
    """Of the citing paper."""
    source: EdgeSource = "text"
    entries: tuple[int, ...] = ()
    """Which entries of the citing paper's list mean it, by `Reference.index`."""


@dataclass(frozen=True, slots=True)
class Citance:
    """A sentence in which one paper cites another."""

    citing: PaperId
    cited: PaperId
    text: str
    mark: Span | None
    """The citation mark, half-open, in characters of `text`; `None` where the source does not mark it."""
    year: int | None = None
    """Of the citing paper."""
    source: EdgeSource = "text"
    document: DocumentId | None = None
    sentence: int | None = None
    """Index in that document."""


@dataclass(frozen=True, slots=True)
class CitedCount:
    """How often a paper is cited by papers of the library."""

    papers: int = 0
    marks: int = 0
    """Places in their texts; a paper whose text is not known counts as one."""


@dataclass(frozen=True, slots=True)
class ListedWork:
    """One work that a paper cites, or that cites it, in the library or not."""

    reference: Reference
    contexts: tuple[str, ...] = ()
    """Citing sentences, as the service gives them."""
    collection: str = ""
    """The collection that says so, as it is shown, where neither a text here nor a service does."""


@dataclass(frozen=True, slots=True)
class ExternalList:
    """The references or citations of a paper as a service lists them."""

    paper: PaperId
    source: EdgeSource
    direction: Direction
    works: tuple[ListedWork, ...]
    fetched_at: str = ""
    """UTC, ISO 8601."""


@dataclass(frozen=True, slots=True)
class ReferenceListHead:
    """The head of a reference list before it is resolved; the list is in a full text or comes from a service."""

    paper: PaperId
    """Whose list it is, by its id of today."""
    key: str
    """Differs when the list does: id of the document, or of the file that holds a service's list."""
    year: int | None
    source: EdgeSource = "text"
    direction: Direction = "references"

    @property
    def slot(self) -> ListSlot:
        """What it is stored under: a later list takes the place of this one."""
        return self.paper, self.source, self.direction


def reading_order(heads: Iterable[ReferenceListHead]) -> tuple[ReferenceListHead, ...]:
    """The heads in the order in which their lists are read."""
    # Texts first: what they say counts before a service's list. The rest of the key keeps the order after a kill.
    return tuple(sorted(heads, key=lambda head: (head.source != "text", head.paper, head.key)))


@dataclass(frozen=True, slots=True)
class ResolvedList:
    """A list after it was resolved against the library."""

    head: ReferenceListHead
    known: bool
    """Whether there was a list at all: without one the edges are those of mentions in the text."""
    edges: tuple[Edge, ...]
    """In the order of the list."""
    unresolved_hashes: frozenset[int]
    """Hashes of what a new paper must bear for another outcome; see `text.references.resolution_index`."""
    segments: frozenset[str] = frozenset()
    """Keys of the library's segments it was resolved against."""


@dataclass(frozen=True, slots=True)
class ListChanges:
    """What new segments mean for the lists of full texts that are resolved already."""

    heads: tuple[ReferenceListHead, ...]
    """The lists of papers that came in, or whose record or full text changed."""
    papers: frozenset[PaperId]
    """Ids, of today or of before, whose lists are among `heads` or are gone."""
    rewritten: frozenset[PaperId]
    """Ids of papers that were there, and of which a record now says something else: who cites them is read again."""


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
    """That whose name was typed, then those named as an origin, by how many papers name them; then the others, the
    oldest first."""
    looked_at: int
    """How many of the most relevant papers were looked at."""
    citances: int
    """How many citing sentences were read; 0 where the library has no full text that cites them."""
    notices: tuple[str, ...] = ()
