"""The rhetorical role of a sentence in an abstract: a finding, an aim, a method, an open question.

Structured abstracts name their parts (*RESULTS*, *CONCLUSIONS*); a part holds until the next is named.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from litterm.evidence.features.feature_values import feature_vector
from litterm.evidence.language import cue_words
from litterm.model.document import Sentence

AbstractPart = Literal["", "before", "results", "conclusion"]

_PART_LABELS: Final[tuple[tuple[AbstractPart, re.Pattern[str]], ...]] = (
    ("results", re.compile(r"(?:MAIN )?(?:RESULTS?|FINDINGS?)\b")),
    ("conclusion", re.compile(r"(?:(?:AUTHORS' )?CONCLUSIONS?|INTERPRETATION|DISCUSSION)\b")),
    (
        "before",
        re.compile(
            r"(?:BACKGROUND|OBJECTIVES?|AIMS?|PURPOSE|METHODS?|DESIGN|SETTING|CONTEXT|INTRODUCTION|PARTICIPANTS|PATIENTS"
            r"|MATERIALS?|DATA|INTERVENTIONS?|MAIN OUTCOME)\b"
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class RhetoricalRole:
    """One candidate; a cue is 1 where the words are there, else 0. The order is that of the weights."""

    concludes: float
    shows: float
    asks: float
    gathers: float
    """Tells how the data came about."""
    unknown: float
    """Says what is not known, or sets off against what was said."""
    before_results: float
    """Under the label of an abstract's part that comes before its results."""
    in_results: float
    in_conclusion: float


ROLE_NAMES, role_values = feature_vector(RhetoricalRole)


def rhetorical_roles(sentences: Sequence[Sentence]) -> Iterator[RhetoricalRole]:
    """The rhetorical role of each candidate, in order."""
    part: AbstractPart = ""
    for sentence in sentences:
        part = _current_part(sentence, part)
        lower = sentence.text.lower()
        yield RhetoricalRole(
            concludes=cue_words.has_cue(cue_words.CONCLUSION_CUES, lower),
            shows=cue_words.has_cue(cue_words.FINDING_CUES, lower),
            asks=cue_words.has_cue(cue_words.QUESTION_CUES, lower),
            gathers=cue_words.has_cue(cue_words.REVIEW_CUES, lower),
            unknown=cue_words.has_cue(cue_words.UNKNOWN, lower),
            before_results=float(part == "before"),
            in_results=float(part == "results"),
            in_conclusion=float(part == "conclusion"),
        )


def _current_part(sentence: Sentence, current: AbstractPart) -> AbstractPart:
    # Only abstracts label their parts in the line of the text.
    if sentence.kind != "abstract":
        return ""
    return next((name for name, label in _PART_LABELS if label.match(sentence.text)), current)
