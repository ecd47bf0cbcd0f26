"""Whether a paper speaks to a hypothesis at all: a few signs, and a probability from them.

*Nothing here* is an answer. The signs do not depend on the ranking of sentences, so they are known before it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from statistics import fmean

from litterm.evidence.candidate_pool import CandidatePool, content_stems
from litterm.evidence.claim_closeness import ClaimClosenessTable
from litterm.evidence.wording.concepts import ConceptOccurrences
from litterm.model.document import Document

THIN = 30
"""With fewer candidates, for example an abstract alone, signs have weights of their own."""
_FULLEST = 10
_BEST = 3
_DIGITS = re.compile(r"\d+")
_BY_TITLE = 0.7
"""How much a concept counts in a sentence that only the title holds."""


@dataclass(frozen=True, slots=True)
class VerdictFeatures:
    """What tells a hypothesis about this paper from another; concepts are weighted by their rarity."""

    coverage: float
    """Share of the hypothesis that occurs anywhere in the paper, in any form; in [0, 1]."""
    exact: float
    """The same, in the hypothesis's own words."""
    depth: float
    """Mean of `ln(1 + sentences)` over the half of its concepts that fewest sentences hold."""
    front: float
    """Share of it that title and abstract hold; without them that of the ten fullest sentences."""
    together: float
    """Share of its pairs of concepts that meet in one sentence; in [0, 1]."""
    alike: float
    """As `coverage`, a word that begins alike counting too."""
    often: float
    """Mean of `ln(1 + sentences)` over all its concepts, a word that begins alike counting too."""
    met: float
    """As `together`, a word that begins alike counting too, and the title as if it stood in every sentence."""
    close: float
    """Mean of `Bearing.in_context` over the three best sentences; in [0, 1]."""
    held: float
    """Mean of `Bearing.share` over the three best sentences; in [0, 1]."""
    spelled: float
    """Mean of `Bearing.all_letters` over the three best sentences; in [0, 1]."""
    halves: float
    """How much of the worse covered half of the hypothesis the best sentence for that half holds; in [0, 1]."""
    numbers: float
    """Share of its numbers that occur in the paper, those in names such as *IL-6* too; 1 where it has none."""


SIGNS = tuple(sign.name for sign in fields(VerdictFeatures))


def read_signs(
    document: Document, pool: CandidatePool, held: ConceptOccurrences, near: ClaimClosenessTable
) -> VerdictFeatures:
    """The signs of one paper and hypothesis; `near` are its candidates against the hypothesis."""
    rarities = [concept.rarity for concept in held.concepts]
    whole = sum(rarities)
    own = [concept.stem in pool.idf for concept in held.concepts]
    covered = [here or frequency > 0 for here, frequency in zip(own, held.frequency, strict=True)]
    shares = sorted((held.share(place) for place in range(len(held.counts))), reverse=True)[:_FULLEST] or [0.0]
    frequencies = sorted(held.frequency)[: max(1, len(held.frequency) // 2)]
    front = _front(document, pool, held)
    return VerdictFeatures(
        coverage=sum(rarity for rarity, here in zip(rarities, covered, strict=True) if here) / whole,
        exact=sum(rarity for rarity, here in zip(rarities, own, strict=True) if here) / whole,
        depth=fmean(math.log1p(100 * frequency / max(1, len(held.counts))) for frequency in frequencies),
        front=fmean(shares) if front is None else sum(rarities[number] for number in front) / whole,
        together=_together(held, rarities),
        alike=_alike(near),
        often=_often(near),
        met=_met(near),
        close=_of_best([each.in_context for each in near.each]),
        held=_of_best([each.share for each in near.each]),
        spelled=_of_best([each.all_letters for each in near.each]),
        halves=_halves(near),
        numbers=_numbers([concept.stem for concept in held.concepts], pool.idf),
    )


def probability(signs: VerdictFeatures, weights: Sequence[float]) -> float:
    """Logistic of the weighted signs; the last weight is the constant."""
    value = sum(weight * sign for weight, sign in zip(weights, (*astuple(signs), 1.0), strict=True))
    return 1 / (1 + math.exp(-max(-60.0, min(60.0, value))))


def _front(document: Document, pool: CandidatePool, held: ConceptOccurrences) -> frozenset[int] | None:
    title = {stem for row in document.sentences if row.kind == "title" for stem in content_stems(row.text)}
    places = [place for place, sentence in enumerate(pool.sentences) if sentence.kind == "abstract"]
    if not title and not places:
        return None
    named = {number for number, concept in enumerate(held.concepts) if not title.isdisjoint(concept.forms)}
    return frozenset(named.union(*(held.counts[place] for place in places)))


def _together(held: ConceptOccurrences, rarities: Sequence[float]) -> float:
    size = len(rarities)
    if size < 2:
        return float(held.frequency[0] > 0)
    met = {(one, other) for held_here in held.counts for one in held_here for other in held_here if one < other}
    whole = (sum(rarities) ** 2 - sum(rarity * rarity for rarity in rarities)) / 2
    return sum(rarities[one] * rarities[other] for one, other in sorted(met)) / whole


def _of_best(values: Sequence[float]) -> float:
    return fmean(sorted(values, reverse=True)[:_BEST] or [0.0])


def _alike(near: ClaimClosenessTable) -> float:
    most: dict[int, float] = dict(near.title)
    for levels in near.levels:
        for number, worth in levels.items():
            most[number] = max(most.get(number, 0.0), worth)
    return sum(near.rarities[number] * worth for number, worth in most.items()) / sum(near.rarities)


def _often(near: ClaimClosenessTable) -> float:
    total: dict[int, float] = {}
    for levels in near.levels:
        for number, worth in levels.items():
            total[number] = total.get(number, 0.0) + worth
    return sum(near.rarities[number] * math.log1p(count) for number, count in total.items()) / sum(near.rarities)


def _met(near: ClaimClosenessTable) -> float:
    rarities = near.rarities
    if len(rarities) < 2:
        return max((levels.get(0, 0.0) for levels in near.levels), default=0.0)
    best: dict[tuple[int, int], float] = {}
    by_title = {number: _BY_TITLE * worth for number, worth in near.title.items()}
    for levels in near.levels:
        here = by_title | {number: max(worth, by_title.get(number, 0.0)) for number, worth in levels.items()}
        for one, worth in here.items():
            for other, other_worth in here.items():
                if one < other:
                    best[one, other] = max(best.get((one, other), 0.0), worth * other_worth)
    whole = (sum(rarities) ** 2 - sum(rarity * rarity for rarity in rarities)) / 2
    return sum(rarities[one] * rarities[other] * worth for (one, other), worth in sorted(best.items())) / whole


def _halves(near: ClaimClosenessTable) -> float:
    """A paper on what a claim is about need not speak of what it says about that; each stands in a half of its own."""
    # With full rarities one word would decide on its half. A word in the middle is in neither.
    weights = [math.sqrt(rarity) for rarity in near.rarities]
    size = len(weights)
    half = max(1, size // 2)
    return min(_most_of(near.levels, weights, part) for part in (range(half), range(size - half, size)))


def _most_of(levels: Sequence[Mapping[int, float]], weights: Sequence[float], part: range) -> float:
    whole = math.fsum(weights[number] for number in part)
    held = (math.fsum(weights[number] * here.get(number, 0.0) for number in part) for here in levels)
    return max(held, default=0.0) / whole


def _numbers(asked: Iterable[str], known: Iterable[str]) -> float:
    wanted = _runs_of_digits(asked)
    return len(wanted & _runs_of_digits(known)) / len(wanted) if wanted else 1.0


def _runs_of_digits(stems: Iterable[str]) -> frozenset[str]:
    return frozenset(run for stem in stems for run in _DIGITS.findall(stem))
