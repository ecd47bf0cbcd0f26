"""How strongly a sentence speaks to the claim: on topic, partly on topic, or only mentioning it.

The word follows a probability that the sentence would be given as the reason why the claim holds or does not. It
depends on how close the sentence is to the claim and on how likely the paper is to speak of it, not on how it
compares with the paper's other sentences, so one scale serves rows, papers and matrices.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Final

from litterm.evidence.features.claim_closeness import CLOSENESS_TERMS, ClaimCloseness, closeness_values
from litterm.evidence.wording.rhetorical_role import TONES, Tone, tone_values
from litterm.model.evidence import EvidenceSentence, Strength, Verdict

STRENGTH_TERMS = (*CLOSENESS_TERMS, *TONES, "paper")
"""`paper` is the logit of the probability that the paper speaks to the claim."""
STRONG_FROM: Final = 0.6
MEDIUM_FROM: Final = 0.3
_BY_SHARE_STRONG, _BY_SHARE_MEDIUM = 0.6, 0.3
_WIDEST_LOGIT = 4.0
"""Probabilities below 2 % count alike, and so do those above 98 %."""
_RANKS: Final[dict[Strength, int]] = {"weak": 0, "medium": 1, "strong": 2}


def strength_values(bearing: ClaimCloseness, tone: Tone, *, confidence: float) -> tuple[float, ...]:
    """The numbers in the order of `STRENGTH_TERMS`; `confidence` is the paper's."""
    # Log odds, so that the fitted sum adds like with like.
    return (*closeness_values(bearing), *tone_values(tone), logit(confidence))


def logit(probability: float) -> float:
    """Logarithm of the odds, within [-4, 4]."""
    odds = max(1e-9, probability) / max(1e-9, 1 - probability)
    return max(-_WIDEST_LOGIT, min(_WIDEST_LOGIT, math.log(odds)))


def strength_of(probability: float) -> Strength:
    """The word for a probability."""
    if probability >= STRONG_FROM:
        return "strong"
    return "medium" if probability >= MEDIUM_FROM else "weak"


def strength_by_share(share: float) -> Strength:
    """The word where nothing is fitted: by the part of the hypothesis that the sentence holds, in [0, 1]."""
    if share >= _BY_SHARE_STRONG:
        return "strong"
    return "medium" if share >= _BY_SHARE_MEDIUM else "weak"


def verdict_by(sentences: Sequence[EvidenceSentence]) -> Verdict:
    """The paper's word: that of its best sentence."""
    best = strongest(item.strength for item in sentences)
    if best is None:
        return "nothing"
    return "strong" if best == "strong" else "weak"


def strongest(strengths: Iterable[Strength]) -> Strength | None:
    """The strongest of all; `None` of none."""
    return max(strengths, key=_RANKS.__getitem__, default=None)


def logistic(value: float) -> float:
    """Probability of log odds."""
    # Beyond 60 nothing changes any more, and far beyond `exp` overflows.
    return 1 / (1 + math.exp(-max(-60.0, min(60.0, value))))
