"""Choosing the best of many scores, whatever their order and however many are alike."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from litterm.search.signals.fusion import (
    NORMALISATION_DEPTH,
    SparseScores,
    best_rows,
    best_rows_and_scores,
    best_rows_by_value,
    best_scores,
    kth_largest,
    spread_scores,
    union_rows,
)

COUNT = 100_000
_random = np.random.default_rng(7)
SHAPES: dict[str, npt.NDArray[np.float32]] = {
    "spread": _random.random(COUNT, dtype=np.float32),
    "mostly nothing": np.where(_random.random(COUNT) < 0.02, _random.random(COUNT), 0).astype(np.float32),
    "few values": _random.integers(0, 5, COUNT).astype(np.float32),
    "all alike": np.ones(COUNT, np.float32),
    "the best at the end": np.arange(COUNT, dtype=np.float32),
    "the best on a stride": np.where(np.arange(COUNT) % 24 == 0, 1, 0).astype(np.float32),
    "below zero": -_random.random(COUNT, dtype=np.float32),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("count", [1, 20, NORMALISATION_DEPTH, 50_000, COUNT])
def test_the_least_of_the_best_is_that_of_a_sorted_list(shape: str, count: int) -> None:
    values = SHAPES[shape]
    assert kth_largest(values, count) == np.sort(values)[COUNT - count]


@pytest.mark.parametrize("shape", SHAPES)
def test_the_best_scores_are_those_of_a_sorted_list(shape: str) -> None:
    values = SHAPES[shape]
    assert best_scores(values, np.arange(COUNT)).tolist() == np.sort(values)[COUNT - NORMALISATION_DEPTH :].tolist()


@pytest.mark.parametrize("shape", SHAPES)
def test_the_best_rows_hold_all_that_tie_with_the_last_and_none_without_a_score(shape: str) -> None:
    values, rows = SHAPES[shape], np.arange(COUNT)
    least = np.sort(values)[COUNT - NORMALISATION_DEPTH]
    assert best_rows_by_value(values, rows, NORMALISATION_DEPTH).tolist() == np.flatnonzero(values >= least).tolist()
    assert (
        best_rows(values, rows, NORMALISATION_DEPTH).tolist()
        == np.flatnonzero((values >= least) & (values > 0)).tolist()
    )


@pytest.mark.parametrize("shape", [shape for shape in SHAPES if shape != "below zero"])
@pytest.mark.parametrize("rows", [np.arange(COUNT), np.arange(0, COUNT, 500)], ids=["all", "a few"])
def test_both_at_once_are_what_each_is_alone(shape: str, rows: npt.NDArray[np.int64]) -> None:
    found, best = best_rows_and_scores(SHAPES[shape], rows, NORMALISATION_DEPTH)
    assert found.tolist() == best_rows(SHAPES[shape], rows, NORMALISATION_DEPTH).tolist()
    assert best.tolist() == best_scores(SHAPES[shape], rows).tolist()


def test_of_some_rows_only_theirs_count() -> None:
    values, rows = SHAPES["spread"], np.arange(1, COUNT, 2)
    assert best_rows(values, rows, 30).tolist() == sorted(rows[np.argsort(-values[rows])[:30]].tolist())


def test_of_sparse_scores_each_row_has_its_own_or_that_of_the_others() -> None:
    rows, values = np.array([3, 7, 90]), np.array([0.5, -0.25, 2.0], np.float32)
    asked = np.array([0, 3, 4, 7, 90, 99, 7])
    dense = spread_scores(100, rows, values, other=-1.0)
    sparse = spread_scores(2_000_000, rows, values, other=-1.0)
    assert isinstance(sparse, SparseScores) and not isinstance(dense, SparseScores)
    assert sparse[asked].tolist() == dense[asked].tolist() == [-1.0, 0.5, -1.0, -0.25, 2.0, -1.0, -0.25]
    assert sparse[asked].dtype == np.float32


def test_sparse_scores_of_no_row_are_those_of_the_others() -> None:
    nothing = SparseScores(np.empty(0, np.int64), np.empty(0, np.float32))
    assert nothing[np.array([5, 6])].tolist() == [0.0, 0.0]
    assert not len(best_rows(nothing, np.arange(10), 3))


@pytest.mark.parametrize("shape", SHAPES)
def test_the_best_rows_of_sparse_scores_are_those_of_all_scores(shape: str) -> None:
    rows = np.arange(0, COUNT, 7)
    dense = np.zeros(COUNT, np.float32)
    dense[rows] = SHAPES[shape][rows]
    sparse = SparseScores(rows, SHAPES[shape][rows])
    assert best_rows(sparse, np.arange(COUNT), 30).tolist() == best_rows(dense, np.arange(COUNT), 30).tolist()


@pytest.mark.parametrize("size", [100, 1_000_000], ids=["by a mask", "by sorting"])
def test_a_union_has_each_row_once_in_order(size: int) -> None:
    sets = (np.array([9, 4, 70], np.int32), np.array([4, 5]), np.empty(0, np.int64))
    union = union_rows(size, *sets)
    assert union.tolist() == [4, 5, 9, 70] and union.dtype == np.int64
    assert union_rows(size).tolist() == []
