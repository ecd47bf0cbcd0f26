"""Retrieval metrics against values worked out by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from litterm.model.paper import PaperId
from litterm_benchmarks.metrics import percent
from litterm_benchmarks.search.cases import QueryCase, earlier_year
from litterm_benchmarks.search.relevance import best_order, compute_metrics, hit_ranks


def ids(text: str) -> list[PaperId]:
    return [PaperId(each) for each in text.split()]


def case(*targets: str, pool: str = "", grades: dict[str, float] | None = None) -> QueryCase:
    return QueryCase(
        key="q",
        query="",
        targets=tuple(frozenset(ids(target)) for target in targets),
        cluster="q",
        pool=tuple(ids(pool)),
        grades={PaperId(key): grade for key, grade in (grades or {}).items()},
    )


def test_one_target_at_rank_three() -> None:
    found = compute_metrics(ids("a b c d"), case("c"))
    assert (found["recall@1"], found["recall@5"], found["mrr"], found["map"]) == (0, 1, 1 / 3, 1 / 3)
    assert found["ndcg@10"] == pytest.approx(1 / 2)  # 1 / log2(3 + 1)
    assert "ndcg%20" not in found


def test_two_of_three_targets_are_found_and_the_third_is_not_there() -> None:
    found = compute_metrics(ids("x a y b"), case("a", "b", ""))
    assert found["recall@5"] == pytest.approx(2 / 3)
    assert found["r-precision"] == pytest.approx(1 / 3)
    assert found["map"] == pytest.approx((1 / 2 + 2 / 4) / 3)
    ideal = 1 + 1 / math.log2(3) + 1 / 2
    assert found["ndcg@10"] == pytest.approx((1 / math.log2(3) + 1 / math.log2(5)) / ideal)


def test_a_paper_under_two_ids_is_found_once() -> None:
    assert hit_ranks(ids("a b"), case("a b", "c").targets) == [1]


def test_grades_are_gains_and_a_fifth_of_the_pool_is_looked_at() -> None:
    grades = {"a": 3.0, "b": 1.0, "c": 0.0, "d": 0.0, "e": 0.0, "f": 0.0, "g": 0.0, "h": 0.0, "i": 0.0, "j": 2.0}
    found = compute_metrics(ids("b a c d e f g h i j"), case("a", pool="a b c d e f g h i j", grades=grades))
    assert found["ndcg%20"] == pytest.approx((1 + 3 / math.log2(3)) / (3 + 2 / math.log2(3)))


def test_sums_of_grades_are_exponents_and_the_best_graded_paper_has_a_rank_of_its_own() -> None:
    grades = {"a": 1.5, "b": 0.5, **dict.fromkeys("cdefghijklmnopqrst", 0.0)}
    graded = replace(case("a", pool=" ".join(grades), grades=grades), criteria=4)
    found = compute_metrics(ids("b a c"), graded)
    # A tenth of twenty papers; the sums are 6 and 2.
    assert found["ndcg-exp%10"] == pytest.approx((4 + 64 / math.log2(3)) / (64 + 4 / math.log2(3)))
    assert found["mrr-best@10"] == 1 / 2
    assert compute_metrics(ids("b c d e f g h i j k a"), graded)["mrr-best@10"] == 0
    assert "ndcg-exp%10" not in compute_metrics(ids("b a c"), replace(graded, criteria=0))


def test_without_anything_relevant_only_grades_count() -> None:
    found = compute_metrics(ids("b a"), case(pool="a b", grades={"a": 0.5, "b": 0.0}))
    assert list(found) == ["ndcg@10", "ndcg%20"]
    assert compute_metrics(ids("a"), case()) == {}


def test_the_best_order_leaves_out_what_is_not_there() -> None:
    assert best_order(case("b a", "", "c")) == ids("a c")
    assert best_order(case("a", pool="a b", grades={"a": 1.0, "b": 2.0})) == ids("b a")


def test_the_earlier_year_limits() -> None:
    assert [earlier_year(2016, 2020), earlier_year(None, 2020), earlier_year(2016, None), earlier_year(None, None)] == [
        2016,
        2020,
        2016,
        None,
    ]


def test_cases_of_one_cluster_are_one_sample() -> None:
    alone = percent("recall@1", [1, 1, 0, 0])
    paired = percent("recall@1", [1, 1, 0, 0], ["a", "a", "b", "b"])
    assert alone.mean == paired.mean == 50
    assert (alone.se, paired.se) == (pytest.approx(25, abs=2), pytest.approx(35.4, abs=2))


def test_a_gain_is_paired() -> None:
    metric = percent("mrr", [1, 0.5, 0, 1], base=[0.5, 0, 0, 0.5])
    assert (metric.gain, metric.mean) == (pytest.approx(37.5), pytest.approx(62.5))
    assert metric.gain_se is not None
    assert metric.se is not None
    assert metric.gain_se < metric.se
    assert percent("mrr", [1, 0]).gain is None
