"""BM25 over title and abstract: query to ranking, weighted words to candidates. No model, no network."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from litterm.errors import SegmentGone
from litterm.model.citation import WeightedWord
from litterm.model.paper import PaperId
from litterm.model.search import Filters, Query, RankedPaper, Ranking, SortOrder, YearRange
from litterm.protocols import IndexReader, Library
from litterm.retrieve.fetch import fetched
from litterm.retrieve.filters import Tagged, filter_mask, unknown_venues
from litterm.retrieve.live import Live, Mask, Rows, open_live
from litterm.retrieve.order import largest, ordered
from litterm.retrieve.scores import Scored, score
from litterm.retrieve.spelling import mended
from litterm.retrieve.verify import Verifier
from litterm.retrieve.wanted import Wanted, matched, wanted, weighted
from litterm.tasks import Task
from litterm.text.query import with_word
from litterm.text.tokens import fold

BY = "bm25"

_ATTEMPTS = 3
_REORDERED = 200
"""How many of the best matches an order other than relevance rearranges. Beyond them lie papers that share
one common word with the query, and the newest of those is of no use to anybody."""

_RARE = 10
_FEW = 20
_TYPED = 32
"""Words up to which a query was typed; in a longer, pasted one unknown words are names rather than slips."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Now:
    """The snapshot in use and what has been found out about it."""

    live: Live
    verifier: Verifier


@dataclass(frozen=True, slots=True)
class _Matches:
    """What a query finds, before anything is fetched."""

    live: Live
    want: Wanted
    scored: Scored
    rows: Rows
    hidden: int


class LexicalSearcher:
    """Implements `protocols.Searcher` and `protocols.WeightedSearcher`; safe from any thread."""

    name = BY

    def __init__(self, library: Library, index: IndexReader, *, tagged: Tagged = lambda _tag: ()) -> None:
        """`tagged` gives the papers the user put a tag on; it is asked anew at every query."""
        self._library = library
        self._index = index
        self._tagged = tagged
        self._last: _Now | None = None

    def search(self, query: Query, *, k: int, sort: SortOrder = "relevance") -> Task[Ranking]:
        """The best `k` papers; ties by id; never a zero score when there are words to score.

        Without words, everything that passes is listed, the newest first unless `sort` says otherwise.
        """
        return self._on_a_snapshot(lambda now: self._search(now, query, k, sort))

    def candidates(
        self,
        words: Sequence[WeightedWord],
        *,
        k: int,
        before: int | None = None,
        exclude: Collection[PaperId] = (),
    ) -> Task[tuple[RankedPaper, ...]]:
        """The best `k` papers of the year `before` or earlier, without `exclude`; ties by id; no zero scores."""
        return self._on_a_snapshot(lambda now: self._candidates(now.live, words, k, before, exclude))

    def venues(self) -> tuple[tuple[str, int], ...]:
        """What `venue:` can be completed to, with the number of papers, by key."""
        counts: dict[str, int] = {}
        for part in self._now().live.parts:
            for key, count in part.venues():
                counts[key] = counts.get(key, 0) + count
        return tuple(sorted(counts.items()))

    def _on_a_snapshot(self, work: Callable[[_Now], Task[T]]) -> Task[T]:
        for _ in range(_ATTEMPTS - 1):
            try:
                return (yield from work(self._now()))
            except SegmentGone:
                # A writer compacted between our reading of the manifest and of the files.
                self._last = None
        return (yield from work(self._now()))

    def _now(self) -> _Now:
        snapshot = self._library.snapshot()
        last = self._last
        if last is None or last.live.snapshot.generation != snapshot.generation:
            opened = open_live(snapshot, self._index)
            last = self._last = _Now(opened, Verifier(opened, self._library))
        return last

    def _search(self, now: _Now, query: Query, k: int, sort: SortOrder) -> Task[Ranking]:
        found = yield from self._matches(now, query, k)
        order = sort if found.want.terms or sort != "relevance" else "newest"
        best = yield from self._best(found, order, k)
        papers = yield from fetched(now.live, best, library=self._library)
        by = BY if found.want.terms else order
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
            suggestion=_suggestion(query, found),
            searched=now.live.count,
            notices=tuple(_notices(query, found, order)),
        )

    def _matches(self, now: _Now, query: Query, k: int) -> Task[_Matches]:
        want = wanted(query, now.live.parts)
        scored = yield from score(now.live, want.terms)
        mask = filter_mask(now.live, query.filters, library=self._library, tagged=self._tagged)
        rows = yield from self._rows(now, query, _base(query, want, scored), mask)
        hidden = 0
        if len(rows) < k and query.filters != Filters():
            unfiltered = yield from self._rows(now, query, _base(query, want, scored), now.live.alive)
            hidden = len(unfiltered) - len(rows)
        return _Matches(now.live, want, scored, rows, hidden)

    def _rows(self, now: _Now, query: Query, base: Mask, mask: Mask | None) -> Task[Rows]:
        rows = np.flatnonzero(base if mask is None else base & mask)
        if not query.phrases and not query.excluded:
            return rows
        return (yield from now.verifier.passing(rows, phrases=query.phrases, excluded=query.excluded))

    def _best(self, found: _Matches, order: SortOrder, k: int) -> Task[list[int]]:
        scores = found.scored.scores[found.rows]
        if order == "relevance":
            return largest(found.live, found.rows, scores, k)
        rows = found.rows
        if found.want.terms and len(rows) > max(k, _REORDERED):
            rows = np.sort(np.array(largest(found.live, rows, scores, max(k, _REORDERED)), np.int64))
        return (yield from ordered(found.live, rows, order, k, library=self._library))

    def _candidates(
        self, now: Live, words: Sequence[WeightedWord], k: int, before: int | None, exclude: Collection[PaperId]
    ) -> Task[tuple[RankedPaper, ...]]:
        want = weighted(words)
        scored = yield from score(now, want.terms)
        years = (YearRange(None, before),) if before is not None else ()
        mask = filter_mask(now, Filters(years=years), library=self._library, tagged=self._tagged)
        rows = np.flatnonzero(scored.scores > 0 if mask is None else (scored.scores > 0) & mask)
        rows = rows[~np.isin(rows, now.rows_of(exclude))] if exclude else rows
        best = largest(now, rows, scored.scores[rows], k)
        papers = yield from fetched(now, best, library=self._library)
        return tuple(
            RankedPaper(rank, paper, float(scored.scores[row]), BY, matched(paper, want, scored))
            for rank, (paper, row) in enumerate(zip(papers, best, strict=True), 1)
        )


def _base(query: Query, want: Wanted, scored: Scored) -> Mask:
    """Rows that the words alone leave over."""
    if want.terms:
        return scored.scores > 0
    # Words, but none that is indexed: only a phrase can still tell papers apart.
    nothing_to_find = bool(query.words or query.unfinished) and not query.phrases
    return np.full(len(scored.scores), not nothing_to_find)


def _suggestion(query: Query, found: _Matches) -> str:
    text = query.text
    if len(query.words) > _TYPED:
        return ""
    for term, name, frequency in zip(found.want.terms, found.want.names, found.scored.frequencies, strict=True):
        # A word that a few papers contain may be their misspelling, too.
        doubtful = not frequency or (frequency <= _RARE and len(found.rows) < _FEW)
        if doubtful and len(term.stems) == 1 and name != query.unfinished:
            better = mended(fold(name), found.live.parts, seen=frequency)
            text = with_word(text, name, better) if better else text
    return text if text != query.text else ""


def _notices(query: Query, found: _Matches, order: SortOrder) -> Iterable[str]:
    if query.words and not found.want.terms and not query.phrases:
        yield "Only words that nearly every paper contains; add one that tells papers apart."
    if not len(found.rows):
        unknown = unknown_venues(found.live.parts, query.filters.venues)
        yield from (f"No paper here has the venue “{venue}”." for venue in unknown)
    if order != "relevance" and found.want.terms and len(found.rows) > _REORDERED:
        yield f"In this order: the {_REORDERED} most relevant of {len(found.rows):,}."
