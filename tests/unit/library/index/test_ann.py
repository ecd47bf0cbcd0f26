"""Approximate neighbours: who decides for them, what they may not lose, and (with faiss) how good they are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from litterm.library.index import vectors as vector_index
from litterm.library.index.vectors import GROUPS_FILE, VectorGroups, write_groups
from litterm.model.index import MIN_ROWS_FOR_ANN

DIMS = 16


def vectors(count: int, seed: int = 1) -> np.ndarray:
    """Directions in some clusters, as texts have them."""
    dice = np.random.default_rng(seed)
    centres = dice.standard_normal((40, DIMS))
    found = centres[dice.integers(0, 40, count)] + 0.6 * dice.standard_normal((count, DIMS))
    return (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)


def test_without_faiss_nothing_is_grouped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_index, "can_group", lambda: False)
    assert not write_groups(tmp_path / GROUPS_FILE, np.zeros((MIN_ROWS_FOR_ANN, 2), np.float32))
    assert not list(tmp_path.iterdir())


def test_few_rows_are_not_grouped(tmp_path: Path) -> None:
    assert not write_groups(tmp_path / GROUPS_FILE, np.zeros((MIN_ROWS_FOR_ANN - 1, 2), np.float32))
    assert not list(tmp_path.iterdir())


def test_where_there_are_no_groups_nothing_is_told(tmp_path: Path) -> None:
    assert VectorGroups(tmp_path / GROUPS_FILE).nearest(vectors(1)[0], 5, None) is None


def test_groups_are_no_use_without_faiss(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / GROUPS_FILE).write_bytes(b"made on another machine")
    monkeypatch.setattr(vector_index, "can_group", lambda: False)
    assert VectorGroups(tmp_path / GROUPS_FILE).nearest(vectors(1)[0], 5, None) is None


@pytest.fixture
def short() -> np.ndarray:
    return vectors(6000)


@pytest.fixture
def made(tmp_path: Path, short: np.ndarray, monkeypatch: pytest.MonkeyPatch) -> VectorGroups:
    monkeypatch.setattr(vector_index, "MIN_ROWS_FOR_ANN", 6000)
    assert write_groups(tmp_path / GROUPS_FILE, short)
    return VectorGroups(tmp_path / GROUPS_FILE)


@pytest.mark.extra
def test_nearly_all_of_the_nearest_are_found(made: VectorGroups, short: np.ndarray) -> None:
    shares = []
    for query in vectors(50, seed=2):
        exact = short @ query
        found = made.nearest(query, 100, None)
        assert found is not None
        rows, cosines = found
        assert len(rows) == 100 and (np.diff(rows) > 0).all()
        assert np.abs(cosines - exact[rows]).max() < 0.05
        shares.append(np.isin(np.argsort(-exact)[:100], rows).mean())
    assert np.mean(shares) > 0.9


@pytest.mark.extra
def test_what_may_not_be_found_is_not(made: VectorGroups, short: np.ndarray) -> None:
    among = np.arange(6000) % 3 > 0
    found = made.nearest(short[4], 100, among)
    assert found is not None
    rows, cosines = found
    assert len(rows) == 100 and among[rows].all()
    assert cosines[rows.tolist().index(4)] > 0.95


@pytest.mark.extra
def test_where_too_few_are_found_every_row_is_to_be_compared(made: VectorGroups, short: np.ndarray) -> None:
    assert made.nearest(short[0], 100, np.arange(6000) < 99) is None


@pytest.mark.extra
def test_the_same_vectors_make_the_same_groups(made: VectorGroups, short: np.ndarray, tmp_path: Path) -> None:
    assert write_groups(tmp_path / "again", short)
    assert (tmp_path / "again").read_bytes() == (tmp_path / GROUPS_FILE).read_bytes()
