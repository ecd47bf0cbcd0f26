"""Expands a ranking by one hop through the citation graph: what its best papers cite, or what cites them.

After LitSearch (section 5.3): seeds are the first papers of a ranking; the candidates, seed by seed, are the seed and
its neighbours within the library, each once, until there are enough. Their order offline is that of the search over
just these, shifted by how many seeds a paper is linked with: what several good answers cite is rarely off the topic.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from litterm.core.errors import LibraryError
from litterm.model.events import ProvisionalRanking
from litterm.model.search import ExpandedPaper, HopOptions, Prior, ScoreExplanation

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.interfaces import CitationGraph, Searcher
    from litterm.model.citations.graph import HopDirection
    from litterm.model.paper import PaperId
    from litterm.model.search import Query, RankedPaper, Ranking

LINKED = 0.25
"""Standard deviations of the pool's scores that a link to the first seed is worth; doubled links add less."""

_WHERE = {"refs": "cited by", "cited": "that cite", "both": "cited by or citing"}


class OneHopSearcher:
    """A search, and the papers one citation away from its best."""

    def __init__(self, searcher: Searcher, graph: Callable[[], Task[CitationGraph]]) -> None:
        """`graph` gives the graph as of now, bringing it up to date."""
        self._searcher = searcher
        self._graph = graph

    def search(self, query: Query, *, k: int, hop: HopOptions) -> Task[Ranking]:
        """The best `k` papers of the seeds and their neighbours; yields the first ranking as it is known.

        Where no seed has a neighbour in the library it is the first ranking, and a notice says so.
        """
        first = yield from self._searcher.search(query, k=max(k, hop.seeds))
        yield ProvisionalRanking(replace(first, papers=first.papers[:k]))
        try:
            graph = yield from self._graph()
        except LibraryError as error:
            return _unmoved(first, k, f"The citation graph cannot be read, so no paper was added: {error}")
        seeds = [paper.paper.id for paper in first.papers[: hop.seeds]]
        reached = {expanded.paper: expanded for expanded in expand(seeds, graph, hop)}
        if all(expanded.seed is not None for expanded in reached.values()):
            return _unmoved(first, k, f"One hop led to no other paper. {_known(seeds, graph, hop)}")
        # The neighbours are scored by the same search, held to them and the seeds: their scores can be compared.
        pool = yield from self._pool(query, frozenset(reached))
        places = {paper.paper.id: paper.rank for paper in first.papers}
        moved = by_links(pool, reached, places)
        # What only words have found stays behind what is linked with the seeds.
        rest = (paper for paper in first.papers if paper.paper.id not in {one.paper.id for one in moved})
        papers = (*moved, *(replace(ranked, rank=rank) for rank, ranked in enumerate(rest, len(moved) + 1)))
        added = sum(reached[ranked.paper.id].seed is None for ranked in moved)
        notice = (
            f"{added} papers {_WHERE[hop.direction]} the first {len(seeds)} joined them. {_known(seeds, graph, hop)}"
        )
        by = f"one-hop · {first.by}"
        return replace(
            first,
            papers=tuple(replace(paper, by=by) for paper in papers[:k]),
            found=max(first.found, len(papers)),
            by=by,
            notices=(*first.notices, notice),
        )

    def _pool(self, query: Query, ids: frozenset[PaperId]) -> Task[tuple[RankedPaper, ...]]:
        """The papers `ids` that pass the filters of `query`; those for which no word speaks have the lowest score."""
        matches = yield from self._searcher.search(query, k=len(ids), within=ids)
        silent = ids.difference(query.like, query.unlike, (paper.paper.id for paper in matches.papers))
        if not silent:
            return matches.papers
        # Without words every paper passes that the filters let in: what remains is to be listed, not scored.
        bare = replace(query, text="", words=(), unfinished="", soft_years=(), like=(), unlike=())
        rest = yield from self._searcher.search(bare, k=len(silent), within=silent)
        lowest = min((paper.score or 0.0 for paper in matches.papers), default=0.0)
        unasked = (replace(paper, score=0.0, why=ScoreExplanation(())) for paper in rest.papers)
        return (*matches.papers, *(_with(paper, "no word of the query in it", min(0.0, lowest)) for paper in unasked))


def _unmoved(first: Ranking, k: int, notice: str) -> Ranking:
    return replace(first, papers=first.papers[:k], notices=(*first.notices, notice))


def _known(seeds: Sequence[PaperId], graph: CitationGraph, hop: HopOptions) -> str:
    """Of how many seeds references are known: where they are not, that nothing was found says nothing."""
    if hop.direction == "cited" or all(graph.has_references(seeds)):
        return ""
    # A text without a list tells some of them by the mentions in it.
    lists = zip(graph.has_references(seeds), graph.references(seeds), strict=True)
    return f"References are known of {sum(listed or bool(edges) for listed, edges in lists)} of them."


def expand(seeds: Sequence[PaperId], graph: CitationGraph, hop: HopOptions) -> tuple[ExpandedPaper, ...]:
    """The first `hop.seeds` and their neighbours, at most `hop.cap` papers, in the order of the publication."""
    first = tuple(dict.fromkeys(seeds))[: hop.seeds]
    around = dict(zip(first, _neighbours(first, graph, hop.direction), strict=True))
    via: dict[PaperId, list[PaperId]] = {}
    for seed, near in around.items():
        for paper_id in near:
            via.setdefault(paper_id, []).append(seed)
    order: Iterable[PaperId]
    if hop.order == "seeds-first":
        order = (*first, *(paper_id for near in around.values() for paper_id in near))
    else:
        order = (paper_id for seed, near in around.items() for paper_id in (seed, *near))
    places = {seed: place for place, seed in enumerate(first, 1)}
    # A neighbour of several seeds stands where the best of them brings it in.
    expanded_ids = tuple(dict.fromkeys(order))[: hop.cap]
    return tuple(
        ExpandedPaper(paper_id, places.get(paper_id), tuple(via.get(paper_id, ()))) for paper_id in expanded_ids
    )


def by_links(
    pool: Sequence[RankedPaper], reached: Mapping[PaperId, ExpandedPaper], places: Mapping[PaperId, int]
) -> tuple[RankedPaper, ...]:
    """`pool`, scored by one search over it, in the order of scores and links; ranks from 1, ties by id.

    `places` are those of the first ranking: a link to a paper at its top says more than one to its end.
    """
    spread = _spread([paper.score for paper in pool])
    keyed = []
    for paper in pool:
        expanded = reached.get(paper.paper.id)
        linked = math.log2(1 + sum(1 / math.log2(1 + places[seed]) for seed in expanded.via)) if expanded else 0.0
        counted = _with(
            paper, f"linked with {len(expanded.via)} of the first" if expanded else "", LINKED * spread * linked
        )
        keyed.append((-(counted.score or 0.0), paper.paper.id, counted))
    keyed.sort(key=lambda entry: entry[:2])
    return tuple(_placed(paper, rank, reached, places) for rank, (_, _, paper) in enumerate(keyed, 1))


def _with(paper: RankedPaper, what: str, points: float) -> RankedPaper:
    """`paper` with `points` more, which are told as `what`; a score without parts stays without."""
    why = paper.why
    if why is not None and points:
        why = replace(why, priors=(*why.priors, Prior(what, round(points, 4))))
    return replace(paper, score=(paper.score or 0.0) + points, why=why)


def _placed(
    paper: RankedPaper, rank: int, reached: Mapping[PaperId, ExpandedPaper], places: Mapping[PaperId, int]
) -> RankedPaper:
    expanded = reached.get(paper.paper.id)
    via = expanded.via if expanded is not None and expanded.seed is None else ()
    return replace(paper, rank=rank, local_rank=places.get(paper.paper.id), via=via)


def _neighbours(seeds: Sequence[PaperId], graph: CitationGraph, direction: HopDirection) -> list[tuple[PaperId, ...]]:
    cites = [tuple(edge.cited for edge in edges) for edges in graph.references(seeds)]
    cited_by = [tuple(edge.citing for edge in edges) for edges in graph.citations(seeds)]
    if direction == "both":
        return [tuple(dict.fromkeys((*one, *other))) for one, other in zip(cites, cited_by, strict=True)]
    return cites if direction == "refs" else cited_by


def _spread(scores: Sequence[float | None]) -> float:
    """Standard deviation of the scores; 1 where there is none, so that links alone tell papers apart."""
    known_scores = [score for score in scores if score is not None]
    if len(known_scores) < 2:
        return 1.0
    mean = sum(known_scores) / len(known_scores)
    return math.sqrt(sum((score - mean) ** 2 for score in known_scores) / len(known_scores)) or 1.0
