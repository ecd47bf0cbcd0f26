"""The default ranking: words, words of the title and nearness in meaning, added up; no network, no language model.

One set of weights serves every kind of query. Nothing learned from one task is among them: weights fitted to
citations or reading lists triple their own task's score and cost questions 10 to 20 points.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np

from litterm.interfaces import CitedPapers, Embedder, IndexReader, Library, StemVectors
from litterm.model.paper import Paper, PaperId
from litterm.model.search import Facet, Filters, Query, RankedPaper, Ranking, SortOrder, WordSources, relevant
from litterm.search.candidate_pool import CandidateRows, Retrievers
from litterm.search.conditions import lets_in_without_words
from litterm.search.interpret import InterpretedQuery, ReadExcerpt, plain, read
from litterm.search.lexical import LexicalSearcher
from litterm.search.load_papers import fetched
from litterm.search.notices import REORDERED, Outcome, suggested, told
from litterm.search.query_terms import matched, with_near_words, with_usual_spellings
from litterm.search.search_weights import DEFAULT
from litterm.search.searchable import LibraryState, SearchableLibrary, inside, unnamed
from litterm.search.signals.coverage import WordCoverage
from litterm.search.signals.fulltext_field import HeldTexts
from litterm.search.signals.fusion import FusedScores, PaperPrior, fused
from litterm.search.signals.known_item import named as bearing_the_name
from litterm.search.signals.named_works import named_works
from litterm.search.signals.priors import favours, shunned
from litterm.search.signals.rare_words import rare_from, rare_words
from litterm.search.signals.scores import Scored, score
from litterm.search.signals.semantic import Meaning, open_meaning, without_vectors
from litterm.search.signals.semantic_weight import known_share, word_sources
from litterm.search.signals.unknown_words import MOST_TYPED
from litterm.search.sorting import largest
from litterm.text.queries.topic_words import topic_words

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.model.citation import WeightedWord
    from litterm.search.filters import Tagged
    from litterm.search.open_index import LiveRows, Mask, Rows
    from litterm.search.query_terms import QueryTerms

BY = "hybrid"
BY_WORDS = "bm25"


class WordEmbedder(Embedder, StemVectors, Protocol):
    """Words to a vector, by the vectors of their stems."""


PaperOf = Callable[[PaperId], Paper]


@dataclass(frozen=True, slots=True)
class _Found:
    """What a query finds, before anything is fetched."""

    asked: InterpretedQuery
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
        embedder: WordEmbedder | None,
        excerpt: ReadExcerpt | None = None,
        paper: PaperOf | None = None,
        tagged: Tagged = lambda _tag: (),
    ) -> None:
        """`excerpt` reads text with a citation masked in it; `paper` gives papers sought or shunned the like of."""
        self._ground = SearchableLibrary(library, index, tagged=tagged)
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
        return self._ground.on_a_snapshot(lambda now: self._search(now, query, k, sort, within))

    def scores(self, query: Query, *, k: int) -> Task[dict[PaperId, float]]:
        """As `search` finds them, the best first, with their scores; no record is read."""
        return self._ground.on_a_snapshot(lambda now: self._scores(now, query, k))

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
        self._ground.cited = cited

    def venues(self) -> tuple[tuple[str, int], ...]:
        """What `venue:` can be completed to, with the number of papers, by key."""
        return self._ground.venues()

    def facets(self, query: Query) -> Task[tuple[Facet, ...]]:
        """The years, venues, types and sources of the papers that hold a word of `query`, or pass its filters."""
        return self._ground.on_a_snapshot(lambda now: self._facets(now, query))

    def _facets(self, now: LibraryState, query: Query) -> Task[tuple[Facet, ...]]:
        from litterm.search.facets import facets_of

        want = read(query, now.live.parts, excerpt=self._excerpt).want
        return (yield from facets_of(self._ground, now, query, want))

    def _search(
        self, now: LibraryState, query: Query, k: int, sort: SortOrder, within: Collection[PaperId] | None
    ) -> Task[Ranking]:
        found = yield from self._find(now, query, k, within)
        order = sort if found.fused is not None or sort != "relevance" else "newest"
        if len(found.rest) and order != "relevance":
            # What no score tells apart is put in order together.
            found = replace(found, fused=None, by=order, rows=np.union1d(found.rows, found.rest))
        rows = _to_order(now.live, found, order, k)
        if found.fused is not None and order == "relevance":
            best = rows.tolist()
        else:
            best = yield from self._ground.first(now.live, rows, order, k)
        papers = yield from fetched(now.live, best, library=self._ground.library)
        by = found.by if found.fused is not None else order
        behind = yield from self._behind(now, found, len(best), k)
        outcome = Outcome(now.live, *found.typed, found.count, len(rows))
        return Ranking(
            query=query,
            papers=(*_ranked(papers, best, found, by), *behind),
            found=found.count,
            by=by,
            hidden=found.hidden,
            suggestion=suggested(query, outcome),
            searched=now.live.count,
            notices=(*found.notices, *told(query, outcome, order), *self._ground.told_of(order)),
            kind=found.asked.kind,
            sources=found.sources,
            first=found.asked.first,
            missing=self._missing(now.live, query, *found.typed) if found.count else (),
        )

    def _scores(self, now: LibraryState, query: Query, k: int) -> Task[dict[PaperId, float]]:
        found = yield from self._find(now, query, k, None)
        if found.fused is None:
            return {}
        rows = _to_order(now.live, found, "relevance", k).tolist()
        return dict(zip(now.live.ids(rows), found.fused.scores(rows), strict=True))

    def _find(self, now: LibraryState, query: Query, k: int, within: Collection[PaperId] | None) -> Task[_Found]:
        live = now.live
        named, left = named_works(live, self._ground.library, query) or (None, query)
        read_as = read(
            left,
            live.parts,
            excerpt=self._excerpt,
            texts=self._texts(live, query.like),
            bodies=lambda: self._texts_held.of(live).words,
        )
        typed = read_as.want, (yield from score(live, read_as.want.terms))
        whole = yield from self._allowed(now, query, self._ground.mask(live, query))
        field = CandidateRows(whole, inside(live, whole, within))
        asked, scored = yield from self._mended(live, read_as, typed[1])
        if not asked.want.terms:
            return self._unscored(query, asked, typed, field.rows)
        retrievers = replace(self._retrievers(live, query, asked, scored), named=named)
        pool = retrievers.pool(field, k=k)
        hidden = 0
        if pool.found < k and query.filters != Filters():
            unfiltered = yield from self._allowed(now, query, live.alive)
            open_field = CandidateRows(unfiltered, inside(live, unfiltered, within))
            hidden = retrievers.pool(open_field, k=k).found - pool.found
        rest = field.rows[:0]
        if any(map(lets_in_without_words, query.conditions)) and pool.found <= len(pool.rows):
            rest = np.setdiff1d(field.rows, pool.rows, assume_unique=True)
        return _Found(
            asked=asked,
            scored=scored,
            typed=typed,
            count=pool.found + len(rest),
            rows=pool.rows,
            fused=fused(pool.rows, pool.signals, self._priors(live, query, retrievers, pool.rows)),
            by=BY if retrievers.meaning is not None else BY_WORDS,
            sources=self._sources(asked, retrievers.meaning),
            hidden=hidden,
            notices=tuple(self._told_of_vectors(live)),
            rest=rest,
        )

    def _behind(self, now: LibraryState, found: _Found, ranked: int, k: int) -> Task[tuple[RankedPaper, ...]]:
        """Papers without a word of the query that its operators let in, behind the `ranked`: the newest first."""
        if found.fused is None or not len(found.rest) or ranked >= k:
            return ()
        rows = yield from self._ground.first(now.live, found.rest, "newest", k - ranked)
        papers = yield from fetched(now.live, rows, library=self._ground.library)
        return tuple(RankedPaper(rank, paper, None, "newest") for rank, paper in enumerate(papers, ranked + 1))

    def _mended(self, live: LiveRows, asked: InterpretedQuery, scored: Scored) -> Task[tuple[InterpretedQuery, Scored]]:
        """The same with words near to those that neither a paper here nor the model holds, or that a few misspell."""
        places = self._embedder.places([term.stems[0] for term in asked.want.terms]) if self._embedder else ()
        strange = [place < 0 for place in places]
        if not any(strange) or len(strange) > MOST_TYPED:
            return asked, scored
        unheard = [
            each and not count and not self._texts_held.of(live).scores([term]).any()
            for each, count, term in zip(strange, scored.frequencies, asked.want.terms, strict=True)
        ]
        few = rare_from(live)
        seen = [count if each and count <= few else 0 for each, count in zip(strange, scored.frequencies, strict=True)]
        texts = self._texts_held.of(live).words if any(unheard) else ()
        want = with_usual_spellings(with_near_words(asked.want, unheard, live.parts, texts), seen, live.parts)
        if want is asked.want:
            return asked, scored
        return replace(asked, want=want), (yield from score(live, want.terms))

    def _missing(self, live: LiveRows, query: Query, want: QueryTerms, scored: Scored) -> tuple[str, ...]:
        """The words of a typed query that no title, no abstract and no full text holds."""
        if len(want.terms) > MOST_TYPED:
            return ()
        counted = zip(want.terms, want.names, scored.frequencies, strict=True)
        rare = [(term, name) for term, name, count in counted if not count and name != query.unfinished]
        texts = self._texts_held.of(live) if rare else None
        return tuple(name for term, name in rare if texts is not None and not texts.scores([term]).any())

    def _retrievers(self, live: LiveRows, query: Query, asked: InterpretedQuery, scored: Scored) -> Retrievers:
        meaning = open_meaning(live, self._embedder, asked.meant, levelled=asked.few_words)
        beside = open_meaning(live, self._embedder, asked.beside) if meaning is not None else None
        known, rare = 0.0, None
        if self._embedder is not None:
            terms, weights = asked.want.terms, self.weights
            known = known_share(self._embedder, terms, scored.idfs)
            rare = rare_words(live, terms, scored.frequencies, self._embedder, self._texts_held, weights)
        return Retrievers(
            live=live,
            asked=asked,
            scored=scored,
            meaning=meaning,
            coverage=self._coverage if meaning is not None else None,
            full_texts=self._texts_held.of(live) if query.in_full_texts else None,
            beside=beside,
            known=known,
            rare=rare,
            weights=self.weights,
        )

    def _sources(self, asked: InterpretedQuery, meaning: Meaning | None) -> WordSources | None:
        if self._embedder is None or meaning is None:
            return None
        return word_sources(self._embedder, asked.want, meaning.learned)

    def _priors(self, live: LiveRows, query: Query, found: Retrievers, pool: Rows) -> tuple[PaperPrior, ...]:
        asked = found.asked
        names = bearing_the_name(live, asked.want.terms, found.scored.idfs, pool) if asked.few_words else ()
        rare = found.rare.favours(pool) if found.rare is not None else ()
        works = found.named.favours(pool) if found.named is not None else ()
        return (*favours(live, query, pool), *names, *works, *rare, *self._shunned(live, query.unlike, pool))

    def _unscored(self, query: Query, asked: InterpretedQuery, typed: tuple[QueryTerms, Scored], rows: Rows) -> _Found:
        # Words, but none that is indexed: only a phrase can still tell papers apart.
        nothing_to_find = bool(query.words or query.unfinished) and not query.phrases and not query.conditions
        rows = rows[:0] if nothing_to_find else rows
        return _Found(asked, typed[1], typed, len(rows), rows, None, BY_WORDS, 0, ())

    def _allowed(self, now: LibraryState, query: Query, mask: Mask | None) -> Task[Rows]:
        """Rows that pass filters, phrases and exclusions; a paper whose like is sought tells of itself alone."""
        rows = unnamed(now.live, now.live.rows_in(mask), query)
        return (yield from self._ground.allowed(now, query, rows))

    def _texts(self, live: LiveRows, papers: Sequence[PaperId]) -> list[tuple[str, str]]:
        return [self._text(live, paper_id) for paper_id in papers]

    def _text(self, live: LiveRows, paper_id: PaperId) -> tuple[str, str]:
        """Title and abstract: by the row where the paper is here, else by whoever knows papers of that id."""
        here = live.alive_rows_of(paper_id)
        if len(here):
            return self._ground.library.texts(live.snapshot, live.refs(here[-1:].tolist()))[0]
        paper = self._paper(paper_id)
        return paper.title, paper.abstract

    def _shunned(self, live: LiveRows, papers: Sequence[PaperId], pool: Rows) -> list[PaperPrior]:
        """What speaks against the like of `papers`."""
        priors = []
        for paper_id, (title, abstract) in zip(papers, self._texts(live, papers), strict=True):
            meaning = open_meaning(live, self._embedder, plain(topic_words([f"{title} {abstract}"])))
            if meaning is not None:
                priors.append(shunned(paper_id, meaning.rescore(pool)))
        return priors

    def _told_of_vectors(self, live: LiveRows) -> Iterable[str]:
        missing = without_vectors(live, self._embedder)
        if missing and self._embedder is None:
            yield "Ranked by words alone: there is no semantic model."
        elif missing == live.size:
            yield "Ranked by words alone: this library has no vectors yet; the next import adds them."
        elif missing:
            yield f"{missing:,} papers have no vectors yet and are found by their words alone."


def _to_order(live: LiveRows, found: _Found, order: SortOrder, k: int) -> Rows:
    """The best `k`, the best first; for another order those of the best that are relevant, ascending."""
    if found.fused is None:
        return found.rows
    keys, count = found.fused.keys, k if order == "relevance" else max(k, REORDERED)
    best = np.array(largest(live, found.rows, keys, count), np.int64)
    if order == "relevance":
        return best
    return np.sort(best[: max(k, relevant(keys[np.searchsorted(found.rows, best)].tolist()))])


def _ranked(papers: Sequence[Paper], rows: Sequence[int], found: _Found, by: str) -> tuple[RankedPaper, ...]:
    """`papers`, which stand at `rows`, with what speaks for each."""
    words = [matched(paper, found.asked.want, found.scored) for paper in papers]
    if found.fused is None:
        return tuple(
            RankedPaper(index, paper, None, by, matched=words[index - 1]) for index, paper in enumerate(papers, 1)
        )
    told = zip(papers, found.fused.scores(rows), words, found.fused.whys(rows), strict=True)
    return tuple(
        RankedPaper(index, paper, score, by, matched=held, why=why)
        for index, (paper, score, held, why) in enumerate(told, 1)
    )
