"""A reading list: papers on a topic in an order that supports learning, perhaps in sections."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from litterm.model.document import Reference
    from litterm.model.paper import LibraryName, Paper, PaperId
    from litterm.model.search import QueryKind

ListStage = Literal["overview", "foundation", "method", "recent"]
"""What a paper is for in a list: surveys and tutorials, what others build on, further work, the newest work."""
LINEAR_METHOD = "linear"
"""The value of `ReadingList.by` for lists made offline, by the fitted linear model."""
MIN_PAPERS, MAX_PAPERS, DEFAULT_PAPERS = 3, 20, 12
"""Papers of a list: at least, at most, and where nothing is said."""


@dataclass(frozen=True, slots=True)
class Topic:
    """What a reading list was asked for, read."""

    typed: str
    text: str
    """What is searched: the request without the words that only ask."""
    kind: QueryKind
    keywords: tuple[str, ...]
    """The things the list should cover; as typed between commas, or the telling phrases of a sentence."""


@dataclass(frozen=True, slots=True)
class ListRequest:
    """What a reading list is asked for with: its topic, its size, and what must or must not be in it."""

    topic: str
    """Keywords separated by commas, or a sentence."""
    size: int = DEFAULT_PAPERS
    """Papers, 3 to 20."""
    until: int | None = None
    """The last year a paper may be of."""
    sections: bool = False
    """Whether it is grouped under two to five headings."""
    exclude: frozenset[PaperId] = frozenset()
    """Papers that are not to be in it."""
    include: tuple[PaperId, ...] = ()
    """Papers that are in it regardless of any reason: those that were pinned."""
    seeds: tuple[PaperId, ...] = ()
    """Papers that come into question with their neighbours in the citation graph, whatever their words."""
    queries: tuple[str, ...] = ()
    """Other queries for the same papers, which are searched like the topic."""


@dataclass(frozen=True, slots=True)
class ListLlmOptions:
    """How a model is to build a reading list."""

    fresh: bool = False
    """Whether cached replies are ignored."""
    dry_run: bool = False
    """Whether requests are yielded as `OutgoingRequest` instead of being sent."""
    online: bool = False
    """Whether titles that the library lacks are looked up in services."""
    library_name: LibraryName | None = None
    """The papers it is made of; by default the user's or, while there are none, those of the starter library."""


@dataclass(frozen=True, slots=True)
class ListEntry:
    """A paper at its place in a list."""

    paper: Paper
    stage: ListStage
    why: tuple[str, ...] = ()
    """The reasons for it, from data alone, or a model's words where `by` of the list names one."""
    pinned: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True)
class ListSection:
    """Entries below one heading; a list without sections has one, with an empty name."""

    name: str
    entries: tuple[ListEntry, ...]
    subsection: str = ""


@dataclass(frozen=True, slots=True)
class ListSummary:
    """A list as it is among others."""

    id: str
    topic: str
    papers: int
    read: int
    made: str


@dataclass(frozen=True, slots=True)
class ReadingList:
    """The list as it is shown; papers may have left the library since it was made, then they are not here."""

    id: str
    """Empty as long as it is not kept."""
    request: ListRequest
    sections: tuple[ListSection, ...]
    by: str
    """What made it: `linear`, or the model's name."""
    links: tuple[tuple[PaperId, PaperId], ...] = ()
    """Citing and cited paper, both of the list."""
    spares: tuple[PaperId, ...] = ()
    """What came next: papers that may take the place of one that is replaced, the best first."""
    dropped: tuple[PaperId, ...] = ()
    """Papers the user threw out: they never come back."""
    made: str = ""
    """UTC, ISO 8601."""
    notices: tuple[str, ...] = ()
    titles_named: int = 0
    """Titles that a model wrote down beside the candidates; of a list just made."""
    titles_lost: int = 0
    """Of these, titles that lead to no paper that may be in the list."""

    @property
    def entries(self) -> tuple[ListEntry, ...]:
        """All entries in order."""
        return tuple(entry for section in self.sections for entry in section.entries)

    @property
    def topic(self) -> str:
        """As it was typed."""
        return self.request.topic


@dataclass(frozen=True, slots=True)
class ExpertSection:
    """What an expert lists under one heading."""

    name: str
    """Empty where the list has no headings of its own."""
    references: tuple[Reference, ...]
    """In the order of the expert; `target` where the library holds the paper."""


@dataclass(frozen=True, slots=True)
class ExpertList:
    """The reading list that a tutorial or survey gives in its own text."""

    paper: Paper
    """The tutorial or survey."""
    title: str
    """Of the section that holds the list, as printed."""
    sections: tuple[ExpertSection, ...]

    @property
    def references(self) -> tuple[Reference, ...]:
        """All works listed, in order."""
        return tuple(reference for section in self.sections for reference in section.references)

    @property
    def held(self) -> tuple[PaperId, ...]:
        """Those that the library holds, each once."""
        return tuple(dict.fromkeys(reference.target for reference in self.references if reference.target))
