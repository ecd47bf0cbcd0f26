"""Followers of a paper: later titles that use two words of its title side by side.

What a paper named well, others name after it, so that followers tell how far a paper reached where no citations are
known. A pair of words that was in use before the paper's year is a phrase of the field, and counts less.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from litterm.search.signals.fusion import PaperPrior, kth_largest
from litterm.text.tokens import hash_pairs

if TYPE_CHECKING:
    from litterm.interfaces.arrays import Column, Hashes
    from litterm.library.index.title_author_stats import TitleAuthorIndex
    from litterm.model.search import Query
    from litterm.search.open_index import LiveRows, Rows
    from litterm.search.signals.fusion import FusedScores

MAX_PAPERS = 60
"""The best papers of a ranking whose followers are counted. With 30 the questions of citing sentences gain 1 point of
R@20 instead of 2, with 100 3.5, and each 30 take a third of a millisecond."""
MAX_GROWTH = 3.0
"""More followers than e^3 times the papers that had the words before count no more (questions by authors, MRR: +2.6,
without this limit +0.1)."""

PRIOR_NAME = "later titles use its words"

TitleAuthorIndexes: TypeAlias = "Sequence[TitleAuthorIndex | None]"
PairCounter = Callable[["Hashes", "npt.NDArray[np.int64]", "npt.NDArray[np.int64]"], "npt.NDArray[np.int64]"]
"""Takes pairs of words (ascending), places among them and a year for each place; gives how many titles of that year or
earlier hold the pair at each place."""


def listed_hashes(
    live: LiveRows, title_indexes: TitleAuthorIndexes, rows: Rows, what: str
) -> tuple[Hashes, npt.NDArray[np.int64]]:
    """Hashes of all rows in order, and how many each has; rows without an index have none.

    `what` is the method of `TitleAuthorIndex` that gives them.
    """
    counts = np.zeros(len(rows), np.int64)
    segment_hashes: list[Hashes] = []
    edges = np.searchsorted(rows, live.offsets).tolist()
    for index, title_index in enumerate(title_indexes):
        if title_index is not None and edges[index] < edges[index + 1]:
            span = slice(edges[index], edges[index + 1])
            hashes, counts[span] = getattr(title_index, what)(rows[span] - live.offsets[index])
            segment_hashes.append(hashes)
    return (np.concatenate(segment_hashes) if segment_hashes else np.empty(0, np.uint32)), counts


def count_pairs_in(title_indexes: TitleAuthorIndexes) -> PairCounter:
    """Counts titles of all segments."""

    def count(pairs: Hashes, places: npt.NDArray[np.int64], until: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        total = np.zeros(len(places), np.int64)
        for title_index in title_indexes:
            if title_index is not None:
                total += title_index.titles_with_pairs(pairs, places, until)
        return total

    return count


def follower_growth(
    words: Hashes,
    counts: npt.NDArray[np.int64],
    years: npt.NDArray[np.int64],
    until: int,
    count_titles: PairCounter,
) -> Column:
    """Per paper the growth of its best pair: the log ratio of titles after its year, up to `until`, to those before.

    `words` are the hashes of all title words, `counts` of them a paper; 0 for a paper of no known year.
    """
    papers = np.repeat(np.arange(len(counts)), counts)
    # Words at the end of one title and at the beginning of the next are no pair.
    in_one_title = papers[:-1] == papers[1:]
    pairs, places = np.unique(hash_pairs(words[:-1], words[1:])[in_one_title], return_inverse=True)
    papers = papers[:-1][in_one_title]
    own = years[papers]
    moments = np.concatenate([np.maximum(own - 1, 0), own, np.full(len(own), until)])
    before, at_publication, now = np.split(count_titles(pairs, np.tile(places, 3), moments), 3)
    return best_growth(papers, own, (before, at_publication, now), len(counts))


def best_growth(
    papers: npt.NDArray[np.int64], years: npt.NDArray[np.int64], uses: Sequence[npt.NDArray[Any]], count: int
) -> Column:
    """The growth of the best pair of each of `count` papers; the pairs are those of `papers`, which are of `years`.

    `uses` are the titles that hold each pair before the year of its paper, until that year, and until now.
    """
    before, at_publication, now = uses
    growth = np.log((1 + np.maximum(now - at_publication, 0)) / (1 + before))
    best = np.zeros(count)
    np.maximum.at(best, papers, np.where(years > 0, growth, 0.0))
    return best


def last_year(query: Query) -> int | None:
    """The year that the filters of `query` end with: what came later is not known to who asks; `None` without one."""
    ends = [years.last for years in query.filters.years]
    known = [end for end in ends if end is not None]
    return max(known) if known and len(known) == len(ends) else None


def least_key(fused: FusedScores) -> int:
    """The key of the last of the best `MAX_PAPERS`."""
    return int(kth_largest(fused.keys, MAX_PAPERS)) if len(fused.keys) > MAX_PAPERS else int(fused.keys.min(initial=0))


def add_followers(fused: FusedScores, weight: float, least: int, followers: Callable[[Rows], Column]) -> FusedScores:
    """`fused` with points for the followers of papers whose key is `least` or more; all others keep theirs."""
    places = np.flatnonzero(fused.keys >= least)
    if not len(places) or not weight:
        return fused
    points = np.zeros(len(fused.pool))
    points[places] = weight * np.minimum(followers(fused.pool[places]), MAX_GROWTH)
    return fused.with_prior(PaperPrior(PRIOR_NAME, points.round(6)))
