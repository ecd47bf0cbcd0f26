"""Logistic regression by Newton's method, so that training needs nothing but numpy."""

from __future__ import annotations

import numpy as np

from litterm_training.softmax import Matrix, deviations

_STEPS = 100
_TOLERANCE = 1e-9


def fit_logistic(rows: Matrix, right: Matrix, mass: Matrix, *, ridge: float) -> Matrix:
    """Weights on the raw columns and, last, the constant.

    `right` is 1 or 0 a row, `mass` what the row counts; `ridge` is the penalty on the weights of the columns
    scaled to deviation 1, not on the constant.
    """
    centre, scale = rows.mean(axis=0), deviations(rows)
    scaled = np.column_stack([(rows - centre) / scale, np.ones(len(rows))])
    penalty = np.full(scaled.shape[1], ridge)
    penalty[-1] = 1e-9
    weights = np.zeros(scaled.shape[1])
    for _ in range(_STEPS):
        chance = 1 / (1 + np.exp(-scaled @ weights))
        gradient = scaled.T @ (mass * (chance - right)) + penalty * weights
        curvature = (scaled * (mass * chance * (1 - chance))[:, None]).T @ scaled + np.diag(penalty)
        step = np.linalg.solve(curvature, gradient)
        weights = weights - step
        if np.abs(step).max() < _TOLERANCE:
            break
    raw = weights[:-1] / scale
    return np.append(raw, weights[-1] - raw @ centre)
