"""Checks the queries that a model or the user wrote: how many, how long, and none of them twice."""

from __future__ import annotations

import re
from collections.abc import Iterable

from litterm.model.search import MAX_REWRITTEN_QUERIES
from litterm.text.escape import plain
from litterm.text.queries.parser import ASPECT_SEPARATOR
from litterm.text.tokens import tokens

MAX_QUERY_CHARS = 200
"""Longer queries are cut, at the end of a word."""
_NUMBERING = re.compile(r"^\s*(?:[-*•–]|\(?\d{1,2}[.):]|(?:terms|names|wording):)\s+", re.IGNORECASE)
_QUOTES = " \t\"'“”„`"


def check_queries(queries: Iterable[str], question: str) -> tuple[str, ...]:
    """At most `MAX_REWRITTEN_QUERIES` of `queries`, each on one line.

    Those without a word to search for are left out, and those with the same stems as `question` or an earlier one.
    """
    seen = {frozenset(tokens(question))}
    checked: list[str] = []
    for query in queries:
        text = _shorten(_NUMBERING.sub("", " ".join(plain(query).split())).strip(_QUOTES))
        stems = frozenset(tokens(text))
        if stems and stems not in seen:
            seen.add(stems)
            checked.append(text)
    return tuple(checked[:MAX_REWRITTEN_QUERIES])


def split_queries(text: str) -> tuple[str, ...]:
    """The queries that a user wrote, separated by `||` or lines."""
    return tuple(part for line in text.splitlines() for part in line.split(ASPECT_SEPARATOR) if part.strip())


def _shorten(text: str) -> str:
    return text if len(text) <= MAX_QUERY_CHARS else text[: MAX_QUERY_CHARS + 1].rsplit(" ", 1)[0][:MAX_QUERY_CHARS]
