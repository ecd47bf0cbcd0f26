"""Adds signals and priors up to one ranking, and tells for each paper what its place rests on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from litterm.model.search import Prior, RetrieverShare, ScoreExplanation

if TYPE_CHECKING:
    from litterm.search.open_index import Rows
    from litterm.search.signals.normalise import Points, Signal

# Scores are compared as whole millionths, so that the last bits of a float decide no order.
_RESOLUTION = 1_000_000


@dataclass(frozen=True, slots=True)
class PaperPrior:
    """A prior over the pool: what is in a paper's favour, whatever its words say."""

    name: str
    points: Points
    """One a row of the pool; 0 where it does not apply."""


@dataclass(frozen=True, slots=True)
class FusedScores:
    """The pool with the points of every signal and prior."""

    pool: Rows
    """Ascending."""
    signals: tuple[Signal, ...]
    points: tuple[Points, ...]
    """One array a signal, one entry a row of the pool."""
    priors: tuple[PaperPrior, ...]
    keys: npt.NDArray[np.int64]
    """One a row of the pool: the sum of its points, in millionths, so that ties are ties."""

    def scores(self, rows: Sequence[int]) -> list[float]:
        """The sums of the points of `rows`, which are in the pool."""
        return [key / _RESOLUTION for key in self.keys[np.searchsorted(self.pool, rows)].tolist()]

    def whys(self, rows: Sequence[int]) -> list[ScoreExplanation]:
        """What the places of `rows`, which are in the pool, rest on."""
        indices = np.searchsorted(self.pool, rows)
        shares = [
            _shares(signal, rows, points[indices]) for signal, points in zip(self.signals, self.points, strict=True)
        ]
        priors_by_name = [
            [Prior(favour.name, points) for points in favour.points[indices].tolist()] for favour in self.priors
        ]
        return [
            ScoreExplanation(
                tuple(share[place] for share in shares),
                tuple(prior[place] for prior in priors_by_name if prior[place].points),
            )
            for place in range(len(indices))
        ]


def _shares(signal: Signal, rows: Sequence[int], points: Points) -> list[RetrieverShare]:
    scores = signal.scores[rows]
    rows_of_shares = zip(signal.ranks(scores).tolist(), scores.tolist(), points.tolist(), strict=True)
    return [RetrieverShare(signal.name, *values) for values in rows_of_shares]


def fused(pool: Rows, signals: Sequence[Signal], priors: Sequence[PaperPrior]) -> FusedScores:
    """The sum of all points, at a resolution at which the order of additions no longer shows."""
    points = tuple(signal.points(pool) for signal in signals)
    total = np.zeros(len(pool))
    for point in (*points, *(favour.points for favour in priors)):
        total += point
    return FusedScores(pool, tuple(signals), points, tuple(priors), np.rint(total * _RESOLUTION).astype(np.int64))
