"""Converts the words of a query to search terms, and finds those that a paper contains."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from litterm import data
from litterm.model.attribution.citation import WeightedWord
from litterm.search.query.spell_checker import find_near_words, find_usual_spelling
from litterm.search.signals.bm25 import Term, TermScores, stems_of
from litterm.text.tokens import STOP_WORDS, fold, stem, stem_spans, tokens

if TYPE_CHECKING:
    from litterm.interfaces import WordFrequencies
    from litterm.model.paper import Paper
    from litterm.model.search import Query


LETTER_WEIGHT = 0.35
"""Of a single letter beside other words: in "vitamin D" it says much, in a paper with another D nothing. The 279
queries with such a letter of SciFact, RCT, PubMedQA and BioASQ are ranked as well or better with .25 to .5 (SciFact:
nDCG@10 71.5 to 72.1 with .35), and without the letter worse (71.0)."""
PLAIN_WORDS = frozenset(
    "bad badly good better best worse worst great poor poorly nice big huge thing things say says said saying way ways "
    "lot lots make makes making well come comes go goes going take takes put keep keeps turn happen happens really "
    "quite".split()
)
"""Folded words of judgement and of everyday actions, which hardly ever are a topic."""
PLAIN_WEIGHT = 0.35
"""Of such a word beside two others at least: rare in papers, it would pull up by itself whatever holds it ("large
language models are bad at counting"). Of 157 questions with one BioASQ's gains 5 points of MAP, those of citing
sentences 1.5, and Cranfield's four lose 0.8."""
_MIN_OTHER_WORDS = 2
_MAX_COMPLETIONS = 8
_MAX_EXPANSIONS = 64
"""Words that score a prefix with a star (`pars*`); any word with that prefix matches."""
_MIN_PREFIX_CHARS = 4
"""Shorter prefixes are not completed from full texts, which have words for all of them."""


def derived_words(word_stem: str) -> Mapping[str, str]:
    """The other stems of the family of `word_stem`, each with its usual word; mostly empty."""
    return _families().get(word_stem, {})


@lru_cache(maxsize=1)
def _families() -> Mapping[str, Mapping[str, str]]:
    families: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for line in Path(data.__file__).with_name("derived.txt").read_text("utf-8").splitlines():
        if line.startswith("#"):
            continue
        # Of several words with one stem the first, most frequent one names it.
        word_by_stem = {stem(word): word for word in reversed(line.split())}
        for member in word_by_stem:
            families[member] |= {other: word for other, word in word_by_stem.items() if other != member}
    return families


@dataclass(frozen=True, slots=True)
class QueryTerms:
    """Search terms and their names on the screen."""

    terms: tuple[Term, ...]
    names: tuple[str, ...]
    """The word of each term, as typed first."""
    completions: Mapping[str, str]
    """Words by stem, for completions of the last word, corrected words and derived words."""


def build_query_terms(
    query: Query, parts: Sequence[WordFrequencies], texts: Callable[[], Sequence[WordFrequencies]] = lambda: ()
) -> QueryTerms:
    """The terms of `query` without stop words; its unfinished word becomes one term of all likely completions.

    `texts` complete a word that is the beginning of no word of `parts`.
    """
    query_terms = _weaken_letters(weighted_terms([WeightedWord(word, 1.0) for word in query.words]))
    for beginning in query.beginnings:
        query_terms = _add_prefix_term(query_terms, beginning, parts)
    completions = _complete_word(fold(query.unfinished), parts, texts) if query.unfinished else {}
    if not completions:
        return query_terms
    known = {**query_terms.completions, **completions}
    return QueryTerms((*query_terms.terms, Term(tuple(completions))), (*query_terms.names, query.unfinished), known)


def _weaken_letters(query_terms: QueryTerms) -> QueryTerms:
    """`query_terms` with less weight for single letters beside other words."""
    if all(map(_is_letter, query_terms.terms)):
        return query_terms
    terms = (
        replace(term, weight=term.weight * LETTER_WEIGHT) if _is_letter(term) else term for term in query_terms.terms
    )
    return replace(query_terms, terms=tuple(terms))


def weaken_plain_words(query_terms: QueryTerms) -> QueryTerms:
    """`query_terms` with less weight for `PLAIN_WORDS` beside other words."""
    is_plain = [
        # The beginning of a word that is still being typed stands for all its completions.
        len(term.stems) == 1 and fold(name) in PLAIN_WORDS
        for term, name in zip(query_terms.terms, query_terms.names, strict=True)
    ]
    if not any(is_plain) or is_plain.count(False) < _MIN_OTHER_WORDS:
        return query_terms
    terms = (
        replace(term, weight=term.weight * PLAIN_WEIGHT) if plain else term
        for term, plain in zip(query_terms.terms, is_plain, strict=True)
    )
    return replace(query_terms, terms=tuple(terms))


def _is_letter(term: Term) -> bool:
    # Latin letters only: a single Chinese character is a word.
    return len(term.stems[0]) == 1 and term.stems[0].isascii() and term.stems[0].isalpha()


def _add_prefix_term(query_terms: QueryTerms, beginning: str, parts: Sequence[WordFrequencies]) -> QueryTerms:
    """`query_terms` and one term of the most frequent words that start with `beginning`."""
    # Reversed, so that of several words with one stem the most frequent names it.
    words_by_stem = {
        stem(word): word for word in reversed(_frequent_completions(fold(beginning), parts, _MAX_EXPANSIONS))
    }
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


def add_derived_words(query_terms: QueryTerms) -> QueryTerms:
    """`query_terms` with the other words of the family of each term: "stability" for "stable"."""
    asked_for = {word_stem for term in query_terms.terms for word_stem in term.stems}
    terms, completions = [], dict(query_terms.completions)
    for term in query_terms.terms:
        family = derived_words(term.stems[0]) if len(term.stems) == 1 else {}
        # A word that was typed itself counts for itself alone.
        relatives = {word_stem: word for word_stem, word in family.items() if word_stem not in asked_for}
        terms.append(replace(term, derived=tuple(relatives)) if relatives else term)
        completions = {**relatives, **completions}
    return QueryTerms(tuple(terms), query_terms.names, completions)


def replace_unknown_words(
    query_terms: QueryTerms,
    unknown: Sequence[bool],
    parts: Sequence[WordFrequencies],
    texts: Sequence[WordFrequencies] = (),
) -> QueryTerms:
    """`query_terms` with each `unknown` term of one stem replaced by the words one edit away, if there are any.

    Words of `texts` are used where `parts` have none. Returns the same object where nothing is replaced.
    """
    terms, completions = list(query_terms.terms), dict(query_terms.completions)
    for index, (term, name, doubtful) in enumerate(zip(query_terms.terms, query_terms.names, unknown, strict=True)):
        near_words: tuple[str, ...] = ()
        if doubtful and len(term.stems) == 1:
            near_words = find_near_words(fold(name), parts, _MAX_COMPLETIONS) or find_near_words(
                term.stems[0], texts, _MAX_COMPLETIONS
            )
        if near_words:
            words_by_stem = {stem(word): word for word in reversed(near_words)}
            terms[index] = Term(tuple(reversed(words_by_stem)), term.weight)
            completions |= words_by_stem
    return (
        query_terms
        if completions == query_terms.completions
        else QueryTerms(tuple(terms), query_terms.names, completions)
    )


def add_usual_spellings(
    query_terms: QueryTerms, frequencies: Sequence[int], parts: Sequence[WordFrequencies]
) -> QueryTerms:
    """`query_terms` with the usual spelling added to words that a few papers misspell; else the same object.

    `frequencies` is the number of papers that hold each term, 0 for terms that are not in doubt.
    """
    terms, completions = list(query_terms.terms), dict(query_terms.completions)
    for index, (term, name, count) in enumerate(zip(query_terms.terms, query_terms.names, frequencies, strict=True)):
        usual = find_usual_spelling(fold(name), parts, seen=count) if count and len(term.stems) == 1 else ""
        if usual:
            terms[index] = Term((*term.stems, stem(usual)), term.weight)
            completions |= {term.stems[0]: name, stem(usual): usual}
    return (
        query_terms
        if completions == query_terms.completions
        else QueryTerms(tuple(terms), query_terms.names, completions)
    )


def _complete_word(
    prefix: str, parts: Sequence[WordFrequencies], texts: Callable[[], Sequence[WordFrequencies]]
) -> dict[str, str]:
    # One letter is the beginning of too many words.
    likely = _frequent_completions(prefix, parts) if len(prefix) > 1 else []
    if not likely and len(prefix) >= _MIN_PREFIX_CHARS:
        likely = _frequent_completions(prefix, texts())
    words_by_stem = {} if prefix in STOP_WORDS else {stem(prefix): prefix}
    for word in likely:
        words_by_stem.setdefault(stem(word), word)
    return words_by_stem


def _frequent_completions(prefix: str, parts: Sequence[WordFrequencies], limit: int = _MAX_COMPLETIONS) -> list[str]:
    """The `limit` frequent words that start with `prefix`."""
    counts: Counter[str] = Counter()
    for part in parts:
        # More than are kept: a word that is rare in one segment may be frequent in another.
        counts.update(dict(part.expand(prefix, 4 * limit)))
    return sorted(counts, key=lambda word: (-counts[word], word))[:limit]


@dataclass(frozen=True, slots=True)
class QueryStem:
    """A stem that is looked for, for a word of the query."""

    index: int
    """The place of that word in the query."""
    shown: str
    """As typed."""
    idf: float


def stems_of_query(query_terms: QueryTerms, scored: TermScores) -> Mapping[str, Sequence[QueryStem]]:
    """What each stem that is looked for stands for; read once for all papers that are shown."""
    found: defaultdict[str, list[QueryStem]] = defaultdict(list)
    for index, (term, name, idf) in enumerate(zip(query_terms.terms, query_terms.names, scored.idfs, strict=True)):
        for word_stem, shown in _stems_to_show(term, name, query_terms.completions):
            found[word_stem].append(QueryStem(index, shown, idf))
    return found


def find_matched_words(paper: Paper, stems: Mapping[str, Sequence[QueryStem]]) -> tuple[tuple[str, int], ...]:
    """The words of the query in title or abstract, as typed, with their counts; the heaviest first."""
    weighed = [
        # BM25 without length normalisation, which is the same for all words of one paper.
        (-known.idf * count / (count + 1.5), known.index, known.shown, count)
        for word_stem, count in Counter(tokens(f"{paper.title} {paper.abstract}")).items()
        for known in stems.get(word_stem, ())
    ]
    return tuple((shown, count) for _, _, shown, count in sorted(weighed))


def _stems_to_show(term: Term, name: str, completions: Mapping[str, str]) -> Iterable[tuple[str, str]]:
    if len(term.stems) == 1 and not term.derived:
        return ((term.stems[0], completions.get(term.stems[0], name)),)
    return ((word_stem, completions.get(word_stem, name)) for word_stem in stems_of(term))
