"""Interfaces of an index, and of what ranks papers, sentences and citations with it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from litterm.core.tasks import Task
    from litterm.interfaces.attribution import TitleFacts
    from litterm.interfaces.embeddings import VectorScores
    from litterm.model.aspects import AspectCell, AspectScores
    from litterm.model.attribution.citation import Attribution, CandidateBounds, Excerpt, WeightedWord
    from litterm.model.document import Document
    from litterm.model.evidence import Evidence, EvidenceScope
    from litterm.model.index import FilterColumns
    from litterm.model.library import Segment
    from litterm.model.llm import CostEstimate
    from litterm.model.paper import PaperId
    from litterm.model.search import Facet, HopOptions, Query, RankedPaper, Ranking, SortOrder, TextPlace


class WordFrequencies(Protocol):
    """Words with how often each is there: what an unfinished or misspelt word may mean."""

    def expand(self, prefix: str, limit: int) -> tuple[tuple[str, int], ...]:
        """Words that start with `prefix` (folded), the most frequent first."""
        ...

    def alike(self, word: str, slips: int) -> tuple[tuple[str, int], ...]:
        """Words with the first letter of `word` that may be up to `slips` slips away; some are further."""
        ...


class TermScores(WordFrequencies, Protocol):
    """One segment's lexical index and its filter columns; read-only and shared by threads.

    Its words are those of titles and abstracts as they stand there.
    """

    count: int
    columns: FilterColumns

    def postings(self, term: str) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]:
        """Rows holding the stem `term`, ascending, with their idf-free BM25 weights; both may be empty."""
        ...

    def stems(self) -> tuple[Sequence[str], npt.NDArray[np.int64]]:
        """All stems of titles and abstracts, sorted, and how many rows hold each."""
        ...

    def title_postings(self, term: str) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]:
        """Rows with the stem `term` in their title, ascending, with their idf-free BM25 weights of the title alone.

        The field has document frequencies of its own: the number of rows given here. Empty throughout where an older
        litterm built the index.
        """
        ...

    def holding(self, phrase: Sequence[str], place: TextPlace = "") -> npt.NDArray[np.int32]:
        """Rows with the folded words of `phrase` one right after the other in title or abstract, ascending.

        With a `place` in the title or in the abstract alone.
        """
        ...

    def beginning(self, prefix: str, place: TextPlace = "") -> npt.NDArray[np.int32]:
        """Rows with a word that starts with `prefix` (folded) in title or abstract, ascending; `place` as above."""
        ...

    def formed(self, term: str, place: TextPlace) -> npt.NDArray[np.int32]:
        """Rows with a word of the stem `term` in the title, or in the abstract, ascending."""
        ...

    def texts(self, rows: npt.NDArray[np.integer]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The words of titles and abstracts at `rows`, row after row, as places for `word`, and how many a row."""
        ...

    def word(self, place: int) -> str:
        """The folded word at `place`; empty for the break between title and abstract."""
        ...

    @property
    def word_count(self) -> int:
        """How many places there are."""
        ...

    def ids(self, rows: Sequence[int]) -> tuple[PaperId, ...]:
        """The paper ids at `rows`, in that order."""
        ...

    def row_each(self, ids: Sequence[PaperId]) -> npt.NDArray[np.int64]:
        """The row of each of `ids`, in their order; -1 for one that is not here. Many cost little more than one."""
        ...

    def rows_of(self, ids: Iterable[PaperId]) -> npt.NDArray[np.int32]:
        """The rows of those `ids` that are here, ascending."""
        ...

    def venue_rows(self, key: str) -> npt.NDArray[np.int32]:
        """Rows of the venue with the slug or acronym `key` (folded), ascending; may be empty."""
        ...

    def venues(self) -> tuple[tuple[str, int], ...]:
        """Every venue key with its number of rows, by key; for completion."""
        ...


class BodyScores(WordFrequencies, Protocol):
    """The lexical index of one segment's full texts; a field with document frequencies of its own.

    Its words are stems.

    Full texts belong to papers by id, not by row: a paper's row may lie in a later segment than its text, and a paper
    may have several texts, of which the best counts.
    """

    papers: tuple[PaperId, ...]
    """Of each full text, by its number here; ids as they were when it was stored (`TermScores.rows_of`)."""

    def postings(self, term: str) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]:
        """Numbers of the documents holding the stem `term`, ascending, with their idf-free BM25 weights."""
        ...


class IndexReader(Protocol):
    """Opens the index of a segment, once; later calls return the same object."""

    def part(self, segment: Segment) -> TermScores:
        """The index of `segment`, memory-mapped.

        Raises:
            SegmentGone: its files are no longer there; a newer snapshot has its rows.
        """
        ...

    def vectors(self, segment: Segment) -> VectorScores | None:
        """The vectors of `segment` by the embedder in use; `None` where they are still to be made.

        Raises:
            SegmentGone: as `part`.
        """
        ...

    def bodies(self, segment: Segment) -> BodyScores | None:
        """The full texts of `segment`; `None` where there are none, or an older litterm built the index.

        Raises:
            SegmentGone: as `part`.
        """
        ...

    def facts(self, segment: Segment) -> TitleFacts | None:
        """Titles and authors of `segment` by year; `None` where an older litterm built the index.

        Raises:
            SegmentGone: as `part`.
        """
        ...

    def check(self, segments: Sequence[Segment]) -> None:
        """Reads every file of the index to its end; for when something went wrong with what it holds.

        Raises:
            IndexDamaged: one of them is not what was written.
        """
        ...


class Searcher(Protocol):
    """Query to ranking."""

    def search(
        self, query: Query, *, k: int, sort: SortOrder = "relevance", within: Collection[PaperId] | None = None
    ) -> Task[Ranking]:
        """The best `k` papers, of those `within` if given; ties by id; with words, never one that none speaks for.

        A paper's score is the same whatever `within` holds beside it.
        """
        ...


class HopSearcher(Protocol):
    """A search that takes in papers one citation away from its best."""

    def search(self, query: Query, *, k: int, hop: HopOptions) -> Task[Ranking]:
        """The best `k` papers of the first and their neighbours."""
        ...


class PaperSearcher(Protocol):
    """What was typed to a ranking of all papers that can be searched."""

    def search(
        self,
        typed: str | Query,
        *,
        k: int = 20,
        sort: SortOrder = "relevance",
        finished: bool = True,
        within: Collection[PaperId] | None = None,
    ) -> Task[Ranking]:
        """The best `k` papers, of those `within` if given; the user's own first.

        Raises:
            QueryError: `typed` cannot be read.
            UnknownPaper: it names a paper whose like to seek or shun, and there is none.
        """
        ...


class ScoredSearcher(Protocol):
    """Query to scores, where the records are read later or not at all."""

    def scores(self, query: Query, *, k: int) -> Task[dict[PaperId, float]]:
        """The best `k` papers as `Searcher.search` finds them, in that order, with their scores."""
        ...


class FacetSearcher(Protocol):
    """Tells what the papers found are."""

    def facets(self, query: Query) -> Task[tuple[Facet, ...]]:
        """The years, venues, types and sources of the papers found, each with how many have it."""
        ...


class WeightedSearcher(Protocol):
    """Weighted words to papers, by the same index as `Searcher`; what attribution stands on."""

    def candidates(
        self,
        words: Sequence[WeightedWord],
        *,
        k: int,
        before: int | None = None,
        exclude: Collection[PaperId] = (),
    ) -> Task[tuple[RankedPaper, ...]]:
        """The best `k` papers of the year `before` or earlier, without `exclude`; ties by id; no zero scores.

        A word's BM25 part is multiplied by its weight; weights of words with one stem add up. A paper
        without a year is left out when `before` is given.
        """
        ...


class EvidenceExtractor(Protocol):
    """Hypothesis and document to evidence sentences."""

    name: str

    def extract(
        self, document: Document, hypothesis: str, *, k: int, scope: EvidenceScope, everything: bool = False
    ) -> Task[Evidence]:
        """At most `k` sentences that jointly cover most; yields `EvidenceFound` as sections are done.

        Fewer, or none, where the method finds that the paper says less on the hypothesis; `everything` asks
        for `k` regardless.
        """
        ...


class Attributor(Protocol):
    """Excerpt to the paper it cites."""

    name: str

    def attribute(self, excerpt: Excerpt, *, k: int, bounds: CandidateBounds) -> Task[Attribution]:
        """At most `k` candidates within `bounds`, the likeliest first."""
        ...


class RankJudge(Protocol):
    """A model that orders a ranking; one run, whose caps count over all calls."""

    def rank(self, ranking: Ranking) -> Task[Ranking]:
        """`ranking` in the model's order, every paper kept; where it fails the local order, and a notice says so."""
        ...

    def estimate(self, ranking: Ranking) -> CostEstimate:
        """What `rank` would cost at most; sends nothing."""
        ...


class ScopedSearcher(Protocol):
    """A searcher that can be held to some papers; its scores mean the same either way."""

    def search(
        self, query: Query, *, k: int, sort: SortOrder = "relevance", within: Collection[PaperId] | None = None
    ) -> Task[Ranking]:
        """The best `k` papers, of those `within` if given; ties by id."""
        ...


class AspectScorer(Protocol):
    """Aspects and papers to scores, offline."""

    def scores(self, texts: Sequence[str], papers: Sequence[PaperId]) -> Task[AspectScores]:
        """A score in [0, 1] for every text and paper."""
        ...


class GradeBook(Protocol):
    """Grades kept on the disk; safe from any thread and process."""

    def kept(self, column: str) -> Mapping[str, AspectCell]:
        """What was kept under `column`, by key."""
        ...

    def keep(self, column: str, key: str, cell: AspectCell) -> None:
        """Keeps one more; durable on return, and simply not kept where there is no room."""
        ...
