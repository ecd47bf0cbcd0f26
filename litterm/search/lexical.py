"""BM25 over title and abstract: query to ranking, weighted words to candidates. No model, no network."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from litterm.model.search import Filters, Query, RankedPaper, Ranking, SortOrder, YearRange
from litterm.search.filters import Tagged, filter_mask
from litterm.search.load_papers import fetched
from litterm.search.notices import REORDERED, Outcome, suggested, told
from litterm.search.query_terms import QueryTerms, matched, wanted, weighted
from litterm.search.searchable import LibraryState, SearchableLibrary, inside, unnamed
from litterm.search.signals.scores import Scored, score
from litterm.search.sorting import largest, ordered

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.interfaces import IndexReader, Library
    from litterm.model.citation import WeightedWord
    from litterm.model.paper import PaperId
    from litterm.search.open_index import LiveRows, Mask, Rows

BY = "bm25"


@dataclass(frozen=True, slots=True)
class _Matches:
    """What a query finds, before anything is fetched."""

    live: LiveRows
    want: QueryTerms
    scored: Scored
    rows: Rows
    hidden: int


class LexicalSearcher:
    """Implements `interfaces.Searcher` and `interfaces.WeightedSearcher`; safe from any thread."""

    name = BY

    def __init__(self, library: Library, index: IndexReader, *, tagged: Tagged = lambda _tag: ()) -> None:
        """`tagged` gives the papers the user put a tag on; it is asked anew at every query."""
        self._ground = SearchableLibrary(library, index, tagged=tagged)

    def search(
        self, query: Query, *, k: int, sort: SortOrder = "relevance", within: Collection[PaperId] | None = None
    ) -> Task[Ranking]:
        """The best `k` papers; ties by id; never a zero score when there are words to score.

        Without words, everything that passes is listed, the newest first unless `sort` says otherwise.
        """
        return self._ground.on_a_snapshot(lambda now: self._search(now, query, k, sort, within))

    def candidates(
        self,
        words: Sequence[WeightedWord],
        *,
        k: int,
        before: int | None = None,
        exclude: Collection[PaperId] = (),
    ) -> Task[tuple[RankedPaper, ...]]:
        """The best `k` papers of the year `before` or earlier, without `exclude`; ties by id; no zero scores."""
        return self._ground.on_a_snapshot(lambda now: self._candidates(now.live, words, k, before, exclude))

    def venues(self) -> tuple[tuple[str, int], ...]:
        """What `venue:` can be completed to, with the number of papers, by key."""
        return self._ground.venues()

    def _search(
        self, now: LibraryState, query: Query, k: int, sort: SortOrder, within: Collection[PaperId] | None
    ) -> Task[Ranking]:
        found = yield from self._matches(now, query, k, within)
        order = sort if found.want.terms or sort != "relevance" else "newest"
        best = yield from self._best(found, order, k)
        papers = yield from fetched(now.live, best, library=self._ground.library)
        by = BY if found.want.terms else order
        outcome = Outcome(now.live, found.want, found.scored, len(found.rows), max(k, REORDERED))
        ranked = tuple(
            RankedPaper(
                rank=rank,
                paper=paper,
                score=float(found.scored.scores[row]) if found.want.terms else None,
                by=by,
                matched=matched(paper, found.want, found.scored),
            )
            for rank, (paper, row) in enumerate(zip(papers, best, strict=True), 1)
        )
        return Ranking(
            query=query,
            papers=ranked,
            found=len(found.rows),
            by=by,
            hidden=found.hidden,
            suggestion=suggested(query, outcome),
            searched=now.live.count,
            notices=tuple(told(query, outcome, order)),
        )

    def _matches(self, now: LibraryState, query: Query, k: int, within: Collection[PaperId] | None) -> Task[_Matches]:
        want = wanted(query, now.live.parts)
        scored = yield from score(now.live, want.terms)
        mask = self._ground.mask(now.live, query)
        matching = yield from self._rows(now, query, _base(query, want, scored), mask)
        rows = inside(now.live, unnamed(now.live, matching, query), within)
        hidden = 0
        if len(rows) < k and query.filters != Filters():
            unfiltered = yield from self._rows(now, query, _base(query, want, scored), now.live.alive)
            hidden = len(unfiltered) - len(rows)
        return _Matches(now.live, want, scored, rows, hidden)

    def _rows(self, now: LibraryState, query: Query, base: Mask, mask: Mask | None) -> Task[Rows]:
        rows = np.flatnonzero(base if mask is None else base & mask)
        return (yield from self._ground.allowed(now, query, rows))

    def _best(self, found: _Matches, order: SortOrder, k: int) -> Task[list[int]]:
        scores = found.scored.scores[found.rows]
        if order == "relevance":
            return largest(found.live, found.rows, scores, k)
        rows = found.rows
        if found.want.terms and len(rows) > max(k, REORDERED):
            rows = np.sort(np.array(largest(found.live, rows, scores, max(k, REORDERED)), np.int64))
        return (yield from ordered(found.live, rows, order, k, library=self._ground.library))

    def _candidates(
        self, now: LiveRows, words: Sequence[WeightedWord], k: int, before: int | None, exclude: Collection[PaperId]
    ) -> Task[tuple[RankedPaper, ...]]:
        want = weighted(words)
        scored = yield from score(now, want.terms)
        years = (YearRange(None, before),) if before is not None else ()
        mask = filter_mask(now, Filters(years=years), library=self._ground.library, tagged=self._ground.tagged)
        rows = np.flatnonzero(scored.scores > 0 if mask is None else (scored.scores > 0) & mask)
        rows = rows[~np.isin(rows, now.rows_of(exclude))] if exclude else rows
        best = largest(now, rows, scored.scores[rows], k)
        papers = yield from fetched(now, best, library=self._ground.library)
        return tuple(
            RankedPaper(rank, paper, float(scored.scores[row]), BY, matched(paper, want, scored))
            for rank, (paper, row) in enumerate(zip(papers, best, strict=True), 1)
        )


def _base(query: Query, want: QueryTerms, scored: Scored) -> Mask:
    """Rows that the words alone leave over."""
    if want.terms:
        return scored.scores > 0
    # Words, but none that is indexed: only a phrase can still tell papers apart.
    nothing_to_find = bool(query.words or query.unfinished) and not query.phrases and not query.conditions
    return np.full(len(scored.scores), not nothing_to_find)
