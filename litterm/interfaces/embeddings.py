"""Interfaces of vectors: those that a segment holds of its papers, and what turns words or texts into them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from litterm.core.tasks import Task
    from litterm.model.attribution.citation import WeightedWord

    Vector: TypeAlias = "npt.NDArray[np.float32]"
    """One row or one number a row; cosines are in [-1, 1]."""


class VectorScores(Protocol):
    """The vectors of one segment's papers by one embedder; read-only, memory-mapped, shared by threads.

    A paper of which the embedder knows no word has the vector 0 and the cosine 0 with everything.
    """

    count: int
    """Rows, the same as in the segment's `TermScores`."""
    embedder: str
    """`Embedder.name` of what made them."""
    dims: int
    word_places: npt.NDArray[np.int32] | None
    """Where the stem of each word of the segment's `TermScores` stands among those that the embedder knows
    (`StemVectors.places`); -1 for words it does not know. `None` where an older litterm built the index."""

    def scan(self, query: Vector) -> Vector:
        """Float32 `[count]`: cosines of every row with the unit vector `query` `[dims]`, over their first `SCAN_DIMS`.

        Good for choosing the few hundred rows worth a `rescore`, and in float32.
        """
        ...

    def scan_near(self, query: Vector, count: int, among: npt.NDArray[np.bool_] | None) -> Vector | None:
        """As `scan`, without looking at every row: about the cosine of the `count` best rows `among` those, else 0.

        One truth a row says which may be found; `None` is all. The answer is `None` where only `scan` can tell.
        """
        ...

    def rescore(self, query: Vector, rows: npt.NDArray[np.integer]) -> Vector:
        """Float32 `[len(rows)]`: cosines of `rows` (in any order) with `query` over all dimensions, to 0.01."""
        ...

    def whole(self, rows: npt.NDArray[np.integer]) -> Vector:
        """Float32 `[len(rows), dims]`: the vectors of `rows`, about of length 1, 0 for papers without one."""
        ...


class Embedder(Protocol):
    """Words to a vector, at every keystroke: takes less than a millisecond and needs no network."""

    name: str
    """Kind and content hash; vectors of another name cannot be compared with its own."""
    dims: int

    def query(self, words: Sequence[WeightedWord], learned: Mapping[str, Vector] | None = None) -> Vector | None:
        """Unit vector `[dims]` of the weighted words; `None` when nothing tells the meaning of any of them.

        `learned` are unit vectors of stems that it does not know, told by the library. Among words of known meaning
        one of unknown meaning is near to itself alone, and one that is learned near to itself and to what it means.
        Texts are words like any others; stop words may be left in. Weights of equal stems add up, damped as in a
        document: n equal ones of weight w count w (1 + ln n).
        """
        ...

    def unknown(self, words: Sequence[WeightedWord]) -> tuple[str, ...]:
        """The stems of `words` that it does not know, each once, in their order; stop words left out."""
        ...


class StemVectors(Protocol):
    """An embedder that has a vector for every stem it knows."""

    name: str
    """As `Embedder.name`."""
    stem_count: int
    """How many it knows."""

    def places(self, stems: Sequence[str]) -> npt.NDArray[np.int64]:
        """Where each of `stems` stands among those it knows; -1 for one it does not know."""
        ...

    def vectors(self, places: npt.NDArray[np.int64], dims: int | None = None) -> Vector:
        """Float32 `[len(places), dims]`: the stems at `places`, in the first `dims` dimensions, which tell most."""
        ...


class TextEmbedder(Protocol):
    """Texts to vectors by a larger model, slowly: only the first papers of a ranking are put in order by it."""

    name: str
    """Model and where it runs, for the screen and for the cache."""

    def embed(self, texts: Sequence[str], *, kind: Literal["query", "paper"]) -> Task[Vector]:
        """Float32 `[len(texts), dims]`, one unit vector a text, in order; what was embedded before is not again.

        Yields at least every 100 ms while it waits.

        Raises:
            ModelError: there is no answer; the ranking stays as it was.
        """
        ...
