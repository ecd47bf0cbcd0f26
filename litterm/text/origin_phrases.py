"""Recognises sentences that name an origin: "first proposed by [3]", "the seminal work of ...", "coined by ..."."""

from __future__ import annotations

import re
from collections.abc import Collection

from litterm.model.document import Span
from litterm.text.tokens import tokens

_MAX_DISTANCE_CHARS = 90
"""Characters around the citation mark in which the words must stand: a long sentence tells of several things."""
_ORIGIN_VERBS = (
    r"(?:proposed|introduced|presented|described|developed|suggested|formulated|coined|defined|formali[sz]ed|studied)"
)
_ORIGIN = re.compile(
    rf"\bfirst(?:ly)?\s+(?:\w+\s+)?{_ORIGIN_VERBS}\b|\b(?:originally|initially)\s+{_ORIGIN_VERBS}\b|\b{_ORIGIN_VERBS}\s+(?:first\s+)?by\b"
    r"|\b(?:seminal|pioneer\w*|ground-?breaking)\b|\bthe\s+first\s+(?:\w+\s+){0,3}(?:to|work|paper|attempt|study)\b"
    r"|\b(?:were|was|is|are)\s+(?:among\s+)?the\s+first\b|\bcoined\b|\bdat(?:es?|ing)\s+back\b|\bgoes?\s+back\s+to\b"
    r"|\boriginat\w+\b|\bearliest\b|\bsince\s+(?:its|the)\s+introduction\b",
    re.IGNORECASE,
)
_TOPIC_ORIGIN = re.compile(
    rf"\bfirst(?:ly)?\s+(?:\w+\s+)?{_ORIGIN_VERBS}\b|\b(?:originally|initially)\s+{_ORIGIN_VERBS}\b|\b{_ORIGIN_VERBS}\s+first\s+by\b"
    r"|\b(?:seminal|pioneer\w*|ground-?breaking)\b|\b(?:was|were)\s+(?:among\s+)?the\s+first\b|\bcoined\b"
    r"|\bdat(?:es?|ing)\s+back\b|\bgoes?\s+back\s+to\b|\boriginat\w+\b|\bsince\s+(?:its|the)\s+introduction\b",
    re.IGNORECASE,
)
"""What says that nothing came before; "proposed by" says that of a tagger, and not of tagging."""
_CITATION = re.compile(r"\([^()]{0,120}\b(?:19|20)\d\d[a-z]?\b[^()]{0,60}\)|\[\d[\d,;\s\N{EN DASH}-]{0,40}\]")


def names_the_origin_of(sentence: str, mark: Span | None, topics: Collection[frozenset[str]]) -> bool:
    """Whether `sentence` says that one of `topics`, each a set of stems, began with the paper cited at `mark`.

    Without a mark nobody knows which paper is meant, and where another citation stands nearer it is that one.
    """
    if mark is None:
        return False
    stems = set(tokens(sentence[: mark.start] + " " + sentence[mark.end :]))
    if not any(topic and topic <= stems for topic in topics):
        return False
    window = slice(max(0, mark.start - _MAX_DISTANCE_CHARS), mark.end + _MAX_DISTANCE_CHARS)
    return any(
        _CITATION.search(_between(sentence, mark, window.start + phrase.start(), window.start + phrase.end())) is None
        for phrase in _TOPIC_ORIGIN.finditer(sentence[window])
    )


def _between(sentence: str, mark: Span, start: int, end: int) -> str:
    """The text between the phrase from `start` to `end` and the mark."""
    return sentence[end : mark.start] if end <= mark.start else sentence[mark.end : start]


def names_an_origin(sentence: str, mark: Span | None) -> bool:
    """Whether `sentence` says, near its citation `mark`, that something began with the paper cited."""
    window = (
        sentence
        if mark is None
        else sentence[max(0, mark.start - _MAX_DISTANCE_CHARS) : mark.end + _MAX_DISTANCE_CHARS]
    )
    return _ORIGIN.search(window) is not None
