"""BM25 over the full texts of the library, as a field of its own; a paper counts by its best text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from litterm.search.signals.scores import Scores, Term, best_of, idf_of

if TYPE_CHECKING:
    from litterm.interfaces import WordFrequencies
    from litterm.library.index.full_text import FullTextIndex
    from litterm.library.index.reader import IndexReader
    from litterm.model.paper import PaperId
    from litterm.search.open_index import LiveRows, Rows


class FullTexts:
    """The full texts of one snapshot."""

    def __init__(
        self, live: LiveRows, index: IndexReader, own_rows: OwnRows, adopted: Sequence[FullTextIndex] = ()
    ) -> None:
        """`own_rows` of segments that were there before; those of the others are put into it.

        `adopted` are texts of segments that are not in `live` though papers there have some of them; they do not count.
        """
        opened = [index.bodies(segment) for segment in live.snapshot.segments]
        own = [
            (bodies, own_rows.of(live, number, bodies)) for number, bodies in enumerate(opened) if bodies is not None
        ]
        self._segments = tuple(number for number, bodies in enumerate(opened) if bodies is not None)
        self._size = live.size
        self.count = sum(len(bodies.papers) for bodies, _ in own)
        """Of the texts."""
        self.words: tuple[WordFrequencies, ...] = tuple(bodies for bodies, _ in own)
        """The stems of each segment's texts."""
        self._own = tuple(bodies for bodies, _ in own)
        nowhere = [(bodies, np.full(len(bodies.papers), -1, np.int64)) for bodies in adopted]
        self._bodies: tuple[tuple[FullTextIndex, npt.NDArray[np.int64]], ...] = tuple(
            (bodies, _rows(live, bodies, rows)) for bodies, rows in (*own, *nowhere)
        )

    def scores(self, terms: Sequence[Term]) -> Scores:
        """BM25 of every row by its best full text, with document frequencies of the full texts; 0 without one."""
        return self.weighted(terms, [idf_of(frequency, self.count) for frequency in self.frequencies(terms)])

    def frequencies(self, terms: Sequence[Term]) -> list[int]:
        """In how many texts each of `terms` occurs."""
        return [
            sum(len(best_of(bodies.postings, term.stems, len(bodies.papers))[0]) for bodies in self._own)
            for term in terms
        ]

    def weighted(self, terms: Sequence[Term], idfs: Sequence[float]) -> Scores:
        """The same as `scores`, with `idfs` that are known already."""
        by_text = [np.zeros(len(bodies.papers), np.float32) for bodies, _ in self._bodies]
        for term, idf in zip(terms, idfs, strict=True):
            if idf:
                for sums, (bodies, _) in zip(by_text, self._bodies, strict=True):
                    texts, weights = best_of(bodies.postings, term.stems, len(bodies.papers))
                    sums[texts] += weights * np.float32(idf * term.weight)
        scores = np.zeros(self._size, np.float32)
        # Several texts may be of one paper; `maximum.at` takes the best where plain indexing would take the last.
        for sums, (_, rows) in zip(by_text, self._bodies, strict=True):
            known = rows >= 0
            np.maximum.at(scores, rows[known], sums[known])
        return scores

    def holders(self, term: Term) -> Rows:
        """The rows of the papers with a full text that holds `term`, ascending."""
        return np.flatnonzero(self.scores([term]))

    def without_row(self) -> dict[int, frozenset[PaperId]]:
        """By the number of the segment, the papers of its texts that stand in none of the rows here."""
        missing = {
            number: frozenset(paper for paper, row in zip(bodies.papers, rows.tolist(), strict=True) if row < 0)
            for number, (bodies, rows) in zip(self._segments, self._bodies, strict=False)
        }
        return {number: papers for number, papers in missing.items() if papers}


class OwnRows:
    """Per segment, for each of its full texts, the row of its paper in the same segment; -1 where it is in another.

    Segments never change: after a publication only the rows of the new one are looked up.
    """

    def __init__(self) -> None:
        self._found: dict[str, npt.NDArray[np.int64]] = {}

    def of(self, live: LiveRows, number: int, bodies: FullTextIndex) -> npt.NDArray[np.int64]:
        """The rows of segment `number`."""
        key = live.snapshot.segments[number].key
        if key not in self._found:
            self._found[key] = live.parts[number].row_of_each(bodies.papers)
        rows = self._found[key]
        return np.where(rows < 0, rows, rows + live.offsets[number])

    def keep(self, live: LiveRows) -> None:
        """Forgets segments that are not in `live`."""
        keys = {segment.key for segment in live.snapshot.segments}
        for key in self._found.keys() - keys:
            self._found.pop(key, None)


class HeldTexts:
    """The full texts of the snapshot last asked for: finding the paper of each takes a while. Safe from any thread."""

    def __init__(self, index: IndexReader) -> None:
        self._index = index
        self._own_rows = OwnRows()
        self._last: tuple[LiveRows, FullTexts] | None = None

    def of(self, live: LiveRows) -> FullTexts:
        """Those of `live`."""
        last = self._last
        if last is None or last[0] is not live:
            last = self._last = (live, FullTexts(live, self._index, self._own_rows))
            self._own_rows.keep(live)
        return last[1]


def _rows(live: LiveRows, bodies: FullTextIndex, own: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Per text the row of its paper, the newest that is alive; -1 where there is none."""
    # One row of a paper is alive: that beside the text, unless the paper was written again since.
    newest = own if live.alive is None else np.where((own >= 0) & live.alive[own], own, -1)
    for part, start in zip(reversed(live.parts), reversed(live.offsets[: len(live.parts)]), strict=True):
        missing = np.flatnonzero(newest < 0)
        if not len(missing):
            break
        rows = part.row_of_each([bodies.papers[position] for position in missing.tolist()])
        rows = np.where(rows < 0, rows, rows + start)
        alive = rows >= 0 if live.alive is None else (rows >= 0) & live.alive[rows]
        newest[missing[alive]] = rows[alive]
    return newest
