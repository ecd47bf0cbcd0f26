"""The fitted weights: a small JSON file, made by `python -m litterm_training.evidence`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from litterm import data
from litterm.core.errors import BadInput
from litterm.evidence.features import CLAIM_FEATURE_NAMES, FEATURE_NAMES
from litterm.evidence.language.directions import DIRECTION_FEATURES
from litterm.evidence.language.stance import STANCE_FEATURES
from litterm.evidence.strength import STRENGTH_TERMS
from litterm.evidence.verdict import VERDICT_FEATURES

WEIGHTS_FILE = Path(data.__file__).with_name("evidence.json")
FORMAT_VERSION = 6
"""Raised when the file changes its meaning and not its terms."""
_EXPECTED_HEADER = {
    "form": FORMAT_VERSION,
    "terms": list(CLAIM_FEATURE_NAMES),
    "signs": list(VERDICT_FEATURES),
    "strength_terms": list(STRENGTH_TERMS),
    "stance_terms": list(STANCE_FEATURES),
    "direction_terms": list(DIRECTION_FEATURES),
}
_WEIGHT_COUNTS = {
    "key_findings": len(FEATURE_NAMES),
    "key_results": len(FEATURE_NAMES),
    "claim_full_text": len(CLAIM_FEATURE_NAMES),
    "claim_abstract": len(CLAIM_FEATURE_NAMES),
    "claim_results": len(CLAIM_FEATURE_NAMES),
    "claim_first": len(CLAIM_FEATURE_NAMES),
    "verdict_full_text": len(VERDICT_FEATURES) + 1,
    "verdict_abstract": len(VERDICT_FEATURES) + 1,
    "strength": len(STRENGTH_TERMS) + 1,
    "stance": len(STANCE_FEATURES) + 1,
    "directions": len(DIRECTION_FEATURES) + 1,
}


@dataclass(frozen=True, slots=True)
class Weights:
    """One fit; a constant, if any, is last."""

    key_findings: tuple[float, ...]
    """Of `FEATURE_NAMES`, for key findings."""
    key_results: tuple[float, ...]
    claim_full_text: tuple[float, ...]
    """Of `CLAIM_FEATURE_NAMES`, for this hypothesis in a paper."""
    claim_abstract: tuple[float, ...]
    """The same in an abstract or a fragment."""
    claim_results: tuple[float, ...]
    claim_first: tuple[float, ...]
    """For the first sentence shown of a paper, the one that states the claim."""
    verdict_full_text: tuple[float, ...]
    """Of `VERDICT_FEATURES` and a constant, for the verdict on a paper."""
    verdict_abstract: tuple[float, ...]
    """For the verdict on an abstract or a fragment."""
    strength: tuple[float, ...]
    """Of `STRENGTH_TERMS` and a constant."""
    stance: tuple[float, ...]
    """Of `STANCE_FEATURES` and a constant."""
    directions: tuple[float, ...]
    """Of `DIRECTION_FEATURES` and a constant, for the stance of a full text."""


@dataclass(frozen=True, slots=True)
class Fold:
    """Weights fitted without these papers; what they reach on them is out of fold."""

    papers: frozenset[str]
    weights: Weights


@dataclass(frozen=True, slots=True)
class TrainedWeights:
    """The file."""

    shipped: Weights
    folds: tuple[Fold, ...]

    def weights_without(self, paper: str) -> Weights | None:
        """Weights whose fit has not seen `paper`, if the shipped ones have; else `None`."""
        return next((fold.weights for fold in self.folds if paper in fold.papers), None)


def read_weights(path: Path = WEIGHTS_FILE) -> TrainedWeights:
    """The weights in a file.

    Raises:
        BadInput: it is missing, not JSON, or made for other terms.
    """
    try:
        loaded = cast("Mapping[str, object]", json.loads(path.read_text("utf-8")))
        # By names: weights of another order would rank without any sign that they are wrong.
        if any(loaded[name] != expected for name, expected in _EXPECTED_HEADER.items()):
            raise ValueError("made for another version of litterm")
        folds = cast("Sequence[Mapping[str, object]]", loaded["folds"])
        return TrainedWeights(
            _read_weights(cast("Mapping[str, object]", loaded["weights"])),
            tuple(
                Fold(
                    frozenset(cast("Sequence[str]", fold["papers"])),
                    _read_weights(cast("Mapping[str, object]", fold["weights"])),
                )
                for fold in folds
            ),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadInput(f"{path}: no weights for evidence ({error}).") from error


def _read_weights(fields: Mapping[str, object]) -> Weights:
    return Weights(**{name: read_numbers(fields[name], count) for name, count in _WEIGHT_COUNTS.items()})


def read_numbers(stated: object, count: int) -> tuple[float, ...]:
    """The `count` weights that a file states.

    Raises:
        ValueError: there are more, or fewer.
    """
    numbers = tuple(float(number) for number in cast("Sequence[float]", stated))
    if len(numbers) != count:
        raise ValueError(f"{len(numbers)} weights where {count} are needed")
    return numbers
