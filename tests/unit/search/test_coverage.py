"""Word coverage is computed in blocks, and each product is that of whole matrices."""

from __future__ import annotations

import numpy as np
import pytest

from litterm.search.signals import coverage
from litterm.search.signals.coverage import DIMS, _multiply_in_blocks

_random = np.random.default_rng(3)


def units(count: int) -> coverage.Matrix:
    """Unit vectors in whole steps, as stems have them."""
    vectors = _random.standard_normal((count, DIMS))
    return (np.rint(vectors / np.linalg.norm(vectors, axis=1, keepdims=True) * 2048) / 2048).astype(np.float32)


@pytest.mark.parametrize(("rows", "others"), [(1, 5_000), (7, 2_049), (3, 1), (40, 333), (3_000, 9)])
def test_blocks_give_the_products_of_whole_matrices(rows: int, others: int) -> None:
    left, right = units(rows), units(others)
    exact = (left.astype(np.float64) @ right.astype(np.float64).T).astype(np.float32)
    assert (_multiply_in_blocks(left, right) == exact).all()
