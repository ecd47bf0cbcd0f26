"""BM25 over full texts as a separate field; a paper has the score of its best text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from litterm.search.signals.bm25 import Scores, Term, best_postings, idf_of

if TYPE_CHECKING:
    from litterm.interfaces import WordFrequencies
    from litterm.library.index.full_text import FullTextIndex
    from litterm.library.index.reader import IndexReader
    from litterm.model.paper import PaperId
    from litterm.search.open_index import LiveRows, Rows


class FullTexts:
    """The full texts of one snapshot."""

    def __init__(
        self, live: LiveRows, index: IndexReader, own_rows: SegmentRows, adopted: Sequence[FullTextIndex] = ()
    ) -> None:
        """`own_rows` caches the rows of segments; those of new segments are added to it.

        `adopted` are texts of segments outside `live` whose papers are in `live`; they do not count as texts of `live`.
        """
        opened = [index.bodies(segment) for segment in live.snapshot.segments]
        own_texts = [
            (bodies, own_rows.rows_of(live, number, bodies))
            for number, bodies in enumerate(opened)
            if bodies is not None
        ]
        self._segments = tuple(number for number, bodies in enumerate(opened) if bodies is not None)
        self._size = live.size
        self.count = sum(len(bodies.papers) for bodies, _ in own_texts)
        """Number of full texts."""
        self.words: tuple[WordFrequencies, ...] = tuple(bodies for bodies, _ in own_texts)
        """The word frequencies of the texts of each segment."""
        self._own = tuple(bodies for bodies, _ in own_texts)
        adopted_texts = [(bodies, np.full(len(bodies.papers), -1, np.int64)) for bodies in adopted]
        self._bodies: tuple[tuple[FullTextIndex, npt.NDArray[np.int64]], ...] = tuple(
            (bodies, _rows_of_texts(live, bodies, rows)) for bodies, rows in (*own_texts, *adopted_texts)
        )

    def scores(self, terms: Sequence[Term]) -> Scores:
        """BM25 of the best full text of every row, with document frequencies over full texts; 0 without one."""
        return self.scores_with_idfs(terms, [idf_of(frequency, self.count) for frequency in self.frequencies(terms)])

    def frequencies(self, terms: Sequence[Term]) -> list[int]:
        """The number of texts that hold each of `terms`."""
        return [
            sum(len(best_postings(bodies.postings, term.stems, len(bodies.papers))[0]) for bodies in self._own)
            for term in terms
        ]

    def scores_with_idfs(self, terms: Sequence[Term], idfs: Sequence[float]) -> Scores:
        """As `scores`, with given `idfs`."""
        by_text = [np.zeros(len(bodies.papers), np.float32) for bodies, _ in self._bodies]
        for term, idf in zip(terms, idfs, strict=True):
            if idf:
                for sums, (bodies, _) in zip(by_text, self._bodies, strict=True):
                    texts, weights = best_postings(bodies.postings, term.stems, len(bodies.papers))
                    sums[texts] += weights * np.float32(idf * term.weight)
        scores = np.zeros(self._size, np.float32)
        # A paper may have several texts: `maximum.at` takes the best, where plain indexing would take the last.
        for sums, (_, rows) in zip(by_text, self._bodies, strict=True):
            known = rows >= 0
            np.maximum.at(scores, rows[known], sums[known])
        return scores

    def holders(self, term: Term) -> Rows:
        """The rows of the papers with a full text that holds `term`, ascending."""
        return np.flatnonzero(self.scores([term]))

    def papers_without_row(self) -> dict[int, frozenset[PaperId]]:
        """By segment number, the papers of its texts that have no row in this snapshot."""
        missing = {
            number: frozenset(paper for paper, row in zip(bodies.papers, rows.tolist(), strict=True) if row < 0)
            for number, (bodies, rows) in zip(self._segments, self._bodies, strict=False)
        }
        return {number: papers for number, papers in missing.items() if papers}


class SegmentRows:
    """Caches, for each full text of a segment, the row of its paper in that segment; -1 where the paper is elsewhere.

    Segments never change: after an import only the rows of the new segment are looked up.
    """

    def __init__(self) -> None:
        self._rows_by_segment: dict[str, npt.NDArray[np.int64]] = {}

    def rows_of(self, live: LiveRows, number: int, bodies: FullTextIndex) -> npt.NDArray[np.int64]:
        """The rows of the texts of segment `number`, as rows of the library."""
        key = live.snapshot.segments[number].key
        if key not in self._rows_by_segment:
            self._rows_by_segment[key] = live.parts[number].row_of_each(bodies.papers)
        rows = self._rows_by_segment[key]
        return np.where(rows < 0, rows, rows + live.offsets[number])

    def forget_others(self, live: LiveRows) -> None:
        """Forgets segments that are not in `live`."""
        keys = {segment.key for segment in live.snapshot.segments}
        for key in self._rows_by_segment.keys() - keys:
            self._rows_by_segment.pop(key, None)


class FullTextCache:
    """Keeps the full texts of the latest snapshot, as finding their rows takes a while. Safe from any thread."""

    def __init__(self, index: IndexReader) -> None:
        self._index = index
        self._own_rows = SegmentRows()
        self._last: tuple[LiveRows, FullTexts] | None = None

    def get(self, live: LiveRows) -> FullTexts:
        """The full texts of `live`."""
        last = self._last
        if last is None or last[0] is not live:
            last = self._last = (live, FullTexts(live, self._index, self._own_rows))
            self._own_rows.forget_others(live)
        return last[1]


def _rows_of_texts(
    live: LiveRows, bodies: FullTextIndex, own_segment_rows: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """The living row of the paper of each text; -1 where there is none."""
    # One row of a paper is alive: the one in the segment of the text, unless the paper was stored again later.
    newest = (
        own_segment_rows
        if live.alive is None
        else np.where((own_segment_rows >= 0) & live.alive[own_segment_rows], own_segment_rows, -1)
    )
    for part, start in zip(reversed(live.parts), reversed(live.offsets[: len(live.parts)]), strict=True):
        missing = np.flatnonzero(newest < 0)
        if not len(missing):
            break
        rows = part.row_of_each([bodies.papers[position] for position in missing.tolist()])
        rows = np.where(rows < 0, rows, rows + start)
        alive = rows >= 0 if live.alive is None else (rows >= 0) & live.alive[rows]
        newest[missing[alive]] = rows[alive]
    return newest
