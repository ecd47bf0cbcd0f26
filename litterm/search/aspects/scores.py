"""Scores papers by aspects without a model: each aspect is searched for among the papers in question.

A searcher's scores tell papers of one ranking apart and no more. What makes those of different aspects comparable is
the paper of the whole library that fits the aspect best: it is 1, and a paper that shares nothing with the aspect 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from litterm.model.aspects import AspectCell, AspectScores, CellKey
from litterm.model.events import Progress
from litterm.model.search import Query, RankedPaper
from litterm.text.function_words import FUNCTION_WORDS, QUESTION_WORDS
from litterm.text.tokens import words

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.interfaces import Searcher
    from litterm.model.paper import PaperId

_BEST = 10
"""Papers of the library among which the best of each retriever is taken."""
_PLAIN = FUNCTION_WORDS | QUESTION_WORDS
_COMPARABLE = ("words", "meaning")
"""Retrievers with a scale of their own that starts at 0."""


class SearchedAspects:
    """Scores by a searcher; fits `interfaces.AspectScorer`."""

    def __init__(self, *searchers: Searcher) -> None:
        """A paper's score is that of the first of `searchers` that knows it."""
        self._searchers = searchers

    def scores(self, texts: Sequence[str], papers: Sequence[PaperId]) -> Task[AspectScores]:
        """A score in [0, 1] for every text and paper; `Progress` for each text."""
        cells: dict[CellKey, AspectCell] = {}
        by = ""
        for index, text in enumerate(texts):
            yield Progress("scoring aspects", index, len(texts))
            shares: dict[PaperId, float] = {}
            for searcher in self._searchers:
                rest = [paper_id for paper_id in papers if paper_id not in shares]
                if rest:
                    new_shares, name = yield from _shares(searcher, text, rest)
                    shares.update(new_shares)
                    by = by or name
            cells.update(((text, paper_id), AspectCell(shares.get(paper_id, 0.0))) for paper_id in papers)
        return AspectScores(MappingProxyType(cells), by)


def _shares(searcher: Searcher, text: str, papers: Sequence[PaperId]) -> Task[tuple[dict[PaperId, float], str]]:
    """The papers that have anything of `text`, each with its share of the best, and what ranked them."""
    query = Query(text, words=telling(text), kind="keywords")
    ranking = yield from searcher.search(query, k=len(papers), within=papers)
    if not ranking.papers:
        return {}, ""
    # The best of the whole library, not of the papers in question: among papers that are all off the topic none fits.
    best = yield from searcher.search(query, k=_BEST)
    most = _most((*ranking.papers, *best.papers))
    return {ranked.paper.id: _share(_parts(ranked), most) for ranked in ranking.papers}, ranking.by


def telling(text: str) -> tuple[str, ...]:
    """The words of an aspect without those that tell no topic; all of them where no other is left."""
    aspect_words = words(text)
    return tuple(word for word in aspect_words if word not in _PLAIN) or tuple(aspect_words)


def _parts(ranked: RankedPaper) -> Mapping[str, float]:
    """What each retriever gives the paper, on its own scale; where the score has no parts, the score."""
    if ranked.why is not None:
        return {share.name: max(0.0, share.score) for share in ranked.why.shares if share.name in _COMPARABLE}
    return {"": max(0.0, ranked.score or 0.0)}


def _most(papers: Iterable[RankedPaper]) -> dict[str, float]:
    most: dict[str, float] = {}
    for ranked in papers:
        for name, score in _parts(ranked).items():
            most[name] = max(score, most.get(name, 0.0))
    return most


def _share(parts: Mapping[str, float], most: Mapping[str, float]) -> float:
    shares = [parts.get(name, 0.0) / score for name, score in most.items() if score > 0]
    return round(sum(shares) / len(shares), 4) if shares else 0.0
