"""Nearness in meaning: the cosine of every paper's vector with that of the query."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from litterm.model.index import APPROXIMATE_FROM
from litterm.retrieve.ground import held_by

if TYPE_CHECKING:
    import numpy.typing as npt

    from litterm.model.citation import WeightedWord
    from litterm.protocols import Embedder, TermScores, VectorScores
    from litterm.protocols.vectors import Vector
    from litterm.retrieve.live import Live, Rows
    from litterm.retrieve.scores import Scores


_STEPS = np.float32(4096)
_LENGTH_POWER = 0.05
"""Of keywords (reading lists, Recall@20: 12.7 without it, 13 to 14.5 from .04 to .1, 13.1 at .2). Questions and
excerpts do without: their words are enough to tell, and many papers that answer them have no abstract here."""
_TYPICAL_LENGTH = 100
"""Words of title and abstract whose cosine stays as it is."""
_LEVELS: WeakKeyDictionary[TermScores, Scores] = WeakKeyDictionary()
"""Found out once a part, which never changes."""


class Meaning:
    """One query's vector over one snapshot."""

    def __init__(self, live: Live, name: str, vector: Vector) -> None:
        """`name` is that of the embedder which made `vector`."""
        self._live = live
        self._name = name
        # Multiples of 1/4096 times bytes add up exactly in whatever order, so that no cosine depends on the segments.
        self._vector = np.rint(vector * _STEPS) / _STEPS

    def scan(self) -> Scores:
        """Cosines of all rows, good for choosing among them; 0 for papers without a vector."""
        found = np.zeros(self._live.size, np.float32)
        for at, vectors in enumerate(self._live.vectors):
            if (usable := _usable(vectors, self._name)) is not None:
                found[self._live.offsets[at] : self._live.offsets[at + 1]] = usable.scan(self._vector)
        return found

    def near(self, count: int, among: Rows) -> Scores:
        """Cosines of all rows, good for choosing the `count` best `among` those; in a large library others may be 0.

        Where filters leave less than half of the library every vector is compared: nothing may be lost to them.
        """
        live = self._live
        if live.size <= APPROXIMATE_FROM or 2 * len(among) < live.size:
            return self.scan()
        allowed = live.alive if among is live.living else held_by(live, among)
        found = np.zeros(live.size, np.float32)
        for at, vectors in enumerate(live.vectors):
            span = slice(live.offsets[at], live.offsets[at + 1])
            if (usable := _usable(vectors, self._name)) is not None:
                some = usable.scan_near(self._vector, count, None if allowed is None else allowed[span])
                found[span] = usable.scan(self._vector) if some is None else some
        return found

    def rescore(self, rows: Rows) -> Scores:
        """Cosines of `rows`, over all dimensions."""
        found = np.zeros(len(rows), np.float32)
        for vectors, span, inside in self._located(rows):
            found[span] = vectors.rescore(self._vector, inside)
        return found

    def centre(self, rows: Rows, weights: npt.NDArray[np.float64]) -> Meaning:
        """Nearness to the middle of `rows` (ascending), each counted by its weight in [0, 1], in place of the query."""
        total = np.zeros(len(self._vector))
        for vectors, span, inside in self._located(rows):
            # Sums of whole numbers: no order of the additions, and so no cut of the library, can change them.
            whole = np.rint(vectors.whole(inside).astype(np.float64) * _STEPS)
            total += np.rint(weights[span] * _STEPS) @ whole
        length = float(np.linalg.norm(total)) or 1.0
        return type(self)(self._live, self._name, (total / length).astype(np.float32))

    def _located(self, rows: Rows) -> Iterator[tuple[VectorScores, slice, Rows]]:
        """Per segment that has vectors and any of `rows`: the vectors, which of `rows`, and their numbers within it."""
        edges = np.searchsorted(rows, self._live.offsets).tolist()
        for at, vectors in enumerate(self._live.vectors):
            span = slice(edges[at], edges[at + 1])
            usable = _usable(vectors, self._name)
            if usable is not None and edges[at] < edges[at + 1]:
                yield usable, span, rows[span] - self._live.offsets[at]


class Levelled(Meaning):
    """The same with long and short texts made comparable: a bare title of three words is near to any two of them."""

    def near(self, count: int, among: Rows) -> Scores:
        """As without levelling, each cosine times a small power of the text's length."""
        found = super().near(count, among)
        for part, span in self._live.slices():
            found[span] *= _levels(part)
        return found

    def rescore(self, rows: Rows) -> Scores:
        """As without levelling, each cosine times a small power of the text's length."""
        found = super().rescore(rows)
        for part, span, inside in self._live.split(rows):
            found[span] *= _levels(part)[inside]
        return found


def _levels(part: TermScores) -> Scores:
    if part not in _LEVELS:
        lengths = np.maximum(part.columns.length, 1)
        _LEVELS[part] = ((lengths / _TYPICAL_LENGTH) ** _LENGTH_POWER).astype(np.float32)
    return _LEVELS[part]


def open_meaning(
    live: Live, embedder: Embedder | None, words: Sequence[WeightedWord], *, levelled: bool = False
) -> Meaning | None:
    """`None` where no paper has a vector, or the embedder knows none of `words`."""
    if embedder is None or all(_usable(each, embedder.name) is None for each in live.vectors):
        return None
    vector = embedder.query(words)
    return None if vector is None else (Levelled if levelled else Meaning)(live, embedder.name, vector)


def without_vectors(live: Live, embedder: Embedder | None) -> int:
    """How many rows lie in segments of which this embedder has made no vectors yet."""
    name = embedder.name if embedder is not None else ""
    missing = (part.count for part, each in zip(live.parts, live.vectors, strict=True) if _usable(each, name) is None)
    return sum(missing)


def _usable(vectors: VectorScores | None, name: str) -> VectorScores | None:
    return vectors if vectors is not None and vectors.embedder == name else None
