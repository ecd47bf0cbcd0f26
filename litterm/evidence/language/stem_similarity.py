"""The similarity of two stems by their common prefix: *FOXO3a* and *FOXO*, *oncogene* and *oncogenic*.

Endings tell forms of one word apart, beginnings words. What stemming leaves apart, and what no list of
synonyms holds, such as names and their variants, is found so.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile

from litterm.evidence.language.concepts import Concept

_BUCKET_PREFIX = 3
_MAX_SHORT_STEM = 4
_SHORT_PREFIX_SIMILARITY, _PREFIX_SIMILARITY, _PARTLY = 0.6, 0.8, 0.9


def stem_similarity(first: str, second: str) -> float:
    """1 for the same stem, .8 where one begins with the other (.6 by three letters), else the share begun alike.

    0 for stems that share fewer than four letters at their beginning.
    """
    if first == second:
        return 1.0
    prefix_length = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False)))
    if prefix_length < _BUCKET_PREFIX or (
        prefix_length < _MAX_SHORT_STEM and prefix_length < min(len(first), len(second))
    ):
        return 0.0
    if prefix_length == min(len(first), len(second)):
        return _PREFIX_SIMILARITY if prefix_length >= _MAX_SHORT_STEM else _SHORT_PREFIX_SIMILARITY
    return _PARTLY * prefix_length / max(len(first), len(second))


def match_stems(concepts: Sequence[Concept], stems: Iterable[str]) -> Mapping[str, Sequence[tuple[int, float]]]:
    """For each of `stems` that stands for a concept or begins like it: the concepts by number, and how well."""
    buckets: defaultdict[str, list[str]] = defaultdict(list)
    known = frozenset(stems)
    # Sorted: the order of a set differs from run to run, and sums of floats with it.
    for stem in sorted(known):
        buckets[stem[:_BUCKET_PREFIX]].append(stem)
    by_stem: defaultdict[str, list[tuple[int, float]]] = defaultdict(list)
    for number, concept in enumerate(concepts):
        weights = {stem: weight for stem, weight in concept.forms.items() if stem in known}
        for stem in buckets.get(concept.stem[:_BUCKET_PREFIX], ()):
            weights[stem] = max(weights.get(stem, 0.0), stem_similarity(concept.stem, stem))
        for stem, weight in weights.items():
            if weight > 0:
                by_stem[stem].append((number, weight))
    return by_stem
