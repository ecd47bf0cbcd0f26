"""Whether a sentence supports or refutes the claim, as far as wording tells: direction, denial, no difference.

The claim is compared with the clause of the sentence that holds most of it. *X increases Y* and *X reduced Y* differ,
*X is not linked to Y* and *Y rose with X* do, too; *Y is blocked without X* and *X promotes Y* agree. Most sentences
give no sign, and then nothing is said. Nor is it where the sentence lacks a word or a number of the claim that the
title does not hold either: a claim of which one word is changed reads much like the claim.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from litterm.evidence.language.concepts import Concept, find_abbreviations, match_stems, stem_similarity, synonyms_of
from litterm.evidence.strength import logistic
from litterm.model.evidence import LikelyStance
from litterm.text.tokens import FUNCTION_WORDS, SENTENCE_WORDS, stem, words

STANCE_FEATURES = ("side", "side_by_share")
MIN_STANCE_PROBABILITY: Final = 0.8
"""Probability from which a stance is given."""
MIN_CLAIM_SHARE: Final = 0.5
"""Part of the claim that the clause must hold: with less it may speak of something else."""
MIN_STANCE_SENTENCES: Final = 4
"""No stance is told of a record with fewer sentences, or without a title: who or what is meant is not known there."""
MAX_STANCE_RANK: Final = 3
"""A stance may be told of one of so many sentences, the best ones."""
_MAX_COMMON_RARITY = 1.25
"""Words below this rarity, such as *level* or *activity*, are left out of most restatements."""
_LINKING_WORDS: Final = SENTENCE_WORDS | frozenset("herself himself itself plus themselves versus".split())
"""Words that only link others, and that are rare in papers."""
_DIGIT_WORDS: Final = "two three four five six seven eight nine ten eleven twelve"
_TENS: Final = "twenty thirty forty fifty sixty seventy eighty ninety"
_SPELLED_NUMBERS: Final[Mapping[str, str]] = {
    **{word: str(number) for number, word in enumerate(_DIGIT_WORDS.split(), 2)},
    **{word: str(10 * number) for number, word in enumerate(_TENS.split(), 2)},
    **{"hundred": "100", "thousand": "1000", "million": "million", "billion": "billion"},
    **{word: word for word in ("double", "half", "quarter", "thrice", "triple", "twice")},
}
"""Numbers count whatever their rarity; one is left out, as it mostly is none."""
_MIN_FORM_SIMILARITY = 0.75
_MAX_SUBJECTS_APART = 1
"""Words that one of two contrary claims may have alone, as *effect* in *has no effect on*."""
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
OPEN_QUESTION: Final = re.compile(
    r"\b(?:aim(?:s|ed)?|hypothes[ei]\w+|whether|controversial|remains?|remained|unclear|unknown)\b"
    r"|\bwe (?:also |therefore |first |then |next )?(?:analy[sz]ed|assessed|compared|evaluated|examined|explored"
    r"|investigated|measured|sought|studied|tested)\b"
    r"|\bto (?:assess|determine|evaluate|examine|explore|investigate|test)\b"
)
"""A sentence that says what is asked, or that it is not known, tells neither for nor against."""
CLAUSE_BOUNDARY: Final = re.compile(
    r"[;:]|, (?:although|and|but|though|whereas|which|while)\b|\b(?:although|but|however|whereas)\b|\. "
)
COMPOUND_ENDING: Final = re.compile(r"-(?!defici|deplet|free|knock|lack|null)[A-Za-z]+")
"""The end of a compound such as *drug-resistant*: what it is called, not what happens."""


@dataclass(frozen=True, slots=True)
class ClaimComparison:
    """The comparison of a sentence with the claim."""

    side: int
    """1 where the two agree, -1 where they differ, 0 where wording does not tell."""
    share: float
    """Part of the claim that the compared clause holds, weighted by rarity; in [0, 1]."""
    missing: tuple[str, ...] = ()
    """Words of the claim, as typed, that neither the sentence nor the title holds in any form."""


def compare_with_claim(claim: str, concepts: Sequence[Concept], sentence: str, title: str = "") -> ClaimComparison:
    """Compares the direction of `sentence` with that of the claim, whose concepts are `concepts`.

    `title` is that of the paper: it names who or what is meant where the sentence does not.
    """
    concepts_by_stem = match_stems(concepts, {stem(word) for word in words(sentence)})
    rarities = [concept.rarity for concept in concepts]
    # Clause by clause: "X rose, whereas Y fell" says up and down.
    clauses = [clause for clause in CLAUSE_BOUNDARY.split(sentence) if clause.strip()]
    shares = [_claim_share(clause, concepts_by_stem, rarities) for clause in clauses]
    best = max(range(len(shares)), key=shares.__getitem__, default=None)
    if best is None:
        return ClaimComparison(0, 0.0)
    is_open = bool(OPEN_QUESTION.search(sentence.lower()))
    clause_words = _words_around_claim(clauses[best], concepts_by_stem)
    return ClaimComparison(
        0 if is_open else _agreement(_words_without_attributes(claim), clause_words),
        shares[best],
        missing_words(claim, concepts, f"{sentence} {title}"),
    )


def stance_values(compared: ClaimComparison) -> tuple[float, ...]:
    """The numbers in the order of `STANCE_FEATURES`."""
    return (float(compared.side), compared.side * compared.share)


def tells_stance(compared: ClaimComparison) -> bool:
    """Whether the sentence has a direction, is about enough of the claim, and lacks none of its words."""
    return compared.side != 0 and compared.share >= MIN_CLAIM_SHARE and not compared.missing


def telling_comparison(compared: Iterable[ClaimComparison]) -> tuple[int, ClaimComparison] | None:
    """The first of a record's best sentences that tells a stance, and its place; `None` where two of them differ.

    That a claim is refuted is told of the first alone: what differs further down is mostly about something else.
    """
    telling = [
        (place, each) for place, each in enumerate(compared) if tells_stance(each) and (each.side > 0 or place == 0)
    ]
    return telling[0] if len({each.side for _, each in telling}) == 1 else None


def are_contrary(claim: str, other: str) -> bool:
    """Whether two claims are of the same things and say opposite ones, so that nothing supports them both."""
    subjects, other_subjects = _subjects(claim), _subjects(other)
    if len(subjects ^ other_subjects) > _MAX_SUBJECTS_APART or not subjects & other_subjects:
        return False
    directions = _direction(words(claim)), _direction(words(other))
    is_denied, is_other_denied = (any(map(_NEGATIONS.fullmatch, words(text))) for text in (claim, other))
    return directions[0] != directions[1] or is_denied != is_other_denied


def say_alike(sentence: str, other: str) -> bool:
    """Whether two sentences have the same direction and neither denies what the other does not.

    A precondition of saying the same: *X lowered Y* and *X had no effect on Y* share all their other words.
    """
    one, another = _words_without_attributes(sentence), _words_without_attributes(other)
    denials = [any(map(_NEGATIONS.fullmatch, text)) for text in (one, another)]
    return _direction(one) == _direction(another) and denials[0] == denials[1]


def _subjects(claim: str) -> frozenset[str]:
    return frozenset(
        stem(word)
        for word in words(claim)
        if word not in SENTENCE_WORDS
        and word not in FUNCTION_WORDS
        and not any(pattern.fullmatch(word) for pattern in (_UP_WORDS, _REVERSING_WORDS, _DOWN_WORDS, _NEGATIONS))
    )


def likely_stance(compared: ClaimComparison, weights: Sequence[float]) -> LikelyStance | None:
    """The stance by its wording, where that makes it probable enough; a constant is last in `weights`."""
    if not tells_stance(compared):
        return None
    values = (*stance_values(compared), 1.0)
    supports = logistic(math.fsum(weight * value for weight, value in zip(weights, values, strict=True)))
    likelier = LikelyStance("supports", supports) if supports >= 0.5 else LikelyStance("refutes", 1 - supports)
    return likelier if likelier.probability >= MIN_STANCE_PROBABILITY else None


def missing_words(claim: str, concepts: Sequence[Concept], text: str) -> tuple[str, ...]:
    """Words and numbers of the claim, as typed, that `text` holds in no form; words of a direction aside."""
    held_words = words(text)
    held = frozenset(stem(word) for word in held_words)
    numbers = frozenset(filter(None, map(number_of, held_words)))
    # A claim that explains its own abbreviation holds its words twice.
    explained = {stem(word) for short in find_abbreviations((claim,)) for word in words(short)}

    def is_held(concept: Concept) -> bool:
        number = number_of(concept.word.lower())
        return _is_held(concept, held) or (bool(number) and number in numbers)

    return tuple(
        concept.word
        for concept in concepts
        if _is_required(concept) and concept.stem not in explained and not is_held(concept)
    )


def _is_required(concept: Concept) -> bool:
    word = concept.word.lower()
    # Directions and denials are compared by what they say: "reduced" stands for "lower".
    if any(pattern.fullmatch(word) for pattern in (_UP_WORDS, _REVERSING_WORDS, _DOWN_WORDS, _NEGATIONS)):
        return False
    return bool(number_of(word)) or (concept.rarity >= _MAX_COMMON_RARITY and word not in _LINKING_WORDS)


def _is_held(concept: Concept, stems: frozenset[str]) -> bool:
    if concept.stem in stems:
        return True
    synonyms = synonyms_of(concept.stem)
    return any(
        # Of the forms that are found by their first letters only those that are nearly the same word.
        (form in synonyms or form[:1] != concept.stem[:1] or concept.forms[form] == 1.0)
        for form in concept.forms.keys() & stems
    ) or (
        not number_of(concept.word.lower())
        and any(stem_similarity(concept.stem, other) >= _MIN_FORM_SIMILARITY for other in stems)
    )


def number_of(word: str) -> str:
    """The number that a word stands for, in digits where it is spelled; empty for any other word."""
    if any(character.isdigit() for character in word):
        return word
    return _SPELLED_NUMBERS.get(word, "")


def _agreement(claim: Sequence[str], clause: Sequence[str]) -> int:
    directions: tuple[Direction, Direction] = (_direction(claim), _direction(clause))
    if _is_doubly_denied(claim):
        return 0
    if "none" in directions:
        # A sentence that denies what the claim says may deny a part of it only.
        return (1 if directions[1] == "none" else -1) if directions[0] == "none" else 0
    if "" in directions or _has_loose_negation(claim):
        return 0
    same_direction, same_polarity = directions[0] == directions[1], _is_reversed(claim) == _is_reversed(clause)
    if same_direction != same_polarity or (same_direction and _is_denied_once(claim, clause)):
        return 0
    return 1 if same_direction else -1


def _is_doubly_denied(claim: Sequence[str]) -> bool:
    return sum(bool(_NEGATIONS.fullmatch(word)) for word in claim) > 1


def _has_loose_negation(claim: Sequence[str]) -> bool:
    """Whether a denial stands before no direction, as in *it is not true that*, and is not understood."""
    denials = [place for place, word in enumerate(claim) if _NEGATIONS.fullmatch(word)]
    return any(all(_word_direction(claim, near) == 0 for near in _scope_of(claim, place)) for place in denials)


def _scope_of(clause_words: Sequence[str], place: int) -> range:
    return range(place + 1, min(len(clause_words), place + 1 + _NEGATION_SCOPE_WORDS))


def _is_denied_once(claim: Sequence[str], clause: Sequence[str]) -> bool:
    """Whether one of the two denies something and nothing in it turns that: *do not support* is no *supports*."""
    denying = [text for text in (claim, clause) if any(map(_NEGATIONS.fullmatch, text))]
    return len(denying) == 1 and not any(map(_REVERSING_WORDS.fullmatch, denying[0]))


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
    return words(COMPOUND_ENDING.sub(" ", text))


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
