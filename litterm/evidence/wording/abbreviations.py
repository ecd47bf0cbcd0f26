"""Abbreviations that a paper explains itself: *liquid chromatography (LC)*."""

from __future__ import annotations

import re
from collections.abc import Iterable

_BRACKETED = re.compile(r"[(\[]([A-Za-z][\w/-]{1,9})[)\];,]")
_FEWEST_CAPITALS = 2
"""With fewer, what stands in brackets is mostly a word or a label."""


def abbreviations(texts: Iterable[str]) -> dict[str, str]:
    """Short form to the long form that stands right before its first explained mention.

    Every letter and digit of the short form occurs in the long form, in order, the first at a word's start
    (the rule of Schwartz and Hearst). Bounded work at every bracket.
    """
    long_forms: dict[str, str] = {}
    for text in texts:
        for bracket in _BRACKETED.finditer(text):
            short = bracket[1]
            if short not in long_forms and sum(character.isupper() for character in short) >= _FEWEST_CAPITALS:
                long = _long_form(short, text[max(0, bracket.start() - 200) : bracket.start()])
                if long:
                    long_forms[short] = long
    return long_forms


def _long_form(short: str, before: str) -> str:
    """The shortest end of `before` that spells `short`; empty if none does."""
    # No further back: longer stretches spell any short form by chance.
    words = before.split()[-min(len(short) + 5, 2 * len(short)) :]
    text = " ".join(words)
    folded = text.lower()
    position = len(folded)
    letters = [character for character in short.lower() if character.isalnum()]
    for place, letter in reversed(list(enumerate(letters))):
        position = folded.rfind(letter, 0, position)
        while place == 0 and position > 0 and folded[position - 1].isalnum():
            position = folded.rfind(letter, 0, position)
        if position < 0:
            return ""
    return text[position:] if letters else ""
