"""Reading the fitted weights of the attributor, a small JSON file that `python -m litterm_training.attribution` writes.

The file names its features in order, as `terms` and `signs`, and is refused where they differ from those of this
version: a weight that went to the wrong column would give an answer, only a bad one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import numpy as np

from litterm import data
from litterm.attribution.features import FEATURE_NAMES, Matrix
from litterm.core.errors import BadInput

WEIGHTS_FILE = Path(data.__file__).with_name("attribution.json")
FORMAT_VERSION = 1
CONFIDENCE_FEATURES = ("share", "cosine", "cover", "cited_as", "profiled", "profile_share", "lead", "gap", "size")
"""What tells whether the first candidate is the paper, and whether any is: see `attribution.confidence`."""


@dataclass(frozen=True, slots=True)
class FittedWeights:
    """Weights for one kind of pool."""

    terms: Matrix
    """In the order of `FEATURE_NAMES`."""
    sharpness: float
    """Points are multiplied by it before they become probabilities."""
    first: Matrix
    """For the first candidate being the paper; in the order of `CONFIDENCE_FEATURES`, and last the constant."""
    presence: Matrix
    """For the library holding the paper; likewise."""


def read_weights(path: Path = WEIGHTS_FILE) -> Mapping[str, FittedWeights]:
    """The fits by the kind of pool: `hybrid`, and `bm25` for libraries without vectors.

    Raises:
        BadInput: the file is missing, not JSON, or made for other terms.
    """
    try:
        loaded = cast("Mapping[str, object]", json.loads(path.read_text("utf-8")))
        if (loaded["form"], loaded["terms"], loaded["signs"]) != (
            FORMAT_VERSION,
            list(FEATURE_NAMES),
            list(CONFIDENCE_FEATURES),
        ):
            raise ValueError("made for another version of litterm")
        fits = cast("Mapping[str, Mapping[str, object]]", loaded["fits"])
        return {name: _read_fit(fields) for name, fields in fits.items()}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadInput(f"{path}: no weights for attribution ({error}).") from error


def _read_fit(fields: Mapping[str, object]) -> FittedWeights:
    return FittedWeights(
        terms=_read_numbers(fields["terms"], len(FEATURE_NAMES)),
        sharpness=float(cast("float", fields["sharpness"])),
        first=_read_numbers(fields["first"], len(CONFIDENCE_FEATURES) + 1),
        presence=_read_numbers(fields["presence"], len(CONFIDENCE_FEATURES) + 1),
    )


def _read_numbers(raw: object, count: int) -> Matrix:
    numbers = np.array(cast("Sequence[float]", raw), np.float64)
    if numbers.shape != (count,):
        raise ValueError(f"{numbers.size} weights where {count} are needed")
    return numbers
