"""Types of the arrays that features hand to each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


Column: TypeAlias = "npt.NDArray[np.float64]"
"""One number a paper or a candidate."""
Hashes: TypeAlias = "npt.NDArray[np.uint32]"
"""Words, pairs of words or authors, one number each."""
