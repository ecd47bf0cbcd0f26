"""Candidates for a citation over shards: they score every paper, the driver describes the candidates.

What a high score is, how many papers hold a word and how often a title's words were used is summed over all shards
first. So the candidates and their features are those of one machine, to the last digit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import uuid4

import numpy as np

from litterm.cluster.pool import join_vectors, number_rare_words
from litterm.cluster.questions import context_questions, holder_questions
from litterm.cluster.requests import CitationScoring, CitationSelection, CoverageRequest
from litterm.cluster.sharded_rows import PooledRows, ShardTexts, answer_on_shards, build_pooled_rows, query_vector
from litterm.library.index.title_author_stats import TitleAuthorIndex
from litterm.model.attribution.citation import WeightedWord
from litterm.search.citation_candidates import (
    RARE_WEIGHTS,
    CitationCandidateSearcher,
    ScoredCandidates,
    best_candidates,
    closer_count,
    near_terms,
    signals_with,
)
from litterm.search.citing_features import VENUES, citation_columns
from litterm.search.open_index import intersect_rows
from litterm.search.query.query_terms import weighted_terms
from litterm.search.signals.bm25 import TermScores, idf_of
from litterm.search.signals.length_normalisation import sum_totals
from litterm.search.signals.normalise import NORMALISATION_DEPTH, kth_largest, union_rows
from litterm.search.signals.rare_words import find_rare_words
from litterm.search.signals.semantic import SemanticQuery
from litterm.text.tokens import words as words_of

if TYPE_CHECKING:
    import numpy.typing as npt

    from litterm.cluster.requests import CitationStatistics, CountQuestion, ShardCitationPool
    from litterm.cluster.sharded_rows import ShardedRows
    from litterm.cluster.shards import Shards
    from litterm.core.tasks import Task
    from litterm.interfaces import Library
    from litterm.interfaces.arrays import Hashes
    from litterm.interfaces.llm import Vector
    from litterm.library.index.reader import IndexReader
    from litterm.library.index.static_embeddings import StaticModel
    from litterm.search.citation_candidates import CitationPool, CitationRequest
    from litterm.search.open_index import Rows
    from litterm.search.query.query_terms import QueryTerms
    from litterm.search.signals.bm25 import Scores
    from litterm.search.signals.rare_words import RareWords

T = TypeVar("T", bound=np.generic)


class ShardCitationSearcher(CitationCandidateSearcher):
    """Weighted words around a mark to a pool of candidates, by shards that hold the same library."""

    def __init__(self, library: Library, index: IndexReader, *, embedder: StaticModel, shards: Shards) -> None:
        """`embedder` made the vectors of the index."""
        super().__init__(library, index, embedder=embedder)
        self._shards = shards
        self._vectors = embedder

    def _begin(self, request: CitationRequest) -> Task[CitationPool]:
        pool, notice = yield from answer_on_shards(
            self._shards, self._searchable.library, lambda sharded_rows: self._pool_of(sharded_rows, request)
        )
        return replace(pool, notices=(*pool.notices, notice)) if notice else pool

    def _pool_of(self, sharded_rows: ShardedRows, request: CitationRequest) -> Task[CitationPool]:
        # A generator without a step of its own: each step is a round of the shards, which ends by itself.
        yield from ()
        query_terms = weighted_terms(request.words)
        source = [WeightedWord(word, 1.0) for word in words_of(request.bounds.source)]
        sharded_rows.shards.ask_ahead(self._first_questions(sharded_rows, request, query_terms, source))
        scored = self._frequencies(sharded_rows, query_terms)
        meaning = query_vector(sharded_rows, self._vectors, request.words)
        rare = self._rare_words(sharded_rows, query_terms, scored)
        candidates = self._score(sharded_rows, request, query_terms, scored, meaning.vector if meaning else None, rare)
        live = candidates.live
        covered, counts = self._features(sharded_rows, candidates, request)
        topic = None
        if (
            meaning is not None
            and not len(candidates.citing)
            and (source_vector := query_vector(sharded_rows, self._vectors, source))
        ):
            topic = SemanticQuery(live, self._vectors.name, source_vector.vector)
        described = replace(
            candidates,
            title_indexes=tuple(
                title_index.with_counts(counts) for title_index in _pooled_indexes(candidates.title_indexes)
            ),
        )
        return self._describe(described, request, covered, topic)

    def _first_questions(
        self,
        sharded_rows: ShardedRows,
        request: CitationRequest,
        query_terms: QueryTerms,
        source: Sequence[WeightedWord],
    ) -> list[Any]:
        terms = query_terms.terms
        near_mark = [terms[index] for index in near_terms(query_terms)]
        questions: list[Any] = [("frequencies", (terms,))] if terms else []
        questions += holder_questions(sharded_rows, near_mark, self._vectors)
        questions += context_questions(sharded_rows, request.words, self._vectors)
        questions += context_questions(sharded_rows, source, self._vectors)
        return [*questions, ("rows_of", (tuple(request.include),))] if request.include else questions

    def _frequencies(self, sharded_rows: ShardedRows, query_terms: QueryTerms) -> TermScores:
        terms = query_terms.terms
        frequencies = np.sum(sharded_rows.shards.ask("frequencies", terms), axis=0).tolist() if terms else []
        idfs = tuple(idf_of(frequency, sharded_rows.count) for frequency in frequencies)
        return TermScores(np.empty(0, np.float32), tuple(frequencies), idfs)

    def _rare_words(self, sharded_rows: ShardedRows, query_terms: QueryTerms, scored: TermScores) -> RareWords:
        indices = near_terms(query_terms)
        terms, frequencies = (
            [query_terms.terms[index] for index in indices],
            [scored.frequencies[index] for index in indices],
        )
        return find_rare_words(
            sharded_rows, terms, frequencies, self._vectors, lambda: ShardTexts(sharded_rows.shards), RARE_WEIGHTS
        )

    def _score(
        self,
        sharded_rows: ShardedRows,
        request: CitationRequest,
        query_terms: QueryTerms,
        scored: TermScores,
        vector: Vector | None,
        rare: RareWords,
    ) -> ScoredCandidates:
        """Scores and selects candidates in two rounds: the best scores of all shards first, then the best papers."""
        facts = sharded_rows.shards.facts()
        scoring = CitationScoring(
            key=uuid4().hex,
            terms=query_terms.terms,
            idfs=scored.idfs,
            totals=sum_totals(of_shard.totals for of_shard in facts),
            vector=vector,
            until=request.bounds.year,
            exclude=frozenset(request.bounds.exclude),
            size=request.size,
        )
        statistics = sharded_rows.shards.ask("citation_statistics", scoring)
        included = sharded_rows.rows_of(request.include) if request.include else np.empty(0, np.int64)
        selection = _choose_selection(statistics, scoring, [included, *(word.holders for word in rare.words)])
        pools = sharded_rows.shards.ask("citation_candidates", scoring, selection)
        joined = _JoinedPools.of(sharded_rows, pools, self._vectors.name)
        live, allowed = joined.live, np.flatnonzero(joined.allowed)
        signals = signals_with((joined.words, joined.titles, joined.near), selection.best)
        numbered, named = number_rare_words(rare, live), intersect_rows(live.to_candidates(included)[0], allowed)
        best = best_candidates(signals, allowed, request.size)
        return ScoredCandidates(
            live=live,
            title_indexes=(PooledTitleIndex(joined),) if joined.has_facts else (None,),
            rows=union_rows(live.size, best, named, numbered.rows(live, allowed)),
            signals=signals,
            query_terms=query_terms,
            scored=replace(scored, scores=joined.words),
            rare=numbered,
            named=named,
            citing=np.flatnonzero(joined.citing),
            meaning=None if vector is None else SemanticQuery(live, self._vectors.name, vector),
            papers=sharded_rows.count,
            newest=max((of_shard.newest for of_shard in facts), default=0),
        )

    def _features(
        self, sharded_rows: ShardedRows, candidates: ScoredCandidates, request: CitationRequest
    ) -> tuple[Scores | None, list[npt.NDArray[np.int64]]]:
        """In one round how well the candidates meet each word, and how often words of their titles were used."""
        terms, idfs = candidates.query_terms.terms, candidates.scored.idfs
        assert isinstance(candidates.live, PooledRows)
        places = candidates.live.library_rows[candidates.rows]
        questions = [
            question
            for title_index in _pooled_indexes(candidates.title_indexes)
            for question in title_index.questions(candidates, request)
        ]
        covered, counted = sharded_rows.shards.ask_together(
            ("coverage", (places, CoverageRequest(terms, idfs))), ("title_counts", (questions,))
        )
        counts = [np.sum(of_question, axis=0) for of_question in zip(*counted.values(), strict=True)]
        if not any(idf * term.weight for term, idf in zip(terms, idfs, strict=True)) or not len(places):
            return None, counts
        return sharded_rows.shards.spread_values(covered, places, np.dtype(np.float32)), counts


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
        live = build_pooled_rows(sharded_rows, column([pool.rows for pool in pools]), vectors)
        part: Any = _CandidatePart(column([pool.years for pool in pools]), column([pool.venues for pool in pools]))
        return cls(
            live=replace(live, parts=(part,)),
            allowed=column([pool.allowed for pool in pools]),
            citing=column([pool.citing for pool in pools]),
            words=column([pool.words for pool in pools]),
            titles=column([pool.titles for pool in pools]),
            near=column([pool.near for pool in pools]),
            title_words=_reorder_runs([pool.title_words for pool in pools], order),
            authors=_reorder_runs([pool.authors for pool in pools], order),
            has_facts=any(pool.has_facts for pool in pools),
        )


class _CandidatePart:
    """Years and venues of the candidates, as those of one segment."""

    def __init__(self, years: npt.NDArray[np.int64], venues: npt.NDArray[np.uint32]) -> None:
        self.count = len(years)
        self.columns = self
        self.year = years
        self._venues = venues

    def venue_rows(self, key: str) -> Rows:
        """The candidates at the venue `key`."""
        return np.flatnonzero(self._venues & np.uint32(1 << VENUES.index(key)))


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


def _pooled_indexes(title_indexes: Sequence[TitleAuthorIndex | None]) -> list[PooledTitleIndex]:
    return [index for index in title_indexes if isinstance(index, PooledTitleIndex)]
