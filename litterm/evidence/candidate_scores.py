"""Computes features and scores of candidate sentences: the steps shared by all extractors without a language model."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from litterm.core.tasks import Task
from litterm.evidence.candidate_pool import BATCH_SIZE, CandidatePool
from litterm.evidence.features import (
    CandidateFeatures,
    RelativeCloseness,
    abstract_similarities,
    candidate_positions,
    centralities,
    compute_features,
    standardise,
)
from litterm.evidence.language.concepts import ConceptOccurrences
from litterm.evidence.strength import strength_of_share
from litterm.model.document import Document
from litterm.model.events import EvidenceFound, Progress
from litterm.model.evidence import EvidenceSentence, Strength


@dataclass(frozen=True, slots=True)
class SentenceCandidates:
    """The pool of a paper, and how much of the hypothesis each of its sentences holds."""

    document: Document
    pool: CandidatePool
    occurrences: ConceptOccurrences

    def to_evidence(
        self, picked: Iterable[int], scores: Sequence[float], strength: Callable[[int], Strength] | None = None
    ) -> tuple[EvidenceSentence, ...]:
        """`picked` places as evidence, ranks in the order given.

        The `strength` of a place is that of the words it shares with the hypothesis where nothing else is given.
        """
        strength_of = strength or (lambda index: strength_of_share(self.occurrences.hypothesis_share(index)))
        return tuple(
            self._to_evidence_sentence(rank, index, scores[index], strength_of(index))
            for rank, index in enumerate(picked, 1)
        )

    def measure_closeness(self, hypothesis: Sequence[float]) -> Task[tuple[RelativeCloseness, ...]]:
        """Of each candidate; `hypothesis` is how near each is to that, on any scale."""
        centre = yield from centralities(self.pool)
        abstract = yield from abstract_similarities(self.pool)
        # The weights were fitted on numbers of one scale, whatever the length of the paper.
        columns = (standardise(column) for column in (hypothesis, centre, abstract))
        return tuple(RelativeCloseness(*row) for row in zip(*columns, strict=True))

    def _to_evidence_sentence(self, rank: int, index: int, score: float, strength: Strength) -> EvidenceSentence:
        concepts = self.occurrences.concepts
        words = [concepts[number].word for number in sorted(self.occurrences.counts[index])]
        return EvidenceSentence(rank, self.pool.sentences[index], score, strength, tuple(dict.fromkeys(words)))


def score_candidates(
    candidates: SentenceCandidates,
    closeness: Sequence[RelativeCloseness],
    score: Callable[[int, CandidateFeatures], float],
    *,
    k: int,
    is_shown: Callable[[int], bool] = lambda _place: True,
    strength: Callable[[int], Strength] | None = None,
) -> Task[tuple[list[CandidateFeatures], list[float]]]:
    """Every candidate's terms and its score; says `EvidenceFound` after each section, of the `k` best so far, if
    `is_shown`.

    `score` gets the candidate's index and its terms.
    """
    document, sentences = candidates.document, candidates.pool.sentences
    stems = frozenset(concept.stem for concept in candidates.occurrences.concepts)
    # For all at once: the position of a sentence is a share of the whole paper.
    positions = list(candidate_positions(document, candidates.pool, stems))
    features: list[CandidateFeatures] = []
    scores: list[float] = []
    for section, indices in _section_batches(candidates.pool):
        title = document.sections[section].title
        yield Progress(title or "the text", len(scores), len(sentences))
        features += (compute_features(sentences[index], positions[index], closeness[index]) for index in indices)
        scores += (score(index, features[index]) for index in indices)
        # Only what is new among the best is reported: the others were reported after an earlier section.
        best = heapq.nsmallest(k, range(len(scores)), key=lambda index: (-scores[index], index))
        new = [index for index in best if index >= indices[0] and is_shown(index)]
        if new:
            yield EvidenceFound(candidates.to_evidence(new, scores, strength), title)
    return features, scores


def _section_batches(pool: CandidatePool) -> Iterator[tuple[int, Sequence[int]]]:
    """Section index and candidate indices, section by section; long sections come in several batches."""
    for section, group in groupby(range(len(pool.sentences)), key=lambda index: pool.sentences[index].section):
        indices = list(group)
        for start in range(0, len(indices), BATCH_SIZE):
            yield section, indices[start : start + BATCH_SIZE]
