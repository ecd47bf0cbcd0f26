"""Services of papers, by what they can do; a connector fits one or several of these. None of them knows the library.

Every task raises `SourceError` (with `transient`), or `Offline`; see `services.http.client`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from litterm.model.services import (
    ANY_YEAR,
    CatalogueBatch,
    Extent,
    NetworkState,
    OpenText,
    Scope,
    Siblings,
    Subscription,
)

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.interfaces.citation_counts import CitationCounter
    from litterm.model.graph import Direction, ExternalList
    from litterm.model.library import Failure, Parsed
    from litterm.model.paper import Paper, PaperId
    from litterm.model.search import YearRange


class Catalogue(Protocol):
    """A collection that can be walked through step by step, and again later for what is new."""

    @property
    def name(self) -> str:
        """As in `litterm sync NAME`."""
        ...

    def extent(self, scope: Scope, cursor: str) -> Task[Extent]:
        """What `batch` will give from `cursor` on, as far as can be told cheaply."""
        ...

    def batch(self, scope: Scope, cursor: str, folder: Path) -> Task[CatalogueBatch]:
        """The step behind `cursor`; an empty one begins. Files are put into `folder`.

        The same cursor gives the same step as long as the service has not changed: whoever was killed
        between two steps repeats one.
        """
        ...


class Finder(Protocol):
    """Live search."""

    @property
    def name(self) -> str:
        """How it is called in messages."""
        ...

    def find(self, query: str, *, limit: int, years: YearRange = ANY_YEAR) -> Task[tuple[Parsed, ...]]:
        """At most `limit` papers, in the service's own order; none is an answer, not an error."""
        ...


class IdLookup(Protocol):
    """Records by id."""

    @property
    def name(self) -> str:
        """How it is called in messages."""
        ...

    @property
    def schemes(self) -> tuple[str, ...]:
        """Which ids it knows, as in `PaperId`."""
        ...

    def lookup(self, ids: Sequence[PaperId]) -> Task[tuple[Parsed | Failure, ...]]:
        """One result an id, in order; a `Failure` has the id as its origin."""
        ...


class TextRoute(Protocol):
    """One legal way to a full text."""

    @property
    def name(self) -> str:
        """How it is called in messages."""
        ...

    def serves(self, paper: Paper) -> bool:
        """Whether it is worth asking for `paper`; cheap, asks nobody."""
        ...

    def fetch(self, paper: Paper, folder: Path) -> Task[OpenText]:
        """The full text as a file in `folder`.

        Raises:
            NotOpen: the service has it and may not give it.
            NotThere: the service does not have it.
        """
        ...


class CitationLister(Protocol):
    """References and citations with the sentences that cite."""

    @property
    def name(self) -> str:
        """How it is called in messages."""
        ...

    def serves(self, paper: Paper) -> bool:
        """Whether it knows the paper by one of its ids; asks nobody."""
        ...

    def listed(self, paper: Paper, direction: Direction, *, limit: int) -> Task[ExternalList]:
        """At most `limit` works `paper` cites, or that cite it."""
        ...


class IdConverter(Protocol):
    """Ids of one article, each from another."""

    def convert(self, ids: Sequence[PaperId]) -> Task[tuple[Siblings, ...]]:
        """One result an id (`doi:`, `pmid:`, `pmc:`, or `mid:` with the number of a manuscript), in order."""
        ...


class SubscriptionBook(Protocol):
    """What is synchronised, and how far each has come; durable."""

    def all(self) -> tuple[Subscription, ...]:
        """Every subscription, by source and query."""
        ...

    def get(self, source: str, scope: Scope) -> Subscription:
        """The subscription as last saved, or a new one."""
        ...

    def save(self, subscription: Subscription) -> None:
        """Durable when this returns."""
        ...

    def forget(self, source: str, scope: Scope) -> bool:
        """Drops a subscription, not its papers; whether there was one.

        Raises:
            LibraryError: another litterm is at it.
        """
        ...

    def workspace(self, source: str, scope: Scope) -> AbstractContextManager[Path]:
        """A folder of this subscription alone, for what is on its way; what was left in it is still there.

        Raises:
            LibraryError: another litterm is at it.
        """
        ...


class Services(Protocol):
    """Every connector, by what it can do; those asked first stand first."""

    @property
    def network(self) -> NetworkState:
        """What the last request met with."""
        ...

    def refuse_offline(self, whom: str) -> None:
        """Raises `Offline` where nothing may leave this machine; `whom` would have been asked."""
        ...

    @property
    def catalogues(self) -> Mapping[str, Catalogue]:
        """By name."""
        ...

    @property
    def finders(self) -> Mapping[str, Finder]:
        """By name."""
        ...

    @property
    def lookups(self) -> tuple[IdLookup, ...]:
        """In the order they are asked."""
        ...

    @property
    def routes(self) -> tuple[TextRoute, ...]:
        """In the order they are tried."""
        ...

    @property
    def converter(self) -> IdConverter:
        """For ids that a route or a look-up does not know."""
        ...

    @property
    def listers(self) -> tuple[CitationLister, ...]:
        """In the order they are asked."""
        ...

    @property
    def counters(self) -> tuple[CitationCounter, ...]:
        """Who counts citations, in the order they are asked."""
        ...
