"""How much may be asked for at once: limits of queries, hypotheses, aspects and excerpts, the same wherever they come
from.

They are far above what people ask with, so that no single request can keep a server, or the user's own machine, busy.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import fields
from typing import Final

from litterm.core.errors import AsksTooMuch, QueryError
from litterm.model.reading_list import ListRequest
from litterm.model.search import (
    MAX_REWRITTEN_QUERIES,
    AllOf,
    AnyOf,
    Condition,
    Filters,
    NegatedCondition,
    Query,
)

MAX_QUERY_WORDS: Final = 2_000
"""Of a query, the topic of a reading list, or an excerpt: the longest query of DORIS-MAE has 171 and a long abstract
500, and a whole paper starts at some 3,000."""
MAX_QUERY_CONDITIONS: Final = 200
"""Filters, phrases and excluded words of a query, each value for itself: search strategies of systematic reviews have
some dozens."""
MAX_LIKE_PAPERS: Final = 50
"""Papers of `like:` and `unlike:`: with more, what they have in common is lost anyway."""
MAX_HYPOTHESIS_WORDS: Final = 500
"""A claim is a sentence; this is a page."""
MAX_ASPECTS: Final = 50
"""Aspects that are scored in one request: a query has nine at most."""
MAX_ASPECT_WORDS: Final = 500
"""Of each aspect, which is a sentence or less."""
MAX_LISTED_PAPERS: Final = 100
"""Papers that a reading list must hold or starts from, each; it has twenty."""
MAX_EXCERPTS: Final = 100
"""Excerpts in one request to a server; `cite --batch` takes any number, one after the other."""
_MAX_CHARS_PER_WORD: Final = 20
"""Three times the mean: with it the characters of a text are limited by its words, so that one word is not endless."""
# An ideograph counts as a word, as the tokenizer makes about one token of each.
_IDEOGRAPHS = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_IDEOGRAPHS}]|[^\W_{_IDEOGRAPHS}]+")


def check_query_text(text: str) -> None:
    """Checks the length of a typed query, before it is parsed.

    Raises:
        QueryError: it has too many words or characters.
    """
    excess = _describe_excess(text, MAX_QUERY_WORDS)
    if excess:
        advice = "search with an abstract, or with what matters of the text"
        raise QueryError(f"The query has {excess}; {advice}.", start=0, end=len(text))


def check_query(query: Query) -> None:
    """Checks the size of a query, also of one that another program has parsed.

    Raises:
        QueryError: it has too many words, conditions, or papers of `like:` and `unlike:`.
    """
    check_query_text(query.text)
    words, end = len(query.words) + len(query.soft_years), len(query.text)
    if words > MAX_QUERY_WORDS:
        raise QueryError(f"The query has {words:,} words, and may have {MAX_QUERY_WORDS:,}.", start=0, end=end)
    conditions = count_conditions(query)
    if conditions > MAX_QUERY_CONDITIONS:
        message = f"The query has {conditions:,} conditions, and may have {MAX_QUERY_CONDITIONS}"
        raise QueryError(f"{message}; ask in several queries, or with fewer filters and phrases.", start=0, end=end)
    like = len(query.like) + len(query.unlike)
    if like > MAX_LIKE_PAPERS:
        message = f"The query names {like:,} papers with like:, and may name {MAX_LIKE_PAPERS}"
        raise QueryError(f"{message}; choose those that are most typical.", start=0, end=end)


def count_conditions(query: Query) -> int:
    """Filters, phrases, excluded words and beginnings of `query`; a filter counts once for each of its values."""
    plain = len(query.phrases) + len(query.excluded) + len(query.beginnings)
    return plain + _count_values((query.filters, *query.conditions))


def check_topic(topic: str) -> None:
    """Checks the length of the topic of a reading list.

    Raises:
        AsksTooMuch: it has too many words.
    """
    _check_words(topic, "The topic", MAX_QUERY_WORDS, "a few keywords or a sentence are enough")


def check_listed_papers(request: ListRequest) -> None:
    """Checks how many papers a reading list must hold or starts from, and how many other queries are searched for it.

    Raises:
        AsksTooMuch: there are too many.
    """
    if len(request.queries) > MAX_REWRITTEN_QUERIES:
        message = f"A reading list is asked for with {len(request.queries):,} other queries"
        raise AsksTooMuch(f"{message}, and may be with {MAX_REWRITTEN_QUERIES}.")
    for query in request.queries:
        check_topic(query)
    named = max(len(request.include), len(request.seeds))
    if named > MAX_LISTED_PAPERS:
        message = f"A reading list is asked for with {named:,} papers, and may be with {MAX_LISTED_PAPERS}"
        raise AsksTooMuch(f"{message}; make several lists.")


def check_hypothesis(hypothesis: str) -> None:
    """Checks the length of a hypothesis.

    Raises:
        AsksTooMuch: it has too many words.
    """
    _check_words(hypothesis, "The hypothesis", MAX_HYPOTHESIS_WORDS, "state one claim, or ask for each on its own")


def check_aspects(aspects: Iterable[str]) -> None:
    """Checks the length of aspects that are to be scored, and their number.

    Raises:
        AsksTooMuch: there are too many, or one has too many words.
    """
    texts = tuple(aspects)
    if len(texts) > MAX_ASPECTS:
        raise AsksTooMuch(f"There are {len(texts):,} aspects, and at most {MAX_ASPECTS} are scored; ask with fewer.")
    for text in texts:
        _check_words(text, "An aspect", MAX_ASPECT_WORDS, "say what matters of it in one sentence")


def check_excerpt(excerpt: str) -> None:
    """Checks the length of the text around a citation.

    Raises:
        AsksTooMuch: it has too many words.
    """
    _check_words(excerpt, "The excerpt", MAX_QUERY_WORDS, "paste only the sentences around the citation")


def _check_words(text: str, what: str, most: int, advice: str) -> None:
    excess = _describe_excess(text, most)
    if excess:
        raise AsksTooMuch(f"{what} has {excess}; {advice}.")


def _describe_excess(text: str, most_words: int) -> str:
    """How much longer `text` is than `most_words` allow; empty where it is not."""
    most_chars = most_words * _MAX_CHARS_PER_WORD
    # First, as the words of megabytes are not worth counting.
    if len(text) > most_chars:
        return f"{len(text):,} characters, and may have {most_chars:,}"
    # No word is shorter than a character and the blank behind it.
    count = sum(1 for _ in _WORD.finditer(text)) if len(text) > most_words else 0
    return f"{count:,} words, and may have {most_words:,}" if count > most_words else ""


def _count_values(conditions: Iterable[Condition]) -> int:
    total = 0
    for condition in conditions:
        match condition:
            case Filters(without=without):
                # Papers are looked up in one set, whatever their number: a tag may stand for thousands.
                listed = (value for name, value in _values(condition) if name not in ("papers", "without"))
                total += sum(len(value) if isinstance(value, tuple) else bool(value) for value in listed)
                total += _count_values(without)
            case NegatedCondition(inner):
                total += _count_values((inner,))
            case AllOf(inner_conditions) | AnyOf(inner_conditions):
                total += _count_values(inner_conditions)
            case _:
                total += 1
    return total


def _values(filters: Filters) -> Iterable[tuple[str, object]]:
    return ((field.name, getattr(filters, field.name)) for field in fields(filters))
