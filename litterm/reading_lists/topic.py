"""What a reading list is asked for: keywords separated by commas, or a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from litterm.core.errors import UsageError
from litterm.model.reading_list import Topic
from litterm.text.function_words import FUNCTION_WORDS, QUESTION_WORDS, SENTENCE_WORDS
from litterm.text.queries.requests import without_asides, without_request
from litterm.text.tokens import tokens, words

MOST_KEYWORDS = 8
_FEW_WORDS = 5
"""Up to so many words without a comma are one keyword."""
_PHRASE_WORDS = 4
_CACHE_SIZE = 1024
"""Texts whose stems are kept, at most 10 kB each: making one list asks for those of some 500 texts several times."""
_SEPARATORS = re.compile(r"[,;\n]|\|\|")
_BRACKETS = re.compile(r"\([^()]*\)")
_BETWEEN = re.compile(r"[,;:.!?()]\s|[,;:.!?()]$|\(")
_DISCIPLINE = re.compile(
    r"\b(?:natural\s{1,3}language\s{1,3}processing|nlp|machine\s{1,3}learning|ml|deep\s{1,3}learning|computational\s{1,3}linguistics"
    r"|artificial\s{1,3}intelligence|ai|computer\s{1,3}science)\b(?:\s{0,3}\(\w{1,20}\))?",
    re.IGNORECASE,
)
"""What nearly every paper of a library is about says little beside a topic."""
_VAGUE = frozenset(
    "abilities ability aspect aspects basic capture challenge challenges community concept concepts context current "
    "deal different different effective faced field focus focused focuses focusing general generally good include "
    "included includes including issue issues kind kinds main measure modern new novel particular pertinent "
    "precisely problem problems process progress regarding scenario scenarios setting settings solve solving "
    "strategies strategy technique techniques tool tools topic topics type types understand various way ways "
    "write written".split()
)
_NOT_TELLING = FUNCTION_WORDS | QUESTION_WORDS | SENTENCE_WORDS | _VAGUE


def read_topic(typed: str) -> Topic:
    """The topic in `typed`, read as keywords or as a sentence.

    Raises:
        UsageError: there is no word in it to search for.
    """
    rest = without_asides(without_request(typed)).strip()
    if not words(rest):
        raise UsageError("Say the topic of the reading list: keywords separated by commas, or a sentence.")
    # "Papers on X, please": who asks in a sentence means no list of keywords, whatever its commas.
    is_request = rest != typed.strip()
    parts = [
        part
        for part_text in _SEPARATORS.split(rest)
        if (part := " ".join(_BRACKETS.sub(" ", part_text).split()).strip(" .?!"))
    ]
    if not is_request and (len(parts) > 1 or len(words(rest)) <= _FEW_WORDS):
        # "Transformers, NLP": the discipline adds nothing, unless it is all there is.
        telling_parts = [part for part in parts if words(_DISCIPLINE.sub(" ", part))]
        return Topic(typed, rest, "keywords", _distinct(telling_parts or parts) or (rest,))
    rest = _without_discipline(rest)
    phrases = _distinct(list(_phrases(rest)))
    telling = [word for word in words(rest) if word not in _NOT_TELLING]
    return Topic(typed, " ".join(telling) or rest, "question", phrases or (rest,))


def _without_discipline(text: str) -> str:
    """`text` without the names of whole disciplines, unless nothing else is left."""
    rest = _DISCIPLINE.sub(" ", text)
    return rest if any(word not in _NOT_TELLING for word in words(rest)) else text


def _phrases(text: str) -> Iterator[str]:
    """Runs of telling words, cut where punctuation or a word that only joins stands between them."""
    for clause in _BETWEEN.split(text):
        run: list[str] = []
        for word in [*clause.split(), ""]:
            bare = word.strip(".,;:!?()\"'“”")
            telling = bool(bare) and any(single not in _NOT_TELLING for single in words(bare))
            if telling and len(run) < _PHRASE_WORDS:
                run.append(bare)
            else:
                if run:
                    yield " ".join(run)
                run = [bare] if telling else []


def _distinct(phrases: Sequence[str]) -> tuple[str, ...]:
    """The first of those that are made of the same stems, and none whose stems all stand in another."""
    by_stems: dict[frozenset[str], str] = {}
    for phrase in phrases:
        by_stems.setdefault(content_stems(phrase), phrase)
    distinct = [phrase for stems, phrase in by_stems.items() if stems and not any(stems < other for other in by_stems)]
    return tuple(distinct[:MOST_KEYWORDS])


@lru_cache(maxsize=_CACHE_SIZE)
def content_stems(text: str) -> frozenset[str]:
    """The stems of the words of `text` that are not stop words."""
    return frozenset(tokens(text))
