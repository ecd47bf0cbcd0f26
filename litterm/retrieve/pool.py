"""Which papers come into question, and what each retriever says of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from litterm.retrieve.asked import Asked
from litterm.retrieve.coverage import Coverage
from litterm.retrieve.live import Live, Rows
from litterm.retrieve.meaning import Meaning
from litterm.retrieve.scores import Scored, title_scores
from litterm.retrieve.signals import BEST, Signal, best_rows, best_rows_by, best_scores, together

WORDS_WEIGHT = 1.0
TITLE_WEIGHT = 0.15
MEANING_WEIGHT = 2.0
COVERAGE_WEIGHT = 1.0
COVERED = 300
"""Of how many of the best papers it is seen how well each word is met."""
NEAR = 0.3
"""Cosine from which on a paper without a word of the query is listed."""


@dataclass(frozen=True, slots=True)
class Pool:
    """The best of every retriever."""

    rows: Rows
    """Ascending."""
    listed: Rows
    """All that match, ascending: they hold a word of the query, or are near in meaning."""
    signals: tuple[Signal, ...]


@dataclass(frozen=True, slots=True)
class Field:
    """Rows that come into question."""

    whole: Rows
    """All that filters and phrases let through; what is a high score is told by these."""
    rows: Rows
    """Those of them that may be found; the same object where that is all."""


@dataclass(frozen=True, slots=True)
class Retrievers:
    """One query, read and scored."""

    live: Live
    asked: Asked
    scored: Scored
    meaning: Meaning | None
    coverage: Coverage | None

    def pool(self, field: Field, *, k: int) -> Pool:
        """The pool for the best `k` of `field.rows`; a paper's points do not depend on which others may be found."""
        count = max(k, BEST)
        scores = self.scored.scores
        worded = field.rows[scores[field.rows] > 0]
        signals = [Signal("words", WORDS_WEIGHT, scores, best_scores(scores, field.whole)), *self._titles(field)]
        rows = best_rows(scores, worded, count)
        listed = worded
        if self.meaning is not None:
            meant, alike = self._meant(self.meaning, rows, field)
            signals.append(meant)
            rows, listed = (together(self.live.size, found, alike) for found in (rows, worded))
        covered = self._covered(signals, rows, field)
        return Pool(rows, listed, (*signals, *covered))

    def _meant(self, meaning: Meaning, by_words: Rows, field: Field) -> tuple[Signal, Rows]:
        """Nearness in meaning, and the rows that are near."""
        cosines = meaning.scan()
        nearest = best_rows(cosines, field.whole[cosines[field.whole] > 0], BEST)
        near = nearest if field.rows is field.whole else field.rows
        chosen = together(self.live.size, by_words, near, nearest)
        cosines[chosen] = meaning.rescore(chosen)
        signal = Signal("meaning", MEANING_WEIGHT, cosines, best_scores(cosines, nearest))
        return signal, near[cosines[near] >= NEAR]

    def _titles(self, field: Field) -> list[Signal]:
        if not self.asked.by_title:
            return []
        scores = title_scores(self.live, self.asked.want.terms, self.scored.idfs)
        return [Signal("title", TITLE_WEIGHT, scores, best_scores(scores, field.whole))]

    def _covered(self, signals: list[Signal], rows: Rows, field: Field) -> list[Signal]:
        """How well each word is met, for the best papers so far; all others get as little as the least of them."""
        if self.coverage is None or not self.asked.by_word:
            return []
        whole = rows if field.rows is field.whole else self._best_of_whole(signals, field)
        chosen = _first(signals, whole)
        looked_at = chosen if field.rows is field.whole else together(self.live.size, chosen, rows)
        found = self.coverage.scores(self.live, self.asked.want.terms, self.scored.idfs, looked_at)
        if found is None:
            return []
        best = np.sort(found[np.isin(looked_at, chosen)])
        scores = np.full(self.live.size, best[0] - np.float32(1e-5), np.float32)
        scores[looked_at] = found
        return [Signal("every word", COVERAGE_WEIGHT, scores, best)]

    def _best_of_whole(self, signals: list[Signal], field: Field) -> Rows:
        found = [best_rows(each.scores, field.whole[each.scores[field.whole] > 0], BEST) for each in signals]
        return together(self.live.size, *found)


def _first(signals: list[Signal], rows: Rows) -> Rows:
    """The `COVERED` best of `rows` by all `signals` together, ascending."""
    points = np.sum([signal.points(rows) for signal in signals], axis=0).round(5)
    return best_rows_by(points, rows, COVERED)
