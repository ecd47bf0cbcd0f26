"""Aspects as the query: each searches by itself, and the rankings are merged by reciprocal ranks.

After DORIS-MAE (table 13), where the aspects stand instead of the query that they were made from.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING

from litterm.model.events import Progress
from litterm.model.search import RankedPaper, RetrieverShare, ScoreExplanation
from litterm.search.rewrites.fused_search import SEARCHED_PER_QUERY, reciprocal_points, rewritten_query

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.interfaces import PaperSearcher
    from litterm.model.aspects import AspectQuery
    from litterm.model.paper import PaperId
    from litterm.model.search import Query, Ranking


def search_each_aspect(
    searcher: PaperSearcher,
    query: Query,
    aspects: AspectQuery,
    *,
    k: int,
    within: Collection[PaperId] | None = None,
) -> Task[Ranking]:
    """The best `k` papers for the aspects of `query` that are not muted; each gives up to its weight in points.

    The filters of `query` hold for all; its own words are not searched. Without an aspect it is searched as it is.
    """
    count = max(k, SEARCHED_PER_QUERY)
    rankings: list[Ranking] = []
    for number, aspect in enumerate(aspects.active):
        yield Progress("searching each aspect", number, len(aspects.active))
        rankings.append((yield from searcher.search(rewritten_query(query, aspect.text), k=count, within=within)))
    if not rankings:
        return (yield from searcher.search(query, k=k, within=within))
    found: dict[PaperId, RankedPaper] = {}
    shares: dict[PaperId, list[RetrieverShare]] = {}
    for aspect, ranking in zip(aspects.active, rankings, strict=True):
        for ranked in ranking.papers:
            points = aspect.weight * reciprocal_points(ranked.rank)
            found.setdefault(ranked.paper.id, ranked)
            shares.setdefault(ranked.paper.id, []).append(
                RetrieverShare(f"for “{aspect.text}”", ranked.rank, points, points)
            )
    by = f"each aspect · {rankings[0].by}"
    merged = [
        replace(ranked, score=sum(share.points for share in shares[key]), by=by, why=ScoreExplanation((*shares[key],)))
        for key, ranked in found.items()
    ]
    merged.sort(key=lambda item: (not item.is_own, -(item.score or 0.0), item.paper.id))
    return replace(
        rankings[0],
        query=query,
        papers=tuple(replace(item, rank=rank) for rank, item in enumerate(merged[:k], 1)),
        found=max(len(found), *(ranking.found for ranking in rankings)),
        by=by,
        notices=tuple(dict.fromkeys(notice for ranking in rankings for notice in ranking.notices)),
        kind="long",
        sources=None,
        suggestion="",
        missing=(),
        names=(),
    )
