"""What the default ranking asks of the papers of a library, and the answers of the library on this machine.

`HybridSearcher` ranks any `SearchedRows` by the same functions. Those of this machine read the indexes of its segments;
those of a cluster ask its shards (`litterm.cluster.row_source`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol, TypeVar

from litterm.search.open_index import newest_year
from litterm.search.searchable import LibraryState, SearchableLibrary, drop_named, restrict_rows
from litterm.search.signals.bm25 import TermCounts, count_terms, score_with_counts, title_scores
from litterm.search.signals.coverage import WordCoverage
from litterm.search.signals.followers import count_pairs_in, follower_growth, listed_hashes
from litterm.search.signals.fulltext_field import FullTextCache
from litterm.search.signals.named_papers import new_names
from litterm.search.signals.priors import main_venue_mask
from litterm.search.signals.semantic import Nearness, count_without_vectors, query_vector, semantic_query
from litterm.search.signals.unknown_words import context_vectors

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.interfaces.arrays import Column
    from litterm.interfaces.llm import Vector
    from litterm.library.encoder.paper_encoder import PaperEncoder
    from litterm.library.index.static_embeddings import StaticModel
    from litterm.library.index.title_author_stats import TitleAuthorIndex
    from litterm.model.attribution.citation import WeightedWord
    from litterm.model.library import Snapshot
    from litterm.model.paper import PaperId
    from litterm.model.search import Query, Ranking
    from litterm.search.open_index import LiveRows, Mask, Rows
    from litterm.search.query.interpret import InterpretedQuery
    from litterm.search.signals.bm25 import Scores
    from litterm.search.signals.named_papers import NamedTitle, NamedWorks
    from litterm.search.signals.semantic import QueryVector
    from litterm.search.signals.unknown_words import FullTextVocabulary, RareWords

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class CandidateRows:
    """The rows that a query may return."""

    unrestricted: Rows
    """All that pass filters and phrases; scores are normalised over these."""
    rows: Rows
    """Those of them that may be returned; the same object where all may be."""

    @property
    def within(self) -> Rows | None:
        """The rows that may be returned, where only some may be."""
        return self.rows if self.rows is not self.unrestricted else None


@dataclass(frozen=True, slots=True)
class Scoring:
    """What papers are scored by for one query."""

    query: Query
    within: Collection[PaperId] | None
    """The papers that may be returned; `None` for all."""
    k: int
    """How many are wanted."""
    interpreted: InterpretedQuery
    counts: TermCounts
    """How many papers hold each term of `interpreted`."""
    vectors: tuple[QueryVector, ...]
    """Of the words and, where there is one, of what was typed beside papers of `like:`; none where no paper has one."""
    known_share: float
    """The share of the query's idf that belongs to words the semantic model knows."""
    rare_words: RareWords | None
    """Words of the query that hardly any paper holds; their holders are always in the pool."""
    named_works: NamedWorks | None
    """Papers by an author and of a year in the query; they are always in the pool."""


class Candidates(Protocol):
    """The papers that come into question for one query, with their scores; rows are numbered as in `live`.

    `LocalCandidates` on this machine, `ShardCandidates` of a cluster.
    """

    @property
    def live(self) -> LiveRows:
        """What the rows are rows of."""
        ...

    @property
    def in_question(self) -> CandidateRows:
        """The rows that the query may return."""
        ...

    @property
    def unseen_count(self) -> int:
        """How many papers hold a word of the query that are not among the rows."""
        ...

    @property
    def words(self) -> Scores:
        """BM25 of titles and abstracts, one number a row."""
        ...

    @property
    def texts(self) -> Scores | None:
        """BM25 of full texts, one number a row; `None` where they are not searched."""
        ...

    @property
    def nearness(self) -> Sequence[Nearness]:
        """Nearness to each vector of the query."""
        ...

    @property
    def rare_words(self) -> RareWords | None:
        """The rare words of the query, with the rows that hold them."""
        ...

    @property
    def named_works(self) -> NamedWorks | None:
        """The works that the query names, with their rows."""
        ...

    @property
    def encoded(self) -> Scores | None:
        """Cosines by the user's encoder, one number a row, 0 where a paper has no vector; `None` without an encoder."""
        ...

    def title_scores(self) -> Scores:
        """BM25 of titles alone, one number a row."""
        ...

    def coverage(self, rows: Rows) -> Scores | None:
        """How well each word of the query is met by each of `rows` (ascending); `None` when no word occurs anywhere."""
        ...

    def new_names(self, stems: Sequence[str], rows: Rows) -> Iterable[NamedTitle]:
        """Those of `rows` (ascending) whose title begins with a name, and holds `stems` that hardly any had before."""
        ...

    def main_venue_mask(self, rows: Rows) -> Mask:
        """A mask over `rows` (ascending): papers of the main venues."""
        ...

    def followers(self, rows: Rows, until: int | None) -> Column:
        """How far each of `rows` (ascending) is followed by titles of the year `until` or earlier, else all."""
        ...

    def without_filters(self) -> Task[Candidates]:
        """The same for the query without its filters, to count what they hide."""
        ...


class LibraryRows(Protocol):
    """The papers of one snapshot, as far as their words and vectors are asked about.

    `IndexedRows` on this machine, `ShardLibraryRows` of a cluster.
    """

    @property
    def live(self) -> LiveRows:
        """All rows."""
        ...

    @property
    def without_vectors(self) -> int:
        """How many rows are found by their words alone."""
        ...

    def full_texts(self) -> FullTextVocabulary:
        """The words of the full texts."""
        ...

    def context_vectors(self, stems: Sequence[str]) -> Mapping[str, Vector]:
        """The unit mean vector of the papers that hold each of `stems`, where these are enough and not too many."""
        ...


class SearchedRows(LibraryRows, Protocol):
    """The papers of one snapshot, for one query: `LocalRows` on this machine, `ShardSearchedRows` of a cluster."""

    def count_terms(self, interpreted: InterpretedQuery) -> Task[TermCounts]:
        """How many papers hold each term: first of the words as typed, then of the corrected ones."""
        ...

    def candidates(self, scoring: Scoring) -> Task[Candidates]:
        """The papers that come into question, scored."""
        ...

    def passing_rows(self, query: Query, within: Collection[PaperId] | None) -> Task[Rows]:
        """All rows that pass the filters, phrases and operators of `query`, whatever their words; ascending."""
        ...


def find_query_vector(
    rows: LibraryRows, embedder: StaticModel | None, words: Sequence[WeightedWord]
) -> QueryVector | None:
    """The vector of `words`; `None` where no paper has one, or nothing tells the meaning of any of `words`."""
    if embedder is None or not words or rows.without_vectors == rows.live.size:
        return None
    return query_vector(embedder, words, rows.context_vectors)


class NeedsAllRows(Exception):
    """The result is a list of all rows that pass, or in an order that only the index on this machine knows."""


class RowSource(Protocol):
    """Where the papers are that a query ranks by relevance, if not on this machine.

    An interface because `search` lies below `cluster`, whose `ShardSource` this is.
    """

    def rank(
        self, query: Query, within: Collection[PaperId] | None, work: Callable[[SearchedRows], Task[Ranking]]
    ) -> Task[Ranking]:
        """The result of `work` on the newest snapshot, which ranks the papers `within` if given, else all.

        Raises:
            NeedsAllRows: `query` asks for more than a ranking of the best.
        """
        ...


class LocalSource:
    """A library with its index on this machine; safe from any thread."""

    def __init__(
        self, searchable: SearchableLibrary, embedder: StaticModel | None, encoder: PaperEncoder | None = None
    ) -> None:
        """`embedder` made the vectors of the index; without one, papers are found by words alone.

        `encoder` is the one that the user has set, if any.
        """
        self.searchable = searchable
        self.embedder = embedder
        self.encoder = encoder
        self.coverage = WordCoverage(embedder) if embedder is not None else None
        self.full_texts = FullTextCache(searchable.index)
        self._titles: tuple[Snapshot, tuple[TitleAuthorIndex | None, ...]] | None = None

    def title_indexes(self, live: LiveRows) -> tuple[TitleAuthorIndex | None, ...]:
        """The titles and authors of each segment of `live`; kept open until another snapshot is asked about."""
        if self._titles is None or self._titles[0] != live.snapshot:
            index = self.searchable.index
            self._titles = live.snapshot, tuple(index.title_index(segment) for segment in live.snapshot.segments)
        return self._titles[1]

    def run(self, work: Callable[[LocalRows], Task[T]]) -> Task[T]:
        """The result of `work` on the newest snapshot, again where a segment was compacted away or is damaged."""
        return self.searchable.run_on_snapshot(lambda state: work(LocalRows(self, state)))


@dataclass(frozen=True, slots=True)
class IndexedRows:
    """Implements `LibraryRows` over the indexes of the segments."""

    source: LocalSource
    state: LibraryState

    @property
    def live(self) -> LiveRows:
        """All rows."""
        return self.state.live

    @property
    def without_vectors(self) -> int:
        """How many rows are found by their words alone."""
        return count_without_vectors(self.live, self.source.embedder)

    def full_texts(self) -> FullTextVocabulary:
        """The words of the full texts."""
        return self.source.full_texts.get(self.live)

    def context_vectors(self, stems: Sequence[str]) -> Mapping[str, Vector]:
        """The unit mean vector of the papers that hold each of `stems`, where these are enough and not too many."""
        return context_vectors(self.live, self.source.embedder.name, stems) if self.source.embedder else {}


@dataclass(frozen=True, slots=True)
class LocalRows(IndexedRows):
    """Implements `SearchedRows` over the indexes of the segments."""

    def count_terms(self, interpreted: InterpretedQuery) -> Task[TermCounts]:
        """How many papers hold each term, with the postings of each."""
        return count_terms(self.live, interpreted.query_terms.terms)

    def candidates(self, scoring: Scoring) -> Task[Candidates]:
        """All papers, scored."""
        live, terms = self.live, scoring.interpreted.query_terms.terms
        texts = self.source.full_texts.get(live) if scoring.query.in_full_texts else None
        mask = self.source.searchable.mask(live, scoring.query)
        return LocalCandidates(
            rows=self,
            scoring=scoring,
            in_question=(yield from self._rows_in_question(scoring.query, mask, scoring.within)),
            words=score_with_counts(live, terms, scoring.counts).scores,
            texts=None if texts is None else texts.scores(terms),
            nearness=self._nearness(scoring),
            encoded=self._encoded(scoring),
        )

    def passing_rows(self, query: Query, within: Collection[PaperId] | None) -> Task[Rows]:
        """All rows that pass the filters, phrases and operators of `query`, whatever their words; ascending."""
        mask = self.source.searchable.mask(self.live, query)
        return (yield from self._rows_in_question(query, mask, within)).rows

    def unfiltered_rows(self, query: Query, within: Collection[PaperId] | None) -> Task[CandidateRows]:
        """The rows that `query` might return without its filters."""
        return self._rows_in_question(query, self.live.alive, within)

    def _rows_in_question(
        self, query: Query, mask: Mask | None, within: Collection[PaperId] | None
    ) -> Task[CandidateRows]:
        # Over all rows that pass the filters, `within` or not: a score must not depend on what else is ranked.
        rows = drop_named(self.live, self.live.rows_in(mask), query)
        unrestricted = yield from self.source.searchable.filter_rows(self.state, query, rows)
        return CandidateRows(unrestricted, restrict_rows(self.live, unrestricted, within))

    def _encoded(self, scoring: Scoring) -> Scores | None:
        if self.source.encoder is None:
            return None
        from litterm.search.signals.encoder import encoder_cosines

        return encoder_cosines(self.source.encoder, self.live, scoring.query, scoring.interpreted)

    def _nearness(self, scoring: Scoring) -> tuple[Nearness, ...]:
        embedder, few_words = self.source.embedder, scoring.interpreted.few_words
        if embedder is None:
            return ()
        return tuple(
            semantic_query(self.live, embedder.name, vector.vector, levelled=few_words and not place)
            for place, vector in enumerate(scoring.vectors)
        )


@dataclass(frozen=True, slots=True)
class LocalCandidates:
    """Implements `Candidates`: all rows of the library, as they are numbered there."""

    rows: LocalRows
    scoring: Scoring
    in_question: CandidateRows
    words: Scores
    texts: Scores | None
    nearness: tuple[Nearness, ...]
    encoded: Scores | None = None
    unseen_count: int = 0

    @property
    def live(self) -> LiveRows:
        """All rows of the library."""
        return self.rows.live

    @property
    def rare_words(self) -> RareWords | None:
        """The rare words of the query, with the rows that hold them."""
        return self.scoring.rare_words

    @property
    def named_works(self) -> NamedWorks | None:
        """The works that the query names, with their rows."""
        return self.scoring.named_works

    def title_scores(self) -> Scores:
        """BM25 of titles alone, one number a row."""
        return title_scores(self.live, self.scoring.interpreted.query_terms.terms, self.scoring.counts.idfs)

    def coverage(self, rows: Rows) -> Scores | None:
        """How well each word of the query is met by each of `rows` (ascending); `None` when no word occurs anywhere."""
        coverage, scoring = self.rows.source.coverage, self.scoring
        if coverage is None:
            return None
        return coverage.scores(self.live, scoring.interpreted.query_terms.terms, scoring.counts.idfs, rows)

    def new_names(self, stems: Sequence[str], rows: Rows) -> Iterable[NamedTitle]:
        """Those of `rows` (ascending) whose title begins with a name, and holds `stems` that hardly any had before."""
        return new_names(self.live, stems, rows)

    def main_venue_mask(self, rows: Rows) -> Mask:
        """A mask over `rows` (ascending): papers of the main venues."""
        return main_venue_mask(self.live, rows)

    def followers(self, rows: Rows, until: int | None) -> Column:
        """How far each of `rows` (ascending) is followed by titles of the year `until` or earlier, else all."""
        live, title_indexes = self.live, self.rows.source.title_indexes(self.live)
        words, counts = listed_hashes(live, title_indexes, rows, "words")
        years = live.column("year", rows)
        last = newest_year(live) if until is None else until
        return follower_growth(words, counts, years, last, count_pairs_in(title_indexes))

    def without_filters(self) -> Task[Candidates]:
        """The same for the query without its filters, to count what they hide."""
        return replace(
            self, in_question=(yield from self.rows.unfiltered_rows(self.scoring.query, self.scoring.within))
        )
