"""Several signals to one ranking, and for each paper in it the reasons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from litterm.model.search import Prior, Share, Why
from litterm.retrieve.live import Rows
from litterm.retrieve.signals import Points, Signal

_RESOLUTION = 1_000_000


@dataclass(frozen=True, slots=True)
class Favour:
    """A prior over the pool: what is in a paper's favour, whatever its words say."""

    name: str
    points: Points
    """One a row of the pool; 0 where it does not apply."""


@dataclass(frozen=True, slots=True)
class Fused:
    """The pool with the points of every signal and prior."""

    pool: Rows
    """Ascending."""
    signals: tuple[Signal, ...]
    points: tuple[Points, ...]
    """One array a signal, one entry a row of the pool."""
    favours: tuple[Favour, ...]
    keys: npt.NDArray[np.int64]
    """One a row of the pool: the sum of its points, in millionths, so that ties are ties."""

    def score(self, row: int) -> float:
        """The sum of the points of `row`, which is in the pool."""
        return int(self.keys[np.searchsorted(self.pool, row)]) / _RESOLUTION

    def why(self, row: int) -> Why:
        """What the place of `row`, which is in the pool, stands on."""
        at = int(np.searchsorted(self.pool, row))
        return Why(
            tuple(
                Share(signal.name, signal.rank(row), float(signal.scores[row]), float(points[at]))
                for signal, points in zip(self.signals, self.points, strict=True)
            ),
            tuple(Prior(each.name, float(each.points[at])) for each in self.favours if each.points[at]),
        )


def fused(pool: Rows, signals: Sequence[Signal], favours: Sequence[Favour]) -> Fused:
    """The sum of all points, at a resolution at which the order of additions no longer shows."""
    points = tuple(signal.points(pool) for signal in signals)
    total = np.zeros(len(pool))
    for each in (*points, *(favour.points for favour in favours)):
        total += each
    return Fused(pool, tuple(signals), points, tuple(favours), np.rint(total * _RESOLUTION).astype(np.int64))
