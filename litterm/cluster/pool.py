"""The candidates of all shards as one small library, on which a query is ranked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from litterm.cluster.requests import CandidateColumns, CoverageRequest
from litterm.cluster.sharded_rows import PooledRows, build_pooled_rows
from litterm.library.index.vectors import Vectors
from litterm.search.candidate_pool import CandidateRows, Retrievers
from litterm.search.signals.coverage import WordCoverage
from litterm.search.signals.fulltext_field import FullTexts
from litterm.search.signals.known_item import idf_by_stem, name_prior, new_name_mask
from litterm.search.signals.named_works import NamedWorks
from litterm.search.signals.rare_words import RareWord, RareWords
from litterm.search.signals.semantic import SemanticQuery, middle_of

if TYPE_CHECKING:
    import numpy.typing as npt

    from litterm.cluster.requests import MeaningRequest, ShardPool
    from litterm.cluster.sharded_rows import ShardedRows
    from litterm.cluster.shards import RowQuestion
    from litterm.search.open_index import LiveRows, Rows
    from litterm.search.signals.bm25 import Scores, Term, TermScores
    from litterm.search.signals.fusion import PaperPrior

T = TypeVar("T", bound=np.generic)


@dataclass(frozen=True, slots=True)
class Candidates(CandidateColumns):
    """What the shards gave, joined, in the order of the library."""

    live: PooledRows

    def rows_in_question(self, within: bool) -> CandidateRows:
        """The candidates as what comes into question; `within` some papers only those `inside` may be found."""
        living = self.live.living
        return CandidateRows(living, np.flatnonzero(self.inside) if within else living)

    @property
    def unseen_count(self) -> int:
        """How many papers a word speaks for that are no candidates."""
        matching = self.words > 0 if self.texts is None else (self.words > 0) | (self.texts > 0)
        return self.matching - int(np.count_nonzero(matching & self.inside))


def join_pools(sharded_rows: ShardedRows, pools: Sequence[ShardPool], embedder: str) -> Candidates:
    """The candidates in `pools`, of which there is one at least; their vectors are those of `embedder`."""
    order = np.argsort(np.concatenate([pool.rows for pool in pools]))

    def column(arrays: Sequence[npt.NDArray[T]]) -> npt.NDArray[T]:
        joined: npt.NDArray[T] = np.concatenate(arrays)[order]
        return joined

    texts = [pool.texts for pool in pools if pool.texts is not None]
    codes, scales = column([pool.codes for pool in pools]), column([pool.scales for pool in pools])
    vectors = join_vectors(embedder, codes, scales)
    return Candidates(
        live=build_pooled_rows(sharded_rows, column([pool.rows for pool in pools]), vectors),
        inside=column([pool.inside for pool in pools]),
        words=column([pool.words for pool in pools]),
        texts=column(texts) if texts else None,
        titles=column([pool.titles for pool in pools]),
        near=tuple(column(scores) for scores in zip(*(pool.near for pool in pools), strict=True)),
        codes=codes,
        scales=scales,
        levels=column([pool.levels for pool in pools]),
        years=column([pool.years for pool in pools]),
        main_venue=column([pool.main_venue for pool in pools]),
        name_bits=column([pool.name_bits for pool in pools]),
        title_years=np.concatenate([pool.title_years for pool in pools], axis=1),
        matching=sum(pool.matching for pool in pools),
    )


def join_vectors(embedder: str, codes: npt.NDArray[np.int8], scales: Scores) -> Vectors:
    """The vectors of candidates as those of one segment, which are looked at over all dimensions only."""
    return Vectors(
        {
            "embedder": np.frombuffer(embedder.encode(), np.uint8),
            "codes": codes,
            "scales": scales,
            "short": np.empty(0, np.float32),
        }
    )


@dataclass(frozen=True, slots=True)
class PooledRetrievers(Retrievers):
    """The retrievers of one query over its candidates."""

    titles: Scores = field(kw_only=True)

    def _title_scores(self) -> Scores:
        return self.titles


class PooledMeaning(SemanticQuery):
    """One query's vector, compared with the vectors of the candidates."""

    def __init__(self, candidates: Candidates, embedder: str, request: MeaningRequest, scores: Scores) -> None:
        """`scores` are cosines of the candidates that are good for choosing among them."""
        super().__init__(candidates.live, embedder, request.vector)
        self._candidates = candidates
        self._embedder = embedder
        self._request = request
        self._near = scores

    def scan_nearest(self, count: int, among: Rows, *, every: bool | None = None) -> Scores:
        """Cosines of all candidates, good for choosing among them."""
        return self._near.copy()

    def rescore(self, rows: Rows) -> Scores:
        """Cosines of `rows`, over all dimensions."""
        scores = super().rescore(rows)
        return scores * self._candidates.levels[rows] if self._request.levelled else scores

    def centroid(self, rows: Rows, weights: npt.NDArray[np.float64]) -> SemanticQuery:
        """Nearness to the middle of `rows` (ascending), each counted by its weight in [0, 1]."""
        vector = middle_of(self._candidates.live, self._embedder, rows, weights)
        return PooledMeaning(self._candidates, self._embedder, replace(self._request, vector=vector), self._near)


class ShardFeatures(WordCoverage):
    """How well each word of a query is met, and the names that titles begin with, asked of the shards in one round."""

    def __init__(self, candidates: Candidates, titles: Rows) -> None:
        """`titles` are the candidates whose names are wanted."""
        self._candidates = candidates
        self._titles = titles
        self._names: list[tuple[int, frozenset[str]]] | None = None

    def scores(self, live: LiveRows, terms: Sequence[Term], idfs: Sequence[float], rows: Rows) -> Scores | None:
        """How well `terms` are met by each of `rows` (ascending); `None` when no term occurs anywhere."""
        if not any(idf * term.weight for term, idf in zip(terms, idfs, strict=True)) or not len(rows):
            return None
        pooled_rows = self._candidates.live
        places, shards = pooled_rows.library_rows[rows], pooled_rows.shards
        request = CoverageRequest(tuple(terms), tuple(idfs))
        covered, named = shards.ask_about_rows(("coverage", places, (request,)), self._name_question())
        self._names = self._number_names(named)
        return shards.spread_values(covered, places, np.dtype(np.float32))

    def names(self) -> list[tuple[int, frozenset[str]]]:
        """Those of the titles that have a name, with the stems of the name."""
        if self._names is None:
            self._names = self._number_names(self._candidates.live.shards.ask_about_rows(self._name_question())[0])
        return self._names

    def _name_question(self) -> RowQuestion:
        return "names", self._candidates.live.library_rows[self._titles], ()

    def _number_names(self, answers: Mapping[int, Any]) -> list[tuple[int, frozenset[str]]]:
        places = self._candidates.live.library_rows
        return [(int(np.searchsorted(places, row)), name) for answer in answers.values() for row, name in answer]


class PooledTexts(FullTexts):
    """The scores of the candidates by their full texts."""

    def __init__(self, scores: Scores) -> None:
        self._scores = scores

    def scores(self, terms: Sequence[Term]) -> Scores:
        """One number a candidate."""
        return self._scores


def number_rare_words(rare: RareWords, live: PooledRows) -> RareWords:
    """`rare` with its papers as candidates."""
    return RareWords(tuple(RareWord(live.to_candidates(word.holders)[0], word.idf, word.points) for word in rare.words))


def number_named_works(works: NamedWorks | None, live: PooledRows) -> NamedWorks | None:
    """`works` as candidates."""
    if works is None:
        return None
    rows, present = live.to_candidates(works.rows)
    return NamedWorks(rows, tuple(np.array(works.points)[present].tolist()))


def possible_names(candidates: Candidates, terms: Sequence[Term], scored: TermScores) -> Rows:
    """The candidates whose title may begin with a name among `terms`, by its words and its year."""
    if not idf_by_stem(terms, scored.idfs):
        return candidates.live.living[:0]
    bits = candidates.name_bits
    years = {
        pattern: _count_titles_by_year(candidates, pattern) for pattern in np.flatnonzero(np.bincount(bits)).tolist()
    }
    return np.flatnonzero(new_name_mask(bits, candidates.years, years))


def name_priors(
    features: ShardFeatures, terms: Sequence[Term], scored: TermScores, pool: Rows
) -> tuple[PaperPrior, ...]:
    """What speaks for papers of the `pool` that bear a name which `terms` hold in full."""
    rarity = idf_by_stem(terms, scored.idfs)
    if not rarity:
        return ()
    pooled = set(pool.tolist())
    return name_prior(rarity, [(row, name) for row, name in features.names() if row in pooled], pool)


def _count_titles_by_year(candidates: Candidates, pattern: int) -> npt.NDArray[np.int64]:
    """By year, how many titles of the library hold all words of `pattern`."""
    bits, years, counts = candidates.title_years
    chosen = ((bits & pattern) == pattern) & (years > 0)
    by_year = np.zeros(int(years.max(initial=0)) + 1, np.int64)
    np.add.at(by_year, years[chosen], counts[chosen])
    return by_year
