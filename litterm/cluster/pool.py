"""The candidates of all shards as one small library, on which a query is ranked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from litterm.cluster.requests import CandidateColumns, CoverageRequest, MeaningRequest
from litterm.cluster.whole_rows import CandidateLive, candidate_live
from litterm.search.candidate_pool import CandidateRows, Retrievers
from litterm.search.signals.coverage import WordCoverage
from litterm.search.signals.fulltext_field import FullTexts
from litterm.search.signals.known_item import first_of_their_kind, name_prior, rarity_of
from litterm.search.signals.named_works import NamedWorks
from litterm.search.signals.rare_words import RareWord, RareWords
from litterm.search.signals.semantic import Meaning

if TYPE_CHECKING:
    import numpy.typing as npt

    from litterm.cluster.requests import ShardPool
    from litterm.cluster.shards import ShardQuery
    from litterm.cluster.whole_rows import WholeRows
    from litterm.search.open_index import LiveRows, Rows
    from litterm.search.signals.fusion import PaperPrior
    from litterm.search.signals.scores import Scored, Scores, Term

T = TypeVar("T", bound=np.generic)


@dataclass(frozen=True, slots=True)
class Candidates(CandidateColumns):
    """What the shards gave, joined, in the order of the library."""

    live: CandidateLive

    def field(self, within: bool) -> CandidateRows:
        """The candidates as what comes into question; `within` some papers only those `inside` may be found."""
        whole = self.live.living
        return CandidateRows(whole, np.flatnonzero(self.inside) if within else whole)

    @property
    def unseen(self) -> int:
        """How many papers a word speaks for that are no candidates."""
        matching = self.words > 0 if self.texts is None else (self.words > 0) | (self.texts > 0)
        return self.matching - int(np.count_nonzero(matching & self.inside))


def joined(whole: WholeRows, pools: Sequence[ShardPool]) -> Candidates:
    """The candidates in `pools`, of which there is one at least."""
    order = np.argsort(np.concatenate([pool.rows for pool in pools]))

    def column(arrays: Sequence[npt.NDArray[T]]) -> npt.NDArray[T]:
        together: npt.NDArray[T] = np.concatenate(arrays)[order]
        return together

    texts = [pool.texts for pool in pools if pool.texts is not None]
    return Candidates(
        live=candidate_live(whole, pools),
        inside=column([pool.inside for pool in pools]),
        words=column([pool.words for pool in pools]),
        texts=column(texts) if texts else None,
        titles=column([pool.titles for pool in pools]),
        near=tuple(column(scores) for scores in zip(*(pool.near for pool in pools), strict=True)),
        exact=tuple(column(scores) for scores in zip(*(pool.exact for pool in pools), strict=True)),
        years=column([pool.years for pool in pools]),
        main_venue=column([pool.main_venue for pool in pools]),
        name_bits=column([pool.name_bits for pool in pools]),
        title_years=np.concatenate([pool.title_years for pool in pools], axis=1),
        matching=sum(pool.matching for pool in pools),
    )


@dataclass(frozen=True, slots=True)
class PooledRetrievers(Retrievers):
    """The retrievers of one query over its candidates."""

    titles: Scores = field(kw_only=True)

    def _title_scores(self) -> Scores:
        return self.titles


class PooledMeaning(Meaning):
    """One query's vector, compared with the candidates where they lie."""

    def __init__(self, candidates: Candidates, place: int, levelled: bool) -> None:
        self._candidates = candidates
        self._place = place
        self._levelled = levelled

    def near(self, count: int, among: Rows, *, every: bool | None = None) -> Scores:
        """Cosines of all candidates, good for choosing among them."""
        return self._candidates.near[self._place].copy()

    def rescore(self, rows: Rows) -> Scores:
        """Cosines of `rows`, over all dimensions."""
        return self._candidates.exact[self._place][rows]

    def centre(self, rows: Rows, weights: npt.NDArray[np.float64]) -> Meaning:
        """Nearness to the middle of `rows` (ascending), each counted by its weight in [0, 1]."""
        live = self._candidates.live
        sums = [total for total in live.shards.ask("centre", live.places[rows], weights) if len(total)]
        # Whole numbers: their sum is the same in whatever order.
        total = np.sum(sums, axis=0)
        length = float(np.linalg.norm(total)) or 1.0
        return _Centre(live, MeaningRequest((total / length).astype(np.float32), self._levelled, every=True))


class _Centre(Meaning):
    """The middle of the first papers."""

    def __init__(self, live: CandidateLive, request: MeaningRequest) -> None:
        self._candidate_live = live
        self._request = request

    def rescore(self, rows: Rows) -> Scores:
        """Cosines of `rows`, over all dimensions."""
        live = self._candidate_live
        return live.shards.gathered("rescored", live.places[rows], np.dtype(np.float32), self._request)


class ShardCoverage(WordCoverage):
    """How well each word of a query is met, seen where the papers lie."""

    def __init__(self, shards: ShardQuery) -> None:
        self._shards = shards

    def scores(self, live: LiveRows, terms: Sequence[Term], idfs: Sequence[float], rows: Rows) -> Scores | None:
        """One number a row of `rows` (ascending); `None` when no term occurs anywhere."""
        assert isinstance(live, CandidateLive)
        if not any(idf * term.weight for term, idf in zip(terms, idfs, strict=True)) or not len(rows):
            return None
        request = CoverageRequest(tuple(terms), tuple(idfs))
        return self._shards.gathered("coverage", live.places[rows], np.dtype(np.float32), request)


class PooledTexts(FullTexts):
    """The scores of the candidates by their full texts."""

    def __init__(self, scores: Scores) -> None:
        self._scores = scores

    def scores(self, terms: Sequence[Term]) -> Scores:
        """One number a candidate."""
        return self._scores


def numbered_rare(rare: RareWords, live: CandidateLive) -> RareWords:
    """`rare` with its papers as candidates."""
    return RareWords(tuple(RareWord(live.numbered(word.holders)[0], word.idf, word.points) for word in rare.words))


def numbered_works(works: NamedWorks | None, live: CandidateLive) -> NamedWorks | None:
    """`works` as candidates."""
    if works is None:
        return None
    rows, present = live.numbered(works.rows)
    return NamedWorks(rows, tuple(np.array(works.points)[present].tolist()))


def name_priors(candidates: Candidates, terms: Sequence[Term], scored: Scored, pool: Rows) -> tuple[PaperPrior, ...]:
    """What speaks for papers of the `pool` that bear a name which `terms` hold in full."""
    rarity = rarity_of(terms, scored.idfs)
    if not rarity:
        return ()
    bits = candidates.name_bits[pool]
    years = {pattern: _by_year(candidates, pattern) for pattern in np.flatnonzero(np.bincount(bits)).tolist()}
    new = pool[first_of_their_kind(bits, candidates.years[pool], years)]
    live = candidates.live
    answers = live.shards.ask_rows("names", live.places[new]) if len(new) else []
    named = [(int(np.searchsorted(live.places, row)), name) for answer in answers for row, name in answer]
    return name_prior(rarity, named, pool)


def _by_year(candidates: Candidates, pattern: int) -> npt.NDArray[np.int64]:
    """By year, how many titles of the library hold all words of `pattern`."""
    bits, years, counts = candidates.title_years
    chosen = ((bits & pattern) == pattern) & (years > 0)
    by_year = np.zeros(int(years.max(initial=0)) + 1, np.int64)
    np.add.at(by_year, years[chosen], counts[chosen])
    return by_year
