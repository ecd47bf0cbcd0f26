"""The default ranking: BM25 of words and titles plus nearness in meaning; no network, no language model.

One set of weights serves every kind of query. None was learned from a single task: weights fitted to citations or
reading lists triple the score of that task and cost questions 10 to 20 points.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

import numpy as np

from litterm.interfaces import CitedPapers, Library, WordFrequencies
from litterm.model.paper import Paper, PaperId
from litterm.model.search import Facet, Filters, Query, RankedPaper, Ranking, SortOrder, WordSources
from litterm.search.candidate_pool import CandidateRows, Retrievers
from litterm.search.filters.conditions import can_match_without_words
from litterm.search.hybrid_matches import HybridMatches, select_rows, to_ranked_papers
from litterm.search.load_papers import load_papers
from litterm.search.notices import SearchOutcome, search_notices, suggest_query
from litterm.search.query.interpret import InterpretedQuery, ReadExcerpt, interpret_query, with_unit_weight
from litterm.search.query.query_terms import add_usual_spellings, replace_unknown_words
from litterm.search.search_weights import DEFAULT
from litterm.search.searchable import LibraryState, SearchableLibrary, drop_named, restrict_rows
from litterm.search.signals.bm25 import Term, TermCounts, TermScores, count_terms, score_with_counts
from litterm.search.signals.coverage import WordCoverage
from litterm.search.signals.fulltext_field import FullTextCache
from litterm.search.signals.fusion import PaperPrior, fuse
from litterm.search.signals.known_item import known_item_priors
from litterm.search.signals.known_words import known_idf_share, word_sources
from litterm.search.signals.named_works import NamedWorks, find_named_works
from litterm.search.signals.priors import paper_priors, unlike_prior
from litterm.search.signals.rare_words import FullTextLookup, find_rare_words, max_rare_holders
from litterm.search.signals.semantic import SemanticQuery, count_without_vectors, open_semantic_query
from litterm.search.signals.unknown_words import MAX_TYPED_WORDS
from litterm.text.queries.topic_words import topic_words

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.library.index.reader import IndexReader
    from litterm.library.index.static_embeddings import StaticModel
    from litterm.search.filters.filters import PapersByTag
    from litterm.search.open_index import LiveRows, Mask, Rows
    from litterm.search.query.query_terms import QueryTerms

METHOD_NAME = "hybrid"
WORDS_ONLY_METHOD = "bm25"


class FullTextVocabulary(FullTextLookup, Protocol):
    """The words of the full texts of a library."""

    @property
    def words(self) -> Sequence[WordFrequencies]:
        """The stems of each segment's texts."""
        ...


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
    ) -> None:
        """`excerpt` reads a text with a masked citation; `paper` gives a paper by id for `like:` and `unlike:`."""
        self._searchable = SearchableLibrary(library, index, tagged=tagged)
        self.weights = DEFAULT
        """Replaced only while weights are tuned."""
        self._embedder = embedder
        self._coverage = WordCoverage(embedder) if embedder is not None else None
        self._excerpt = excerpt
        self._full_text_cache = FullTextCache(index)
        self._paper = paper or (lambda paper_id: library.by_id([paper_id])[0])

    def search(
        self, query: Query, *, k: int, sort: SortOrder = "relevance", within: Collection[PaperId] | None = None
    ) -> Task[Ranking]:
        """The best `k` papers, of those `within` if given; ties by id; never one without any score.

        Without words, everything that passes is listed, the newest first unless `sort` says otherwise.

        Raises:
            UnknownPaper: a paper named by `like:` or `unlike:` does not exist.
        """
        return self._searchable.run_on_snapshot(lambda state: self._search(state, query, k, sort, within))

    def scores(self, query: Query, *, k: int) -> Task[dict[PaperId, float]]:
        """The best `k` papers of `search` with their scores, the best first; reads no record."""
        return self._searchable.run_on_snapshot(lambda state: self._scores(state, query, k))

    def use_citation_counts(self, cited: CitedPapers) -> None:
        """Sets the counts that `cited:` and `sort:citations` use."""
        self._searchable.cited_at_least = cited.papers_cited_at_least
        self._searchable.citation_counts = cited

    def facets(self, query: Query) -> Task[tuple[Facet, ...]]:
        """The years, venues, types and sources of the papers that `search` finds for `query`."""
        return self._searchable.run_on_snapshot(lambda state: self._facets(state, query))

    def _facets(self, state: LibraryState, query: Query) -> Task[tuple[Facet, ...]]:
        from litterm.search.filters.facets import count_facets

        def match(narrowed: Query) -> Task[Rows]:
            return (yield from self._find_matches(state, narrowed, 0, None)).matching_rows()

        return (yield from count_facets(state.live, query, match))

    def _search(
        self, state: LibraryState, query: Query, k: int, sort: SortOrder, within: Collection[PaperId] | None
    ) -> Task[Ranking]:
        matches = yield from self._find_matches(state, query, k, within)
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
        tail = yield from self._unscored_tail(state, matches, len(best), k)
        outcome = SearchOutcome(state.live, *matches.typed, matches.count, len(rows), self._embedder)
        return Ranking(
            query=query,
            papers=(*to_ranked_papers(papers, best, matches, by), *tail),
            found=matches.count,
            by=by,
            hidden=matches.hidden,
            suggestion=suggest_query(query, outcome),
            searched=state.live.count,
            notices=(*matches.notices, *search_notices(query, outcome, order), *self._searchable.order_notices(order)),
            kind=matches.interpreted.kind,
            sources=matches.word_sources,
            first=matches.interpreted.first_screen,
            missing=self._missing_words(state.live, query, *matches.typed) if matches.count else (),
        )

    def _scores(self, state: LibraryState, query: Query, k: int) -> Task[dict[PaperId, float]]:
        matches = yield from self._find_matches(state, query, k, None)
        if matches.fused is None:
            return {}
        rows = select_rows(matches.live, matches, "relevance", k).tolist()
        return dict(zip(matches.live.ids(rows), matches.fused.scores(rows), strict=True))

    def _find_matches(
        self, state: LibraryState, query: Query, k: int, within: Collection[PaperId] | None
    ) -> Task[HybridMatches]:
        live = state.live
        named_works, interpreted_as_typed = self._interpret(live, query)
        counts_as_typed = yield from self._count(live, interpreted_as_typed.query_terms.terms)
        typed = interpreted_as_typed.query_terms, counts_as_typed.frequencies
        # Over all rows that pass the filters, `within` or not: a score must not depend on what else is ranked.
        unrestricted = yield from self._filter_rows(state, query, self._searchable.mask(live, query))
        field = CandidateRows(unrestricted, restrict_rows(live, unrestricted, within))
        interpreted, counts = yield from self._correct_terms(live, interpreted_as_typed, counts_as_typed)
        if not interpreted.query_terms.terms:
            return self._unscored_matches(live, query, interpreted, typed, field.rows)
        scored = score_with_counts(live, interpreted.query_terms.terms, counts)
        retrievers = replace(self._retrievers(live, query, interpreted, scored), named_works=named_works)
        pool = retrievers.build_pool(field, k=k)
        hidden = 0
        # What the filters hide is counted only where they left too few results.
        if pool.found < k and query.filters != Filters():
            unfiltered = yield from self._filter_rows(state, query, live.alive)
            open_field = CandidateRows(unfiltered, restrict_rows(live, unfiltered, within))
            hidden = retrievers.build_pool(open_field, k=k).found - pool.found
        rows_without_words = field.rows[:0]
        if any(map(can_match_without_words, query.conditions)) and pool.found <= len(pool.rows):
            # Papers that operators admit without a word of the query come after all that hold one.
            rows_without_words = np.setdiff1d(field.rows, pool.rows, assume_unique=True)
        return HybridMatches(
            live=live,
            interpreted=interpreted,
            scored=scored,
            typed=typed,
            count=pool.found + len(rows_without_words),
            rows=pool.rows,
            fused=fuse(pool.rows, pool.signals, self._priors(live, query, retrievers, pool.rows)),
            by=METHOD_NAME if retrievers.query_vector is not None else WORDS_ONLY_METHOD,
            word_sources=self._word_sources(interpreted, retrievers.query_vector),
            hidden=hidden,
            notices=tuple(self._vector_notices(live)),
            rows_without_words=rows_without_words,
            matching=pool.matching,
        )

    def _interpret(self, live: LiveRows, query: Query) -> tuple[NamedWorks | None, InterpretedQuery]:
        """The works that the query names by author, if any, and how its other words are read."""
        # Names of authors are not words of titles or abstracts: they are removed before the words are read.
        named_works, remaining_query = find_named_works(live, self._searchable.library, query) or (None, query)
        return named_works, interpret_query(
            remaining_query,
            live.parts,
            excerpt=self._excerpt,
            texts=self._title_abstracts(live, query.like),
            bodies=lambda: self._full_texts(live).words,
        )

    def _unscored_tail(
        self, state: LibraryState, matches: HybridMatches, ranked_count: int, k: int
    ) -> Task[tuple[RankedPaper, ...]]:
        """Papers that operators admit without a word of the query, after the ranked ones, the newest first."""
        if matches.fused is None or not len(matches.rows_without_words) or ranked_count >= k:
            return ()
        rows = yield from self._searchable.first_rows(
            state.live, matches.rows_without_words, "newest", k - ranked_count
        )
        papers = yield from load_papers(state.live, rows, library=self._searchable.library)
        return tuple(RankedPaper(rank, paper, None, "newest") for rank, paper in enumerate(papers, ranked_count + 1))

    def _correct_terms(
        self, live: LiveRows, interpreted: InterpretedQuery, counts: TermCounts
    ) -> Task[tuple[InterpretedQuery, TermCounts]]:
        """The query with corrected words: those unknown to library and model, and those that a few papers misspell."""
        stem_numbers = (
            self._embedder.places([term.stems[0] for term in interpreted.query_terms.terms]) if self._embedder else ()
        )
        unknown_to_model = [stem_number < 0 for stem_number in stem_numbers]
        # A pasted text has enough known words.
        if not any(unknown_to_model) or len(unknown_to_model) > MAX_TYPED_WORDS:
            return interpreted, counts
        unknown_everywhere = [
            # A word that only full texts hold is still a word.
            unknown and not count and not len(self._full_texts(live).holders(term))
            for unknown, count, term in zip(
                unknown_to_model, counts.frequencies, interpreted.query_terms.terms, strict=True
            )
        ]
        max_holders = max_rare_holders(live)
        doubtful_counts = [
            count if unknown and count <= max_holders else 0
            for unknown, count in zip(unknown_to_model, counts.frequencies, strict=True)
        ]
        texts = self._full_texts(live).words if any(unknown_everywhere) else ()
        query_terms = add_usual_spellings(
            replace_unknown_words(interpreted.query_terms, unknown_everywhere, live.parts, texts),
            doubtful_counts,
            live.parts,
        )
        if query_terms is interpreted.query_terms:
            return interpreted, counts
        return replace(interpreted, query_terms=query_terms), (yield from self._count(live, query_terms.terms))

    def _missing_words(
        self, live: LiveRows, query: Query, query_terms: QueryTerms, frequencies: Sequence[int]
    ) -> tuple[str, ...]:
        """The words of a typed query that no title, abstract or full text holds."""
        if len(query_terms.terms) > MAX_TYPED_WORDS:
            return ()
        counted = zip(query_terms.terms, query_terms.names, frequencies, strict=True)
        # A word that is still being typed is in no paper yet.
        unmatched = [(term, name) for term, name, count in counted if not count and name != query.unfinished]
        return tuple(name for term, name in unmatched if not len(self._full_texts(live).holders(term)))

    def _full_texts(self, live: LiveRows) -> FullTextVocabulary:
        return self._full_text_cache.get(live)

    def _count_without_vectors(self, live: LiveRows) -> int:
        return count_without_vectors(live, self._embedder)

    def _count(self, live: LiveRows, terms: Sequence[Term]) -> Task[TermCounts]:
        return count_terms(live, terms)

    def _retrievers(
        self, live: LiveRows, query: Query, interpreted: InterpretedQuery, scored: TermScores
    ) -> Retrievers:
        meaning = open_semantic_query(live, self._embedder, interpreted.semantic_words, levelled=interpreted.few_words)
        extra_meaning = (
            open_semantic_query(live, self._embedder, interpreted.extra_words) if meaning is not None else None
        )
        known, rare = 0.0, None
        if self._embedder is not None:
            terms, weights = interpreted.query_terms.terms, self.weights
            known = known_idf_share(self._embedder, terms, scored.idfs)
            rare = find_rare_words(
                live, terms, scored.frequencies, self._embedder, lambda: self._full_texts(live), weights
            )
        return Retrievers(
            live=live,
            interpreted=interpreted,
            scored=scored,
            query_vector=meaning,
            # Coverage compares words by vectors; without vectors it would only count exact words again.
            coverage=self._coverage if meaning is not None else None,
            full_texts=self._full_text_cache.get(live) if query.in_full_texts else None,
            extra_vector=extra_meaning,
            known_share=known,
            rare_words=rare,
            weights=self.weights,
        )

    def _word_sources(self, interpreted: InterpretedQuery, meaning: SemanticQuery | None) -> WordSources | None:
        if self._embedder is None or meaning is None:
            return None
        return word_sources(self._embedder, interpreted.query_terms, meaning.learned)

    def _priors(self, live: LiveRows, query: Query, retrievers: Retrievers, pool: Rows) -> tuple[PaperPrior, ...]:
        interpreted = retrievers.interpreted
        names = (
            known_item_priors(live, interpreted.query_terms.terms, retrievers.scored.idfs, pool)
            if interpreted.few_words
            else ()
        )
        rare = retrievers.rare_words.priors(pool) if retrievers.rare_words is not None else ()
        works = retrievers.named_works.priors(pool) if retrievers.named_works is not None else ()
        return (*paper_priors(live, query, pool), *names, *works, *rare, *self._unlike_priors(live, query.unlike, pool))

    def _unscored_matches(
        self,
        live: LiveRows,
        query: Query,
        interpreted: InterpretedQuery,
        typed: tuple[QueryTerms, tuple[int, ...]],
        rows: Rows,
    ) -> HybridMatches:
        # There are words, but none is indexed: only a phrase can still select papers.
        nothing_to_find = bool(query.words or query.unfinished) and not query.phrases and not query.conditions
        rows = rows[:0] if nothing_to_find else rows
        nothing = TermScores(np.zeros(0, np.float32), (), ())
        return HybridMatches(live, interpreted, nothing, typed, len(rows), rows, None, WORDS_ONLY_METHOD, 0, ())

    def _filter_rows(self, state: LibraryState, query: Query, mask: Mask | None) -> Task[Rows]:
        """Rows that pass filters, phrases and exclusions, without the papers that the query names."""
        rows = drop_named(state.live, state.live.rows_in(mask), query)
        return (yield from self._searchable.filter_rows(state, query, rows))

    def _title_abstracts(self, live: LiveRows, papers: Sequence[PaperId]) -> list[tuple[str, str]]:
        return [self._title_abstract(live, paper_id) for paper_id in papers]

    def _title_abstract(self, live: LiveRows, paper_id: PaperId) -> tuple[str, str]:
        """Title and abstract, of the row where the library holds the paper, else from the paper lookup."""
        rows = live.alive_rows_of(paper_id)
        if len(rows):
            return self._searchable.library.texts(live.snapshot, live.refs(rows[-1:].tolist()))[0]
        paper = self._paper(paper_id)
        return paper.title, paper.abstract

    def _unlike_priors(self, live: LiveRows, papers: Sequence[PaperId], pool: Rows) -> list[PaperPrior]:
        """The priors against papers similar to `papers`."""
        priors = []
        for paper_id, (title, abstract) in zip(papers, self._title_abstracts(live, papers), strict=True):
            meaning = open_semantic_query(live, self._embedder, with_unit_weight(topic_words([f"{title} {abstract}"])))
            if meaning is not None:
                priors.append(unlike_prior(paper_id, meaning.rescore(pool)))
        return priors

    def _vector_notices(self, live: LiveRows) -> Iterable[str]:
        missing = self._count_without_vectors(live)
        if missing and self._embedder is None:
            yield "Ranked by words alone: there is no semantic model."
        elif missing == live.size:
            yield "Ranked by words alone: this library has no vectors yet; the next import adds them."
        elif missing:
            yield f"{missing:,} papers have no vectors yet and are found by their words alone."
