"""What attribution stands on: candidates described by numbers, and what titles and authors there are by year."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from litterm.core.tasks import Task
    from litterm.model.citation import WeightedWord
    from litterm.model.paper import PaperId
    from litterm.model.search import RankedPaper

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


class CitablePool(Protocol):
    """The candidates of one excerpt that are worth a closer look."""

    @property
    def signs(self) -> Mapping[str, Column]:
        """Per name one number a candidate; the names are the caller's to weigh, in `attribution.features`."""
        ...

    @property
    def by(self) -> str:
        """How the pool was found: `hybrid`, or `bm25` where there are no vectors."""
        ...

    def ids(self) -> tuple[PaperId, ...]:
        """The id of every candidate."""
        ...

    def papers(self, places: Sequence[int]) -> Task[tuple[RankedPaper, ...]]:
        """The candidates at `places`, in that order, ranked from 1, with the words they share with the excerpt."""
        ...


class CitableSearcher(Protocol):
    """Weighted words around a mark to a pool of candidates."""

    def pool(
        self,
        words: Sequence[WeightedWord],
        sequence: Sequence[str],
        *,
        size: int,
        until: int | None,
        exclude: Collection[PaperId] = (),
        include: Collection[PaperId] = (),
    ) -> Task[CitablePool]:
        """At most `size` candidates of the year `until` or earlier, without `exclude`, and those of `include`.

        `sequence` holds the words of the excerpt in order, for phrases. No number sees a paper later than `until`,
        nor a candidate's own full text or whether it has one; but for a rare word that no title or abstract holds.
        """
        ...
