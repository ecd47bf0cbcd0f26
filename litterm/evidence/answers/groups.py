"""Chosen sentences grouped: those that say the same together, and for, against or unclear, or by aspect."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from litterm.evidence.language.stance import say_alike

MIN_RESTATEMENT_COSINE: Final = 0.55
"""Likeness of two sentences from which one restates the other."""
_MIN_RESTATEMENT_WORDS: Final = 4
"""Shorter ones are alike by a word or two."""
_NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)*")


@dataclass(frozen=True, slots=True)
class Restated:
    """A chosen sentence with the others that say the same; all are numbers of the sentences given."""

    first: int
    others: tuple[int, ...]


def join_restatements(
    texts: Sequence[str], counts: Sequence[Mapping[str, int]], idf: Mapping[str, float], *, k: int
) -> list[Restated]:
    """At most `k` sentences, the first ones, each with those after it that say the same.

    `texts` have the best sentence first, and `counts` are their stems; of two that say the same the better one stands.
    Sentences of another direction, or with other numbers, say something else however alike they are.
    """
    vectors = [_unit_vector(each, idf) for each in counts]
    numbers = [frozenset(_NUMBER.findall(text)) for text in texts]
    firsts: list[int] = []
    others: dict[int, list[int]] = {}
    for place, vector in enumerate(vectors):
        like = [
            (cosine, -first)
            for first in firsts
            if (cosine := _cosine(vector, vectors[first])) >= MIN_RESTATEMENT_COSINE
            and (numbers[place] <= numbers[first] or numbers[first] <= numbers[place])
            and say_alike(texts[place], texts[first])
        ]
        if like and len(counts[place]) >= _MIN_RESTATEMENT_WORDS:
            others[-max(like)[1]].append(place)
        elif len(firsts) < k:
            firsts.append(place)
            others[place] = []
    return [Restated(first, tuple(others[first])) for first in firsts]


def _unit_vector(counts: Mapping[str, int], idf: Mapping[str, float]) -> dict[str, float]:
    raw = {stem: (1 + math.log(count)) * idf.get(stem, 1.0) for stem, count in counts.items()}
    norm = math.sqrt(math.fsum(weight * weight for weight in raw.values()))
    return {stem: weight / norm for stem, weight in raw.items()} if norm else {}


def _cosine(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    return math.fsum(weight * other[stem] for stem, weight in one.items() if stem in other)
