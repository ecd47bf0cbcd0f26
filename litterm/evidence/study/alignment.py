"""The sentences of a paper that carry each study aspect, by the words and numbers of the aspect; no model.

EvidenceBench lets a model judge windows of ten sentences, because what a sentence leaves out stands around it. Without
a model each sentence is judged alone: counting the words of its neighbours, too, gave covers of less aspect recall.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from litterm.core.errors import UsageError
from litterm.core.tasks import Task
from litterm.evidence.candidate_pool import CandidatePool, build_candidate_pool
from litterm.evidence.hypothesis import read_hypothesis
from litterm.evidence.language.concepts import find_occurrences
from litterm.evidence.strength import strength_of_share
from litterm.evidence.study.set_cover import smallest_cover
from litterm.evidence.study.split import named_things, split_offline
from litterm.model.document import Document
from litterm.model.events import Progress
from litterm.model.evidence import Evidence, EvidenceSentence
from litterm.model.study_aspects import MIN_COVERED_SHARE, AlignedAspect, StudyAspect, StudyAspects, StudyCoverage

BY_SIMILARITY: Final = "similarity"
"""`StudyCoverage.by` without a model."""
MIN_CARRIED_SHARE: Final = 0.5
"""Share of an aspect's content words, the rare ones counting more, that a sentence must hold to carry it.

On EvidenceBench (dev) the covers hold 2.6±2.8 points of aspect recall more than as many sentences of the ranking; by
.6 a point less. docs/benchmarks-history.md has the figures.
"""
MAX_CARRIERS: Final = 10
"""Sentences kept for an aspect: more only repeat it."""
_NUMBER = re.compile(r"(?<![^\W_])\.?\d+(?:[.,]\d+)*")


def split_and_align(document: Document, hypothesis: str, evidence: Evidence) -> Task[StudyCoverage]:
    """`align_offline` for the aspects that `split_offline` finds.

    A clause of the hypothesis that no sentence carries is followed by the things it names, as aspects of their own.
    """
    pool = yield from build_candidate_pool(document)
    study = split_offline(document, hypothesis)
    aspects: list[StudyAspect] = []
    for aspect in study.aspects:
        is_uncovered = aspect.origin == "hypothesis" and not _carriers(aspect.text, pool)
        aspects += [aspect, *named_things(aspect)] if is_uncovered else [aspect]
    study = replace(study, aspects=tuple(aspects))
    return (yield from _align(document, pool, study, evidence))


def align_offline(document: Document, study: StudyAspects, evidence: Evidence) -> Task[StudyCoverage]:
    """Which sentences carry which aspect, and the fewest of them that carry all; `evidence` ranks equal ones.

    A sentence carries an aspect if it holds every number of it and at least `MIN_CARRIED_SHARE` of its words.
    """
    pool = yield from build_candidate_pool(document)
    return (yield from _align(document, pool, study, evidence))


def coverage_of(
    document: Document, study: StudyAspects, aligned: Sequence[AlignedAspect], evidence: Evidence, *, by: str
) -> StudyCoverage:
    """The coverage for aspects with their sentences, however these were found."""
    known: dict[int, EvidenceSentence] = {}
    worth: defaultdict[int, float] = defaultdict(float)
    for ranked in (evidence.key_findings, evidence.sentences):
        for item in ranked:
            known[item.sentence.index] = item
            worth[item.sentence.index] += 1 / item.rank
    chosen = smallest_cover([item.sentences for item in aligned], worth)
    cover = tuple(
        _evidence_sentence(document, index, rank, known.get(index), aligned) for rank, index in enumerate(chosen, 1)
    )
    coverage = StudyCoverage(document.paper_id, document.id, study, tuple(aligned), cover, by, study.notices)
    share = coverage.covered_share
    if share is None or share >= MIN_COVERED_SHARE:
        return coverage
    notice = f"{round(100 * share)} % of the study aspects are covered; the rest may stand in figures or tables."
    return replace(coverage, notices=(*study.notices, notice))


def _align(document: Document, pool: CandidatePool, study: StudyAspects, evidence: Evidence) -> Task[StudyCoverage]:
    aligned: list[AlignedAspect] = []
    for number, aspect in enumerate(study.aspects):
        yield Progress("aligning study aspects", number, len(study.aspects))
        aligned.append(AlignedAspect(aspect, _carriers(aspect.text, pool)))
    return coverage_of(document, study, aligned, evidence, by=BY_SIMILARITY)


def _carriers(aspect: str, pool: CandidatePool) -> tuple[int, ...]:
    """Indices of the sentences that carry an aspect, the largest share first."""
    try:
        occurrences = find_occurrences(read_hypothesis(aspect), pool)
    except UsageError:
        # Typed by hand, and nothing that could be looked for.
        return ()
    numbers = frozenset(map(_normal_number, _NUMBER.findall(aspect)))
    shares: list[tuple[float, int]] = []
    for place, sentence in enumerate(pool.sentences):
        if not occurrences.counts[place] or not numbers <= set(map(_normal_number, _NUMBER.findall(sentence.text))):
            continue
        share = occurrences.hypothesis_share(place)
        if share >= MIN_CARRIED_SHARE:
            shares.append((-share, sentence.index))
    return tuple(index for _, index in sorted(shares)[:MAX_CARRIERS])


def _normal_number(text: str) -> str:
    """A number without what is only its form: `.50` and `0.5`, `1,000` and `1000` are equal."""
    digits = re.sub(r",(?=\d{3}(?:\D|$))", "", text).replace(",", ".")
    whole, point, rest = digits.partition(".")
    rest = rest.rstrip("0") if point else ""
    return f"{whole.lstrip('0') or '0'}.{rest}" if rest else whole.lstrip("0") or "0"


def _evidence_sentence(
    document: Document, index: int, rank: int, known: EvidenceSentence | None, aligned: Sequence[AlignedAspect]
) -> EvidenceSentence:
    if known is not None:
        return replace(known, rank=rank)
    # Not among the evidence for the whole hypothesis: the share of aspects that it carries says how close it comes.
    share = sum(index in item.sentences for item in aligned) / len(aligned)
    return EvidenceSentence(rank, document.sentences[index], share, strength_of_share(share))
