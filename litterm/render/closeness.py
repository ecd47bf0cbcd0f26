"""The words for how close evidence comes to a hypothesis: *on topic*, *partly on topic*, *mentions*, *no evidence*."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from litterm.model.evidence import CLOSENESS, NO_EVIDENCE, TOO_SHORT, Evidence, LikelyStance, Stance, Strength

if TYPE_CHECKING:
    from litterm.model.matrix import MatrixCell

ON_TOPIC = CLOSENESS["strong"]
STANCE_UNCLEAR = "stance unclear"
"""Said of sentences that nothing tells to be for or against: how close they come is neither."""
_STANCES: tuple[Stance, ...] = ("supports", "refutes", "context")


def strength_words(strength: Strength | None) -> str:
    """The word for the strength of a sentence; empty if it is not known."""
    return CLOSENESS[strength] if strength else ""


def closeness_label(strength: Strength | None, judged: Stance | None) -> str:
    """The word for the strength of a sentence; empty where a model gave it a stance, which *mentions* would belie."""
    return "" if judged else strength_words(strength)


def stance_label(judged: Stance | None, likely: LikelyStance | None) -> str:
    """The stance given by a model, or else *likely supports* or *likely refutes*; empty for neither."""
    # A model has read the sentence; the wording is a guess, and is called one.
    return judged or (f"likely {likely.stance}" if likely else "")


def evidence_words(result: Evidence) -> str:
    """The words for a paper: those of its closest sentence, *no evidence*, or counts of stances by a model."""
    if result.verdict == "nothing" or not result.sentences:
        return TOO_SHORT if result.verdict == "unclear" else NO_EVIDENCE if result.verdict else ""
    stances = stance_counts(item.stance for item in result.sentences)
    return stances or strongest_words(item.strength for item in result.sentences)


def evidence_stance_words(result: Evidence) -> str:
    """For or against: counts of stances by a model, the likely stance, or that it is unclear; empty for no evidence."""
    if result.verdict == "nothing":
        return ""
    return _stance_words((item.stance, item.likely_stance) for item in result.sentences)


def cell_stance_words(cell: MatrixCell) -> str:
    """The same for a cell of a matrix."""
    return _stance_words((quote.stance, quote.likely_stance) for quote in cell.quotes)


def _stance_words(stances: Iterable[tuple[Stance | None, LikelyStance | None]]) -> str:
    of_sentences = tuple(stances)
    if not of_sentences:
        return ""
    likely = next((stance_label(None, likely) for _, likely in of_sentences if likely), STANCE_UNCLEAR)
    return stance_counts(judged for judged, _ in of_sentences) or likely


def cell_strength_words(cell: MatrixCell) -> str:
    """The words for a cell of a matrix, as by `evidence_words`."""
    if cell.verdict == "nothing" or not cell.quotes:
        return TOO_SHORT if cell.empty == "too short" else NO_EVIDENCE
    return stance_counts(quote.stance for quote in cell.quotes) or strongest_words(
        quote.strength for quote in cell.quotes
    )


def stance_counts(stances: Iterable[Stance | None]) -> str:
    """`supports 3, refutes 1`; empty where no model judged."""
    judged = tuple(stances)
    counts = ((stance, judged.count(stance)) for stance in _STANCES)
    return ", ".join(f"{stance} {count}" for stance, count in counts if count)


def strongest_words(strengths: Iterable[Strength]) -> str:
    """The word for the strongest of several sentences; empty for none."""
    present = frozenset(strengths)
    # `CLOSENESS` lists the strengths from the strongest down.
    return next((word for strength, word in CLOSENESS.items() if strength in present), "")
