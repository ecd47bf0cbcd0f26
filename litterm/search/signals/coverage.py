"""Word coverage: how well each word of a query is matched by some word of a paper, the same or a similar one.

One vector of a whole abstract loses single words. Here every word of the query is compared with all words of the paper,
its best match counts, and rare words count more (late interaction, Khattab and Zaharia 2020, with one fixed vector a
stem). A word that the model does not know matches only itself. A few hundred papers take 5 ms, so that only the best of
a ranking are scored.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from litterm.search.open_index import mask_of
from litterm.text.tokens import STOP_WORDS, stem

if TYPE_CHECKING:
    from litterm.library.index.segment_index import SegmentIndex
    from litterm.library.index.static_embeddings import StaticModel
    from litterm.search.open_index import LiveRows, Rows
    from litterm.search.signals.bm25 import Scores, Term

DIMS = 128
# Not -1, which stands for a word whose stem has no vector.
_NOT_LOOKED_UP = -2
_MAX_WEIGHT = 3.0
"""Repeating a word more often than this does not increase its weight."""
_STEPS_PER_UNIT = np.float32(2048)
_PRODUCTS_PER_BLOCK = 2**18
"""Up to so many products BLAS stays in one thread. With more it wakes others, and where all cores are busy it waits for
them longer than the whole query takes (1.4 ms of processor time instead of 0.15 ms)."""
_LENGTH_SLOPE = 0.06
"""What e times as many words add to a score by chance; subtracted, so that a missing abstract is neither an advantage
nor a disadvantage (measured .066 to .098 within the best 300 papers of the dev sets, a part of which is deserved)."""

StemNumbers = npt.NDArray[np.int64]
Matrix = npt.NDArray[np.float32]


class WordCoverage:
    """Coverage scores from the stem vectors of papers and queries; safe from any thread."""

    def __init__(self, vectors: StaticModel) -> None:
        self._vectors = vectors
        self._units = _UnitVectors(vectors)
        # Keyed weakly by the part, so that an entry goes when its segment does.
        self._stems_by_part: WeakKeyDictionary[SegmentIndex, npt.NDArray[np.int32]] = WeakKeyDictionary()

    def scores(self, live: LiveRows, terms: Sequence[Term], idfs: Sequence[float], rows: Rows) -> Scores | None:
        """A score of each of `rows` (ascending), about in [0, 1]; `None` when no term occurs anywhere.

        A paper without a known word has 0.
        """
        heads = self._vectors.places([term.stems[0] for term in terms])
        weights = np.array([idf * min(term.weight, _MAX_WEIGHT) for term, idf in zip(terms, idfs, strict=True)])
        if not weights.any() or not len(rows):
            return None
        known = (heads >= 0) & (weights > 0)
        match_sums, lengths = self._sum_matches(live, heads[known], weights[known], rows)
        # A stem without a vector is similar to no other: it matches only itself.
        for index in np.flatnonzero((heads < 0) & (weights > 0)).tolist():
            match_sums[_holder_mask(live, terms[index], rows)] += weights[index]
        filled = lengths > 0
        scores = np.zeros(len(rows), np.float32)
        # Rounded: rounding errors of sums in another order must not decide between papers.
        scores[filled] = (match_sums[filled] / weights.sum() - _LENGTH_SLOPE * np.log(1 + lengths[filled])).round(5)
        return scores

    def _sum_matches(
        self, live: LiveRows, query_stems: StemNumbers, weights: npt.NDArray[np.float64], rows: Rows
    ) -> tuple[npt.NDArray[np.float64], StemNumbers]:
        """Per row the weighted sum of the best matches of `query_stems`, and the number of its known stems."""
        places, lengths = self._stems_of_rows(live, rows)
        match_sums = np.zeros(len(rows))
        filled = np.flatnonzero(lengths)
        if not len(filled) or not len(query_stems):
            return match_sums, lengths
        distinct, numbers = _unique_with_inverse(places)
        likeness = _multiply_in_blocks(self._units.of_stems(query_stems), self._units.of_stems(distinct))
        starts = (np.cumsum(lengths) - lengths)[filled]
        # Word by word, so that the gathered values stay in the processor's cache.
        best = np.stack([np.maximum.reduceat(row.take(numbers), starts) for row in likeness])
        match_sums[filled] = (weights[:, None] * best.astype(np.float64)).sum(axis=0)
        return match_sums, lengths

    def _stems_of_rows(self, live: LiveRows, rows: Rows) -> tuple[StemNumbers, StemNumbers]:
        """The known stems of `rows` with repeats, row by row, and how many each row has."""
        stems, lengths = [], []
        for part, _, local_rows in live.split(rows):
            words, counts = part.texts(local_rows)
            stems.append(self._look_up_stems(live, part, words))
            lengths.append(counts)
        stem_places, counts = np.concatenate(stems), np.concatenate(lengths)
        known = stem_places >= 0
        edges = np.concatenate(([0], np.cumsum(known)))[np.concatenate(([0], np.cumsum(counts)))]
        return stem_places[known].astype(np.int64), np.diff(edges)

    def _look_up_stems(self, live: LiveRows, part: SegmentIndex, words: StemNumbers) -> npt.NDArray[np.int32]:
        """The stem numbers of the words numbered `words` in `part`."""
        stem_numbers = self._stems_by_part.get(part)
        if stem_numbers is None:
            stem_numbers = self._stems_by_part.setdefault(part, self._stored_stems(live, part))
        stem_places = stem_numbers[words]
        # Threads may look up the same words twice, with the same result.
        if len(stem_places) and stem_places.min() == _NOT_LOOKED_UP:
            new = _unique_with_inverse(words[stem_places == _NOT_LOOKED_UP])[0]
            names = [part.word(number) for number in new.tolist()]
            stem_numbers[new] = self._vectors.places(["" if word in STOP_WORDS else stem(word) for word in names])
            stem_places = stem_numbers[words]
        return stem_places

    def _stored_stems(self, live: LiveRows, part: SegmentIndex) -> npt.NDArray[np.int32]:
        """The stem of every word of `part`, by its vectors; to be looked up where an older litterm made them."""
        vectors = live.vectors[live.parts.index(part)]
        if vectors is None or vectors.embedder != self._vectors.name or vectors.word_places is None:
            return np.full(part.word_count, _NOT_LOOKED_UP, np.int32)
        return vectors.word_places


def _holder_mask(live: LiveRows, term: Term, rows: Rows) -> npt.NDArray[np.bool_]:
    """A mask over `rows`: those that hold a stem of `term`."""
    holding = np.zeros(live.size, np.bool_)
    for part, span in live.slices():
        holding[span] = mask_of(part.count, *(part.postings(term_stem)[0] for term_stem in term.stems))
    return holding[rows]


class _UnitVectors:
    """Unit vectors of stems, rounded to whole steps and cached when they are first used."""

    def __init__(self, vectors: StaticModel) -> None:
        self._vectors = vectors
        self._steps = np.zeros((vectors.stem_count, DIMS), np.int16)
        self._is_made = np.zeros(vectors.stem_count, np.bool_)

    def of_stems(self, stem_numbers: StemNumbers) -> Matrix:
        """The vectors of stems, as float32 `[len(stem_numbers), DIMS]`."""
        new = stem_numbers[~self._is_made[stem_numbers]]
        if len(new):
            vectors = self._vectors.vectors(new, DIMS)
            units = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), np.float32(1e-9))
            self._steps[new] = np.rint(units * _STEPS_PER_UNIT)
            # Set last: other threads read it first.
            self._is_made[new] = True
        # Products of multiples of 1/2048 add up exactly in any order: no score depends on which other rows are scored.
        return self._steps[stem_numbers] * (1 / _STEPS_PER_UNIT)


def _multiply_in_blocks(rows: Matrix, other_rows: Matrix) -> Matrix:
    """The products of each of `rows` with each of `other_rows`."""
    products = np.empty((len(rows), len(other_rows)), np.float32)
    block = max(1, _PRODUCTS_PER_BLOCK // rows.size)
    for start in range(0, len(other_rows), block):
        products[:, start : start + block] = rows @ other_rows[start : start + block].T
    return products


def _unique_with_inverse(numbers: StemNumbers) -> tuple[StemNumbers, StemNumbers]:
    """The distinct `numbers`, ascending, and for each of `numbers` its index among them."""
    present = np.zeros(int(numbers.max(initial=-1)) + 1, np.bool_)
    present[numbers] = True
    return np.flatnonzero(present), (np.cumsum(present) - 1)[numbers]
