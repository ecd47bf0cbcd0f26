"""Selects the words of a question or a description that carry its topic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from litterm.text.function_words import FUNCTION_WORDS, QUESTION_WORDS, SENTENCE_WORDS
from litterm.text.tokens import words

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
