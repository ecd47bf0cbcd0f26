"""Arithmetic that every bench shares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from litterm.bench.report import Metric

_RESAMPLES = 1000


def reciprocal_rank(ranked: Sequence[str], target: str) -> float:
    """1 / rank of `target` in `ranked`, 0 if it is not there."""
    return 1 / (ranked.index(target) + 1) if target in ranked else 0.0


def percent(name: str, values: Sequence[float], *, seed: int = 0) -> Metric:
    """Mean of `values` in percent with its bootstrap standard error over 1000 resamples; 0 for no value."""
    if not values:
        return Metric(name, 0.0, None)
    import numpy as np

    column = np.asarray(values, dtype=np.float64)
    picks = np.random.default_rng(seed).integers(0, len(column), size=(_RESAMPLES, len(column)))
    return Metric(name, 100 * float(column.mean()), 100 * float(column[picks].mean(axis=1).std()))


def columns(values: Mapping[str, Sequence[float]]) -> tuple[Metric, ...]:
    """One `percent` metric a name, in order."""
    return tuple(percent(name, column) for name, column in values.items())
