"""Tells what kind of query a text is: keywords, a question, an excerpt with a masked citation, or a description."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from litterm.text.tokens import words

if TYPE_CHECKING:
    from litterm.model.search import QueryKind

LONG = 60
"""Words from which on a text describes rather than asks."""
BROAD_SCREEN, SPECIFIC_SCREEN = 20, 5

_MASKED = re.compile(r"\[(?:CITATION|CITE|REF|AUTHOR|\?)\]|\\cite\w*\s*(?:\[[^\]]*\]\s*)*\{")
_CITED = re.compile(r"\([^()]{0,60}[A-Z][^()]{1,80},? (?:19|20)\d\d[a-z]?\)|\[\d{1,3}(?:\s*[,–-]\s*\d{1,3})*\]")
_SENTENCE = 8
"""Words from which on a citation in a text is part of a sentence, not of a pasted reference."""
_OPENINGS = frozenset(
    "any anybody anyone are can could did do does find give has have help how i im is let list looking name need "
    "please point recommend research searching show somebody someone studies suggest tell there want was were "
    "what when where which who whom whose why work works".split()
)
_REMEMBERED = re.compile(
    r"(?:(?:the|that|this|a|an|some|any|recent)\s+(?:\w+\s+){0,2})?(?:papers?|works?)\s+"
    r"(?:on|about|that|which|where|in|by|from|of|using|with|showing|proposing|like)\b",
    re.IGNORECASE,
)
"""How one begins who describes a paper: "the paper on ...", "some recent papers about ..."."""
_ASKING = 4
"""Words from which on a text without a question mark may be a question."""
_INTERROGATIVES = frozenset("what when where which who whom whose why how".split())
_ASKED_BY_THESE = 3
"""The same where it begins with an interrogative: "what causes asthma" asks, "learning to rank" does not."""
_LISTS = (("list",), ("name",), ("give",), ("what", "are"), ("are", "there"))
"""How a request for several things begins."""
_SUBJECTS = frozenset("any find papers recent recommend show some what which works".split())
_SUBJECT = 5
"""Words within which such a question names what it asks for."""
_SEVERAL = frozenset(
    "algorithms approaches architectures articles benchmarks corpora datasets frameworks generators ideas measures "
    "methods metrics models networks papers parsers projects resources segmenters strategies studies summarizers "
    "surveys systems taggers techniques tools tutorials ways works".split()
)
"""Things a question may ask several of."""


def kind_of(text: str) -> QueryKind:
    """As what `text`, without its filters, is best read."""
    text_words = words(text)
    if is_excerpt(text):
        return "excerpt"
    if len(text_words) >= LONG:
        return "long"
    if text.rstrip().endswith("?") and len(text_words) > 1:
        return "question"
    return "question" if _asks(text, text_words) else "keywords"


def _asks(text: str, text_words: list[str]) -> bool:
    """Whether a text, without a question mark, is a question all the same."""
    if len(text_words) < _ASKING:
        return len(text_words) >= _ASKED_BY_THESE and text_words[0] in _INTERROGATIVES
    return text_words[0] in _OPENINGS or bool(_REMEMBERED.match(text.lstrip()))


def is_excerpt(text: str) -> bool:
    """Whether a citation stands in `text`, masked or in the middle of a sentence."""
    if _MASKED.search(text):
        return True
    return _CITED.search(text) is not None and len(words(text)) >= _SENTENCE


def is_pasted(text: str) -> bool:
    """Whether `text` was rather pasted than typed: its quotes and dashes then mean nothing."""
    return is_excerpt(text) or len(text.split(maxsplit=LONG)) >= LONG


def first_screen(text: str, kind: QueryKind) -> int:
    """How many papers to show first: few where only few can answer."""
    return BROAD_SCREEN if _is_broad(words(text), kind) else SPECIFIC_SCREEN


def _is_broad(text_words: list[str], kind: QueryKind) -> bool:
    match kind:
        case "excerpt":
            return False
        case "question":
            # Right for 85.3 % of the 170 LitSearch-style questions, where calling all of them specific is for 79.4 %;
            # a short first screen, which hides something where it is wrong, is right in 93 of 100 cases.
            return tuple(text_words[:1]) in _LISTS or tuple(text_words[:2]) in _LISTS or _asks_several(text_words)
        case "keywords" | "long" | "paper":
            return True


def _asks_several(text_words: list[str]) -> bool:
    return not _SUBJECTS.isdisjoint(text_words[:1]) and not _SEVERAL.isdisjoint(text_words[:_SUBJECT])
