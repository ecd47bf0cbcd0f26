"""Tells from title and abstract whether a paper is an overview of a field, a tutorial, or about other papers only."""

from __future__ import annotations

import re
from functools import lru_cache

_END_OF_NAME = r"(?=\s*(?:$|[.:;,?!)\]]|\s(?:of|on|and|for|in|to|with|from|towards?)\b))"
"""Behind "survey" or "review": what shows that the paper is one, where "survey data" or "review helpfulness" is not."""
_SURVEY = re.compile(
    rf"\b(?:survey(?:\s+article)?{_END_OF_NAME}|surveys\s+of|surveying"
    rf"|(?:literature|systematic|scoping|critical|structured)\s+review{_END_OF_NAME}|a\s+(?:[\w-]+\s+)?review{_END_OF_NAME}"
    r"|a\s+primer|recent\s+advances)\b"
    r"|(?:^|:\s)(?:an?\s+)?(?:handbook|textbook)\s+(?:of|on|for)\b",
    re.IGNORECASE,
)
"""Of papers of the Anthology with these words in their titles, seven to nine in ten abstracts say that they survey."""
_EVENT = r"(?!.*\b(?:tasks?|workshop|conference|campaign|challenge|track|evaluation|system|project)\b)"
"""Not before these: "Overview of ... task" reports a shared task; only other overviews are of a field."""
_POSSIBLE_SURVEY = re.compile(
    rf"\b(?:an?|brief|short|comprehensive|general)\s+overview\b{_EVENT}|\boverview\s+of\s+{_EVENT}"
    r"|\bpast,?\s+present\b|(?:^|[:,–]\s)(?:the\s+)?(?:current\s+)?state\s+of\s+the\s+art(?:\s+(?:in|of|and)\b|$)"
    r"|(?:^|[:–]\s|\ban\s)introduction\s+to\s+(?!the\b)",
    re.IGNORECASE,
)
"""Of these a quarter to two fifths do; an abstract decides, where there is one."""
_RARE_SURVEY = re.compile(
    r"\broadmap\b|\bchallenges\s+and\s+(?:(?:future|open)\s+)?(?:opportunities|directions)\b"
    r"|\bopportunities\s+and\s+challenges\b|\b(?:future|research)\s+directions\b|\bprogress\s+and\s+challenges\b",
    re.IGNORECASE,
)
"""Of "challenges and opportunities" one in twelve does: without an abstract that says so these words mean nothing."""
_ABSTRACT_SAYS_SURVEY = re.compile(
    r"\bthis\s+(?:survey|review|overview|tutorial)\b|\b(?:paper|article|chapter|work)\s+(?:\w+ly\s+)?(?:surveys|reviews)\b"
    r"|\bwe\s+(?:\w+ly\s+)?(?:survey|review)\b"
    r"|\b(?:paper|article|chapter|we)\s+(?:\w+ly\s+)?(?:provides?|presents?|gives?|offers?|conducts?)\s+"
    r"(?:\w+\s+){0,4}(?:overview|survey|review)\s+(?:of|on)\b",
    re.IGNORECASE,
)
"""In the abstract of a survey, and in others that have a part of this kind."""
_ABSTRACT_IS_SURVEY = re.compile(
    r"\b(?:in|through)\s+this\s+survey(?:\s+(?:paper|article))?,?\s+we\b"
    r"|\bthis\s+survey\s+(?:(?:paper|article)\s+)?"
    r"(?:aims|provides|presents|covers|summari[sz]es|discusses|explores|examines|offers|reviews|focuses)\b"
    r"|\b(?:paper|article)\s+(?:\w+ly\s+)?surveys\s+(?:(?:the|recent|existing|current)\s+)*"
    r"(?:literature|work|works|approaches|methods|research|progress|advances|techniques|studies)\b",
    re.IGNORECASE,
)
"""In the abstract of a survey alone, whatever its title."""
_TUTORIAL = re.compile(
    r"\btutorials?\b(?!\s+(?:dialog|video|system|session|interaction|planning|feedback|discourse|corp))", re.IGNORECASE
)
"""Not "tutorial dialogue", which is a field of its own."""
_NOTICE = re.compile(
    r"^book\s+reviews?\b|\bspecial\s+issue\b|^(?:(?:guest\s+)?editorial|foreword|preface|erratum|corrigendum|obituary|proceedings"
    r"|panel|keynote|invited\s+(?:talk|speech))\b",
    re.IGNORECASE,
)
_EVENTS = r"(?:\w{0,20}task\s?\d{0,3}|shared|\w{0,20}eval|conll|wmt|iwslt|track|challenge|clef|trec|bea|smm4h)"
_PARTICIPANT = re.compile(
    rf"^[^:]{{2,60}}(?:\bat\b|@)[^:]{{0,60}}\b{_EVENTS}[^:]{{0,40}}:"
    rf"|\b(?:systems?|submissions?|participation|entry)\s{{1,3}}(?:for|to|in|at)\s[^:]{{0,40}}\b{_EVENTS}(?:\b|\d)",
    re.IGNORECASE,
)
"""One system among the many of a shared task: "Team at SemEval-2019 Task 5: ...". Of 1,014 such candidates for lists
of tutorials not one was in a list."""


@lru_cache(maxsize=1024)
def is_overview(title: str, abstract: str = "") -> bool:
    """Whether a paper is a survey, a tutorial, a textbook or the like, by its title and, where that leaves it open,
    its abstract."""
    if is_notice(title):
        return False
    if _SURVEY.search(title) is not None or is_tutorial(title):
        return True
    if _POSSIBLE_SURVEY.search(title) is not None:
        return not abstract or _ABSTRACT_SAYS_SURVEY.search(abstract) is not None
    # Most abstracts lack the word, and looking for it alone takes a twentieth of the time.
    if "survey" in abstract and _ABSTRACT_IS_SURVEY.search(abstract) is not None:
        return True
    return _RARE_SURVEY.search(title) is not None and _ABSTRACT_SAYS_SURVEY.search(abstract) is not None


def is_tutorial(title: str) -> bool:
    """Whether `title` names a tutorial."""
    return _TUTORIAL.search(title) is not None


def is_participant(title: str) -> bool:
    """Whether `title` tells of one system that took part in a shared task."""
    return _PARTICIPANT.search(title) is not None


def is_notice(title: str) -> bool:
    """Whether `title` is that of a book review, a preface or the like, which tells of other papers or of an event."""
    return _NOTICE.search(title) is not None
