"""A candidate in numbers for the reading *this hypothesis*: what it is like, and how close it is to the claim."""

from __future__ import annotations

from collections.abc import Sequence

from litterm.evidence.features.candidate_features import FEATURE_NAMES, CandidateFeatures, feature_values
from litterm.evidence.features.claim_closeness import CLOSENESS_NAMES, ClaimCloseness, closeness_values
from litterm.evidence.language.rhetorical_role import ROLE_NAMES, RhetoricalRole, role_values

CLAIM_FEATURE_NAMES = (*FEATURE_NAMES, *CLOSENESS_NAMES, *ROLE_NAMES)


def claim_feature_values(
    features: CandidateFeatures, closeness: ClaimCloseness, role: RhetoricalRole
) -> tuple[float, ...]:
    """The numbers in the order of `CLAIM_FEATURE_NAMES`."""
    return (*feature_values(features), *closeness_values(closeness), *role_values(role))


def weighted_sum(numbers: Sequence[float], weights: Sequence[float]) -> float:
    """Sum of the products."""
    return sum(weight * number for weight, number in zip(weights, numbers, strict=True))
