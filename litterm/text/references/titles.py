"""Compares titles as people write them: subtitles may be missing, numbers must agree."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from litterm.text.references.identity import is_generic, numerals, title_key

MIN_SIMILARITY = 0.8
"""Likeness of lower-cased titles from which CiteME takes them for one (Press et al. 2024, appendix)."""
_SUBTITLE = re.compile(r"(?:(?<!\s)\s+)?+(?::|\?\s|\.\s)\s*|(?<!\s)\s+[–—-]\s+")
_MIN_MAIN_TITLE_CHARS = 10
"""A shorter main title does not stand for the whole title."""
_ROMAN = re.compile(r"(?<=[a-z])(v?\d+)\b|\b([ivx]{1,4})\b", re.IGNORECASE)


def main_title(title: str) -> str:
    """`title` without its subtitle; the whole where what is before it is short or a coined name."""
    main = _SUBTITLE.split(title.strip(), maxsplit=1)[0]
    return main if len(title_key(main)) >= _MIN_MAIN_TITLE_CHARS and len(main.split()) > 2 else title.strip()


def same_title(one: str, other: str) -> bool:
    """Whether both are titles of one paper: alike as CiteME asks, or equal but for a subtitle one of them lacks.

    Numerals must agree: YOLOv3 is not YOLOv4, nor Part I Part II.
    """
    if is_generic(one) or is_generic(other) or _numbers(one) != _numbers(other):
        return False
    one_main, other_main = title_key(one), title_key(other)
    if not one_main or not other_main:
        return False
    if one_main == other_main or (title_key(main_title(one)) == other_main or one_main == title_key(main_title(other))):
        return True
    likeness = SequenceMatcher(None, one.lower(), other.lower(), autojunk=False)
    # The first two are upper bounds that cost next to nothing.
    return all(bound() > MIN_SIMILARITY for bound in (likeness.real_quick_ratio, likeness.quick_ratio, likeness.ratio))


def _numbers(title: str) -> tuple[str, ...]:
    roman = tuple(match[2].lower() for match in _ROMAN.finditer(title) if match[2])
    # A lone `i` is a number only at the end, as in `Part I`; elsewhere it may be a word.
    return (
        *numerals(title),
        *(numeral for numeral in roman if numeral != "i" or title.lower().rstrip(". ").endswith(" i")),
    )
