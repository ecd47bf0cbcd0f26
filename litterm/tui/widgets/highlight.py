"""Which characters of a text to mark, and text cut at the marks' edges."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from litterm.text.tokens import stem_spans
from litterm.tui.widgets.styled_lines import Piece

_ENDING = re.compile(r"(?:ations?|ings?|ed|es|s|e)$")
_MAX_WORDS = 24

Range = tuple[int, int, str]
"""Half-open characters and the role they play."""


@dataclass(frozen=True, slots=True)
class WordFinder:
    """Finds words as the search does, by their stem, and what begins like them."""

    stems: frozenset[str] = frozenset()
    beginnings: re.Pattern[str] | None = None

    def ranges(self, text: str, start: int = 0, end: int | None = None) -> list[Range]:
        """Where they are in `text[start:end]`, in order."""
        if self.beginnings is None:
            return []
        part = text[start:end]
        spans = {found.span() for found in self.beginnings.finditer(part)}
        spans.update((left, right) for left, right, word_stem in stem_spans(part) if word_stem in self.stems)
        return [(start + left, start + right, "match") for left, right in sorted(spans)]


def word_finder(words: Iterable[str]) -> WordFinder:
    """What finds `words`; without words, nothing."""
    given = {word.lower() for word in words if word.strip()}
    if not given:
        return WordFinder()
    # The longest first, as an alternation takes the first that fits.
    beginnings = sorted(map(_beginning, given), key=lambda text: (-len(text), text))[:_MAX_WORDS]
    return WordFinder(
        frozenset(word_stem for word in given for _, _, word_stem in stem_spans(word)),
        re.compile(r"\b(?:" + "|".join(beginnings) + r")\b", re.IGNORECASE),
    )


def _beginning(word: str) -> str:
    bare = _ENDING.sub("", word) if len(word) > 4 else word
    return re.escape(bare if len(bare) >= 3 else word) + (r"\w{0,5}" if len(bare) >= 4 else "")


def styled_pieces(text: str, start: int, end: int, ranges: Sequence[Range], role: str = "") -> list[Piece]:
    """`text[start:end]` in pieces, each with `role` and the roles of all ranges that contain it, in the order given."""
    ranges_inside = [(max(a, start), min(b, end), name) for a, b, name in ranges if a < end and b > start]
    if not ranges_inside:
        return [(text[start:end], role)]
    edges = sorted({start, end, *(a for a, _, _ in ranges_inside), *(b for _, b, _ in ranges_inside)})
    pieces: list[Piece] = []
    for left, right in pairwise(edges):
        names = dict.fromkeys(name for a, b, name in ranges_inside if a <= left and b >= right)
        pieces.append((text[left:right], " ".join([role, *names]).strip()))
    return pieces
