"""Words to one score a row: idf-free weights of every segment times one idf over all of them.

With the frequencies summed over the living rows of all segments, a library gives the same scores
however it is cut into segments.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from litterm.model.events import Progress
from litterm.protocols import TermScores
from litterm.retrieve.live import Live
from litterm.tasks import Task

_PAUSE = 256
"""Terms between two events; only a pasted paper has that many."""

Scores = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Term:
    """One thing to look for: a stem, or several of which the best counts."""

    stems: tuple[str, ...]
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Scored:
    """Scores of all rows and what is known of each term."""

    scores: Scores
    frequencies: tuple[int, ...]
    """In how many living rows each term occurs."""
    idfs: tuple[float, ...]
    """0 for a term that occurs nowhere."""


def score(live: Live, terms: Sequence[Term]) -> Task[Scored]:
    """BM25 of every row, shadowed ones included; 0 where no term occurs."""
    scores = np.zeros(live.size, np.float32)
    frequencies, idfs = [], []
    for at, term in enumerate(terms):
        if at and at % _PAUSE == 0:
            yield Progress("scoring", at, len(terms))
        found = [(span, *_occurrences(part, term.stems)) for part, span in live.slices()]
        frequency = sum(_living(live, span, rows) for span, rows, _ in found)
        idf = math.log(1 + (live.count - frequency + 0.5) / (frequency + 0.5)) if frequency else 0.0
        factor = np.float32(idf * term.weight)
        for span, rows, weights in found:
            # Rows of one term are distinct, so a plain indexed sum loses nothing.
            scores[span][rows] += weights * factor
        frequencies.append(frequency)
        idfs.append(idf)
    return Scored(scores, tuple(frequencies), tuple(idfs))


def _occurrences(part: TermScores, stems: tuple[str, ...]) -> tuple[npt.NDArray[np.int32], Scores]:
    if len(stems) == 1:
        return part.postings(stems[0])
    best = np.zeros(part.count, np.float32)
    for stem in stems:
        rows, weights = part.postings(stem)
        best[rows] = np.maximum(best[rows], weights)
    rows = np.flatnonzero(best).astype(np.int32)
    return rows, best[rows]


def _living(live: Live, span: slice, rows: npt.NDArray[np.int32]) -> int:
    return len(rows) if live.alive is None else int(np.count_nonzero(live.alive[span][rows]))
