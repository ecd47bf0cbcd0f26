"""Compares the authors of an entry with those of a record: who was invented, left out, moved or spelt otherwise."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from litterm.model.paper import Author
from litterm.text.references.identity import title_key
from litterm.text.tokens import fold, words

_UMLAUT: Final = re.compile(r"([aou])e")
_MIN_SPELLING_CHARS: Final = 4
_NICKNAMES: Final = tuple(
    frozenset(names.split())
    for names in (
        "william bill will billy willie",
        "robert bob rob bobby bert",
        "richard dick rick rich",
        "margaret peggy meg maggie greta",
        "elizabeth liz beth betty lisa eliza",
        "james jim jimmy jamie",
        "john jack johnny jon",
        "michael mike mick misha",
        "anthony tony",
        "edward ed ted eddie ned",
        "theodore ted theo",
        "thomas tom tommy",
        "katherine catherine kathryn kate kathy cathy katie kit",
        "alexander alex sasha sandy",
        "alexandra alex sasha sandra",
        "daniel dan danny",
        "david dave",
        "joseph joe josef joey",
        "henry harry hank",
        "charles charlie chuck carl",
        "francis frank fran",
        "andrew drew andy",
        "jennifer jen jenny",
        "patricia pat patty tricia",
        "susan sue suzanne",
        "rebecca becky",
        "jacob jake",
        "lawrence larry laurence",
        "eugene gene",
        "leonard len leo",
        "stephen steve steven",
        "christopher chris kit",
        "dmitry dima dmitri",
        "mikhail misha",
        "maria masha",
        "evgeny eugene zhenya",
        "yevgeny evgeny",
        "gerald jerry gerry",
        "peter pete",
        "albert al bert",
        "raymond ray",
        "victoria vicky tori",
        "deborah debbie deb",
        "nicholas nick nicolas",
        "jeffrey geoffrey jeff geoff",
        "donald don",
        "ronald ron",
        "kenneth ken",
    )
)


@dataclass(frozen=True, slots=True)
class AuthorComparison:
    """How two lists of authors differ; all empty where they do not. Positions are from 0."""

    invented: tuple[int, ...] = ()
    """Positions in the entry of people whom the record does not have."""
    missing: tuple[int, ...] = ()
    """Positions in the record of people whom the entry leaves out."""
    misnamed: tuple[tuple[int, int], ...] = ()
    """Positions in both of people with one family name and given names that cannot be one person's."""
    misspelt: tuple[tuple[int, int], ...] = ()
    """Positions in both of people whose names differ in a letter or two."""
    is_reordered: bool = False
    matched: int = 0
    """People that both have."""

    @property
    def is_equal(self) -> bool:
        """Whether nothing differs."""
        return not (self.invented or self.missing or self.misnamed or self.misspelt or self.is_reordered)


def compare_authors(
    stated: Sequence[Author], known: Sequence[Author], *, is_cut: bool = False, is_known_cut: bool = False
) -> AuthorComparison:
    """`stated` held against `known`; `is_cut` where the entry says `et al.`, so that nobody is missing behind it."""
    if len(stated) != len(known) and _all_parts(stated) == _all_parts(known):
        # The same names, parted in another way: `C. de Souza, José G.` looks like two.
        return AuthorComparison(matched=len(known))
    pairs = _pair(stated, known)
    by_stated = {one: other for one, other, _ in pairs}
    matched_known = {other for _, other, _ in pairs}
    free_stated = [place for place in range(len(stated)) if place not in by_stated]
    free_known = [place for place in range(len(known)) if place not in matched_known]
    misnamed = [(one, other) for one, other, kind in pairs if kind == "misnamed"]
    misspelt = [(one, other) for one, other, kind in pairs if kind == "misspelt"]
    order = [by_stated[place] for place in sorted(by_stated)]
    if is_cut:
        # What is left out in front of the last name that is stated is missing all the same.
        last = max(order, default=-1)
        free_known = [place for place in free_known if place < last and len(order) > 1 and place < len(stated)]
    if is_known_cut:
        free_stated = [place for place in free_stated if place < len(known)]
    return AuthorComparison(
        tuple(free_stated),
        tuple(free_known),
        tuple(misnamed),
        tuple(misspelt),
        is_reordered=order != sorted(order),
        matched=len(pairs),
    )


def _all_parts(authors: Sequence[Author]) -> list[str]:
    """Every part of every name that is no initial, sorted."""
    return sorted(part for author in authors for part in _name(author).parts if len(part) > 1)


def _pair(stated: Sequence[Author], known: Sequence[Author]) -> list[tuple[int, int, str]]:
    """Places of the same person in both, and how the names agree: `same`, `misspelt` or `misnamed`."""
    first, second = [_name(author) for author in stated], [_name(author) for author in known]
    pairs: list[tuple[int, int, str]] = []
    left, free = set(range(len(first))), set(range(len(second)))
    for kind, agree in (("same", _is_same), ("misspelt", _is_misspelt), ("misnamed", _is_misnamed)):
        for place in sorted(left):
            # At the same place first: brothers and namesakes are in one list often enough.
            places = sorted(free, key=lambda other: (abs(other - place), other))
            other = next((other for other in places if agree(first[place], second[other])), None)
            if other is not None and (kind == "same" or abs(other - place) < 2):
                pairs.append((place, other, kind))
                left.discard(place)
                free.discard(other)
    return pairs


@dataclass(frozen=True, slots=True)
class _Name:
    surnames: frozenset[str]
    """The family name in each of its spellings: with and without particle, parts of a double name."""
    given: tuple[str, ...]
    whole: str
    """All letters, given name first."""
    turned: str
    parts: frozenset[str]
    surname: str = field(default="")


@lru_cache(maxsize=1 << 14)
def _name(author: Author) -> _Name:
    given = tuple(word for word in words(author.given) if not word.isdigit())
    family = [word for word in words(author.surname) if not word.isdigit()]
    spellings = {"".join(family), title_key(author.family), *(word for word in family if len(word) > 2)} - {""}
    spellings |= {_UMLAUT.sub(r"\1", one) for one in spellings}
    one, other = "".join(given), "".join(family)
    return _Name(frozenset(spellings), given, one + other, other + one, frozenset((*given, *family)), other)


def _is_same(one: _Name, other: _Name) -> bool:
    if one.whole == other.whole or one.whole == other.turned or one.turned == other.whole:
        return True
    if one.parts == other.parts:
        return True
    if not one.surnames.isdisjoint(other.surnames):
        return _are_given_alike(one.given, other.given)
    # Family and given name in the other order, or a second family name taken for a given one.
    if one.surnames & set(other.given) and other.surnames & set(one.given):
        return True
    shorter, longer = sorted((one, other), key=lambda name: len(name.parts))
    return len(shorter.parts) > 1 and all(
        any(part == full or (len(part) == 1 and full.startswith(part)) for full in longer.parts)
        for part in shorter.parts
    )


def _are_given_alike(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two given names may be one person's: initials, short forms, a middle name more or less."""
    if not one or not other:
        return True
    if "".join(one) == "".join(other):
        return True
    # `JG` is how medicine prints John Gordon.
    for short, full in ((one, other), (other, one)):
        if len(short) == 1 and 1 < len(short[0]) <= 3 and "".join(word[0] for word in full).startswith(short[0]):
            return True
    return any(_is_same_given(first, second) for first in one for second in other)


def _is_same_given(one: str, other: str) -> bool:
    short, full = sorted((one, other), key=len)
    return full.startswith(short) or any(one in names and other in names for names in _NICKNAMES)


def _is_misspelt(one: _Name, other: _Name) -> bool:
    """Whether a letter or two of one part of the name differ."""
    if not one.surnames.isdisjoint(other.surnames):
        return any(_is_near(first, second) for first in one.given for second in other.given)
    if not (one.given and other.given):
        return False
    if any(_is_near(first, second) for first in one.surnames for second in other.surnames):
        return _are_given_alike(one.given, other.given) or _is_near(one.given[0], other.given[0])
    return _has_other_family(one, other) or _has_other_family(other, one)


def _has_other_family(one: _Name, other: _Name) -> bool:
    """`B. G. Stalls` beside `Bonnie Glover`: a family name that became the middle one."""
    middle = one.given[1:]
    is_first_alike = _are_given_alike(one.given[:1], other.given[:1])
    return is_first_alike and any(other.surname.startswith(part) for part in middle)


def _is_misnamed(one: _Name, other: _Name) -> bool:
    return not one.surnames.isdisjoint(other.surnames)


def _is_near(one: str, other: str) -> bool:
    if min(len(one), len(other)) < _MIN_SPELLING_CHARS or abs(len(one) - len(other)) > 2:
        return False
    from rapidfuzz.distance import OSA

    return OSA.distance(one, other, score_cutoff=2) <= (1 if min(len(one), len(other)) < 6 else 2)


def family_key(name: str) -> str:
    """A family name for comparing: folded, letters only."""
    return title_key(fold(name))
