"""The questions that a query will probably ask all shards, so that one round of requests can carry several of them.

A question that was not foreseen costs a round of its own and changes nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from litterm.interfaces import WordFrequencies
from litterm.model.index import MIN_PAPERS_FOR_ANN
from litterm.search.filters.filters import venue_keys
from litterm.search.notices import MAX_RARE_FREQUENCY
from litterm.search.query.spell_checker import MIN_LONG_WORD, max_slips
from litterm.search.signals.unknown_words import MAX_TYPED_WORDS, holder_bounds, max_rare_holders
from litterm.text.tokens import fold

if TYPE_CHECKING:
    from litterm.cluster.requests import Selection
    from litterm.cluster.sharded_rows import ShardedRows
    from litterm.cluster.shards import Request
    from litterm.library.index.static_embeddings import StaticModel
    from litterm.model.attribution.citation import WeightedWord
    from litterm.model.search import Query
    from litterm.search.query.interpret import InterpretedQuery
    from litterm.search.query.query_terms import QueryTerms
    from litterm.search.signals.bm25 import Term


def word_questions(
    live: ShardedRows, interpreted: InterpretedQuery, selection: Selection, vectors: StaticModel
) -> Iterator[Request]:
    """Document frequencies, and the papers that show what words unknown to the model mean in this library."""
    terms = interpreted.query_terms.terms
    if terms:
        yield "frequencies", (terms,)
        if selection.query.in_full_texts:
            yield "text_frequencies", (terms,)
    yield from holder_questions(live, terms, vectors)
    for words in (interpreted.semantic_words, interpreted.extra_words):
        yield from context_questions(live, words, vectors)
    if live.size > MIN_PAPERS_FOR_ANN:
        yield "allowed", (selection,)


def holder_questions(live: ShardedRows, terms: Sequence[Term], vectors: StaticModel) -> Iterator[Request]:
    """Which papers hold each word that the model does not know: if they are few, it is a name."""
    if len(terms) > MAX_TYPED_WORDS:
        return
    for term in _unknown_terms(terms, vectors):
        yield "holders", (term.stems,)
        if live.has_texts:
            yield "text_holders", (term,)


def context_questions(live: ShardedRows, words: Sequence[WeightedWord], vectors: StaticModel) -> Iterator[Request]:
    """The vectors of the papers around words that the model does not know."""
    unknown = vectors.unknown_stems(words) if len(words) <= MAX_TYPED_WORDS else ()
    if unknown:
        yield "contexts", (tuple(dict.fromkeys(unknown)), holder_bounds(live)[1])


def spelling_questions(
    live: ShardedRows, query_terms: QueryTerms, frequencies: Sequence[int], vectors: StaticModel
) -> Iterator[Request]:
    """Words like those that the model does not know and hardly any paper holds; none for most queries."""
    if len(query_terms.terms) > MAX_TYPED_WORDS:
        return
    unknown = set(_unknown_terms(query_terms.terms, vectors))
    for term, name, frequency in zip(query_terms.terms, query_terms.names, frequencies, strict=True):
        if term in unknown and frequency <= max_rare_holders(live) and len(term.stems) == 1:
            yield from _similar_word_questions(fold(name), {1, max_slips(fold(name))})


def notice_questions(
    live: ShardedRows, query: Query, query_terms: QueryTerms, frequencies: Sequence[int]
) -> Iterator[Request]:
    """What the notices of a ranking ask: likely spellings of rare words, and whether there are papers of a venue."""
    for term, name, frequency in zip(query_terms.terms, query_terms.names, frequencies, strict=True):
        word = fold(name)
        if len(query_terms.terms) > MAX_TYPED_WORDS or frequency > MAX_RARE_FREQUENCY:
            continue
        if not frequency and live.has_texts:
            yield "text_holders", (term,)
        if len(term.stems) == 1 and (not frequency or len(word) >= MIN_LONG_WORD):
            yield from _similar_word_questions(word, {max_slips(word)})
    for venue in query.filters.venues:
        yield (
            ("vocabulary", ("papers", "venues"))
            if venue.endswith("*")
            else ("vocabulary", ("papers", "venue_rows", venue_keys((venue,))[0]))
        )


def _similar_word_questions(word: str, slips: set[int]) -> Iterator[Request]:
    # Shorter words, and those with digits, are never corrected.
    if len(word) >= 4 and word.isalpha():
        yield from (
            ("vocabulary", ("papers", WordFrequencies.similar_words.__name__, word, most)) for most in sorted(slips)
        )


def _unknown_terms(terms: Sequence[Term], vectors: StaticModel) -> list[Term]:
    places = vectors.places([term.stems[0] for term in terms]).tolist()
    return [term for term, place in zip(terms, places, strict=True) if place < 0]
