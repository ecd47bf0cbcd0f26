"""Retrieval metrics of one ranking, by their standard definitions; nDCG discounts by log2(rank + 1)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from litterm.model.paper import PaperId
from litterm_benchmarks.search.cases import QueryCase, Target

DEPTHS = (1, 5, 10, 20, 50, 100)
_NDCG_DEPTH = 10
_NDCG_SHARE = 0.2
_EXPONENTIAL_SHARE = 0.1
_BEST_DEPTH = 10


def compute_metrics(order: Sequence[PaperId], case: QueryCase) -> dict[str, float]:
    """All metrics, in [0, 1]; where no paper is relevant only nDCG over grades.

    A relevant paper that the library lacks counts as not found. `ndcg%20` is cut at 20 % of the pool. Where the number
    of criteria is known, as in DORIS-MAE, `ndcg-exp%10` has the gain 2^S of the sum S of the grades, as in the code of
    its authors, cut at 10 % of the pool, and `mrr-best@10` is the reciprocal rank of the first paper with the highest
    grade, 0 beyond rank 10.
    """
    metrics: dict[str, float] = {}
    if case.targets:
        ranks = hit_ranks(order, case.targets)
        total = len(case.targets)
        metrics = {f"recall@{k}": sum(rank <= k for rank in ranks) / total for k in DEPTHS}
        metrics["mrr"] = 1 / ranks[0] if ranks else 0.0
        metrics["map"] = sum(number / rank for number, rank in enumerate(ranks, 1)) / total
        metrics["r-precision"] = sum(rank <= total for rank in ranks) / total
    gains, ideal = _gains(order, case)
    if any(ideal):
        metrics[f"ndcg@{_NDCG_DEPTH}"] = _ndcg(gains, ideal, _NDCG_DEPTH)
        if case.pool:
            metrics["ndcg%20"] = _ndcg(gains, ideal, int(_NDCG_SHARE * len(case.pool)))
            if case.criteria:
                metrics |= _metrics_of_sums(gains, ideal, case)
    return metrics


def _metrics_of_sums(gains: Sequence[float], ideal: Sequence[float], case: QueryCase) -> dict[str, float]:
    """The metrics of DORIS-MAE over the sums of grades; `gains` are means over the criteria of `case`."""
    exponential, best = ([2.0 ** (mean * case.criteria) for mean in means] for means in (gains, ideal))
    depth = max(1, int(_EXPONENTIAL_SHARE * len(case.pool)))
    rank = gains.index(ideal[0]) + 1 if ideal[0] in gains else _BEST_DEPTH + 1
    return {
        f"ndcg-exp%{round(100 * _EXPONENTIAL_SHARE)}": _ndcg(exponential, best, depth),
        f"mrr-best@{_BEST_DEPTH}": 1 / rank if rank <= _BEST_DEPTH else 0.0,
    }


def hit_ranks(order: Sequence[PaperId], targets: Sequence[Target]) -> list[int]:
    """Ranks from 1 at which a target is met for the first time, ascending."""
    rank_of_hit = {paper: number for number, target in enumerate(targets) for paper in target}
    seen: set[int] = set()
    ranks: list[int] = []
    for rank, paper in enumerate(order, 1):
        number = rank_of_hit.get(paper)
        if number is not None and number not in seen:
            seen.add(number)
            ranks.append(rank)
    return ranks


def best_order(case: QueryCase) -> list[PaperId]:
    """The best possible order: all relevant papers of the library, the most relevant first."""
    if case.grades:
        return sorted(case.grades, key=lambda paper: -case.grades[paper])
    return [min(target) for target in case.targets if target]


def _gains(order: Sequence[PaperId], case: QueryCase) -> tuple[list[float], list[float]]:
    """Gain at each rank, and at each rank of the best order there is."""
    if case.grades:
        return [case.grades.get(paper, 0.0) for paper in order], sorted(case.grades.values(), reverse=True)
    hits = set(hit_ranks(order, case.targets))
    return [float(rank in hits) for rank in range(1, len(order) + 1)], [1.0] * len(case.targets)


def _ndcg(gains: Sequence[float], ideal: Sequence[float], depth: int) -> float:
    best = _dcg(ideal[:depth])
    return _dcg(gains[:depth]) / best if best else 0.0


def _dcg(gains: Sequence[float]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))
