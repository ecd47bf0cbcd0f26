"""Restated conclusions as matrices: a row a sentence of the body, a column a term, and which rows restate the claim."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from litterm.model.paper import PaperId
from litterm_benchmarks.evidence.restatement_gold import Restatement
from litterm_training.claims import claim_rows
from litterm_training.softmax import Matrix


@dataclass(frozen=True, slots=True)
class MeasuredRestatement:
    """One paper, measured against its own conclusion."""

    paper: PaperId
    rows: Matrix
    """Of `CLAIM_FEATURE_NAMES`."""
    gold: Matrix
    """1 for a sentence that restates the claim."""


def measure_restatements(restatements: Sequence[Restatement]) -> list[MeasuredRestatement]:
    """All the papers, measured."""
    return [_measure_restatement(restatement) for restatement in restatements]


def is_restated_first(measured: MeasuredRestatement, weights: Matrix) -> float:
    """1 where the first sentence by these weights restates the claim, else 0."""
    return float(measured.gold[int(np.argmax(measured.rows @ weights))])


def _measure_restatement(restatement: Restatement) -> MeasuredRestatement:
    rows, _ = claim_rows(restatement.document, restatement.pool, restatement.claim)
    # Of the abstract nothing may be chosen in the bench, either; it is no second statement of the conclusion.
    body = [place for place, sentence in enumerate(restatement.pool.sentences) if sentence.kind != "abstract"]
    gold = np.array([float(place in restatement.gold) for place in body])
    return MeasuredRestatement(restatement.paper, rows[body], gold)
