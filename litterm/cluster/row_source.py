"""The papers of a library on the shards of a cluster: they score every paper, this machine ranks the candidates.

Document frequencies and all other numbers about the whole library are summed first, and every shard gives at least as
many of its best papers as one library would look at. So the ranking is that of one machine, to the last digit.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from litterm.cluster.candidates import ShardCandidates, join_pools
from litterm.cluster.questions import notice_questions, spelling_questions, word_questions
from litterm.cluster.requests import MeaningRequest, PoolRequest, Selection, collect_user_facts
from litterm.cluster.sharded_rows import ShardLibraryRows, answer_on_shards
from litterm.model.index import MIN_PAPERS_FOR_ANN
from litterm.search.filters.conditions import can_match_without_words
from litterm.search.row_source import NeedsAllRows
from litterm.search.signals.bm25 import idf_of, sum_totals
from litterm.search.signals.fusion import NORMALISATION_DEPTH
from litterm.search.signals.named_papers import idf_by_stem
from litterm.search.signals.semantic import is_scan_exhaustive

if TYPE_CHECKING:
    from litterm.cluster.sharded_rows import ShardedRows
    from litterm.cluster.shards import Shards
    from litterm.core.tasks import Task
    from litterm.interfaces import CitedPapers, Library
    from litterm.library.index.static_embeddings import StaticModel
    from litterm.model.paper import PaperId
    from litterm.model.search import Query, Ranking
    from litterm.search.filters.filters import PapersByTag
    from litterm.search.open_index import Rows
    from litterm.search.query.interpret import InterpretedQuery
    from litterm.search.query.query_terms import QueryTerms
    from litterm.search.row_source import Scoring, SearchedRows
    from litterm.search.signals.bm25 import Term, TermCounts


class ShardSource:
    """Implements `search.row_source.RowSource` for shards that hold the same library as this machine."""

    def __init__(
        self,
        shards: Shards,
        library: Library,
        embedder: StaticModel,
        *,
        tagged: PapersByTag = lambda _tag: (),
        cited: CitedPapers | None = None,
    ) -> None:
        """`embedder` made the vectors of the index; `tagged` and `cited` are what only the user knows of papers."""
        self._shards = shards
        self._library = library
        self._embedder = embedder
        self._tagged = tagged
        self._cited_at_least = cited.papers_cited_at_least if cited is not None else None

    def rank(
        self, query: Query, within: Collection[PaperId] | None, work: Callable[[SearchedRows], Task[Ranking]]
    ) -> Task[Ranking]:
        """The result of `work`, with a notice where shards were too late.

        Raises:
            NeedsAllRows: papers are not put in order by words alone.
            ClusterError: no shard answers.
        """
        if not _is_scored(query):
            raise NeedsAllRows
        facts = collect_user_facts(query, self._tagged, self._cited_at_least)
        selection = Selection(query, facts, None if within is None else frozenset(within))
        ranking, notice = yield from answer_on_shards(
            self._shards, self._library, lambda live: work(ShardSearchedRows(live, self._embedder, selection))
        )
        return replace(ranking, notices=(*ranking.notices, notice)) if notice else ranking


class ShardSearchedRows(ShardLibraryRows):
    """Implements `search.row_source.SearchedRows`; what can be foreseen is asked together, in one round of requests."""

    def __init__(self, live: ShardedRows, embedder: StaticModel, selection: Selection) -> None:
        super().__init__(live, embedder)
        self._selection = selection
        self._typed: tuple[QueryTerms, tuple[int, ...]] | None = None

    def count_terms(self, interpreted: InterpretedQuery) -> Task[TermCounts]:
        """How many papers hold each term: first of the words as typed, then of the corrected ones."""
        # A generator without a step of its own: a round of the shards ends by itself.
        yield from ()
        live = self.live
        live.shards.ask_ahead(word_questions(live, interpreted, self._selection, self.embedder))
        counts = self.count_holders(interpreted.query_terms.terms)
        if self._typed is None:
            self._typed = interpreted.query_terms, counts.frequencies
            live.shards.ask_ahead(spelling_questions(live, *self._typed, self.embedder))
        return counts

    def candidates(self, scoring: Scoring) -> Task[ShardCandidates]:
        """The papers that come into question, scored."""
        yield from ()
        live, request = self.live, self._request(scoring, self._selection)
        notices = notice_questions(live, scoring.query, *self._typed) if self._typed is not None else ()
        live.shards.ask_ahead([("pool", (request,)), *notices])
        return self._candidates(scoring, request)

    def candidates_without_filters(self, scoring: Scoring) -> Task[ShardCandidates]:
        """The papers that would come into question without the filters of the query."""
        yield from ()
        return self._candidates(scoring, self._request(scoring, replace(self._selection, filtered=False)))

    def passing_rows(self, query: Query, within: Collection[PaperId] | None) -> Task[Rows]:
        """Shards do not list what no word scores.

        Raises:
            NeedsAllRows: always.
        """
        raise NeedsAllRows

    def _candidates(self, scoring: Scoring, request: PoolRequest) -> ShardCandidates:
        pools = self.live.shards.ask("pool", request)
        return ShardCandidates(self, scoring, request, join_pools(self.live, pools, self.embedder.name))

    def _request(self, scoring: Scoring, selection: Selection) -> PoolRequest:
        live, interpreted, terms = self.live, scoring.interpreted, scoring.interpreted.query_terms.terms
        every = live.size <= MIN_PAPERS_FOR_ANN or is_scan_exhaustive(
            live.size, sum(live.shards.ask("allowed", selection))
        )
        always = [word.holders for word in scoring.rare_words.words] if scoring.rare_words is not None else []
        always += [] if scoring.named_works is None else [scoring.named_works.rows]
        return PoolRequest(
            selection=selection,
            terms=terms,
            idfs=scoring.counts.idfs,
            totals=sum_totals(facts.totals for facts in live.shards.facts()),
            text_idfs=self._text_idfs(terms) if scoring.query.in_full_texts else None,
            titles=interpreted.by_title,
            meanings=tuple(
                MeaningRequest(vector.vector, interpreted.few_words and not place, every)
                for place, vector in enumerate(scoring.vectors)
            ),
            count=max(scoring.k, NORMALISATION_DEPTH),
            name_stems=tuple(idf_by_stem(terms, scoring.counts.idfs)) if interpreted.few_words else (),
            always=np.unique(np.concatenate(always)) if always else np.empty(0, np.int64),
        )

    def _text_idfs(self, terms: Sequence[Term]) -> tuple[float, ...]:
        shards = self.live.shards
        frequencies = np.sum(shards.ask("text_frequencies", terms), axis=0).tolist() if terms else []
        texts = sum(facts.texts for facts in shards.facts())
        return tuple(idf_of(frequency, texts) for frequency in frequencies)


def _is_scored(query: Query) -> bool:
    """Whether papers are put in order by words alone, which shards do together; papers of `unlike:` are read here."""
    listed = any(map(can_match_without_words, query.conditions))
    return bool(query.text.strip() or query.like) and not query.unlike and not listed
