"""What part in an abstract's argument a sentence claims for itself: a finding, an aim, a method, an open question.

Structured abstracts name their parts (*RESULTS*, *CONCLUSIONS*); a part holds until the next is named.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from litterm.evidence.features.feature_values import vector_form
from litterm.evidence.wording import cue_words
from litterm.model.document import Sentence

Part = Literal["", "before", "results", "conclusion"]

_PARTS: Final[tuple[tuple[Part, re.Pattern[str]], ...]] = (
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
class Tone:
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


TONES, tone_values = vector_form(Tone)


def tones(sentences: Sequence[Sentence]) -> Iterator[Tone]:
    """The tone of each candidate, in order."""
    part: Part = ""
    for sentence in sentences:
        part = _part(sentence, part)
        lower = sentence.text.lower()
        yield Tone(
            concludes=cue_words.holds(cue_words.CONCLUDES, lower),
            shows=cue_words.holds(cue_words.SHOWS, lower),
            asks=cue_words.holds(cue_words.ASKS, lower),
            gathers=cue_words.holds(cue_words.GATHERS, lower),
            unknown=cue_words.holds(cue_words.UNKNOWN, lower),
            before_results=float(part == "before"),
            in_results=float(part == "results"),
            in_conclusion=float(part == "conclusion"),
        )


def _part(sentence: Sentence, current: Part) -> Part:
    # Only abstracts label their parts in the line of the text.
    if sentence.kind != "abstract":
        return ""
    return next((name for name, label in _PARTS if label.match(sentence.text)), current)
