"""Parses the topic of a reading list, which is typed as keywords separated by commas or as a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from litterm.core.errors import UsageError
from litterm.model.reading_list import Topic
from litterm.text.queries.topic_words import remove_asides, remove_request
from litterm.text.request_limits import check_topic
from litterm.text.tokens import FUNCTION_WORDS, QUESTION_WORDS, SENTENCE_WORDS, tokens, words

MAX_KEYWORDS = 8
_MAX_UNDIVIDED_WORDS = 5
"""A topic without a comma is one keyword if it has at most this many words; a longer one is a sentence."""
_MAX_PHRASE_WORDS = 4
_CACHE_SIZE = 1024
"""Texts whose stems are kept, at most 10 kB each: making one list asks for those of some 500 texts several times."""
_KEYWORD_SEPARATOR = re.compile(r"[,;\n]|\|\|")
_BRACKETS = re.compile(r"\([^()]*\)")
_CLAUSE_BREAK = re.compile(r"[,;:.!?()]\s|[,;:.!?()]$|\(")
_DISCIPLINE = re.compile(
    r"\b(?:natural\s{1,3}language\s{1,3}processing|nlp|machine\s{1,3}learning|ml|deep\s{1,3}learning|computational\s{1,3}linguistics"
    r"|artificial\s{1,3}intelligence|ai|computer\s{1,3}science)\b(?:\s{0,3}\(\w{1,20}\))?",
    re.IGNORECASE,
)
"""Names of whole disciplines. Nearly every paper of a library belongs to one, so they do not narrow a topic."""
_VAGUE_WORDS = frozenset(
    "abilities ability aspect aspects basic capture challenge challenges community concept concepts context current "
    "deal different different effective faced field focus focused focuses focusing general generally good include "
    "included includes including issue issues kind kinds main measure modern new novel particular pertinent "
    "precisely problem problems process progress regarding scenario scenarios setting settings solve solving "
    "strategies strategy technique techniques tool tools topic topics type types understand various way ways "
    "write written".split()
)
_UNINFORMATIVE_WORDS = FUNCTION_WORDS | QUESTION_WORDS | SENTENCE_WORDS | _VAGUE_WORDS


def read_topic(typed: str) -> Topic:
    """Parses `typed` as keywords or as a sentence.

    Raises:
        UsageError: `typed` has no word to search for.
        AsksTooMuch: it has more words than a topic may have.
    """
    check_topic(typed)
    topic_text = remove_asides(remove_request(typed)).strip()
    if not words(topic_text):
        raise UsageError("Say the topic of the reading list: keywords separated by commas, or a sentence.")
    # A request ("Papers on X, please") is a sentence, even if it has commas.
    is_request = topic_text != typed.strip()
    parts = [
        part
        for part_text in _KEYWORD_SEPARATOR.split(topic_text)
        if (part := " ".join(_BRACKETS.sub(" ", part_text).split()).strip(" .?!"))
    ]
    if not is_request and (len(parts) > 1 or len(words(topic_text)) <= _MAX_UNDIVIDED_WORDS):
        # In "Transformers, NLP" the discipline adds nothing. It is kept if it is the whole topic.
        informative_parts = [part for part in parts if words(_DISCIPLINE.sub(" ", part))]
        return Topic(
            typed, topic_text, "keywords", _drop_redundant_phrases(informative_parts or parts) or (topic_text,)
        )
    topic_text = _remove_disciplines(topic_text)
    phrases = _drop_redundant_phrases(list(_split_into_phrases(topic_text)))
    informative_words = [word for word in words(topic_text) if word not in _UNINFORMATIVE_WORDS]
    return Topic(typed, " ".join(informative_words) or topic_text, "question", phrases or (topic_text,))


def _remove_disciplines(text: str) -> str:
    """`text` without the names of disciplines, unless nothing else would be left."""
    rest = _DISCIPLINE.sub(" ", text)
    return rest if any(word not in _UNINFORMATIVE_WORDS for word in words(rest)) else text


def _split_into_phrases(text: str) -> Iterator[str]:
    """Runs of informative words in `text`, split at punctuation and at function words."""
    for clause in _CLAUSE_BREAK.split(text):
        run: list[str] = []
        for word in [*clause.split(), ""]:
            bare = word.strip(".,;:!?()\"'“”")
            is_informative = bool(bare) and any(single not in _UNINFORMATIVE_WORDS for single in words(bare))
            if is_informative and len(run) < _MAX_PHRASE_WORDS:
                run.append(bare)
            else:
                if run:
                    yield " ".join(run)
                run = [bare] if is_informative else []


def _drop_redundant_phrases(phrases: Sequence[str]) -> tuple[str, ...]:
    """`phrases` without those whose stems all occur in another one; of phrases with equal stems the first is kept."""
    by_stems: dict[frozenset[str], str] = {}
    for phrase in phrases:
        by_stems.setdefault(content_stems(phrase), phrase)
    distinct = [phrase for stems, phrase in by_stems.items() if stems and not any(stems < other for other in by_stems)]
    return tuple(distinct[:MAX_KEYWORDS])


@lru_cache(maxsize=_CACHE_SIZE)
def content_stems(text: str) -> frozenset[str]:
    """The stems of the words of `text` that are not stop words."""
    return frozenset(tokens(text))
