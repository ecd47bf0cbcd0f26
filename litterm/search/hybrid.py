"""The default ranking: BM25 of words and titles plus nearness in meaning; no network, no language model.

One set of weights serves every kind of query. None was learned from a single task: weights fitted to citations or
reading lists triple the score of that task and cost questions 10 to 20 points.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from litterm.model.paper import Paper, PaperId
from litterm.model.search import (
    Facet,
    Filters,
    NamedPaper,
    Query,
    RankedPaper,
    Ranking,
    SortOrder,
    WordSources,
    count_relevant,
)
from litterm.search.candidate_pool import RetrievalPool, Retrievers
from litterm.search.filters.conditions import can_match_without_words
from litterm.search.notices import MAX_REORDERED, SearchOutcome, search_notices, suggest_query
from litterm.search.open_index import load_papers
from litterm.search.query.interpret import InterpretedQuery, ReadExcerpt, interpret_query, with_unit_weight
from litterm.search.query.query_terms import (
    add_usual_spellings,
    find_matched_words,
    replace_unknown_words,
    stems_of_query,
)
from litterm.search.row_source import LocalRows, LocalSource, NeedsAllRows, Scoring, find_query_vector
from litterm.search.search_weights import DEFAULT
from litterm.search.searchable import SearchableLibrary
from litterm.search.signals.bm25 import TermCounts, TermScores
from litterm.search.signals.followers import PRIOR_NAME, add_followers, last_year, least_key
from litterm.search.signals.fusion import PaperPrior, fuse
from litterm.search.signals.named_papers import NamedWorks, find_named_works, idf_by_stem, name_prior
from litterm.search.signals.paper_names import join_named_works, whole_names
from litterm.search.signals.priors import paper_priors, unlike_prior
from litterm.search.signals.semantic import SemanticQuery
from litterm.search.signals.unknown_words import (
    MAX_TYPED_WORDS,
    find_rare_words,
    known_idf_share,
    max_rare_holders,
    word_sources,
)
from litterm.search.sort_order import top_rows
from litterm.text.queries.parser import free_text
from litterm.text.queries.topic_words import topic_words

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.interfaces import CitedPapers, Library
    from litterm.library.encoder.paper_encoder import PaperEncoder
    from litterm.library.index.reader import IndexReader
    from litterm.library.index.static_embeddings import StaticModel
    from litterm.search.filters.filters import PapersByTag
    from litterm.search.open_index import LiveRows, Mask, Rows
    from litterm.search.query.query_terms import QueryTerms
    from litterm.search.row_source import RowSource, SearchedRows
    from litterm.search.signals.citing_words import CitingWords
    from litterm.search.signals.fusion import FusedScores
    from litterm.search.signals.paper_names import PaperNames

METHOD_NAME = "hybrid"
WORDS_ONLY_METHOD = "bm25"

PaperLookup = Callable[[PaperId], Paper]


class HybridSearcher:
    """Fits `interfaces.Searcher`; safe from any thread.

    Without vectors it ranks by words alone, and says so.
    """

    name = METHOD_NAME

    def __init__(
        self,
        library: Library,
        index: IndexReader,
        *,
        embedder: StaticModel | None,
        excerpt: ReadExcerpt | None = None,
        paper: PaperLookup | None = None,
        tagged: PapersByTag = lambda _tag: (),
        cited: CitedPapers | None = None,
        source: RowSource | None = None,
        names: PaperNames | None = None,
        encoder: PaperEncoder | None = None,
        citing_words: CitingWords | None = None,
    ) -> None:
        """`excerpt` reads a text with a masked citation; `paper` gives a paper by id for `like:` and `unlike:`.

        `cited` has the counts that `cited:` and `sort:citations` use. `source` ranks by relevance in place of `index`,
        which then answers everything else. `names` tell which paper a name in the query stands for. `encoder` is the
        one that the user has set. `citing_words` tell what is said of papers where others cite them.
        """
        cited_at_least = cited.papers_cited_at_least if cited is not None else None
        self._searchable = SearchableLibrary(
            library, index, tagged=tagged, cited_at_least=cited_at_least, citation_counts=cited
        )
        self.weights = DEFAULT
        """Replaced only while weights are tuned."""
        self._embedder = embedder
        self._excerpt = excerpt
        self._paper = paper or (lambda paper_id: library.by_id([paper_id])[0])
        self._here = LocalSource(self._searchable, embedder, encoder)
        self._source = source
        self._names = names
        self._citing_words = citing_words

    def search(
        self, query: Query, *, k: int, sort: SortOrder = "relevance", within: Collection[PaperId] | None = None
    ) -> Task[Ranking]:
        """The best `k` papers, of those `within` if given; ties by id; never one without any score.

        Without words, everything that passes is listed, the newest first unless `sort` says otherwise.

        Raises:
            UnknownPaper: a paper named by `like:` or `unlike:` does not exist.
            ClusterError: the papers are on a cluster, and no shard of it answers.
        """

        def work(searched: SearchedRows) -> Task[Ranking]:
            return self._search(searched, query, k, sort, within)

        if self._source is not None and sort == "relevance":
            with contextlib.suppress(NeedsAllRows):
                return (yield from self._source.rank(query, within, work))
        return (yield from self._here.run(work))

    def scores(self, query: Query, *, k: int) -> Task[dict[PaperId, float]]:
        """The best `k` papers with their scores, the best first; reads no record.

        As `search` scores them, but without points for followers, which whoever calls this weighs by itself.
        """
        return self._here.run(lambda rows: self._scores(rows, query, k))

    def facets(self, query: Query) -> Task[tuple[Facet, ...]]:
        """The years, venues, types and sources of the papers that `search` finds for `query`."""
        return self._here.run(lambda rows: self._facets(rows, query))

    def _facets(self, rows: LocalRows, query: Query) -> Task[tuple[Facet, ...]]:
        from litterm.search.filters.facets import count_facets

        def match(narrowed: Query) -> Task[Rows]:
            return (yield from self._find_matches(rows, narrowed, 0, None)).matching_rows()

        return (yield from count_facets(rows.live, query, match))

    def _search(
        self, searched: SearchedRows, query: Query, k: int, sort: SortOrder, within: Collection[PaperId] | None
    ) -> Task[Ranking]:
        matches = yield from self._find_matches(searched, query, k, within)
        # Without scores there is no relevance: an empty query lists what is newest.
        order = sort if matches.fused is not None or sort != "relevance" else "newest"
        if len(matches.rows_without_words) and order != "relevance":
            # What no score tells apart is put in order together.
            matches = replace(matches, fused=None, by=order, rows=np.union1d(matches.rows, matches.rows_without_words))
        rows = select_rows(matches.live, matches, order, k)
        if matches.fused is not None and order == "relevance":
            best = rows.tolist()
        else:
            best = yield from self._searchable.first_rows(matches.live, rows, order, k)
        papers = yield from load_papers(matches.live, best, library=self._searchable.library)
        by = matches.by if matches.fused is not None else order
        tail = yield from self._unscored_tail(matches, len(best), k)
        live = searched.live
        outcome = SearchOutcome(live, *matches.typed, matches.count, len(rows), self._embedder)
        return Ranking(
            query=query,
            papers=(*_with_names(to_ranked_papers(papers, best, matches, by), matches.named), *tail),
            found=matches.count,
            by=by,
            hidden=matches.hidden,
            suggestion=suggest_query(query, outcome),
            searched=live.count,
            notices=(*matches.notices, *search_notices(query, outcome, order), *self._searchable.order_notices(order)),
            kind=matches.interpreted.kind,
            sources=matches.word_sources,
            first=matches.interpreted.first_screen,
            missing=_missing_words(searched, query, *matches.typed) if matches.count else (),
            names=matches.named,
        )

    def _scores(self, searched: SearchedRows, query: Query, k: int) -> Task[dict[PaperId, float]]:
        matches = yield from self._find_matches(searched, query, k, None)
        if matches.fused is None:
            return {}
        fused = matches.fused.without_prior(PRIOR_NAME)
        rows = select_rows(matches.live, replace(matches, fused=fused), "relevance", k).tolist()
        return dict(zip(matches.live.ids(rows), fused.scores(rows), strict=True))

    def _find_matches(
        self, searched: SearchedRows, query: Query, k: int, within: Collection[PaperId] | None
    ) -> Task[HybridMatches]:
        named_works, as_typed = self._interpret(searched, query)
        typed_counts = yield from searched.count_terms(as_typed)
        typed = as_typed.query_terms, typed_counts.frequencies
        query_terms = self._correct_terms(searched, as_typed.query_terms, typed_counts)
        interpreted, counts = as_typed, typed_counts
        if query_terms is not as_typed.query_terms:
            interpreted = replace(as_typed, query_terms=query_terms)
            counts = yield from searched.count_terms(interpreted)
        if not query_terms.terms:
            rows = yield from searched.passing_rows(query, within)
            return _unscored_matches(searched.live, query, interpreted, typed, rows)
        by_name, named = self._find_names(searched, query, interpreted, counts)
        works = join_named_works(join_named_works(named_works, by_name), self._find_cited(searched, interpreted))
        scoring = self._scoring(searched, query, k, within, interpreted, counts, works)
        retrievers = Retrievers((yield from searched.candidates(scoring)), scoring, self.weights)
        pool = retrievers.build_pool()
        count, hidden = pool.found + retrievers.candidates.unseen_count, 0
        # What the filters hide is counted only where they left too few results.
        if count < k and query.filters != Filters():
            unfiltered = yield from retrievers.candidates.without_filters()
            without_filters = replace(retrievers, candidates=unfiltered)
            hidden = without_filters.count_matching() + unfiltered.unseen_count - count
        return replace(self._matches(searched, retrievers, pool, typed, hidden), named=named)

    def _find_names(
        self, searched: SearchedRows, query: Query, interpreted: InterpretedQuery, counts: TermCounts
    ) -> tuple[NamedWorks | None, tuple[NamedPaper, ...]]:
        """The papers that names in `query` stand for; an excerpt or another paper is no query for a name."""
        if self._names is None or interpreted.kind not in ("keywords", "question"):
            return None, ()
        idfs = {term.stems[0]: idf for term, idf in zip(interpreted.query_terms.terms, counts.idfs, strict=True)}
        return self._names.find(searched.live, free_text(query), idfs)

    def _find_cited(self, searched: SearchedRows, interpreted: InterpretedQuery) -> NamedWorks | None:
        """The papers that others cite with the words of the query."""
        if self._citing_words is None or interpreted.kind not in ("keywords", "question"):
            return None
        stems = (term.stems[0] for term in interpreted.query_terms.terms)
        return self._citing_words.find(searched.live, stems, self.weights.citing_words)

    def _scoring(
        self,
        searched: SearchedRows,
        query: Query,
        k: int,
        within: Collection[PaperId] | None,
        interpreted: InterpretedQuery,
        counts: TermCounts,
        named_works: NamedWorks | None,
    ) -> Scoring:
        known_share, rare_words = 0.0, None
        terms = interpreted.query_terms.terms
        meaning = find_query_vector(searched, self._embedder, interpreted.semantic_words)
        extra = find_query_vector(searched, self._embedder, interpreted.extra_words) if meaning is not None else None
        if self._embedder is not None:
            known_share = known_idf_share(self._embedder, terms, counts.idfs)
            rare_words = find_rare_words(
                searched.live, terms, counts.frequencies, self._embedder, searched.full_texts, self.weights
            )
        return Scoring(
            query=query,
            within=within,
            k=k,
            interpreted=interpreted,
            counts=counts,
            vectors=tuple(vector for vector in (meaning, extra) if vector is not None),
            known_share=known_share,
            rare_words=rare_words,
            named_works=named_works,
        )

    def _matches(
        self,
        searched: SearchedRows,
        retrievers: Retrievers,
        pool: RetrievalPool,
        typed: tuple[QueryTerms, tuple[int, ...]],
        hidden: int,
    ) -> HybridMatches:
        candidates, scoring = retrievers.candidates, retrievers.scoring
        rows_without_words = pool.rows[:0]
        if any(map(can_match_without_words, scoring.query.conditions)) and pool.found <= len(pool.rows):
            # Papers that operators admit without a word of the query come after all that hold one.
            rows_without_words = np.setdiff1d(candidates.in_question.rows, pool.rows, assume_unique=True)
        return HybridMatches(
            live=candidates.live,
            interpreted=scoring.interpreted,
            scored=TermScores(candidates.words, scoring.counts.frequencies, scoring.counts.idfs),
            typed=typed,
            count=pool.found + candidates.unseen_count + len(rows_without_words),
            rows=pool.rows,
            fused=self._fuse(searched, retrievers, pool),
            by=METHOD_NAME if scoring.vectors else WORDS_ONLY_METHOD,
            word_sources=self._word_sources(scoring),
            hidden=hidden,
            notices=(*self._vector_notices(searched), *self._encoder_notices(searched)),
            rows_without_words=rows_without_words,
            matching=pool.matching,
        )

    def _fuse(self, searched: SearchedRows, retrievers: Retrievers, pool: RetrievalPool) -> FusedScores:
        """The scores of the pool; the best of it are scored once more, by what is too slow to ask of all."""
        fused = self._first_scores(searched, retrievers, pool, pool.rows)
        candidates, scoring = retrievers.candidates, retrievers.scoring
        # A rare word says more than any number of followers, and so does a whole paper of `like:`, or an excerpt.
        if scoring.interpreted.kind not in ("question", "keywords") or (
            candidates.rare_words is not None and candidates.rare_words.words
        ):
            return fused
        # Of all candidates, so that no score depends on what else may be returned.
        every = fused if pool.best is pool.rows else self._first_scores(searched, retrievers, pool, pool.best)
        until = last_year(scoring.query)
        return add_followers(
            fused, self.weights.followers, least_key(every), lambda rows: candidates.followers(rows, until)
        )

    def _first_scores(
        self, searched: SearchedRows, retrievers: Retrievers, pool: RetrievalPool, rows: Rows
    ) -> FusedScores:
        """The scores of `rows` by all that is known of every candidate."""
        return fuse(rows, pool.signals, self._priors(searched, retrievers, rows))

    def _interpret(self, searched: SearchedRows, query: Query) -> tuple[NamedWorks | None, InterpretedQuery]:
        """The works that the query names by author, if any, and how its other words are read."""
        live = searched.live
        # Names of authors are not words of titles or abstracts: they are removed before the words are read.
        named_works, remaining_query = find_named_works(live, self._searchable.library, query) or (None, query)
        return named_works, interpret_query(
            remaining_query,
            live.parts,
            excerpt=self._excerpt,
            texts=self._title_abstracts(live, query.like),
            bodies=lambda: searched.full_texts().words,
        )

    def _unscored_tail(self, matches: HybridMatches, ranked_count: int, k: int) -> Task[tuple[RankedPaper, ...]]:
        """Papers that operators admit without a word of the query, after the ranked ones, the newest first."""
        if matches.fused is None or not len(matches.rows_without_words) or ranked_count >= k:
            return ()
        live = matches.live
        rows = yield from self._searchable.first_rows(live, matches.rows_without_words, "newest", k - ranked_count)
        papers = yield from load_papers(live, rows, library=self._searchable.library)
        return tuple(RankedPaper(rank, paper, None, "newest") for rank, paper in enumerate(papers, ranked_count + 1))

    def _correct_terms(self, searched: SearchedRows, typed: QueryTerms, counts: TermCounts) -> QueryTerms:
        """`typed` with corrected words: those unknown to library and model, and those that a few papers misspell.

        The same object where nothing is corrected.
        """
        live = searched.live
        stem_numbers = self._embedder.places([term.stems[0] for term in typed.terms]) if self._embedder else ()
        unknown_to_model = [stem_number < 0 for stem_number in stem_numbers]
        # A pasted text has enough known words.
        if not any(unknown_to_model) or len(unknown_to_model) > MAX_TYPED_WORDS:
            return typed
        unknown_everywhere = [
            # A word that only full texts hold is still a word.
            unknown and not count and not len(searched.full_texts().holders(term))
            for unknown, count, term in zip(unknown_to_model, counts.frequencies, typed.terms, strict=True)
        ]
        max_holders = max_rare_holders(live)
        doubtful_counts = [
            count if unknown and count <= max_holders else 0
            for unknown, count in zip(unknown_to_model, counts.frequencies, strict=True)
        ]
        texts = searched.full_texts().words if any(unknown_everywhere) else ()
        return add_usual_spellings(
            replace_unknown_words(typed, unknown_everywhere, live.parts, texts), doubtful_counts, live.parts
        )

    def _word_sources(self, scoring: Scoring) -> WordSources | None:
        if self._embedder is None or not scoring.vectors:
            return None
        return word_sources(self._embedder, scoring.interpreted.query_terms, scoring.vectors[0].learned)

    def _priors(self, searched: SearchedRows, retrievers: Retrievers, pool: Rows) -> tuple[PaperPrior, ...]:
        candidates, scoring = retrievers.candidates, retrievers.scoring
        interpreted = scoring.interpreted
        years = candidates.live.column("year", pool)
        rarity = idf_by_stem(interpreted.query_terms.terms, scoring.counts.idfs) if interpreted.few_words else {}
        names = name_prior(rarity, candidates.new_names(list(rarity), pool), pool) if rarity else ()
        works = candidates.named_works.priors(pool) if candidates.named_works is not None else ()
        rare = candidates.rare_words.priors(pool) if candidates.rare_words is not None else ()
        unlike = self._unlike_priors(searched, candidates.live, scoring.query.unlike, pool)
        return (*paper_priors(scoring.query, candidates.main_venue_mask(pool), years), *names, *works, *rare, *unlike)

    def _title_abstracts(self, live: LiveRows, papers: Sequence[PaperId]) -> list[tuple[str, str]]:
        return [self._title_abstract(live, paper_id) for paper_id in papers]

    def _title_abstract(self, live: LiveRows, paper_id: PaperId) -> tuple[str, str]:
        """Title and abstract, of the row where the library holds the paper, else from the paper lookup."""
        rows = live.alive_rows_of(paper_id)
        if len(rows):
            return self._searchable.library.texts(live.snapshot, live.refs(rows[-1:].tolist()))[0]
        paper = self._paper(paper_id)
        return paper.title, paper.abstract

    def _unlike_priors(
        self, searched: SearchedRows, live: LiveRows, papers: Sequence[PaperId], pool: Rows
    ) -> list[PaperPrior]:
        """The priors against papers similar to `papers`; `pool` are rows of `live`."""
        priors = []
        for paper_id, (title, abstract) in zip(papers, self._title_abstracts(searched.live, papers), strict=True):
            vector = find_query_vector(searched, self._embedder, with_unit_weight(topic_words([f"{title} {abstract}"])))
            if vector is not None and self._embedder is not None:
                priors.append(
                    unlike_prior(paper_id, SemanticQuery(live, self._embedder.name, vector.vector).rescore(pool))
                )
        return priors

    def _vector_notices(self, searched: SearchedRows) -> Iterable[str]:
        missing = searched.without_vectors
        if not missing:
            return
        if self._embedder is None:
            yield "Ranked by words alone: there is no semantic model."
        elif missing == searched.live.size:
            yield "Ranked by words alone: this library has no vectors yet; the next import adds them."
        else:
            yield f"{missing:,} papers have no vectors yet and are found by their words alone."

    def _encoder_notices(self, searched: SearchedRows) -> Iterable[str]:
        if self._here.encoder is None:
            return ()
        from litterm.search.signals.encoder import encoder_notices

        return encoder_notices(self._here.encoder, searched.live)


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
    named: tuple[NamedPaper, ...] = ()
    """The papers that names in the query stand for."""

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
    stems = stems_of_query(matches.interpreted.query_terms, matches.scored)
    words = [find_matched_words(paper, stems) for paper in papers]
    if matches.fused is None:
        return tuple(
            RankedPaper(index, paper, None, by, matched=words[index - 1]) for index, paper in enumerate(papers, 1)
        )
    ranked_papers = zip(papers, matches.fused.scores(rows), words, matches.fused.explain(rows), strict=True)
    return tuple(
        RankedPaper(index, paper, score, by, matched=matched_words, why=why)
        for index, (paper, score, matched_words, why) in enumerate(ranked_papers, 1)
    )


def _with_names(papers: Iterable[RankedPaper], named: Sequence[NamedPaper]) -> Iterable[RankedPaper]:
    """`papers` with the name that each was asked for by, where it was all that was typed."""
    reasons = whole_names(named)
    return (replace(item, name=reasons[item.paper.id]) if item.paper.id in reasons else item for item in papers)


def _unscored_matches(
    live: LiveRows,
    query: Query,
    interpreted: InterpretedQuery,
    typed: tuple[QueryTerms, tuple[int, ...]],
    rows: Rows,
) -> HybridMatches:
    """All `rows` that pass, of a query without a word to score."""
    # There are words, but none is indexed: only a phrase can still select papers.
    nothing_to_find = bool(query.words or query.unfinished) and not query.phrases and not query.conditions
    rows = rows[:0] if nothing_to_find else rows
    nothing = TermScores(np.zeros(0, np.float32), (), ())
    return HybridMatches(live, interpreted, nothing, typed, len(rows), rows, None, WORDS_ONLY_METHOD, 0, ())


def _missing_words(
    searched: SearchedRows, query: Query, query_terms: QueryTerms, frequencies: Sequence[int]
) -> tuple[str, ...]:
    """The words of a typed query that no title, abstract or full text holds."""
    if len(query_terms.terms) > MAX_TYPED_WORDS:
        return ()
    counted = zip(query_terms.terms, query_terms.names, frequencies, strict=True)
    # A word that is still being typed is in no paper yet.
    unmatched = [(term, name) for term, name, count in counted if not count and name != query.unfinished]
    return tuple(name for term, name in unmatched if not len(searched.full_texts().holders(term)))
