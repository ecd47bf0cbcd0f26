"""BM25 scores of all rows: the idf-free weights stored in each segment times one idf over all segments.

Document frequencies are summed over the living rows of all segments, so that scores do not depend on how the library is
divided into segments.

An index stores weights for one fixed average length, so that segments can be built independently. Biomedical papers are
twice as long: with that average nearly all of them would count as long. Where the papers of a library are longer than
usual, their weights are converted for each query.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from litterm.library.index.bm25_weights import TYPICAL_LENGTH, whole_record_weighting
from litterm.model.events import Progress

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.library.index.segment_index import SegmentIndex
    from litterm.search.open_index import LiveRows

_TERMS_PER_EVENT = 256
"""Terms scored between two events; only a pasted paper has that many."""

DERIVED_WEIGHT = np.float32(0.7)
"""Of "stability" where "stable" was asked for."""

Scores = npt.NDArray[np.float32]
PostingsLookup = Callable[[str], tuple[npt.NDArray[np.int32], Scores]]
"""Gives the rows that hold a stem and their idf-free weights."""
Ratios = npt.NDArray[np.float32]
"""By row, what its length penalty is multiplied by."""


@dataclass(frozen=True, slots=True)
class LengthTotals:
    """The total length of the titles and abstracts of living papers."""

    papers: int = 0
    words: int = 0
    stems: int = 0
    """Words without stop words."""

    @property
    def average(self) -> float:
        """Stems a paper."""
        return self.stems / self.papers if self.papers else 0.0


def sum_totals(totals: Iterable[LengthTotals]) -> LengthTotals:
    """The sum of the totals of several parts."""
    parts = list(totals)
    return LengthTotals(
        sum(part.papers for part in parts), sum(part.words for part in parts), sum(part.stems for part in parts)
    )


def length_totals(part: SegmentIndex, alive: npt.NDArray[np.bool_] | None) -> LengthTotals:
    """The totals of the rows of `part` that are `alive`; `None` where all are."""
    words, stems = int(part.columns.length.sum(dtype=np.int64)), part.stem_total
    if alive is None:
        return LengthTotals(part.count, words, stems)
    # A library must rank alike whether its few shadowed rows are still stored or not.
    shadowed = np.flatnonzero(~alive)
    words -= int(part.columns.length[shadowed].sum(dtype=np.int64))
    return LengthTotals(part.count - len(shadowed), words, stems - part.stem_total_at(shadowed))


def penalty_ratios(part: SegmentIndex, totals: LengthTotals) -> Ratios | None:
    """The factor that converts the length penalty of each row of `part` to the average length of `totals`.

    `None` where that average is at most `TYPICAL_LENGTH`: the weights stay as they are.
    """
    if totals.average <= TYPICAL_LENGTH:
        return None
    # Stems are estimated from words: counting them would read every text of the library.
    lengths = part.columns.length.astype(np.float64) * (totals.stems / totals.words)
    wanted, stored = whole_record_weighting(totals.average), whole_record_weighting(part.average_length)
    return (wanted.penalties(lengths) / stored.penalties(lengths)).astype(np.float32)


def renormalise(postings: PostingsLookup, ratios: Ratios | None) -> PostingsLookup:
    """`postings` with weights tf / (penalty * ratio + tf) instead of tf / (penalty + tf)."""
    if ratios is None:
        return postings

    def renormalise_part(stem: str) -> tuple[npt.NDArray[np.int32], Scores]:
        rows, weights = postings(stem)
        penalised = (np.float32(1) - weights) * ratios[rows]
        return rows, (weights / (weights + penalised)).astype(np.float32, copy=False)

    return renormalise_part


@dataclass(frozen=True, slots=True)
class Term:
    """A search term: one stem, or several of which the best counts."""

    stems: tuple[str, ...]
    weight: float = 1.0
    derived: tuple[str, ...] = ()
    """Stems of words of the same family, each occurrence of which counts `DERIVED_WEIGHT`."""


@dataclass(frozen=True, slots=True)
class TermCounts:
    """How many papers hold each term of a query, before any paper is scored."""

    frequencies: tuple[int, ...]
    """The number of living rows that hold each term, or a word derived from it."""
    idfs: tuple[float, ...]
    """0 for a term that occurs nowhere."""
    postings: tuple[tuple[tuple[slice, npt.NDArray[np.int32], Scores], ...], ...] = ()
    """For each term and segment the segment's slice of rows, the rows in it that hold the term, and their weights."""


@dataclass(frozen=True, slots=True)
class TermScores:
    """BM25 scores of all rows, with frequency and idf of each term."""

    scores: Scores
    frequencies: tuple[int, ...]
    """The number of living rows that hold each term, or a word derived from it."""
    idfs: tuple[float, ...]
    """0 for a term that occurs nowhere."""


def count_terms(live: LiveRows, terms: Sequence[Term]) -> Task[TermCounts]:
    """Frequency and idf of each of `terms`, with the postings that `score_with_counts` adds up."""
    postings, frequencies = [], []
    for index, term in enumerate(terms):
        if index and index % _TERMS_PER_EVENT == 0:
            yield Progress("scoring", index, len(terms))
        by_part = tuple(
            (span, *_term_postings(weighted, term, count)) for weighted, span, count in _weighted_postings(live)
        )
        postings.append(by_part)
        frequencies.append(sum(_count_living(live, span, rows) for span, rows, _ in by_part))
    idfs = tuple(idf_of(frequency, live.count) for frequency in frequencies)
    return TermCounts(tuple(frequencies), idfs, tuple(postings))


def score_with_counts(live: LiveRows, terms: Sequence[Term], counts: TermCounts) -> TermScores:
    """BM25 of every row, shadowed ones included; 0 where none of `terms`, which `counts` counted, occurs."""
    scores = np.zeros(live.size, np.float32)
    factors = _factors(terms, counts.idfs)
    # Segment by segment, so that the scores that are added to stay in the processor's cache.
    for by_term in zip(*counts.postings, strict=True):
        for factor, (span, rows, weights) in zip(factors, by_term, strict=True):
            # Twice as fast as `scores[span][rows] += ...`.
            np.add.at(scores[span], rows, weights * factor)
    return TermScores(scores, counts.frequencies, counts.idfs)


def score_terms(live: LiveRows, terms: Sequence[Term]) -> Task[TermScores]:
    """BM25 of every row, shadowed ones included; 0 where no term occurs."""
    return score_with_counts(live, terms, (yield from count_terms(live, terms)))


def idf_of(frequency: int, count: int) -> float:
    """The idf of a term that `frequency` of `count` papers hold; 0 where none does."""
    return math.log(1 + (count - frequency + 0.5) / (frequency + 0.5)) if frequency else 0.0


def document_frequencies(live: LiveRows, terms: Sequence[Term]) -> list[int]:
    """The number of living rows that hold each of `terms`, or a word derived from it."""
    return [
        sum(
            _count_living(live, span, _term_postings(part.postings, term, part.count)[0])
            for part, span in live.slices()
        )
        for term in terms
    ]


def score_with_idfs(live: LiveRows, terms: Sequence[Term], idfs: Sequence[float]) -> Scores:
    """BM25 of every row as `score_terms` computes it, with given `idfs`."""
    scores = np.zeros(live.size, np.float32)
    factors = _factors(terms, idfs)
    for weighted, span, count in _weighted_postings(live):
        for term, factor in zip(terms, factors, strict=True):
            rows, weights = _term_postings(weighted, term, count)
            np.add.at(scores[span], rows, weights * factor)
    return scores


def title_scores(live: LiveRows, terms: Sequence[Term], idfs: Sequence[float]) -> Scores:
    """BM25 of titles alone, with the `idfs` of titles and abstracts together; 0 where no term occurs."""
    scores = np.zeros(live.size, np.float32)
    factors = _factors(terms, idfs)
    for part, span in live.slices():
        for term, factor in zip(terms, factors, strict=True):
            rows, weights = best_postings(part.title_postings, term.stems, part.count)
            np.add.at(scores[span], rows, weights * factor)
    return scores


def _factors(terms: Sequence[Term], idfs: Sequence[float]) -> list[np.float32]:
    """What the idf-free weights of each term are multiplied by."""
    return [np.float32(idf * term.weight) for term, idf in zip(terms, idfs, strict=True)]


def stems_of(term: Term) -> tuple[str, ...]:
    """The stems of `term` and of the words derived from it."""
    return (*term.stems, *term.derived)


def best_postings(postings: PostingsLookup, stems: tuple[str, ...], count: int) -> tuple[npt.NDArray[np.int32], Scores]:
    """The rows, of `count`, that hold any of `stems`, each with the largest weight."""
    if len(stems) == 1:
        return postings(stems[0])
    best = np.zeros(count, np.float32)
    for stem in stems:
        rows, weights = postings(stem)
        best[rows] = np.maximum(best[rows], weights)
    return _positive(best)


def _term_postings(postings: PostingsLookup, term: Term, count: int) -> tuple[npt.NDArray[np.int32], Scores]:
    """The rows, of `count`, that hold `term` or a word derived from it, each with the largest weight."""
    rows, weights = best_postings(postings, term.stems, count)
    if not term.derived:
        return rows, weights
    best = np.zeros(count, np.float32)
    best[rows] = weights
    for stem in term.derived:
        rows, weights = postings(stem)
        best[rows] = np.maximum(best[rows], weights * DERIVED_WEIGHT)
    return _positive(best)


def _positive(weights: Scores) -> tuple[npt.NDArray[np.int32], Scores]:
    """The rows whose weight is above 0, with their weights."""
    # By a mask: numpy looks for the numbers themselves three times as long.
    rows = np.flatnonzero(weights > 0).astype(np.int32)
    return rows, weights[rows]


def _weighted_postings(live: LiveRows) -> Iterator[tuple[PostingsLookup, slice, int]]:
    """The postings of each part, normalised by the average length of the library, with its slice and number of rows."""
    ratios = live.length_ratios or (None,) * len(live.parts)
    for (part, span), part_ratios in zip(live.slices(), ratios, strict=True):
        yield renormalise(part.postings, part_ratios), span, part.count


def _count_living(live: LiveRows, span: slice, rows: npt.NDArray[np.int32]) -> int:
    return len(rows) if live.alive is None else int(np.count_nonzero(live.alive[span][rows]))
