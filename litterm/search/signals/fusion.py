"""Fuses signals and priors into one ranking, and explains the score of each paper."""

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

# Scores are compared as whole millionths, so that rounding errors decide no order.
_UNITS_PER_POINT = 1_000_000


@dataclass(frozen=True, slots=True)
class PaperPrior:
    """Points for papers of the pool that do not depend on how well their words match."""

    name: str
    points: Points
    """One a row of the pool; 0 where it does not apply."""


@dataclass(frozen=True, slots=True)
class FusedScores:
    """The pool with the points from each signal and prior."""

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
        return [key / _UNITS_PER_POINT for key in self.keys[np.searchsorted(self.pool, rows)].tolist()]

    def explain(self, rows: Sequence[int]) -> list[ScoreExplanation]:
        """The contributions to the scores of `rows`, which are in the pool."""
        indices = np.searchsorted(self.pool, rows)
        shares = [
            _shares(signal, rows, points[indices]) for signal, points in zip(self.signals, self.points, strict=True)
        ]
        priors_by_name = [
            [Prior(paper_prior.name, points) for points in paper_prior.points[indices].tolist()]
            for paper_prior in self.priors
        ]
        return [
            ScoreExplanation(
                tuple(share[index] for share in shares),
                tuple(prior[index] for prior in priors_by_name if prior[index].points),
            )
            for index in range(len(indices))
        ]


def _shares(signal: Signal, rows: Sequence[int], points: Points) -> list[RetrieverShare]:
    scores = signal.scores[rows]
    rows_of_shares = zip(signal.ranks(scores).tolist(), scores.tolist(), points.tolist(), strict=True)
    return [RetrieverShare(signal.name, *values) for values in rows_of_shares]


def fuse(pool: Rows, signals: Sequence[Signal], priors: Sequence[PaperPrior]) -> FusedScores:
    """Adds up the points of all signals and priors, rounded so that the order of additions does not matter."""
    points = tuple(signal.points(pool) for signal in signals)
    total = np.zeros(len(pool))
    for point in (*points, *(prior.points for prior in priors)):
        total += point
    return FusedScores(pool, tuple(signals), points, tuple(priors), np.rint(total * _UNITS_PER_POINT).astype(np.int64))
