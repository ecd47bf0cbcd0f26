"""Requests for literature: the words that only ask are told apart from the topic they ask about.

"Give me a reading list on X", "Where do I start with X?" and "I am new to X, what should I read?" are all about X.
"""

from __future__ import annotations

import re

_LONGEST = 2_000
"""Characters from which on a text describes rather than asks."""
_TAIL = 120
"""Characters at the end of a text in which it may still ask."""
_SOME = r"(?:a|an|the|some|any|few|good|short|useful|best|important|key|essential|introductory|relevant|recent)"
_LIST = (
    r"(?:reading\s+lists?|lists?\s+of\s+(?:papers|articles|readings|works)|bibliograph(?:y|ies)|readings?"
    r"|reading\s+material|(?:papers?|articles?|literature|works?)\s+to\s+(?:read|start\s+with|begin\s+with))"
)
_ABOUT = r"(?:on|about|for|of|in|into|regarding|concerning|covering|dealing\s+with|related\s+to|to\s+learn\s+about)"
_PLEASE = r"(?:(?:please|hi|hello|hey)[,\s]+)*"
_ASKING = (
    r"(?:(?:can|could|would|will)\s+(?:you|anyone|anybody|someone|somebody)\s+(?:please\s+)?)?"
    r"(?:give|make|suggest|recommend|provide|show|get|find|create|compile|build|write|prepare|send)"
    r"(?:\s+(?:me|us))?(?:\s+with)?\s+"
)
_WISH = r"(?:i|we)(?:\s+am|\s+are|['’]m|['’]re)?\s+(?:need|want|would\s+like|['’]d\s+like|look(?:ing)?\s+for)\s+"
_START = (
    r"(?:where|how)\s+(?:do|should|can|could|would)\s+(?:i|we|one|you)\s+(?:best\s+)?(?:start|begin|get\s+started)"
    r"(?:\s+(?:reading|learning))?"
)
_TO_READ = (
    r"what\s+(?:papers?\s+|articles?\s+)?(?:do|should|can|could|must)\s+(?:i|we|one)\s+(?:read|start\s+with|begin\s+with)"
    r"(?:\s+first)?(?:\s+to\s+(?:learn|understand|get\s+started|know))?"
)
_NEW = (
    r"(?:i|we)(?:\s+am|\s+are|['’]m|['’]re)\s+(?:new\s+(?:to|in)|getting\s+into|starting\s+(?:with|in|on))"
    r"|(?:i|we)\s+(?:want|would\s+like|['’]d\s+like|need)\s+to\s+(?:learn|read|know|understand)(?:\s+more)?(?:\s+about)?"
)
_REQUEST = re.compile(
    rf"^\s*{_PLEASE}(?:"
    rf"(?:{_ASKING}|{_WISH})?(?:{_SOME}\s+)*{_LIST}\s+{_ABOUT}\b"
    rf"|(?:{_ASKING}|{_WISH})(?:{_SOME}\s+)*(?:introductions?|overviews?)\s+(?:to|of|on)\b"
    rf"|{_START}(?:\s+(?:with|on|about|in))?\b"
    rf"|{_TO_READ}(?:\s+(?:about|on|in|with))?\b"
    rf"|(?:{_NEW})"
    r")\s*(?:(?:articles|papers|works)\s+(?:discussing|about|on)\s+)?(?:the\s+(?:topic|subject|field|area|concept)\s+of\s+)?",
    re.IGNORECASE,
)
_AFTER = re.compile(
    rf"[\s,.;:!?]*(?:\b(?:{_START}|{_TO_READ}|(?:for|as)\s+(?:a\s+)?(?:beginners?|newcomers?|new\s+phd\s+students?)"
    r"|please|thanks?(?:\s+you)?)\b[\s.!?]*)+$",
    re.IGNORECASE,
)
_ASIDE = re.compile(
    r"\b(?:please\s+)?(?:the|this|that|it|your)?\s*(?:reading\s+)?(?:list|it)?\s*(?:should|must|may|could)?\s*(?:also\s+)?"
    r"(?:cover|contain|include)s?\s+(?:(?:also|some|the)\s+)*"
    r"(?:(?:articles?|papers?|works?|studies|methods?|topics?|aspects?)\s+(?:introducing|discussing|abouts?|on|of|where|like|such\s+as)\s+)?",
    re.IGNORECASE,
)


def without_request(text: str) -> str:
    """`text` without the words that only ask for literature; `text` itself where none do, or nothing else is there."""
    if len(text) > _LONGEST:
        return text
    # Single blanks: the patterns would try every way to part a run of them.
    squeezed = " ".join(text.split())
    opening = _REQUEST.match(squeezed)
    rest = squeezed[opening.end() :] if opening else squeezed
    start = max(0, len(rest) - _TAIL)
    rest = rest[:start] + _AFTER.sub("", rest[start:])
    if rest == squeezed:
        return text
    rest = rest.strip(" ,;:?!")
    return rest if re.search(r"[^\W_]", rest) else text


def asks_for_a_list(text: str) -> bool:
    """Whether `text` asks for literature to read, rather than for an answer."""
    return without_request(text) != text


def without_asides(text: str) -> str:
    """A request's topic without phrases that say what "the list should cover"."""
    return _ASIDE.sub(" ", " ".join(text.split())) if len(text) <= _LONGEST else text
