"""How sure an attribution is: is the first candidate the paper, and does the library hold it at all.

Both probabilities are fitted on excerpts whose paper is known, with and without that paper in the library, in a
large library and in small ones, so that they hold for either.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from litterm.attribution.features import Matrix
from litterm.attribution.weights import FittedWeights
from litterm.interfaces.arrays import Column
from litterm.model.attribution.citation import AttributionVerdict

_RUNNERS_UP_END = 11
"""End of the slice of the ten candidates behind the first, over whose mean its lead is counted."""
_LARGE_POOL = 300
"""Candidates from which a library is large; where a pool ends says nothing."""
_FIRST_CANDIDATE_FEATURES = ("share", "cosine", "cover", "cited_as", "profiled", "profile_share")
MIN_FOUND_CONFIDENCE, MAX_ABSENT_PRESENCE = 0.5, 0.25
"""Confidence in the first candidate from which it is the answer; probability that the library holds the paper
below which it does not."""


def candidate_probabilities(points: Column, sharpness: float) -> Column:
    """Probability of each candidate, given that one of them is the paper."""
    # Less the largest, which changes no share and keeps `exp` from overflowing; points of -inf become shares of 0.
    raised = np.exp(sharpness * (points - points.max()))
    column: Column = raised / raised.sum()
    return column


def confidence_features(features: Mapping[str, Column], points: Column, sharpness: float) -> Matrix:
    """What is known of an answer as a whole, in the order of `weights.CONFIDENCE_FEATURES`.

    Of the first candidate: the share of the excerpt's words in its record, its cosine, how much of its title the
    excerpt holds, how others cite it, whether it has a profile and how much of the excerpt this holds, the log odds of
    its share, and its lead in points over the next ten; last the log of the number of candidates, up to a few hundred.
    """
    best = int(points.argmax())
    share = float(np.clip(candidate_probabilities(points, sharpness)[best], 1e-6, 1 - 1e-6))
    runner_up_points = np.sort(points[np.isfinite(points)])[::-1][1:_RUNNERS_UP_END]
    return np.array(
        [
            *(float(features[name][best]) if name in features else 0.0 for name in _FIRST_CANDIDATE_FEATURES),
            float(np.log(share / (1 - share))) if len(runner_up_points) else 0.0,
            float(points[best] - runner_up_points.mean()) if len(runner_up_points) else 0.0,
            float(np.log(min(len(points), _LARGE_POOL))),
        ]
    )


def logistic_probability(features: Matrix, weights: Matrix) -> float:
    """Probability by `weights`, whose last is the constant."""
    return float(1 / (1 + np.exp(-(features @ weights[:-1] + weights[-1]))))


def estimate_confidences(features: Mapping[str, Column], points: Column, fit: FittedWeights) -> tuple[float, Column]:
    """Probability that the library holds the paper, and of each candidate that it is the paper."""
    known = confidence_features(features, points, fit.sharpness)
    first = logistic_probability(known, fit.first)
    # Two fits that know nothing of each other; a paper that is the first candidate is also in the library.
    present = max(first, logistic_probability(known, fit.presence))
    likely = candidate_probabilities(points, fit.sharpness)
    best = int(points.argmax())
    rest = max(1e-9, 1.0 - float(likely[best]))
    # No later candidate may appear likelier than the first.
    column: Column = np.minimum(likely / rest * (present - first), first)
    column[best] = first
    return present, column


def verdict_of(present: float, first: float) -> AttributionVerdict:
    """What is said of an excerpt: `present` is the probability that the library holds the paper, `first` that of the
    first candidate."""
    if first >= MIN_FOUND_CONFIDENCE:
        return "found"
    return "absent" if present < MAX_ABSENT_PRESENCE else "unsure"
