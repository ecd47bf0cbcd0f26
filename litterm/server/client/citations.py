"""Who cites whom and how often, asked of the server."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from litterm.citations.citations import Citations
from litterm.citations.counts import CitationCounts
from litterm.model.citations.citation_counts import COUNT_SOURCES
from litterm.model.citations.facts import SHIPPED_SOURCES
from litterm.model.citations.graph import CitedCount
from litterm.server.client.connection import BATCH_SIZE, ServerConnection
from litterm.server.client.refusals import refuse_remote
from litterm.server.operations import citations
from litterm.server.operations.citations import EdgesAnswer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from litterm.core.tasks import Task
    from litterm.interfaces import CitationGraph
    from litterm.model.citations.citation_counts import CountsReport, PaperCounts
    from litterm.model.citations.graph import Citance, Direction, Edge, ExternalList, ListedWork
    from litterm.model.paper import Paper, PaperId
    from litterm.model.search import Ranking


class RemoteGraph:
    """The citation graph of the server, asked again each time; fits `interfaces.CitationGraph`."""

    def __init__(self, connection: ServerConnection, *, with_shipped: bool = True) -> None:
        """With `with_shipped`, also with the edges that ship."""
        self._connection = connection
        self._with_shipped = with_shipped

    def references(self, ids: Sequence[PaperId]) -> tuple[tuple[Edge, ...], ...]:
        """Per paper, what it cites within the library."""
        return self._edges(ids, "references").edges

    def citations(self, ids: Sequence[PaperId], *, until: int | None = None) -> tuple[tuple[Edge, ...], ...]:
        """Per paper, what cites it within the library."""
        return self._edges(ids, "citations", until).edges

    def contexts(self, citing: PaperId, cited: PaperId) -> tuple[Citance, ...]:
        """The sentences of `citing` that cite `cited`."""
        return self._connection.ask(citations.citances, (cited,), citing=citing)[0]

    def citances(
        self, ids: Sequence[PaperId], *, until: int | None = None, exclude: Collection[PaperId] = ()
    ) -> tuple[tuple[Citance, ...], ...]:
        """Per paper, every sentence that cites it."""
        if not ids:
            return ()
        return self._connection.ask(citations.citances, tuple(ids), until=until, exclude=tuple(sorted(exclude)))

    def counts(
        self, ids: Sequence[PaperId], *, until: int | None = None, exclude: Collection[PaperId] = ()
    ) -> tuple[CitedCount, ...]:
        """Per paper, how often it is cited."""
        citing_edges = [
            [edge for edge in edges if edge.citing not in exclude] for edges in self.citations(ids, until=until)
        ]
        return tuple(CitedCount(len(edges), sum(max(1, edge.count) for edge in edges)) for edges in citing_edges)

    def citing_paper_counts(self) -> Mapping[PaperId, int]:
        """Not available here: only a search needs it, which the server does."""
        refuse_remote("Citations of all papers are counted")

    def has_references(self, ids: Sequence[PaperId]) -> tuple[bool, ...]:
        """Per paper, whether its own references are known."""
        return self._edges(ids, "references").known

    def _edges(self, ids: Sequence[PaperId], direction: Direction, until: int | None = None) -> EdgesAnswer:
        answers = [
            self._connection.ask(
                citations.edges, tuple(ids[start : start + BATCH_SIZE]), direction=direction, until=until
            )
            for start in range(0, len(ids), BATCH_SIZE)
        ]
        return EdgesAnswer(
            tuple(self._chosen(edges) for answer in answers for edges in answer.edges),
            tuple(is_known for answer in answers for is_known in answer.known),
        )

    def _chosen(self, edges: tuple[Edge, ...]) -> tuple[Edge, ...]:
        return edges if self._with_shipped else tuple(edge for edge in edges if edge.source not in SHIPPED_SOURCES)


class RemoteCitations(Citations):
    """The citations of a server, which keeps its graph up to date."""

    def __init__(self, local: Citations, connection: ServerConnection) -> None:
        super().__init__(local.store, local.texts, local.service_lists, local.library, local.works)
        self._connection = connection
        self._graph = RemoteGraph(connection)

    def graph(self) -> CitationGraph:
        """The graph of the server."""
        return self._graph

    def resolved_graph(self) -> CitationGraph:
        """The graph of the server, without the edges that ship."""
        return RemoteGraph(self._connection, with_shipped=False)

    def update(self) -> Task[CitationGraph]:
        """Returns the graph, which the server updates before it answers."""
        yield from ()
        return self._graph

    def unheld_works(self, paper: Paper, direction: Direction) -> Task[tuple[ListedWork, ...]]:
        """What the facts of the server name, and its library lacks."""
        listing = citations.references if direction == "references" else citations.cited_by
        works = yield from self._connection.call(listing, paper)
        return tuple(work for work in works if work.collection and work.reference.target is None)

    def catch_up(self) -> Task[None]:
        """Nothing."""
        yield from ()

    def store_list(self, listed: ExternalList) -> None:
        """Does nothing: what a service gave one user is shown, but not added to the graph of the group."""


class RemoteCounts(CitationCounts):
    """The citation counts of the server; those of a ranking came with it."""

    def __init__(self, local: CitationCounts, connection: ServerConnection) -> None:
        super().__init__(local.store, local.library, local.graph, local.services)
        self._connection = connection

    def counts_of(self, ids: Sequence[PaperId]) -> tuple[PaperCounts, ...]:
        """Per paper, every count there is."""
        return self._connection.ask(citations.counts, tuple(ids)) if ids else ()

    def _counts_of_papers(self, papers: Sequence[Paper]) -> tuple[PaperCounts, ...]:
        return self.counts_of([paper.id for paper in papers])

    def until(self, ids: Sequence[PaperId], year: int) -> tuple[int | None, ...]:
        """Per paper, citations up to the end of `year`, by the service that counts most of them."""
        counts_by_source = [
            {count.source: count.until(year) for count in counts.services if count.source in COUNT_SOURCES}
            for counts in self.counts_of(ids)
        ]
        sources = sorted({source for counts in counts_by_source for source in counts})
        known_papers = {
            source: sum(counts.get(source) is not None for counts in counts_by_source) for source in sources
        }
        # `sources` is sorted, so that of two services that count as many papers it is always the same.
        best = max(sources, key=lambda source: known_papers[source], default=None)
        return tuple(None if best is None else counts.get(best) for counts in counts_by_source)

    def with_counts(self, ranking: Ranking) -> Ranking:
        """`ranking` with the counts of its papers."""
        return ranking if all(ranked.cited is not None for ranked in ranking.papers) else super().with_counts(ranking)

    def sync(self, papers: Sequence[Paper] | None = None) -> Task[CountsReport]:
        """Refused, as counts are fetched on the server."""
        refuse_remote("Citation counts are updated")
