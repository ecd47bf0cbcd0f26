"""The pool of a query: the papers that come into question, with the scores of every retriever."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from litterm.search.open_index import intersect_rows, mask_of
from litterm.search.search_weights import DEFAULT, SearchWeights
from litterm.search.signals.fusion import (
    NORMALISATION_DEPTH,
    Signal,
    best_rows,
    best_rows_and_scores,
    best_rows_by_value,
    best_values,
    spread_scores,
    union_rows,
)

if TYPE_CHECKING:
    from litterm.search.open_index import Mask, Rows
    from litterm.search.row_source import Candidates, Scoring
    from litterm.search.signals.bm25 import Scores
    from litterm.search.signals.semantic import Nearness

FEEDBACK_PAPERS, _POOL_ROWS_PER_FEEDBACK_PAPER = 10, 20
"""Papers whose vectors are averaged as feedback; of a small pool one in `_POOL_ROWS_PER_FEEDBACK_PAPER`."""
COVERAGE_DEPTH = 200
"""How many of the best papers are scored by word coverage."""
MIN_COSINE = 0.3
"""Cosine from which a paper is listed that holds no word of the query."""


@dataclass(frozen=True, slots=True)
class RetrievalPool:
    """The best of every retriever."""

    rows: Rows
    """Ascending."""
    matching: Mask
    """A mask over the candidates of all that match: they hold a word of the query, or are near to it in meaning."""
    signals: tuple[Signal, ...]
    best: Rows
    """The best of all candidates, also of those that may not be returned; ascending."""

    @property
    def found(self) -> int:
        """How many papers match."""
        return int(np.count_nonzero(self.matching))


@dataclass(frozen=True, slots=True)
class _Stage:
    """Some of the signals, the best rows by these (ascending), and a mask of the rows that match by them."""

    signals: tuple[Signal, ...]
    best: Rows
    matching: Mask


@dataclass(frozen=True, slots=True)
class Retrievers:
    """The retrievers of one query over its candidates: scores by words, by meaning, by word coverage, by names."""

    candidates: Candidates
    scoring: Scoring
    weights: SearchWeights = DEFAULT

    def build_pool(self) -> RetrievalPool:
        """The pool of the best candidates; scores are normalised over the unrestricted ones alone.

        Where only some rows may be returned, word coverage is computed for all of them.
        """
        within = self.candidates.in_question.within
        by_words = self._by_words()
        by_titles = self._title_signals()
        by_meaning = self._by_meaning(by_words)
        by_encoder = self._by_encoder(by_meaning)
        signals = [*by_words.signals, *by_titles, *by_meaning.signals, *by_encoder.signals]
        best, matching = by_encoder.best, by_encoder.matching
        listed = None if within is None else within[matching[within]]
        signals += self._coverage_signals(_select_best(signals, best), listed)
        signals += self._feedback_signals(signals, best, listed)
        return RetrievalPool(best if listed is None else listed, matching, tuple(signals), best)

    def count_matching(self) -> int:
        """How many candidates match; how well they do is not computed."""
        return int(np.count_nonzero(self._by_encoder(self._by_meaning(self._by_words())).matching))

    def _by_words(self) -> _Stage:
        """The signals of words; what is always in the pool is among the best."""
        candidates, in_question = self.candidates, self.candidates.in_question
        scores_by_words = [candidates.words] if candidates.texts is None else [candidates.words, candidates.texts]
        signals, rows_by_words = self._word_signals(scores_by_words)
        pooled = self._always_pooled(in_question.unrestricted)
        matching = _matching_mask(scores_by_words, in_question.rows)
        within = in_question.within
        matching[pooled if within is None else intersect_rows(pooled, within)] = True
        return _Stage(tuple(signals), self._union((*rows_by_words, pooled)), matching)

    def _by_meaning(self, by_words: _Stage) -> _Stage:
        """The signals of meaning, with the rows of `by_words` and those that are near."""
        nearness, within, best = self.candidates.nearness, self.candidates.in_question.within, by_words.best
        if not nearness:
            return _Stage((), best, by_words.matching)
        signal, near_rows = self._meaning_signal("meaning", self._meaning_weight(), nearness[0], best)
        best, matching = self._union((best, near_rows)), by_words.matching.copy()
        # Only these match by meaning: any cosine above 0 would match nearly every paper.
        matching[near_rows if within is None else within[signal.scores[within] >= MIN_COSINE]] = True
        beside = (self._meaning_signal("typed", self.weights.beside, typed, best)[0] for typed in nearness[1:])
        return _Stage((signal, *beside), best, matching)

    def _by_encoder(self, by_meaning: _Stage) -> _Stage:
        """The signal of the user's encoder, with the rows of `by_meaning` and those that are nearest."""
        cosines, in_question, best = self.candidates.encoded, self.candidates.in_question, by_meaning.best
        if cosines is None:
            return _Stage((), best, by_meaning.matching)
        # Imported when needed: hardly anybody has an encoder.
        from litterm.search.signals.encoder import encoder_signal

        signal, nearest = encoder_signal(cosines, self.weights.encoder, in_question.unrestricted, best)
        matching = by_meaning.matching.copy()
        matching[nearest if in_question.within is None else intersect_rows(nearest, in_question.within)] = True
        return _Stage((signal,), self._union((best, nearest)), matching)

    def _always_pooled(self, unrestricted: Rows) -> Rows:
        """The rows of `unrestricted` that are always in the pool."""
        rare_words, named_works = self.candidates.rare_words, self.candidates.named_works
        rare = rare_words.rows(self.candidates.live, unrestricted) if rare_words is not None else unrestricted[:0]
        return rare if named_works is None else self._union((rare, intersect_rows(named_works.rows, unrestricted)))

    def _meaning_weight(self) -> float:
        weights = self.weights
        return (weights.meaning if self.scoring.interpreted.by_word else weights.like) * math.pow(
            self.scoring.known_share, weights.known_power
        )

    def _meaning_signal(self, name: str, weight: float, meaning: Nearness, best: Rows) -> tuple[Signal, Rows]:
        """The signal of nearness in meaning, and the unrestricted rows that are near."""
        in_question = self.candidates.in_question
        cosines = meaning.scan_nearest(NORMALISATION_DEPTH, in_question.unrestricted)
        nearest = best_rows(cosines, in_question.unrestricted, NORMALISATION_DEPTH)
        listed = nearest if in_question.within is None else in_question.within
        exact = self._union((best, nearest, listed))
        # Cosines of the scan are approximate; whatever may be listed is compared over all dimensions.
        scores = spread_scores(self.candidates.live.size, exact, meaning.rescore(exact))
        near_scores = scores[nearest]
        return Signal(name, weight, scores, best_values(near_scores)), nearest[near_scores >= MIN_COSINE]

    def _feedback_signals(self, signals: list[Signal], best: Rows, extra_rows: Rows | None) -> list[Signal]:
        """Nearness of `best` and `extra_rows` to the centroid of the first of `best` (relevance feedback)."""
        if not self.candidates.nearness or not self.scoring.interpreted.by_word or not len(best):
            return []
        # Rounded: sums in another order differ in their last digits, and ties must stay ties.
        points = np.sum([signal.points(best) for signal in signals], axis=0).round(5)
        first = best_rows_by_value(points, best, min(FEEDBACK_PAPERS, -(-len(best) // _POOL_ROWS_PER_FEEDBACK_PAPER)))
        ahead = points[np.searchsorted(best, first)]
        looked_at = best if extra_rows is None else self._union((best, extra_rows))
        # The best of them count most, by their points; all of them at once, for one paper may be off the topic.
        centroid = self.candidates.nearness[0].centroid(first, np.exp(ahead - ahead.max()))
        cosines = spread_scores(self.candidates.live.size, looked_at, centroid.rescore(looked_at))
        return [Signal("like the first", self.weights.first, cosines, best_values(cosines[best]))]

    def _union(self, rows: Iterable[Rows]) -> Rows:
        return union_rows(self.candidates.live.size, *rows)

    def _word_signals(self, scores_by_words: Sequence[Scores]) -> tuple[list[Signal], list[Rows]]:
        """The signals of `scores_by_words`, and the best rows of each."""
        # At least as many as the mean and deviation of a signal are taken over, so that `k` changes no score.
        count = max(self.scoring.k, NORMALISATION_DEPTH)
        names = (("words", self.weights.words), ("full text", self.weights.full_text))
        signals, best_rows_of_each = [], []
        for (name, weight), scores in zip(names, scores_by_words, strict=False):
            rows, best = best_rows_and_scores(scores, self.candidates.in_question.unrestricted, count)
            signals.append(Signal(name, weight, scores, best))
            best_rows_of_each.append(rows)
        return signals, best_rows_of_each

    def _title_signals(self) -> list[Signal]:
        if not self.scoring.interpreted.by_title:
            return []
        scores, unrestricted = self.candidates.title_scores(), self.candidates.in_question.unrestricted
        weight = self.weights.title_of_statement if self.scoring.interpreted.is_statement else self.weights.title
        return [Signal("title", weight, scores, best_rows_and_scores(scores, unrestricted, NORMALISATION_DEPTH)[1])]

    def _coverage_signals(self, chosen: Rows, extra_rows: Rows | None) -> list[Signal]:
        """Word coverage of `chosen` and `extra_rows`; all other rows score as little as the worst of `chosen`."""
        # Coverage compares words by vectors; without vectors it would only count exact words again.
        if not self.candidates.nearness or not self.scoring.interpreted.by_word:
            return []
        looked_at = chosen if extra_rows is None else self._union((chosen, extra_rows))
        coverage_scores = self.candidates.coverage(looked_at)
        if coverage_scores is None or not len(chosen):
            return []
        best = np.sort(coverage_scores[np.searchsorted(looked_at, chosen)])
        # All others lie a little below the worst of these: no paper may gain by not being scored.
        scores = spread_scores(self.candidates.live.size, looked_at, coverage_scores, other=best[0] - np.float32(1e-5))
        return [Signal("every word", self.weights.coverage, scores, best)]


def _matching_mask(scores_by_words: Sequence[Scores], rows: Rows) -> Mask:
    """A mask over the library: the rows of `rows` to which any of `scores_by_words` gives a score."""
    mask = np.zeros(len(scores_by_words[0]), np.bool_)
    for scores in scores_by_words:
        mask |= scores > 0
    # Not `mask[rows]`: gathering a million numbers takes longer than looking at all.
    if len(rows) < len(mask):
        mask &= mask_of(len(mask), rows)
    return mask


def _select_best(signals: list[Signal], rows: Rows) -> Rows:
    """The `COVERAGE_DEPTH` best of `rows` by all `signals` together, ascending."""
    points = np.sum([signal.points(rows) for signal in signals], axis=0).round(5)
    return best_rows_by_value(points, rows, COVERAGE_DEPTH)
