"""The strength of a sentence: on topic, partly on topic, or only mentioning the hypothesis.

The word follows a probability that the sentence would be given as the reason why the claim holds or does not. It
depends on how close the sentence is to the claim and on how likely the paper is to speak of it, not on how it
compares with the paper's other sentences, so one scale serves rows, papers and matrices.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Final

from litterm.evidence.features import CLOSENESS_NAMES, ClaimCloseness, closeness_values
from litterm.evidence.language.rhetorical_role import ROLE_NAMES, RhetoricalRole, role_values
from litterm.model.evidence import EvidenceSentence, Strength, Verdict

STRENGTH_TERMS = (*CLOSENESS_NAMES, *ROLE_NAMES, "paper")
"""`paper` is the logit of the probability that the paper speaks to the claim."""
MIN_STRONG_PROBABILITY: Final = 0.6
MIN_MEDIUM_PROBABILITY: Final = 0.3
_MIN_STRONG_SHARE, _MIN_MEDIUM_SHARE = 0.6, 0.3
_MAX_LOGIT = 4.0
"""Probabilities below 2 % count alike, and so do those above 98 %."""
_RANKS: Final[dict[Strength, int]] = {"weak": 0, "medium": 1, "strong": 2}


def strength_values(closeness: ClaimCloseness, tone: RhetoricalRole, *, confidence: float) -> tuple[float, ...]:
    """The numbers in the order of `STRENGTH_TERMS`; `confidence` is the paper's."""
    # Log odds, so that the fitted sum adds like with like.
    return (*closeness_values(closeness), *role_values(tone), logit(confidence))


def logit(probability: float) -> float:
    """Logarithm of the odds, within [-4, 4]."""
    odds = max(1e-9, probability) / max(1e-9, 1 - probability)
    return max(-_MAX_LOGIT, min(_MAX_LOGIT, math.log(odds)))


def strength_of_probability(probability: float) -> Strength:
    """The strength for a fitted probability."""
    if probability >= MIN_STRONG_PROBABILITY:
        return "strong"
    return "medium" if probability >= MIN_MEDIUM_PROBABILITY else "weak"


def strength_of_share(share: float) -> Strength:
    """The strength without fitted weights, by the share of the hypothesis that the sentence contains, in [0, 1]."""
    if share >= _MIN_STRONG_SHARE:
        return "strong"
    return "medium" if share >= _MIN_MEDIUM_SHARE else "weak"


def strength_rank(strength: Strength) -> int:
    """A larger number for a stronger word."""
    return _RANKS[strength]


def verdict_of_sentences(sentences: Sequence[EvidenceSentence]) -> Verdict:
    """The verdict on a paper: that of its strongest sentence."""
    best = strongest(item.strength for item in sentences)
    if best is None:
        return "nothing"
    return "strong" if best == "strong" else "weak"


def strongest(strengths: Iterable[Strength]) -> Strength | None:
    """The strongest of several strengths; `None` if there is none."""
    return max(strengths, key=_RANKS.__getitem__, default=None)


def logistic(value: float) -> float:
    """Probability of log odds."""
    # Beyond 60 the result does not change any more, and far beyond `exp` overflows.
    return 1 / (1 + math.exp(-max(-60.0, min(60.0, value))))
