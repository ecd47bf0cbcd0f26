"""Describes, scores and orders candidate sentences: the steps that all extractors without a language model share."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from litterm.core.tasks import Task
from litterm.evidence.candidate_pool import STRETCH, CandidatePool
from litterm.evidence.features.candidate_features import Closeness, Features, describe, places
from litterm.evidence.features.similarity import abstract_similarities, centralities, standardised
from litterm.evidence.strength import strength_by_share
from litterm.evidence.wording.concepts import ConceptOccurrences
from litterm.model.document import Document
from litterm.model.events import EvidenceFound, Progress
from litterm.model.evidence import EvidenceSentence, Strength


@dataclass(frozen=True, slots=True)
class SentenceCandidates:
    """The pool of a paper, and how much of the hypothesis each of its sentences holds."""

    document: Document
    pool: CandidatePool
    occurrences: ConceptOccurrences

    def ranked(
        self, picked: Iterable[int], scores: Sequence[float], strength: Callable[[int], Strength] | None = None
    ) -> tuple[EvidenceSentence, ...]:
        """`picked` places as evidence, ranks in the order given.

        The `strength` of a place is that of the words it shares with the hypothesis where nothing else is told.
        """
        strength_of = strength or (lambda place: strength_by_share(self.occurrences.share(place)))
        return tuple(
            self._evidence(rank, place, scores[place], strength_of(place)) for rank, place in enumerate(picked, 1)
        )

    def closeness(self, hypothesis: Sequence[float]) -> Task[tuple[Closeness, ...]]:
        """Of each candidate; `hypothesis` is how near each is to that, on any scale."""
        centre = yield from centralities(self.pool)
        abstract = yield from abstract_similarities(self.pool)
        # The weights were fitted on numbers of one scale, whatever the length of the paper.
        columns = (standardised(column) for column in (hypothesis, centre, abstract))
        return tuple(Closeness(*row) for row in zip(*columns, strict=True))

    def _evidence(self, rank: int, place: int, score: float, strength: Strength) -> EvidenceSentence:
        words = [
            concept.word
            for number, concept in enumerate(self.occurrences.concepts)
            if number in self.occurrences.counts[place]
        ]
        return EvidenceSentence(rank, self.pool.sentences[place], score, strength, tuple(dict.fromkeys(words)))


def described(
    candidates: SentenceCandidates,
    closeness: Sequence[Closeness],
    score: Callable[[int, Features], float],
    *,
    k: int,
    shown: Callable[[int], bool] = lambda _place: True,
    strength: Callable[[int], Strength] | None = None,
) -> Task[tuple[list[Features], list[float]]]:
    """Every candidate's terms and its score; says `EvidenceFound` after each section, of the `k` best so far, if
    `shown`.

    `score` is told the candidate's place and its terms.
    """
    document, sentences = candidates.document, candidates.pool.sentences
    stems = frozenset(concept.stem for concept in candidates.occurrences.concepts)
    # For all at once: where a sentence stands is a share of the whole paper.
    standing = list(places(document, candidates.pool, stems))
    features: list[Features] = []
    scores: list[float] = []
    for section, stretch in _stretches(candidates.pool):
        title = document.sections[section].title
        yield Progress(title or "the text", len(scores), len(sentences))
        features += (describe(sentences[place], standing[place], closeness[place]) for place in stretch)
        scores += (score(place, features[place]) for place in stretch)
        # Only what is new among the best is told: the others were told after an earlier section.
        best = heapq.nsmallest(k, range(len(scores)), key=lambda place: (-scores[place], place))
        new = [place for place in best if place >= stretch[0] and shown(place)]
        if new:
            yield EvidenceFound(candidates.ranked(new, scores, strength), title)
    return features, scores


def _stretches(pool: CandidatePool) -> Iterator[tuple[int, Sequence[int]]]:
    """Section index and places in it, section by section, a long section in several pieces."""
    for section, group in groupby(range(len(pool.sentences)), key=lambda place: pool.sentences[place].section):
        indices = list(group)
        for start in range(0, len(indices), STRETCH):
            yield section, indices[start : start + STRETCH]
