"""The suggested spelling and the notices of a ranking: why there is nothing, or less than expected."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from litterm.search.filters.filters import find_unknown_venues
from litterm.search.query.spell_checker import correct_spelling, find_usual_spelling
from litterm.text.queries.parser import replace_word
from litterm.text.tokens import fold, stem

if TYPE_CHECKING:
    from litterm.library.index.static_embeddings import StaticModel
    from litterm.model.search import NamedPaper, Query, SortOrder
    from litterm.search.open_index import LiveRows
    from litterm.search.query.query_terms import QueryTerms

MAX_REORDERED = 200
"""How many of the best matches an order other than relevance rearranges at most. Beyond them lie papers that share
one common word with the query, and the newest of those is of no use to anybody."""

MAX_RARE_FREQUENCY = 10
"""Papers up to which a word may be their misspelling, too."""
# With fewer results a rare word is taken for a misspelling; with more only a long word is, as `_suggest_word` says.
_FEW_RESULTS = 20
_MIN_MISSPELLING_SIMILARITY = 0.25
"""Cosine from which a word that the semantic model knows is doubted: it has learned frequent misspellings, too."""
_MAX_TYPED_WORDS = 32
"""Words up to which a query was typed; in a longer, pasted one unknown words are names rather than slips."""


@dataclass(frozen=True, slots=True)
class SearchOutcome:
    """What was looked for, and how much was found."""

    live: LiveRows
    query_terms: QueryTerms
    frequencies: Sequence[int]
    """How many papers hold each of the terms."""
    found: int
    """Papers that match in all."""
    ordered: int
    """The best of them, which an order other than relevance rearranges."""
    model: StaticModel | None = None
    """Tells whether a word that it knows may be a misspelling; `None` where there is none."""


_SORT_DESCRIPTIONS: Mapping[SortOrder, str] = {
    "relevance": "relevance",
    "newest": "date, newest first",
    "oldest": "date, oldest first",
    "title": "title",
    "author": "author",
    "citations": "citations",
    "added": "the time they were added",
}


def suggest_query(query: Query, outcome: SearchOutcome) -> str:
    """The query with likely misspellings fixed; empty if there are none."""
    text, query_terms = query.text, outcome.query_terms
    if len(query.words) > _MAX_TYPED_WORDS:
        return ""
    for term, name, frequency in zip(query_terms.terms, query_terms.names, outcome.frequencies, strict=True):
        is_complete = len(term.stems) == 1 and name not in (query.unfinished, *query.beginnings)
        if is_complete and frequency <= MAX_RARE_FREQUENCY:
            better = _suggest_word(name, frequency, outcome)
            text = replace_word(text, name, better) if better else text
    return text if text != query.text else ""


def _suggest_word(name: str, frequency: int, outcome: SearchOutcome) -> str:
    """The likely spelling of a word that hardly any paper holds; empty if it may be right as it is."""
    word, parts = fold(name), outcome.live.parts
    if not frequency or outcome.found < _FEW_RESULTS:
        better = correct_spelling(word, parts, seen=frequency)
    else:
        # Enough was found: only a long word, nearly that of far more papers, is doubted.
        better = find_usual_spelling(word, parts, seen=frequency)
    return better if better and _can_be_misspelling(word, better, outcome.model) else ""


def _can_be_misspelling(word: str, better: str, model: StaticModel | None) -> bool:
    """Whether `word` may stand for `better`: what it means elsewhere, where the model has learned it, must be near."""
    known, likely = stem(word), stem(better)
    if model is None or model.places([known])[0] < 0:
        return True
    # A misspelling stands among the same words as the right spelling: "tranlsation" has .48, "langauge" .32, but
    # "sports" and "short" 0.
    return known == likely or model.similarity(known, likely) >= _MIN_MISSPELLING_SIMILARITY


def missing_words_notice(names: Sequence[str]) -> Iterable[str]:
    """A sentence on the words of a query that no paper holds: what is found is about the others."""
    quoted = [f"“{name}”" for name in names]
    if quoted:
        yield f"No paper here has {' or '.join(filter(None, (', '.join(quoted[:-1]), quoted[-1])))}."


_MAX_MISSING_PAPERS = 2
"""Papers that are not in the library, of names in a query, that are named at most."""


def missing_paper_notices(named: Sequence[NamedPaper]) -> Iterable[str]:
    """Sentences on papers that names of the query stand for and the library lacks, and how to add them."""
    known = {item.name for item in named if item.paper is not None}
    # Of a name that stands for several papers, one that is here is enough.
    missing = [item for item in named if item.name not in known and (item.is_whole or item.fact.usage == "coined")]
    for item in missing[:_MAX_MISSING_PAPERS]:
        fact = item.fact
        by = " ".join(filter(None, (fact.first_author, str(fact.year or ""))))
        title = f" is the name of “{fact.title}”" if fact.title else " is the name of a paper"
        added_by = f": litterm add {fact.ids[0]}" if fact.ids else ""
        yield f"“{item.name}”{title}{f' ({by})' if by else ''}, which is not in your library{added_by}"


def search_notices(query: Query, outcome: SearchOutcome, order: SortOrder) -> Iterable[str]:
    """Sentences for the user, about what was not searched and what is not there."""
    if query.words and not outcome.query_terms.terms and not query.phrases:
        yield "Only words that nearly every paper contains; add a more specific one."
    unknown = find_unknown_venues(outcome.live.parts, query.filters.venues)
    yield from (f"No paper here has the venue “{venue}”." for venue in unknown)
    if order != "relevance" and outcome.query_terms.terms and outcome.found > outcome.ordered:
        yield f"Top {outcome.ordered} of {outcome.found:,}, sorted by {_SORT_DESCRIPTIONS[order]}."
