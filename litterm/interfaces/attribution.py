"""Interface of what attribution asks an index for: title words and authors, counted up to a year."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


Column: TypeAlias = "npt.NDArray[np.float64]"
Hashes: TypeAlias = "npt.NDArray[np.uint32]"
Counts: TypeAlias = "npt.NDArray[np.int64]"


class TitleFacts(Protocol):
    """What titles and authors one segment holds, by year; read-only, memory-mapped, shared by threads.

    Words, pairs and authors are hashes that all segments share.
    """

    def words(self, rows: npt.NDArray[np.integer]) -> tuple[Hashes, Counts]:
        """Hashes of the title words of `rows`, one row after the other, and how many each has; no stop words."""
        ...

    def authors(self, rows: npt.NDArray[np.integer]) -> tuple[Hashes, Counts]:
        """Hashes of the authors of `rows`, one row after the other, and how many each has."""
        ...

    def titles_with(self, words: Hashes, until: npt.NDArray[np.integer]) -> Counts:
        """How many titles of the year `until` (one a word) or earlier hold each word."""
        ...

    def titles_with_pair(self, pairs: Hashes, until: npt.NDArray[np.integer]) -> Counts:
        """The same for two words that follow one another."""
        ...

    def papers_by(self, authors: Hashes, until: npt.NDArray[np.integer]) -> Counts:
        """How many papers of the year `until` (one an author) or earlier each author wrote."""
        ...
