"""Searches a query and other queries for the same papers, each by itself, and fuses the rankings.

The fusion is by reciprocal ranks (Cormack et al. 2009), because the scores of different queries cannot be compared.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from litterm.model.events import Progress
from litterm.model.search import Prior, QueryPlace, RankedPaper, RetrieverShare, ScoreExplanation
from litterm.search.search import NAMED_PAPER_POINTS, NAMED_PAPER_PRIOR
from litterm.text.queries.parser import literal_query

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.interfaces import PaperSearcher
    from litterm.model.paper import PaperId
    from litterm.model.search import Query, Ranking, Rewrite

SEARCHED_PER_QUERY = 200
"""Papers of each ranking that are fused, at least."""
_RECIPROCAL_RANK_OFFSET = 60
"""As in the publication: how little the first places count more than the next."""
_LEAST_SHOWN = 20
"""Papers of a first screen: where several queries are searched, the answer need not be among the first five."""


def search_fused(
    searcher: PaperSearcher, query: Query, rewrite: Rewrite, *, k: int, within: Collection[PaperId] | None = None
) -> Task[Ranking]:
    """The best `k` papers for `query` and the queries of `rewrite` together.

    The filters of `query` hold for all; the words of a rewritten query are words, whatever they look like.
    """
    own = yield from searcher.search(query, k=max(k, SEARCHED_PER_QUERY), within=within)
    return (yield from fuse_with(searcher, own, rewrite, k=k, within=within))


def fuse_with(
    searcher: PaperSearcher, own: Ranking, rewrite: Rewrite, *, k: int, within: Collection[PaperId] | None = None
) -> Task[Ranking]:
    """Fuses `own`, the ranking of a query, with the rankings of the queries of `rewrite`; the best `k` papers."""
    others = []
    for number, text in enumerate(rewrite.queries):
        yield Progress("searching other queries", number, len(rewrite.queries))
        others.append(
            (yield from searcher.search(rewritten_query(own.query, text), k=max(k, SEARCHED_PER_QUERY), within=within))
        )
    return fuse(own, others, rewrite, k=k)


def rewritten_query(query: Query, text: str) -> Query:
    """`text` as words only, with the filters of `query`."""
    words = literal_query(text)
    return replace(
        query, text=words.text, words=words.words, phrases=(), beginnings=(), unfinished="", kind=None, chips=()
    )


def fuse(own: Ranking, others: Sequence[Ranking], rewrite: Rewrite, *, k: int) -> Ranking:
    """One ranking of `own` and the rankings of the queries of `rewrite`, in their order.

    Each paper says at which place which query found it. The user's own papers stay before those of the starter
    library, and papers whose id or title is the query stay first.
    """
    rankings = (own, *others)
    found: dict[PaperId, RankedPaper] = {}
    places: dict[PaperId, list[QueryPlace]] = {}
    for number, ranking in enumerate(rankings):
        for ranked in ranking.papers:
            found.setdefault(ranked.paper.id, ranked)
            places.setdefault(ranked.paper.id, []).append(QueryPlace(number, ranked.rank))
    by = f"fused · {own.by}"
    fused = [_fused_paper(found[key], places[key], rewrite, by) for key in found]
    # Of two with as many points the one that the query as typed ranks higher, as it was found first.
    fused.sort(key=lambda item: (not item.is_own, -(item.score or 0.0)))
    return replace(
        own,
        papers=tuple(replace(item, rank=rank) for rank, item in enumerate(fused[:k], 1)),
        found=max(len(found), *(ranking.found for ranking in rankings)),
        by=by,
        rewrite=rewrite,
        # Where the query is an id or a title, the papers named are all there is to see.
        first=own.first if any(_is_named(ranked) for ranked in own.papers[:1]) else max(own.first, _LEAST_SHOWN),
        sources=None,
    )


def _fused_paper(ranked: RankedPaper, places: Sequence[QueryPlace], rewrite: Rewrite, by: str) -> RankedPaper:
    shares = tuple(
        RetrieverShare(_query_words(place.query, rewrite), place.rank, points, points)
        for place in places
        for points in (reciprocal_points(place.rank),)
    )
    # Only what the user typed names a paper: a title that a model wrote is one query among others.
    is_named = not places[0].query and _is_named(ranked)
    priors = (Prior(NAMED_PAPER_PRIOR, NAMED_PAPER_POINTS),) if is_named else ()
    score = sum(share.points for share in shares) + sum(prior.points for prior in priors)
    return replace(
        ranked,
        score=score,
        by=by,
        why=ScoreExplanation(shares, priors),
        places=tuple(places),
    )


def _is_named(ranked: RankedPaper) -> bool:
    return ranked.why is not None and any(prior.name == NAMED_PAPER_PRIOR for prior in ranked.why.priors)


def reciprocal_points(rank: int) -> float:
    """1 for the first place, less for those after it."""
    return (_RECIPROCAL_RANK_OFFSET + 1) / (_RECIPROCAL_RANK_OFFSET + rank)


def _query_words(number: int, rewrite: Rewrite) -> str:
    return f"for “{rewrite.queries[number - 1]}”" if number else "for the query as it was typed"
