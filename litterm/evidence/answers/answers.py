"""Answers to questions: the best sentences over the first papers of a search, each named with its paper and place."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from litterm.core.tasks import Task, as_one_step
from litterm.evidence.answers.features import (
    POOLED_NAMES,
    ReadPaper,
    answer_feature_rows,
    concept_weights,
)
from litterm.evidence.answers.weights import AnswerWeights
from litterm.evidence.features import CLAIM_FEATURE_NAMES, weighted_sum
from litterm.evidence.hypothesis import Hypothesis, read_hypothesis
from litterm.evidence.learned import LinearExtractor
from litterm.evidence.strength import logistic
from litterm.model.document import Document, Sentence
from litterm.model.events import Progress
from litterm.model.paper import PaperId
from litterm.model.search import RankedPaper

ReadDocument: TypeAlias = Callable[[PaperId], Task[Document]]
_PAPER_SHARE: Final = len(CLAIM_FEATURE_NAMES) + POOLED_NAMES.index("paper_share")
_POOLED_SHARE: Final = len(CLAIM_FEATURE_NAMES) + POOLED_NAMES.index("pooled_share")
_CONFIDENCE: Final = len(CLAIM_FEATURE_NAMES) + POOLED_NAMES.index("confidence")
_BEST_SENTENCES: Final = 3
"""Sentences by which it is told whether the library answers at all."""


@dataclass(frozen=True, slots=True)
class RankedSentence:
    """A candidate of one of the papers read."""

    paper: int
    """Its number among the papers read, from 0."""
    place: int
    """In the pool of its paper."""
    score: float
    probability: float
    """That it is an answer; orders sentences as `score` does within a paper that holds as much."""
    paper_share: float
    confidence: float


def read_papers(
    papers: Sequence[RankedPaper], statement: str, read: ReadDocument, extractor: LinearExtractor
) -> Task[tuple[Hypothesis, tuple[ReadPaper, ...]]]:
    """Reads `papers` and measures their sentences against `statement`."""
    hypothesis = read_hypothesis(statement)
    best = max((item.score or 0.0 for item in papers), default=0.0)
    measured: list[ReadPaper] = []
    for number, item in enumerate(papers):
        step = Progress("reading the first papers", number, len(papers))
        document = yield from as_one_step(step, read(item.paper.id))
        sentences = yield from as_one_step(step, extractor.measure(document, hypothesis))
        share = max(0.0, (item.score or 0.0) / best) if best > 0 else 1.0
        measured.append(ReadPaper(sentences, item.rank, min(1.0, share), document.origin != "abstract"))
    return hypothesis, tuple(measured)


def rank_sentences(papers: Sequence[ReadPaper], weights: AnswerWeights) -> list[RankedSentence]:
    """All candidates of `papers`, the best first; ties by search rank, then by place."""
    ranked: list[RankedSentence] = []
    for number, rows in enumerate(answer_feature_rows(papers)):
        for place, row in enumerate(rows):
            score = weighted_sum(row, weights.rank)
            calibrating = (score, row[_CONFIDENCE], row[_POOLED_SHARE], 1.0)
            ranked.append(
                RankedSentence(
                    number,
                    place,
                    score,
                    logistic(weighted_sum(calibrating, weights.calibration)),
                    row[_PAPER_SHARE],
                    row[_CONFIDENCE],
                )
            )
    return sorted(ranked, key=lambda item: (-item.score, item.paper, item.place))
