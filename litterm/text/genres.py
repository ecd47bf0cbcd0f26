"""Tells from a title whether a paper is an overview of a field, a tutorial, or about other papers only."""

from __future__ import annotations

import re

_CLOSES = r"(?=\s*(?:$|[.:;,?!)\]]|\s(?:of|on|and|for|in|to|with|from|towards?)\b))"
"""Behind "survey" or "review": what shows that the paper is one, where "survey data" or "review helpfulness" is not."""
# "Overview of ... task" reports a shared task; only other overviews are of a field.
_OVERVIEW = re.compile(
    rf"\b(?:survey(?:\s+article)?{_CLOSES}|surveys\s+of|surveying"
    r"|(?:an?|brief|short|critical|comprehensive|general)\s+overview|overview\s+of\s+(?!.*\b(?:tasks?|workshop|campaign|challenge|track)\b)"
    rf"|(?:literature|systematic|scoping|critical|structured)\s+review{_CLOSES}|a\s+(?:[\w-]+\s+)?review{_CLOSES}"
    r"|roadmap|a\s+primer|recent\s+advances|challenges\s+and\s+(?:opportunities|directions)|past,?\s+present)\b"
    r"|(?:^|[:,–]\s)(?:the\s+)?(?:current\s+)?state\s+of\s+the\s+art(?:\s+(?:in|of|and)\b|$)"
    r"|(?:^|[:–]\s|\ban\s)introduction\s+to\s+(?!the\b)|(?:^|:\s)(?:an?\s+)?(?:handbook|textbook)\s+(?:of|on|for)\b",
    re.IGNORECASE,
)
_TUTORIAL = re.compile(
    r"\btutorials?\b(?!\s+(?:dialog|video|system|session|interaction|planning|feedback|discourse|corp))", re.IGNORECASE
)
"""Not "tutorial dialogue", which is a field of its own."""
_NOTICE = re.compile(
    r"^book\s+reviews?\b|\bspecial\s+issue\b|^(?:(?:guest\s+)?editorial|foreword|preface|erratum|corrigendum|obituary|proceedings"
    r"|panel|keynote|invited\s+(?:talk|speech))\b",
    re.IGNORECASE,
)


def is_overview(title: str) -> bool:
    """Whether `title` is that of a survey, a tutorial, a textbook or the like."""
    return (_OVERVIEW.search(title) is not None or is_tutorial(title)) and not is_notice(title)


def is_tutorial(title: str) -> bool:
    """Whether `title` names a tutorial."""
    return _TUTORIAL.search(title) is not None


def is_notice(title: str) -> bool:
    """Whether `title` is that of a book review, a preface or the like, which tells of other papers or of an event."""
    return _NOTICE.search(title) is not None
