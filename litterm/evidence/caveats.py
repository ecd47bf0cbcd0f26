"""Caveats of an evidence answer: little text, another language, or a paper that is not about the hypothesis."""

from __future__ import annotations

from litterm.evidence.candidate_pool import CandidatePool
from litterm.evidence.hypothesis import Hypothesis
from litterm.model.document import Document
from litterm.model.evidence import ABSTRACT_ONLY_CAVEAT, NO_SHARED_WORD
from litterm.text.plural import count_phrase
from litterm.text.tokens import words

_MIN_SENTENCES = 10
"""An answer from fewer sentences is said to be limited evidence."""
_LANGUAGE_SAMPLE_SIZE = 200
"""Sentences that are read to detect the language."""
# English papers have .20 or more of these; French, German and Dutch ones below .05.
_ENGLISH_FUNCTION_WORDS = frozenset("the of and to is was were that with for by from this are which we".split())
_MIN_ENGLISH_SHARE = 0.1
# At a share of .20 one English text in nine has none of them among ten words, and more have none among fewer.
_MIN_LANGUAGE_WORDS = 10


def caveats_of(document: Document, pool: CandidatePool, hypothesis: Hypothesis) -> tuple[str, ...]:
    """One sentence for each thing the user should know before trusting the answer."""
    sentences: list[str] = []
    if not pool.sentences:
        return ("This document holds no sentence.",)
    if all(row.kind == "title" for row in pool.sentences):
        sentences.append("Title only: very limited evidence.")
    elif document.origin == "abstract":
        sentences.append(ABSTRACT_ONLY_CAVEAT)
    elif len(pool.sentences) < _MIN_SENTENCES:
        sentences.append(f"Only {count_phrase(len(pool.sentences), 'sentence')} could be read: limited evidence.")
    if not _is_english(pool):
        sentences.append(
            "The cue words are English and this text does not seem to be: only shared words and position count."
        )
    # A notice and no error: other forms and synonyms may still be found.
    if not any(stem in pool.idf for stem in hypothesis.words):
        sentences.append(NO_SHARED_WORD)
    return tuple(sentences)


def _is_english(pool: CandidatePool) -> bool:
    # English titles do without these words, too.
    prose = [row.text for row in pool.sentences if row.kind != "title"]
    sample = [word for text in prose[:_LANGUAGE_SAMPLE_SIZE] for word in words(text)]
    return len(sample) < _MIN_LANGUAGE_WORDS or (
        sum(word in _ENGLISH_FUNCTION_WORDS for word in sample) >= _MIN_ENGLISH_SHARE * len(sample)
    )
