"""What the default ranking finds, before and after records are read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from litterm.model.search import RankedPaper, SortOrder, WordSources, count_relevant
from litterm.search.notices import REORDERED
from litterm.search.query.query_terms import matched
from litterm.search.sort_order import largest

if TYPE_CHECKING:
    from litterm.model.paper import Paper
    from litterm.search.open_index import LiveRows, Rows
    from litterm.search.query.interpret import InterpretedQuery
    from litterm.search.query.query_terms import QueryTerms
    from litterm.search.signals.fusion import FusedScores
    from litterm.search.signals.scores import Scored


@dataclass(frozen=True, slots=True)
class HybridMatches:
    """What a query finds, before anything is fetched."""

    live: LiveRows
    """What the rows are rows of."""
    interpreted: InterpretedQuery
    scored: Scored
    typed: tuple[QueryTerms, Scored]
    """What was wanted before words near to unknown ones were put in their place."""
    count: int
    """How many rows match."""
    rows: Rows
    """The best of them, or all when there was nothing to score; ascending."""
    fused: FusedScores | None
    """The best of them; `None` when there was nothing to score."""
    by: str
    hidden: int
    notices: tuple[str, ...]
    sources: WordSources | None = None
    rest: Rows = field(default_factory=lambda: np.empty(0, np.int64))
    """Rows that operators let in though no word of the query speaks for them; ascending."""


def rows_to_order(live: LiveRows, matches: HybridMatches, order: SortOrder, k: int) -> Rows:
    """The best `k`, the best first; for another order those of the best that are relevant, ascending."""
    if matches.fused is None:
        return matches.rows
    keys, count = matches.fused.keys, k if order == "relevance" else max(k, REORDERED)
    best = np.array(largest(live, matches.rows, keys, count), np.int64)
    if order == "relevance":
        return best
    # What passes the bound of relevance is put in another order: the newest of all matches is of use to nobody.
    return np.sort(best[: max(k, count_relevant(keys[np.searchsorted(matches.rows, best)].tolist()))])


def ranked(papers: Sequence[Paper], rows: Sequence[int], matches: HybridMatches, by: str) -> tuple[RankedPaper, ...]:
    """`papers`, which stand at `rows`, with what speaks for each."""
    words = [matched(paper, matches.interpreted.query_terms, matches.scored) for paper in papers]
    if matches.fused is None:
        return tuple(
            RankedPaper(index, paper, None, by, matched=words[index - 1]) for index, paper in enumerate(papers, 1)
        )
    ranked_papers = zip(papers, matches.fused.scores(rows), words, matches.fused.whys(rows), strict=True)
    return tuple(
        RankedPaper(index, paper, score, by, matched=matched_words, why=why)
        for index, (paper, score, matched_words, why) in enumerate(ranked_papers, 1)
    )
