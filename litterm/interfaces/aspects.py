"""Interfaces of queries with several aspects: scores without a model, and grades of a model kept on disk."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.model.aspects import AspectCell, AspectScores
    from litterm.model.paper import PaperId
    from litterm.model.search import Query, Ranking, SortOrder


class ScopedSearcher(Protocol):
    """A searcher that can be held to some papers; its scores mean the same either way."""

    def search(
        self, query: Query, *, k: int, sort: SortOrder = "relevance", within: Collection[PaperId] | None = None
    ) -> Task[Ranking]:
        """The best `k` papers, of those `within` if given; ties by id."""
        ...


class AspectScorer(Protocol):
    """Aspects and papers to scores, offline."""

    def scores(self, texts: Sequence[str], papers: Sequence[PaperId]) -> Task[AspectScores]:
        """A score in [0, 1] for every text and paper."""
        ...


class GradeBook(Protocol):
    """Grades kept on the disk; safe from any thread and process."""

    def kept(self, column: str) -> Mapping[str, AspectCell]:
        """What was kept under `column`, by key."""
        ...

    def keep(self, column: str, key: str, cell: AspectCell) -> None:
        """Keeps one more; durable on return, and simply not kept where there is no room."""
        ...
