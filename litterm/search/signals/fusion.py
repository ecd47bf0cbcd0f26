"""Brings the scores of all retrievers to one scale and adds them up; selects the best rows, and explains each score.

Scores become z-scores over the best papers of each retriever: scales need not be known, and a retriever that
discriminates well counts more than one whose scores are all alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from litterm.model.search import Prior, RetrieverShare, ScoreExplanation
from litterm.search.open_index import mask_of

if TYPE_CHECKING:
    from litterm.search.open_index import Rows
    from litterm.search.signals.bm25 import Scores

NORMALISATION_DEPTH = 1_000
"""Number of best papers over which mean and standard deviation are taken."""
_SAMPLE_SIZE = 4_096
_NOTHING = np.float32(0)
_MAX_DENSE_ROWS = 1_000_000
"""Up to so many rows gathering the scores of some from those of all is faster than searching among those of a few."""
_SORTED_SHARE = 400
"""Of fewer than one row in so many a union by sorting is faster: a mask takes 1 ms a million rows."""

Points = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class SparseScores:
    """The scores of some rows of a large library; all other rows have one and the same."""

    rows: Rows
    """Ascending."""
    values: Scores
    """One a row of `rows`."""
    other: np.float32 = _NOTHING

    def __getitem__(self, rows: Rows | Sequence[int]) -> Scores:
        """The scores of any `rows`, in their order."""
        if not len(self.rows):
            return np.full(len(rows), self.other)
        positions = np.minimum(np.searchsorted(self.rows, rows), len(self.rows) - 1)
        return np.where(self.rows[positions] == rows, self.values[positions], self.other)


def spread_scores(size: int, rows: Rows, values: Scores, *, other: float = 0.0) -> Scores | SparseScores:
    """The `values` of `rows`, which are ascending and not none, as scores of `size` rows; all others score `other`."""
    if size > _MAX_DENSE_ROWS:
        return SparseScores(rows, values, np.float32(other))
    scores = np.full(size, other, np.float32)
    scores[rows] = values
    return scores


@dataclass(frozen=True, slots=True)
class Signal:
    """The scores of one retriever for all rows."""

    name: str
    weight: float
    scores: Scores | SparseScores
    """One a row; exact at the rows of the pool."""
    best: Scores
    """The best scores of the unrestricted rows, at most `NORMALISATION_DEPTH`, ascending."""

    def points(self, rows: Rows) -> Points:
        """The weighted z-scores of `rows`; 0 for all where the best scores are equal."""
        best = self.best.astype(np.float64)
        deviation = float(best.std()) if len(best) else 0.0
        # Equal but for rounding: a retriever that cannot distinguish its best papers does not count.
        if deviation < 1e-9:
            return np.zeros(len(rows))
        points: Points = self.weight * (self.scores[rows].astype(np.float64) - float(best.mean())) / deviation
        return points

    def ranks(self, scores: Scores) -> npt.NDArray[np.int64]:
        """The ranks by this signal alone, from 1, of rows with these `scores`; 0 beyond the best and for 0."""
        places = 1 + len(self.best) - np.searchsorted(self.best, scores, side="right")
        listed = (scores > 0) & (scores >= self.best[0]) if len(self.best) else np.zeros(len(scores), np.bool_)
        return np.where(listed, places, 0)


def take_scores(scores: Scores, rows: Rows) -> Scores:
    """The `scores` of `rows`, which are ascending and distinct."""
    # All rows: gathering a hundred thousand numbers would take half a millisecond, a dozen times a query.
    return scores if len(rows) == len(scores) else scores[rows]


def best_rows(scores: Scores | SparseScores, rows: Rows, count: int) -> Rows:
    """The `rows` with the `count` best `scores`, ascending by row, with all that tie with the last.

    Rows that score 0 are never among them. The rows of `SparseScores` are all among `rows`.
    """
    if isinstance(scores, SparseScores):
        rows, values = scores.rows, scores.values
    else:
        values = take_scores(scores, rows)
    positions = _top_positions(values, count)
    top_values = values[positions]
    if len(positions) > count:
        positions = positions[top_values >= kth_largest(top_values, count)]
    best: Rows = rows[positions]
    return best


def best_rows_and_scores(scores: Scores, rows: Rows, count: int) -> tuple[Rows, Scores]:
    """`best_rows` and `best_scores` of non-negative scores; `count` is at least `NORMALISATION_DEPTH`."""
    rows_found = best_rows(scores, rows, count)
    best = np.sort(scores[rows_found])[-NORMALISATION_DEPTH:]
    # Padded with zeros where fewer rows score: else mean and deviation would depend on how many do.
    nothing = np.zeros(min(NORMALISATION_DEPTH, len(rows)) - len(best), best.dtype)
    return rows_found, np.concatenate((nothing, best))


def _top_positions(values: Scores, count: int) -> npt.NDArray[np.int64]:
    """Positions of the `count` largest positive values, of all that tie with the last, and of a few others."""
    bound = max(_estimate_bound(values, count), values.dtype.type(0))
    positions = np.flatnonzero(values > bound)
    return positions if len(positions) >= count or bound <= 0 else np.flatnonzero(values > 0)


def best_rows_by_value(values: Scores | Points, rows: Rows, count: int) -> Rows:
    """The `rows` with the `count` best `values` (one a row), with all that tie with the last."""
    if len(rows) <= count:
        return rows
    chosen: Rows = rows[np.flatnonzero(values >= kth_largest(values, count))]
    return chosen


def kth_largest(values: npt.NDArray[np.generic], count: int) -> Any:
    """The smallest of the `count` largest `values`; there are at least `count`, which is at least 1."""
    if len(values) > _SAMPLE_SIZE * 8:
        above = values[np.flatnonzero(values > _estimate_bound(values, count))]
        values = above if len(above) >= count else values
    return np.partition(values, len(values) - count)[len(values) - count]


def _estimate_bound(values: npt.NDArray[np.generic], count: int) -> Any:
    """A bound that probably slightly more than `count` of `values` exceed; 0 where there are few values."""
    # Partitioning a hundred thousand numbers costs a millisecond, seven times a query. A sample of them gives a bound,
    # and only the numbers above it are partitioned.
    if len(values) <= _SAMPLE_SIZE * 8:
        return 0
    sample = values[:: len(values) // _SAMPLE_SIZE]
    position = min(len(sample), 2 * count * len(sample) // len(values) + 16)
    return np.partition(sample, len(sample) - position)[len(sample) - position]


def union_rows(size: int, *row_sets: Rows) -> Rows:
    """All rows of `row_sets`, each once, ascending; every row is below `size`."""
    if size > _SORTED_SHARE * sum(map(len, row_sets)):
        return np.unique(np.concatenate(row_sets)).astype(np.int64) if row_sets else np.empty(0, np.int64)
    # Of many rows ten times faster than a union by sorting, which takes 4 ms.
    return np.flatnonzero(mask_of(size, *row_sets))


def best_scores(scores: Scores, rows: Rows) -> Scores:
    """The `NORMALISATION_DEPTH` best scores of `rows`, ascending."""
    return best_values(take_scores(scores, rows))


def best_values(values: Scores) -> Scores:
    """The `NORMALISATION_DEPTH` best of `values`, ascending."""
    if len(values) > NORMALISATION_DEPTH:
        least = kth_largest(values, NORMALISATION_DEPTH)
        above = values[np.flatnonzero(values > least)]
        values = np.concatenate((above, np.full(NORMALISATION_DEPTH - len(above), least, values.dtype)))
    # Sorted, so that mean and deviation do not depend on the order of rows.
    return np.sort(values)


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

    def with_prior(self, prior: PaperPrior) -> FusedScores:
        """The same with the points of `prior` added."""
        keys = self.keys + np.rint(prior.points * _UNITS_PER_POINT).astype(np.int64)
        return replace(self, priors=(*self.priors, prior), keys=keys)

    def without_prior(self, name: str) -> FusedScores:
        """The same without the points of the prior `name`, if there is one."""
        dropped = [prior for prior in self.priors if prior.name == name]
        kept = tuple(prior for prior in self.priors if prior.name != name)
        keys = self.keys.copy()
        for prior in dropped:
            keys -= np.rint(prior.points * _UNITS_PER_POINT).astype(np.int64)
        return replace(self, priors=kept, keys=keys)

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
