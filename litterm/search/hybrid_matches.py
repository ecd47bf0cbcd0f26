"""The matches of the default ranking, before and after records are read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from litterm.model.search import RankedPaper, SortOrder, WordSources, count_relevant
from litterm.search.notices import MAX_REORDERED
from litterm.search.query.query_terms import find_matched_words
from litterm.search.sort_order import top_rows

if TYPE_CHECKING:
    from litterm.model.paper import Paper
    from litterm.search.open_index import LiveRows, Mask, Rows
    from litterm.search.query.interpret import InterpretedQuery
    from litterm.search.query.query_terms import QueryTerms
    from litterm.search.signals.bm25 import TermScores
    from litterm.search.signals.fusion import FusedScores


@dataclass(frozen=True, slots=True)
class HybridMatches:
    """The matches of a query, before any record is read."""

    live: LiveRows
    """The library that the rows belong to."""
    interpreted: InterpretedQuery
    scored: TermScores
    typed: tuple[QueryTerms, tuple[int, ...]]
    """The terms before spelling was corrected, with the number of papers that hold each."""
    count: int
    """How many rows match."""
    rows: Rows
    """The best of them, or all when there are no words to score; ascending."""
    fused: FusedScores | None
    """The scores of `rows`; `None` when there are no words to score."""
    by: str
    hidden: int
    notices: tuple[str, ...]
    word_sources: WordSources | None = None
    rows_without_words: Rows = field(default_factory=lambda: np.empty(0, np.int64))
    """Rows that operators admit although they hold no word of the query; ascending."""
    matching: Mask | None = None
    """A mask of all rows that match by words or meaning; `None` without words, and where only shards know them."""

    def matching_rows(self) -> Rows:
        """All rows that are counted, ascending."""
        if self.matching is None:
            return self.rows
        return np.union1d(np.flatnonzero(self.matching), self.rows_without_words)


def select_rows(live: LiveRows, matches: HybridMatches, order: SortOrder, k: int) -> Rows:
    """The best `k` rows, the best first; for another order than relevance the relevant ones, ascending."""
    if matches.fused is None:
        return matches.rows
    keys, count = matches.fused.keys, k if order == "relevance" else max(k, MAX_REORDERED)
    best = np.array(top_rows(live, matches.rows, keys, count), np.int64)
    if order == "relevance":
        return best
    # Only relevant papers are put in another order: the newest of all matches is useless.
    return np.sort(best[: max(k, count_relevant(keys[np.searchsorted(matches.rows, best)].tolist()))])


def to_ranked_papers(
    papers: Sequence[Paper], rows: Sequence[int], matches: HybridMatches, by: str
) -> tuple[RankedPaper, ...]:
    """`papers`, which are at `rows`, with rank, score, matched words and explanation."""
    words = [find_matched_words(paper, matches.interpreted.query_terms, matches.scored) for paper in papers]
    if matches.fused is None:
        return tuple(
            RankedPaper(index, paper, None, by, matched=words[index - 1]) for index, paper in enumerate(papers, 1)
        )
    ranked_papers = zip(papers, matches.fused.scores(rows), words, matches.fused.explain(rows), strict=True)
    return tuple(
        RankedPaper(index, paper, score, by, matched=matched_words, why=why)
        for index, (paper, score, matched_words, why) in enumerate(ranked_papers, 1)
    )
