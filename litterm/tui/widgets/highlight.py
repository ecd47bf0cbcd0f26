"""Which characters of a text to mark, and text cut at the marks' edges."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from litterm.tui.widgets.styled_lines import Piece

_ENDING = re.compile(r"(?:ations?|ings?|ed|es|s|e)$")
_MAX_WORDS = 24

Range = tuple[int, int, str]
"""Half-open characters and the role they play."""


def word_pattern(words: Iterable[str]) -> re.Pattern[str] | None:
    """Finds `words` and their usual inflections; `None` when there is nothing to find."""
    stems = {_stem(word.lower()) for word in words if word.strip()}
    if not stems:
        return None
    # The longest first, as an alternation takes the first that fits.
    ordered = sorted(stems, key=lambda stem: (-len(stem), stem))[:_MAX_WORDS]
    return re.compile(r"\b(?:" + "|".join(ordered) + r")\b", re.IGNORECASE)


def _stem(word: str) -> str:
    bare = _ENDING.sub("", word) if len(word) > 4 else word
    return re.escape(bare if len(bare) >= 3 else word) + (r"\w{0,5}" if len(bare) >= 4 else "")


def find_ranges(text: str, pattern: re.Pattern[str] | None) -> list[Range]:
    """Where `pattern` is in `text`."""
    return [(hit.start(), hit.end(), "match") for hit in pattern.finditer(text)] if pattern else []


def styled_pieces(text: str, start: int, end: int, ranges: Sequence[Range], role: str = "") -> list[Piece]:
    """`text[start:end]` in pieces, each with `role` and the roles of all ranges that contain it, in the order given."""
    ranges_inside = [(max(a, start), min(b, end), name) for a, b, name in ranges if a < end and b > start]
    if not ranges_inside:
        return [(text[start:end], role)]
    edges = sorted({start, end, *(a for a, _, _ in ranges_inside), *(b for _, b, _ in ranges_inside)})
    pieces: list[Piece] = []
    for left, right in pairwise(edges):
        names = [name for a, b, name in ranges_inside if a <= left and b >= right]
        pieces.append((text[left:right], " ".join([role, *names]).strip()))
    return pieces
