"""Arithmetic that every bench shares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from litterm_benchmarks.report import Metric

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_RESAMPLES = 1000
"""Of whole clusters, for standard errors: the cases of one paper or list are no independent samples."""


def percent(
    name: str, values: Sequence[float], clusters: Sequence[str] = (), *, base: Sequence[float] = (), seed: int = 0
) -> Metric:
    """Mean of `values` in percent with its bootstrap standard error over 1000 resamples; 0 for no value.

    With `clusters`, one name a value, whole clusters are resampled. With `base`, the same cases by another
    method, the gain over it is paired case by case.
    """
    if not values:
        return Metric(name, 0.0, None)
    import numpy as np

    column = np.asarray(values, dtype=np.float64)
    mean, error = _bootstrap(column, clusters, seed)
    if not base:
        return Metric(name, mean, error)
    gain, gain_error = _bootstrap(column - np.asarray(base, dtype=np.float64), clusters, seed)
    return Metric(name, mean, error, gain, gain_error)


def columns(values: Mapping[str, Sequence[float]]) -> tuple[Metric, ...]:
    """One `percent` metric a name, in order."""
    return tuple(percent(name, column) for name, column in values.items())


def _bootstrap(column: npt.NDArray[np.float64], clusters: Sequence[str], seed: int) -> tuple[float, float]:
    """Mean and standard error, in percent."""
    import numpy as np

    sums, counts = column, np.ones(len(column))
    if clusters:
        _, index = np.unique(np.asarray(clusters), return_inverse=True)
        sums = np.bincount(index, weights=column).astype(np.float64)
        counts = np.bincount(index).astype(np.float64)
    picks = np.random.default_rng(seed).integers(0, len(sums), size=(_RESAMPLES, len(sums)))
    means = sums[picks].sum(axis=1) / counts[picks].sum(axis=1)
    return 100 * float(column.mean()), 100 * float(means.std())
