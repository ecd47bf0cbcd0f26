"""Recognises sentences that name an origin: "first proposed by [3]", "the seminal work of ...", "coined by ..."."""

from __future__ import annotations

import re

from litterm.model.document import Span

_REACH = 90
"""Characters around the citation mark in which the words must stand: a long sentence tells of several things."""
_MADE = (
    r"(?:proposed|introduced|presented|described|developed|suggested|formulated|coined|defined|formali[sz]ed|studied)"
)
_ORIGIN = re.compile(
    rf"\bfirst(?:ly)?\s+(?:\w+\s+)?{_MADE}\b|\b(?:originally|initially)\s+{_MADE}\b|\b{_MADE}\s+(?:first\s+)?by\b"
    r"|\b(?:seminal|pioneer\w*|ground-?breaking)\b|\bthe\s+first\s+(?:\w+\s+){0,3}(?:to|work|paper|attempt|study)\b"
    r"|\b(?:were|was|is|are)\s+(?:among\s+)?the\s+first\b|\bcoined\b|\bdat(?:es?|ing)\s+back\b|\bgoes?\s+back\s+to\b"
    r"|\boriginat\w+\b|\bearliest\b|\bsince\s+(?:its|the)\s+introduction\b",
    re.IGNORECASE,
)


def names_an_origin(sentence: str, mark: Span | None) -> bool:
    """Whether `sentence` says, near its citation `mark`, that something began with the paper cited."""
    near = sentence if mark is None else sentence[max(0, mark.start - _REACH) : mark.end + _REACH]
    return _ORIGIN.search(near) is not None
