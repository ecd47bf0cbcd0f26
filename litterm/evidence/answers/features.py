"""Sentences of several papers in numbers that compare: what the fitted weights rank them by.

Beside what is known of a sentence within its paper stand numbers over all papers that are read: how rare the words of
the question are among their sentences, how well the paper speaks to the question as a whole, and where the search put
it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from litterm.evidence.feature_values import feature_vector
from litterm.evidence.features import CLAIM_FEATURE_NAMES, claim_feature_values
from litterm.evidence.learned import MeasuredSentences
from litterm.evidence.strength import logit
from litterm.library.index.static_embeddings import open_static

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
    strength: float
    """Log odds that it would be given as the reason why the question is answered so, as `evidence.strength` tells."""
    neighbours: float
    """Part of the question that it holds together with the sentence before and after it, weighted as above."""
    meaning: float
    """Cosine of the question's vector with its own, words weighted by rarity; in [-1, 1]."""
    meaning_beside_best: float
    """`meaning` less that of the nearest sentence of all papers; at most 0."""
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
    meanings = similarities(papers)
    nearest = max((value for values in meanings for value in values), default=0.0)
    return [
        _of_paper(paper, _Pooled(values, meaning, weights, total, best, nearest))
        for paper, values, meaning in zip(papers, pooled, meanings, strict=True)
    ]


def similarities(papers: Sequence[ReadPaper]) -> list[list[float]]:
    """Cosine of each sentence with the question, by the semantic model that comes with litterm; 0 without a word."""
    import numpy as np

    if not papers:
        return []
    model = open_static()
    pools = [paper.sentences.paper.candidates.pool for paper in papers]
    all_counts = [counts for pool in pools for counts in pool.counts]
    stems = list(dict.fromkeys(stem for counts in all_counts for stem in counts))
    concepts = papers[0].sentences.paper.candidates.occurrences.concepts
    asked = [concept.stem for concept in concepts]
    places = model.places([*stems, *asked])
    known = places >= 0
    vectors = np.zeros((len(places), model.dims), np.float32)
    vectors[known] = model.vectors(places[known])
    frequency = Counter(stem for counts in all_counts for stem in counts)
    rarities = np.array(
        [math.log(1 + (len(all_counts) - frequency[stem] + 0.5) / (frequency[stem] + 0.5)) for stem in stems]
        + [concept.rarity for concept in concepts],
        np.float32,
    )
    vectors *= rarities[:, None]
    number = {stem: place for place, stem in enumerate(stems)}
    question = vectors[len(stems) :].sum(axis=0)
    flat = np.array([number[stem] for counts in all_counts for stem in counts], np.intp)
    sizes = np.array([len(counts) for counts in all_counts], np.intp)
    sums = np.zeros((len(all_counts), model.dims), np.float32)
    filled = sizes > 0
    if flat.size:
        starts = np.append(0, np.cumsum(sizes)[:-1])
        sums[filled] = np.add.reduceat(vectors[flat], starts[filled], axis=0)
    lengths = np.linalg.norm(sums, axis=1) * float(np.linalg.norm(question))
    cosines = iter((sums @ question / np.where(lengths > 0, lengths, 1.0)).tolist())
    return [[next(cosines) for _ in pool.counts] for pool in pools]


@dataclass(frozen=True, slots=True)
class _Pooled:
    """What one paper's sentences are compared by; the first two run parallel to its pool."""

    pooled: Sequence[float]
    meanings: Sequence[float]
    weights: Sequence[float]
    total: float
    best: float
    nearest: float


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


def _of_paper(paper: ReadPaper, of_paper: _Pooled) -> list[PooledFeatures]:
    scored, weights, total = paper.sentences.paper, of_paper.weights, of_paper.total
    levels, title = scored.closeness.levels, scored.closeness.title
    held = {number for level in levels for number in level} | set(title)
    confidence = _UNKNOWN_CONFIDENCE if scored.confidence is None else scored.confidence
    top = sorted(paper.sentences.scores, reverse=True)[:3]
    mean_of_best = sum(top) / max(1, len(top))
    paper_share = math.fsum(weights[number] for number in sorted(held)) / total
    paper_best = max(of_paper.pooled, default=0.0)
    titled = {number: _TITLE_LEVEL * level for number, level in title.items()}

    def share(*held_by: Mapping[int, float]) -> float:
        numbers = sorted(set().union(*held_by))
        return math.fsum(weights[n] * max(level.get(n, 0.0) for level in held_by) for n in numbers) / total

    return [
        PooledFeatures(
            pooled=pooled,
            pooled_share=share(levels[place]),
            with_title=share(levels[place], titled),
            paper_share=paper_share,
            paper_best=paper_best,
            beside_best=pooled / of_paper.best,
            score=paper.sentences.scores[place] - mean_of_best,
            confidence=logit(confidence),
            strength=logit(scored.strength_probability(place)),
            neighbours=share(*levels[max(0, place - 1) : place + 2]),
            meaning=meaning,
            meaning_beside_best=meaning - of_paper.nearest,
            search=1 / paper.search_rank,
            search_share=paper.search_share,
            full_text=float(paper.is_full_text),
        )
        for place, (pooled, meaning) in enumerate(zip(of_paper.pooled, of_paper.meanings, strict=True))
    ]
