"""How like the excerpt the sentences are in which other papers cite a candidate.

A candidate's own text plays no part, and one that no known text cites gets 0, which takes nothing from its points.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import islice

import numpy as np

from litterm.attribution.supporting_sentence import stem_weights
from litterm.core.errors import LibraryError
from litterm.core.tasks import Task
from litterm.interfaces import CitationGraph
from litterm.interfaces.arrays import Column
from litterm.model.attribution.citation import CandidateBounds, Excerpt
from litterm.model.citations.graph import Citance
from litterm.model.events import Progress
from litterm.model.paper import PaperId
from litterm.text.tokens import tokens

MAX_CITING_PAPERS, MAX_SENTENCES = 8, 12
"""Citing papers that are read for a candidate, the newest, and sentences of theirs."""
_PAPERS_PER_YIELD = 10
"""Candidates between two reports of progress, which are also the places where the task can be stopped."""
_CACHE_SIZE = 4096
"""Pairs of citing and cited paper whose sentences stay in memory; all are dropped when there are more."""

StemSet = frozenset[str]


class CitationContexts:
    """The sentences around citations within the library; safe from any thread."""

    def __init__(self, graph: Callable[[], CitationGraph]) -> None:
        """`graph` gives the citation graph as it is; it is asked once an excerpt."""
        self._graph = graph
        self._read: tuple[CitationGraph, dict[tuple[PaperId, PaperId], tuple[StemSet, ...]]] | None = None

    def similarities(self, excerpt: Excerpt, papers: Sequence[PaperId], bounds: CandidateBounds) -> Task[Column]:
        """Per paper, in [0, 1], the share of the excerpt's weighted words in the one sentence citing it that has most.

        Citing papers are those of `bounds.year` or earlier, the excluded ones not among them; 0 where there is
        none.
        """
        weights = stem_weights(excerpt.words)
        column = np.zeros(len(papers))
        try:
            graph = self._graph()
        except LibraryError:
            # A database that cannot be read costs this feature, not the answer.
            return column
        for start in range(0, len(papers), _PAPERS_PER_YIELD):
            yield Progress("reading citing sentences", start, len(papers))
            turn = papers[start : start + _PAPERS_PER_YIELD]
            for index, edges in enumerate(graph.citations(turn, until=bounds.year), start):
                citing = [edge.citing for edge in edges if edge.citing not in bounds.exclude][:MAX_CITING_PAPERS]
                column[index] = _best_share(
                    weights, islice(self._sentences(graph, citing, papers[index]), MAX_SENTENCES)
                )
        return column

    def _sentences(self, graph: CitationGraph, citing: Collection[PaperId], cited: PaperId) -> Iterator[StemSet]:
        read_contexts = self._cache_of(graph)
        for citing_id in citing:
            if (citing_id, cited) not in read_contexts:
                if len(read_contexts) >= _CACHE_SIZE:
                    read_contexts.clear()
                read_contexts[citing_id, cited] = tuple(map(_stems, graph.contexts(citing_id, cited)))
            yield from read_contexts.get((citing_id, cited), ())

    def _cache_of(self, graph: CitationGraph) -> dict[tuple[PaperId, PaperId], tuple[StemSet, ...]]:
        """What was read of this very graph."""
        # When a list is stored, there is another graph, and the cache starts again.
        if self._read is None or self._read[0] is not graph:
            self._read = (graph, {})
        return self._read[1]


def _best_share(weights: Mapping[str, float], sentences: Iterator[StemSet]) -> float:
    total_weight = sum(weights.values())
    shares = (sum(weight for stem, weight in weights.items() if stem in stems) / total_weight for stems in sentences)
    return max(shares, default=0.0) if total_weight else 0.0


def _stems(citance: Citance) -> StemSet:
    """The words of a citing sentence, those of the mark left out."""
    text, mark = citance.text, citance.mark
    return frozenset(tokens(f"{text[: mark.start]} {text[mark.end :]}" if mark else text))
