"""Tells from a title whether a paper is an overview of a field, or a tutorial."""

from __future__ import annotations

import re

# "Overview of the ... task" reports a shared task; only other overviews are of a field.
_OVERVIEW = re.compile(
    r"\b(?:surveys?|surveying|(?:an?|brief|short|critical|comprehensive|general)\s+overview|overview\s+of\s+(?!the\b.*\btask)"
    r"|(?:literature|systematic|scoping|critical)\s+reviews?|a\s+(?:\w+\s+)?review|state\s+of\s+the\s+art(?:\s+(?:in|of|and)\b|$)"
    r"|roadmap|primer|taxonom(?:y|ies)|introduction\s+to\s+(?!the\b.*\btask)|textbook|handbook|recent\s+advances"
    r"|challenges\s+and\s+(?:opportunities|directions|solutions)|past,?\s+present|tutorial)\b",
    re.IGNORECASE,
)
_TUTORIAL = re.compile(r"\btutorials?\b", re.IGNORECASE)


def is_overview(title: str) -> bool:
    """Whether `title` is that of a survey, a tutorial, a textbook or the like."""
    return _OVERVIEW.search(title) is not None


def is_tutorial(title: str) -> bool:
    """Whether `title` names a tutorial."""
    return _TUTORIAL.search(title) is not None
