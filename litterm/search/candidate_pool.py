"""The pool of a query: the papers that come into question, with the scores of every retriever."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from litterm.search.open_index import intersect_rows, mask_of
from litterm.search.search_weights import DEFAULT, SearchWeights
from litterm.search.signals.bm25 import TermScores, title_scores
from litterm.search.signals.normalise import (
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
    from litterm.search.open_index import LiveRows, Mask, Rows
    from litterm.search.query.interpret import InterpretedQuery
    from litterm.search.signals.bm25 import Scores
    from litterm.search.signals.coverage import WordCoverage
    from litterm.search.signals.fulltext_field import FullTexts
    from litterm.search.signals.named_works import NamedWorks
    from litterm.search.signals.rare_words import RareWords
    from litterm.search.signals.semantic import SemanticQuery

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
    """A mask over the library of all that match: they hold a word of the query, or are near to it in meaning."""
    signals: tuple[Signal, ...]

    @property
    def found(self) -> int:
        """How many papers match."""
        return int(np.count_nonzero(self.matching))


@dataclass(frozen=True, slots=True)
class CandidateRows:
    """The rows that a query may return."""

    unrestricted: Rows
    """All that pass filters and phrases; scores are normalised over these."""
    rows: Rows
    """Those of them that may be returned; the same object where all may be."""


@dataclass(frozen=True, slots=True)
class Retrievers:
    """The retrievers of one interpreted query: scores by words, by meaning, by word coverage, by names."""

    live: LiveRows
    interpreted: InterpretedQuery
    scored: TermScores
    query_vector: SemanticQuery | None
    coverage: WordCoverage | None
    full_texts: FullTexts | None = None
    extra_vector: SemanticQuery | None = None
    known_share: float = 1.0
    """The share of the query's idf that belongs to words the semantic model knows."""
    rare_words: RareWords | None = None
    """Words of the query that hardly any paper holds; their holders are always in the pool."""
    named_works: NamedWorks | None = None
    """Papers by an author and of a year in the query; they are always in the pool."""
    weights: SearchWeights = DEFAULT

    def build_pool(self, field: CandidateRows, *, k: int) -> RetrievalPool:
        """The pool for the best `k` of `field.rows`; scores are normalised over `field.unrestricted` alone.

        Where only some rows may be returned, word coverage is computed for all of them.
        """
        within = field.rows if field.rows is not field.unrestricted else None
        # At least as many as the mean and deviation of a signal are taken over, so that `k` changes no score.
        count = max(k, NORMALISATION_DEPTH)
        scores_by_words = self._word_scores()
        signals, rows_by_words = self._word_signals(scores_by_words, field.unrestricted, count)
        pooled = self._always_pooled(field.unrestricted)
        best = self._union((*rows_by_words, pooled))
        matching = _matching_mask(scores_by_words, field.rows)
        matching[pooled if within is None else intersect_rows(pooled, within)] = True
        signals += self._title_signals(field.unrestricted)
        if self.query_vector is not None:
            weight = self._meaning_weight()
            signal, near_rows = self._meaning_signal("meaning", weight, self.query_vector, best, field)
            signals.append(signal)
            best = self._union((best, near_rows))
            # Only these match by meaning: any cosine above 0 would match nearly every paper.
            matching[near_rows if within is None else within[signal.scores[within] >= MIN_COSINE]] = True
        if self.extra_vector is not None:
            signals.append(self._meaning_signal("typed", self.weights.beside, self.extra_vector, best, field)[0])
        listed = None if within is None else within[matching[within]]
        coverage_signals = self._coverage_signals(_select_best(signals, best), listed)
        rows = best if listed is None else listed
        signals += coverage_signals
        signals += self._feedback_signals(signals, best, listed)
        return RetrievalPool(rows, matching, tuple(signals))

    def _always_pooled(self, unrestricted: Rows) -> Rows:
        """The rows of `unrestricted` that are always in the pool."""
        rare = self.rare_words.rows(self.live, unrestricted) if self.rare_words is not None else unrestricted[:0]
        return (
            rare
            if self.named_works is None
            else self._union((rare, intersect_rows(self.named_works.rows, unrestricted)))
        )

    def _meaning_weight(self) -> float:
        weights = self.weights
        return (weights.meaning if self.interpreted.by_word else weights.like) * math.pow(
            self.known_share, weights.known_power
        )

    def _meaning_signal(
        self, name: str, weight: float, meaning: SemanticQuery, best: Rows, field: CandidateRows
    ) -> tuple[Signal, Rows]:
        """The signal of nearness in meaning, and the unrestricted rows that are near."""
        cosines = meaning.scan_nearest(NORMALISATION_DEPTH, field.unrestricted)
        nearest = best_rows(cosines, field.unrestricted, NORMALISATION_DEPTH)
        listed = field.rows if field.rows is not field.unrestricted else nearest
        exact = self._union((best, nearest, listed))
        # Cosines of the scan are approximate; whatever may be listed is compared over all dimensions.
        scores = spread_scores(self.live.size, exact, meaning.rescore(exact))
        near_scores = scores[nearest]
        return Signal(name, weight, scores, best_values(near_scores)), nearest[near_scores >= MIN_COSINE]

    def _feedback_signals(self, signals: list[Signal], best: Rows, extra_rows: Rows | None) -> list[Signal]:
        """Nearness of `best` and `extra_rows` to the centroid of the first of `best` (relevance feedback)."""
        if self.query_vector is None or not self.interpreted.by_word or not len(best):
            return []
        # Rounded: sums in another order differ in their last digits, and ties must stay ties.
        points = np.sum([signal.points(best) for signal in signals], axis=0).round(5)
        first = best_rows_by_value(points, best, min(FEEDBACK_PAPERS, -(-len(best) // _POOL_ROWS_PER_FEEDBACK_PAPER)))
        ahead = points[np.searchsorted(best, first)]
        looked_at = best if extra_rows is None else self._union((best, extra_rows))
        # The best of them count most, by their points; all of them at once, for one paper may be off the topic.
        centroid = self.query_vector.centroid(first, np.exp(ahead - ahead.max()))
        cosines = spread_scores(self.live.size, looked_at, centroid.rescore(looked_at))
        return [Signal("like the first", self.weights.first, cosines, best_values(cosines[best]))]

    def _union(self, rows: Iterable[Rows]) -> Rows:
        return union_rows(self.live.size, *rows)

    def _word_scores(self) -> list[Scores]:
        """The scores by words of titles and abstracts, and by those of full texts where they count."""
        if self.full_texts is None:
            return [self.scored.scores]
        return [self.scored.scores, self.full_texts.scores(self.interpreted.query_terms.terms)]

    def _word_signals(
        self, scores_by_words: Sequence[Scores], unrestricted: Rows, count: int
    ) -> tuple[list[Signal], list[Rows]]:
        """The signals of `scores_by_words`, and the `count` best rows of each."""
        names = (("words", self.weights.words), ("full text", self.weights.full_text))
        signals, best_rows_of_each = [], []
        for (name, weight), scores in zip(names, scores_by_words, strict=False):
            rows, best = best_rows_and_scores(scores, unrestricted, count)
            signals.append(Signal(name, weight, scores, best))
            best_rows_of_each.append(rows)
        return signals, best_rows_of_each

    def _title_signals(self, unrestricted: Rows) -> list[Signal]:
        if not self.interpreted.by_title:
            return []
        scores = self._title_scores()
        weight = self.weights.title_of_statement if self.interpreted.is_statement else self.weights.title
        return [Signal("title", weight, scores, best_rows_and_scores(scores, unrestricted, NORMALISATION_DEPTH)[1])]

    def _title_scores(self) -> Scores:
        return title_scores(self.live, self.interpreted.query_terms.terms, self.scored.idfs)

    def _coverage_signals(self, chosen: Rows, extra_rows: Rows | None) -> list[Signal]:
        """Word coverage of `chosen` and `extra_rows`; all other rows score as little as the worst of `chosen`."""
        if self.coverage is None or not self.interpreted.by_word:
            return []
        looked_at = chosen if extra_rows is None else self._union((chosen, extra_rows))
        coverage_scores = self.coverage.scores(
            self.live, self.interpreted.query_terms.terms, self.scored.idfs, looked_at
        )
        if coverage_scores is None or not len(chosen):
            return []
        best = np.sort(coverage_scores[np.searchsorted(looked_at, chosen)])
        # All others lie a little below the worst of these: no paper may gain by not being scored.
        scores = spread_scores(self.live.size, looked_at, coverage_scores, other=best[0] - np.float32(1e-5))
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
