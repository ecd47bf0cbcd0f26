"""How sure an attribution is, fitted on excerpts whose paper is known; told out of fold, the folds parted by paper."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean

import numpy as np
import numpy.typing as npt

from litterm.attribution.confidence import chance, sureness_signs
from litterm.attribution.features import Matrix
from litterm_training.citances import CitanceCase
from litterm_training.logistic_regression import fit_logistic

SURENESS_RIDGE = 1.0
FOLDS = 5
BINS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.01)

Found = Sequence[CitanceCase]


@dataclass(frozen=True, slots=True)
class ConfidenceCase:
    """One question of sureness: the signs, whether the first is right, whether the paper is there, what it counts."""

    target: str
    signs: Matrix
    first: bool
    there: bool
    mass: float


def folds_of(clusters: Sequence[str], seed: int, parts: int = FOLDS) -> npt.NDArray[np.int64]:
    """The fold of each item; those of one cluster never part."""
    names = sorted(set(clusters))
    order = np.random.default_rng(seed).permutation(len(names))
    fold = {names[at]: place % parts for place, at in enumerate(order.tolist())}
    return np.array([fold[each] for each in clusters])


def questions(found: Found, points: Sequence[Matrix], sharpness: float, *, withheld: bool) -> Iterator[ConfidenceCase]:
    """Every case as it is and, if `withheld`, as if the library lacked the paper."""
    for case, each in zip(found, points, strict=True):
        right = bool(case.right[int(each.argmax())])
        yield ConfidenceCase(case.citance.target, sureness_signs(case.signs, each, sharpness), right, case.hit, 1.0)
        if withheld and case.hit and len(each) > 1:
            without = case.without_target()
            signs = sureness_signs(without.signs, each[~case.right], sharpness)
            yield ConfidenceCase(case.citance.target, signs, False, False, 0.5)


def fit_chance(asked: Sequence[ConfidenceCase], right: Sequence[bool]) -> Matrix:
    """Weights of the signs of sureness, and the constant."""
    rows = np.array([each.signs for each in asked])
    return fit_logistic(rows, np.array(right, float), np.array([each.mass for each in asked]), ridge=SURENESS_RIDGE)


def reliability(told: Sequence[tuple[float, bool]]) -> list[dict[str, float]]:
    """Per bin of told probability: its mean, how often it was right, how many."""
    rows = []
    for low, high in pairwise(BINS):
        inside = [(each, right) for each, right in told if low <= each < high]
        if inside:
            mean, true = fmean(each for each, _ in inside), fmean(right for _, right in inside)
            rows.append({"from": low, "told": round(mean, 3), "true": round(true, 3), "cases": len(inside)})
    return rows


def told_out_of_fold(
    asked: Sequence[ConfidenceCase], right: Sequence[bool], of: Sequence[ConfidenceCase], *, presence: bool = False
) -> list[tuple[float, bool]]:
    """Per question of `of` the probability by weights fitted on `asked` without its paper, and the truth.

    What is told is that the first candidate is the paper or, with `presence`, that the library holds it.
    """
    fold = folds_of([each.target for each in (*asked, *of)], 0)
    own, other = fold[: len(asked)], fold[len(asked) :]
    told: list[tuple[float, bool]] = []
    for part in range(FOLDS):
        outside = np.flatnonzero(own != part).tolist()
        weights = fit_chance([asked[at] for at in outside], [right[at] for at in outside])
        inside = [of[at] for at in np.flatnonzero(other == part).tolist()]
        told += [(chance(each.signs, weights), each.there if presence else each.first) for each in inside]
    return told
