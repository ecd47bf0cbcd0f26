"""EvidenceBench items as matrices: one row per candidate, one column per term, and what each row is worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from litterm.core.tasks import run
from litterm.evidence.candidate_pool import CandidatePool, build_candidate_pool
from litterm.evidence.diverse_top_k import SentenceSimilarity, select_diverse
from litterm.evidence.features import FEATURE_NAMES, measure_closeness
from litterm.evidence.hypothesis import read_hypothesis
from litterm.evidence.language.concepts import find_occurrences
from litterm.evidence.learned import SHARPNESS
from litterm.evidence.verdict import VerdictFeatures, compute_verdict_features
from litterm.model.document import Document
from litterm_benchmarks.readers.evidencebench import Item, as_document, body_only, recalls
from litterm_training.claims import claim_rows
from litterm_training.softmax import Matrix

_POWER = 1.5
"""A row is worth its number of aspects to this power: one sentence for three aspects is better than three."""


@dataclass(frozen=True, slots=True)
class RankedItem:
    """One item, measured against its own hypothesis."""

    item: Item
    document: Document
    pool: CandidatePool
    rows: Matrix
    """Of `FEATURE_NAMES`."""
    claim_rows: Matrix
    """Of `CLAIM_FEATURE_NAMES`."""
    worth: Matrix
    worth_in_results: Matrix
    numbers: tuple[int, ...]
    """The item's sentence number of each row."""


def ranked_item(item: Item) -> RankedItem:
    """The item's candidates as rows."""
    document, shown_numbers = as_document(item)
    pool = run(build_candidate_pool(document))
    rows, _ = claim_rows(document, pool, item.hypothesis)
    numbers = tuple(shown_numbers[sentence.index] for sentence in pool.sentences)
    return RankedItem(
        item,
        document,
        pool,
        rows[:, : len(FEATURE_NAMES)],
        rows,
        _worth(numbers, item.aspects),
        _worth(numbers, item.result_aspects),
        numbers,
    )


def verdict_features(document: Document, pool: CandidatePool, hypothesis: str) -> VerdictFeatures:
    """What tells whether the paper speaks to some hypothesis."""
    question = read_hypothesis(hypothesis)
    occurrences = find_occurrences(question, pool)
    return compute_verdict_features(
        document, pool, occurrences, run(measure_closeness(document, pool, occurrences, question.text))
    )


def figures(
    ranked: RankedItem,
    weights: Matrix,
    in_results: Matrix,
    *,
    body: bool = False,
    rows: Matrix | None = None,
) -> Mapping[str, float]:
    """Aspect recall by setting of the order that these weights of `rows`, else of `ranked.rows`, give.

    `body`: with the abstract withheld.
    """
    item = body_only(ranked.item) if body else ranked.item
    live = {index for index, number in enumerate(ranked.numbers) if number not in item.withheld}
    overlap = SentenceSimilarity(ranked.pool.vectors)
    orders: list[Sequence[int]] = []
    for fitted, k in ((weights, max(10, item.optimal)), (in_results, max(5, item.result_optimal))):
        scores = ((ranked.rows if rows is None else rows) @ fitted).tolist()
        picked = run(select_diverse(scores, overlap, k=k, sharpness=SHARPNESS, selectable=live))
        orders.append([ranked.numbers[index] for index in picked])
    return recalls(item, orders[0], orders[1])


def _worth(numbers: Sequence[int], aspects: Sequence[frozenset[int]]) -> Matrix:
    return np.array([sum(number in sources for sources in aspects) for number in numbers], dtype=np.float64) ** _POWER
