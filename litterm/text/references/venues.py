"""Venues as people write them: abbreviated, with or without year, number and `Proceedings of the`."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from litterm.model.paper import Paper
from litterm.text.tokens import words

_FORM_WORDS: Final = frozenset(
    """proceedings proc procs in of the on for and to a an at annual ann meeting mtg conference conf international intl
    int joint workshop wksp symposium symp journal j jnl transactions trans volume vol volumes long short papers paper
    main part parts track series th st nd rd edition special issue no pp pages
    first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth
    sixteenth seventeenth eighteenth nineteenth twentieth thirtieth fortieth fiftieth sixtieth twenty thirty forty fifty
    sixty de la des und der""".split()
)
"""Words that say in which form something appeared, not where."""
_NUMBER: Final = re.compile(r"\d+(?:st|nd|rd|th)?")
_ACRONYM: Final = re.compile(r"[A-Z][A-Za-z]*[A-Z][A-Za-z0-9]{0,12}|[A-Z]{2,12}")
_COMMON_ACRONYMS: Final = frozenset("ieee acm usa uk aaas ii iii iv".split())
"""Publishers and countries, which tell no venue from another."""
_MIN_ABBREVIATION: Final = 2
_MAX_VENUE_CHARS: Final = 400
_PREPRINT_SERVERS: Final = frozenset("arxiv corr biorxiv medrxiv chemrxiv psyarxiv ssrn".split())
_YEAR: Final = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


@lru_cache(maxsize=1 << 14)
def venue_words(name: str) -> tuple[str, ...]:
    """The words of a venue that tell it from others, folded, in order; all words where none does."""
    folded = [word for word in words(name[:_MAX_VENUE_CHARS]) if not _NUMBER.fullmatch(word)]
    return tuple(word for word in folded if word not in _FORM_WORDS) or tuple(folded)


@lru_cache(maxsize=1 << 14)
def venue_acronyms(name: str) -> frozenset[str]:
    """Acronyms in a venue's name, in small letters: `naacl` and `hlt` of `NAACL-HLT 2018`."""
    found = (match.group().lower().rstrip("0123456789") for match in _ACRONYM.finditer(name[:_MAX_VENUE_CHARS]))
    return frozenset(acronym for acronym in found if len(acronym) > 1 and acronym not in _COMMON_ACRONYMS)


def is_preprint_venue(name: str) -> bool:
    """Whether a venue is a preprint server."""
    found = words(name[:_MAX_VENUE_CHARS])
    return not _PREPRINT_SERVERS.isdisjoint(found) or venue_words(name) in (("preprint",), ("preprints",), ("eprint",))


def years_in(name: str) -> frozenset[int]:
    """The years that a venue's name states."""
    return frozenset(int(match.group()) for match in _YEAR.finditer(name[:_MAX_VENUE_CHARS]))


def venues_agree(one: str, other: str) -> bool:
    """Whether two names may be of one venue: an acronym in common, or the words of one, abbreviated, in the other."""
    first, second = venue_acronyms(one), venue_acronyms(other)
    if first & second or any(_ends_alike(short, long) for short in first for long in second):
        return True
    if first & set(_initials(other)) or second & set(_initials(one)):
        return True
    shorter, longer = sorted((venue_words(one), venue_words(other)), key=len)
    return bool(shorter) and _are_words_in(shorter, longer)


@lru_cache(maxsize=1 << 14)
def _initials(name: str) -> tuple[str, ...]:
    """Acronyms that the words of a name may have: of all words that count, and of its ends."""
    counted = [word for word in words(name[:_MAX_VENUE_CHARS]) if not _NUMBER.fullmatch(word)]
    small = frozenset("of the on for and to a an at in".split())
    letters = "".join(word[0] for word in counted if word not in small)
    bare = "".join(word[0] for word in venue_words(name))
    lengths = range(2, 9)
    ends = [text[-length:] for text in (letters, bare) for length in lengths if len(text) >= length]
    starts = [text[:length] for text in (letters, bare) for length in lengths if len(text) >= length]
    return tuple(dict.fromkeys((*ends, *starts)))


def _ends_alike(one: str, other: str) -> bool:
    """`convai` of `nlp4convai`."""
    short, long = sorted((one, other), key=len)
    return len(short) > 3 and long.endswith(short)


def _are_words_in(shorter: tuple[str, ...], longer: tuple[str, ...]) -> bool:
    """Whether each word of `shorter` is in `longer` or abbreviates a word there."""
    if len(shorter) == 1:
        # `acl` is no abbreviation of `artificial`.
        return any(full == shorter[0] or (len(shorter[0]) > 3 and full.startswith(shorter[0])) for full in longer)
    return all(any(_abbreviates(word, full) for full in longer) for word in shorter)


def _abbreviates(one: str, other: str) -> bool:
    """Whether one is the other, its beginning (`comput`), or made of letters of it in order (`natl`)."""
    short, full = sorted((one, other), key=len)
    if full.startswith(short):
        return len(short) > _MIN_ABBREVIATION or short == full
    if len(short) <= _MIN_ABBREVIATION or short[0] != full[0] or len(short) > 5:
        return False
    rest = iter(full)
    return all(letter in rest for letter in short)


def name_alike(one: str, record: Paper) -> bool:
    """Whether a venue as it is written may be that of a record, by its names alone."""
    names = (record.imprint.booktitle, record.imprint.journal, record.venue, *record.venue_keys)
    return any(venues_agree(one, name) for name in names if name)
