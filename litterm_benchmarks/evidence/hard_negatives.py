"""Hypotheses that are some other paper's: what a verdict is fitted and measured against."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from litterm.evidence.candidate_pool import content_stems

Vector = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class PaperHypothesis:
    """A hypothesis and the paper it is about."""

    paper: str
    hypothesis: str
    text: str
    """Of the paper."""


@dataclass(frozen=True, slots=True)
class HardNegatives:
    """Positions of other papers' hypotheses."""

    near_hypothesis: int
    """The nearest to the paper's own hypothesis."""
    near_paper: int
    """The nearest to the text of the paper: the hardest to tell."""
    others: tuple[int, ...]
    """Any, in an order made by chance."""


def foils(hypotheses: Sequence[PaperHypothesis], *, seed: int = 0) -> tuple[HardNegatives, ...]:
    """Foils for each; nearness is the cosine of TF-IDF vectors, ties go to the earlier one.

    Raises:
        ValueError: all are about one paper.
    """
    if len({hypothesis.paper for hypothesis in hypotheses}) < 2:
        raise ValueError("one paper alone has no foils")
    papers = [Counter(content_stems(hypothesis.text)) for hypothesis in hypotheses]
    frequency = Counter(stem for counts in papers for stem in counts)
    texts = [_vector(counts, frequency, len(hypotheses)) for counts in papers]
    claims = [
        _vector(Counter(content_stems(hypothesis.hypothesis)), frequency, len(hypotheses)) for hypothesis in hypotheses
    ]
    dice = random.Random(seed)
    negatives: list[HardNegatives] = []
    for number, hypothesis in enumerate(hypotheses):
        others = [index for index, other in enumerate(hypotheses) if other.paper != hypothesis.paper]
        negatives.append(
            HardNegatives(
                _nearest(claims[number], claims, others),
                _nearest(texts[number], claims, others),
                tuple(dice.sample(others, len(others))),
            )
        )
    return tuple(negatives)


def _vector(counts: Counter[str], frequency: Counter[str], total: int) -> Vector:
    raw = {
        stem: (1 + math.log(count)) * math.log(total / frequency[stem])
        for stem, count in counts.items()
        if frequency[stem]
    }
    norm = math.sqrt(sum(weight * weight for weight in raw.values())) or 1.0
    return {stem: weight / norm for stem, weight in raw.items()}


def _nearest(vector: Vector, claims: Sequence[Vector], places: Sequence[int]) -> int:
    return max(places, key=lambda index: (_cosine(vector, claims[index]), -index))


def _cosine(vector: Vector, claim: Vector) -> float:
    return sum(weight * vector.get(stem, 0.0) for stem, weight in claim.items())
