"""What the engine offers for reranking: the local order first, then the model's in its place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from litterm.core.errors import ModelError
from litterm.core.tasks import Task, collect_outgoing
from litterm.interfaces import HopSearcher, Reranker, Searcher
from litterm.model.events import ProvisionalRanking
from litterm.model.llm import CostEstimate
from litterm.model.search import HopOptions, Query, Ranking, RerankOptions


@dataclass(frozen=True, slots=True)
class ModelRanking:
    """Rankings by a model; every call is a run of its own, with its own cap. Safe from any thread."""

    searcher: Callable[[], Searcher]
    hops: Callable[[], HopSearcher]
    judge: Callable[[RerankOptions], Reranker]
    """Raises `UsageError` where no model is set, `ModelError` where the one that is set cannot be asked."""
    rehearse: Callable[[RerankOptions], Reranker]
    """The same in a dry run: it yields `OutgoingRequest` instead of sending."""

    def search(self, query: Query, use: RerankOptions, *, k: int = 20, hop: HopOptions | None = None) -> Task[Ranking]:
        """The best `k` papers, the first `use.most` in the model's order; the local order is said first.

        With `hop` the papers one citation away take part. Where the model fails it is the local order, in whole or
        in part, and notices say so.

        Raises:
            UsageError: no model is set.
        """
        local = yield from self.local(query, use, k=k, hop=hop)
        yield ProvisionalRanking(_first(local, k))
        return _first((yield from self.again(local, use)), k)

    def again(self, ranking: Ranking, use: RerankOptions) -> Task[Ranking]:
        """`ranking` as it is shown, its first `use.most` papers in the model's order.

        Raises:
            UsageError: no model is set.
        """
        try:
            judge = self.judge(use)
        except ModelError as error:
            return replace(ranking, notices=(*ranking.notices, f"No model was asked: {error}"))
        return (yield from judge.rank(ranking))

    def local(self, query: Query, use: RerankOptions, *, k: int = 20, hop: HopOptions | None = None) -> Task[Ranking]:
        """What the model is to order: the ranking without one, with as many papers as it is shown."""
        most = max(k, use.most)
        if hop is None:
            return (yield from self.searcher().search(query, k=most))
        return (yield from self.hops().search(query, k=most, hop=hop))

    def reckon(
        self, query: Query, use: RerankOptions, *, k: int = 20, hop: HopOptions | None = None
    ) -> Task[tuple[Ranking, CostEstimate]]:
        """The local ranking, for `again`, and what ordering it would cost at most; sends nothing.

        Raises:
            UsageError: no model is set.
            ModelError: it cannot be asked.
        """
        judge = self.judge(use)
        local = yield from self.local(query, use, k=k, hop=hop)
        return local, judge.estimate(local)

    def estimate(self, ranking: Ranking, use: RerankOptions) -> CostEstimate:
        """What ordering `ranking` would cost at most; sends nothing.

        Raises:
            UsageError: no model is set.
            ModelError: it cannot be asked.
        """
        return self.judge(use).estimate(ranking)

    def preview(self, ranking: Ranking, use: RerankOptions) -> Task[tuple[str, ...]]:
        """The requests `again` would send, to the letter; of several, those after the first depend on its reply.

        Raises:
            UsageError: no model is set.
            ModelError: it cannot be asked.
        """
        return (yield from collect_outgoing(self.rehearse(use).rank(ranking)))


def _first(ranking: Ranking, k: int) -> Ranking:
    return replace(ranking, papers=ranking.papers[:k])
