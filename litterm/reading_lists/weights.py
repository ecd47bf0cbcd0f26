"""The fitted weights of reading lists: a small JSON file, made by `python -m litterm_training.reading_lists`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np

from litterm import data
from litterm.core.errors import BadInput
from litterm.reading_lists.candidates import CITED, FEATURES, ORIGIN, WORLD, ListCandidates

if TYPE_CHECKING:
    from litterm.interfaces.arrays import Column

FILE = Path(data.__file__).with_name("reading_lists.json")
FORM = 1
CITED_WEIGHT, ORIGIN_WEIGHT = 0.3, 0.5
"""Points a natural logarithm of citations and of papers that name an origin are worth. Set by hand: no reading list
with known references comes with a library in which most papers' references are known."""


def read_weights(path: Path = FILE) -> Column:
    """One weight a feature, in the order of `FEATURES`.

    Raises:
        BadInput: the file is missing, not JSON, or made for other features.
    """
    try:
        loaded = cast("dict[str, object]", json.loads(path.read_text("utf-8")))
        # Names are compared, not only their number: two features exchanged would go unnoticed.
        if (loaded["form"], loaded["features"]) != (FORM, list(FEATURES)):
            raise ValueError("made for another version of litterm")
        weights = np.array(cast("Sequence[float]", loaded["weights"]), np.float64)
        if weights.shape != (len(FEATURES),):
            raise ValueError(f"{weights.size} weights where {len(FEATURES)} are needed")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadInput(f"{path}: no weights for reading lists ({error}); install litterm again.") from error
    return weights


def points(candidates: ListCandidates, weights: Column) -> Column:
    """The points of each candidate: the fitted sum, and what the citation graph adds where it is known."""
    graph = CITED_WEIGHT * np.log1p(candidates.columns[CITED]) + ORIGIN_WEIGHT * np.log1p(candidates.columns[ORIGIN])
    total: Column = candidates.rows() @ weights + graph + CITED_WEIGHT * candidates.columns[WORLD]
    # Sums of floats differ in their last bits between machines; rounded, what is equal on one is so on all.
    return total.round(6)
