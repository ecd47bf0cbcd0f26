"""A linear score fitted so that a softmax over each list comes near the share of worth of its rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float64]

_STEPS = 50
_HALVINGS = 20
_ENOUGH = 1e-9


def fit_listwise(lists: Sequence[Matrix], worth: Sequence[Matrix], *, ridge: float) -> Matrix:
    """Weights on the raw columns; `ridge` is the penalty on those of the columns scaled to deviation 1.

    Lists without worth are left out. Newton's method; the loss is convex, so the answer is unique.
    """
    scale = deviations(np.concatenate(lists))
    used = [(rows / scale, own / own.sum()) for rows, own in zip(lists, worth, strict=True) if own.sum() > 0]
    weights = np.zeros(len(scale))
    loss = _loss(used, weights, ridge)
    for _ in range(_STEPS):
        gradient, curvature = _derivatives(used, weights, ridge)
        step = np.linalg.solve(curvature, gradient)
        for halving in range(_HALVINGS):
            moved = weights - step / 2**halving
            lower = _loss(used, moved, ridge)
            if lower <= loss:
                break
        gained, weights, loss = loss - lower, moved, lower
        if gained < _ENOUGH * abs(loss):
            break
    return np.asarray(weights / scale)


def deviations(rows: Matrix) -> Matrix:
    """Standard deviation of each column; 1 where a column does not vary."""
    found = rows.std(axis=0)
    return np.where(found > 0, found, 1.0)


def _loss(lists: Sequence[tuple[Matrix, Matrix]], weights: Matrix, ridge: float) -> float:
    total = ridge / 2 * float(weights @ weights)
    for rows, target in lists:
        scores = rows @ weights
        top = scores.max()
        total += float(top + np.log(np.exp(scores - top).sum()) - scores @ target)
    return total


def _derivatives(lists: Sequence[tuple[Matrix, Matrix]], weights: Matrix, ridge: float) -> tuple[Matrix, Matrix]:
    gradient = ridge * weights
    curvature = ridge * np.eye(len(weights))
    for rows, target in lists:
        scores = rows @ weights
        share = np.exp(scores - scores.max())
        share /= share.sum()
        mean = rows.T @ share
        gradient = gradient + mean - rows.T @ target
        curvature += (rows * share[:, None]).T @ rows - np.outer(mean, mean)
    return gradient, curvature
