"""Sentences of several papers in numbers that compare: what the fitted weights rank them by.

Beside what is known of a sentence within its paper stand numbers over all papers that are read: how rare the words of
the question are among their sentences, how well the paper speaks to the question as a whole, and where the search put
it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from litterm.evidence.feature_values import feature_vector
from litterm.evidence.features import CLAIM_FEATURE_NAMES, claim_feature_values
from litterm.evidence.learned import MeasuredSentences
from litterm.evidence.strength import logit

_K1, _LENGTH_SHARE = 1.2, 0.5
"""Of BM25 over the sentences of all papers."""
_TITLE_LEVEL = 0.7
"""How much a word counts in a sentence that only the title of its paper holds."""
_UNKNOWN_CONFIDENCE = 0.5


@dataclass(frozen=True, slots=True)
class ReadPaper:
    """A paper of the search with its sentences measured against the question."""

    sentences: MeasuredSentences
    search_rank: int
    """From 1."""
    search_share: float
    """Its points in the search beside those of the first paper, in [0, 1]."""
    is_full_text: bool


@dataclass(frozen=True, slots=True)
class PooledFeatures:
    """One sentence among those of all papers; the order is that of the weights."""

    pooled: float
    """BM25 of the question, words rare among all sentences counting more; a share of the most there can be."""
    pooled_share: float
    """Part of the question it holds, weighted so."""
    with_title: float
    """The same with the title of its paper."""
    paper_share: float
    """Part of the question that its whole paper holds."""
    paper_best: float
    """The largest `pooled` of its paper."""
    beside_best: float
    """`pooled` beside that of the best sentence of all papers, in [0, 1]."""
    score: float
    """Its score within its paper, less the mean of the paper's best three."""
    confidence: float
    """Log odds that its paper speaks to the question."""
    search: float
    """`1 / search_rank`."""
    search_share: float
    full_text: float


POOLED_NAMES, pooled_values = feature_vector(PooledFeatures)
ANSWER_FEATURE_NAMES = (*CLAIM_FEATURE_NAMES, *POOLED_NAMES)


def answer_feature_rows(papers: Sequence[ReadPaper]) -> list[list[tuple[float, ...]]]:
    """A row in the order of `ANSWER_FEATURE_NAMES` for each candidate of each paper."""
    return [
        [
            (*claim_feature_values(terms, closeness, role), *pooled_values(pooled))
            for terms, closeness, role, pooled in zip(
                paper.sentences.features,
                paper.sentences.paper.closeness.rows,
                paper.sentences.paper.roles,
                of_paper,
                strict=True,
            )
        ]
        for paper, of_paper in zip(papers, pooled_features(papers), strict=True)
    ]


def pooled_features(papers: Sequence[ReadPaper]) -> list[list[PooledFeatures]]:
    """What compares the sentences of `papers`, paper by paper."""
    weights = concept_weights(papers)
    total = math.fsum(weights) or 1.0
    pools = [paper.sentences.paper.candidates.pool for paper in papers]
    lengths = [[sum(counts.values()) for counts in pool.counts] for pool in pools]
    count = sum(map(len, lengths))
    average = sum(map(sum, lengths)) / max(1, count) or 1.0
    pooled = [
        [
            math.fsum(
                weights[number] * occurs / (occurs + _K1 * (1 - _LENGTH_SHARE + _LENGTH_SHARE * length / average))
                for number, occurs in sorted(occurrences.items())
            )
            / total
            for occurrences, length in zip(paper.sentences.paper.candidates.occurrences.counts, of_paper, strict=True)
        ]
        for paper, of_paper in zip(papers, lengths, strict=True)
    ]
    best = max((value for values in pooled for value in values), default=0.0) or 1.0
    return [_of_paper(paper, values, weights, total, best) for paper, values in zip(papers, pooled, strict=True)]


def concept_weights(papers: Sequence[ReadPaper]) -> list[float]:
    """Per concept of the question: how rare it is at all, and among the sentences of these papers."""
    if not papers:
        return []
    occurrences = [paper.sentences.paper.candidates.occurrences for paper in papers]
    count = sum(len(each.counts) for each in occurrences)
    weights: list[float] = []
    for number, concept in enumerate(occurrences[0].concepts):
        frequency = sum(each.frequency[number] for each in occurrences)
        weights.append(concept.rarity * math.log(1 + (count - frequency + 0.5) / (frequency + 0.5)))
    return weights


def _of_paper(
    paper: ReadPaper, pooled: Sequence[float], weights: Sequence[float], total: float, best: float
) -> list[PooledFeatures]:
    scored = paper.sentences.paper
    levels, title = scored.closeness.levels, scored.closeness.title
    held = {number for level in levels for number in level} | set(title)
    confidence = _UNKNOWN_CONFIDENCE if scored.confidence is None else scored.confidence
    top = sorted(paper.sentences.scores, reverse=True)[:3]
    mean_of_best = sum(top) / max(1, len(top))
    paper_share = math.fsum(weights[number] for number in sorted(held)) / total
    paper_best = max(pooled, default=0.0)
    return [
        PooledFeatures(
            pooled=value,
            pooled_share=math.fsum(weights[number] * share for number, share in sorted(level.items())) / total,
            with_title=math.fsum(
                weights[number] * max(level.get(number, 0.0), _TITLE_LEVEL * title.get(number, 0.0))
                for number in sorted({*level, *title})
            )
            / total,
            paper_share=paper_share,
            paper_best=paper_best,
            beside_best=value / best,
            score=score - mean_of_best,
            confidence=logit(confidence),
            search=1 / paper.search_rank,
            search_share=paper.search_share,
            full_text=float(paper.is_full_text),
        )
        for value, level, score in zip(pooled, levels, paper.sentences.scores, strict=True)
    ]
