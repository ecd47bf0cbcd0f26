"""Normalises the scores of a retriever, so that those of several can be added up.

Scores of different kinds meet as standard deviations over the best papers of each (the z-sum of the search
study): no scale has to be known, and a retriever that tells its papers apart speaks louder than one that does not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from litterm.search.open_index import Rows
    from litterm.search.signals.scores import Scores

BEST = 1_000
"""Of how many of the best papers mean and deviation are taken."""
_SAMPLE = 4_096

Points = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Signal:
    """What one retriever says of every row."""

    name: str
    weight: float
    scores: Scores
    """One a row; true at the rows that were pooled."""
    best: Scores
    """The best scores among the rows that could be found, at most `BEST`, ascending."""

    def points(self, rows: Rows) -> Points:
        """What `rows` get for their scores; 0 for all where the best papers are alike."""
        best = self.best.astype(np.float64)
        deviation = float(best.std()) if len(best) else 0.0
        # Alike but for rounding: a retriever that cannot tell its best apart has no say.
        if deviation < 1e-9:
            return np.zeros(len(rows))
        points: Points = self.weight * (self.scores[rows].astype(np.float64) - float(best.mean())) / deviation
        return points

    def ranks(self, scores: Scores) -> npt.NDArray[np.int64]:
        """The places by this signal alone, from 1, of rows with these `scores`; 0 beyond the best, and for nothing."""
        places = 1 + len(self.best) - np.searchsorted(self.best, scores, side="right")
        listed = (scores > 0) & (scores >= self.best[0]) if len(self.best) else np.zeros(len(scores), np.bool_)
        return np.where(listed, places, 0)


def scores_at(scores: Scores, rows: Rows) -> Scores:
    """The `scores` of `rows`, which are ascending and each there once."""
    # Gathering a hundred thousand numbers that stand in order already takes half a millisecond, a dozen times a query.
    return scores if len(rows) == len(scores) else scores[rows]


def best_rows(scores: Scores, rows: Rows, count: int) -> Rows:
    """Those of `rows` with the `count` best of all `scores`, ascending by row; all rows tied with the last are in.

    What scores nothing is never among them.
    """
    values = scores_at(scores, rows)
    places = _promising(values, count)
    some = values[places]
    if len(places) > count:
        places = places[some >= least_of(some, count)]
    best: Rows = rows[places]
    return best


def best_of(scores: Scores, rows: Rows, count: int) -> tuple[Rows, Scores]:
    """`best_rows` and `best_scores` of scores of which none is below 0; `count` is at least `BEST`."""
    rows_found = best_rows(scores, rows, count)
    best = np.sort(scores[rows_found])[-BEST:]
    # Rows that score nothing count among the best where fewer score: else mean and deviation would hang on how many do.
    nothing = np.zeros(min(BEST, len(rows)) - len(best), best.dtype)
    return rows_found, np.concatenate((nothing, best))


def _promising(values: Scores, count: int) -> npt.NDArray[np.int64]:
    """Where the `count` largest values and all tied with the last are, and few others; none without a score."""
    bound = max(_sampled(values, count), values.dtype.type(0))
    places = np.flatnonzero(values > bound)
    return places if len(places) >= count or bound <= 0 else np.flatnonzero(values > 0)


def best_rows_by(values: Scores | Points, rows: Rows, count: int) -> Rows:
    """Those of `rows` with the `count` best `values`, one a row; all tied with the last are in."""
    if len(rows) <= count:
        return rows
    chosen: Rows = rows[np.flatnonzero(values >= least_of(values, count))]
    return chosen


def least_of(values: npt.NDArray[np.generic], count: int) -> Any:
    """The least of the `count` largest `values`, of which there are at least that many, and `count` is at least 1."""
    if len(values) > _SAMPLE * 8:
        above = values[np.flatnonzero(values > _sampled(values, count))]
        values = above if len(above) >= count else values
    return np.partition(values, len(values) - count)[len(values) - count]


def _sampled(values: npt.NDArray[np.generic], count: int) -> Any:
    """A bound that some more than `count` of many `values` probably lie above; 0 where they are few."""
    # Taking a hundred thousand numbers apart costs a millisecond, seven times a query. Every so many of them tell
    # where about the place is; only what lies above it, with a margin, is taken apart.
    if len(values) <= _SAMPLE * 8:
        return 0
    sample = values[:: len(values) // _SAMPLE]
    place = min(len(sample), 2 * count * len(sample) // len(values) + 16)
    return np.partition(sample, len(sample) - place)[len(sample) - place]


def together(size: int, *row_sets: Rows) -> Rows:
    """All rows of `row_sets`, each once, ascending; `size` is one more than any may be."""
    # A sorting union takes 4 ms for what this does in a tenth.
    mask = np.zeros(size, np.bool_)
    for rows in row_sets:
        mask[rows] = True
    return np.flatnonzero(mask)


def best_scores(scores: Scores, rows: Rows) -> Scores:
    """The `BEST` best scores of `rows`, ascending."""
    values = scores_at(scores, rows)
    if len(values) > BEST:
        least = least_of(values, BEST)
        above = values[np.flatnonzero(values > least)]
        values = np.concatenate((above, np.full(BEST - len(above), least, values.dtype)))
    # Sorted, so that mean and deviation do not depend on the order of the rows.
    return np.sort(values)
