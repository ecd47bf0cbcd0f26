"""BM25 scores of all rows: the idf-free weights of every segment times one idf over all segments.

With the frequencies summed over the living rows of all segments, a library gives the same scores
however it is cut into segments.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from litterm.model.events import Progress
from litterm.search.signals.length_normalisation import normalised

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.search.open_index import LiveRows

_PAUSE = 256
"""Terms between two events; only a pasted paper has that many."""

Scores = npt.NDArray[np.float32]
Occurrences = Callable[[str], tuple[npt.NDArray[np.int32], Scores]]
"""Stem to rows and idf-free weights."""


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


def score(live: LiveRows, terms: Sequence[Term]) -> Task[Scored]:
    """BM25 of every row, shadowed ones included; 0 where no term occurs."""
    scores = np.zeros(live.size, np.float32)
    frequencies, idfs = [], []
    for index, term in enumerate(terms):
        if index and index % _PAUSE == 0:
            yield Progress("scoring", index, len(terms))
        postings_by_part = [(span, *best_of(weighted, term.stems, count)) for weighted, span, count in _weighted(live)]
        frequency = sum(_living(live, span, rows) for span, rows, _ in postings_by_part)
        idf = idf_of(frequency, live.count)
        factor = np.float32(idf * term.weight)
        for span, rows, weights in postings_by_part:
            # Half of what `scores[span][rows] += ...` takes.
            np.add.at(scores[span], rows, weights * factor)
        frequencies.append(frequency)
        idfs.append(idf)
    return Scored(scores, tuple(frequencies), tuple(idfs))


def idf_of(frequency: int, count: int) -> float:
    """How much a term tells that `frequency` of `count` papers hold; 0 where none does."""
    return math.log(1 + (count - frequency + 0.5) / (frequency + 0.5)) if frequency else 0.0


def frequencies(live: LiveRows, terms: Sequence[Term]) -> list[int]:
    """In how many living rows each of `terms` occurs."""
    return [
        sum(_living(live, span, best_of(part.postings, term.stems, part.count)[0]) for part, span in live.slices())
        for term in terms
    ]


def word_scores(live: LiveRows, terms: Sequence[Term], idfs: Sequence[float]) -> Scores:
    """BM25 of every row as `score` gives it, with `idfs` that are known already."""
    scores = np.zeros(live.size, np.float32)
    for term, idf in zip(terms, idfs, strict=True):
        factor = np.float32(idf * term.weight)
        for weighted, span, count in _weighted(live):
            rows, weights = best_of(weighted, term.stems, count)
            np.add.at(scores[span], rows, weights * factor)
    return scores


def title_scores(live: LiveRows, terms: Sequence[Term], idfs: Sequence[float]) -> Scores:
    """BM25 of every title alone, with the `idfs` of titles and abstracts together; 0 where no term occurs."""
    scores = np.zeros(live.size, np.float32)
    for term, idf in zip(terms, idfs, strict=True):
        factor = np.float32(idf * term.weight)
        for part, span in live.slices():
            rows, weights = best_of(part.title_postings, term.stems, part.count)
            np.add.at(scores[span], rows, weights * factor)
    return scores


def best_of(postings: Occurrences, stems: tuple[str, ...], count: int) -> tuple[npt.NDArray[np.int32], Scores]:
    """Where any of `stems` occurs among `count` rows, with the largest of their weights."""
    if len(stems) == 1:
        return postings(stems[0])
    best = np.zeros(count, np.float32)
    for stem in stems:
        rows, weights = postings(stem)
        best[rows] = np.maximum(best[rows], weights)
    rows = np.flatnonzero(best).astype(np.int32)
    return rows, best[rows]


def _weighted(live: LiveRows) -> Iterator[tuple[Occurrences, slice, int]]:
    """Each part's occurrences by the average length of the library, the range of its rows, and how many they are."""
    ratios = live.length_ratios or (None,) * len(live.parts)
    for (part, span), part_ratios in zip(live.slices(), ratios, strict=True):
        yield normalised(part.postings, part_ratios), span, part.count


def _living(live: LiveRows, span: slice, rows: npt.NDArray[np.int32]) -> int:
    return len(rows) if live.alive is None else int(np.count_nonzero(live.alive[span][rows]))
