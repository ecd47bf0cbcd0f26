"""What can be said about a candidate without a model: one number a term, the same terms for every candidate.

The terms and their worth were measured on EvidenceBench (dev): without numbers and cue words 6 points of
recall go, without the abstract 6, without centrality 3, without the hypothesis 8.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from litterm.evidence.candidate_pool import CandidatePool, content_stems
from litterm.evidence.features.feature_values import feature_vector
from litterm.evidence.language import cue_words
from litterm.model.document import Document, Section, SectionKind, Sentence

_TYPICAL_WORDS = 20
"""Words; the term is 0 for such a sentence."""
_MEAN_SQUARED_POSITION = 0.33
"""The mean of the square over an abstract, taken off so that the term says nothing of whether there is one."""


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
