"""Interprets a query by its kind: which words are searched, by words and by meaning, and with which weights."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from litterm.core.errors import UsageError
from litterm.model.attribution.citation import Excerpt, WeightedWord
from litterm.search.query.query_terms import QueryTerms, terms_of, weighted_terms
from litterm.search.signals.scores import Term
from litterm.text.queries.parser import free_text
from litterm.text.queries.query_kind import BROAD_SCREEN, first_screen, kind_of
from litterm.text.queries.requests import without_request
from litterm.text.queries.topic_words import topic_words
from litterm.text.tokens import words

if TYPE_CHECKING:
    from litterm.interfaces import WordFrequencies
    from litterm.model.search import Query, QueryKind

ReadExcerpt = Callable[[str], Excerpt]
"""Text to the words around the citation masked in it; raises `UsageError` for text that is none."""


@dataclass(frozen=True, slots=True)
class InterpretedQuery:
    """A query, read."""

    kind: QueryKind
    query_terms: QueryTerms
    """For what goes by words."""
    meant: tuple[WeightedWord, ...]
    """For what goes by meaning."""
    first: int
    """Papers on the first screen."""
    by_title: bool = False
    """Whether titles count once more by themselves: keywords and the sentence around a citation often name one; the
    words of a question find titles that share one of them (dev: R@5 down 8 to 28 points at any weight over .15)."""
    few_words: bool = False
    """Whether a few words stand alone: a paper may be asked for by its name, and bare titles are near to all."""
    by_word: bool = True
    """Whether each word wants to be met: so in a request, not in a whole abstract whose like is sought."""
    beside: tuple[WeightedWord, ...] = ()
    """What was typed beside papers whose like is sought: its meaning counts by itself. Added to that of a whole
    abstract it is lost (CSFCube, a paper and one facet of it: MAP 40.4 together, 41.7 apart)."""


def read(
    query: Query,
    parts: Sequence[WordFrequencies],
    *,
    excerpt: ReadExcerpt | None,
    texts: Sequence[tuple[str, str]] = (),
    bodies: Callable[[], Sequence[WordFrequencies]] = lambda: (),
) -> InterpretedQuery:
    """`query` as it says, or looks; `texts` are titles and abstracts of the papers it seeks the like of.

    `parts` complete its last word, and `bodies`, the full texts, where those do not.
    """
    text = free_text(query)
    kind: QueryKind = "paper" if query.like else query.kind or kind_of(text)
    first = first_screen(text, kind)
    # Words that only ask for literature find papers that talk about papers; a request is about its topic.
    if query.kind is None and kind in ("keywords", "question") and (topic := without_request(text)) != text:
        meant = plain(topic_words([topic]))
        return InterpretedQuery("question", weighted_terms(meant), meant, BROAD_SCREEN)
    if kind == "keywords":
        query_terms = terms_of(query, parts, bodies)
        return InterpretedQuery(
            kind, query_terms, plain((*query.words, query.unfinished)), first, by_title=True, few_words=True
        )
    meant = _excerpt_words(text, excerpt) if kind == "excerpt" else ()
    if texts:
        meant, typed = _whole(texts), plain(topic_words((*query.words, query.unfinished)))
        return InterpretedQuery(kind, _damped((*meant, *_new(typed, meant))), meant, first, by_word=False, beside=typed)
    # An excerpt that cannot be read as one is read as a question.
    meant = meant or plain(topic_words((*query.words, query.unfinished)))
    return InterpretedQuery(kind, weighted_terms(meant), meant, first, by_title=kind == "excerpt")


def _whole(texts: Sequence[tuple[str, str]]) -> tuple[WeightedWord, ...]:
    """All words of papers whose like is sought: beside another abstract, "we propose" is no talk about papers."""
    return plain([word for title, abstract in texts for word in words(f"{title} {abstract}")])


def _damped(typed_words: Sequence[WeightedWord]) -> QueryTerms:
    """One term a stem; what is said n times weighs 1 + ln n, as it does in a paper's vector."""
    query_terms = weighted_terms(typed_words)
    terms = tuple(Term(term.stems, 1 + math.log(max(term.weight, 1.0))) for term in query_terms.terms)
    return QueryTerms(terms, query_terms.names, query_terms.completions)


def _new(typed: Sequence[WeightedWord], known_words: Sequence[WeightedWord]) -> list[WeightedWord]:
    known = {word.word for word in known_words}
    return [word for word in typed if word.word not in known]


def plain(words: Sequence[str]) -> tuple[WeightedWord, ...]:
    """`found` as words of weight 1."""
    return tuple(WeightedWord(word, 1.0) for word in words if word)


def _excerpt_words(text: str, excerpt: ReadExcerpt | None) -> tuple[WeightedWord, ...]:
    if excerpt is None:
        return ()
    try:
        return excerpt(text).words
    except UsageError:
        return ()
