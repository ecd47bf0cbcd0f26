"""The weights by which the directions of a full text tell its stance: claims that the text states, and their opposites.

Learned from the conclusions of full texts, turned round by rule, from the conclusion of another paper put to each of
them, and from claims with abstracts. What is told of a paper that does not speak to the claim counts as wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from litterm.core.tasks import run
from litterm.evidence.candidate_pool import CandidatePool, build_candidate_pool
from litterm.evidence.hypothesis import read_hypothesis
from litterm.evidence.language.concepts import find_occurrences
from litterm.evidence.language.directions import (
    DIRECTION_FEATURES,
    ClaimDirections,
    DirectionComparison,
    direction_values,
)
from litterm.model.document import Document
from litterm.model.paper import PaperId
from litterm_benchmarks.evidence.hard_negatives import PaperHypothesis, foils
from litterm_benchmarks.evidence.restatement_gold import Restatement
from litterm_benchmarks.evidence.turned_claims import FormedClaim, forms_of
from litterm_benchmarks.readers.claims import ClaimPair, Label, as_document
from litterm_training.claims import claim_rows, has_context
from litterm_training.logistic_regression import fit_logistic
from litterm_training.softmax import Matrix

DIRECTION_RIDGE = 3.0
_NO_FINDINGS = ("introduction", "methods")


@dataclass(frozen=True, slots=True)
class FormedPair:
    """A full text and a claim put to it."""

    paper: PaperId
    claim: FormedClaim


@dataclass(frozen=True, slots=True)
class MeasuredDirections:
    """A paper and a claim, measured."""

    paper: str
    label: Label
    rows: Matrix
    """Of `CLAIM_FEATURE_NAMES`, a row a candidate."""
    directions: ClaimDirections
    title: str
    texts: tuple[str, ...]
    """Of the candidates; empty where no stance may be told of one, whatever it says."""

    def first(self, by_claim: Matrix) -> DirectionComparison | None:
        """Of the candidate that these weights put first, if it tells a stance."""
        text = self.texts[int(np.argmax(self.rows @ by_claim))]
        compared = self.directions.compare(text, self.title) if text else None
        return compared if compared and compared.side else None


def claims_of(restatements: Sequence[Restatement]) -> list[FormedPair]:
    """Each paper with its own conclusion, the opposites of that, and the conclusion nearest to it of any other."""
    if not restatements:
        return []
    texts = [" ".join(sentence.text for sentence in item.pool.sentences) for item in restatements]
    wrong = foils(
        [PaperHypothesis(item.paper, item.claim, text) for item, text in zip(restatements, texts, strict=True)]
    )
    pairs: list[FormedPair] = []
    for item, foil in zip(restatements, wrong, strict=True):
        pairs += [FormedPair(item.paper, claim) for claim in forms_of(item.claim)]
        near = FormedClaim("another paper's", restatements[foil.near_paper].claim, "NONE")
        pairs.append(FormedPair(item.paper, near))
    return pairs


def measure_directions(
    restatements: Sequence[Restatement], pairs: Sequence[ClaimPair] = ()
) -> list[MeasuredDirections]:
    """The conclusions of full texts in all forms, and `pairs` of claims with abstracts that have some context."""
    by_paper = {item.paper: item for item in restatements}
    measured = [
        _measure(
            by_paper[each.paper].document, by_paper[each.paper].pool, each.claim.text, each.claim.label, each.paper
        )
        for each in claims_of(restatements)
    ]
    for pair in filter(has_context, pairs):
        document, _ = as_document(pair)
        measured.append(_measure(document, run(build_candidate_pool(document)), pair.claim, pair.label, pair.paper))
    return measured


def fit_directions(measured: Sequence[MeasuredDirections], by_claim: Matrix) -> Matrix:
    """Weights of `DIRECTION_FEATURES` and a constant; `by_claim` say which sentence comes first.

    Nothing but zeros, by which no stance is told, where no paper tells one.
    """
    told = [(each, first) for each in measured if (first := each.first(by_claim))]
    if not told:
        return np.zeros(len(DIRECTION_FEATURES) + 1)
    rows = np.array([direction_values(first) for _, first in told])
    right = np.array([float(is_right(each.label, first.side)) for each, first in told])
    return fit_logistic(rows, right, np.ones(len(right)), ridge=DIRECTION_RIDGE)


def is_right(label: Label, side: int) -> bool:
    """Whether a paper with this label is on this side of the claim."""
    return label == ("SUPPORT" if side > 0 else "CONTRADICT")


def _measure(document: Document, pool: CandidatePool, claim: str, label: Label, paper: str) -> MeasuredDirections:
    rows, _ = claim_rows(document, pool, claim)
    occurrences = find_occurrences(read_hypothesis(claim), pool)
    title = " ".join(row.text for row in document.sentences if row.kind == "title")
    texts = tuple(
        "" if document.sections[sentence.section].kind in _NO_FINDINGS else sentence.text for sentence in pool.sentences
    )
    return MeasuredDirections(paper, label, rows, ClaimDirections(claim, occurrences.concepts), title, texts)
