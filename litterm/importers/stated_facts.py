"""Facts that entries of bibliographies state in words: a refusal, a retraction, the degree of a thesis."""

from __future__ import annotations

import re
from typing import Final

from litterm.model.paper import Decision

_RETRACTION: Final = re.compile(r"(retracted|removed|concern|corrected)(?::.*)?", re.IGNORECASE)
_REFUSAL: Final = re.compile(
    r"(?:Submitted to (?P<venue>.+); (?P<decision>rejected|withdrawn|desk-rejected|decision unknown)"
    r"|Workshop track of (?P<host>.+?))(?:\. (?P<retraction>(?:Retracted|Removed|Concern)\b.*))?"
)
"""What litterm's own entries say of a submission."""
_DECISIONS: Final[dict[str, Decision]] = {
    "rejected": "reject",
    "withdrawn": "withdrawn",
    "desk-rejected": "desk-reject",
    "decision unknown": "unknown",
}
_DEGREE_WORDS: Final = (
    ("bachelor", re.compile(r"bachelor|bathesis|\bb\.? ?(?:a|sc|eng)\b", re.IGNORECASE)),
    ("habilitation", re.compile(r"habilitation", re.IGNORECASE)),
    ("master", re.compile(r"master|mathesis|magister|\bm\.? ?(?:a|sc|eng|phil)\b", re.IGNORECASE)),
    ("phd", re.compile(r"ph\.? ?d|phdthesis|doctor|doktor|\bd\.? ?phil\b|promotion", re.IGNORECASE)),
)
_ANY_THESIS: Final = re.compile(r"thes[ie]s|dissertation|th[eè]se|tesis?|tese", re.IGNORECASE)


def is_retraction(note: str) -> bool:
    """Whether the note says that the paper was retracted or corrected, and nothing else."""
    return _RETRACTION.fullmatch(note) is not None


def is_stated_status(note: str) -> bool:
    """Whether the note says what became of the paper, as litterm's own entries do, and nothing else."""
    return is_retraction(note) or _REFUSAL.fullmatch(note) is not None


def retraction_in(note: str) -> str:
    """The retraction that a note states, in the form of `Paper.retraction`; empty if it states none."""
    if (refusal := _REFUSAL.fullmatch(note)) is not None:
        note = refusal["retraction"] or ""
    return note[:1].lower() + note[1:] if is_retraction(note) else ""


def refusal_in(note: str, year: int | None) -> tuple[str, Decision]:
    """The venue that did not take the work, and its decision, as litterm's own entries state them."""
    refusal = _REFUSAL.fullmatch(note)
    if refusal is None:
        return "", ""
    venue = (refusal["venue"] or refusal["host"]).removesuffix(f" {year}")
    return "" if venue == "a conference" else venue, _DECISIONS.get(refusal["decision"], "workshop")


def degree_in(text: str) -> str:
    """The degree that the type of a thesis names: `phd`, `master`, `bachelor`, `habilitation`; else empty."""
    return next((degree for degree, words in _DEGREE_WORDS if words.search(text)), "")


def is_any_thesis(text: str) -> bool:
    """Whether it is a word for a thesis of any degree."""
    return _ANY_THESIS.fullmatch(text) is not None
