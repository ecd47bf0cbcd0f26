"""Scores how well each word of a query is met by some word of a paper, the same or a near one.

One vector of a whole abstract forgets single words; here every word of the query looks for its nearest among the
paper's, and the rarer it is the more that counts (late interaction, Khattab and Zaharia 2020, with one fixed vector
a stem). A word that the model does not know is met by itself alone. It costs 5 ms for a few hundred papers and only
puts the best of a ranking in order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from litterm.text.tokens import STOP_WORDS, stem

if TYPE_CHECKING:
    from litterm.library.index.segment_index import SegmentIndex
    from litterm.library.index.static_embeddings import StaticModel
    from litterm.search.open_index import LiveRows, Rows
    from litterm.search.signals.scores import Scores, Term

DIMS = 128
# Apart from -1, which stands for a word whose stem has no vector.
_NOT_LOOKED_UP = -2
_MOST_WEIGHT = 3.0
"""A word said more often than this does not count more."""
_STEPS = np.float32(2048)
_LENGTH_SLOPE = 0.06
"""What e times as many words bring a paper by chance; taken off, so that no abstract is neither fault nor merit (on the
dev sets .066 to .098 within the best 300 papers, of which some is earned)."""

Places = npt.NDArray[np.int64]
Matrix = npt.NDArray[np.float32]


class WordCoverage:
    """Stems of papers and queries as vectors; safe from any thread."""

    def __init__(self, vectors: StaticModel) -> None:
        self._vectors = vectors
        self._units = _Units(vectors)
        # By the part itself, weakly: it goes when the segment does.
        self._known: WeakKeyDictionary[SegmentIndex, npt.NDArray[np.int32]] = WeakKeyDictionary()

    def scores(self, live: LiveRows, terms: Sequence[Term], idfs: Sequence[float], rows: Rows) -> Scores | None:
        """One number a row of `rows` (ascending), about in [0, 1]; `None` when no term occurs anywhere.

        0 for a paper without a known word.
        """
        heads = self._vectors.places([term.stems[0] for term in terms])
        weights = np.array([idf * min(term.weight, _MOST_WEIGHT) for term, idf in zip(terms, idfs, strict=True)])
        if not weights.any() or not len(rows):
            return None
        known = (heads >= 0) & (weights > 0)
        met, lengths = self._met(live, heads[known], weights[known], rows)
        # A stem without a vector is near to no other: it is met where it stands, and nowhere else.
        for index in np.flatnonzero((heads < 0) & (weights > 0)).tolist():
            met[_holding(live, terms[index], rows)] += weights[index]
        filled = lengths > 0
        scores = np.zeros(len(rows), np.float32)
        # Rounded: what is left of sums in another order must not tell papers apart.
        scores[filled] = (met[filled] / weights.sum() - _LENGTH_SLOPE * np.log(1 + lengths[filled])).round(5)
        return scores

    def _met(
        self, live: LiveRows, query_stems: Places, weights: npt.NDArray[np.float64], rows: Rows
    ) -> tuple[npt.NDArray[np.float64], Places]:
        """Per row how well the known stems `query_stems` are met, `weights` in all; and how many known stems it has."""
        places, lengths = self._papers(live, rows)
        met = np.zeros(len(rows))
        filled = np.flatnonzero(lengths)
        if not len(filled) or not len(query_stems):
            return met, lengths
        distinct, numbers = _numbered(places)
        likeness = self._units.at(query_stems) @ self._units.at(distinct).T
        starts = (np.cumsum(lengths) - lengths)[filled]
        # Word by word: what is gathered for one stays in the processor's cache.
        best = np.stack([np.maximum.reduceat(row.take(numbers), starts) for row in likeness])
        met[filled] = (weights[:, None] * best.astype(np.float64)).sum(axis=0)
        return met, lengths

    def _papers(self, live: LiveRows, rows: Rows) -> tuple[Places, Places]:
        """The known stems of `rows` with repeats, one row after the other, and how many a row."""
        stems, lengths = [], []
        for part, _, inside in live.split(rows):
            words, counts = part.texts(inside)
            stems.append(self._looked_up(live, part, words))
            lengths.append(counts)
        stem_places, counts = np.concatenate(stems), np.concatenate(lengths)
        known = stem_places >= 0
        edges = np.concatenate(([0], np.cumsum(known)))[np.concatenate(([0], np.cumsum(counts)))]
        return stem_places[known].astype(np.int64), np.diff(edges)

    def _looked_up(self, live: LiveRows, part: SegmentIndex, words: Places) -> npt.NDArray[np.int32]:
        """The stems at the word places `words` of `part`."""
        known = self._known.get(part)
        if known is None:
            known = self._known.setdefault(part, self._places_of(live, part))
        stem_places = known[words]
        # Threads may look up the same words twice, which only costs time: the result is the same.
        if len(stem_places) and stem_places.min() == _NOT_LOOKED_UP:
            new = _numbered(words[stem_places == _NOT_LOOKED_UP])[0]
            names = [part.word(place) for place in new.tolist()]
            known[new] = self._vectors.places(["" if word in STOP_WORDS else stem(word) for word in names])
            stem_places = known[words]
        return stem_places

    def _places_of(self, live: LiveRows, part: SegmentIndex) -> npt.NDArray[np.int32]:
        """The stem of every word of `part`, by its vectors; to be looked up where an older litterm made them."""
        vectors = live.vectors[live.parts.index(part)]
        if vectors is None or vectors.embedder != self._vectors.name or vectors.word_places is None:
            return np.full(part.word_count, _NOT_LOOKED_UP, np.int32)
        return vectors.word_places


def _holding(live: LiveRows, term: Term, rows: Rows) -> npt.NDArray[np.bool_]:
    """Which of `rows` hold a stem of `term`."""
    holding = np.zeros(live.size, np.bool_)
    for part, span in live.slices():
        for term_stem in term.stems:
            holding[span][part.postings(term_stem)[0]] = True
    return holding[rows]


class _Units:
    """The vectors of stems at length 1, in whole steps, kept once they were asked for."""

    def __init__(self, vectors: StaticModel) -> None:
        self._vectors = vectors
        self._steps = np.zeros((vectors.stem_count, DIMS), np.int16)
        self._made = np.zeros(vectors.stem_count, np.bool_)

    def at(self, places: Places) -> Matrix:
        """Float32 `[len(places), DIMS]`."""
        new = places[~self._made[places]]
        if len(new):
            vectors = self._vectors.vectors(new, DIMS)
            units = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), np.float32(1e-9))
            self._steps[new] = np.rint(units * _STEPS)
            # Last, for other threads.
            self._made[new] = True
        # Products of multiples of 1/2048 add up exactly in whatever order: no score depends on what else is looked at.
        return self._steps[places] * (1 / _STEPS)


def _numbered(places: Places) -> tuple[Places, Places]:
    """The distinct `places`, ascending, and for each of `places` where among them it stands."""
    present = np.zeros(int(places.max(initial=-1)) + 1, np.bool_)
    present[places] = True
    return np.flatnonzero(present), (np.cumsum(present) - 1)[places]
