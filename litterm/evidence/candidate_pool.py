"""The candidate pool: the sentences of a paper that may be evidence, and the words each is made of."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from litterm.core.tasks import Task
from litterm.model.document import Document, Sentence, SentenceKind
from litterm.model.events import Progress
from litterm.text.tokens import FUNCTION_WORDS, stem, words

S = TypeVar("S")
R = TypeVar("R")

BATCH_SIZE = 200
"""Sentences processed between two progress events: about 30 ms of work on a slow machine."""
_IGNORED_WORDS = FUNCTION_WORDS | frozenset("fig figure figures table tables et al".split())
_MIN_WORDS = 5
"""Words of a candidate, unless every sentence of the paper is shorter."""
# Tried in this order until something is live; only the first serves a normal paper. Table rows are nearly
# all numbers and would win on them, so they and headings are for documents that hold nothing else.
_CANDIDATE_KINDS: tuple[frozenset[SentenceKind], ...] = (
    frozenset({"abstract", "body"}),
    frozenset({"abstract", "body", "caption", "table"}),
    frozenset({"title", "heading"}),
)


@dataclass(frozen=True, slots=True)
class CandidatePool:
    """Candidates in reading order; all sequences run parallel to `sentences`."""

    sentences: tuple[Sentence, ...]
    counts: tuple[Mapping[str, int], ...]
    """Stems and how often each occurs."""
    vectors: tuple[Mapping[str, float], ...]
    """Stems and weights, of length 1; empty for a sentence without content words."""
    idf: Mapping[str, float]
    """Over all sentences of the paper, headings included."""
    sentence_count: int
    """The number of these sentences."""


def build_candidate_pool(document: Document) -> Task[CandidatePool]:
    """The candidates of `document`; empty only for a document without any sentence.

    A candidate is a sentence of abstract or body with at least five words. A paper without one gives
    shorter sentences, captions and table rows, and at last its headings.
    """
    # Headings included: how rare a word is in the paper is known from all of it.
    all_counts = yield from map_in_batches(
        document.sentences, lambda s: Counter(content_stems(s.text)), "reading the paper"
    )
    frequency = Counter(stem for counts in all_counts for stem in counts)
    total = len(all_counts)
    idf = {stem: math.log(1 + (total - df + 0.5) / (df + 0.5)) for stem, df in frequency.items()}
    candidates = _candidate_sentences(document.sentences)
    counts = tuple(all_counts[sentence.index] for sentence in candidates)
    vectors = yield from map_in_batches(counts, lambda c: _unit_vector(c, idf), "weighing words")
    return CandidatePool(candidates, counts, tuple(vectors), idf, total)


def content_stems(text: str) -> list[str]:
    """Stems of `text` without function words and single letters, in order, with repeats."""
    return [
        stem(word) for word in words(text) if word not in _IGNORED_WORDS and (len(word) > 1 or _is_word_by_itself(word))
    ]


def map_in_batches(items: Sequence[S], work: Callable[[S], R], description: str) -> Task[list[R]]:
    """Applies `work` to each of `items`, with a `Progress` event before every batch."""
    results: list[R] = []
    for start in range(0, len(items), BATCH_SIZE):
        yield Progress(description, start, len(items))
        results.extend(map(work, items[start : start + BATCH_SIZE]))
    return results


def _is_word_by_itself(character: str) -> bool:
    # A digit or an ideograph is a word by itself; a Latin letter is a label or an initial.
    return character.isdigit() or not character.isalpha() or ord(character) > 0x2E7F


def _candidate_sentences(sentences: Sequence[Sentence]) -> tuple[Sentence, ...]:
    for min_words in (_MIN_WORDS, 1):
        candidates = _filter_sentences(sentences, _CANDIDATE_KINDS[0], min_words)
        if candidates:
            return candidates
    return next(
        (candidates for kinds in _CANDIDATE_KINDS[1:] if (candidates := _filter_sentences(sentences, kinds, 1))), ()
    )


def _filter_sentences(
    sentences: Iterable[Sentence], kinds: frozenset[SentenceKind], min_words: int
) -> tuple[Sentence, ...]:
    return tuple(s for s in sentences if s.kind in kinds and _count_words(s.text) >= min_words)


def _count_words(text: str) -> int:
    # Chinese and Japanese put no blanks between words; pairs of characters stand for words there.
    return len(text.split()) if text.isascii() else max(len(text.split()), len(words(text)))


def _unit_vector(counts: Mapping[str, int], idf: Mapping[str, float]) -> dict[str, float]:
    raw = {stem: (1 + math.log(count)) * idf[stem] for stem, count in counts.items()}
    norm = math.sqrt(sum(weight * weight for weight in raw.values()))
    return {stem: weight / norm for stem, weight in raw.items()} if norm else {}
