"""How often papers are cited, as the server knows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from litterm.citations.counts import CitationCounts
from litterm.server.client.refusals import refuse_remote
from litterm.server.protocol.requests import CountsAnswer, CountsRequest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from litterm.core.tasks import Task
    from litterm.model.citations.citation_counts import CountsReport, PaperCounts
    from litterm.model.paper import Paper, PaperId
    from litterm.model.search import Ranking
    from litterm.server.client.connection import ServerConnection


class RemoteCounts(CitationCounts):
    """Counts as the server has them; those of a ranking came with it."""

    def __init__(self, local: CitationCounts, connection: ServerConnection) -> None:
        super().__init__(local.store, local.library, local.graph, local.services)
        self._connection = connection

    def of(self, ids: Sequence[PaperId]) -> tuple[PaperCounts, ...]:
        """Per paper, every count there is."""
        return self._connection.ask("counts", CountsRequest(tuple(ids)), CountsAnswer).counts if ids else ()

    def until(self, ids: Sequence[PaperId], year: int) -> tuple[int | None, ...]:
        """Per paper, citations up to the end of `year`, by the service that counts most of them."""
        counts_by_source = [{count.source: count.until(year) for count in counts.services} for counts in self.of(ids)]
        sources = sorted({source for counts in counts_by_source for source in counts})
        known_papers = {
            source: sum(counts.get(source) is not None for counts in counts_by_source) for source in sources
        }
        # `sources` is sorted, so that of two services that count as many papers it is always the same.
        best = max(sources, key=lambda source: known_papers[source], default=None)
        return tuple(None if best is None else counts.get(best) for counts in counts_by_source)

    def onto(self, ranking: Ranking) -> Ranking:
        """`ranking` with the counts of its papers."""
        return ranking if all(ranked.cited is not None for ranked in ranking.papers) else super().onto(ranking)

    def sync(self, papers: Sequence[Paper] | None = None) -> Task[CountsReport]:
        """Refused: counts are the server's."""
        refuse_remote("Citation counts are brought up to date")
