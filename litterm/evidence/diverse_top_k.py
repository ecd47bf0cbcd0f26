"""Selects sentences that complement each other: every pick lowers the value of similar sentences."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from litterm.core.tasks import Task
from litterm.model.events import Progress

REDUNDANCY_PENALTY = 0.8
"""Share of its value that a sentence loses once an identical one has been picked."""

_PICKS_PER_YIELD = 3
"""One pick takes 20 ms among 5,000 sentences that share their words."""


class SentenceSimilarity:
    """Cosine similarities between candidates, computed per candidate on first use."""

    def __init__(self, vectors: Sequence[Mapping[str, float]]) -> None:
        """`vectors` of length 1, or empty."""
        self._vectors = vectors
        # Inverted by word: a sentence resembles a few of 5,000, and comparing all pairs would be quadratic.
        self._postings: defaultdict[str, list[tuple[int, float]]] = defaultdict(list)
        for index, vector in enumerate(vectors):
            for stem, weight in vector.items():
                self._postings[stem].append((index, weight))
        self._known: dict[int, Mapping[int, float]] = {}

    def similar_to(self, index: int) -> Mapping[int, float]:
        """The cosine with every candidate that shares a word with this one, itself included."""
        if index not in self._known:
            cosines: defaultdict[int, float] = defaultdict(float)
            for stem, weight in self._vectors[index].items():
                for other, other_weight in self._postings[stem]:
                    cosines[other] += weight * other_weight
            self._known[index] = cosines
        return self._known[index]


def select_diverse(
    scores: Sequence[float],
    similarity: SentenceSimilarity,
    *,
    k: int,
    sharpness: float,
    selectable: Collection[int] | None = None,
    first: int | None = None,
) -> Task[list[int]]:
    """Places of at most `k` candidates (of those `selectable`, if given), as picked; ties go to the earlier one.

    `first`, one of these candidates, is picked before all others, whatever its score.

    A candidate's worth is `exp(sharpness * score)`, multiplied by `1 - REDUNDANCY_PENALTY * cosine` for every pick
    before it. The order is nested: the first three of ten are the answer to `k` = 3.
    """
    best = max(scores, default=0.0)
    # The best score is subtracted so that `exp` cannot overflow.
    gains = [math.exp(sharpness * (score - best)) for score in scores]
    if selectable is not None:
        gains = [gain if index in selectable else -math.inf for index, gain in enumerate(gains)]
    if first is not None:
        gains[first] = math.inf
    count = min(k, sum(gain >= 0 for gain in gains))
    picked: list[int] = []
    for _ in range(count):
        if len(picked) % _PICKS_PER_YIELD == 0:
            yield Progress("choosing sentences", len(picked), count)
        index = max(range(len(gains)), key=gains.__getitem__)
        picked.append(index)
        for other, cosine in similarity.similar_to(index).items():
            if cosine > 0:
                # A product never becomes negative, and a third duplicate counts less than the second.
                gains[other] *= 1 - REDUNDANCY_PENALTY * min(1.0, cosine)
        gains[index] = -math.inf
    return picked
