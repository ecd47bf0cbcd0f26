"""Finds the likely spelling of a word that no paper, or hardly any, contains."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from litterm.interfaces import WordFrequencies

_MIN_COMMON_COUNT = 3
"""A word seen less often may itself be a misspelling."""
MIN_LONG_WORD = 7
"""Letters from which on a rare word that is nearly a common one is taken for a misspelling of it."""
_MIN_COUNT_RATIO = 100
"""How many times more often than `word` a better one must be seen."""


def find_near_words(word: str, parts: Sequence[WordFrequencies], limit: int) -> tuple[str, ...]:
    """At most `limit` words of the vocabulary one slip away from `word` (folded), the most frequent first.

    None for a word of up to four letters: it has too many neighbours to tell which was meant.
    """
    if len(word) < 5 or not word.isalpha():
        return ()
    counts: dict[str, int] = {}
    for part in parts:
        for candidate, count in part.similar_words(word, 1):
            counts[candidate] = counts.get(candidate, 0) + count
    # 30 ms to import, and only an unknown word needs it.
    from rapidfuzz.distance import OSA
    from rapidfuzz.process import extract

    matches = extract(word, sorted(counts), scorer=OSA.distance, score_cutoff=1, limit=None)
    return tuple(
        sorted(
            (candidate for candidate, _, _ in matches if candidate != word),
            key=lambda candidate: (-counts[candidate], candidate),
        )[:limit]
    )


def find_usual_spelling(word: str, parts: Sequence[WordFrequencies], *, seen: int) -> str:
    """The word one slip away that is seen far more often than `word` (folded), which `seen` papers hold; else empty.

    Of long words only: a short one so near to a common word is rather a name made from it (BERTa).
    """
    if len(word) < MIN_LONG_WORD:
        return ""
    better = correct_spelling(word, parts, seen=seen)
    return better if better in find_near_words(word, parts, 1) else ""


def max_slips(word: str) -> int:
    """How many slips away the meant word may be."""
    return 1 if len(word) < 6 else 2


def correct_spelling(word: str, parts: Sequence[WordFrequencies], *, seen: int = 0) -> str:
    """The most frequent of the vocabulary's words nearest to `word` (folded), at most two slips away; else empty.

    `seen` is how many papers contain `word`; with any, only a far more frequent word will do.

    Words of up to three letters have too many neighbours to tell which was meant.
    """
    if len(word) < 4 or not word.isalpha():
        return ""
    slips = max_slips(word)
    counts: dict[str, int] = {}
    for part in parts:
        for candidate, count in part.similar_words(word, slips):
            counts[candidate] = counts.get(candidate, 0) + count
    common = sorted(
        candidate
        for candidate, count in counts.items()
        if candidate != word and count >= max(_MIN_COMMON_COUNT, seen * _MIN_COUNT_RATIO)
    )
    # 30 ms to import, and only an unknown word needs it.
    from rapidfuzz.distance import OSA
    from rapidfuzz.process import extract

    matches = extract(word, common, scorer=OSA.distance, score_cutoff=slips, limit=None)
    best = min(((distance, -counts[candidate], candidate) for candidate, distance, _ in matches), default=None)
    return best[2] if best else ""
