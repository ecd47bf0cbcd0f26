"""Finds candidates for a citation mark by the weighted words around it, each described by features.

No feature uses papers later than the given year, and none rewards a field that a record lacks.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np

from litterm.model.attribution.citation import CandidateBounds, WeightedWord
from litterm.model.search import Filters, RankedPaper, YearRange
from litterm.search.citing_features import citation_columns, paper_columns, same_author_column
from litterm.search.filters.filters import filter_mask
from litterm.search.open_index import intersect_rows, load_papers, newest_year
from litterm.search.query.query_terms import QueryTerms, find_matched_words, stems_of_query, weighted_terms
from litterm.search.row_source import IndexedRows, LibraryRows, LocalSource, find_query_vector
from litterm.search.search_weights import DEFAULT
from litterm.search.searchable import SearchableLibrary
from litterm.search.signals.bm25 import Scores, TermCounts, TermScores, count_terms, score_with_counts, title_scores
from litterm.search.signals.fusion import Signal, best_rows, best_scores, union_rows
from litterm.search.signals.semantic import SemanticQuery, open_semantic_query
from litterm.search.signals.unknown_words import MAX_TYPED_WORDS, RareWords, find_rare_words
from litterm.text.tokens import words as words_of

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.interfaces import Library
    from litterm.interfaces.arrays import Column
    from litterm.library.index.reader import IndexReader
    from litterm.library.index.static_embeddings import StaticModel
    from litterm.library.index.title_author_stats import TitleAuthorIndex
    from litterm.model.paper import PaperId
    from litterm.search.open_index import LiveRows, Rows
    from litterm.search.signals.followers import TitleAuthorIndexes
    from litterm.search.signals.semantic import QueryVector

_WORDS_WEIGHT, _TITLE_WEIGHT, _MEANING_WEIGHT, _COVERAGE_WEIGHT = 1.0, 0.15, 2.0, 1.0
"""About the proportions of plain search, and those the weights of attribution were fitted on."""
_RESCORED_PER_CANDIDATE = 2
"""How many times the size of the pool is looked at by the full vectors."""
_MIN_WEIGHT_NEAR_MARK = 0.5
"""Weight of a word that stands within about twenty words of the mark: a name further off is rather that of another."""
RARE_WEIGHTS = replace(DEFAULT, rare=1.0, rare_full_text=3.0)
"""The feature `rare` of a paper that holds all rare words in title or abstract, or in its full text alone."""
METHOD_NAME, WORDS_ONLY_METHOD = "hybrid", "bm25"


@dataclass(frozen=True, slots=True)
class CitationPool:
    """The candidates of one excerpt that are worth a closer look."""

    features: Mapping[str, Column]
    by: str
    live: LiveRows
    rows: Rows
    """Ascending."""
    query_terms: QueryTerms
    scored: TermScores
    library: Library
    notices: tuple[str, ...] = ()
    """Sentences for the user, about papers that could not be asked about."""

    def ids(self) -> tuple[PaperId, ...]:
        """The id of every candidate."""
        return self.live.ids(self.rows.tolist())

    def papers(self, places: Sequence[int]) -> Task[tuple[RankedPaper, ...]]:
        """The candidates at `places`, in that order, with the words they share with the excerpt."""
        chosen = [int(self.rows[place]) for place in places]
        papers = yield from load_papers(self.live, chosen, library=self.library)
        stems = stems_of_query(self.query_terms, self.scored)
        return tuple(
            RankedPaper(rank, paper, None, self.by, find_matched_words(paper, stems))
            for rank, paper in enumerate(papers, 1)
        )


@dataclass(frozen=True, slots=True)
class ScoredCandidates:
    """The candidates of one excerpt with their scores, before they are described."""

    live: LiveRows
    """What `rows` are rows of."""
    title_indexes: Sequence[TitleAuthorIndex | None]
    """One a part of `live`."""
    rows: Rows
    """Ascending."""
    signals: tuple[Signal, ...]
    """By words, by title and, where there are vectors, by meaning."""
    query_terms: QueryTerms
    scored: TermScores
    rare: RareWords
    named: Rows
    """Those that are candidates whatever their words."""
    citing: Rows
    """The citing paper, where it is known."""
    meaning: SemanticQuery | None
    papers: int
    """How many the library has."""
    newest: int
    """The last year of which it has one; what age is counted from when nobody says a year."""


@dataclass(frozen=True, slots=True)
class CitationRequest:
    """The words around a mark, and which papers may be the cited one."""

    words: Sequence[WeightedWord]
    sequence: Sequence[str]
    """All words of the excerpt in their order."""
    size: int
    """How many candidates are wanted at most."""
    bounds: CandidateBounds
    include: Collection[PaperId]
    """Papers that are candidates whatever their words."""

    @property
    def source_words(self) -> list[WeightedWord]:
        """The words of the title of the citing paper."""
        return [WeightedWord(word, 1.0) for word in words_of(self.bounds.source)]


@dataclass(frozen=True, slots=True)
class ExcerptScoring:
    """What papers are scored by for one excerpt."""

    query_terms: QueryTerms
    counts: TermCounts
    """How many papers hold each term of `query_terms`."""
    vector: QueryVector | None
    """`None` where no paper has a vector, or nothing tells the meaning of the words."""
    rare: RareWords
    """Words near the mark that hardly any paper holds."""


class CitationRows(LibraryRows, Protocol):
    """The papers of one snapshot, for one excerpt: `LocalCitationRows`, or `ShardCitationRows` of a cluster."""

    def count_terms(self, query_terms: QueryTerms) -> Task[TermCounts]:
        """How many papers hold each term."""
        ...

    def candidates(self, scoring: ExcerptScoring) -> ScoredCandidates:
        """The best papers by all signals, those that are candidates whatever their words, and the citing paper."""
        ...

    def look_up_features(self, candidates: ScoredCandidates) -> tuple[Scores | None, TitleAuthorIndexes]:
        """How well each word is met by each candidate (`None` where that is not known), and what counts their titles.

        There is one count of titles for each part of the rows of `candidates`.
        """
        ...


class CitationSource(Protocol):
    """Where the papers are that may be the cited one: `LocalCitationSource`, or `ShardCitationSource` of a cluster."""

    def find(self, request: CitationRequest, work: Callable[[CitationRows], Task[CitationPool]]) -> Task[CitationPool]:
        """The result of `work` on the newest snapshot."""
        ...


class CitationCandidateSearcher:
    """Weighted words around a mark to a pool of candidates; safe from any thread."""

    def __init__(
        self,
        library: Library,
        index: IndexReader,
        *,
        embedder: StaticModel | None,
        source: CitationSource | None = None,
    ) -> None:
        """`source` finds candidates by their words in place of `index`, which then only finds papers by their ids."""
        self._embedder = embedder
        self._here = LocalCitationSource(LocalSource(SearchableLibrary(library, index), embedder))
        self._source = source or self._here

    def pool(
        self,
        words: Sequence[WeightedWord],
        sequence: Sequence[str],
        *,
        size: int,
        bounds: CandidateBounds,
        include: Collection[PaperId] = (),
    ) -> Task[CitationPool]:
        """At most `size` candidates, with features, of the last year of `bounds` or earlier; never the citing paper.

        Those of `include` are among them whatever their words, if they are early enough; the feature `included` is 1
        for them. So are holders of a rare word near the mark that the semantic model does not know, which is most
        likely a name; `rare` is 1 where title or abstract holds all of them, 3 where a full text alone does.
        The feature `same_author` is 1 for those who share an author with the citing paper, `same_topic` is the cosine
        with that paper.
        """
        request = CitationRequest(words, sequence, size, bounds, include)
        return self._source.find(request, lambda rows: self._pool(rows, request))

    def admit(self, ids: Collection[PaperId], *, until: int | None) -> Task[CitationPool]:
        """Those of `ids` that are of the year `until` or earlier, described by nothing."""
        return self._here.run(lambda live: self._admit(live, ids, until))

    def describe_papers(
        self, ids: Collection[PaperId], words: Sequence[WeightedWord], *, until: int | None
    ) -> Task[CitationPool]:
        """Those of `ids` that are of the year `until` or earlier, described by venue, title and nearness to `words`.

        As `pool` describes them, but without what only an excerpt needs.
        """
        return self._here.run(lambda live: self._describe_papers(live, ids, words, until))

    def _admit(self, live: LiveRows, ids: Collection[PaperId], until: int | None) -> Task[CitationPool]:
        rows = intersect_rows(np.unique(live.rows_of(ids)), self._here.citable_rows(live, until))
        # A generator without a step of its own: it is driven like the other ones.
        yield from ()
        return self._plain_pool({}, WORDS_ONLY_METHOD, live, rows)

    def _describe_papers(
        self, live: LiveRows, ids: Collection[PaperId], words: Sequence[WeightedWord], until: int | None
    ) -> Task[CitationPool]:
        allowed = self._here.citable_rows(live, until)
        rows = intersect_rows(np.unique(live.rows_of(ids)), allowed)
        # A generator without a step of its own: it is driven like the other one.
        yield from ()
        year = until if until is not None else newest_year(live)
        features = paper_columns(live, self._here.title_indexes(live), rows, year=year)
        meaning = open_semantic_query(live, self._embedder, words)
        if meaning is not None:
            features["cosine"] = _cosines(meaning, allowed, 1)[rows].astype(np.float64)
        return self._plain_pool(features, METHOD_NAME if meaning is not None else WORDS_ONLY_METHOD, live, rows)

    def _plain_pool(self, features: Mapping[str, Column], by: str, live: LiveRows, rows: Rows) -> CitationPool:
        """A pool made from papers that were named, not found by words."""
        nothing = TermScores(np.zeros(0, np.float32), (), ())
        return CitationPool(features, by, live, rows, QueryTerms((), (), {}), nothing, self._here.library)

    def _pool(self, rows: CitationRows, request: CitationRequest) -> Task[CitationPool]:
        query_terms = weighted_terms(request.words)
        counts = yield from rows.count_terms(query_terms)
        vector = find_query_vector(rows, self._embedder, request.words)
        scoring = ExcerptScoring(query_terms, counts, vector, self._rare(rows, query_terms, counts))
        candidates = rows.candidates(scoring)
        covered, title_indexes = rows.look_up_features(candidates)
        topic = None
        # What the citing paper is about is told by its title where the library does not hold it.
        if vector is not None and self._embedder is not None and not len(candidates.citing):
            source_vector = find_query_vector(rows, self._embedder, request.source_words)
            if source_vector is not None:
                topic = SemanticQuery(candidates.live, self._embedder.name, source_vector.vector)
        pool = self._describe(replace(candidates, title_indexes=title_indexes), request, covered, topic)
        # An empty library has nothing that a vector would be missing of.
        if vector is not None or not rows.live.size:
            return pool
        return replace(pool, notices=(self._vector_notice(rows), *pool.notices))

    def _describe(
        self,
        candidates: ScoredCandidates,
        request: CitationRequest,
        covered: Scores | None,
        source: SemanticQuery | None,
    ) -> CitationPool:
        """The candidates with all features; `covered` says how well they meet each word, `source` what cites them."""
        live, rows, signals = candidates.live, candidates.rows, candidates.signals
        query_terms, scored, meaning = candidates.query_terms, candidates.scored, candidates.meaning
        until = request.bounds.year
        features = {signal.name: signal.points(rows) / signal.weight for signal in signals}
        # Of the candidates only: it is computed for no other row.
        if covered is not None and len(rows):
            signals = (
                *signals,
                Signal("every word", _COVERAGE_WEIGHT, _scatter(covered, rows, live), np.sort(covered)),
            )
        # In the proportions of plain search, which suit papers with an abstract and without one.
        features["text"] = np.sum([signal.points(rows) for signal in signals], axis=0)
        max_score = _max_score(candidates.papers, query_terms, scored)
        features["share"] = scored.scores[rows].astype(np.float64) / max(max_score, 1e-9)
        features["rare"] = sum((prior.points for prior in candidates.rare.priors(rows)), np.zeros(len(rows)))
        features["included"] = np.isin(rows, candidates.named).astype(np.float64)
        if meaning is not None:
            features["cosine"] = signals[2].scores[rows].astype(np.float64)
        year = until if until is not None else candidates.newest
        features |= _in_common(candidates, source)
        features |= citation_columns(live, candidates.title_indexes, rows, query_terms, request.sequence, year=year)
        if until is None:
            # The year of the citation is unknown, so a paper's age counts neither for nor against it.
            features |= {name: np.zeros(len(rows)) for name in ("age", "log_age", "same_year")}
        return CitationPool(
            features,
            METHOD_NAME if meaning is not None else WORDS_ONLY_METHOD,
            live,
            rows,
            query_terms,
            scored,
            self._here.library,
        )

    def _vector_notice(self, rows: CitationRows) -> str:
        """Why meaning has no part in the order."""
        if self._embedder is None:
            return "Ranked without the semantic model, which is not there."
        if rows.without_vectors == rows.live.size:
            return "Ranked without the semantic model: this library has no vectors yet."
        return "Ranked by words alone: the semantic model knows none of the words around the mark."

    def _rare(self, rows: CitationRows, query_terms: QueryTerms, counts: TermCounts) -> RareWords:
        """Words near the mark that hardly any paper holds."""
        if self._embedder is None:
            return RareWords(())
        indices = near_terms(query_terms)
        terms, frequencies = (
            [query_terms.terms[index] for index in indices],
            [counts.frequencies[index] for index in indices],
        )
        return find_rare_words(rows.live, terms, frequencies, self._embedder, rows.full_texts, RARE_WEIGHTS)


class LocalCitationSource:
    """Implements `CitationSource` over the index on this machine."""

    def __init__(self, source: LocalSource) -> None:
        self._source = source

    @property
    def library(self) -> Library:
        """Whose index it is."""
        return self._source.searchable.library

    def find(self, request: CitationRequest, work: Callable[[CitationRows], Task[CitationPool]]) -> Task[CitationPool]:
        """The result of `work` on the newest snapshot."""
        return self._source.searchable.run_on_snapshot(
            lambda state: work(LocalCitationRows(self._source, state, self, request))
        )

    def run(self, work: Callable[[LiveRows], Task[CitationPool]]) -> Task[CitationPool]:
        """The result of `work` on all rows of the newest snapshot."""
        return self._source.searchable.run_on_snapshot(lambda state: work(state.live))

    def title_indexes(self, live: LiveRows) -> tuple[TitleAuthorIndex | None, ...]:
        """Those of the segments of `live`."""
        return self._source.title_indexes(live)

    def citable_rows(self, live: LiveRows, until: int | None, exclude: Collection[PaperId] = ()) -> Rows:
        """The living rows of the year `until` or earlier, without those of `exclude`."""
        return citable_rows(live, self._source.searchable, until, exclude)


@dataclass(frozen=True, slots=True)
class LocalCitationRows(IndexedRows):
    """Implements `CitationRows` over the indexes of the segments."""

    citations: LocalCitationSource
    request: CitationRequest

    def count_terms(self, query_terms: QueryTerms) -> Task[TermCounts]:
        """How many papers hold each term, with the postings of each."""
        return count_terms(self.live, query_terms.terms)

    def candidates(self, scoring: ExcerptScoring) -> ScoredCandidates:
        """The best papers by all signals, those that are candidates whatever their words, and the citing paper."""
        live, request, embedder = self.live, self.request, self.source.embedder
        scored = score_with_counts(live, scoring.query_terms.terms, scoring.counts)
        allowed = self.citations.citable_rows(live, request.bounds.year, request.bounds.exclude)
        titles = title_scores(live, scoring.query_terms.terms, scored.idfs)
        meaning = None
        if embedder is not None and scoring.vector is not None:
            meaning = SemanticQuery(live, embedder.name, scoring.vector.vector)
        cosines = None if meaning is None else _cosines(meaning, allowed, request.size)
        signals = signals_of((scored.scores, titles, cosines), allowed)
        named = intersect_rows(np.unique(live.rows_of(request.include)), allowed)
        best = best_candidates(signals, allowed, request.size)
        return ScoredCandidates(
            live=live,
            title_indexes=self.citations.title_indexes(live),
            rows=union_rows(live.size, best, named, scoring.rare.rows(live, allowed)),
            signals=signals,
            query_terms=scoring.query_terms,
            scored=scored,
            rare=scoring.rare,
            named=named,
            citing=np.unique(live.rows_of(request.bounds.exclude)),
            meaning=meaning,
            papers=live.count,
            newest=newest_year(live),
        )

    def look_up_features(self, candidates: ScoredCandidates) -> tuple[Scores | None, TitleAuthorIndexes]:
        """How well each word is met by each candidate (`None` without vectors), and what counts their titles."""
        coverage = self.source.coverage
        terms, idfs = candidates.query_terms.terms, candidates.scored.idfs
        covered = coverage.scores(self.live, terms, idfs, candidates.rows) if coverage else None
        return covered, candidates.title_indexes


def citable_rows(
    live: LiveRows, searchable: SearchableLibrary, until: int | None, exclude: Collection[PaperId]
) -> Rows:
    """The living rows of the year `until` or earlier, without those of `exclude`."""
    years = (YearRange(None, until),) if until is not None else ()
    mask = filter_mask(live, Filters(years=years), library=searchable.library, tagged=searchable.tagged)
    rows = live.rows_in(mask)
    return rows[~np.isin(rows, live.rows_of(exclude))] if exclude else rows


def near_terms(query_terms: QueryTerms) -> list[int]:
    """The indices of the terms near the mark that may be rare words."""
    indices = [index for index, term in enumerate(query_terms.terms) if term.weight >= _MIN_WEIGHT_NEAR_MARK]
    # The heaviest, which stand nearest to the mark; each may cost a look through the full texts.
    return sorted(indices, key=lambda index: -query_terms.terms[index].weight)[:MAX_TYPED_WORDS]


def signals_of(scores: tuple[Scores, Scores, Scores | None], allowed: Rows) -> tuple[Signal, ...]:
    """The signals of scores by words, by title and by meaning, where there is one; normalised over `allowed` rows."""
    best = [None if of_signal is None else best_scores(of_signal, allowed) for of_signal in scores]
    return signals_with(scores, best)


def signals_with(scores: Sequence[Scores | None], best: Sequence[Scores | None]) -> tuple[Signal, ...]:
    """The signals of `signals_of`, given the `best` allowed scores of each."""
    weights = (("words", _WORDS_WEIGHT), ("title", _TITLE_WEIGHT), ("meaning", _MEANING_WEIGHT))
    return tuple(
        Signal(name, weight, of_signal, best_of_signal)
        for (name, weight), of_signal, best_of_signal in zip(weights, scores, best, strict=True)
        if of_signal is not None and best_of_signal is not None
    )


def closer_count(size: int) -> int:
    """How many rows are compared by their full vectors for a pool of `size`."""
    # A thousand at least: the scan errs by a little, and a small pool must not depend on that.
    return max(_RESCORED_PER_CANDIDATE * size, 1000)


def _cosines(meaning: SemanticQuery, allowed: Rows, size: int) -> Scores:
    """Cosines of all rows, by full vectors for the best of `allowed`, as many as a pool of `size` needs."""
    cosines = meaning.scan()
    closer = best_rows(cosines, allowed, closer_count(size))
    cosines[closer] = meaning.rescore(closer)
    return cosines


def _in_common(candidates: ScoredCandidates, source: SemanticQuery | None) -> Mapping[str, Column]:
    """What candidates share with the citing paper, as far as that is known."""
    live, rows, citing = candidates.live, candidates.rows, candidates.citing
    features = {"same_author": same_author_column(live, candidates.title_indexes, rows, citing)} if len(citing) else {}
    # What the citing paper is about: its vector, or that of its title where the library does not hold it.
    topic = candidates.meaning.centroid(citing, np.ones(len(citing))) if candidates.meaning and len(citing) else source
    return features if topic is None else features | {"same_topic": topic.rescore(rows).astype(np.float64)}


def _scatter(values: Scores, rows: Rows, live: LiveRows) -> Scores:
    """`values` of `rows` as one number a row of the library."""
    scores = np.zeros(live.size, np.float32)
    scores[rows] = values
    return scores


def all_points(signals: Sequence[Signal], rows: Rows) -> Column:
    """The points of `rows` by all signals together."""
    total = np.zeros(len(rows))
    for signal in signals:
        total += signal.points(rows)
    return total


def best_candidates(signals: Sequence[Signal], allowed: Rows, size: int) -> Rows:
    """At most `size` of the `allowed` rows that any signal scores, the best by all of them; ascending."""
    total = all_points(signals, allowed)
    matching = np.zeros(len(allowed), np.bool_)
    for signal in signals:
        matching |= signal.scores[allowed] > 0
    if len(allowed) <= size:
        return allowed[matching]
    places = np.argsort(-total, kind="stable")[:size]
    return np.sort(allowed[places[matching[places]]])


def _max_score(papers: int, query_terms: QueryTerms, scored: TermScores) -> float:
    """What a paper would score that holds every word for certain; words that occur nowhere are as rare as can be."""
    rarest = float(np.log(1 + papers))
    return sum(term.weight * (idf or rarest) for term, idf in zip(query_terms.terms, scored.idfs, strict=True))
