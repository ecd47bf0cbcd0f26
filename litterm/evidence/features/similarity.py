"""How near a candidate is to the hypothesis, to the paper as a whole, and to its abstract."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from litterm.core.tasks import Task
from litterm.evidence.candidate_pool import CandidatePool, map_in_batches

_BM25_K1 = 2.0
_LEAD_SENTENCES = 8
"""Candidates that stand for the abstract of a paper without one."""
# One giant section may be marked as abstract throughout; comparing all with all would be quadratic.
_MAX_ABSTRACT_SENTENCES = 60
_MIN_Z, _MAX_Z = -4.0, 6.0


def hypothesis_scores(pool: CandidatePool, stems: Collection[str]) -> list[float]:
    """BM25 of the hypothesis's distinct `stems` (k1 2, no length penalty), for each candidate; at least 0."""
    weights = [(stem, pool.idf[stem] * (_BM25_K1 + 1)) for stem in sorted(set(stems)) if stem in pool.idf]
    return [
        sum(weight * counts[stem] / (counts[stem] + _BM25_K1) for stem, weight in weights if stem in counts)
        for counts in pool.counts
    ]


def centralities(pool: CandidatePool) -> Task[list[float]]:
    """Dot product of each candidate with the sum of all; at least 0."""
    total: defaultdict[str, float] = defaultdict(float)
    for vector in pool.vectors:
        for stem, weight in vector.items():
            total[stem] += weight
    return (yield from map_in_batches(pool.vectors, lambda v: _dot(v, total), "comparing with all sentences"))


def abstract_similarities(pool: CandidatePool) -> Task[list[float]]:
    """Cosine of each candidate with the nearest other sentence of the abstract, in [0, 1].

    A paper without an abstract is compared with its first eight candidates.
    """
    places = [place for place, sentence in enumerate(pool.sentences) if sentence.kind == "abstract"]
    reference = places[:_MAX_ABSTRACT_SENTENCES] or list(range(min(_LEAD_SENTENCES, len(pool.sentences))))
    postings: defaultdict[str, list[tuple[int, float]]] = defaultdict(list)
    for place in reference:
        for stem, weight in pool.vectors[place].items():
            postings[stem].append((place, weight))
    return (
        yield from map_in_batches(
            range(len(pool.sentences)),
            lambda place: _highest_cosine(place, pool.vectors[place], postings),
            "comparing with the abstract",
        )
    )


def standardise(values: Sequence[float]) -> list[float]:
    """`values` as z-scores over the paper, clipped to [-4, 6]; all 0 where they do not differ."""
    if not values:
        return []
    mean = sum(values) / len(values)
    deviation = math.sqrt(sum((value - mean) ** 2 for value in values) / len(values)) or 1.0
    return [min(_MAX_Z, max(_MIN_Z, (value - mean) / deviation)) for value in values]


def _highest_cosine(place: int, vector: Mapping[str, float], postings: Mapping[str, list[tuple[int, float]]]) -> float:
    cosines: defaultdict[int, float] = defaultdict(float)
    for stem, weight in vector.items():
        for other, other_weight in postings.get(stem, ()):
            cosines[other] += weight * other_weight
    # Itself would always be the nearest.
    cosines.pop(place, None)
    return max(cosines.values(), default=0.0)


def _dot(vector: Mapping[str, float], total: Mapping[str, float]) -> float:
    return sum(weight * total[stem] for stem, weight in vector.items())
