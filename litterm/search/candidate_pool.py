"""The pool of a query: the papers that come into question, with the scores of every retriever."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from litterm.search.open_index import rows_among
from litterm.search.search_weights import DEFAULT, SearchWeights
from litterm.search.signals.normalise import BEST, Signal, best_of, best_rows, best_rows_by, best_scores, together
from litterm.search.signals.scores import Scored, title_scores

if TYPE_CHECKING:
    from litterm.search.open_index import LiveRows, Mask, Rows
    from litterm.search.query.interpret import InterpretedQuery
    from litterm.search.signals.coverage import WordCoverage
    from litterm.search.signals.fulltext_field import FullTexts
    from litterm.search.signals.named_works import NamedWorks
    from litterm.search.signals.rare_words import RareWords
    from litterm.search.signals.scores import Scores
    from litterm.search.signals.semantic import Meaning

FIRST, _FIRST_OF = 10, 20
"""How many papers nearness to the first is nearness to; of a small pool one in so many."""
COVERED = 200
"""Of how many of the best papers it is seen how well each word is met."""
NEAR = 0.3
"""Cosine from which on a paper without a word of the query is listed."""


@dataclass(frozen=True, slots=True)
class RetrievalPool:
    """The best of every retriever."""

    rows: Rows
    """Ascending."""
    found: int
    """How many match in all: they hold a word of the query, or are near in meaning."""
    signals: tuple[Signal, ...]


@dataclass(frozen=True, slots=True)
class CandidateRows:
    """Rows that come into question."""

    whole: Rows
    """All that filters and phrases let through; what is a high score is told by these."""
    rows: Rows
    """Those of them that may be found; the same object where that is all."""


@dataclass(frozen=True, slots=True)
class Retrievers:
    """The retrievers of one interpreted query: its scores by words, meaning, coverage, names."""

    live: LiveRows
    interpreted: InterpretedQuery
    scored: Scored
    meaning: Meaning | None
    coverage: WordCoverage | None
    full_texts: FullTexts | None = None
    beside: Meaning | None = None
    known: float = 1.0
    """The share of the query's words that the semantic model knows, by their idf."""
    rare: RareWords | None = None
    """Words of the query that hardly any paper holds; papers that do are in every pool."""
    named: NamedWorks | None = None
    """Papers by an author and a year in the query; they are in every pool."""
    weights: SearchWeights = DEFAULT

    def pool(self, field: CandidateRows, *, k: int) -> RetrievalPool:
        """The pool for the best `k` of `field.rows`; what a score is worth is settled by `field.whole` alone.

        Of papers that may be found among few, more is looked at: how well they meet each word is seen for all.
        """
        within = field.rows if field.rows is not field.whole else None
        # At least as many as a signal's mean and deviation are taken of, so that `k` changes no score.
        count = max(k, BEST)
        signals, rows_by_words = self._word_signals(field.whole, count)
        pooled = self._always_pooled(field.whole)
        best = self._union((*rows_by_words, pooled))
        matching = _matching(signals, field.rows)
        matching[pooled if within is None else rows_among(pooled, within)] = True
        signals += self._title_signals(field.whole)
        if self.meaning is not None:
            meant, near = _meaning_signal("meaning", self._meaning_weight(), self.meaning, best, field)
            signals.append(meant)
            best = self._union((best, near))
            # What is listed is at least that near; nearer than nothing is every paper.
            matching[near if within is None else within[meant.scores[within] >= NEAR]] = True
        if self.beside is not None:
            signals.append(_meaning_signal("typed", self.weights.beside, self.beside, best, field)[0])
        listed = None if within is None else within[matching[within]]
        covered = self._coverage_signals(_best_by_all(signals, best), listed)
        rows = best if listed is None else listed
        signals += covered
        signals += self._nearness_to_first(signals, best, listed)
        return RetrievalPool(rows, int(np.count_nonzero(matching)), tuple(signals))

    def _always_pooled(self, whole: Rows) -> Rows:
        """Those of `whole` that are in every pool."""
        rare = self.rare.rows(self.live, whole) if self.rare is not None else whole[:0]
        return rare if self.named is None else self._union((rare, rows_among(self.named.rows, whole)))

    def _meaning_weight(self) -> float:
        weights = self.weights
        return (weights.meaning if self.interpreted.by_word else weights.like) * math.pow(
            self.known, weights.known_power
        )

    def _nearness_to_first(self, signals: list[Signal], best: Rows, more: Rows | None) -> list[Signal]:
        """How near `best` and `more` are to the first of `best` by all `signals` together."""
        if self.meaning is None or not self.interpreted.by_word or not len(best):
            return []
        # Rounded: sums in another order differ in their last digits, and ties must stay ties.
        points = np.sum([signal.points(best) for signal in signals], axis=0).round(5)
        first = best_rows_by(points, best, min(FIRST, -(-len(best) // _FIRST_OF)))
        ahead = points[np.searchsorted(best, first)]
        looked_at = best if more is None else self._union((best, more))
        cosines = np.zeros(self.live.size, np.float32)
        # The best of them count most, by their points; all of them at once, for one paper may be off the topic.
        cosines[looked_at] = self.meaning.centre(first, np.exp(ahead - ahead.max())).rescore(looked_at)
        return [Signal("like the first", self.weights.first, cosines, best_scores(cosines, best))]

    def _union(self, rows: Iterable[Rows]) -> Rows:
        return together(self.live.size, *rows)

    def _word_signals(self, whole: Rows, count: int) -> tuple[list[Signal], list[Rows]]:
        """What goes by words, and the `count` best rows of each."""
        scores = self.scored.scores
        rows, best = best_of(scores, whole, count)
        if self.full_texts is None:
            return [Signal("words", self.weights.words, scores, best)], [rows]
        text_scores = self.full_texts.scores(self.interpreted.query_terms.terms)
        holding, most = best_of(text_scores, whole, count)
        signals = [
            Signal("words", self.weights.words, scores, best),
            Signal("full text", self.weights.full_text, text_scores, most),
        ]
        return signals, [rows, holding]

    def _title_signals(self, whole: Rows) -> list[Signal]:
        if not self.interpreted.by_title:
            return []
        scores = self._title_scores()
        return [Signal("title", self.weights.title, scores, best_of(scores, whole, BEST)[1])]

    def _title_scores(self) -> Scores:
        return title_scores(self.live, self.interpreted.query_terms.terms, self.scored.idfs)

    def _coverage_signals(self, chosen: Rows, more: Rows | None) -> list[Signal]:
        """How well each word is met, for `chosen` and `more`; all others get as little as the least of `chosen`."""
        if self.coverage is None or not self.interpreted.by_word:
            return []
        looked_at = chosen if more is None else self._union((chosen, more))
        coverage_scores = self.coverage.scores(
            self.live, self.interpreted.query_terms.terms, self.scored.idfs, looked_at
        )
        if coverage_scores is None or not len(chosen):
            return []
        best = np.sort(coverage_scores[np.searchsorted(looked_at, chosen)])
        # Others are a little below the least that was looked at: none may pass by not being looked at.
        scores = np.full(self.live.size, best[0] - np.float32(1e-5), np.float32)
        scores[looked_at] = coverage_scores
        return [Signal("every word", self.weights.coverage, scores, best)]


def _meaning_signal(
    name: str, weight: float, meaning: Meaning, best: Rows, field: CandidateRows
) -> tuple[Signal, Rows]:
    """Nearness in meaning, and the rows of the whole that are near."""
    cosines = meaning.near(BEST, field.whole)
    nearest = best_rows(cosines, field.whole, BEST)
    exact = together(len(cosines), best, nearest, field.rows if field.rows is not field.whole else nearest)
    # Cosines from the scan are good for choosing only; whatever may be listed is compared over all dimensions.
    cosines[exact] = meaning.rescore(exact)
    signal = Signal(name, weight, cosines, best_scores(cosines, nearest))
    return signal, nearest[cosines[nearest] >= NEAR]


def _matching(signals: Sequence[Signal], rows: Rows) -> Mask:
    """Which of `rows` any of `signals` has a score for; one truth a row of the library."""
    mask = np.zeros(len(signals[0].scores), np.bool_)
    for signal in signals:
        if len(rows) == len(mask):
            mask |= signal.scores > 0
        else:
            mask[rows] |= signal.scores[rows] > 0
    return mask


def _best_by_all(signals: list[Signal], rows: Rows) -> Rows:
    """The `COVERED` best of `rows` by all `signals` together, ascending."""
    points = np.sum([signal.points(rows) for signal in signals], axis=0).round(5)
    return best_rows_by(points, rows, COVERED)
