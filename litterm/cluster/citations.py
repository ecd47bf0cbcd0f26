"""Candidates for a citation over shards: they score every paper, the driver describes the candidates.

What a high score is, how many papers hold a word and how often a title's words were used is summed over all shards
first. So the candidates and their features are those of one machine, to the last digit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar
from uuid import uuid4

import numpy as np

from litterm.cluster.candidates import join_vectors, number_rare_words
from litterm.cluster.questions import context_questions, holder_questions
from litterm.cluster.requests import CitationScoring, CitationSelection, CoverageRequest
from litterm.cluster.sharded_rows import (
    CandidatePart,
    PooledRows,
    ShardLibraryRows,
    answer_on_shards,
    build_pooled_rows,
)
from litterm.library.index.title_author_stats import TitleAuthorIndex
from litterm.search.citation_candidates import (
    ScoredCandidates,
    best_candidates,
    closer_count,
    near_terms,
    signals_with,
)
from litterm.search.citing_features import citation_columns
from litterm.search.open_index import intersect_rows
from litterm.search.signals.bm25 import TermScores, sum_totals
from litterm.search.signals.fusion import NORMALISATION_DEPTH, kth_largest, union_rows
from litterm.search.signals.semantic import SemanticQuery

if TYPE_CHECKING:
    import numpy.typing as npt

    from litterm.cluster.requests import CitationStatistics, CountQuestion, ShardCitationPool
    from litterm.cluster.sharded_rows import ShardedRows
    from litterm.cluster.shards import Request, Shards
    from litterm.core.tasks import Task
    from litterm.interfaces import Library
    from litterm.interfaces.arrays import Hashes
    from litterm.library.index.static_embeddings import StaticModel
    from litterm.search.citation_candidates import CitationPool, CitationRequest, CitationRows, ExcerptScoring
    from litterm.search.open_index import Rows
    from litterm.search.query.query_terms import QueryTerms
    from litterm.search.signals.bm25 import Scores, TermCounts
    from litterm.search.signals.followers import TitleAuthorIndexes

T = TypeVar("T", bound=np.generic)


class ShardCitationSource:
    """Implements `search.citation_candidates.CitationSource` for shards that hold the same library as this machine."""

    def __init__(self, shards: Shards, library: Library, embedder: StaticModel) -> None:
        """`embedder` made the vectors of the index."""
        self._shards, self._library, self._embedder = shards, library, embedder

    def find(self, request: CitationRequest, work: Callable[[CitationRows], Task[CitationPool]]) -> Task[CitationPool]:
        """The result of `work`, with a notice where shards were too late.

        Raises:
            ClusterError: no shard answers.
        """
        pool, notice = yield from answer_on_shards(
            self._shards, self._library, lambda live: work(ShardCitationRows(live, self._embedder, request))
        )
        return replace(pool, notices=(*pool.notices, notice)) if notice else pool


class ShardCitationRows(ShardLibraryRows):
    """Implements `search.citation_candidates.CitationRows`, in few rounds of requests."""

    def __init__(self, live: ShardedRows, embedder: StaticModel, request: CitationRequest) -> None:
        super().__init__(live, embedder)
        self._request = request
        self._titles: tuple[PooledTitleIndex, ...] = ()
        self._library_rows = np.empty(0, np.int64)
        """The row of the library of each candidate."""

    def count_terms(self, query_terms: QueryTerms) -> Task[TermCounts]:
        """How many papers hold each term."""
        # A generator without a step of its own: a round of the shards ends by itself.
        yield from ()
        self.live.shards.ask_ahead(self._first_questions(query_terms))
        return self.count_holders(query_terms.terms)

    def candidates(self, scoring: ExcerptScoring) -> ScoredCandidates:
        """Scores and selects candidates in two rounds: the best scores of all shards first, then the best papers."""
        shards, request = self.live.shards, self._request
        to_score = self._scoring(scoring)
        statistics = shards.ask("citation_statistics", to_score)
        included = self.live.rows_of(request.include) if request.include else np.empty(0, np.int64)
        selection = _choose_selection(statistics, to_score, [included, *(word.holders for word in scoring.rare.words)])
        pools = shards.ask("citation_candidates", to_score, selection)
        joined = _JoinedPools.of(self.live, pools, self.embedder.name)
        live, allowed = joined.live, np.flatnonzero(joined.allowed)
        signals = signals_with((joined.words, joined.titles, joined.near), selection.best)
        rare, named = number_rare_words(scoring.rare, live), intersect_rows(live.to_candidates(included)[0], allowed)
        best = best_candidates(signals, allowed, request.size)
        vector = scoring.vector
        self._titles = (PooledTitleIndex(joined),) if joined.has_facts else ()
        self._library_rows = live.library_rows
        return ScoredCandidates(
            live=live,
            title_indexes=self._titles or (None,),
            rows=union_rows(live.size, best, named, rare.rows(live, allowed)),
            signals=signals,
            query_terms=scoring.query_terms,
            scored=TermScores(joined.words, scoring.counts.frequencies, scoring.counts.idfs),
            rare=rare,
            named=named,
            citing=np.flatnonzero(joined.citing),
            meaning=None if vector is None else SemanticQuery(live, self.embedder.name, vector.vector),
            papers=self.live.count,
            newest=max((of_shard.newest for of_shard in shards.facts()), default=0),
        )

    def look_up_features(self, candidates: ScoredCandidates) -> tuple[Scores | None, TitleAuthorIndexes]:
        """In one round how well the candidates meet each word, and how often words of their titles were used."""
        terms, idfs = candidates.query_terms.terms, candidates.scored.idfs
        library_rows = self._library_rows[candidates.rows]
        questions = [question for titles in self._titles for question in titles.questions(candidates, self._request)]
        covered, counted = self.live.shards.ask_together(
            ("coverage", (library_rows, CoverageRequest(terms, idfs))), ("title_counts", (questions,))
        )
        counts = [np.sum(of_question, axis=0) for of_question in zip(*counted.values(), strict=True)]
        title_indexes = tuple(titles.with_counts(counts) for titles in self._titles) or (None,)
        if not any(idf * term.weight for term, idf in zip(terms, idfs, strict=True)) or not len(library_rows):
            return None, title_indexes
        return self.live.shards.spread_values(covered, library_rows, np.dtype(np.float32)), title_indexes

    def _first_questions(self, query_terms: QueryTerms) -> list[Request]:
        live, request, terms = self.live, self._request, query_terms.terms
        near_mark = [terms[index] for index in near_terms(query_terms)]
        questions: list[Request] = [("frequencies", (terms,))] if terms else []
        questions += holder_questions(live, near_mark, self.embedder)
        questions += context_questions(live, request.words, self.embedder)
        questions += context_questions(live, request.source_words, self.embedder)
        return [*questions, ("rows_of", (tuple(request.include),))] if request.include else questions

    def _scoring(self, scoring: ExcerptScoring) -> CitationScoring:
        request = self._request
        return CitationScoring(
            key=uuid4().hex,
            terms=scoring.query_terms.terms,
            idfs=scoring.counts.idfs,
            totals=sum_totals(of_shard.totals for of_shard in self.live.shards.facts()),
            vector=None if scoring.vector is None else scoring.vector.vector,
            until=request.bounds.year,
            exclude=frozenset(request.bounds.exclude),
            size=request.size,
        )


class PooledTitleIndex(TitleAuthorIndex):
    """Title words and authors of the candidates; how often these were used is asked of the shards.

    The features are computed twice: first to see what they count, then with the counts, which came in one round.
    """

    def __init__(self, joined: _JoinedPools) -> None:
        super().__init__(
            {
                "word": joined.title_words[0],
                "word_starts": np.concatenate(([0], np.cumsum(joined.title_words[1]))),
                "author": joined.authors[0],
                "author_starts": np.concatenate(([0], np.cumsum(joined.authors[1]))),
            }
        )
        self._asked: list[CountQuestion] = []
        self._counts: list[npt.NDArray[np.int64]] | None = None

    def questions(self, candidates: ScoredCandidates, request: CitationRequest) -> list[CountQuestion]:
        """What the features of `candidates` count."""
        year = request.bounds.year if request.bounds.year is not None else candidates.newest
        citation_columns(candidates.live, (self,), candidates.rows, candidates.query_terms, request.sequence, year=year)
        return self._asked

    def with_counts(self, counts: Sequence[npt.NDArray[np.int64]]) -> PooledTitleIndex:
        """Uses `counts`, the answers to its questions in their order, from now on."""
        self._counts = list(counts)
        return self

    def titles_with(self, words: Hashes, until: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
        """How many titles of the year `until` (one a word) or earlier hold each word."""
        return self._count(TitleAuthorIndex.titles_with.__name__, words, until)

    def titles_with_pair(self, pairs: Hashes, until: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
        """How many titles hold each pair of adjacent words, up to the year of each."""
        return self._count(TitleAuthorIndex.titles_with_pair.__name__, pairs, until)

    def papers_by(self, authors: Hashes, until: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
        """How many papers of the year `until` (one an author) or earlier each author wrote."""
        return self._count(TitleAuthorIndex.papers_by.__name__, authors, until)

    def _count(self, method: str, hashes: Hashes, until: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
        if self._counts is not None:
            return self._counts.pop(0)
        self._asked.append((method, hashes, until))
        return np.zeros(len(hashes), np.int64)


@dataclass(frozen=True, slots=True)
class _JoinedPools:
    """The candidates of all shards in the order of the library."""

    live: PooledRows
    allowed: npt.NDArray[np.bool_]
    citing: npt.NDArray[np.bool_]
    words: Scores
    titles: Scores
    near: Scores
    title_words: tuple[Hashes, npt.NDArray[np.int64]]
    authors: tuple[Hashes, npt.NDArray[np.int64]]
    has_facts: bool

    @classmethod
    def of(cls, sharded_rows: ShardedRows, pools: Sequence[ShardCitationPool], embedder: str) -> _JoinedPools:
        """Those of `pools`, of which there is one at least; their vectors are those of `embedder`."""
        order = np.argsort(np.concatenate([pool.rows for pool in pools]))

        def column(arrays: Sequence[npt.NDArray[T]]) -> npt.NDArray[T]:
            joined: npt.NDArray[T] = np.concatenate(arrays)[order]
            return joined

        vectors = join_vectors(
            embedder, column([pool.codes for pool in pools]), column([pool.scales for pool in pools])
        )
        part = CandidatePart(column([pool.years for pool in pools]), column([pool.venues for pool in pools]))
        return cls(
            live=build_pooled_rows(sharded_rows, column([pool.rows for pool in pools]), vectors, part),
            allowed=column([pool.allowed for pool in pools]),
            citing=column([pool.citing for pool in pools]),
            words=column([pool.words for pool in pools]),
            titles=column([pool.titles for pool in pools]),
            near=column([pool.near for pool in pools]),
            title_words=_reorder_runs([pool.title_words for pool in pools], order),
            authors=_reorder_runs([pool.authors for pool in pools], order),
            has_facts=any(pool.has_facts for pool in pools),
        )


def _choose_selection(
    statistics: Sequence[CitationStatistics], scoring: CitationScoring, always: Sequence[Rows]
) -> CitationSelection:
    """What a shard chooses its candidates by, from the best scores of all."""
    similarities = np.concatenate([of_shard.near for of_shard in statistics])
    exact = np.concatenate([of_shard.exact for of_shard in statistics])
    count = closer_count(scoring.size)
    # Those that tie with the last are in; what is as far as can be is never nearest.
    closer = (
        float(kth_largest(similarities, count))
        if len(similarities) > count
        else float(np.nextafter(np.float32(0), np.float32(1)))
    )
    cosines = np.concatenate(
        [
            np.where(similarities >= np.float32(closer), exact, similarities),
            *(of_shard.others for of_shard in statistics),
        ]
    )
    return CitationSelection(
        best=(
            _best_scores(np.concatenate([of_shard.words for of_shard in statistics])),
            _best_scores(np.concatenate([of_shard.titles for of_shard in statistics])),
            None if scoring.vector is None else _best_scores(cosines),
        ),
        closer=closer,
        always=np.unique(np.concatenate(always)),
    )


def _best_scores(scores: Scores) -> Scores:
    return np.sort(scores)[-NORMALISATION_DEPTH:]


def _reorder_runs(
    listed: Sequence[tuple[Hashes, npt.NDArray[np.int64]]], order: npt.NDArray[np.int64]
) -> tuple[Hashes, npt.NDArray[np.int64]]:
    """Runs of hashes, one a row, in the `order` of the rows."""
    hashes, counts = np.concatenate([run for run, _ in listed]), np.concatenate([count for _, count in listed])
    starts = np.cumsum(counts) - counts
    ordered_counts = counts[order]
    ends = np.cumsum(ordered_counts)
    positions = np.arange(int(ends[-1]) if len(ends) else 0) + np.repeat(
        starts[order] - (ends - ordered_counts), ordered_counts
    )
    return hashes[positions], ordered_counts
