"""What a hypothesis speaks of, concept by concept, in all the forms the paper may give it.

A hypothesis and a paper seldom use the same words: the paper abbreviates, says *tumour* for *cancer* and
*carcinogen* for *carcinogenicity*. A concept is a content word of the hypothesis with those forms. Against
counting the typed words alone this was worth 2 to 4 points of aspect recall on the dev papers.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from litterm.evidence.candidate_pool import CandidatePool, content_stems
from litterm.evidence.hypothesis import Hypothesis
from litterm.evidence.wording.abbreviations import abbreviations
from litterm.evidence.wording.document_frequency import rarity
from litterm.evidence.wording.synonyms import synonyms_of

_KINDRED = 0.8
_SPELLED_OUT = 0.8
_SAME_START = 0.8
"""What an occurrence of another form counts: a synonym, a word of the long form, a word that begins alike."""
_START = 6
"""Letters two stems must share at their start to count as one word: *carcinogen* and *carcinoma*."""
_SHARE_OF_LONG_FORM = 0.6
_SATURATION = 1.0
_NUMBER = re.compile(r"\d+[a-z]?")
_ABSENT_NUMBER = 0.35
"""Most that a number counts which the paper does not hold: it is a detail, and rare only because it is a number."""


@dataclass(slots=True)
class Concept:
    """One content word of the hypothesis."""

    stem: str
    word: str
    """As typed."""
    rarity: float
    """Weight by how few papers use the word at all."""
    forms: dict[str, float] = field(default_factory=dict)
    """Stems that stand for it and how much one occurrence counts; 1 for its own."""


@dataclass(frozen=True, slots=True)
class ConceptOccurrences:
    """Which candidate holds which concept; sequences run parallel to the pool."""

    concepts: tuple[Concept, ...]
    counts: tuple[Mapping[int, float], ...]
    """Per candidate, the concepts in it and their weighted number of occurrences."""
    frequency: tuple[int, ...]
    """Per concept, how many candidates hold it."""

    def share(self, place: int) -> float:
        """Part of the hypothesis that a candidate holds, concepts weighted by rarity; in [0, 1]."""
        whole = sum(concept.rarity for concept in self.concepts)
        return sum(self.concepts[number].rarity for number in self.counts[place]) / whole


def find_occurrences(hypothesis: Hypothesis, pool: CandidatePool) -> ConceptOccurrences:
    """The hypothesis's concepts in this paper."""
    concepts = tuple(_concepts(hypothesis, pool))
    of_form: defaultdict[str, list[tuple[int, float]]] = defaultdict(list)
    for number, concept in enumerate(concepts):
        for form, weight in concept.forms.items():
            of_form[form].append((number, weight))
    forms = frozenset(of_form)
    counts: list[Mapping[int, float]] = []
    frequency = [0] * len(concepts)
    for stems in pool.counts:
        occurrences: defaultdict[int, float] = defaultdict(float)
        # Sorted: sums of floats depend on the order, and that of a set differs from run to run.
        for form in sorted(forms & stems.keys()):
            for number, weight in of_form[form]:
                occurrences[number] += weight * stems[form]
        counts.append(occurrences)
        for number in occurrences:
            frequency[number] += 1
    _forgive_numbers(concepts, frequency)
    return ConceptOccurrences(concepts, tuple(counts), tuple(frequency))


def relevances(occurrences: ConceptOccurrences, pool: CandidatePool) -> list[float]:
    """BM25 of the concepts for each candidate, rare in this paper and rare at all both counting; at least 0."""
    weights = [
        concept.rarity * math.log(1 + (pool.total - df + 0.5) / (df + 0.5)) * (_SATURATION + 1)
        for concept, df in zip(occurrences.concepts, occurrences.frequency, strict=True)
    ]
    return [
        sum(weights[number] * count / (count + _SATURATION) for number, count in counts.items())
        for counts in occurrences.counts
    ]


def _forgive_numbers(concepts: Sequence[Concept], frequency: Sequence[int]) -> None:
    for concept, held_by in zip(concepts, frequency, strict=True):
        if not held_by and _NUMBER.fullmatch(concept.stem):
            concept.rarity = min(concept.rarity, _ABSENT_NUMBER)


def _concepts(hypothesis: Hypothesis, pool: CandidatePool) -> list[Concept]:
    concepts = {stem: Concept(stem, word, rarity(stem), {stem: 1.0}) for stem, word in hypothesis.words.items()}
    starts: defaultdict[str, list[str]] = defaultdict(list)
    for stem in pool.idf:
        starts[stem[:_START]].append(stem)
    for short, long in abbreviations(sentence.text for sentence in pool.sentences).items():
        _join(concepts, frozenset(content_stems(short)), frozenset(content_stems(long)))
    for stem, concept in concepts.items():
        alike: Sequence[str] = starts[stem[:_START]] if len(stem) >= _START else ()
        for weight, forms in ((_KINDRED, synonyms_of(stem)), (_SAME_START, alike)):
            for form in forms:
                if form not in concepts:
                    concept.forms.setdefault(form, weight)
    return list(concepts.values())


def _join(concepts: Mapping[str, Concept], short: frozenset[str], long: frozenset[str]) -> None:
    """Lets the short form stand for the words of the long one, and the other way round."""
    stems = concepts.keys()
    if not short or not long:
        return
    if short <= stems:
        for stem in short:
            concepts[stem].forms.update(dict.fromkeys(long - stems, _SPELLED_OUT))
    # The long form has to be meant as a whole: "cancer" alone is not what "breast cancer (BC)" abbreviates.
    if len(long & stems) >= max(1.0, _SHARE_OF_LONG_FORM * len(long)):
        for stem in long & stems:
            concepts[stem].forms.update(dict.fromkeys(short - stems, 1.0))
