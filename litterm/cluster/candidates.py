"""The candidates of all shards as one small library, on which a query is ranked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from litterm.cluster.requests import CandidateColumns, CoverageRequest
from litterm.cluster.sharded_rows import CandidatePart, PooledRows, build_pooled_rows
from litterm.library.index.vectors import Vectors
from litterm.search.row_source import CandidateRows
from litterm.search.signals.followers import follower_growth
from litterm.search.signals.named_papers import NamedWorks, new_name_mask
from litterm.search.signals.semantic import SemanticQuery
from litterm.search.signals.unknown_words import RareWord, RareWords

if TYPE_CHECKING:
    import numpy.typing as npt

    from litterm.cluster.requests import PoolRequest, ShardPool
    from litterm.cluster.row_source import ShardSearchedRows
    from litterm.cluster.sharded_rows import ShardedRows
    from litterm.cluster.shards import RowQuestion
    from litterm.core.tasks import Task
    from litterm.interfaces.arrays import Column, Hashes
    from litterm.search.open_index import Mask, Rows
    from litterm.search.row_source import Scoring
    from litterm.search.signals.bm25 import Scores
    from litterm.search.signals.named_papers import NamedTitle

T = TypeVar("T", bound=np.generic)


@dataclass(frozen=True, slots=True)
class JoinedPool(CandidateColumns):
    """What the shards gave, joined, in the order of the library."""

    live: PooledRows


class ShardCandidates:
    """Implements `search.row_source.Candidates`: the best papers of every shard by each signal."""

    def __init__(self, rows: ShardSearchedRows, scoring: Scoring, request: PoolRequest, pool: JoinedPool) -> None:
        """`pool` are the answers to `request`, joined."""
        self._rows, self._scoring, self._request, self._pool = rows, scoring, request, pool
        self._names: list[NamedTitle] | None = None
        self._title_words: dict[int, Hashes] = {}
        self.live = pool.live
        self.words, self.texts = pool.words, pool.texts
        living = pool.live.living
        self.in_question = CandidateRows(living, living if scoring.within is None else np.flatnonzero(pool.inside))
        self.nearness = tuple(
            PooledNearness(
                SemanticQuery(pool.live, rows.embedder.name, meaning.vector),
                scores,
                pool.levels if meaning.levelled else None,
            )
            for meaning, scores in zip(request.meanings, pool.near, strict=True)
        )
        self.rare_words = None if scoring.rare_words is None else number_rare_words(scoring.rare_words, pool.live)
        self.encoded: Scores | None = None
        """Shards have no vectors of the user's encoder."""
        self.named_works = None if scoring.named_works is None else number_named_works(scoring.named_works, pool.live)

    @property
    def unseen_count(self) -> int:
        """How many papers hold a word of the query that are no candidates."""
        pool = self._pool
        matching = pool.words > 0 if pool.texts is None else (pool.words > 0) | (pool.texts > 0)
        return pool.matching - int(np.count_nonzero(matching & pool.inside))

    def title_scores(self) -> Scores:
        """BM25 of titles alone, one number a candidate."""
        return self._pool.titles

    def coverage(self, rows: Rows) -> Scores | None:
        """How well each word of the query is met by each of `rows` (ascending); `None` when no word occurs anywhere.

        Which titles begin with a name, and the words of all titles, are asked in the same round.
        """
        terms, idfs = self._scoring.interpreted.query_terms.terms, self._scoring.counts.idfs
        if not any(idf * term.weight for term, idf in zip(terms, idfs, strict=True)) or not len(rows):
            return None
        shards, places = self.live.shards, self.live.library_rows[rows]
        request = CoverageRequest(terms, idfs)
        covered, named, titles = shards.ask_about_rows(
            ("coverage", places, (request,)), self._name_question(), ("title_words", places, ())
        )
        self._title_words = self._by_row(titles, rows)
        self._names = self._number_names(named)
        return shards.spread_values(covered, places, np.dtype(np.float32))

    def new_names(self, stems: Sequence[str], rows: Rows) -> Iterable[NamedTitle]:
        """Those of `rows` whose title begins with a name, and holds the `name_stems` that hardly any had before."""
        if self._names is None:
            self._names = self._number_names(self.live.shards.ask_about_rows(self._name_question())[0])
        wanted = set(rows.tolist())
        return [(row, name) for row, name in self._names if row in wanted]

    def main_venue_mask(self, rows: Rows) -> Mask:
        """A mask over `rows`: papers of the main venues."""
        return self._pool.main_venue[rows]

    def followers(self, rows: Rows, until: int | None) -> Column:
        """How far each of `rows` (ascending) is followed by titles of the year `until` or earlier, else all."""
        shards = self.live.shards
        unread = rows[[row not in self._title_words for row in rows.tolist()]]
        if len(unread):
            answers = shards.ask_about_rows(("title_words", self.live.library_rows[unread], ()))[0]
            self._title_words |= self._by_row(answers, unread)
        listed = [self._title_words[row] for row in rows.tolist()]
        last = max((facts.newest for facts in shards.facts()), default=0) if until is None else until

        def count(pairs: Hashes, pair_places: Rows, years: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
            total: npt.NDArray[np.int64] = np.sum(shards.ask("pair_counts", pairs, pair_places, years), axis=0)
            return total

        words = np.concatenate(listed) if len(listed) else np.empty(0, np.uint32)
        return follower_growth(
            words, np.array([len(of_row) for of_row in listed], np.int64), self._pool.years[rows], last, count
        )

    def without_filters(self) -> Task[ShardCandidates]:
        """The same for the query without its filters, to count what they hide."""
        return self._rows.candidates_without_filters(self._scoring)

    def _by_row(self, answers: Mapping[int, Any], rows: Rows) -> dict[int, Hashes]:
        """The words of the title of each of `rows`, from the answers of the shards that have them."""
        values = self.live.shards.spread_values(answers, self.live.library_rows[rows], np.dtype(object))
        return dict(zip(rows.tolist(), values.tolist(), strict=True))

    def _name_question(self) -> RowQuestion:
        return "names", self.live.library_rows[self._possible_names()], ()

    def _possible_names(self) -> Rows:
        """The candidates whose title may begin with a name in the query, by its words and its year."""
        if not self._request.name_stems:
            return self.live.living[:0]
        bits = self._pool.name_bits
        years = {
            pattern: _count_titles_by_year(self._pool, pattern)
            for pattern in np.flatnonzero(np.bincount(bits)).tolist()
        }
        return np.flatnonzero(new_name_mask(bits, self._pool.years, years))

    def _number_names(self, answers: Mapping[int, Any]) -> list[NamedTitle]:
        places = self.live.library_rows
        return [(int(np.searchsorted(places, row)), name) for answer in answers.values() for row, name in answer]


class PooledNearness:
    """Implements `search.signals.semantic.Nearness` for candidates whose cosines good for choosing are known."""

    def __init__(self, exact: SemanticQuery, near: Scores, levels: Scores | None) -> None:
        """`levels` are what the cosine of each candidate is multiplied by where long and short texts count alike."""
        self._exact, self._near, self._levels = exact, near, levels

    def scan_nearest(self, count: int, among: Rows) -> Scores:
        """Cosines of all candidates, good for choosing among them."""
        return self._near.copy()

    def rescore(self, rows: Rows) -> Scores:
        """Cosines of `rows`, over all dimensions."""
        scores = self._exact.rescore(rows)
        return scores if self._levels is None else scores * self._levels[rows]

    def centroid(self, rows: Rows, weights: npt.NDArray[np.float64]) -> PooledNearness:
        """Nearness to the middle of `rows` (ascending), each counted by its weight in [0, 1]."""
        return PooledNearness(self._exact.centroid(rows, weights), self._near, self._levels)


def join_pools(sharded_rows: ShardedRows, pools: Sequence[ShardPool], embedder: str) -> JoinedPool:
    """The candidates in `pools`, of which there is one at least; their vectors are those of `embedder`."""
    order = np.argsort(np.concatenate([pool.rows for pool in pools]))

    def column(arrays: Sequence[npt.NDArray[T]]) -> npt.NDArray[T]:
        joined: npt.NDArray[T] = np.concatenate(arrays)[order]
        return joined

    texts = [pool.texts for pool in pools if pool.texts is not None]
    codes, scales = column([pool.codes for pool in pools]), column([pool.scales for pool in pools])
    vectors = join_vectors(embedder, codes, scales)
    years = column([pool.years for pool in pools])
    return JoinedPool(
        live=build_pooled_rows(sharded_rows, column([pool.rows for pool in pools]), vectors, CandidatePart(years)),
        inside=column([pool.inside for pool in pools]),
        words=column([pool.words for pool in pools]),
        texts=column(texts) if texts else None,
        titles=column([pool.titles for pool in pools]),
        near=tuple(column(scores) for scores in zip(*(pool.near for pool in pools), strict=True)),
        codes=codes,
        scales=scales,
        levels=column([pool.levels for pool in pools]),
        years=years,
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


def number_rare_words(rare: RareWords, live: PooledRows) -> RareWords:
    """`rare` with its papers as candidates."""
    return RareWords(tuple(RareWord(live.to_candidates(word.holders)[0], word.idf, word.points) for word in rare.words))


def number_named_works(works: NamedWorks, live: PooledRows) -> NamedWorks:
    """`works` as candidates."""
    rows, present = live.to_candidates(works.rows)
    kept = np.flatnonzero(present).tolist()
    return NamedWorks(rows, tuple(works.points[place] for place in kept), tuple(works.reasons[place] for place in kept))


def _count_titles_by_year(pool: JoinedPool, pattern: int) -> npt.NDArray[np.int64]:
    """By year, how many titles of the library hold all words of `pattern`."""
    bits, years, counts = pool.title_years
    chosen = ((bits & pattern) == pattern) & (years > 0)
    by_year = np.zeros(int(years.max(initial=0)) + 1, np.int64)
    np.add.at(by_year, years[chosen], counts[chosen])
    return by_year
