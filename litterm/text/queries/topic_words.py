"""Selects the words of a question, a request or a description that carry its topic.

"Give me a reading list on X", "Where do I start with X?" and "I am new to X, what should I read?" are all about X.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from litterm.text.tokens import FUNCTION_WORDS, QUESTION_WORDS, SENTENCE_WORDS, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_TOPICLESS = FUNCTION_WORDS | QUESTION_WORDS | SENTENCE_WORDS
_EXCEPTION_PHRASES = (
    ("other", "than"),
    ("except", "for"),
    ("except",),
    ("apart", "from"),
    ("aside", "from"),
    ("excluding",),
)
"""Phrases before something that is excluded. "Rather than", "instead of" and "without" are not among them: a paper that
does without something says so."""
_CONJUNCTIONS = frozenset("and or nor".split())
_MAX_EXCEPTION_WORDS = 6
"""The largest number of words that one phrase excludes."""
_KNOWING_VERB = "know"
"""What a topic knows is asked for ("do language models know when they are wrong"); what people know is talk ("what do
we know about negation"). "Tell" always talks: "can encoders tell whether" asks about what follows."""
_QUALITY_WORD = "good"
"""How good something is, what it is good at or for, and whether it is a good one is asked of it ("how good is ChatGPT
at diagnosis", "is BLEU a good metric"); elsewhere the word may be the topic's ("good survival rates")."""
_QUALITY_PREPOSITIONS = frozenset("at for".split())
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


def topic_words(texts: Iterable[str]) -> list[str]:
    """The folded words of `texts` that carry a topic, in order; all of them if none does.

    Words that only talk are left out, and so is what is excepted: "languages other than English" is not about English.
    """
    text_words = [word for text in texts for word in words(text)]
    return _select_topical(list(_drop_exceptions(text_words))) or _select_topical(text_words) or text_words


def _select_topical(text_words: Sequence[str]) -> list[str]:
    """The words of `text_words` that carry a topic."""
    return [
        word
        for previous, word, following in zip(("", *text_words), text_words, (*text_words[1:], ""), strict=False)
        if (
            word not in _TOPICLESS
            and not (word == _QUALITY_WORD and (previous in ("how", "a") or following in _QUALITY_PREPOSITIONS))
        )
        or (word == _KNOWING_VERB and previous and previous not in _TOPICLESS)
    ]


def _drop_exceptions(text_words: Sequence[str]) -> Iterator[str]:
    index = 0
    while index < len(text_words):
        opening = next(
            (phrase for phrase in _EXCEPTION_PHRASES if tuple(text_words[index : index + len(phrase)]) == phrase), None
        )
        if opening is None:
            yield text_words[index]
            index += 1
        else:
            index = _end_of_exception(text_words, index + len(opening))


def _end_of_exception(text_words: Sequence[str], start: int) -> int:
    """Where the phrase that begins at `start` ends: before a word that only talks, joining words apart."""
    index = start
    while index < min(len(text_words), start + _MAX_EXCEPTION_WORDS) and (
        text_words[index] not in _TOPICLESS or text_words[index] in _CONJUNCTIONS
    ):
        index += 1
    return index


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
