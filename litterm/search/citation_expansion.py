"""Expands a ranking by one hop through the citation graph: what its best papers cite, or what cites them.

After LitSearch (section 3.2): the seeds are the first papers of a ranking; the candidates are each seed and its
neighbours in the library, each once, until there are enough. They are ranked by the same search over the candidates
alone, plus points for links with seeds: what several good answers cite is rarely off topic. Without the second search
they stay in the order in which they were reached, which is the published form.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from litterm.core.errors import LibraryError
from litterm.model.citations.facts import SHIPPED_NAMES, SHIPPED_SOURCES
from litterm.model.events import ProvisionalRanking
from litterm.model.search import ExpandedPaper, HopOptions, Prior, ScoreExplanation

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.interfaces import CitationGraph, Searcher
    from litterm.model.citations.graph import Edge, HopDirection
    from litterm.model.paper import PaperId
    from litterm.model.search import Query, RankedPaper, Ranking

LINK_WEIGHT = 0.25
"""Points of a link to the first seed, in standard deviations of the scores; further links add less."""

_DIRECTION_WORDS = {"refs": "cited by", "cited": "that cite", "both": "cited by or citing"}


class OneHopSearcher:
    """A search extended by the papers one citation away from its best."""

    def __init__(self, searcher: Searcher, graph: Callable[[], Task[CitationGraph]]) -> None:
        """`graph` brings the citation graph up to date and gives it."""
        self._searcher = searcher
        self._graph = graph

    def search(self, query: Query, *, k: int, hop: HopOptions) -> Task[Ranking]:
        """The best `k` of the seeds and their neighbours; yields the ranking without them first.

        Where no seed has a neighbour in the library, the ranking stays as it is, with a notice.
        """
        first = yield from self._searcher.search(query, k=max(k, hop.seeds))
        yield ProvisionalRanking(replace(first, papers=first.papers[:k]))
        try:
            graph = yield from self._graph()
        except LibraryError as error:
            return _as_unexpanded(first, k, f"The citation graph cannot be read, so no paper was added: {error}")
        seeds = [paper.paper.id for paper in first.papers[: hop.seeds]]
        reached = {expanded.paper: expanded for expanded in expand_seeds(seeds, graph, hop)}
        if all(expanded.seed is not None for expanded in reached.values()):
            return _as_unexpanded(
                first, k, f"One hop led to no other paper. {_known_references_notice(seeds, graph, hop)}"
            )
        # Seeds and neighbours are scored by one search over just these, so that their scores can be compared.
        pool = yield from self._pool(query, frozenset(reached))
        ranks = {paper.paper.id: paper.rank for paper in first.papers}
        rank = rank_by_links if hop.rescored else rank_as_reached
        moved = rank(pool, reached, ranks)
        # Papers without a link to a seed come last.
        unlinked = (
            paper
            for paper in first.papers
            if paper.paper.id not in {expanded_paper.paper.id for expanded_paper in moved}
        )
        papers = (
            *moved,
            *(
                replace(ranked if hop.rescored else _unscored(ranked), rank=number)
                for number, ranked in enumerate(unlinked, len(moved) + 1)
            ),
        )
        added = sum(reached[ranked.paper.id].seed is None for ranked in moved)
        by_shipped = sum(reached[ranked.paper.id].by_shipped for ranked in moved)
        from_facts = (
            f"{by_shipped} are linked only by facts that ship with litterm ({SHIPPED_NAMES})." if by_shipped else ""
        )
        joined = f"{added} papers {_DIRECTION_WORDS[hop.direction]} the first {len(seeds)} joined them."
        by = f"{'one-hop' if hop.rescored else f'one-hop {hop.order}'} · {first.by}"
        return replace(
            first,
            papers=tuple(replace(paper, by=by) for paper in papers[:k]),
            found=max(first.found, len(papers)),
            by=by,
            notices=(
                *first.notices,
                " ".join(filter(None, (joined, _known_references_notice(seeds, graph, hop), from_facts))),
            ),
        )

    def _pool(self, query: Query, ids: frozenset[PaperId]) -> Task[tuple[RankedPaper, ...]]:
        """The papers `ids` that pass the filters of `query`; those without a word of it have the lowest score."""
        matches = yield from self._searcher.search(query, k=len(ids), within=ids)
        unmatched = ids.difference(query.like, query.unlike, (paper.paper.id for paper in matches.papers))
        if not unmatched:
            return matches.papers
        # A query without words lists every paper that passes the filters.
        bare = replace(query, text="", words=(), unfinished="", soft_years=(), like=(), unlike=())
        by_filters = yield from self._searcher.search(bare, k=len(unmatched), within=unmatched)
        lowest = min((paper.score or 0.0 for paper in matches.papers), default=0.0)
        unasked = (replace(paper, score=0.0, why=ScoreExplanation(())) for paper in by_filters.papers)
        return (
            *matches.papers,
            *(_add_points(paper, "no word of the query in it", min(0.0, lowest)) for paper in unasked),
        )


def _as_unexpanded(first: Ranking, k: int, notice: str) -> Ranking:
    return replace(first, papers=first.papers[:k], notices=(*first.notices, notice))


def _known_references_notice(seeds: Sequence[PaperId], graph: CitationGraph, hop: HopOptions) -> str:
    """A notice of how many seeds have known references; the others could not lead to other papers."""
    if hop.direction == "cited":
        return ""
    known = graph.has_references(seeds)
    if all(known):
        return ""
    # A text without a reference list has some from its in-text citations.
    unlisted = [seed for seed, is_listed in zip(seeds, known, strict=True) if not is_listed]
    return f"References are known for {sum(known) + sum(map(bool, graph.references(unlisted)))} of them."


def expand_seeds(seeds: Sequence[PaperId], graph: CitationGraph, hop: HopOptions) -> tuple[ExpandedPaper, ...]:
    """The first `hop.seeds` papers and their neighbours, at most `hop.cap` papers, in the order of LitSearch."""
    first = tuple(dict.fromkeys(seeds))[: hop.seeds]
    neighbours = dict(zip(first, _neighbours(first, graph, hop.direction), strict=True))
    via: dict[PaperId, list[PaperId]] = {}
    linked_here: set[PaperId] = set()
    for seed, edge_by_neighbour in neighbours.items():
        for paper_id, edge in edge_by_neighbour.items():
            via.setdefault(paper_id, []).append(seed)
            if edge.source not in SHIPPED_SOURCES:
                linked_here.add(paper_id)
    order: Iterable[PaperId]
    if hop.order == "seeds-first":
        order = (*first, *(paper_id for neighbour_ids in neighbours.values() for paper_id in neighbour_ids))
    else:
        order = (paper_id for seed, neighbour_ids in neighbours.items() for paper_id in (seed, *neighbour_ids))
    ranks = {seed: rank for rank, seed in enumerate(first, 1)}
    # A neighbour of several seeds has the place that the best of them gives it.
    expanded_ids = tuple(dict.fromkeys(order))[: hop.cap]
    return tuple(
        ExpandedPaper(
            paper_id,
            ranks.get(paper_id),
            tuple(via.get(paper_id, ())),
            paper_id not in ranks and paper_id not in linked_here,
        )
        for paper_id in expanded_ids
    )


def rank_by_links(
    pool: Sequence[RankedPaper], reached: Mapping[PaperId, ExpandedPaper], ranks: Mapping[PaperId, int]
) -> tuple[RankedPaper, ...]:
    """`pool` ranked by its scores plus points for links; ranks from 1, ties by id.

    `ranks` are the ranks in the first ranking: a link to a paper at its top counts more than one to its end.
    """
    spread = _standard_deviation([paper.score for paper in pool])
    keyed = []
    for paper in pool:
        expanded = reached.get(paper.paper.id)
        linked = math.log2(1 + sum(1 / math.log2(1 + ranks[seed]) for seed in expanded.via)) if expanded else 0.0
        counted = _add_points(
            paper, f"linked with {len(expanded.via)} of the first" if expanded else "", LINK_WEIGHT * spread * linked
        )
        keyed.append((-(counted.score or 0.0), paper.paper.id, counted))
    keyed.sort(key=lambda entry: entry[:2])
    return tuple(_with_rank(paper, rank, reached, ranks) for rank, (_, _, paper) in enumerate(keyed, 1))


def rank_as_reached(
    pool: Sequence[RankedPaper], reached: Mapping[PaperId, ExpandedPaper], ranks: Mapping[PaperId, int]
) -> tuple[RankedPaper, ...]:
    """`pool` in the order of `reached`, without scores: a neighbour stands behind the seed that led to it."""
    places = {paper_id: place for place, paper_id in enumerate(reached)}
    ordered = sorted(pool, key=lambda paper: (places.get(paper.paper.id, len(places)), paper.paper.id))
    return tuple(_with_rank(_unscored(paper), rank, reached, ranks) for rank, paper in enumerate(ordered, 1))


def _unscored(paper: RankedPaper) -> RankedPaper:
    return replace(paper, score=None, why=None)


def _add_points(paper: RankedPaper, what: str, points: float) -> RankedPaper:
    """`paper` with `points` added, explained as `what` where the score has an explanation."""
    why = paper.why
    if why is not None and points:
        why = replace(why, priors=(*why.priors, Prior(what, round(points, 4))))
    return replace(paper, score=(paper.score or 0.0) + points, why=why)


def _with_rank(
    paper: RankedPaper, rank: int, reached: Mapping[PaperId, ExpandedPaper], ranks: Mapping[PaperId, int]
) -> RankedPaper:
    expanded = reached.get(paper.paper.id)
    via = expanded.via if expanded is not None and expanded.seed is None else ()
    return replace(paper, rank=rank, local_rank=ranks.get(paper.paper.id), via=via)


def _neighbours(seeds: Sequence[PaperId], graph: CitationGraph, direction: HopDirection) -> list[dict[PaperId, Edge]]:
    """Per seed, its neighbours and the first edge to each."""
    references = graph.references(seeds) if direction != "cited" else ((),) * len(seeds)
    citations = graph.citations(seeds) if direction != "refs" else ((),) * len(seeds)
    neighbours: list[dict[PaperId, Edge]] = []
    for cited, citing in zip(references, citations, strict=True):
        edges = {edge.cited: edge for edge in cited}
        for edge in citing:
            edges.setdefault(edge.citing, edge)
        neighbours.append(edges)
    return neighbours


def _standard_deviation(scores: Sequence[float | None]) -> float:
    """Standard deviation of the scores; 1 where it is 0, so that links alone decide."""
    known_scores = [score for score in scores if score is not None]
    if len(known_scores) < 2:
        return 1.0
    mean = sum(known_scores) / len(known_scores)
    return math.sqrt(sum((score - mean) ** 2 for score in known_scores) / len(known_scores)) or 1.0
