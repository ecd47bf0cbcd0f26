"""How close evidence comes to the hypothesis, in the words that are used everywhere: *states it*, *bears on it*, ..."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from litterm.model.evidence import CLOSENESS, Evidence, LikelyStance, Stance, Strength

if TYPE_CHECKING:
    from litterm.model.matrix import MatrixCell

STATED = CLOSENESS["strong"]
_STATE = "state it"


def sentence_words(strength: Strength | None) -> str:
    """What a sentence does for the hypothesis; empty where nothing is known."""
    return CLOSENESS[strength] if strength else ""


def stance_of(judged: Stance | None, likely: LikelyStance | None) -> str:
    """The stance a model judged, else *likely supports* or *likely refutes* where the wording tells; empty for none."""
    return judged or (f"likely {likely.stance}" if likely else "")


def paper_words(found: Evidence) -> str:
    """The paper's word: its best sentence's, or `nothing`; where a model judged, the model's `strong` or `weak`."""
    if found.verdict == "nothing" or not found.sentences:
        return found.verdict or ""
    if any(item.stance for item in found.sentences):
        return found.verdict or ""
    return best_words(item.strength for item in found.sentences)


def cell_closeness(cell: MatrixCell) -> str:
    """The same for a cell of a matrix."""
    if cell.verdict == "nothing" or not cell.quotes or any(quote.stance for quote in cell.quotes):
        return cell.verdict
    return best_words(quote.strength for quote in cell.quotes)


def best_words(strengths: Iterable[Strength]) -> str:
    """The word for the strongest; empty for none."""
    held = frozenset(strengths)
    return next((word for strength, word in CLOSENESS.items() if strength in held), "")


def stating(count: int) -> str:
    """`2 state it`, `1 states it`; empty for none."""
    return f"{count} {STATED if count == 1 else _STATE}" if count else ""
