"""Whether a sentence supports or refutes the claim, as far as wording tells: direction, denial, no difference.

The claim is compared with the clause of the sentence that holds most of it. *X increases Y* and *X reduced Y* differ,
*X is not linked to Y* and *Y rose with X* do, too; *Y is blocked without X* and *X promotes Y* agree. Most sentences
give no sign, and then nothing is said.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from litterm.evidence.language.concepts import Concept
from litterm.evidence.language.stem_similarity import match_stems
from litterm.evidence.strength import logistic
from litterm.model.evidence import LikelyStance
from litterm.text.tokens import stem, words

STANCE_FEATURES = ("side", "side_by_share")
MIN_STANCE_PROBABILITY: Final = 0.8
"""Probability from which a stance is given."""
MIN_CLAIM_SHARE: Final = 0.5
"""Part of the claim that the clause must hold: with less it may speak of something else."""
_CONTEXT_WORDS = 4
"""Words on either side of those shared with the claim that are read, too."""
_NEGATION_SCOPE_WORDS = 3
"""A negation reverses a word that follows within so many words."""

Direction = Literal["up", "down", "none", ""]
"""What is said to happen; `none` is a denial that anything does, and nothing stands for not said, or both ways."""

_UP_WORDS: Final = re.compile(
    r"(?:abundan|accelerat|activat|augment|beneficial|better|caus|common|contribut|critical|cruci|drive|effective"
    r"|efficacious|elevat|enabl|encourag|enhanc|enrich|essential|exacerbat|expan|facilitat|faster|favou?r|gain|greater"
    r"|heavier|higher|important|improv|increas|induc|initiat|larger|lead|longer|maintain|major|mediat|more|necessary"
    r"|overexpress|positiv|potentiat|preferential|promot|rais|requir|ris[ek]|rising|rose|stimulat|strengthen|sufficient"
    r"|superior|support|susceptib|sustain|trigger|upregulat|vulnerab|worsen)\w*"
)
_REVERSING_WORDS: Final = re.compile(
    r"(?:ablat|abolish|abrogat|absen|antagoni|attenuat|block|deactivat|declin|decreas|defici|delay|delet|deplet|diminish"
    r"|dispensable|disrupt|downregulat|eliminat|fewer|halt|immune|impair|inactivat|incapab|ineffectiv|inhibit|knock|less"
    r"|limit|loss|lower|negativ|prevent|protect|reduc|remov|repress|resist|silenc|slow|suppress)\w*"
)
"""Words that turn what is said of their object: two of them in a clause are none."""
_DOWN_WORDS: Final = re.compile(
    r"(?:ameliorat|avert|counteract|fall|fell|hinder|imped|inaccura|inferior|insufficien|interfer|lose|lost|low|mild|minor"
    r"|oppos|poor|rare|restrict|revers|scarce|shorter|smaller|trivial|uninvolv|unnecessar|weak|worse)\w*"
)
_NEGATIONS: Final = re.compile(
    r"(?:cannot|fail|independent|lack|little|neither|never|no|none|nor|not|nothing|rather|un(?:able|affected|altered"
    r"|changed|likely|related)|without)(?:s|ed|ing|ly|ure|ures)?"
)
_NO_DIFFERENCE: Final = re.compile(
    r"\b(?:little|neither|no|nor|not|without) (?:\w+ ){0,3}(?:accelerat|affect|alter|associat|benefit|better|chang"
    r"|contribut|correlat|decreas|differ|effect|evidence|exacerbat|greater|higher|impact|improv|increas|influence"
    r"|involv|less|lower|more|reduc|relat|role|superior|worse)"
    r"|\b(?:is|are|was|were) lacking\b|\b(?:ineffective|trivial|unaffected|unaltered|unchanged|uninvolved|unrelated)\b"
)
_CLAUSE_BOUNDARY: Final = re.compile(
    r"[;:]|, (?:although|and|but|though|whereas|which|while)\b|\b(?:although|but|however|whereas)\b|\. "
)
_COMPOUND_ENDING: Final = re.compile(r"-(?!defici|deplet|free|knock|lack|null)[A-Za-z]+")
"""The end of a compound such as *drug-resistant*: what it is called, not what happens."""


@dataclass(frozen=True, slots=True)
class ClaimComparison:
    """The comparison of a sentence with the claim."""

    side: int
    """1 where the two agree, -1 where they differ, 0 where wording does not tell."""
    share: float
    """Part of the claim that the compared clause holds, weighted by rarity; in [0, 1]."""


def compare_with_claim(claim: str, concepts: Sequence[Concept], sentence: str) -> ClaimComparison:
    """Compares the direction of `sentence` with that of the claim, whose concepts are `concepts`."""
    concepts_by_stem = match_stems(concepts, {stem(word) for word in words(sentence)})
    rarities = [concept.rarity for concept in concepts]
    # Clause by clause: "X rose, whereas Y fell" says up and down.
    clauses = [clause for clause in _CLAUSE_BOUNDARY.split(sentence) if clause.strip()]
    shares = [_claim_share(clause, concepts_by_stem, rarities) for clause in clauses]
    best = max(range(len(shares)), key=shares.__getitem__, default=None)
    if best is None:
        return ClaimComparison(0, 0.0)
    return ClaimComparison(
        _agreement(_words_without_attributes(claim), _words_around_claim(clauses[best], concepts_by_stem)), shares[best]
    )


def stance_values(compared: ClaimComparison) -> tuple[float, ...]:
    """The numbers in the order of `STANCE_FEATURES`."""
    return (float(compared.side), compared.side * compared.share)


def tells_stance(compared: ClaimComparison) -> bool:
    """Whether the sentence has a direction, and about enough of the claim."""
    return compared.side != 0 and compared.share >= MIN_CLAIM_SHARE


def likely_stance(compared: ClaimComparison, weights: Sequence[float]) -> LikelyStance | None:
    """The stance by its wording, where that makes it probable enough; a constant is last in `weights`."""
    if not tells_stance(compared):
        return None
    values = (*stance_values(compared), 1.0)
    supports = logistic(math.fsum(weight * value for weight, value in zip(weights, values, strict=True)))
    likelier = LikelyStance("supports", supports) if supports >= 0.5 else LikelyStance("refutes", 1 - supports)
    return likelier if likelier.probability >= MIN_STANCE_PROBABILITY else None


def _agreement(claim: Sequence[str], clause: Sequence[str]) -> int:
    directions: tuple[Direction, Direction] = (_direction(claim), _direction(clause))
    if "none" in directions:
        # A sentence that denies what the claim says may deny a part of it only.
        return (1 if directions[1] == "none" else -1) if directions[0] == "none" else 0
    if "" in directions:
        return 0
    same_direction, same_polarity = directions[0] == directions[1], _is_reversed(claim) == _is_reversed(clause)
    if same_direction != same_polarity:
        return 0
    return 1 if same_direction else -1


def _direction(clause_words: Sequence[str]) -> Direction:
    if _NO_DIFFERENCE.search(" ".join(clause_words)):
        return "none"
    directions = {_word_direction(clause_words, place) for place in range(len(clause_words))} - {0}
    return "" if len(directions) != 1 else "up" if directions == {1} else "down"


def _word_direction(clause_words: Sequence[str], place: int) -> int:
    word = clause_words[place]
    direction = (
        1 if _UP_WORDS.fullmatch(word) else -1 if _REVERSING_WORDS.fullmatch(word) or _DOWN_WORDS.fullmatch(word) else 0
    )
    denied = direction and any(
        _NEGATIONS.fullmatch(before) for before in clause_words[max(0, place - _NEGATION_SCOPE_WORDS) : place]
    )
    return -direction if denied else direction


def _is_reversed(clause_words: Sequence[str]) -> bool:
    """Whether an odd number of words turn what is said: *blocked without X* is not turned."""
    return sum(bool(_REVERSING_WORDS.fullmatch(word) or _NEGATIONS.fullmatch(word)) for word in clause_words) % 2 == 1


def _words_without_attributes(text: str) -> list[str]:
    return words(_COMPOUND_ENDING.sub(" ", text))


def _words_around_claim(clause: str, concepts_by_stem: Mapping[str, Sequence[tuple[int, float]]]) -> list[str]:
    clause_words = _words_without_attributes(clause)
    places = [place for place, word in enumerate(clause_words) if stem(word) in concepts_by_stem]
    return clause_words[max(0, places[0] - _CONTEXT_WORDS) : places[-1] + _CONTEXT_WORDS + 1] if places else []


def _claim_share(
    clause: str, concepts_by_stem: Mapping[str, Sequence[tuple[int, float]]], rarities: Sequence[float]
) -> float:
    levels: dict[int, float] = {}
    for word in words(clause):
        for number, form_weight in concepts_by_stem.get(stem(word), ()):
            levels[number] = max(levels.get(number, 0.0), form_weight)
    return math.fsum(rarities[number] * form_weight for number, form_weight in levels.items()) / math.fsum(rarities)
