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


def foils(asked: Sequence[PaperHypothesis], *, seed: int = 0) -> tuple[HardNegatives, ...]:
    """Foils for each; nearness is the cosine of TF-IDF vectors, ties go to the earlier one.

    Raises:
        ValueError: all are about one paper.
    """
    if len({one.paper for one in asked}) < 2:
        raise ValueError("one paper alone has no foils")
    papers = [Counter(content_stems(one.text)) for one in asked]
    frequency = Counter(stem for counts in papers for stem in counts)
    texts = [_vector(counts, frequency, len(asked)) for counts in papers]
    claims = [_vector(Counter(content_stems(one.hypothesis)), frequency, len(asked)) for one in asked]
    dice = random.Random(seed)
    found: list[HardNegatives] = []
    for number, one in enumerate(asked):
        others = [place for place, other in enumerate(asked) if other.paper != one.paper]
        found.append(
            HardNegatives(
                _nearest(claims[number], claims, others),
                _nearest(texts[number], claims, others),
                tuple(dice.sample(others, len(others))),
            )
        )
    return tuple(found)


def _vector(counts: Counter[str], frequency: Counter[str], total: int) -> Vector:
    raw = {
        stem: (1 + math.log(count)) * math.log(total / frequency[stem])
        for stem, count in counts.items()
        if frequency[stem]
    }
    norm = math.sqrt(sum(weight * weight for weight in raw.values())) or 1.0
    return {stem: weight / norm for stem, weight in raw.items()}


def _nearest(vector: Vector, claims: Sequence[Vector], places: Sequence[int]) -> int:
    return max(places, key=lambda place: (_cosine(vector, claims[place]), -place))


def _cosine(one: Vector, claim: Vector) -> float:
    return sum(weight * one.get(stem, 0.0) for stem, weight in claim.items())
