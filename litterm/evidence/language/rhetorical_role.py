"""The rhetorical role of a sentence in an abstract: a finding, an aim, a method, an open question.

Structured abstracts name their parts (*RESULTS*, *CONCLUSIONS*); a part holds until the next is named.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from litterm.evidence.feature_values import feature_vector
from litterm.evidence.language import cue_words
from litterm.model.document import Sentence

AbstractPart = Literal["", "before", "results", "conclusion"]

_CAPITAL_LABELS: Final[tuple[tuple[AbstractPart, re.Pattern[str]], ...]] = (
    ("results", re.compile(r"(?:MAIN )?(?:RESULTS?|FINDINGS?)\b")),
    ("conclusion", re.compile(r"(?:(?:AUTHORS['’] )?CONCLUSIONS?|INTERPRETATION|DISCUSSION)\b")),
    (
        "before",
        re.compile(
            r"(?:BACKGROUND|OBJECTIVES?|AIMS?|PURPOSE|METHODS?|DESIGN|SETTING|CONTEXT|INTRODUCTION|PARTICIPANTS|PATIENTS"
            r"|MATERIALS?|DATA|INTERVENTIONS?|MAIN OUTCOME)\b"
        ),
    ),
)
"""Labels in capitals, which stand out without punctuation."""
_LABEL: Final = re.compile(r"[A-Z][A-Za-z()'’&/, ]{2,60}?(?=\s?[:.—–](?:\s|$)|\s-\s|$)")
_LABEL_WORD: Final = re.compile(r"[a-z]+(?:\(s\))?")
_PLURALS: Final = ("", "s", "(s)")
_PARTS: Final[tuple[tuple[AbstractPart, str], ...]] = (
    ("results", "result finding"),
    ("conclusion", "conclusion interpretation discussion significance"),
    (
        "before",
        "background objective aim purpose method methodology design setting context introduction rationale hypothesis"
        " hypotheses participant patient subject material data intervention measurement outcome importance",
    ),
)
_PART_OF: Final[dict[str, AbstractPart]] = {
    word + plural: part for part, words in _PARTS for word in words.split() for plural in _PLURALS
}
_BESIDE_PARTS: Final = frozenset(
    "a and author authors clinical key main measure measures of or our paper present primary principal review reviewers"
    " secondary source sources study the this trial".split()
)
"""Words of labels that do not tell the part."""


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


def rhetorical_roles(sentences: Sequence[Sentence], headings: Sequence[str] = ()) -> Iterator[RhetoricalRole]:
    """The rhetorical role of each candidate, in order; `headings` are the titles of the document's sections."""
    part: AbstractPart = ""
    section = -1
    for sentence in sentences:
        # JATS gives the labels as headings within the abstract.
        if headings and sentence.kind == "abstract" and sentence.section != section:
            section = sentence.section
            part = _labelled_part(headings[section])
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
    if part := _labelled_part(sentence.text):
        return part
    return next((name for name, label in _CAPITAL_LABELS if label.match(sentence.text)), current)


def _labelled_part(text: str) -> AbstractPart:
    """The part that a label such as *Materials and Methods:* names; `results` for *Results and discussion*."""
    label = _LABEL.match(text)
    if label is None:
        return ""
    words = _LABEL_WORD.findall(label[0].lower())
    if not all(word in _PART_OF or word in _BESIDE_PARTS for word in words):
        return ""
    return next((_PART_OF[word] for word in words if word in _PART_OF), "")
