"""Interprets a query by its kind: the words to score by BM25 and by meaning, and their weights."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from litterm.core.errors import UsageError
from litterm.model.attribution.citation import Excerpt, WeightedWord
from litterm.search.query.query_terms import (
    PLAIN_WEIGHT,
    PLAIN_WORDS,
    QueryTerms,
    add_derived_words,
    build_query_terms,
    weaken_plain_words,
    weighted_terms,
)
from litterm.search.signals.bm25 import Term
from litterm.search.signals.named_papers import MAX_NAME_WORDS
from litterm.search.signals.unknown_words import MAX_TYPED_WORDS
from litterm.text.queries.parser import free_text
from litterm.text.queries.query_kind import BROAD_SCREEN_PAPERS, first_screen_papers, guess_kind
from litterm.text.queries.topic_words import remove_request, topic_words
from litterm.text.tokens import STOP_WORDS, fold, words

if TYPE_CHECKING:
    from litterm.interfaces import WordFrequencies
    from litterm.model.search import Query, QueryKind

ReadExcerpt = Callable[[str], Excerpt]
"""Reads the words around a masked citation; raises `UsageError` for a text without one."""


@dataclass(frozen=True, slots=True)
class InterpretedQuery:
    """A query with its kind and its words."""

    kind: QueryKind
    query_terms: QueryTerms
    """Scored by BM25."""
    semantic_words: tuple[WeightedWord, ...]
    """Scored by meaning."""
    first_screen: int
    """Number of papers on the first screen."""
    by_title: bool = False
    """Whether titles are scored separately, too: keywords and sentences around a citation often quote a title; the
    words of a question match titles that share one of them (dev: R@5 falls 8 to 28 points at any weight over .15)."""
    few_words: bool = False
    """Whether the query is a few keywords: it may be the name of a paper, and bare titles are near to it in meaning."""
    is_statement: bool = False
    """Whether the query was typed as keywords but is a sentence or a heading: longer than a name, with words such as
    "of" or "is", which a list of keywords does without."""
    by_word: bool = True
    """Whether each word should be matched: in a request, but not in a whole abstract of `like:`."""
    extra_words: tuple[WeightedWord, ...] = ()
    """Words typed beside `like:`; scored separately, since in the vector of a whole abstract they would be lost
    (CSFCube, a paper and one of its facets: MAP 40.4 together, 41.7 separately)."""


def interpret_query(
    query: Query,
    parts: Sequence[WordFrequencies],
    *,
    excerpt: ReadExcerpt | None,
    texts: Sequence[tuple[str, str]] = (),
    bodies: Callable[[], Sequence[WordFrequencies]] = lambda: (),
) -> InterpretedQuery:
    """Interprets `query` by its stated or guessed kind; `texts` are titles and abstracts of the papers of `like:`.

    The last word is completed from `parts`, or else from `bodies`, the full texts.
    """
    interpreted = _interpret_words(query, parts, excerpt, texts, bodies)
    # A pasted text has enough words that the library knows.
    if not interpreted.by_word or interpreted.kind == "excerpt" or len(interpreted.query_terms.terms) > MAX_TYPED_WORDS:
        return interpreted
    weakened = weaken_plain_words(interpreted.query_terms)
    if weakened is not interpreted.query_terms:
        interpreted = replace(interpreted, semantic_words=_weaken_words(interpreted.semantic_words))
    return replace(interpreted, query_terms=add_derived_words(weakened))


def _weaken_words(meant_words: Sequence[WeightedWord]) -> tuple[WeightedWord, ...]:
    return tuple(
        replace(word, weight=word.weight * PLAIN_WEIGHT) if fold(word.word) in PLAIN_WORDS else word
        for word in meant_words
    )


def _interpret_words(
    query: Query,
    parts: Sequence[WordFrequencies],
    excerpt: ReadExcerpt | None,
    texts: Sequence[tuple[str, str]],
    bodies: Callable[[], Sequence[WordFrequencies]],
) -> InterpretedQuery:
    """Interprets `query`; words derived from its words are not added yet."""
    text = free_text(query)
    kind: QueryKind = "paper" if query.like else query.kind or guess_kind(text)
    first = first_screen_papers(text, kind)
    # Words that only ask for literature would match papers about papers: they are removed.
    if query.kind is None and kind in ("keywords", "question") and (topic := remove_request(text)) != text:
        meant_words = with_unit_weight(topic_words([topic]))
        return InterpretedQuery("question", weighted_terms(meant_words), meant_words, BROAD_SCREEN_PAPERS)
    if kind == "keywords":
        query_terms = build_query_terms(query, parts, bodies)
        return InterpretedQuery(
            kind,
            query_terms,
            with_unit_weight((*query.words, query.unfinished)),
            first,
            by_title=True,
            few_words=True,
            is_statement=_is_statement(query, query_terms),
        )
    meant_words = _excerpt_words(text, excerpt) if kind == "excerpt" else ()
    if texts:
        meant_words, typed = _words_of_texts(texts), with_unit_weight(topic_words((*query.words, query.unfinished)))
        return InterpretedQuery(
            kind,
            _damp_weights((*meant_words, *_unseen_words(typed, meant_words))),
            meant_words,
            first,
            by_word=False,
            extra_words=typed,
        )
    # An excerpt that cannot be parsed is read as a question.
    meant_words = meant_words or with_unit_weight(topic_words((*query.words, query.unfinished)))
    return InterpretedQuery(kind, weighted_terms(meant_words), meant_words, first, by_title=kind == "excerpt")


def _is_statement(query: Query, query_terms: QueryTerms) -> bool:
    # A user who marks a query as keywords means keywords.
    guessed = query.kind is None
    return guessed and len(query_terms.terms) > MAX_NAME_WORDS and any(fold(word) in STOP_WORDS for word in query.words)


def _words_of_texts(texts: Sequence[tuple[str, str]]) -> tuple[WeightedWord, ...]:
    """All words of the papers of `like:`; in an abstract even "we propose" is a useful word."""
    return with_unit_weight([word for title, abstract in texts for word in words(f"{title} {abstract}")])


def _damp_weights(typed_words: Sequence[WeightedWord]) -> QueryTerms:
    """One term a stem; a word that occurs n times weighs 1 + ln n, as in the vector of a paper."""
    query_terms = weighted_terms(typed_words)
    terms = tuple(Term(term.stems, 1 + math.log(max(term.weight, 1.0))) for term in query_terms.terms)
    return QueryTerms(terms, query_terms.names, query_terms.completions)


def _unseen_words(typed: Sequence[WeightedWord], known_words: Sequence[WeightedWord]) -> list[WeightedWord]:
    known = {word.word for word in known_words}
    return [word for word in typed if word.word not in known]


def with_unit_weight(words: Sequence[str]) -> tuple[WeightedWord, ...]:
    """`words` with weight 1."""
    return tuple(WeightedWord(word, 1.0) for word in words if word)


def _excerpt_words(text: str, excerpt: ReadExcerpt | None) -> tuple[WeightedWord, ...]:
    if excerpt is None:
        return ()
    try:
        return excerpt(text).words
    except UsageError:
        return ()
