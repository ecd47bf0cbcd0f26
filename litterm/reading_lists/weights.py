"""Reads the fitted weights of reading lists, a JSON file made by `python -m litterm_training.reading_lists`."""

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

WEIGHTS_FILE = Path(data.__file__).with_name("reading_lists.json")
FORMAT_VERSION = 1
CITED_WEIGHT, ORIGIN_WEIGHT = 0.3, 0.5
"""Weights of the natural logarithms of citations and of papers that name it as an origin. Set by hand: there is no data
set of reading lists over a library with a nearly complete citation graph."""


def read_weights(path: Path = WEIGHTS_FILE) -> Column:
    """Reads a weight for each of `FEATURES`, in their order.

    Raises:
        BadInput: the file is missing, not JSON, or made for other features.
    """
    try:
        loaded = cast("dict[str, object]", json.loads(path.read_text("utf-8")))
        # Names are compared, so that features in another order are noticed.
        if (loaded["form"], loaded["features"]) != (FORMAT_VERSION, list(FEATURES)):
            raise ValueError("made for another version of litterm")
        weights = np.array(cast("Sequence[float]", loaded["weights"]), np.float64)
        if weights.shape != (len(FEATURES),):
            raise ValueError(f"{weights.size} weights where {len(FEATURES)} are needed")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadInput(f"{path}: no weights for reading lists ({error}); install litterm again.") from error
    return weights


def score_candidates(candidates: ListCandidates, weights: Column) -> Column:
    """Scores candidates: the fitted linear model, plus citations where they are known."""
    graph = CITED_WEIGHT * np.log1p(candidates.columns[CITED]) + ORIGIN_WEIGHT * np.log1p(candidates.columns[ORIGIN])
    total: Column = candidates.feature_matrix() @ weights + graph + CITED_WEIGHT * candidates.columns[WORLD]
    # Rounded, because sums of floats differ in their last bits between machines, and ties must not.
    return total.round(6)
