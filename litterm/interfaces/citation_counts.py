"""Citation counts of services: who gives them, where they are kept, and what searches ask of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.model.citations.citation_counts import ServiceCount
    from litterm.model.paper import Paper, PaperId


class CitationCounter(Protocol):
    """A service that says how often papers are cited."""

    @property
    def name(self) -> str:
        """One of `COUNT_SOURCES`."""
        ...

    @property
    def max_papers_per_step(self) -> int:
        """Papers it may be asked about in one step."""
        ...

    def can_count(self, paper: Paper) -> bool:
        """Whether it may know the paper by one of its ids; asks nobody."""
        ...

    def fetch_counts(self, papers: Sequence[Paper]) -> Task[tuple[ServiceCount | None, ...]]:
        """Per paper its count, `None` where the service does not know it; at most `max_papers_per_step` papers.

        Raises:
            SourceError: it could not be asked.
        """
        ...


class CitedPapers(Protocol):
    """How often papers are cited, for a search that filters or sorts by it."""

    def papers_cited_at_least(self, count: int) -> Collection[PaperId]:
        """The papers of which the largest of all counts is `count` or more; `count` is positive."""
        ...

    def sort_keys(self, ids: Sequence[PaperId]) -> Sequence[float]:
        """Per paper a number that is larger the more it is cited, by one counter for all; ties by another."""
        ...

    def counter_name(self) -> str:
        """The name of the counter that `sort_keys` goes by, for people."""
        ...
