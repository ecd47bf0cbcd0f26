"""Which way a sentence says that things go, beside which way the claim does: up, down, some change, none.

Every word of a direction in the claim (*improves*, *lower*, *no effect*) is looked for in the sentence, beside the
same things. *X lowers A and raises B* so agrees with *A is lower with X* and differs from *B is lower with X*. It is
confirmed where the two say the same of them, contradicted where they say opposite things, and else open. Full texts
hold many sentences that share most words with a claim, so nothing is told unless each word is confirmed or
contradicted, and a comparison names both of what it compares.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from litterm.evidence.language.concepts import Concept, match_stems
from litterm.evidence.language.stance import (
    CLAUSE_BOUNDARY,
    COMPOUND_ENDING,
    MIN_CLAIM_SHARE,
    MIN_STANCE_PROBABILITY,
    OPEN_QUESTION,
    missing_words,
)
from litterm.evidence.strength import logistic
from litterm.model.evidence import LikelyStance
from litterm.text.tokens import FUNCTION_WORDS, SENTENCE_WORDS, stem, words

DirectionOf = Literal["up", "down", "some", "none", "not up", "not down"]
"""What happens to a thing; `some` is a change or a link either way, `not up` the denial of a rise."""

MAX_SENTENCE_WORDS: Final = 70
"""Of a longer sentence no stance is told: it is mostly a table, or several sentences that a PDF gives as one."""
_NEGATION_WORDS = 4
"""A negation reverses a direction that follows within so many words."""
_REACH = 5
"""Words on either side of a direction among which the things are that it is said of."""
_MOST_THINGS = 3
"""Things on either side, the nearest ones."""
_MAX_DISTANCE = 7
"""Words between a thing and the nearest direction."""
_MAX_OPEN_SHARE = 0.34
"""Part of the claim's directions of which the sentence need not say anything."""
_MIN_RARITY = 0.2
_OVERLAP_OF_SAME_WORD, _OVERLAP_OF_AGREEMENT = 0.6, 0.2
"""What the same word, and one that agrees, count beside things shared, where several directions might be meant."""

_UP: Final = re.compile(
    r"(?:accelerat|accura|activat|advantag|augment|benefi|better|bigger|caus|contribut|drive|driven|effective"
    r"|efficac|efficien|elevat|enabl|encourag|enhanc|enrich|exacerbat|exceed|excess|expan|facilitat|faster|favou?r|gain"
    r"|greater|grew|grow|heavier|help|high|improv|increas|induc|larger|lead|led|longer|more|most|outperform|overexpress"
    r"|positiv|potentiat|predict|promot|rais|ris[ei]|robust|rose|stimulat|strengthen|strong|success|superior|surpass"
    r"|trigger|upregulat|useful)\w*"
)
_DOWN: Final = re.compile(
    r"(?:ablat|abolish|abrogat|absen|alleviat|ameliorat|antagoni|attenuat|avert|block|counteract|deactivat|declin|decreas"
    r"|defici|degrad|delay|deplet|deteriorat|diminish|disrupt|downregulat|drop|eliminat|fall|fell|fewer|halt|hamper|harm|hinder|hurt"
    r"|imped|impair|inaccura|inactivat|ineffectiv|inferior|inhibit|inverse|lack|least|less|lose|loss|lost|low|mitigat"
    r"|negativ|poor|prevent|protect|reduc|reliev|remov|repress|resist|restrict|revers|shorter|silenc|slow|smaller"
    r"|suppress|underperform|unnecessar|useless|weak|worse|worst)\w*"
)
_SOME: Final = re.compile(
    r"(?:adequate|affect|alter|appropriate|associat|chang|common|correlat|critical|crucial|determin|differ"
    r"|distinct|effect|essential|evidence|feasible|impact|important|influenc|involv|justified|link|matter|mediat|modulat"
    r"|necessar|play|possible|regulat|relat|reliable|role|safe|sufficient|support|valid)\w*"
)
_NONE: Final = re.compile(
    r"(?:alike|comparable|contradict|dispensab|equal|equivalent|identical|inadequat|inappropriat|independent"
    r"|indistinguishab|insignific|insufficien|irrespectiv|limited|nonsignific|questionab|refut|regardless|same|similar"
    r"|unaffect|unalter|unchang|uninvolv|unlikely|unrelat|unreliab)\w*"
)
_NEGATION: Final = re.compile(
    r"(?:cannot|fail|hardly|little|neither|never|no|none|nor|not|nothing|rather|scarcely|unable|without)(?:s|ed|ing|ure|ures)?"
)
_LACK: Final = frozenset("absence lack lacked lacking lacks".split())
_NOT_SIGNIFICANT: Final = "nonsignificantly"
_PATTERNS: Final = (_UP, _DOWN, _SOME, _NONE, _NEGATION)
_FROM_TO: Final = re.compile(
    r"\bfrom (?:a mean of |about )?(\d{1,9}(?:\.\d{1,9})?)(?: ?[^\d\s]{1,4}| [a-z]{1,12}){0,2}"
    r" to (\d{1,9}(?:\.\d{1,9})?)"
)
_NO_SIGNIFICANCE: Final = re.compile(
    r"\b[Pp] ?(?:value)? ?(?:[>≥] ?0?\.\d|= ?(?:0?\.[1-9]\d{0,3}|NS|n\.?s\.?)(?![\d.]))\d{0,6}"
)
COMPARED_WITH: Final = re.compile(
    r"\b(?:than|compared (?:with|to)|versus|vs|over|relative to|outperform(?:s|ed)?|superior to|inferior to|exceeds?"
    r"|surpass(?:es)?)\b"
)
_BRACKETED: Final = re.compile(r"\([^()]{0,300}\)")
_OPENING: Final = re.compile(
    r"\b(?:[Ee]ven )?(?:[Mm]o(?:re|st)|[Ll]ess) (?:surprising|important|interesting|specifical|notab|precise"
    r"|general|recent|common)ly\b"
)
"""*More surprisingly* says nothing of a rise."""
_HEDGE: Final = re.compile(
    r"\b(?:may|might|could|possibl[ey]|perhaps|potential\w*|suggest\w*|likely|seem\w*|appear\w*)\b"
)
_NO_FINDING: Final = re.compile(
    r"\b(?:aim(?:s|ed)?|objectives?|purpose|hypothes[ei]\w+|whether|in order to|uncertain|unclear|unknown|conflicting"
    r"|inconclusive|controversial|remains?|not necessarily|in question|(?:is|are|was|were) lacking"
    r"|previous(?:ly)?|other studies|et al|literature|if|table|figure|fig"
    r"|to (?:determine|investigate|examine|assess|evaluate|test|compare|identify|study|explore|illustrate|clarify"
    r"|describe)"
    r"|we (?:then |also |first |next )?(?:examin|investigat|assess|evaluat|test|stud|compar|analy|measur|us|describ"
    r"|propos|present|introduc|conduct|report)\w*"
    r"|(?:was|were) (?:obtained|taken|surveyed|collected|recruited|enrolled|randomi[sz]ed|assigned|measured|assessed"
    r"|evaluated|examined|investigated|studied|analy[sz]ed|performed|administered|sampled|included|excluded|calculated"
    r"|used|defined|divided|given)"
    r"|this study (?:describes|examines|investigates|assesses|evaluates)"
    r"|ha(?:s|ve) (?:been )?(?:reported|shown|suggested)"
    r")\b"
)
"""A sentence that asks, plans, describes a method, points elsewhere or tells what others found, states no finding."""
_NO_STATEMENT: Final = re.compile(
    r"(?:do|does|did|is|are|can|although|despite|even though|though|whereas|while)\b|[^?]*\?\s*$"
)
"""The beginning of a question, or of a concession, after which something else is claimed."""

Agreement = Literal["agrees", "partly", "differs"]


@dataclass(frozen=True, slots=True)
class DirectionComparison:
    """The directions of a sentence beside those of the claim."""

    side: int
    """1 where the two agree, -1 where they differ, 0 where nothing may be told."""
    confirmed: float
    """Share of the claim's directions that the sentence says, too; in [0, 1]."""
    contradicted: float
    """Share of those of which it says the opposite; in [0, 1]."""
    balance: float = 0.0
    """How much more of the claim is confirmed than contradicted, by the things named; in [-1, 1]."""
    same_words: float = 0.0
    """Part of the claim's directions in the very words, less those that are denied in one of the two; in [-1, 1]."""
    is_denied_once: bool = False
    """Whether one of the two holds a negation and the other none."""
    share: float = 0.0
    """Part of the claim that the sentence holds, weighted by rarity; in [0, 1]."""
    is_hedged: bool = False
    is_claim_denial: bool = False
    """Whether the claim says nothing but that something does not happen."""
    directions: int = 0
    """Of the claim."""


DIRECTION_FEATURES: Final = (
    "agrees",
    "differs",
    "balance",
    "same_words",
    "denied_alike",
    "share",
    "hedge",
    "denial",
    "contradicted",
    "directions",
    "one_direction",
)
_MAX_COUNTED_DIRECTIONS = 3


def direction_values(compared: DirectionComparison) -> tuple[float, ...]:
    """The numbers in the order of `DIRECTION_FEATURES`; what speaks for the side is positive on either side."""
    side, agrees, differs = compared.side, float(compared.side > 0), float(compared.side < 0)
    return (
        agrees,
        differs,
        side * compared.balance,
        side * compared.same_words,
        side * (-1.0 if compared.is_denied_once else 1.0),
        compared.share,
        float(compared.is_hedged),
        float(compared.is_claim_denial),
        differs * compared.contradicted,
        min(_MAX_COUNTED_DIRECTIONS, compared.directions) / _MAX_COUNTED_DIRECTIONS,
        agrees * float(compared.directions == 1),
    )


def likely_direction(compared: DirectionComparison, weights: Sequence[float]) -> LikelyStance | None:
    """The stance by its directions, where that makes it probable enough; a constant is last in `weights`."""
    if not compared.side:
        return None
    values = (*direction_values(compared), 1.0)
    right = logistic(math.fsum(weight * value for weight, value in zip(weights, values, strict=True)))
    if right < MIN_STANCE_PROBABILITY:
        return None
    return LikelyStance("supports" if compared.side > 0 else "refutes", right)


@dataclass(frozen=True, slots=True)
class _Direction:
    """One word of a direction and the things beside it."""

    stem: str
    direction: DirectionOf
    denied: bool
    things: frozenset[int]
    """Numbers of the claim's concepts."""


@dataclass(frozen=True, slots=True)
class _Parsed:
    """A text clause by clause."""

    directions: tuple[_Direction, ...]
    nearest: Mapping[int, tuple[tuple[float, DirectionOf], ...]]
    """For each concept the nearest direction of each of its places, with its distance in words."""
    held: frozenset[int]
    """Concepts in it."""
    is_denied: bool
    """Whether the clause with most of the claim holds an odd number of negations."""
    has_loose_negation: bool
    """Whether a negation in that clause stands before no direction, so that what it denies is not understood."""


@dataclass(frozen=True, slots=True)
class _Predication:
    """A claim in parts: *more data*, *improves*, *parsing*."""

    subjects: frozenset[int]
    """Numbers of the concepts before the outcome; never empty."""
    conditions: tuple[_Direction, ...]
    """Directions before it, as *removing* and *more*."""
    outcome: DirectionOf
    objects: frozenset[int]


class ClaimDirections:
    """The directions of a claim, read once for all sentences of a paper."""

    def __init__(self, claim: str, concepts: Sequence[Concept]) -> None:
        """`concepts` are those of `claim` in the paper."""
        self._claim = claim
        self._concepts = concepts
        self._things = frozenset(n for n, concept in enumerate(concepts) if _is_thing(concept.word.lower()))
        self._rarities = {number: max(_MIN_RARITY, concepts[number].rarity) for number in self._things}
        self._total = math.fsum(self._rarities.values())
        own = {concept.stem: (number,) for number, concept in enumerate(concepts) if number in self._things}
        self._parsed = _parse(claim, own)
        self._arms = _arms(claim, own)
        self._predication = _predication(claim, self._parsed.directions, own)

    @property
    def count(self) -> int:
        """How many directions the claim has."""
        return len(self._parsed.directions)

    def statement_share(self, sentence: str) -> float:
        """How far a sentence states what the claim is about, for or against it; in [0, 1].

        All that stands before the last direction of the claim counts alike, however common its words are: *removing
        the abstract* of *removing the abstract hurts*. The sentence must say that something rises, falls or stays.
        """
        predication = self._predication
        if predication is None:
            return 0.0
        # What is in brackets is said beside the point.
        numbers = self._numbers_in(_BRACKETED.sub(" ", sentence))
        held = frozenset(number for own in numbers.values() for number in own)
        if held.isdisjoint(predication.subjects):
            return 0.0
        directions = _parse(sentence, numbers).directions
        conditions = [_place_of_condition(each, directions, predication.subjects) for each in predication.conditions]
        used = {place for place in conditions if place is not None}
        says_outcome = any(
            place not in used and (each.direction != "some" or predication.outcome == "some")
            for place, each in enumerate(directions)
        )
        if not says_outcome:
            return 0.0
        named = len(predication.subjects & held) + len(used)
        subject = named / (len(predication.subjects) + len(predication.conditions))
        objects = len(predication.objects & held) / len(predication.objects) if predication.objects else 1.0
        # Half of the subject is mostly another one, whereas the object has many names: *quality* for *vectors*.
        return subject * subject * (2 + objects) / 3

    def compare(self, sentence: str, title: str = "") -> DirectionComparison:
        """Compares a sentence with the claim; `title` names who or what is meant where the sentence does not."""
        if not self._parsed.directions:
            return DirectionComparison(0, 0.0, 0.0)
        numbers = self._numbers_in(sentence)
        parsed = _parse(sentence, numbers)
        confirmed, contradicted, unsaid = self._confirmations(parsed)
        count = self.count
        share = math.fsum(self._rarities[number] for number in parsed.held) / self._total if self._total else 0.0
        side = 0
        is_understood = not (self._parsed.has_loose_negation or parsed.has_loose_negation)
        if (
            is_understood
            and unsaid / count <= _MAX_OPEN_SHARE
            and share >= MIN_CLAIM_SHARE
            and self._may_tell(sentence, title, numbers)
        ):
            side = -1 if contradicted else 1 if confirmed else 0
        return DirectionComparison(
            side,
            confirmed / count,
            contradicted / count,
            self._balance(parsed),
            self._same_words(parsed),
            parsed.is_denied != self._parsed.is_denied,
            share,
            bool(_HEDGE.search(sentence.lower())),
            all(each.direction in ("none", "not up", "not down") for each in self._parsed.directions),
            count,
        )

    def _numbers_in(self, sentence: str) -> Mapping[str, tuple[int, ...]]:
        """By stem of the sentence the things of the claim that it stands for."""
        matched = match_stems(self._concepts, {stem(word) for word in words(sentence)})
        return {form: tuple(number for number, _ in found if number in self._things) for form, found in matched.items()}

    def _may_tell(self, sentence: str, title: str, numbers: Mapping[str, tuple[int, ...]]) -> bool:
        lower = sentence.lower()
        if (
            len(sentence.split()) > MAX_SENTENCE_WORDS
            or OPEN_QUESTION.search(lower)
            or _NO_FINDING.search(lower)
            or _NO_STATEMENT.match(lower)
            or missing_words(self._claim, self._concepts, f"{sentence} {title}")
        ):
            return False
        if self._arms is None:
            return True
        first, second = self._arms[0] - self._arms[1], self._arms[1] - self._arms[0]
        held = frozenset(number for own in numbers.values() for number in own)
        if second and second.isdisjoint(held):
            return False
        arms = _arms(sentence, numbers)
        if arms is None:
            return True
        before, after = arms[0] - arms[1], arms[1] - arms[0]
        return len(first & after) + len(second & before) <= len(first & before) + len(second & after)

    def _confirmations(self, parsed: _Parsed) -> tuple[float, float, float]:
        """How many of the claim's directions are confirmed, contradicted, and left open."""
        pairs = sorted(
            (
                (_likeness(own, other), number, other_number)
                for number, own in enumerate(self._parsed.directions)
                for other_number, other in enumerate(parsed.directions)
                if own.things & other.things
            ),
            key=lambda pair: (-pair[0], pair[1:]),
        )
        # Each direction of the sentence stands for one of the claim: "X falls" and "Y rises" are not both "X falls".
        matched: dict[int, int] = {}
        for _, number, other_number in pairs:
            if number not in matched and other_number not in matched.values():
                matched[number] = other_number
        confirmed = contradicted = 0.0
        for number, other_number in matched.items():
            agreement = _agreement(self._parsed.directions[number].direction, parsed.directions[other_number].direction)
            confirmed += {"agrees": 1.0, "partly": 0.5, "differs": 0.0}[agreement]
            contradicted += agreement == "differs"
        return confirmed, contradicted, self.count - confirmed - contradicted

    def _balance(self, parsed: _Parsed) -> float:
        total = 0.0
        for number, own_places in self._parsed.nearest.items():
            best: dict[Agreement, float] = {}
            for distance, own in own_places:
                for other_distance, other in parsed.nearest.get(number, ()):
                    agreement = _agreement(own, other)
                    near = 1 / (1 + 0.15 * (distance + other_distance))
                    best[agreement] = max(best.get(agreement, 0.0), near)
            if best:
                signed = best.get("agrees", 0.0) ** 2 + 0.5 * best.get("partly", 0.0) ** 2
                signed -= best.get("differs", 0.0) ** 2
                total += self._rarities[number] * signed / math.fsum(best.values())
        return total / self._total if self._total else 0.0

    def _same_words(self, parsed: _Parsed) -> float:
        of_stem: dict[str, set[bool]] = {}
        for each in parsed.directions:
            of_stem.setdefault(each.stem, set()).add(each.denied)
        alike = sum(own.denied in of_stem.get(own.stem, ()) for own in self._parsed.directions)
        denied = sum((not own.denied) in of_stem.get(own.stem, ()) for own in self._parsed.directions)
        return (alike - denied) / self.count


def _predication(
    claim: str, directions: Sequence[_Direction], numbers: Mapping[str, tuple[int, ...]]
) -> _Predication | None:
    """The parts of a claim around its last direction that stands between two things; `None` without one."""
    stems = [stem(word) for word in words(COMPOUND_ENDING.sub(" ", claim))]
    of_place = [numbers.get(form, ()) for form in stems]
    for number in reversed(range(len(directions))):
        place = len(stems) - 1 - stems[::-1].index(directions[number].stem) if directions[number].stem in stems else 0
        subjects = frozenset(n for found in of_place[:place] for n in found)
        objects = frozenset(n for found in of_place[place + 1 :] for n in found) - subjects
        if subjects and objects:
            return _Predication(subjects, tuple(directions[:number]), directions[number].direction, objects)
    return None


def _place_of_condition(
    condition: _Direction, directions: Sequence[_Direction], subjects: frozenset[int]
) -> int | None:
    """Which of `directions` says the same of one of `subjects`."""
    things = condition.things & subjects
    alike = (
        place
        for place, each in enumerate(directions)
        if each.stem == condition.stem or (each.direction == condition.direction and things & each.things)
    )
    return next(alike, None)


def _likeness(own: _Direction, other: _Direction) -> float:
    agrees = _agreement(own.direction, other.direction) == "agrees"
    same_word = own.stem == other.stem
    return len(own.things & other.things) + _OVERLAP_OF_SAME_WORD * same_word + _OVERLAP_OF_AGREEMENT * agrees


def _is_thing(word: str) -> bool:
    return (
        len(word) > 1
        and word not in SENTENCE_WORDS
        and word not in FUNCTION_WORDS
        and not any(pattern.fullmatch(word) for pattern in _PATTERNS)
    )


def _parse(text: str, numbers: Mapping[str, tuple[int, ...]]) -> _Parsed:
    """`numbers` are those of the claim's concepts by stem."""
    text = _OPENING.sub(" ", _BRACKETED.sub(_kept_of_brackets, text))
    text = _NO_SIGNIFICANCE.sub(f" {_NOT_SIGNIFICANT} ", _FROM_TO.sub(_with_direction, text))
    directions: list[_Direction] = []
    nearest: dict[int, list[tuple[float, DirectionOf]]] = {}
    most_held, is_denied, is_loose = -1, False, False
    for clause in CLAUSE_BOUNDARY.split(text):
        clause_words = words(COMPOUND_ENDING.sub(" ", clause))
        own = [word_direction(clause_words, place) for place in range(len(clause_words))]
        of_place = [numbers.get(stem(word), ()) if _is_thing(word) else () for word in clause_words]
        directions += _directions(clause_words, own, of_place)
        for number, found in _nearest(own, of_place):
            nearest.setdefault(number, []).append(found)
        held = len({number for found in of_place for number in found})
        if held > most_held:
            most_held = held
            negations = [place for place, word in enumerate(clause_words) if _NEGATION.fullmatch(word)]
            is_denied = len(negations) % 2 == 1
            is_loose = any(not any(own[place + 1 : place + 1 + _NEGATION_WORDS]) for place in negations)
    all_held = frozenset(number for found in numbers.values() for number in found)
    return _Parsed(tuple(directions), {n: tuple(found) for n, found in nearest.items()}, all_held, is_denied, is_loose)


def _directions(
    clause_words: Sequence[str], own: Sequence[DirectionOf | None], of_place: Sequence[tuple[int, ...]]
) -> list[_Direction]:
    found: list[_Direction] = []
    is_thing = [_is_thing(word) for word in clause_words]
    for place, direction in enumerate(own):
        if direction is None:
            continue
        before = [p for p in range(max(0, place - _REACH), place) if is_thing[p]][-_MOST_THINGS:]
        after = [p for p in range(place + 1, min(len(own), place + 1 + _REACH)) if is_thing[p]][:_MOST_THINGS]
        if before or after:
            things = frozenset(number for p in (*before, *after) for number in of_place[p])
            denied = _is_negated(clause_words, place)
            found.append(_Direction(stem(clause_words[place]), direction, denied, things))
    return found


def _nearest(
    own: Sequence[DirectionOf | None], of_place: Sequence[tuple[int, ...]]
) -> list[tuple[int, tuple[float, DirectionOf]]]:
    places = [(place, direction) for place, direction in enumerate(own) if direction is not None]
    found: list[tuple[int, tuple[float, DirectionOf]]] = []
    for place, numbers in enumerate(of_place):
        # One that stands before is nearer than one as far behind: "lower risk", "risk was lower".
        distances = [
            (float(place - p) if p < place else p - place + 0.5, direction)
            for p, direction in places
            if abs(p - place) <= _MAX_DISTANCE
        ]
        if numbers and distances:
            nearest = min(distances, key=lambda pair: pair[0])
            found += [(number, nearest) for number in numbers]
    return found


def word_direction(clause_words: Sequence[str], place: int) -> DirectionOf | None:
    """What the word at `place` says that happens, a negation before it regarded; `None` where it is no such word."""
    word = clause_words[place]
    if word == _NOT_SIGNIFICANT:
        return "none"
    is_negated = _is_negated(clause_words, place)
    # "No effect", and "lack of an effect", are none; "lack of zinc" is little of it.
    if _SOME.fullmatch(word):
        is_lacking = not _LACK.isdisjoint(clause_words[max(0, place - _NEGATION_WORDS) : place])
        return "none" if is_negated or is_lacking else "some"
    if word in _LACK and any(_SOME.fullmatch(near) for near in clause_words[place + 1 : place + 1 + _NEGATION_WORDS]):
        return "none"
    if word.startswith("signific"):
        return "none" if is_negated else None
    if _NONE.fullmatch(word):
        return "some" if is_negated else "none"
    if _UP.fullmatch(word):
        return "not up" if is_negated else "up"
    if _DOWN.fullmatch(word):
        return "not down" if is_negated else "down"
    return None


def _is_negated(clause_words: Sequence[str], place: int) -> bool:
    before = clause_words[max(0, place - _NEGATION_WORDS) : place]
    return sum(bool(_NEGATION.fullmatch(word)) for word in before) % 2 == 1


_DENIALS: Final = frozenset({"none", "not up", "not down"})


def _agreement(claim: DirectionOf, sentence: DirectionOf) -> Agreement:
    if claim in _DENIALS and sentence in _DENIALS:
        return "agrees"
    if claim in _DENIALS or sentence in _DENIALS:
        denial, other = (claim, sentence) if claim in _DENIALS else (sentence, claim)
        # "Not lower" says nothing against "higher".
        is_other_way = (denial, other) in (("not up", "down"), ("not down", "up"))
        return "partly" if is_other_way and claim == other else "agrees" if is_other_way else "differs"
    if claim == sentence:
        return "agrees"
    return "partly" if "some" in (claim, sentence) else "differs"


def _arms(text: str, numbers: Mapping[str, tuple[int, ...]]) -> tuple[frozenset[int], frozenset[int]] | None:
    """The things before and after *than* or the like; `None` without one."""
    lower = text.lower()
    found = COMPARED_WITH.search(lower)
    if found is None:
        return None
    before, after = lower[: found.start()], lower[found.end() :]
    return (
        frozenset(number for word in words(before) if _is_thing(word) for number in numbers.get(stem(word), ())),
        frozenset(number for word in words(after) if _is_thing(word) for number in numbers.get(stem(word), ())),
    )


def _kept_of_brackets(found: re.Match[str]) -> str:
    """Of brackets, which are beside the point, only that a difference is not significant."""
    return f" {_NOT_SIGNIFICANT} " if _NO_SIGNIFICANCE.search(found[0]) else " "


def _with_direction(found: re.Match[str]) -> str:
    first, last = float(found[1]), float(found[2])
    return f"{found[0]} {'increased' if last > first else 'decreased' if last < first else 'unchanged'} "
