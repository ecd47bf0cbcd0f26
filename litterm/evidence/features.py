"""Candidate sentences in numbers, without a model: what weights and verdict are fitted to.

Two readings: *this paper's evidence* (`CandidateFeatures`) goes by how near a candidate is to the hypothesis, the paper
and its abstract; *this hypothesis* (`ClaimCloseness`) goes by how close it comes to the claim itself, absolutely.
The terms and their worth were measured on EvidenceBench (dev): without numbers and cue words 6 points of recall go,
without the abstract 6, without centrality 3, without the hypothesis 8.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from litterm.core.tasks import Task
from litterm.evidence.candidate_pool import CandidatePool, content_stems, map_in_batches
from litterm.evidence.feature_values import feature_vector
from litterm.evidence.language import cue_words
from litterm.evidence.language.concepts import ConceptOccurrences, match_stems
from litterm.evidence.language.rhetorical_role import ROLE_NAMES, RhetoricalRole, role_values
from litterm.model.document import Document, Section, SectionKind, Sentence
from litterm.text.tokens import fold

_BM25_K1 = 2.0
_LEAD_SENTENCES = 8
"""Candidates that stand for the abstract of a paper without one."""
# One giant section may be marked as abstract throughout; comparing all with all would be quadratic.
_MAX_ABSTRACT_SENTENCES = 60
_MIN_Z, _MAX_Z = -4.0, 6.0
_TYPICAL_WORDS = 20
"""Words; the term is 0 for such a sentence."""
_MEAN_SQUARED_POSITION = 0.33
"""The mean of the square over an abstract, taken off so that the term says nothing of whether there is one."""
_NGRAM_LENGTH = 4
_MAX_NGRAMS = 400
"""Of a claim; whoever pastes a paragraph asks for its beginning."""
_NOT_LETTERS = re.compile(r"[\W_]+")

ConceptLevels = Mapping[int, float]
"""By number of the concept, how much of it is held, in (0, 1]."""


def hypothesis_scores(pool: CandidatePool, stems: Collection[str]) -> list[float]:
    """BM25 of the hypothesis's distinct `stems` (k1 2, no length penalty), for each candidate; at least 0."""
    weights = [(stem, pool.idf[stem] * (_BM25_K1 + 1)) for stem in sorted(set(stems)) if stem in pool.idf]
    return [
        sum(weight * counts[stem] / (counts[stem] + _BM25_K1) for stem, weight in weights if stem in counts)
        for counts in pool.counts
    ]


def centralities(pool: CandidatePool) -> Task[list[float]]:
    """Dot product of each candidate with the sum of all; at least 0."""
    total: defaultdict[str, float] = defaultdict(float)
    for vector in pool.vectors:
        for stem, weight in vector.items():
            total[stem] += weight
    return (yield from map_in_batches(pool.vectors, lambda v: _dot(v, total), "comparing with all sentences"))


def abstract_similarities(pool: CandidatePool) -> Task[list[float]]:
    """Cosine of each candidate with the nearest other sentence of the abstract, in [0, 1].

    A paper without an abstract is compared with its first eight candidates.
    """
    places = [place for place, sentence in enumerate(pool.sentences) if sentence.kind == "abstract"]
    reference = places[:_MAX_ABSTRACT_SENTENCES] or list(range(min(_LEAD_SENTENCES, len(pool.sentences))))
    postings: defaultdict[str, list[tuple[int, float]]] = defaultdict(list)
    for place in reference:
        for stem, weight in pool.vectors[place].items():
            postings[stem].append((place, weight))
    return (
        yield from map_in_batches(
            range(len(pool.sentences)),
            lambda place: _highest_cosine(place, pool.vectors[place], postings),
            "comparing with the abstract",
        )
    )


def standardise(values: Sequence[float]) -> list[float]:
    """`values` as z-scores over the paper, clipped to [-4, 6]; all 0 where they do not differ."""
    if not values:
        return []
    mean = sum(values) / len(values)
    deviation = math.sqrt(sum((value - mean) ** 2 for value in values) / len(values)) or 1.0
    return [min(_MAX_Z, max(_MIN_Z, (value - mean) / deviation)) for value in values]


def _highest_cosine(place: int, vector: Mapping[str, float], postings: Mapping[str, list[tuple[int, float]]]) -> float:
    cosines: defaultdict[int, float] = defaultdict(float)
    for stem, weight in vector.items():
        for other, other_weight in postings.get(stem, ()):
            cosines[other] += weight * other_weight
    # Itself would always be the nearest.
    cosines.pop(place, None)
    return max(cosines.values(), default=0.0)


def _dot(vector: Mapping[str, float], total: Mapping[str, float]) -> float:
    return sum(weight * total[stem] for stem, weight in vector.items())


@dataclass(frozen=True, slots=True)
class RelativeCloseness:
    """How near one candidate is to its surroundings; z-scores over the paper, in [-4, 6]."""

    hypothesis: float
    centre: float
    abstract: float


@dataclass(frozen=True, slots=True)
class CandidatePosition:
    """The position of one candidate."""

    section_kind: SectionKind
    """As carried forward by `inherited_section_kinds`."""
    in_paper: float
    """From 0 for the first candidate to just below 1 for the last."""
    abstract_position: float | None
    """From above -1 for its first sentence to below 1 for its last; `None` elsewhere."""
    heading_share: float
    """Part of the hypothesis's words that the heading holds, in [0, 1]."""


@dataclass(frozen=True, slots=True)
class CandidateFeatures:
    """One candidate in numbers; a cue is 1 where the words are there, else 0. The order is that of the weights."""

    hypothesis: float
    centre: float
    abstract: float
    in_abstract: float
    hypothesis_in_abstract: float
    numbers: float
    """`ln(1 + count)` of the numbers that do not belong to a name such as `CYP2`."""
    length: float
    """`ln(words / 20)`."""
    citation: float
    hedge: float
    we: float
    direction: float
    """Increase, decrease, higher, inhibits, ..."""
    statistic: float
    """Percent, p-value, interval, ratio, deviation."""
    significance: float
    methods: float
    introduction: float
    abstract_place: float
    """`CandidatePosition.abstract_position`, 0 outside."""
    abstract_edge: float
    """High at both ends of the abstract, 0 outside."""
    first: float
    """First sentence under its heading."""
    heading: float
    """4 times `CandidatePosition.heading_share`."""
    design: float
    """Cohort, dose, randomised, assay, ..."""
    place: float
    """`CandidatePosition.in_paper`, 0 in the abstract."""
    others: float
    """Speaks of earlier or other people's work."""
    aim: float
    """Says what was to be found out, or how it was gone about."""
    summary: float
    """In conclusion, overall, our results, this study."""
    present: float
    """Is, are, has, have, can."""
    denial_in_abstract: float


FEATURE_NAMES, feature_values = feature_vector(CandidateFeatures)


def compute_features(sentence: Sentence, place: CandidatePosition, closeness: RelativeCloseness) -> CandidateFeatures:
    """The terms of one candidate."""
    text = sentence.text
    lower = text.lower()
    in_abstract = float(place.abstract_position is not None)
    abstract_place = place.abstract_position or 0.0
    outside = 1.0 - in_abstract
    return CandidateFeatures(
        hypothesis=closeness.hypothesis,
        centre=closeness.centre,
        abstract=closeness.abstract,
        in_abstract=in_abstract,
        hypothesis_in_abstract=in_abstract * closeness.hypothesis,
        numbers=math.log(1 + cue_words.count_numbers(text)),
        # A logarithm: twice as long counts the same from ten words as from forty.
        length=math.log(max(1, len(text.split())) / _TYPICAL_WORDS),
        citation=cue_words.has_cue(cue_words.CITATION, text),
        hedge=cue_words.has_cue(cue_words.HEDGE, lower),
        we=cue_words.has_cue(cue_words.FIRST_PERSON, lower),
        direction=cue_words.has_cue(cue_words.DIRECTION, lower),
        statistic=cue_words.has_cue(cue_words.STATISTIC, text),
        significance=cue_words.has_cue(cue_words.SIGNIFICANCE, lower),
        methods=outside * (place.section_kind == "methods"),
        introduction=outside * (place.section_kind == "introduction"),
        abstract_place=abstract_place,
        abstract_edge=in_abstract * (abstract_place * abstract_place - _MEAN_SQUARED_POSITION),
        first=outside * (sentence.position == 1 and sentence.paragraph == 1),
        heading=outside * 4 * place.heading_share,
        design=cue_words.has_cue(cue_words.DESIGN, lower),
        place=outside * place.in_paper,
        others=cue_words.has_cue(cue_words.OTHERS, lower),
        aim=cue_words.has_cue(cue_words.AIM, lower),
        summary=cue_words.has_cue(cue_words.SUMMARY, lower),
        present=cue_words.has_cue(cue_words.PRESENT, lower),
        denial_in_abstract=in_abstract * cue_words.has_cue(cue_words.NEGATION, lower),
    )


def candidate_positions(document: Document, pool: CandidatePool, stems: frozenset[str]) -> Iterator[CandidatePosition]:
    """The position of each candidate, in order; `stems` are the stems of the hypothesis."""
    kinds = inherited_section_kinds(document.sections)
    shares = [_heading_share(section, stems) for section in document.sections]
    abstract = [place for place, sentence in enumerate(pool.sentences) if sentence.kind == "abstract"]
    abstract_positions = {place: 2 * (rank + 0.5) / len(abstract) - 1 for rank, place in enumerate(abstract)}
    for place, sentence in enumerate(pool.sentences):
        yield CandidatePosition(
            kinds[sentence.section],
            place / len(pool.sentences),
            abstract_positions.get(place),
            shares[sentence.section],
        )


def inherited_section_kinds(sections: Sequence[Section]) -> tuple[SectionKind, ...]:
    """What each section is for, in order, a heading that does not tell taking the kind of the one before.

    A paper's body starts as introduction. Under results or discussion a heading such as *Statistical
    analysis* names a result, so methods do not begin again there.
    """
    kinds: list[SectionKind] = []
    current: SectionKind = "introduction"
    for section in sections:
        falls_back = section.kind == "methods" and current in ("results", "discussion")
        if section.kind not in ("other", "front", "abstract") and not falls_back:
            current = section.kind
        kinds.append(section.kind if section.kind in ("front", "abstract") else current)
    return tuple(kinds)


def _heading_share(section: Section, stems: frozenset[str]) -> float:
    return len(stems.intersection(content_stems(section.title))) / len(stems)


@dataclass(frozen=True, slots=True)
class ClaimCloseness:
    """One candidate against the claim, every number in [0, 1]."""

    share: float
    """Part of the claim it holds, in any form or by a word that begins alike, weighted by rarity."""
    in_context: float
    """The same with the sentence before it and the title: who or what is meant is often said there."""
    letters: float
    """Share of the claim's runs of four letters, those weighing more that few sentences of the paper hold."""
    all_letters: float
    """The same, all runs alike, also those that the paper does not hold."""
    precision: float
    """Share of its own words that belong to the claim."""


CLOSENESS_NAMES, closeness_values = feature_vector(ClaimCloseness)


@dataclass(frozen=True, slots=True)
class ClaimClosenessTable:
    """All candidates of a paper against one claim."""

    rows: tuple[ClaimCloseness, ...]
    levels: tuple[ConceptLevels, ...]
    """Per candidate."""
    title: ConceptLevels
    rarities: tuple[float, ...]
    """Per concept."""


def measure_closeness(
    document: Document, pool: CandidatePool, occurrences: ConceptOccurrences, claim: str
) -> Task[ClaimClosenessTable]:
    """What every candidate of `pool` has in common with `claim`, whose concepts `occurrences` are."""
    title = frozenset(stem for row in document.sentences if row.kind == "title" for stem in content_stems(row.text))
    forms = match_stems(occurrences.concepts, title.union(pool.idf))
    rarities = tuple(concept.rarity for concept in occurrences.concepts)
    total_rarity = sum(rarities)
    levels = yield from map_in_batches(
        pool.counts, lambda counts: _concept_levels(counts, forms), "comparing with the claim"
    )
    entitled = _concept_levels(dict.fromkeys(title, 1), forms)
    letters = yield from _ngram_shares(pool, claim)
    rows = [
        ClaimCloseness(
            share=_weighted_sum(own, rarities) / total_rarity,
            in_context=_weighted_sum(_max_levels(own, levels[place - 1] if place else {}, entitled), rarities)
            / total_rarity,
            letters=by_rarity,
            all_letters=alike,
            precision=min(1.0, len(own) / max(1, len(pool.counts[place]))),
        )
        for place, (own, (by_rarity, alike)) in enumerate(zip(levels, letters, strict=True))
    ]
    return ClaimClosenessTable(tuple(rows), tuple(levels), entitled, rarities)


def _concept_levels(counts: Mapping[str, int], forms: Mapping[str, Sequence[tuple[int, float]]]) -> dict[int, float]:
    levels: dict[int, float] = {}
    for stem in counts:
        for number, level_share in forms.get(stem, ()):
            levels[number] = max(levels.get(number, 0.0), level_share)
    return levels


def _max_levels(*levels: ConceptLevels) -> ConceptLevels:
    merged: dict[int, float] = {}
    for level in levels:
        for number, level_share in level.items():
            merged[number] = max(merged.get(number, 0.0), level_share)
    return merged


def _weighted_sum(levels: ConceptLevels, rarities: Sequence[float]) -> float:
    return math.fsum(rarities[number] * level_share for number, level_share in levels.items())


def _ngram_shares(pool: CandidatePool, claim: str) -> Task[list[tuple[float, float]]]:
    pieces = letter_ngrams(claim)
    # Letters in addition to stems: "immunotherapy" and "immune therapy" share no stem.
    texts = yield from map_in_batches(
        pool.sentences, lambda row: _letters_and_blanks(row.text), "preparing its sentences"
    )
    shared_pieces = yield from map_in_batches(
        texts, lambda text: [piece for piece in pieces if piece in text], "comparing letters"
    )
    frequency = Counter(piece for shared in shared_pieces for piece in shared)
    total = len(texts)
    weights = {piece: math.log(1 + (total - df + 0.5) / (df + 0.5)) for piece, df in frequency.items()}
    total_weight = math.fsum(weights.values()) or 1.0
    return [
        (math.fsum(weights[piece] for piece in shared) / total_weight, len(shared) / max(1, len(pieces)))
        for shared in shared_pieces
    ]


def letter_ngrams(claim: str) -> tuple[str, ...]:
    """The distinct runs of four characters of a claim, blanks counting as one character."""
    bare = _letters_and_blanks(claim)
    runs = (bare[start : start + _NGRAM_LENGTH] for start in range(max(1, len(bare) - _NGRAM_LENGTH + 1)))
    return tuple(dict.fromkeys(runs))[:_MAX_NGRAMS]


def _letters_and_blanks(text: str) -> str:
    # Blanks at both ends, so that a run knows where a word begins.
    return f" {_NOT_LETTERS.sub(' ', fold(text)).strip()} "


CLAIM_FEATURE_NAMES = (*FEATURE_NAMES, *CLOSENESS_NAMES, *ROLE_NAMES)


def claim_feature_values(
    features: CandidateFeatures, closeness: ClaimCloseness, role: RhetoricalRole
) -> tuple[float, ...]:
    """The numbers in the order of `CLAIM_FEATURE_NAMES`."""
    return (*feature_values(features), *closeness_values(closeness), *role_values(role))


def weighted_sum(numbers: Sequence[float], weights: Sequence[float]) -> float:
    """Sum of the products."""
    return sum(weight * number for weight, number in zip(weights, numbers, strict=True))
