"""Sentences of several papers in numbers that compare: what the fitted weights rank them by.

A sentence's score within its paper does not tell how it stands to those of other papers. So there are the part of the
question that it holds, a word counting by how few sentences of all the papers hold it; how well its paper speaks to the
question as a whole; and where the search put that paper.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from litterm.evidence.feature_values import feature_vector
from litterm.evidence.learned import MeasuredSentences
from litterm.evidence.strength import logit

_TITLE_LEVEL: Final = 0.7
"""How much a word counts in a sentence that only the title of its paper holds."""
_UNKNOWN_CONFIDENCE: Final = 0.5
_BEST_OF_PAPER: Final = 3
"""Sentences of a paper beside which its others are scored; a single one may stand out by chance."""


@dataclass(frozen=True, slots=True)
class ReadPaper:
    """A paper of the search with its sentences measured against the question."""

    sentences: MeasuredSentences
    search_rank: int
    """From 1."""
    search_share: float
    """Its points in the search beside those of the first paper, in [0, 1]."""
    is_full_text: bool


@dataclass(frozen=True, slots=True)
class AnswerFeatures:
    """One sentence among those of all papers; the order is that of the weights."""

    with_title: float
    """Part of the question that it holds together with the title of its paper, in [0, 1]."""
    score: float
    """Its score within its paper, less the mean of the paper's best three."""
    confidence: float
    """Log odds that its paper speaks to the question, in [-4, 4]."""
    search: float
    """`1 / search_rank`."""
    search_share: float


@dataclass(frozen=True, slots=True)
class ComparedSentence:
    """A sentence with what compares it, and what tells whether it answers at all."""

    features: AnswerFeatures
    question_share: float
    """Part of the question that it holds by itself, in [0, 1]."""
    paper_share: float
    """Part of the question that its whole paper holds, in [0, 1]."""


ANSWER_FEATURE_NAMES, answer_values = feature_vector(AnswerFeatures)


def compare_sentences(papers: Sequence[ReadPaper]) -> list[list[ComparedSentence]]:
    """Every candidate of each paper among those of all."""
    weights = _concept_weights(papers)
    total = math.fsum(weights) or 1.0
    return [_compare(paper, weights, total) for paper in papers]


def _concept_weights(papers: Sequence[ReadPaper]) -> list[float]:
    """Per concept of the question: how rare it is at all, and among the sentences of these papers."""
    if not papers:
        return []
    occurrences = [paper.sentences.paper.candidates.occurrences for paper in papers]
    count = sum(len(each.counts) for each in occurrences)
    weights: list[float] = []
    for number, concept in enumerate(occurrences[0].concepts):
        frequency = sum(each.frequency[number] for each in occurrences)
        weights.append(concept.rarity * math.log(1 + (count - frequency + 0.5) / (frequency + 0.5)))
    return weights


def _compare(paper: ReadPaper, weights: Sequence[float], total: float) -> list[ComparedSentence]:
    scored, scores = paper.sentences.paper, paper.sentences.scores
    levels = scored.closeness.levels
    titled = {number: _TITLE_LEVEL * level for number, level in scored.closeness.title.items()}
    confidence = _UNKNOWN_CONFIDENCE if scored.confidence is None else scored.confidence
    best = sorted(scores, reverse=True)[:_BEST_OF_PAPER]
    mean_of_best = sum(best) / max(1, len(best))
    held = {number for level in levels for number in level} | scored.closeness.title.keys()
    paper_share = math.fsum(weights[number] for number in sorted(held)) / total

    def share(*held_by: Mapping[int, float]) -> float:
        numbers = sorted(set().union(*held_by))
        return math.fsum(weights[n] * max(level.get(n, 0.0) for level in held_by) for n in numbers) / total

    return [
        ComparedSentence(
            AnswerFeatures(
                with_title=share(level, titled),
                score=score - mean_of_best,
                confidence=logit(confidence),
                search=1 / paper.search_rank,
                search_share=paper.search_share,
            ),
            question_share=share(level),
            paper_share=paper_share,
        )
        for level, score in zip(levels, scores, strict=True)
    ]
