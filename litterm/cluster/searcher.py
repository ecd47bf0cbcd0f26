"""The default ranking over shards: they score every paper, the driver ranks the candidates.

Document frequencies and all other numbers about the whole library are summed first, and every shard gives at least as
many of its best papers as one library would look at. So the ranking is that of one machine, to the last digit.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from litterm.cluster.pool import (
    PooledMeaning,
    PooledRetrievers,
    PooledTexts,
    ShardFeatures,
    join_pools,
    name_priors,
    number_named_works,
    number_rare_words,
    possible_names,
)
from litterm.cluster.questions import notice_questions, spelling_questions, word_questions
from litterm.cluster.requests import MeaningRequest, PoolRequest, Selection, collect_user_facts
from litterm.cluster.sharded_rows import QueryVector, ShardedRows, ShardTexts, answer_on_shards, query_vector
from litterm.model.index import MIN_PAPERS_FOR_ANN
from litterm.model.search import Filters
from litterm.search.filters.conditions import can_match_without_words
from litterm.search.hybrid import METHOD_NAME, WORDS_ONLY_METHOD, HybridSearcher
from litterm.search.hybrid_matches import HybridMatches
from litterm.search.searchable import LibraryState, open_state
from litterm.search.signals.bm25 import TermCounts, TermScores, idf_of
from litterm.search.signals.fusion import fuse
from litterm.search.signals.known_item import idf_by_stem
from litterm.search.signals.known_words import known_idf_share, word_sources
from litterm.search.signals.length_normalisation import sum_totals
from litterm.search.signals.named_works import NamedWorks
from litterm.search.signals.normalise import NORMALISATION_DEPTH
from litterm.search.signals.priors import priors_from_columns
from litterm.search.signals.rare_words import RareWords, find_rare_words
from litterm.search.signals.semantic import is_scan_exhaustive

if TYPE_CHECKING:
    from litterm.cluster.pool import Candidates
    from litterm.cluster.shards import Shards
    from litterm.core.tasks import Task
    from litterm.library.index.static_embeddings import StaticModel
    from litterm.model.paper import PaperId
    from litterm.model.search import Query, Ranking, SortOrder
    from litterm.search.candidate_pool import RetrievalPool
    from litterm.search.hybrid import FullTextVocabulary
    from litterm.search.open_index import LiveRows, Rows
    from litterm.search.query.interpret import InterpretedQuery
    from litterm.search.query.query_terms import QueryTerms
    from litterm.search.signals.bm25 import Term
    from litterm.search.signals.fusion import PaperPrior


class _NothingToScore(Exception):
    """Nothing is left to score papers by."""


class ShardSearcher(HybridSearcher):
    """Fits `interfaces.Searcher`; what asks for an order other than relevance is answered on this machine."""

    def use_shards(self, shards: Shards, static_model: StaticModel) -> None:
        """From now on these `shards` of the same library are asked; `static_model` made the vectors of its index."""
        self.shards = shards
        self._static_model = static_model

    def search(
        self, query: Query, *, k: int, sort: SortOrder = "relevance", within: Collection[PaperId] | None = None
    ) -> Task[Ranking]:
        """The best `k` papers, of those `within` if given; with a notice where shards were too late.

        Raises:
            UnknownPaper: there is no paper whose like is sought.
            ClusterError: no shard answers.
        """
        if sort == "relevance" and _is_scored(query):
            try:
                return (yield from self._on_shards(lambda state: self._search(state, query, k, sort, within)))
            except _NothingToScore:
                pass
        return (yield from super().search(query, k=k, sort=sort, within=within))

    def _on_shards(self, work: Callable[[LibraryState], Task[Ranking]]) -> Task[Ranking]:
        library = self._searchable.library

        def begin(sharded_rows: ShardedRows) -> Task[Ranking]:
            return work(open_state(sharded_rows, library))

        ranking, notice = yield from answer_on_shards(self.shards, library, begin)
        return replace(ranking, notices=(*ranking.notices, notice)) if notice else ranking

    def _find_matches(
        self, state: LibraryState, query: Query, k: int, within: Collection[PaperId] | None
    ) -> Task[HybridMatches]:
        live = state.live
        if not isinstance(live, ShardedRows):
            return (yield from super()._find_matches(state, query, k, within))
        named_works, interpreted_as_typed = self._interpret(live, query)
        selection = Selection(
            query, collect_user_facts(query, self._searchable), None if within is None else frozenset(within)
        )
        live.shards.ask_ahead(word_questions(live, interpreted_as_typed, selection, self._static_model))
        counts_as_typed = yield from self._count(live, interpreted_as_typed.query_terms.terms)
        typed = interpreted_as_typed.query_terms, counts_as_typed.frequencies
        live.shards.ask_ahead(spelling_questions(live, *typed, self._static_model))
        interpreted, counts = yield from self._correct_terms(live, interpreted_as_typed, counts_as_typed)
        if not interpreted.query_terms.terms:
            raise _NothingToScore
        # The shards score.
        scored = TermScores(np.empty(0, np.float32), counts.frequencies, counts.idfs)
        settled = self._scoring_inputs(live, query, interpreted, scored, named_works)
        return self._matches(live, typed, settled, selection, k)

    def _scoring_inputs(
        self,
        live: ShardedRows,
        query: Query,
        interpreted: InterpretedQuery,
        scored: TermScores,
        works: NamedWorks | None,
    ) -> _ScoringInputs:
        """What the shards are to be asked with."""
        terms = interpreted.query_terms.terms
        meaning = query_vector(live, self._static_model, interpreted.semantic_words)
        extra_vector = query_vector(live, self._static_model, interpreted.extra_words) if meaning is not None else None
        return _ScoringInputs(
            interpreted=interpreted,
            scored=scored,
            text_idfs=self._text_idfs(live, terms) if query.in_full_texts else None,
            vectors=tuple(vector for vector in (meaning, extra_vector) if vector is not None),
            rare=find_rare_words(
                live, terms, scored.frequencies, self._static_model, lambda: self._full_texts(live), self.weights
            ),
            named=works,
        )

    def _matches(
        self,
        live: ShardedRows,
        typed: tuple[QueryTerms, tuple[int, ...]],
        settled: _ScoringInputs,
        selection: Selection,
        k: int,
    ) -> HybridMatches:
        query, interpreted = selection.query, settled.interpreted
        candidates, features, pool, count = self._pool(live, typed, settled, selection, k)
        hidden = 0
        # As on one machine: asked only where the filters left too little.
        if count < k and query.filters != Filters():
            hidden = self._count_matches(live, settled, replace(selection, filtered=False), k) - count
        learned = settled.vectors[0].learned if settled.vectors else frozenset()
        return HybridMatches(
            live=candidates.live,
            interpreted=interpreted,
            scored=replace(settled.scored, scores=candidates.words),
            typed=typed,
            count=count,
            rows=pool.rows,
            fused=fuse(pool.rows, pool.signals, _collect_priors(query, settled, candidates, features, pool.rows)),
            by=METHOD_NAME if settled.vectors else WORDS_ONLY_METHOD,
            word_sources=word_sources(self._static_model, interpreted.query_terms, learned)
            if settled.vectors
            else None,
            hidden=hidden,
            notices=tuple(self._vector_notices(live)),
        )

    def _pool(
        self,
        live: ShardedRows,
        typed: tuple[QueryTerms, tuple[int, ...]],
        settled: _ScoringInputs,
        selection: Selection,
        k: int,
    ) -> tuple[Candidates, ShardFeatures, RetrievalPool, int]:
        """The candidates, what else is known of them, the pool of the best `k`, and how many papers match in all."""
        interpreted = settled.interpreted
        request = self._request(live, settled, selection, k)
        live.shards.ask_ahead([("pool", (request,)), *notice_questions(live, selection.query, *typed)])
        candidates = self._candidates(live, request)
        terms = interpreted.query_terms.terms
        names = (
            possible_names(candidates, terms, settled.scored) if interpreted.few_words else candidates.live.living[:0]
        )
        features = ShardFeatures(candidates, names)
        retrievers = self._pooled_retrievers(candidates, settled, request, features if request.meanings else None)
        pool = retrievers.build_pool(candidates.rows_in_question(selection.within is not None), k=k)
        return candidates, features, pool, pool.found + candidates.unseen_count

    def _count_matches(self, live: ShardedRows, settled: _ScoringInputs, selection: Selection, k: int) -> int:
        """How many papers match in all; how well they match is not asked."""
        request = self._request(live, settled, selection, k)
        candidates = self._candidates(live, request)
        retrievers = self._pooled_retrievers(candidates, settled, request, None)
        return (
            retrievers.build_pool(candidates.rows_in_question(selection.within is not None), k=k).found
            + candidates.unseen_count
        )

    def _candidates(self, live: ShardedRows, request: PoolRequest) -> Candidates:
        return join_pools(live, live.shards.ask("pool", request), self._static_model.name)

    def _pooled_retrievers(
        self, candidates: Candidates, settled: _ScoringInputs, request: PoolRequest, coverage: ShardFeatures | None
    ) -> PooledRetrievers:
        interpreted = settled.interpreted
        meanings = [
            PooledMeaning(candidates, self._static_model.name, meaning, cosines)
            for meaning, cosines in zip(request.meanings, candidates.near, strict=True)
        ]
        return PooledRetrievers(
            live=candidates.live,
            interpreted=interpreted,
            scored=replace(settled.scored, scores=candidates.words),
            query_vector=meanings[0] if meanings else None,
            coverage=coverage,
            full_texts=None if candidates.texts is None else PooledTexts(candidates.texts),
            extra_vector=meanings[1] if len(meanings) > 1 else None,
            known_share=known_idf_share(self._static_model, interpreted.query_terms.terms, settled.scored.idfs),
            rare_words=number_rare_words(settled.rare, candidates.live),
            named_works=number_named_works(settled.named, candidates.live),
            weights=self.weights,
            titles=candidates.titles,
        )

    def _request(self, live: ShardedRows, settled: _ScoringInputs, selection: Selection, k: int) -> PoolRequest:
        interpreted, terms = settled.interpreted, settled.interpreted.query_terms.terms
        names = tuple(idf_by_stem(terms, settled.scored.idfs)) if interpreted.few_words else ()
        every = live.size <= MIN_PAPERS_FOR_ANN or is_scan_exhaustive(
            live.size, sum(live.shards.ask("allowed", selection))
        )
        always = [word.holders for word in settled.rare.words]
        always += [] if settled.named is None else [settled.named.rows]
        return PoolRequest(
            selection=selection,
            terms=terms,
            idfs=settled.scored.idfs,
            totals=sum_totals(facts.totals for facts in live.shards.facts()),
            text_idfs=settled.text_idfs,
            titles=interpreted.by_title,
            meanings=tuple(
                MeaningRequest(vector.vector, interpreted.few_words and not place, every)
                for place, vector in enumerate(settled.vectors)
            ),
            count=max(k, NORMALISATION_DEPTH),
            name_stems=names,
            always=np.unique(np.concatenate(always)) if always else np.empty(0, np.int64),
        )

    def _text_idfs(self, live: ShardedRows, terms: Sequence[Term]) -> tuple[float, ...]:
        frequencies = np.sum(live.shards.ask("text_frequencies", terms), axis=0).tolist() if terms else []
        texts = sum(facts.texts for facts in live.shards.facts())
        return tuple(idf_of(frequency, texts) for frequency in frequencies)

    def _count(self, live: LiveRows, terms: Sequence[Term]) -> Task[TermCounts]:
        if not isinstance(live, ShardedRows):
            return (yield from super()._count(live, terms))
        counts = np.sum(live.shards.ask("frequencies", terms), axis=0).tolist() if terms else []
        idfs = tuple(idf_of(frequency, live.count) for frequency in counts)
        return TermCounts(tuple(counts), idfs)

    def _full_texts(self, live: LiveRows) -> FullTextVocabulary:
        return ShardTexts(live.shards) if isinstance(live, ShardedRows) else super()._full_texts(live)

    def _count_without_vectors(self, live: LiveRows) -> int:
        if not isinstance(live, ShardedRows):
            return super()._count_without_vectors(live)
        return live.without_vectors


@dataclass(frozen=True, slots=True)
class _ScoringInputs:
    """What a query is scored by, once its words are settled."""

    interpreted: InterpretedQuery
    scored: TermScores
    text_idfs: tuple[float, ...] | None
    vectors: tuple[QueryVector, ...]
    """Of the words, and of what was typed beside papers whose like is sought."""
    rare: RareWords
    named: NamedWorks | None


def _collect_priors(
    query: Query, settled: _ScoringInputs, candidates: Candidates, features: ShardFeatures, pool: Rows
) -> tuple[PaperPrior, ...]:
    interpreted, scored = settled.interpreted, settled.scored
    named = number_named_works(settled.named, candidates.live)
    return (
        *priors_from_columns(query, candidates.main_venue[pool], candidates.years[pool]),
        *(name_priors(features, interpreted.query_terms.terms, scored, pool) if interpreted.few_words else ()),
        *(named.priors(pool) if named is not None else ()),
        *number_rare_words(settled.rare, candidates.live).priors(pool),
    )


def _is_scored(query: Query) -> bool:
    """Whether papers are put in order by words alone, which shards do together."""
    listed = any(map(can_match_without_words, query.conditions))
    return bool(query.text.strip() or query.like) and not query.unlike and not listed
