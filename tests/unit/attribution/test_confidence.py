"""What the confidence of an attribution goes by."""

from __future__ import annotations

import math

import numpy as np
import pytest

from litterm.attribution.confidence import confidence_features, verdict_of


def test_the_first_candidate_is_told_by_its_own_numbers_its_share_and_its_lead() -> None:
    signs = {"share": np.array([0.1, 0.7]), "cosine": np.array([0.2, 0.6]), "cited_as": np.array([3.0, 4.0])}
    told = confidence_features(signs, np.array([1.0, 3.0]), 0.5)
    # e to the half of two points is the odds of the first against the other.
    assert told.tolist() == pytest.approx([0.7, 0.6, 0.0, 4.0, 0.0, 0.0, 1.0, 2.0, math.log(2)])


def test_the_lead_is_over_the_next_ten_that_count() -> None:
    points = np.array([20.0, *range(10, 0, -1), -500.0, -np.inf])
    assert confidence_features({}, points, 1.0)[7] == pytest.approx(20 - 5.5)


def test_a_candidate_without_any_other_has_no_lead() -> None:
    assert confidence_features({}, np.array([4.0]), 1.0).tolist() == [0.0] * 9
    assert confidence_features({}, np.array([4.0, -np.inf]), 1.0)[6:8].tolist() == [0.0, 0.0]


def test_a_sure_share_stays_finite() -> None:
    assert confidence_features({}, np.array([900.0, 0.0]), 1.0)[6] == pytest.approx(math.log((1 - 1e-6) / 1e-6))


@pytest.mark.parametrize(("count", "told"), [(299, 299), (301, 300), (5000, 300)])
def test_from_three_hundred_candidates_on_a_library_is_large(count: int, told: int) -> None:
    assert confidence_features({}, np.zeros(count), 1.0)[8] == pytest.approx(math.log(told))


@pytest.mark.parametrize(
    ("present", "first", "said"),
    [(0.9, 0.5, "found"), (0.9, 0.499, "unsure"), (0.25, 0.1, "unsure"), (0.249, 0.1, "absent")],
)
def test_what_is_said_turns_at_its_thresholds(present: float, first: float, said: str) -> None:
    assert verdict_of(present, first) == said
