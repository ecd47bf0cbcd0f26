"""Few sentences that together carry all study aspects that any sentence carries."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence


def smallest_cover(carriers: Sequence[Collection[int]], worth: Mapping[int, float]) -> tuple[int, ...]:
    """Greedy set cover: each time the sentence that carries most of the aspects still uncovered.

    Of several that carry as many it takes the one with the larger `worth` (0 where it has none), then the earlier one.
    `carriers` are, for each aspect, the sentences that carry it; an aspect without any stays uncovered. Greedy covers
    are at most a factor of ln n + 1 larger than the smallest, and on lists of ten aspects mostly as small.
    """
    left = [frozenset(sentences) for sentences in carriers if sentences]
    chosen: list[int] = []
    while left:
        counts: dict[int, int] = {}
        for sentences in left:
            for sentence in sentences:
                counts[sentence] = counts.get(sentence, 0) + 1
        best = min(counts, key=lambda sentence: (-counts[sentence], -worth.get(sentence, 0.0), sentence))
        chosen.append(best)
        left = [sentences for sentences in left if best not in sentences]
    return tuple(chosen)
