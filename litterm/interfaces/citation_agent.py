"""Interfaces of what the agent that looks for a cited paper may ask for beyond the library."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.model.citations.graph import Direction, ExternalList
    from litterm.model.library import Parsed
    from litterm.model.paper import Paper, PaperId
    from litterm.model.services import Obtained


class OnlinePapers(Protocol):
    """Services of papers, where the user allows them."""

    def find(self, name: str, query: str, *, limit: int = 20) -> Task[tuple[Parsed, ...]]:
        """Live search in the service `name`.

        Raises:
            SourceError: it could not be asked.
            Offline: the network is switched off.
        """
        ...

    def fetch(self, ids: Sequence[PaperId]) -> Task[tuple[Obtained, ...]]:
        """The full texts of papers of the library, stored; one result a paper.

        Raises:
            Offline: the network is switched off.
        """
        ...

    def listed(self, paper: Paper, direction: Direction, *, limit: int = 500) -> Task[ExternalList]:
        """What `paper` cites, or what cites it, from the first service that knows.

        Raises:
            SourceError: none knows, or none could be asked.
            Offline: the network is switched off.
        """
        ...
