"""The spellings under which the name of an author may be stored.

Names are stored as words, so that a name written in one word here and in two there is looked up in both ways.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, product
from typing import Final

from litterm.text.tokens import fold, words

_APOSTROPHES: Final = "'’‘ʼ`´′ʻ"
_ELIDED: Final = ("o", "d", "l", "dell", "dall", "all", "nell", "m", "n", "t")
"""What stands before an apostrophe."""
_PARTICLES: Final = (
    "af am au auf da dal de degli dei del della den der des di do dos du el il in la las le lo los mac mc op saint san"
    " santa st ten ter te van vande vander vom von zu zum zur bin ibn abu al"
).split()
_MIN_REST: Final = 3
"""Letters of a name behind its particle; with fewer, most words would have such a spelling."""
_UNSPACED: Final = re.compile("[\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7a3々]{2,8}")
_UMLAUTS: Final = re.compile("ae|oe|ue")
_MAX_VARIANTS: Final = 24
_MAX_WHOLE_NAME: Final = 5


def author_variants(name: str) -> tuple[str, ...]:
    """`name` first, then its other spellings; words with an apostrophe between them stand side by side.

    `obrien` is also `o'brien`, `van den berg` also `vandenberg`, `mueller` also `müller`, and a name in Chinese,
    Japanese or Korean letters may be written with or without a blank, the family name first or last.
    """
    star = "*" if name.endswith("*") else ""
    typed = [word for word in re.split(r"[\s,]+", name.removesuffix("*")) if word]
    if not typed:
        return (name,)
    spellings: list[Iterable[str]] = [dict.fromkeys((word, *_spellings(word))) for word in typed]
    variants = [" ".join(spelling) for spelling in islice(product(*spellings), _MAX_VARIANTS)]
    variants += _joined(typed)
    if star:
        return tuple(dict.fromkeys(f"{variant}*" for variant in variants))
    if len(typed) == 1 and len(typed[0]) == 1 and _is_unspaced(typed[0] * 2):
        # A family name alone begins the name that is stored as one word.
        variants.append(f"{typed[0]}*")
    return tuple(dict.fromkeys((name, *variants)))


def _spellings(word: str) -> Iterator[str]:
    if _is_unspaced(word):
        for size in range(1, len(word)):
            yield f"{word[:size]} {word[size:]}"
        return
    parts = [part for part in re.split(f"[{_APOSTROPHES}]", word) if part]
    if len(parts) > 1:
        yield "".join(parts)
        return
    folded = fold(word)
    if not folded.isalpha() or not folded.isascii():
        return
    for elided in _ELIDED:
        if folded.startswith(elided) and len(folded) >= len(elided) + _MIN_REST:
            yield f"{elided}'{folded[len(elided) :]}"
    yield from _with_particles(folded)
    if _UMLAUTS.search(folded):
        yield _UMLAUTS.sub(lambda match: match.group()[0], folded)


def _with_particles(word: str) -> Iterator[str]:
    """`vandenberg` as `van den berg`."""
    for particle in _PARTICLES:
        rest = word[len(particle) :]
        if word.startswith(particle) and len(rest) >= _MIN_REST:
            yield f"{particle}'{rest}"
            yield from (f"{particle}'{more}" for more in _with_particles(rest))


def _joined(typed: Sequence[str]) -> Iterator[str]:
    """Particles, and letters that are written without blanks, in one word with what follows."""
    if len(typed) < 2:
        return
    if all(_is_unspaced(word * 2) for word in typed):
        yield "".join(typed)
        yield "".join(reversed(typed))
        return
    folded = [fold(word) for word in typed]
    are_particles = [word in _PARTICLES or word in _ELIDED for word in folded[:-1]]
    if any(are_particles):
        first = last = are_particles.index(True)
        while last < len(are_particles) and are_particles[last]:
            last += 1
        yield " ".join([*folded[:first], "".join(folded[first : last + 1]), *folded[last + 1 :]])


def _is_unspaced(word: str) -> bool:
    """Whether it is of a script that writes names without a blank."""
    return _UNSPACED.fullmatch(word) is not None


def name_parts(name: str) -> list[str]:
    """What the words of one author, each between blanks, must hold for `name` to be found in them.

    Words on both sides of an apostrophe are one part, since others stand between initials and names by chance.
    """
    parts: list[str] = []
    for chunk in name.removesuffix("*").split():
        found = words(chunk)
        is_joined = any(sign in chunk for sign in _APOSTROPHES)
        parts += [f" {' '.join(found)} "] if is_joined and found else [f" {word} " for word in found]
    if parts and name.endswith("*"):
        parts[-1] = parts[-1].rstrip()
    return parts


def whole_name_parts(name: str) -> str:
    """A name in one word of a script without blanks, parted after its family name as far as its length tells."""
    if not _is_unspaced(name) or len(name) > _MAX_WHOLE_NAME:
        return ""
    size = 1 if len(name) < _MAX_WHOLE_NAME - 1 else 2
    return f"{name[:size]} {name[size:]}"
