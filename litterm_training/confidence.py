"""How sure an attribution is, fitted on excerpts whose paper is known; told out of fold, the folds parted by text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean

import numpy as np
import numpy.typing as npt

from litterm.attribution.confidence import MIN_FOUND_CONFIDENCE, confidence_features, logistic_probability
from litterm.attribution.features import Matrix
from litterm_training.citances import CitanceCase
from litterm_training.logistic_regression import fit_logistic

SURENESS_RIDGE = 1.0
FOLDS = 5
_CAUTIONS = np.linspace(0.0, 2.0, 41)
BINS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.01)
"""Edges of the ranges of probability in the tables; the last lies beyond 1, so that a probability of 1 is counted."""

CaseList = Sequence[CitanceCase]


@dataclass(frozen=True, slots=True)
class ConfidenceCase:
    """An attribution: its features, whether the first candidate is right and the paper is there, and its weight."""

    group: str
    """The text that it is from or, where that is not known, the cited paper."""
    features: Matrix
    first: bool
    in_library: bool
    mass: float


def folds_of(clusters: Sequence[str], seed: int, parts: int = FOLDS) -> npt.NDArray[np.int64]:
    """The fold of each item; those of one cluster never part."""
    names = sorted(set(clusters))
    order = np.random.default_rng(seed).permutation(len(names))
    fold = {names[index]: position % parts for position, index in enumerate(order.tolist())}
    return np.array([fold[cluster] for cluster in clusters])


def questions(
    case_list: CaseList, points: Sequence[Matrix], sharpness: float, *, withheld: bool
) -> Iterator[ConfidenceCase]:
    """Every case as it is and, if `withheld`, as if the library lacked the paper."""
    for case, case_points in zip(case_list, points, strict=True):
        right = bool(case.right[int(case_points.argmax())])
        yield ConfidenceCase(
            case.citance.group, confidence_features(case.features, case_points, sharpness), right, case.hit, 1.0
        )
        if withheld and case.hit and len(case_points) > 1:
            without = case.without_target()
            features = confidence_features(without.features, case_points[~case.right], sharpness)
            yield ConfidenceCase(case.citance.group, features, False, False, 0.5)


def fit_chance(answers: Sequence[ConfidenceCase], right: Sequence[bool]) -> Matrix:
    """Weights of the features of confidence, and the constant."""
    rows = np.array([answer.features for answer in answers])
    return fit_logistic(
        rows, np.array(right, float), np.array([answer.mass for answer in answers]), ridge=SURENESS_RIDGE
    )


def reliability(predictions: Sequence[tuple[float, bool]]) -> list[dict[str, float]]:
    """Per bin of told probability: its mean, how often it was right, how many."""
    rows = []
    for low, high in pairwise(BINS):
        bin_predictions = [(probability, right) for probability, right in predictions if low <= probability < high]
        if bin_predictions:
            mean, true = (
                fmean(probability for probability, _ in bin_predictions),
                fmean(right for _, right in bin_predictions),
            )
            rows.append({"from": low, "told": round(mean, 3), "true": round(true, 3), "cases": len(bin_predictions)})
    return rows


def find_caution(predictions: Sequence[tuple[float, bool]]) -> float:
    """The least by which all log odds must be lowered so that what is told above .5 is right as often."""
    return next((by for by in _CAUTIONS.tolist() if _is_honest(lower_all(predictions, by))), float(_CAUTIONS[-1]))


def lower_all(predictions: Sequence[tuple[float, bool]], by: float) -> list[tuple[float, bool]]:
    """`predictions` with their log odds lowered."""
    odds = (
        (probability / max(1e-12, 1 - probability) * float(np.exp(-by)), right) for probability, right in predictions
    )
    return [(odd / (1 + odd), right) for odd, right in odds]


def _is_honest(predictions: Sequence[tuple[float, bool]]) -> bool:
    told = [(probability, right) for probability, right in predictions if probability >= MIN_FOUND_CONFIDENCE]
    return not told or fmean(probability for probability, _ in told) <= fmean(right for _, right in told)


def probabilities_out_of_fold(
    answers: Sequence[ConfidenceCase],
    right: Sequence[bool],
    measured: Sequence[ConfidenceCase],
    *,
    presence: bool = False,
) -> list[tuple[float, bool]]:
    """Per question of `measured` the probability by weights fitted on `answers` without its paper, and the truth.

    What is told is that the first candidate is the paper or, with `presence`, that the library holds it.
    """
    fold = folds_of([answer.group for answer in (*answers, *measured)], 0)
    answer_folds, other = fold[: len(answers)], fold[len(answers) :]
    predictions: list[tuple[float, bool]] = []
    for part in range(FOLDS):
        outside = np.flatnonzero(answer_folds != part).tolist()
        weights = fit_chance([answers[number] for number in outside], [right[number] for number in outside])
        held_out = [measured[number] for number in np.flatnonzero(other == part).tolist()]
        predictions += [
            (logistic_probability(answer.features, weights), answer.in_library if presence else answer.first)
            for answer in held_out
        ]
    return predictions
