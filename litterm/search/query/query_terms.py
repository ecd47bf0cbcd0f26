"""Turns the words of a query into terms to score, and tells which of them a paper contains."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from litterm.model.attribution.citation import WeightedWord
from litterm.search.query.spell_checker import near_words, usual_spelling
from litterm.search.signals.scores import Scored, Term
from litterm.text.tokens import STOP_WORDS, fold, stem, stem_spans, tokens

if TYPE_CHECKING:
    from litterm.interfaces import WordFrequencies
    from litterm.model.paper import Paper
    from litterm.model.search import Query

_COMPLETIONS = 8
_BEGINNINGS = 64
"""Words that rank what was typed with a star behind it; any word that begins so lets a paper in."""
_LEAST_LETTERS = 4
"""Of a beginning that is looked for in full texts: they hold words for every shorter one."""


@dataclass(frozen=True, slots=True)
class QueryTerms:
    """What to score and how to name it on the screen."""

    terms: tuple[Term, ...]
    names: tuple[str, ...]
    """Per term the word as first typed."""
    completions: Mapping[str, str]
    """Stems of the completed last word, and of words near to one that no paper holds, with the word of each."""


def terms_of(
    query: Query, parts: Sequence[WordFrequencies], texts: Callable[[], Sequence[WordFrequencies]] = lambda: ()
) -> QueryTerms:
    """The stems of `query`, stop words left out; its unfinished word becomes one term of all likely completions.

    `texts` complete what no word of `parts` begins with.
    """
    query_terms = weighted_terms([WeightedWord(word, 1.0) for word in query.words])
    for beginning in query.beginnings:
        query_terms = _with_beginning(query_terms, beginning, parts)
    completions = _completions(fold(query.unfinished), parts, texts) if query.unfinished else {}
    if not completions:
        return query_terms
    known = {**query_terms.completions, **completions}
    return QueryTerms((*query_terms.terms, Term(tuple(completions))), (*query_terms.names, query.unfinished), known)


def _with_beginning(query_terms: QueryTerms, beginning: str, parts: Sequence[WordFrequencies]) -> QueryTerms:
    """`want` and one term of the most frequent words that begin so."""
    # Backwards, so that of several words with one stem the most frequent names it.
    words_by_stem = {stem(word): word for word in reversed(_likely(fold(beginning), parts, _BEGINNINGS))}
    if not words_by_stem:
        return query_terms
    terms, names = (*query_terms.terms, Term(tuple(reversed(words_by_stem)))), (*query_terms.names, beginning)
    return QueryTerms(terms, names, {**query_terms.completions, **words_by_stem})


def weighted_terms(words: Sequence[WeightedWord]) -> QueryTerms:
    """One term a stem, stop words left out; weights of equal stems add up."""
    names: dict[str, str] = {}
    weights: dict[str, float] = {}
    for word in words:
        for start, end, word_stem in stem_spans(word.word):
            name = word.word[start:end]
            if fold(name) not in STOP_WORDS:
                names.setdefault(word_stem, name)
                weights[word_stem] = weights.get(word_stem, 0.0) + word.weight
    return QueryTerms(
        tuple(Term((word_stem,), weight) for word_stem, weight in weights.items()), tuple(names.values()), {}
    )


def with_near_words(
    query_terms: QueryTerms,
    unknown: Sequence[bool],
    parts: Sequence[WordFrequencies],
    texts: Sequence[WordFrequencies] = (),
) -> QueryTerms:
    """`want` with each term of one stem that is `unknown` replaced by the words one slip away, where there are any.

    Words of `texts` stand in where `parts` have none. The same object where nothing is replaced.
    """
    terms, completions = list(query_terms.terms), dict(query_terms.completions)
    for index, (term, name, doubtful) in enumerate(zip(query_terms.terms, query_terms.names, unknown, strict=True)):
        near: tuple[str, ...] = ()
        if doubtful and len(term.stems) == 1:
            near = near_words(fold(name), parts, _COMPLETIONS) or near_words(term.stems[0], texts, _COMPLETIONS)
        if near:
            words_by_stem = {stem(word): word for word in reversed(near)}
            terms[index] = Term(tuple(reversed(words_by_stem)), term.weight)
            completions |= words_by_stem
    return (
        query_terms
        if completions == query_terms.completions
        else QueryTerms(tuple(terms), query_terms.names, completions)
    )


def with_usual_spellings(query_terms: QueryTerms, seen: Sequence[int], parts: Sequence[WordFrequencies]) -> QueryTerms:
    """`want` with the usual spelling beside each word that is only misspelt in a few papers; the same where none is.

    `seen` is how many papers hold each term, 0 for terms that are not in doubt.
    """
    terms, completions = list(query_terms.terms), dict(query_terms.completions)
    for index, (term, name, count) in enumerate(zip(query_terms.terms, query_terms.names, seen, strict=True)):
        usual = usual_spelling(fold(name), parts, seen=count) if count and len(term.stems) == 1 else ""
        if usual:
            terms[index] = Term((*term.stems, stem(usual)), term.weight)
            completions |= {term.stems[0]: name, stem(usual): usual}
    return (
        query_terms
        if completions == query_terms.completions
        else QueryTerms(tuple(terms), query_terms.names, completions)
    )


def _completions(
    prefix: str, parts: Sequence[WordFrequencies], texts: Callable[[], Sequence[WordFrequencies]]
) -> dict[str, str]:
    # One letter starts too many words to mean any of them.
    likely = _likely(prefix, parts) if len(prefix) > 1 else []
    if not likely and len(prefix) >= _LEAST_LETTERS:
        likely = _likely(prefix, texts())
    words_by_stem = {} if prefix in STOP_WORDS else {stem(prefix): prefix}
    for word in likely:
        words_by_stem.setdefault(stem(word), word)
    return words_by_stem


def _likely(prefix: str, parts: Sequence[WordFrequencies], most: int = _COMPLETIONS) -> list[str]:
    """The `most` frequent words that start with `prefix`."""
    counts: Counter[str] = Counter()
    for part in parts:
        # More than are kept, for what is rare in one segment may be frequent in another.
        counts.update(dict(part.expand(prefix, 4 * most)))
    return sorted(counts, key=lambda word: (-counts[word], word))[:most]


def matched(paper: Paper, query_terms: QueryTerms, scored: Scored) -> tuple[tuple[str, int], ...]:
    """Words of the query in title or abstract, as typed, with how often; what weighs most first."""
    counts = Counter(tokens(f"{paper.title} {paper.abstract}"))
    weighed: list[tuple[float, int, str, int]] = []
    for index, (term, name, idf) in enumerate(zip(query_terms.terms, query_terms.names, scored.idfs, strict=True)):
        for word_stem, shown in _shown(term, name, query_terms.completions):
            count = counts[word_stem]
            if count:
                # As BM25 weighs them, without the length: of one paper that is the same for all.
                weighed.append((-idf * count / (count + 1.5), index, shown, count))
    return tuple((shown, count) for _, _, shown, count in sorted(weighed))


def _shown(term: Term, name: str, completions: Mapping[str, str]) -> Iterable[tuple[str, str]]:
    if len(term.stems) == 1:
        return ((term.stems[0], completions.get(term.stems[0], name)),)
    return ((word_stem, completions.get(word_stem, name)) for word_stem in term.stems)
