"""Services of papers, by what they can do; a connector fits one or several of these. None of them knows the library.

`services.registry` has the connectors of each, four at least.

Every task raises `SourceError` (with `transient`), or `Offline`; see `services.http.client`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from litterm.model.services import (
    ANY_YEAR,
    CatalogueBatch,
    ExpectedSize,
    OpenText,
    Scope,
)

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.model.citations.graph import Direction, ExternalList
    from litterm.model.library import Failure, Parsed
    from litterm.model.paper import Paper, PaperId
    from litterm.model.search import YearRange


class Catalogue(Protocol):
    """A collection that can be walked through step by step, and again later for what is new."""

    @property
    def name(self) -> str:
        """As in `litterm sync NAME`."""
        ...

    def expected_size(self, scope: Scope, cursor: str) -> Task[ExpectedSize]:
        """What `next_batch` will give from `cursor` on, as far as can be determined cheaply."""
        ...

    def next_batch(self, scope: Scope, cursor: str, folder: Path) -> Task[CatalogueBatch]:
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
        """Whether the service may have `paper`; cheap, makes no request."""
        ...

    def fetch(self, paper: Paper, folder: Path) -> Task[OpenText]:
        """The full text as a file in `folder`.

        Raises:
            NotOpen: the service has it and may not give it.
            NotFound: the service does not have it.
        """
        ...


class CitationLister(Protocol):
    """References and citations with the sentences that cite."""

    @property
    def name(self) -> str:
        """How it is called in messages."""
        ...

    def serves(self, paper: Paper) -> bool:
        """Whether the service may know the paper by one of its ids; makes no request."""
        ...

    def list_works(self, paper: Paper, direction: Direction, *, limit: int) -> Task[ExternalList]:
        """At most `limit` works `paper` cites, or that cite it."""
        ...
