"""The fitted weights of answers: a small JSON file, made by `python -m litterm_training.answers`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from litterm import data
from litterm.core.errors import BadInput
from litterm.evidence.answers.features import ANSWER_FEATURE_NAMES
from litterm.evidence.weights import read_numbers

ANSWER_WEIGHTS_FILE = Path(data.__file__).with_name("answers.json")
FORMAT_VERSION = 1
CALIBRATION_NAMES = ("score",)
"""What the probability of a sentence goes by."""
SAID_NAMES = ("first", "paper_share", "confidence", "third")
"""What tells whether the library answers: log odds of the best sentence, the largest share and confidence of a paper
among those of the best three sentences, and log odds of the third sentence."""
_EXPECTED_HEADER = {
    "form": FORMAT_VERSION,
    "terms": list(ANSWER_FEATURE_NAMES),
    "calibration_terms": list(CALIBRATION_NAMES),
    "said_terms": list(SAID_NAMES),
}


@dataclass(frozen=True, slots=True)
class AnswerWeights:
    """One fit; a constant, if any, is last."""

    rank: tuple[float, ...]
    """Of `ANSWER_FEATURE_NAMES`: the order of sentences of several papers."""
    calibration: tuple[float, ...]
    """Of `CALIBRATION_NAMES` and a constant: the probability that a sentence is an answer."""
    said: tuple[float, ...]
    """Of `SAID_NAMES` and a constant: the probability that the library answers the question."""


@dataclass(frozen=True, slots=True)
class FittedAnswerWeights:
    """The file."""

    shipped: AnswerWeights
    without: Mapping[str, AnswerWeights]
    """By the name of a set of questions, weights whose fit has not seen it."""


def read_answer_weights(path: Path = ANSWER_WEIGHTS_FILE) -> FittedAnswerWeights:
    """The weights in a file.

    Raises:
        BadInput: it is missing, not JSON, or made for other terms.
    """
    try:
        loaded = cast("Mapping[str, object]", json.loads(path.read_text("utf-8")))
        if any(loaded[name] != expected for name, expected in _EXPECTED_HEADER.items()):
            raise ValueError("made for another version of litterm")
        without = cast("Sequence[Mapping[str, object]]", loaded["without"])
        return FittedAnswerWeights(
            _read(cast("Mapping[str, object]", loaded["weights"])),
            {str(fit["set"]): _read(cast("Mapping[str, object]", fit["weights"])) for fit in without},
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadInput(f"{path}: no weights for answers ({error}).") from error


def _read(fields: Mapping[str, object]) -> AnswerWeights:
    return AnswerWeights(
        read_numbers(fields["rank"], len(ANSWER_FEATURE_NAMES)),
        read_numbers(fields["calibration"], len(CALIBRATION_NAMES) + 1),
        read_numbers(fields["said"], len(SAID_NAMES) + 1),
    )
