"""Citation counts of services: who gives them, where they are kept, and what searches ask of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.model.citation_counts import CountAnswer, CountSource, ServiceCount
    from litterm.model.paper import Paper, PaperId


class CitationCounter(Protocol):
    """A service that says how often papers are cited."""

    @property
    def name(self) -> str:
        """One of `COUNT_SOURCES`."""
        ...

    @property
    def most_counted(self) -> int:
        """Papers it may be asked about in one step."""
        ...

    def counts(self, paper: Paper) -> bool:
        """Whether it may know the paper by one of its ids; asks nobody."""
        ...

    def cited(self, papers: Sequence[Paper]) -> Task[tuple[ServiceCount | None, ...]]:
        """Per paper its count, `None` where the service does not know it; at most `most_counted` papers.

        Raises:
            SourceError: it could not be asked.
        """
        ...


class CountStore(Protocol):
    """Answers of services, kept per paper and service; durable, safe from any thread."""

    def version(self) -> object:
        """Differs when something was kept; one stat."""
        ...

    def of(self, paper_id: PaperId) -> Mapping[CountSource, CountAnswer]:
        """What services said last of the paper."""
        ...

    def numbers(self, source: CountSource) -> Mapping[PaperId, int]:
        """Every count of one service, by paper."""
        ...

    def keep(self, answers: Sequence[CountAnswer]) -> None:
        """Keeps answers, each in place of an earlier one of the same paper and service.

        Raises:
            DiskFull: they could not be written.
        """
        ...

    def writing_alone(self) -> AbstractContextManager[None]:
        """The right to write, until it is left.

        Raises:
            LibraryError: another litterm has it.
        """
        ...


class CitedPapers(Protocol):
    """How often papers are cited, for a search that filters or sorts by it."""

    def cited_at_least(self, count: int) -> Collection[PaperId]:
        """The papers of which the largest of all counts is `count` or more; `count` is positive."""
        ...

    def sort_keys(self, ids: Sequence[PaperId]) -> Sequence[float]:
        """Per paper a number that is larger the more it is cited, by one counter for all; ties by another."""
        ...

    def counter(self) -> str:
        """By whose count `sort_keys` goes, in words."""
        ...
