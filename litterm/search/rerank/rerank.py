"""Reranking with a model: the local ranking first, then the order of the model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from litterm.core.errors import ModelError
from litterm.core.tasks import Task, collect_outgoing
from litterm.interfaces import HopSearcher, PaperSearcher, Reranker
from litterm.model.events import ProvisionalRanking
from litterm.model.llm import CostEstimate
from litterm.model.search import DEFAULT_RESULTS, HopOptions, Query, Ranking, RerankOptions, Rewrite

if TYPE_CHECKING:
    from litterm.llm.registry import Models


@dataclass(frozen=True, slots=True)
class ModelRanking:
    """Rankings by a model; each call is a run with its own cap. Safe from any thread."""

    searcher: Callable[[], PaperSearcher]
    hops: Callable[[], HopSearcher]
    build_reranker: Callable[[RerankOptions], Reranker]
    """Raises `UsageError` where no model is set, `ModelError` where the one that is set cannot be asked."""
    build_dry_run: Callable[[RerankOptions], Reranker]
    """As `build_reranker`, for a dry run: its ranking yields `OutgoingRequest` instead of sending."""

    def search(
        self,
        query: Query,
        options: RerankOptions,
        *,
        k: int = DEFAULT_RESULTS,
        hop: HopOptions | None = None,
        rewrite: Rewrite | None = None,
    ) -> Task[Ranking]:
        """The best `k` papers, the first `options.max_papers` in the order of the model.

        Yields the local ranking first. With `hop` papers one citation away are included. Where the model fails, the
        local order stays, with a notice.

        Raises:
            UsageError: no model is set.
        """
        local = yield from self.search_locally(query, options, k=k, hop=hop, rewrite=rewrite)
        yield ProvisionalRanking(_first_papers(local, k))
        return _first_papers((yield from self.rerank(local, options)), k)

    def rerank(self, ranking: Ranking, options: RerankOptions) -> Task[Ranking]:
        """`ranking` with its first `options.max_papers` papers in the order of the model.

        Raises:
            UsageError: no model is set.
        """
        try:
            reranker = self.build_reranker(options)
        except ModelError as error:
            return replace(ranking, notices=(*ranking.notices, f"No model was asked: {error}"))
        return (yield from reranker.rank(ranking))

    def search_locally(
        self,
        query: Query,
        options: RerankOptions,
        *,
        k: int = DEFAULT_RESULTS,
        hop: HopOptions | None = None,
        rewrite: Rewrite | None = None,
    ) -> Task[Ranking]:
        """The local ranking, with as many papers as the model is shown; with `rewrite` that of all queries together."""
        count = max(k, options.max_papers)
        if hop is not None:
            return (yield from self.hops().search(query, k=count, hop=hop))
        if rewrite is not None:
            from litterm.search.rewrites.fused_search import search_fused

            return (yield from search_fused(self.searcher(), query, rewrite, k=count))
        return (yield from self.searcher().search(query, k=count))

    def search_and_estimate(
        self,
        query: Query,
        options: RerankOptions,
        *,
        k: int = DEFAULT_RESULTS,
        hop: HopOptions | None = None,
        rewrite: Rewrite | None = None,
    ) -> Task[tuple[Ranking, CostEstimate]]:
        """The local ranking, and what reranking it would cost at most; sends nothing.

        Raises:
            UsageError: no model is set.
            ModelError: it cannot be asked.
        """
        reranker = self.build_reranker(options)
        local = yield from self.search_locally(query, options, k=k, hop=hop, rewrite=rewrite)
        return local, reranker.estimate(local)

    def estimate(self, ranking: Ranking, options: RerankOptions) -> CostEstimate:
        """What reranking `ranking` would cost at most; sends nothing.

        Raises:
            UsageError: no model is set.
            ModelError: it cannot be asked.
        """
        return self.build_reranker(options).estimate(ranking)

    def preview(self, ranking: Ranking, options: RerankOptions) -> Task[tuple[str, ...]]:
        """The requests that reranking would send, verbatim; those after the first depend on its reply.

        Raises:
            UsageError: no model is set.
            ModelError: it cannot be asked.
        """
        return (yield from collect_outgoing(self.build_dry_run(options).rank(ranking)))


def _first_papers(ranking: Ranking, k: int) -> Ranking:
    return replace(ranking, papers=ranking.papers[:k])


def build_reranker(models: Models, options: RerankOptions, *, dry_run: bool = False) -> Reranker:
    """Builds what reranks by a model of `models`, in a run of its own.

    Raises:
        UsageError: no model is set.
        ModelError: the one that is set cannot be asked.
    """
    # Imported when needed: most rankings are made without a model.
    if options.by == "embeddings":
        from litterm.library.encoder.model_folder import read_folder
        from litterm.library.encoder.sentence_encoder import ONNX_PREFIX, SentenceEncoder
        from litterm.search.rerank.embedding_rerank import EmbeddingReranker

        if models.embedding.startswith(ONNX_PREFIX):
            files = read_folder(Path(models.embedding.removeprefix(ONNX_PREFIX)))
            return EmbeddingReranker(SentenceEncoder(files), options)
        return EmbeddingReranker(models.embedder(dry_run=dry_run, fresh=not options.cached), options)
    from litterm.search.rerank.llm_rerank import LlmReranker

    return LlmReranker(models.model(dry_run=dry_run).start_run(fresh=not options.cached), options)
