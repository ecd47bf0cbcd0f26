"""The default ranking: the sum of words, title words and nearness in meaning; no network, no language model.

One set of weights serves every kind of query. Nothing learned from one task is among them: weights fitted to
citations or reading lists triple their own task's score and cost questions 10 to 20 points.
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
from litterm.search.filters.conditions import lets_in_without_words
from litterm.search.hybrid_matches import HybridMatches, ranked, rows_to_order
from litterm.search.lexical import LexicalSearcher
from litterm.search.load_papers import load_papers
from litterm.search.notices import Outcome, search_notices, suggested
from litterm.search.query.interpret import InterpretedQuery, ReadExcerpt, plain, read
from litterm.search.query.query_terms import with_near_words, with_usual_spellings
from litterm.search.search_weights import DEFAULT
from litterm.search.searchable import LibraryState, SearchableLibrary, inside, without_named
from litterm.search.signals.coverage import WordCoverage
from litterm.search.signals.fulltext_field import HeldTexts
from litterm.search.signals.fusion import PaperPrior, fused
from litterm.search.signals.known_item import named as bearing_the_name
from litterm.search.signals.named_works import named_works
from litterm.search.signals.priors import paper_priors, unlike_prior
from litterm.search.signals.rare_words import TextHolders, rare_from, rare_words
from litterm.search.signals.scores import Scored, Term, score
from litterm.search.signals.semantic import Meaning, open_meaning, without_vectors
from litterm.search.signals.semantic_weight import known_share, word_sources
from litterm.search.signals.unknown_words import MOST_TYPED
from litterm.text.queries.topic_words import topic_words

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.library.index.reader import IndexReader
    from litterm.library.index.static_embeddings import StaticModel
    from litterm.model.attribution.citation import WeightedWord
    from litterm.search.filters.filters import Tagged
    from litterm.search.open_index import LiveRows, Mask, Rows
    from litterm.search.query.query_terms import QueryTerms

BY = "hybrid"
BY_WORDS = "bm25"


class HeldWords(TextHolders, Protocol):
    """The full texts of a library, as far as their words are looked at."""

    @property
    def words(self) -> Sequence[WordFrequencies]:
        """The stems of each segment's texts."""
        ...


PaperOf = Callable[[PaperId], Paper]


class HybridSearcher:
    """Fits `interfaces.Searcher`, `ScoredSearcher` and `WeightedSearcher`; safe from any thread.

    Without vectors it ranks by words alone, and says so.
    """

    name = BY

    def __init__(
        self,
        library: Library,
        index: IndexReader,
        *,
        embedder: StaticModel | None,
        excerpt: ReadExcerpt | None = None,
        paper: PaperOf | None = None,
        tagged: Tagged = lambda _tag: (),
    ) -> None:
        """`excerpt` reads text with a citation masked in it; `paper` gives papers sought or shunned the like of."""
        self._searchable = SearchableLibrary(library, index, tagged=tagged)
        self.weights = DEFAULT
        """Others only while they are settled."""
        self._words = LexicalSearcher(library, index, tagged=tagged)
        self._embedder = embedder
        self._coverage = WordCoverage(embedder) if embedder is not None else None
        self._excerpt = excerpt
        self._texts_held = HeldTexts(index)
        self._paper = paper or (lambda paper_id: library.by_id([paper_id])[0])

    def search(
        self, query: Query, *, k: int, sort: SortOrder = "relevance", within: Collection[PaperId] | None = None
    ) -> Task[Ranking]:
        """The best `k` papers, of those `within` if given; ties by id; never one that nothing speaks for.

        Without words, everything that passes is listed, the newest first unless `sort` says otherwise.

        Raises:
            UnknownPaper: there is no paper whose like is sought or shunned.
        """
        return self._searchable.on_a_snapshot(lambda state: self._search(state, query, k, sort, within))

    def scores(self, query: Query, *, k: int) -> Task[dict[PaperId, float]]:
        """As `search` finds them, the best first, with their scores; no record is read."""
        return self._searchable.on_a_snapshot(lambda state: self._scores(state, query, k))

    def candidates(
        self,
        words: Sequence[WeightedWord],
        *,
        k: int,
        before: int | None = None,
        exclude: Collection[PaperId] = (),
    ) -> Task[tuple[RankedPaper, ...]]:
        """By words alone: the best `k` papers of the year `before` or earlier, without `exclude`; no zero scores."""
        return self._words.candidates(words, k=k, before=before, exclude=exclude)

    def count_by(self, cited: CitedPapers) -> None:
        """From now on `cited:` and `sort:citations` go by these counts."""
        self._searchable.cited_at_least = cited.papers_cited_at_least
        self._searchable.citation_counts = cited

    def venues(self) -> tuple[tuple[str, int], ...]:
        """What `venue:` can be completed to, with the number of papers, by key."""
        return self._searchable.venues()

    def facets(self, query: Query) -> Task[tuple[Facet, ...]]:
        """The years, venues, types and sources of the papers that hold a word of `query`, or pass its filters."""
        return self._searchable.on_a_snapshot(lambda state: self._facets(state, query))

    def _facets(self, state: LibraryState, query: Query) -> Task[tuple[Facet, ...]]:
        from litterm.search.filters.facets import facets_of

        query_terms = read(query, state.live.parts, excerpt=self._excerpt).query_terms
        return (yield from facets_of(self._searchable, state, query, query_terms))

    def _search(
        self, state: LibraryState, query: Query, k: int, sort: SortOrder, within: Collection[PaperId] | None
    ) -> Task[Ranking]:
        matches = yield from self._find(state, query, k, within)
        # Without scores there is no relevance: an empty query lists what is newest.
        order = sort if matches.fused is not None or sort != "relevance" else "newest"
        if len(matches.rest) and order != "relevance":
            # What no score tells apart is put in order together.
            matches = replace(matches, fused=None, by=order, rows=np.union1d(matches.rows, matches.rest))
        rows = rows_to_order(matches.live, matches, order, k)
        if matches.fused is not None and order == "relevance":
            best = rows.tolist()
        else:
            best = yield from self._searchable.first(matches.live, rows, order, k)
        papers = yield from load_papers(matches.live, best, library=self._searchable.library)
        by = matches.by if matches.fused is not None else order
        behind = yield from self._unscored_tail(state, matches, len(best), k)
        outcome = Outcome(state.live, *matches.typed, matches.count, len(rows))
        return Ranking(
            query=query,
            papers=(*ranked(papers, best, matches, by), *behind),
            found=matches.count,
            by=by,
            hidden=matches.hidden,
            suggestion=suggested(query, outcome),
            searched=state.live.count,
            notices=(*matches.notices, *search_notices(query, outcome, order), *self._searchable.order_notices(order)),
            kind=matches.interpreted.kind,
            sources=matches.sources,
            first=matches.interpreted.first,
            missing=self._missing(state.live, query, *matches.typed) if matches.count else (),
        )

    def _scores(self, state: LibraryState, query: Query, k: int) -> Task[dict[PaperId, float]]:
        matches = yield from self._find(state, query, k, None)
        if matches.fused is None:
            return {}
        rows = rows_to_order(matches.live, matches, "relevance", k).tolist()
        return dict(zip(matches.live.ids(rows), matches.fused.scores(rows), strict=True))

    def _find(
        self, state: LibraryState, query: Query, k: int, within: Collection[PaperId] | None
    ) -> Task[HybridMatches]:
        live = state.live
        # Names of authors are no words of a title or abstract: they are taken out before the words are read.
        works_named, rest_of_query = named_works(live, self._searchable.library, query) or (None, query)
        read_as = read(
            rest_of_query,
            live.parts,
            excerpt=self._excerpt,
            texts=self._texts(live, query.like),
            bodies=lambda: self._full_texts(live).words,
        )
        typed = read_as.query_terms, (yield from self._score(live, read_as.query_terms.terms))
        # By all that filters let through, `within` or not: a score must not depend on what is ranked beside it.
        whole = yield from self._allowed(state, query, self._searchable.mask(live, query))
        field = CandidateRows(whole, inside(live, whole, within))
        interpreted, scored = yield from self._with_corrected_terms(live, read_as, typed[1])
        if not interpreted.query_terms.terms:
            return self._unscored(live, query, interpreted, typed, field.rows)
        retrievers = replace(self._retrievers(live, query, interpreted, scored), named=works_named)
        pool = retrievers.pool(field, k=k)
        hidden = 0
        # How many papers the filters keep out is asked only where they left too little.
        if pool.found < k and query.filters != Filters():
            unfiltered = yield from self._allowed(state, query, live.alive)
            open_field = CandidateRows(unfiltered, inside(live, unfiltered, within))
            hidden = retrievers.pool(open_field, k=k).found - pool.found
        rest = field.rows[:0]
        if any(map(lets_in_without_words, query.conditions)) and pool.found <= len(pool.rows):
            # Where operators let papers in without a word of the query, these follow behind all that a word speaks for.
            rest = np.setdiff1d(field.rows, pool.rows, assume_unique=True)
        return HybridMatches(
            live=live,
            interpreted=interpreted,
            scored=scored,
            typed=typed,
            count=pool.found + len(rest),
            rows=pool.rows,
            fused=fused(pool.rows, pool.signals, self._priors(live, query, retrievers, pool.rows)),
            by=BY if retrievers.meaning is not None else BY_WORDS,
            sources=self._sources(interpreted, retrievers.meaning),
            hidden=hidden,
            notices=tuple(self._vector_notices(live)),
            rest=rest,
        )

    def _unscored_tail(
        self, state: LibraryState, matches: HybridMatches, ranked: int, k: int
    ) -> Task[tuple[RankedPaper, ...]]:
        """Papers without a word of the query that its operators let in, behind the `ranked`: the newest first."""
        if matches.fused is None or not len(matches.rest) or ranked >= k:
            return ()
        rows = yield from self._searchable.first(state.live, matches.rest, "newest", k - ranked)
        papers = yield from load_papers(state.live, rows, library=self._searchable.library)
        return tuple(RankedPaper(rank, paper, None, "newest") for rank, paper in enumerate(papers, ranked + 1))

    def _with_corrected_terms(
        self, live: LiveRows, interpreted: InterpretedQuery, scored: Scored
    ) -> Task[tuple[InterpretedQuery, Scored]]:
        """The same with words near to those that neither a paper here nor the model holds, or that a few misspell."""
        places = (
            self._embedder.places([term.stems[0] for term in interpreted.query_terms.terms]) if self._embedder else ()
        )
        unknown_to_model = [place < 0 for place in places]
        # A pasted text has enough words that are known.
        if not any(unknown_to_model) or len(unknown_to_model) > MOST_TYPED:
            return interpreted, scored
        unknown_everywhere = [
            # A word of full texts alone is a word, however strange to titles and abstracts.
            unknown and not count and not len(self._full_texts(live).holders(term))
            for unknown, count, term in zip(
                unknown_to_model, scored.frequencies, interpreted.query_terms.terms, strict=True
            )
        ]
        few = rare_from(live)
        seen = [
            count if unknown and count <= few else 0
            for unknown, count in zip(unknown_to_model, scored.frequencies, strict=True)
        ]
        texts = self._full_texts(live).words if any(unknown_everywhere) else ()
        query_terms = with_usual_spellings(
            with_near_words(interpreted.query_terms, unknown_everywhere, live.parts, texts), seen, live.parts
        )
        if query_terms is interpreted.query_terms:
            return interpreted, scored
        return replace(interpreted, query_terms=query_terms), (yield from self._score(live, query_terms.terms))

    def _missing(self, live: LiveRows, query: Query, query_terms: QueryTerms, scored: Scored) -> tuple[str, ...]:
        """The words of a typed query that no title, no abstract and no full text holds."""
        if len(query_terms.terms) > MOST_TYPED:
            return ()
        counted = zip(query_terms.terms, query_terms.names, scored.frequencies, strict=True)
        # A word that is not typed to its end yet is in no paper for a while.
        unheard = [(term, name) for term, name, count in counted if not count and name != query.unfinished]
        return tuple(name for term, name in unheard if not len(self._full_texts(live).holders(term)))

    def _full_texts(self, live: LiveRows) -> HeldWords:
        return self._texts_held.of(live)

    def _without_vectors(self, live: LiveRows) -> int:
        return without_vectors(live, self._embedder)

    def _score(self, live: LiveRows, terms: Sequence[Term]) -> Task[Scored]:
        return score(live, terms)

    def _retrievers(self, live: LiveRows, query: Query, interpreted: InterpretedQuery, scored: Scored) -> Retrievers:
        meaning = open_meaning(live, self._embedder, interpreted.meant, levelled=interpreted.few_words)
        beside = open_meaning(live, self._embedder, interpreted.beside) if meaning is not None else None
        known, rare = 0.0, None
        if self._embedder is not None:
            terms, weights = interpreted.query_terms.terms, self.weights
            known = known_share(self._embedder, terms, scored.idfs)
            rare = rare_words(live, terms, scored.frequencies, self._embedder, lambda: self._full_texts(live), weights)
        return Retrievers(
            live=live,
            interpreted=interpreted,
            scored=scored,
            meaning=meaning,
            # Coverage compares words by their vectors; where papers have none it would count exact words a second time.
            coverage=self._coverage if meaning is not None else None,
            full_texts=self._texts_held.of(live) if query.in_full_texts else None,
            beside=beside,
            known=known,
            rare=rare,
            weights=self.weights,
        )

    def _sources(self, interpreted: InterpretedQuery, meaning: Meaning | None) -> WordSources | None:
        if self._embedder is None or meaning is None:
            return None
        return word_sources(self._embedder, interpreted.query_terms, meaning.learned)

    def _priors(self, live: LiveRows, query: Query, retrievers: Retrievers, pool: Rows) -> tuple[PaperPrior, ...]:
        interpreted = retrievers.interpreted
        names = (
            bearing_the_name(live, interpreted.query_terms.terms, retrievers.scored.idfs, pool)
            if interpreted.few_words
            else ()
        )
        rare = retrievers.rare.priors(pool) if retrievers.rare is not None else ()
        works = retrievers.named.priors(pool) if retrievers.named is not None else ()
        return (*paper_priors(live, query, pool), *names, *works, *rare, *self._unlike_priors(live, query.unlike, pool))

    def _unscored(
        self,
        live: LiveRows,
        query: Query,
        interpreted: InterpretedQuery,
        typed: tuple[QueryTerms, Scored],
        rows: Rows,
    ) -> HybridMatches:
        # Words, but none that is indexed: only a phrase can still tell papers apart.
        nothing_to_find = bool(query.words or query.unfinished) and not query.phrases and not query.conditions
        rows = rows[:0] if nothing_to_find else rows
        return HybridMatches(live, interpreted, typed[1], typed, len(rows), rows, None, BY_WORDS, 0, ())

    def _allowed(self, state: LibraryState, query: Query, mask: Mask | None) -> Task[Rows]:
        """Rows that pass filters, phrases and exclusions; a paper whose like is sought tells of itself alone."""
        rows = without_named(state.live, state.live.rows_in(mask), query)
        return (yield from self._searchable.allowed(state, query, rows))

    def _texts(self, live: LiveRows, papers: Sequence[PaperId]) -> list[tuple[str, str]]:
        return [self._text(live, paper_id) for paper_id in papers]

    def _text(self, live: LiveRows, paper_id: PaperId) -> tuple[str, str]:
        """Title and abstract: by the row where the paper is here, else by whoever knows papers of that id."""
        here = live.alive_rows_of(paper_id)
        if len(here):
            return self._searchable.library.texts(live.snapshot, live.refs(here[-1:].tolist()))[0]
        paper = self._paper(paper_id)
        return paper.title, paper.abstract

    def _unlike_priors(self, live: LiveRows, papers: Sequence[PaperId], pool: Rows) -> list[PaperPrior]:
        """What speaks against the like of `papers`."""
        priors = []
        for paper_id, (title, abstract) in zip(papers, self._texts(live, papers), strict=True):
            meaning = open_meaning(live, self._embedder, plain(topic_words([f"{title} {abstract}"])))
            if meaning is not None:
                priors.append(unlike_prior(paper_id, meaning.rescore(pool)))
        return priors

    def _vector_notices(self, live: LiveRows) -> Iterable[str]:
        missing = self._without_vectors(live)
        if missing and self._embedder is None:
            yield "Ranked by words alone: there is no semantic model."
        elif missing == live.size:
            yield "Ranked by words alone: this library has no vectors yet; the next import adds them."
        elif missing:
            yield f"{missing:,} papers have no vectors yet and are found by their words alone."
