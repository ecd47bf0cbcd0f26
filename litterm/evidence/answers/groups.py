"""Chosen sentences grouped: those that say the same together, and for, against or unclear, or by aspect."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

MIN_RESTATEMENT_COSINE: Final = 0.55
"""Likeness of two sentences from which one restates the other."""
_MIN_RESTATEMENT_WORDS: Final = 4
"""Shorter ones are alike by a word or two."""


@dataclass(frozen=True, slots=True)
class Restated:
    """A chosen sentence with the others that say the same; all are numbers of the sentences given."""

    first: int
    others: tuple[int, ...]


def join_restatements(
    counts: Sequence[Mapping[str, int]], sides: Sequence[str], idf: Mapping[str, float], *, k: int
) -> list[Restated]:
    """At most `k` sentences, the first ones, each with those after it that say the same.

    `counts` are the stems of each sentence, the best sentence first; of two that say the same the better one stands.
    Sentences whose known `sides` differ say different things however alike they are.
    """
    vectors = [_unit_vector(each, idf) for each in counts]
    firsts: list[int] = []
    others: dict[int, list[int]] = {}
    for number, vector in enumerate(vectors):
        like = [
            (_cosine(vector, vectors[first]), -first)
            for first in firsts
            if sides[first] == sides[number] or "unclear" in (sides[first], sides[number])
        ]
        best, place = max(like, default=(0.0, 0))
        if best >= MIN_RESTATEMENT_COSINE and len(counts[number]) >= _MIN_RESTATEMENT_WORDS:
            others[-place].append(number)
        elif len(firsts) < k:
            firsts.append(number)
            others[number] = []
    return [Restated(first, tuple(others[first])) for first in firsts]


def _unit_vector(counts: Mapping[str, int], idf: Mapping[str, float]) -> dict[str, float]:
    raw = {stem: (1 + math.log(count)) * idf.get(stem, 1.0) for stem, count in counts.items()}
    norm = math.sqrt(math.fsum(weight * weight for weight in raw.values()))
    return {stem: weight / norm for stem, weight in raw.items()} if norm else {}


def _cosine(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    return math.fsum(weight * other[stem] for stem, weight in one.items() if stem in other)
