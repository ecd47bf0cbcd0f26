"""Scores papers by aspects without a model: each aspect is a search among the given papers.

Scores of different searches cannot be compared. They are made comparable by the best match of each aspect in the whole
library, which scores 1; a paper that shares nothing with the aspect scores 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from litterm.model.aspects import AspectCell, AspectScores, CellKey
from litterm.model.events import Progress
from litterm.model.search import Query, RankedPaper
from litterm.text.request_limits import check_aspects
from litterm.text.tokens import FUNCTION_WORDS, QUESTION_WORDS, words

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.interfaces import Searcher
    from litterm.model.paper import PaperId

_REFERENCE_PAPERS = 10
"""Best papers of the library over which the largest score of each signal is taken."""
_TOPICLESS_WORDS = FUNCTION_WORDS | QUESTION_WORDS
_COMPARABLE_SIGNALS = ("words", "meaning")
"""Signals whose scale starts at 0."""


class SearchAspectScorer:
    """Scores by a searcher; fits `interfaces.AspectScorer`."""

    def __init__(self, *searchers: Searcher) -> None:
        """A paper is scored by the first of `searchers` that finds it."""
        self._searchers = searchers

    def scores(self, texts: Sequence[str], papers: Sequence[PaperId]) -> Task[AspectScores]:
        """A score in [0, 1] for every text and paper; `Progress` for each text.

        Raises:
            AsksTooMuch: there are more aspects than one request may have, or one is too long.
        """
        check_aspects(texts)
        cells: dict[CellKey, AspectCell] = {}
        by = ""
        for index, text in enumerate(texts):
            yield Progress("scoring aspects", index, len(texts))
            shares: dict[PaperId, float] = {}
            for searcher in self._searchers:
                unscored = [paper_id for paper_id in papers if paper_id not in shares]
                if unscored:
                    new_shares, name = yield from _score_aspect(searcher, text, unscored)
                    shares.update(new_shares)
                    by = by or name
            cells.update(((text, paper_id), AspectCell(shares.get(paper_id, 0.0))) for paper_id in papers)
        return AspectScores(MappingProxyType(cells), by)


def _score_aspect(searcher: Searcher, text: str, papers: Sequence[PaperId]) -> Task[tuple[dict[PaperId, float], str]]:
    """The scores of the papers that match `text`, and the name of the ranking method."""
    query = Query(text, words=content_words(text), kind="keywords")
    ranking = yield from searcher.search(query, k=len(papers), within=papers)
    if not ranking.papers:
        return {}, ""
    # Compared with the whole library: among given papers that are all off topic, the best is still no match.
    best = yield from searcher.search(query, k=_REFERENCE_PAPERS)
    largest = _best_signal_scores((*ranking.papers, *best.papers))
    return {ranked.paper.id: _mean_share(_signal_scores(ranked), largest) for ranked in ranking.papers}, ranking.by


def content_words(text: str) -> tuple[str, ...]:
    """The words of an aspect without those that carry no topic; all words where none is left."""
    aspect_words = words(text)
    return tuple(word for word in aspect_words if word not in _TOPICLESS_WORDS) or tuple(aspect_words)


def _signal_scores(ranked: RankedPaper) -> Mapping[str, float]:
    """The scores of the comparable signals; where the score is not explained, the score itself."""
    if ranked.why is not None:
        return {share.name: max(0.0, share.score) for share in ranked.why.shares if share.name in _COMPARABLE_SIGNALS}
    return {"": max(0.0, ranked.score or 0.0)}


def _best_signal_scores(papers: Iterable[RankedPaper]) -> dict[str, float]:
    largest: dict[str, float] = {}
    for ranked in papers:
        for name, score in _signal_scores(ranked).items():
            largest[name] = max(score, largest.get(name, 0.0))
    return largest


def _mean_share(parts: Mapping[str, float], largest: Mapping[str, float]) -> float:
    shares = [parts.get(name, 0.0) / score for name, score in largest.items() if score > 0]
    return round(sum(shares) / len(shares), 4) if shares else 0.0
