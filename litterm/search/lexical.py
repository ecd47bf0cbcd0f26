"""BM25 over titles and abstracts: ranks queries, and finds candidates for weighted words; no model, no network."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from litterm.model.search import Filters, Query, RankedPaper, Ranking, SortOrder, YearRange
from litterm.search.filters.filters import PapersByTag, filter_mask
from litterm.search.notices import MAX_REORDERED, SearchOutcome, search_notices, suggest_query
from litterm.search.open_index import load_papers
from litterm.search.query.query_terms import (
    QueryTerms,
    build_query_terms,
    find_matched_words,
    stems_of_query,
    weighted_terms,
)
from litterm.search.searchable import LibraryState, SearchableLibrary, drop_named, restrict_rows
from litterm.search.signals.bm25 import TermScores, score_terms
from litterm.search.sort_order import sort_rows, top_rows

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.interfaces import Library
    from litterm.library.index.reader import IndexReader
    from litterm.model.attribution.citation import WeightedWord
    from litterm.model.paper import PaperId
    from litterm.search.open_index import LiveRows, Mask, Rows

METHOD_NAME = "bm25"


@dataclass(frozen=True, slots=True)
class _Matches:
    """The matches of a query, before any record is read."""

    live: LiveRows
    query_terms: QueryTerms
    scored: TermScores
    rows: Rows
    hidden: int


class LexicalSearcher:
    """Fits `interfaces.Searcher`; safe from any thread."""

    name = METHOD_NAME

    def __init__(self, library: Library, index: IndexReader, *, tagged: PapersByTag = lambda _tag: ()) -> None:
        """`tagged` gives the papers that have a tag; it is called for every query."""
        self._searchable = SearchableLibrary(library, index, tagged=tagged)

    def search(
        self, query: Query, *, k: int, sort: SortOrder = "relevance", within: Collection[PaperId] | None = None
    ) -> Task[Ranking]:
        """The best `k` papers; ties by id; no zero scores when there are words to score.

        Without words, everything that passes is listed, the newest first unless `sort` says otherwise.
        """
        return self._searchable.run_on_snapshot(lambda state: self._search(state, query, k, sort, within))

    def candidates(
        self,
        words: Sequence[WeightedWord],
        *,
        k: int,
        before: int | None = None,
        exclude: Collection[PaperId] = (),
    ) -> Task[tuple[RankedPaper, ...]]:
        """The best `k` papers of the year `before` or earlier, without `exclude`; ties by id; no zero scores."""
        return self._searchable.run_on_snapshot(lambda state: self._candidates(state.live, words, k, before, exclude))

    def _search(
        self, state: LibraryState, query: Query, k: int, sort: SortOrder, within: Collection[PaperId] | None
    ) -> Task[Ranking]:
        matches = yield from self._find_matches(state, query, k, within)
        order = sort if matches.query_terms.terms or sort != "relevance" else "newest"
        best = yield from self._select_best(matches, order, k)
        papers = yield from load_papers(state.live, best, library=self._searchable.library)
        by = METHOD_NAME if matches.query_terms.terms else order
        outcome = SearchOutcome(
            state.live, matches.query_terms, matches.scored.frequencies, len(matches.rows), max(k, MAX_REORDERED)
        )
        stems = stems_of_query(matches.query_terms, matches.scored)
        ranked = tuple(
            RankedPaper(
                rank=rank,
                paper=paper,
                score=float(matches.scored.scores[row]) if matches.query_terms.terms else None,
                by=by,
                matched=find_matched_words(paper, stems),
            )
            for rank, (paper, row) in enumerate(zip(papers, best, strict=True), 1)
        )
        return Ranking(
            query=query,
            papers=ranked,
            found=len(matches.rows),
            by=by,
            hidden=matches.hidden,
            suggestion=suggest_query(query, outcome),
            searched=state.live.count,
            notices=tuple(search_notices(query, outcome, order)),
        )

    def _find_matches(
        self, state: LibraryState, query: Query, k: int, within: Collection[PaperId] | None
    ) -> Task[_Matches]:
        query_terms = build_query_terms(query, state.live.parts)
        scored = yield from score_terms(state.live, query_terms.terms)
        mask = self._searchable.mask(state.live, query)
        matching = yield from self._filter_rows(state, query, _matching_mask(query, query_terms, scored), mask)
        rows = restrict_rows(state.live, drop_named(state.live, matching, query), within)
        hidden = 0
        if len(rows) < k and query.filters != Filters():
            unfiltered = yield from self._filter_rows(
                state, query, _matching_mask(query, query_terms, scored), state.live.alive
            )
            hidden = len(unfiltered) - len(rows)
        return _Matches(state.live, query_terms, scored, rows, hidden)

    def _filter_rows(self, state: LibraryState, query: Query, base: Mask, mask: Mask | None) -> Task[Rows]:
        rows = np.flatnonzero(base if mask is None else base & mask)
        return (yield from self._searchable.filter_rows(state, query, rows))

    def _select_best(self, matches: _Matches, order: SortOrder, k: int) -> Task[list[int]]:
        scores = matches.scored.scores[matches.rows]
        if order == "relevance":
            return top_rows(matches.live, matches.rows, scores, k)
        rows = matches.rows
        if matches.query_terms.terms and len(rows) > max(k, MAX_REORDERED):
            rows = np.sort(np.array(top_rows(matches.live, rows, scores, max(k, MAX_REORDERED)), np.int64))
        return (yield from sort_rows(matches.live, rows, order, k, library=self._searchable.library))

    def _candidates(
        self, live: LiveRows, words: Sequence[WeightedWord], k: int, before: int | None, exclude: Collection[PaperId]
    ) -> Task[tuple[RankedPaper, ...]]:
        query_terms = weighted_terms(words)
        scored = yield from score_terms(live, query_terms.terms)
        years = (YearRange(None, before),) if before is not None else ()
        mask = filter_mask(live, Filters(years=years), library=self._searchable.library, tagged=self._searchable.tagged)
        rows = np.flatnonzero(scored.scores > 0 if mask is None else (scored.scores > 0) & mask)
        rows = rows[~np.isin(rows, live.rows_of(exclude))] if exclude else rows
        best = top_rows(live, rows, scored.scores[rows], k)
        papers = yield from load_papers(live, best, library=self._searchable.library)
        stems = stems_of_query(query_terms, scored)
        return tuple(
            RankedPaper(rank, paper, float(scored.scores[row]), METHOD_NAME, find_matched_words(paper, stems))
            for rank, (paper, row) in enumerate(zip(papers, best, strict=True), 1)
        )


def _matching_mask(query: Query, query_terms: QueryTerms, scored: TermScores) -> Mask:
    """The rows that match the words alone."""
    if query_terms.terms:
        return scored.scores > 0
    # There are words, but none is indexed: only a phrase can still select papers.
    nothing_to_find = bool(query.words or query.unfinished) and not query.phrases and not query.conditions
    return np.full(len(scored.scores), not nothing_to_find)
