"""The fitted weights: a small JSON file, made by `python -m litterm.train.evidence`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from litterm import data
from litterm.errors import BadInput
from litterm.evidence.features import TERMS
from litterm.evidence.verdict import SIGNS

FILE = Path(data.__file__).with_name("evidence.json")
FORM = 1


@dataclass(frozen=True, slots=True)
class Weights:
    """One fit; every sequence has the order of `TERMS`, or of `SIGNS` and then the constant."""

    all: tuple[float, ...]
    results: tuple[float, ...]
    full: tuple[float, ...]
    """For the verdict on a paper."""
    thin: tuple[float, ...]
    """For the verdict on an abstract or a fragment."""


@dataclass(frozen=True, slots=True)
class Fold:
    """Weights fitted without these papers; what they reach on them is out of fold."""

    papers: frozenset[str]
    weights: Weights


@dataclass(frozen=True, slots=True)
class Trained:
    """The file."""

    shipped: Weights
    folds: tuple[Fold, ...]

    def unseen(self, paper: str) -> Weights | None:
        """Weights whose fit has not seen `paper`, if the shipped ones have; else `None`."""
        return next((fold.weights for fold in self.folds if paper in fold.papers), None)


def read_weights(path: Path = FILE) -> Trained:
    """The weights in a file.

    Raises:
        BadInput: it is missing, not JSON, or made for other terms.
    """
    try:
        loaded = cast("Mapping[str, object]", json.loads(path.read_text("utf-8")))
        if (loaded["form"], loaded["terms"], loaded["signs"]) != (FORM, list(TERMS), list(SIGNS)):
            raise ValueError("made for another version of litterm")
        folds = cast("Sequence[Mapping[str, object]]", loaded["folds"])
        return Trained(
            _weights(cast("Mapping[str, object]", loaded["weights"])),
            tuple(
                Fold(
                    frozenset(cast("Sequence[str]", fold["papers"])),
                    _weights(cast("Mapping[str, object]", fold["weights"])),
                )
                for fold in folds
            ),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadInput(f"{path}: no weights for evidence ({error}).") from error


def _weights(fields: Mapping[str, object]) -> Weights:
    return Weights(
        all=_numbers(fields["all"], len(TERMS)),
        results=_numbers(fields["results"], len(TERMS)),
        full=_numbers(fields["full"], len(SIGNS) + 1),
        thin=_numbers(fields["thin"], len(SIGNS) + 1),
    )


def _numbers(given: object, count: int) -> tuple[float, ...]:
    numbers = tuple(float(number) for number in cast("Sequence[float]", given))
    if len(numbers) != count:
        raise ValueError(f"{len(numbers)} weights where {count} are needed")
    return numbers
