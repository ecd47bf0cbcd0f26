"""BM25 over the full texts of the library, as a field of its own; a paper counts by its best text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from litterm.search.signals.scores import Scores, Term, best_of

if TYPE_CHECKING:
    from litterm.interfaces import BodyScores, IndexReader, WordFrequencies
    from litterm.search.open_index import LiveRows


class FullTexts:
    """The full texts of one snapshot."""

    def __init__(self, live: LiveRows, index: IndexReader) -> None:
        opened = (index.bodies(segment) for segment in live.snapshot.segments)
        self._size = live.size
        self._bodies: tuple[tuple[BodyScores, npt.NDArray[np.int64]], ...] = tuple(
            (bodies, _rows(live, bodies)) for bodies in opened if bodies is not None
        )
        self._count = sum(len(bodies.papers) for bodies, _ in self._bodies)
        self.words: tuple[WordFrequencies, ...] = tuple(bodies for bodies, _ in self._bodies)
        """The stems of each segment's texts."""

    def scores(self, terms: Sequence[Term]) -> Scores:
        """BM25 of every row by its best full text, with document frequencies of the full texts; 0 without one."""
        by_text = [np.zeros(len(bodies.papers), np.float32) for bodies, _ in self._bodies]
        for term in terms:
            matches = [best_of(bodies.postings, term.stems, len(bodies.papers)) for bodies, _ in self._bodies]
            frequency = sum(len(texts) for texts, _ in matches)
            if frequency:
                idf = math.log(1 + (self._count - frequency + 0.5) / (frequency + 0.5))
                for sums, (texts, weights) in zip(by_text, matches, strict=True):
                    sums[texts] += weights * np.float32(idf * term.weight)
        scores = np.zeros(self._size, np.float32)
        # Several texts may be of one paper; `maximum.at` takes the best where plain indexing would take the last.
        for sums, (_, rows) in zip(by_text, self._bodies, strict=True):
            known = rows >= 0
            np.maximum.at(scores, rows[known], sums[known])
        return scores


class HeldTexts:
    """The full texts of the snapshot last asked for: finding the paper of each takes a while. Safe from any thread."""

    def __init__(self, index: IndexReader) -> None:
        self._index = index
        self._last: tuple[LiveRows, FullTexts] | None = None

    def of(self, live: LiveRows) -> FullTexts:
        """Those of `live`."""
        last = self._last
        if last is None or last[0] is not live:
            last = self._last = (live, FullTexts(live, self._index))
        return last[1]


def _rows(live: LiveRows, bodies: BodyScores) -> npt.NDArray[np.int64]:
    """Per text the row of its paper, the newest that is alive; -1 where there is none."""
    rows = np.full(len(bodies.papers), -1, np.int64)
    for index, paper_id in enumerate(bodies.papers):
        alive = live.alive_rows_of(paper_id)
        if len(alive):
            rows[index] = alive[-1]
    return rows
