"""The concepts of a hypothesis, with all forms in which a paper may mention them.

A hypothesis and a paper seldom use the same words: the paper abbreviates, says *tumour* for *cancer* and
*carcinogen* for *carcinogenicity*. A concept is a content word of the hypothesis with those forms. Against
counting the typed words alone this was worth 2 to 4 points of aspect recall on the dev papers.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import takewhile
from pathlib import Path

from litterm import data
from litterm.evidence.candidate_pool import CandidatePool, content_stems
from litterm.evidence.hypothesis import Hypothesis
from litterm.text.tokens import stem, words

_BUCKET_PREFIX = 3
_MAX_SHORT_STEM = 4
_SHORT_PREFIX_SIMILARITY, _PREFIX_SIMILARITY, _PARTLY = 0.6, 0.8, 0.9
_BRACKETED = re.compile(r"[(\[]([A-Za-z][\w/-]{1,9})[)\];,]")
_MIN_CAPITALS = 2
"""With fewer, what is in brackets is mostly a word or a label."""
FREQUENCY_FILE = Path(data.__file__).with_name("background.txt")
"""Made by `python -m litterm_training.document_frequency`: lines of a level and the stems at it, the most common ones
first.
"""

MIN_PAPER_SHARE = 0.03
"""Stems in a smaller share of papers than this are not listed; all of them count as this rare."""
LEVELS_PER_E_FOLD = 4
"""Levels a factor of e in the share of papers."""
_MIN_RARITY = 0.1


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
    for form in sorted(known):
        buckets[form[:_BUCKET_PREFIX]].append(form)
    by_stem: defaultdict[str, list[tuple[int, float]]] = defaultdict(list)
    for number, concept in enumerate(concepts):
        weights = {form: weight for form, weight in concept.forms.items() if form in known}
        for form in buckets.get(concept.stem[:_BUCKET_PREFIX], ()):
            weights[form] = max(weights.get(form, 0.0), stem_similarity(concept.stem, form))
        for form, weight in weights.items():
            if weight > 0:
                by_stem[form].append((number, weight))
    return by_stem


def rarity(stem: str) -> float:
    """Weight of a stem by the share of papers it occurs in: .1 for all of them, 3.6 for 3 % and fewer."""
    level = _read_levels().get(stem)
    return _MIN_RARITY + (
        level / LEVELS_PER_E_FOLD
        if level is not None
        else round(-LEVELS_PER_E_FOLD * math.log(MIN_PAPER_SHARE)) / LEVELS_PER_E_FOLD
    )


@lru_cache(maxsize=1)
def _read_levels() -> Mapping[str, int]:
    """Without the file all stems are equally rare: the paper's own frequencies still tell them apart."""
    if not FREQUENCY_FILE.exists():
        return {}
    lines = (line.split() for line in FREQUENCY_FILE.read_text("utf-8").splitlines() if not line.startswith("#"))
    return {stem: int(line[0]) for line in lines for stem in line[1:]}


def find_abbreviations(texts: Iterable[str]) -> dict[str, str]:
    """Short form to the long form right before its first explained mention.

    Every letter and digit of the short form occurs in the long form, in order, the first at a word's start
    (the rule of Schwartz and Hearst). Bounded work at every bracket.
    """
    long_forms: dict[str, str] = {}
    for text in texts:
        for bracket in _BRACKETED.finditer(text):
            short = bracket[1]
            if short not in long_forms and sum(character.isupper() for character in short) >= _MIN_CAPITALS:
                long = _long_form(short, text[max(0, bracket.start() - 200) : bracket.start()])
                if long:
                    long_forms[short] = long
    return long_forms


def _long_form(short: str, before: str) -> str:
    """The shortest end of `before` that spells `short`; empty if none does."""
    # No further back: longer stretches spell any short form by chance.
    words = before.split()[-min(len(short) + 5, 2 * len(short)) :]
    text = " ".join(words)
    folded = text.lower()
    position = len(folded)
    letters = [character for character in short.lower() if character.isalnum()]
    for place, letter in reversed(list(enumerate(letters))):
        position = folded.rfind(letter, 0, position)
        while place == 0 and position > 0 and folded[position - 1].isalnum():
            position = folded.rfind(letter, 0, position)
        if position < 0:
            return ""
    return text[position:] if letters else ""


def synonyms_of(word: str) -> frozenset[str]:
    """Stems of the words that are in a group with the stem `word`, without itself; mostly empty."""
    return _synonym_groups().get(word, frozenset())


@lru_cache(maxsize=1)
def _synonym_groups() -> Mapping[str, frozenset[str]]:
    groups: defaultdict[str, set[str]] = defaultdict(set)
    for line in Path(data.__file__).with_name("kindred.txt").read_text("utf-8").splitlines():
        if not line.startswith("#"):
            group = {stem(word) for word in words(line)}
            for member in group:
                groups[member] |= group - {member}
    return {member: frozenset(synonyms) for member, synonyms in groups.items()}


_SYNONYM_WEIGHT = 0.8
_LONG_FORM_WEIGHT = 0.8
_SHARED_PREFIX_WEIGHT = 0.8
"""What an occurrence of another form counts: a synonym, a word of the long form, a word that begins alike."""
_PREFIX_LENGTH = 6
"""Letters two stems must share at their start to count as one word: *carcinogen* and *carcinoma*."""
_MIN_LONG_FORM_SHARE = 0.6
_BM25_K1 = 1.0
_NUMBER = re.compile(r"\d+[a-z]?")
_MAX_ABSENT_NUMBER_WEIGHT = 0.35
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
    total_rarity: float = field(init=False)
    """Of all concepts."""

    def __post_init__(self) -> None:
        # Once, as every candidate is measured by it, and a hypothesis may have hundreds of concepts.
        object.__setattr__(self, "total_rarity", sum(concept.rarity for concept in self.concepts))

    def hypothesis_share(self, index: int) -> float:
        """Part of the hypothesis that a candidate holds, concepts weighted by rarity; in [0, 1]."""
        return sum(self.concepts[number].rarity for number in self.counts[index]) / self.total_rarity


def find_occurrences(hypothesis: Hypothesis, pool: CandidatePool) -> ConceptOccurrences:
    """The hypothesis's concepts in this paper."""
    concepts = tuple(_read_concepts(hypothesis, pool))
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
    _discount_absent_numbers(concepts, frequency)
    return ConceptOccurrences(concepts, tuple(counts), tuple(frequency))


def concept_scores(occurrences: ConceptOccurrences, pool: CandidatePool) -> list[float]:
    """BM25 of the concepts for each candidate, rare in this paper and rare at all both counting; at least 0."""
    weights = [
        concept.rarity * math.log(1 + (pool.sentence_count - df + 0.5) / (df + 0.5)) * (_BM25_K1 + 1)
        for concept, df in zip(occurrences.concepts, occurrences.frequency, strict=True)
    ]
    return [
        sum(weights[number] * count / (count + _BM25_K1) for number, count in counts.items())
        for counts in occurrences.counts
    ]


def _discount_absent_numbers(concepts: Sequence[Concept], frequency: Sequence[int]) -> None:
    for concept, held_by in zip(concepts, frequency, strict=True):
        if not held_by and _NUMBER.fullmatch(concept.stem):
            concept.rarity = min(concept.rarity, _MAX_ABSENT_NUMBER_WEIGHT)


def _read_concepts(hypothesis: Hypothesis, pool: CandidatePool) -> list[Concept]:
    concepts = {typed: Concept(typed, word, rarity(typed), {typed: 1.0}) for typed, word in hypothesis.words.items()}
    starts: defaultdict[str, list[str]] = defaultdict(list)
    for pooled in pool.idf:
        starts[pooled[:_PREFIX_LENGTH]].append(pooled)
    for short, long in find_abbreviations(sentence.text for sentence in pool.sentences).items():
        _link_abbreviation(concepts, frozenset(content_stems(short)), frozenset(content_stems(long)))
    for typed, concept in concepts.items():
        same_start: Sequence[str] = starts[typed[:_PREFIX_LENGTH]] if len(typed) >= _PREFIX_LENGTH else ()
        for weight, forms in ((_SYNONYM_WEIGHT, synonyms_of(typed)), (_SHARED_PREFIX_WEIGHT, same_start)):
            for form in forms:
                if form not in concepts:
                    concept.forms.setdefault(form, weight)
    return list(concepts.values())


def _link_abbreviation(concepts: Mapping[str, Concept], short: frozenset[str], long: frozenset[str]) -> None:
    """Makes the short form and the words of the long form match each other."""
    stems = concepts.keys()
    if not short or not long:
        return
    if short <= stems:
        for typed in short:
            concepts[typed].forms.update(dict.fromkeys(long - stems, _LONG_FORM_WEIGHT))
    # The long form has to be meant as a whole: "cancer" alone is not what "breast cancer (BC)" abbreviates.
    if len(long & stems) >= max(1.0, _MIN_LONG_FORM_SHARE * len(long)):
        for typed in long & stems:
            concepts[typed].forms.update(dict.fromkeys(short - stems, 1.0))
