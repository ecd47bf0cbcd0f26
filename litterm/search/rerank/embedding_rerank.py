"""Reranks the first papers of a ranking by the cosines of a larger embedding model, added to their scores.

Only these papers are embedded, so that nothing has to be prepared for the whole library.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from litterm.core.errors import ModelError
from litterm.interfaces import TextEmbedder
from litterm.model.events import Progress
from litterm.model.search import RankedPaper, Ranking, RetrieverShare
from litterm.text.queries.parser import free_text

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.model.llm import CostEstimate
    from litterm.model.search import RerankOptions

_EMBEDDING_WEIGHT = 1.0
"""Weight of the z-score of cosines beside that of scores: the second model should add to words and built-in vectors and
not outvote them."""


class EmbeddingReranker:
    """Reranks by an embedding model; fits `interfaces.Reranker`."""

    def __init__(self, embedder: TextEmbedder, options: RerankOptions) -> None:
        self._embedder = embedder
        self._options = options

    def rank(self, ranking: Ranking) -> Task[Ranking]:
        """`ranking` with its first papers reordered; where the model fails, `ranking` with a notice."""
        first = ranking.papers[: self._options.max_papers]
        if len(first) < 2:
            return ranking
        yield Progress(f"{self._embedder.name} reads {len(first)} papers", 0, len(first))
        try:
            query = yield from self._embedder.embed([_query_text(ranking)], kind="query")
            papers = yield from self._embedder.embed([_paper_text(ranked) for ranked in first], kind="paper")
        except ModelError as error:
            notice = f"The embedding model could not be asked, so this is the offline order: {error}"
            return replace(ranking, notices=(*ranking.notices, notice))
        return _reorder(ranking, papers @ query[0], self._embedder.name)

    def estimate(self, ranking: Ranking) -> CostEstimate:
        """What `rank` would cost at most; sends nothing."""
        return self._embedder.estimate(
            [_query_text(ranking), *map(_paper_text, ranking.papers[: self._options.max_papers])]
        )


def _query_text(ranking: Ranking) -> str:
    return free_text(ranking.query) or ranking.query.text


def _paper_text(ranked: RankedPaper) -> str:
    return f"{ranked.paper.title}\n{ranked.paper.abstract}".strip()


def _reorder(ranking: Ranking, cosines: np.ndarray, name: str) -> Ranking:
    first, rest = ranking.papers[: len(cosines)], ranking.papers[len(cosines) :]
    scores = np.array([ranked.score or 0.0 for ranked in first])
    # In the scale of the existing scores, to which they are added.
    spread = float(scores.std()) or 1.0
    points = _EMBEDDING_WEIGHT * spread * (cosines - cosines.mean()) / (float(cosines.std()) or 1.0)
    ranks_by_cosine = (-cosines).argsort(kind="stable").argsort(kind="stable") + 1
    moved = [
        replace(
            ranked,
            score=float(score + added),
            local_rank=ranked.rank,
            why=ranked.why
            and replace(
                ranked.why,
                shares=(*ranked.why.shares, RetrieverShare(name, int(rank_by_cosine), float(cosine), float(added))),
            ),
        )
        for ranked, score, added, rank_by_cosine, cosine in zip(
            first, scores, points, ranks_by_cosine, cosines, strict=True
        )
    ]
    moved.sort(key=lambda ranked: (-(ranked.score or 0.0), ranked.rank))
    by = f"{ranking.by} · {name}"
    # The papers below keep their places and scores.
    papers = [replace(ranked, rank=rank, by=by) for rank, ranked in enumerate(moved, 1)]
    return replace(ranking, papers=(*papers, *rest), by=by)
