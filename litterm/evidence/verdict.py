"""The probability that a paper has evidence on a hypothesis, from a few features of the whole paper.

The features do not depend on the ranking of sentences, so the verdict is known before it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from statistics import fmean

from litterm.evidence.candidate_pool import CandidatePool, content_stems
from litterm.evidence.features import ClaimClosenessTable
from litterm.evidence.language.concepts import ConceptOccurrences
from litterm.evidence.strength import logistic
from litterm.model.document import Document

MIN_FULL_TEXT_SENTENCES = 30
"""Papers with fewer candidates, for example an abstract alone, have weights of their own."""
MIN_VERDICT_SENTENCES = 4
"""Papers with fewer candidates get no probability: of those with the lowest nearly half had evidence."""
_SURROGATE_SENTENCES = 10
"""Sentences that stand for title and abstract where a document has neither."""
_BEST_SENTENCES = 3
"""Sentences that are averaged, since a single one may be close to the claim by chance."""
_DIGIT_RUN = re.compile(r"\d+")
_TITLE_WEIGHT = 0.7
"""How much a concept counts in a sentence that only the title holds."""
_MAX_PAIRED_CONCEPTS = 60
"""Concepts of a hypothesis, the first ones, that are looked for in pairs: pairs grow with the square. The longest of
6,209 claims of the benchmarks has 41."""


@dataclass(frozen=True, slots=True)
class VerdictFeatures:
    """Features that separate a hypothesis about this paper from one about another; concepts are weighted by rarity."""

    coverage: float
    """Share of the hypothesis that occurs anywhere in the paper, in any form; in [0, 1]."""
    exact: float
    """The same, in the hypothesis's own words."""
    depth: float
    """Mean of `ln(1 + percent of the sentences)` over the half of its concepts that fewest sentences hold."""
    front: float
    """Share of it that title and abstract hold; without them that of the ten fullest sentences."""
    together: float
    """Share of its pairs of concepts that meet in one sentence; in [0, 1]."""
    alike: float
    """As `coverage`, a word that begins alike counting too."""
    often: float
    """Mean of `ln(1 + sentences)` over all its concepts, a word that begins alike counting too."""
    met: float
    """As `together`, a word that begins alike counting too, and the title as if it was in every sentence."""
    close: float
    """Mean of `ClaimCloseness.in_context` over the three best sentences; in [0, 1]."""
    held: float
    """Mean of `ClaimCloseness.share` over the three best sentences; in [0, 1]."""
    spelled: float
    """Mean of `ClaimCloseness.all_letters` over the three best sentences; in [0, 1]."""
    halves: float
    """How much of the worse covered half of the hypothesis the best sentence for that half holds; in [0, 1]."""
    numbers: float
    """Share of its numbers that occur in the paper, those in names such as *IL-6* too; 1 where it has none."""


VERDICT_FEATURES = tuple(sign.name for sign in fields(VerdictFeatures))


def compute_verdict_features(
    document: Document, pool: CandidatePool, occurrences: ConceptOccurrences, closeness: ClaimClosenessTable
) -> VerdictFeatures:
    """The features of one paper and hypothesis; `closeness` are its candidates against the hypothesis."""
    rarities = [concept.rarity for concept in occurrences.concepts]
    total_rarity = sum(rarities)
    occurs_literally = [concept.stem in pool.idf for concept in occurrences.concepts]
    covered = [
        occurs or frequency > 0 for occurs, frequency in zip(occurs_literally, occurrences.frequency, strict=True)
    ]
    shares = sorted((occurrences.hypothesis_share(place) for place in range(len(occurrences.counts))), reverse=True)[
        :_SURROGATE_SENTENCES
    ] or [0.0]
    # The rarer half: what the paper is about occurs anyway, what is claimed of it need not.
    frequencies = sorted(occurrences.frequency)[: max(1, len(occurrences.frequency) // 2)]
    front = _front_concepts(document, pool, occurrences)
    return VerdictFeatures(
        coverage=sum(rarity for rarity, occurs in zip(rarities, covered, strict=True) if occurs) / total_rarity,
        exact=sum(rarity for rarity, occurs in zip(rarities, occurs_literally, strict=True) if occurs) / total_rarity,
        depth=fmean(math.log1p(100 * frequency / max(1, len(occurrences.counts))) for frequency in frequencies),
        front=fmean(shares) if front is None else sum(rarities[number] for number in front) / total_rarity,
        together=_pair_share(occurrences, rarities),
        alike=_fuzzy_coverage(closeness),
        often=_mean_log_frequency(closeness),
        met=_fuzzy_pair_share(closeness),
        close=_mean_of_best([row.in_context for row in closeness.rows]),
        held=_mean_of_best([row.share for row in closeness.rows]),
        spelled=_mean_of_best([row.all_letters for row in closeness.rows]),
        halves=_weaker_half_share(closeness),
        numbers=_number_share([concept.stem for concept in occurrences.concepts], pool.idf),
    )


def evidence_probability(features: VerdictFeatures, weights: Sequence[float]) -> float:
    """Logistic of the weighted features; the last weight is the constant."""
    return logistic(sum(weight * feature for weight, feature in zip(weights, (*astuple(features), 1.0), strict=True)))


def _front_concepts(document: Document, pool: CandidatePool, occurrences: ConceptOccurrences) -> frozenset[int] | None:
    title = {stem for row in document.sentences if row.kind == "title" for stem in content_stems(row.text)}
    places = [place for place, sentence in enumerate(pool.sentences) if sentence.kind == "abstract"]
    if not title and not places:
        return None
    named = {number for number, concept in enumerate(occurrences.concepts) if not title.isdisjoint(concept.forms)}
    return frozenset(named.union(*(occurrences.counts[place] for place in places)))


def _pair_share(occurrences: ConceptOccurrences, rarities: Sequence[float]) -> float:
    rarities = rarities[:_MAX_PAIRED_CONCEPTS]
    size = len(rarities)
    # One concept has no pairs: then it is enough that it occurs.
    if size < 2:
        return float(occurrences.frequency[0] > 0)
    pairs = {
        (first, second)
        for numbers in occurrences.counts
        for first in numbers
        for second in numbers
        if first < second < size
    }
    total = (sum(rarities) ** 2 - sum(rarity * rarity for rarity in rarities)) / 2
    return sum(rarities[first] * rarities[second] for first, second in sorted(pairs)) / total


def _mean_of_best(values: Sequence[float]) -> float:
    return fmean(sorted(values, reverse=True)[:_BEST_SENTENCES] or [0.0])


def _fuzzy_coverage(closeness: ClaimClosenessTable) -> float:
    best_levels: dict[int, float] = dict(closeness.title)
    for levels in closeness.levels:
        for number, level_share in levels.items():
            best_levels[number] = max(best_levels.get(number, 0.0), level_share)
    return sum(closeness.rarities[number] * level_share for number, level_share in best_levels.items()) / sum(
        closeness.rarities
    )


def _mean_log_frequency(closeness: ClaimClosenessTable) -> float:
    total: dict[int, float] = {}
    for levels in closeness.levels:
        for number, level_share in levels.items():
            total[number] = total.get(number, 0.0) + level_share
    return sum(closeness.rarities[number] * math.log1p(count) for number, count in total.items()) / sum(
        closeness.rarities
    )


def _fuzzy_pair_share(closeness: ClaimClosenessTable) -> float:
    rarities = closeness.rarities[:_MAX_PAIRED_CONCEPTS]
    size = len(rarities)
    if size < 2:
        return max((levels.get(0, 0.0) for levels in closeness.levels), default=0.0)
    best: dict[tuple[int, int], float] = {}
    by_title = {number: _TITLE_WEIGHT * level_share for number, level_share in closeness.title.items() if number < size}
    for levels in closeness.levels:
        levels_here = by_title | {
            number: max(level_share, by_title.get(number, 0.0))
            for number, level_share in levels.items()
            if number < size
        }
        for first, level_share in levels_here.items():
            for second, second_worth in levels_here.items():
                if first < second:
                    best[first, second] = max(best.get((first, second), 0.0), level_share * second_worth)
    total = (sum(rarities) ** 2 - sum(rarity * rarity for rarity in rarities)) / 2
    return (
        sum(rarities[first] * rarities[second] * level_share for (first, second), level_share in sorted(best.items()))
        / total
    )


def _weaker_half_share(closeness: ClaimClosenessTable) -> float:
    """A paper on what a claim is about need not speak of what it says about that; each is in a half of its own."""
    # With full rarities one word would decide on its half. A word in the middle is in neither.
    weights = [math.sqrt(rarity) for rarity in closeness.rarities]
    size = len(weights)
    half = max(1, size // 2)
    return min(_best_share(closeness.levels, weights, part) for part in (range(half), range(size - half, size)))


def _best_share(levels: Sequence[Mapping[int, float]], weights: Sequence[float], part: range) -> float:
    total = math.fsum(weights[number] for number in part)
    sums = (math.fsum(weights[number] * level.get(number, 0.0) for number in part) for level in levels)
    return max(sums, default=0.0) / total


def _number_share(hypothesis_stems: Iterable[str], paper_stems: Iterable[str]) -> float:
    needed = _digit_runs(hypothesis_stems)
    return len(needed & _digit_runs(paper_stems)) / len(needed) if needed else 1.0


def _digit_runs(stems: Iterable[str]) -> frozenset[str]:
    return frozenset(run for stem in stems for run in _DIGIT_RUN.findall(stem))
