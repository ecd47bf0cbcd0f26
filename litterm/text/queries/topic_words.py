"""The words of a question or a description that tell of its topic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from litterm.text.function_words import FUNCTION_WORDS, QUESTION_WORDS, SENTENCE_WORDS
from litterm.text.tokens import words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_TALK = FUNCTION_WORDS | QUESTION_WORDS | SENTENCE_WORDS
_SAVE = (("other", "than"), ("except", "for"), ("except",), ("apart", "from"), ("aside", "from"), ("excluding",))
"""What stands before something that is not asked for. "Rather than", "instead of" and "without" are not among them:
a paper that does without something says so."""
_JOINING = frozenset("and or nor".split())
_LONGEST = 6
"""Words that can be excepted at once."""
_KNOWING = "know"
"""What a topic knows is asked for ("do language models know when they are wrong"); what people know is talk ("what do
we know about negation"). "Tell" always talks: "can encoders tell whether" asks about what follows."""


def topic_words(texts: Iterable[str]) -> list[str]:
    """The folded words of `texts` that tell of a topic, in order; all of them if none does.

    Words that only talk are left out, and so is what is excepted: "languages other than English" is not about English.
    """
    found = [word for text in texts for word in words(text)]
    return _telling(list(_asked_for(found))) or _telling(found) or found


def _telling(found: Sequence[str]) -> list[str]:
    """Those of `found` that do more than talk."""
    before = ("", *found)
    return [
        word
        for word, last in zip(found, before, strict=False)
        if word not in _TALK or (word == _KNOWING and last and last not in _TALK)
    ]


def _asked_for(found: Sequence[str]) -> Iterator[str]:
    at = 0
    while at < len(found):
        save = next((each for each in _SAVE if tuple(found[at : at + len(each)]) == each), None)
        if save is None:
            yield found[at]
            at += 1
        else:
            at = _past_excepted(found, at + len(save))


def _past_excepted(found: Sequence[str], start: int) -> int:
    """Where the phrase that begins at `start` ends: before a word that only talks, joining words apart."""
    at = start
    while at < min(len(found), start + _LONGEST) and (found[at] not in _TALK or found[at] in _JOINING):
        at += 1
    return at
