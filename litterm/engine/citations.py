"""The part of the engine for citations: the graph, citation counts, first papers, one-hop search."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

# For types only; what a method needs it imports itself: a light command must load nothing that it does not use.
if TYPE_CHECKING:
    from litterm.citations.citations import Citations
    from litterm.citations.counts import CitationCounts
    from litterm.core.tasks import Task
    from litterm.engine.parts import Parts
    from litterm.model.citations.graph import FirstPapers
    from litterm.model.search import HopOptions, Query, Ranking

T = TypeVar("T")


class EngineCitations:
    """The part of the engine that knows who cites whom."""

    _parts: Parts

    @property
    def citations(self) -> Citations:
        """The citation graph: read at once, brought up to date by a task."""
        return self._parts.citations

    @property
    def counts(self) -> CitationCounts:
        """How often papers are cited, in the library and as services say; brought up to date by a task."""
        return self._parts.counts

    def first(self, query: Query, *, k: int = 10) -> Task[FirstPapers]:
        """The `k` papers a topic began with: named so by citing sentences, then the oldest of the relevant.

        Raises:
            UsageError: `query` has no word to search for.
        """
        from litterm.citations.first_papers import first_of

        graph = self.citations.update()
        return (yield from self._announced(first_of(query, k=k, searcher=self._parts.searcher, graph=graph)))

    def _announced(self, task: Task[T]) -> Task[T]:
        """What `task` gives, and a notice where a part of the library was left out of it.

        Asked behind it: what is damaged may show only when it is read.
        """
        from litterm.model.events import Notice

        result = yield from task
        if notice := self._parts.left_out():
            yield Notice(notice)
        return result

    def one_hop(self, query: Query, *, k: int = 20, hop: HopOptions | None = None) -> Task[Ranking]:
        """The best `k` papers of a search and of what its first papers cite, ranked together; offline.

        Yields the search's own ranking first. `hop` says which neighbours, of how many papers, and how many in all.
        """
        from litterm.model.search import HopOptions

        return (yield from self._parts.hops.search(query, k=k, hop=hop or HopOptions()))
