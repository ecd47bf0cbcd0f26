"""Removes the words of a query that only ask for literature, so that the topic remains.

"Give me a reading list on X", "Where do I start with X?" and "I am new to X, what should I read?" are all about X.
"""

from __future__ import annotations

import re

_MAX_CHARS = 2_000
"""Longer texts are descriptions, not requests."""
_TAIL_CHARS = 120
"""Characters at the end of a text in which a request is looked for."""
# The patterns expect single blanks between words.
_DETERMINERS = r"(?:a|an|the|some|any|few|good|short|useful|best|important|key|essential|introductory|relevant|recent)"
_LIST_NOUNS = (
    r"(?:reading lists?|lists? of (?:papers|articles|readings|works)|bibliograph(?:y|ies)|readings?"
    r"|reading material|(?:papers?|articles?|literature|works?) to (?:read|start with|begin with))"
)
_TOPIC_PREPOSITIONS = (
    r"(?:on|about|for|of|in|into|regarding|concerning|covering|dealing with|related to|to learn about)"
)
_GREETINGS = r"(?:(?:please|hi|hello|hey)[, ]{1,3})*"
_REQUEST_VERBS = (
    r"(?:(?:can|could|would|will) (?:you|anyone|anybody|someone|somebody) (?:please )?)?"
    r"(?:give|make|suggest|recommend|provide|show|get|find|create|compile|build|write|prepare|send)"
    r"(?: (?:me|us))?(?: with)? "
)
_WISH_VERBS = r"(?:i|we)(?: am| are|['’]m|['’]re)? (?:need|want|would like|['’]d like|look(?:ing)? for) "
_STARTING_QUESTION = (
    r"(?:where|how) (?:do|should|can|could|would) (?:i|we|one|you) (?:best )?(?:start|begin|get started)"
    r"(?: (?:reading|learning))?"
)
_READING_QUESTION = (
    r"what (?:papers? |articles? )?(?:do|should|can|could|must) (?:i|we|one) (?:read|start with|begin with)"
    r"(?: first)?(?: to (?:learn|understand|get started|know))?"
)
_NEWCOMER_PHRASES = (
    r"(?:i|we)(?: am| are|['’]m|['’]re) (?:new (?:to|in)|getting into|starting (?:with|in|on))"
    r"|(?:i|we) (?:want|would like|['’]d like|need) to (?:learn|read|know|understand)(?: more)?(?: about)?"
)
_REQUEST_AT_START = (
    rf"(?i)^ ?{_GREETINGS}(?:"
    rf"(?:{_REQUEST_VERBS}|{_WISH_VERBS})?(?:{_DETERMINERS} )*{_LIST_NOUNS} {_TOPIC_PREPOSITIONS}\b"
    rf"|(?:{_REQUEST_VERBS}|{_WISH_VERBS})(?:{_DETERMINERS} )*(?:introductions?|overviews?) (?:to|of|on)\b"
    rf"|{_STARTING_QUESTION}(?: (?:with|on|about|in))?\b"
    rf"|{_READING_QUESTION}(?: (?:about|on|in|with))?\b"
    rf"|(?:{_NEWCOMER_PHRASES})"
    r") ?(?:(?:articles|papers|works) (?:discussing|about|on) )?(?:the (?:topic|subject|field|area|concept) of )?"
)
_REQUEST_AT_END = (
    rf"(?i)(?<![ ,.;:!?])[ ,.;:!?]*(?:\b(?:{_STARTING_QUESTION}|{_READING_QUESTION}"
    r"|(?:for|as) (?:a )?(?:beginners?|newcomers?|new phd students?)"
    r"|please|thanks?(?: you)?)\b[ .!?]*)+$"
)
_CONTENT_REQUEST = (
    r"(?i)\b(?:please )?(?:the|this|that|it|your)? ?(?:reading )?(?:list|it)? ?(?:should|must|may|could)? ?(?:also )?"
    r"(?:cover|contain|include)s? (?:(?:also|some|the) )*"
    r"(?:(?:articles?|papers?|works?|studies|methods?|topics?|aspects?) "
    r"(?:introducing|discussing|abouts?|on|of|where|like|such as) )?"
)
_HINTS = "list bibliograph read start begin introduction overview new getting want like need please thank".split()
"""Every request contains one of these. Most queries do not, which saves compiling the patterns: a fiftieth of the time
of a search."""


def remove_request(text: str) -> str:
    """`text` without the words that only ask for literature; `text` itself where it has none or nothing else."""
    lowered = text.lower()
    if len(text) > _MAX_CHARS or not any(hint in lowered for hint in _HINTS):
        return text
    squeezed = " ".join(text.split())
    opening = re.match(_REQUEST_AT_START, squeezed)
    rest = squeezed[opening.end() :] if opening else squeezed
    start = max(0, len(rest) - _TAIL_CHARS)
    rest = rest[:start] + re.sub(_REQUEST_AT_END, "", rest[start:])
    if rest == squeezed:
        return text
    rest = rest.strip(" ,;:?!")
    return rest if re.search(r"[^\W_]", rest) else text


def remove_asides(text: str) -> str:
    """The topic of a request without phrases such as "the list should cover"."""
    return re.sub(_CONTENT_REQUEST, " ", " ".join(text.split())) if len(text) <= _MAX_CHARS else text
