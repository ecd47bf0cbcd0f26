"""A linear score fitted so that a softmax over each list comes near the share of worth of its rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float64]

_STEPS = 50
_HALVINGS = 20
_TOLERANCE = 1e-9
"""Share of the loss that a step must still gain."""


@dataclass(frozen=True, slots=True)
class _Stack:
    """Every list in one matrix, so that a step is a handful of products however many lists there are."""

    rows: Matrix
    target: Matrix
    """Share of its list's worth that a row has."""
    starts: npt.NDArray[np.intp]
    list_of: npt.NDArray[np.intp]
    """Number of its list, a row each."""
    masses: Matrix
    """A list each."""


def fit_listwise(
    lists: Sequence[Matrix], worths: Sequence[Matrix], *, ridge: float, masses: Sequence[float] = ()
) -> Matrix:
    """Weights on the raw columns; `ridge` is the penalty on those of the columns scaled to deviation 1.

    Lists without worth are left out; a list counts as much as `masses` says, 1 where that is empty. Newton's method;
    the loss is convex, so the answer is unique.
    """
    scale = deviations(np.concatenate(lists))
    weights = np.zeros(len(scale))
    useful = [number for number, list_worths in enumerate(worths) if list_worths.sum() > 0]
    if not useful:
        return weights
    stack = _stack_lists(
        [lists[n] / scale for n in useful], [worths[n] for n in useful], [masses[n] for n in useful] if masses else []
    )
    loss = _loss(stack, weights, ridge)
    for _ in range(_STEPS):
        gradient, curvature = _derivatives(stack, weights, ridge)
        step = np.linalg.solve(curvature, gradient)
        for halving in range(_HALVINGS):
            moved = weights - step / 2**halving
            lower = _loss(stack, moved, ridge)
            if lower <= loss:
                break
        gained, weights, loss = loss - lower, moved, lower
        if gained < _TOLERANCE * abs(loss):
            break
    return np.asarray(weights / scale)


def deviations(rows: Matrix) -> Matrix:
    """Standard deviation of each column; 1 where a column does not vary."""
    deviation = rows.std(axis=0)
    return np.where(deviation > 0, deviation, 1.0)


def _stack_lists(lists: Sequence[Matrix], worths: Sequence[Matrix], masses: Sequence[float]) -> _Stack:
    sizes = np.array([len(rows) for rows in lists])
    return _Stack(
        np.concatenate(lists),
        np.concatenate([list_worths / list_worths.sum() for list_worths in worths]),
        np.append(0, np.cumsum(sizes)[:-1]),
        np.repeat(np.arange(len(lists)), sizes),
        np.array(masses, dtype=np.float64) if masses else np.ones(len(lists)),
    )


def _shares(stack: _Stack, weights: Matrix) -> tuple[Matrix, Matrix, Matrix]:
    """Scores, the softmax over each list, and the logarithm of its sum, a list each."""
    scores = stack.rows @ weights
    top = np.maximum.reduceat(scores, stack.starts)
    raised = np.exp(scores - top[stack.list_of])
    total = np.add.reduceat(raised, stack.starts)
    return scores, raised / total[stack.list_of], top + np.log(total)


def _loss(stack: _Stack, weights: Matrix, ridge: float) -> float:
    scores, _, logarithms = _shares(stack, weights)
    fitted = np.add.reduceat(scores * stack.target, stack.starts)
    return ridge / 2 * float(weights @ weights) + float(stack.masses @ (logarithms - fitted))


def _derivatives(stack: _Stack, weights: Matrix, ridge: float) -> tuple[Matrix, Matrix]:
    _, share, _ = _shares(stack, weights)
    mass = stack.masses[stack.list_of]
    means = np.add.reduceat(stack.rows * share[:, None], stack.starts, axis=0)
    gradient = ridge * weights + stack.rows.T @ (mass * (share - stack.target))
    curvature = ridge * np.eye(len(weights)) + (stack.rows * (mass * share)[:, None]).T @ stack.rows
    return gradient, curvature - (means * stack.masses[:, None]).T @ means
