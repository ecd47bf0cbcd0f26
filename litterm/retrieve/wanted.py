"""A query's words as terms to score, and which of them a paper contains."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from litterm.model.citation import WeightedWord
from litterm.retrieve.scores import Scored, Term
from litterm.retrieve.spelling import near_words, usual_spelling
from litterm.text.tokens import STOP_WORDS, fold, stem, stem_spans, tokens

if TYPE_CHECKING:
    from litterm.model.paper import Paper
    from litterm.model.search import Query
    from litterm.protocols import TermScores

_COMPLETIONS = 8


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to score and how to name it on the screen."""

    terms: tuple[Term, ...]
    names: tuple[str, ...]
    """Per term the word as first typed."""
    completions: Mapping[str, str]
    """Stems of the completed last word, and of words near to one that no paper holds, with the word of each."""


def wanted(query: Query, parts: Sequence[TermScores]) -> Wanted:
    """The stems of `query`, stop words left out; its unfinished word becomes one term of all likely completions."""
    want = weighted([WeightedWord(word, 1.0) for word in query.words])
    completions = _completions(fold(query.unfinished), parts) if query.unfinished else {}
    if not completions:
        return want
    return Wanted((*want.terms, Term(tuple(completions))), (*want.names, query.unfinished), completions)


def weighted(words: Sequence[WeightedWord]) -> Wanted:
    """One term a stem, stop words left out; weights of equal stems add up."""
    names: dict[str, str] = {}
    weights: dict[str, float] = {}
    for each in words:
        for start, end, found in stem_spans(each.word):
            name = each.word[start:end]
            if fold(name) not in STOP_WORDS:
                names.setdefault(found, name)
                weights[found] = weights.get(found, 0.0) + each.weight
    return Wanted(tuple(Term((found,), weight) for found, weight in weights.items()), tuple(names.values()), {})


def with_near_words(want: Wanted, unheard: Sequence[bool], parts: Sequence[TermScores]) -> Wanted:
    """`want` with each term of one stem that is `unheard` of replaced by the words one slip away, where there are any.

    The same object where nothing is.
    """
    terms, completions = list(want.terms), dict(want.completions)
    for at, (term, name, doubtful) in enumerate(zip(want.terms, want.names, unheard, strict=True)):
        near = near_words(fold(name), parts, _COMPLETIONS) if doubtful and len(term.stems) == 1 else ()
        if near:
            found = {stem(word): word for word in reversed(near)}
            terms[at] = Term(tuple(reversed(found)), term.weight)
            completions |= found
    return want if completions == want.completions else Wanted(tuple(terms), want.names, completions)


def with_usual_spellings(want: Wanted, seen: Sequence[int], parts: Sequence[TermScores]) -> Wanted:
    """`want` with the usual spelling beside each word that is only misspelt in a few papers; the same where none is.

    `seen` is how many papers hold each term, 0 for terms that are not in doubt.
    """
    terms, completions = list(want.terms), dict(want.completions)
    for at, (term, name, count) in enumerate(zip(want.terms, want.names, seen, strict=True)):
        usual = usual_spelling(fold(name), parts, seen=count) if count and len(term.stems) == 1 else ""
        if usual:
            terms[at] = Term((*term.stems, stem(usual)), term.weight)
            completions |= {term.stems[0]: name, stem(usual): usual}
    return want if completions == want.completions else Wanted(tuple(terms), want.names, completions)


def _completions(prefix: str, parts: Sequence[TermScores]) -> dict[str, str]:
    counts: Counter[str] = Counter()
    # One letter starts too many words to mean any of them.
    for part in parts if len(prefix) > 1 else ():
        counts.update(dict(part.expand(prefix, 4 * _COMPLETIONS)))
    likely = sorted(counts, key=lambda word: (-counts[word], word))[:_COMPLETIONS]
    found = {} if prefix in STOP_WORDS else {stem(prefix): prefix}
    for word in likely:
        found.setdefault(stem(word), word)
    return found


def matched(paper: Paper, want: Wanted, scored: Scored) -> tuple[tuple[str, int], ...]:
    """Words of the query in title or abstract, as typed, with how often; what weighs most first."""
    counts = Counter(tokens(f"{paper.title} {paper.abstract}"))
    found: list[tuple[float, int, str, int]] = []
    for at, (term, name, idf) in enumerate(zip(want.terms, want.names, scored.idfs, strict=True)):
        for each, shown in _shown(term, name, want.completions):
            count = counts[each]
            if count:
                found.append((-idf * count / (count + 1.5), at, shown, count))
    return tuple((shown, count) for _, _, shown, count in sorted(found))


def _shown(term: Term, name: str, completions: Mapping[str, str]) -> Iterable[tuple[str, str]]:
    if len(term.stems) == 1:
        return ((term.stems[0], completions.get(term.stems[0], name)),)
    return ((each, completions.get(each, name)) for each in term.stems)
