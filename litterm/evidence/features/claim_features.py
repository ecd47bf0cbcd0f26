"""A candidate in numbers for the reading *this hypothesis*: what it is like, and how close it is to the claim."""

from __future__ import annotations

from collections.abc import Sequence

from litterm.evidence.features.candidate_features import TERMS, Features, values
from litterm.evidence.features.claim_closeness import CLOSENESS_TERMS, ClaimCloseness, closeness_values
from litterm.evidence.wording.rhetorical_role import TONES, Tone, tone_values

CLAIM_TERMS = (*TERMS, *CLOSENESS_TERMS, *TONES)


def claim_values(features: Features, bearing: ClaimCloseness, tone: Tone) -> tuple[float, ...]:
    """The numbers in the order of `CLAIM_TERMS`."""
    return (*values(features), *closeness_values(bearing), *tone_values(tone))


def weighted(numbers: Sequence[float], weights: Sequence[float]) -> float:
    """Sum of the products."""
    return sum(weight * number for weight, number in zip(weights, numbers, strict=True))
