"""Interfaces of citations: the graph of who cites whom in the library, and counts of services."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.model.citations.citation_counts import ServiceCount
    from litterm.model.citations.graph import (
        Citance,
        CitedCount,
        Edge,
    )
    from litterm.model.paper import Paper, PaperId


class CitationGraph(Protocol):
    """Who cites whom, without waiting; safe from any thread. Each call answers from what is stored at one moment.

    `citations.graph.Graph` of this machine, and `RemoteGraph` of a server.

    Papers are named by `Paper.id`, not by an alias. `until` is the last year of a citing paper that counts; one
    without a year then does not. `exclude` are citing papers to be left out.
    """

    def references(self, ids: Sequence[PaperId]) -> tuple[tuple[Edge, ...], ...]:
        """Per paper, what it cites within the library, in the order of its list."""
        ...

    def citations(self, ids: Sequence[PaperId], *, until: int | None = None) -> tuple[tuple[Edge, ...], ...]:
        """Per paper, what cites it within the library, the newest first, ties by id."""
        ...

    def contexts(self, citing: PaperId, cited: PaperId) -> tuple[Citance, ...]:
        """The sentences of `citing` that cite `cited`, in the order of the text."""
        ...

    def citances(
        self, ids: Sequence[PaperId], *, until: int | None = None, exclude: Collection[PaperId] = ()
    ) -> tuple[tuple[Citance, ...], ...]:
        """Per paper, every sentence that cites it, newest citing paper first."""
        ...

    def counts(
        self, ids: Sequence[PaperId], *, until: int | None = None, exclude: Collection[PaperId] = ()
    ) -> tuple[CitedCount, ...]:
        """Per paper, how often it is cited."""
        ...

    def citing_paper_counts(self) -> Mapping[PaperId, int]:
        """The number of citing papers for every paper that is cited within the library."""
        ...

    def has_references(self, ids: Sequence[PaperId]) -> tuple[bool, ...]:
        """Per paper, whether its own references are known; where not, that there are no edges says nothing."""
        ...


class CitationCounter(Protocol):
    """A service that says how often papers are cited: `OpenAlex`, `Crossref`, `EuropePmc`, `SemanticScholar`."""

    @property
    def name(self) -> str:
        """One of `COUNT_SOURCES`."""
        ...

    @property
    def max_papers_per_step(self) -> int:
        """Papers it may be asked about in one step."""
        ...

    def can_count(self, paper: Paper) -> bool:
        """Whether the service may know the paper by one of its ids; makes no request."""
        ...

    def fetch_counts(self, papers: Sequence[Paper]) -> Task[tuple[ServiceCount | None, ...]]:
        """Per paper its count, `None` where the service does not know it; at most `max_papers_per_step` papers.

        Raises:
            SourceError: it could not be asked.
        """
        ...


class CitedPapers(Protocol):
    """How often papers are cited, for a search that filters or sorts by it.

    An interface because `search` lies below `citations`, whose `CitationCounts` this is.
    """

    def papers_cited_at_least(self, count: int) -> Collection[PaperId]:
        """The papers of which the largest of all counts is `count` or more; `count` is positive."""
        ...

    def sort_keys(self, ids: Sequence[PaperId]) -> Sequence[float]:
        """Per paper a number that is larger the more it is cited, by one counter for all; ties by another."""
        ...

    def counter_name(self) -> str:
        """The display name of the counter that `sort_keys` uses."""
        ...
