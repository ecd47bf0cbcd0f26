"""Joins lines to running text: mends broken words, resolves ligatures and keeps page numbers."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile

from litterm.importers.pdf.lines import Line
from litterm.text.clean import clean_line
from litterm.text.documents.hyphens import takes_hyphen

_MAX_WORD_CHARS = 48
_FUNCTION_WORDS = frozenset("a and as at by de for in it of off on or out per than the to up vs with".split())
"""Words in the middle of a compound, `state-of-the-art`."""
_WORD = re.compile(r"[^\W\d_]+(?:[-‐][^\W\d_]+)*")
_BROKEN_WORD = re.compile(r"(?P<before>[-‐]|(?<![^\W\d_]))(?P<first>[^\W\d_]+)(?P<hyphen>[-‐\u00ad])\Z")
_WORD_REST = re.compile(r"(?P<word>[^\W\d_]+)(?P<others>(?:[-‐][^\W\d_]+)*)")
_LOOSE_ACCENT = re.compile(r"([^\W\d_]?)(\s?)([´`¨ˆ˜¸ˇ˚˙˝˘])(\s?)([^\W\d_]?)")
_COMBINING_ACCENTS = dict(
    zip("´`¨ˆ˜¸ˇ˚˙˝˘", "\u0301\u0300\u0308\u0302\u0303\u0327\u030c\u030a\u0307\u030b\u0306", strict=True)
)


@dataclass(frozen=True, slots=True)
class TextFlow:
    """Running text and where its pages begin."""

    text: str
    pages: tuple[tuple[int, int], ...]
    """`(offset, page)`, ascending."""

    def then(self, other: TextFlow, words: WordCounts) -> TextFlow:
        """This text and `other` as one paragraph."""
        cut, bridge, skip = _join_halves(self.text, other.text, words)
        start = len(self.text) - cut
        shift = start + len(bridge) - skip
        moved = ((max(start, offset + shift), page) for offset, page in other.pages)
        pages = [*self.pages]
        pages += [(offset, page) for offset, page in moved if not pages or page != pages[-1][1]]
        return TextFlow(f"{self.text[:start]}{bridge}{other.text[skip:]}", tuple(pages))


@dataclass(frozen=True, slots=True)
class WordCounts:
    """How often a document writes which word, for telling a broken word from a hyphenated one."""

    counts: Counter[str]

    @classmethod
    def of(cls, lines: Iterable[Line]) -> WordCounts:
        """Counts of the words of `lines`, without those broken at the end of a line."""
        counts: Counter[str] = Counter()
        for line in lines:
            text = clean_text(line.text)
            matches = list(_WORD.finditer(text))
            if matches and _BROKEN_WORD.search(text):
                matches.pop()
            # The first of a line may be the second half of a broken word.
            for match in matches[1:]:
                counts.update(_forms(match.group().casefold()))
        return cls(counts)

    def mend(self, first: str, hyphen: str, second: str, others: str = "") -> str:
        """`first` and `second` as one word, with or without the hyphen at which the line broke.

        `others` is what follows `second` in its compound: `-the-art`.
        """
        # One letter is never divided from its word: `T-cell`, `n-gram`.
        is_joined = hyphen == "\u00ad" or (len(first) > 1 and self._is_one_word(first, second, others))
        return first + second if is_joined else f"{first}-{second}"

    def mend_inner(self, first: str, hyphen: str, second: str) -> str:
        """The same behind another hyphen: in `cross-lin-guistic` a word is divided, in `case-by-case` none."""
        is_divided = self.counts[(first + second).casefold()] and not self.counts[first.casefold()]
        return first + second if is_divided or hyphen == "\u00ad" else f"{first}-{second}"

    def _is_one_word(self, first: str, second: str, others: str) -> bool:
        joined, hyphened = (first + second).casefold(), f"{first}-{second}".casefold()
        # The paper itself is the best dictionary: it has names and terms that no list holds.
        if self.counts[joined] or self.counts[hyphened]:
            return self.counts[joined] >= self.counts[hyphened]
        if not second[0].islower() or (first.isupper() and len(first) > 1):
            return False
        if others and second in _FUNCTION_WORDS:
            return False
        known = takes_hyphen(first, second)
        if known is not None:
            return not known
        rarer_count = min(self.counts[first.casefold()], self.counts[second.casefold()])
        return not (rarer_count and len(first) > 3 and len(second) > 3)


def _forms(word: str) -> Iterator[str]:
    """A word, and of a compound of several elements each two neighbours."""
    yield word
    elements = re.split("[-‐]", word)
    if len(elements) > 1:
        yield from (f"{first}-{second}" for first, second in pairwise(elements) if f"{first}-{second}" != word)


def join_lines(lines: Sequence[Line], words: WordCounts) -> TextFlow:
    """The text of `lines` as one paragraph."""
    pieces: list[str] = []
    pages: list[tuple[int, int]] = []
    length = 0
    for line in lines:
        piece = clean_text(line.text)
        if not piece:
            continue
        cut, bridge, skip = _join_halves(pieces[-1], piece, words) if pieces else (0, "", 0)
        if pieces:
            pieces[-1] = pieces[-1][: len(pieces[-1]) - cut]
            length -= cut
        if not pages or pages[-1][1] != line.page:
            pages.append((length + (len(bridge) if not cut else 0), line.page))
        pieces.append(bridge + piece[skip:])
        length += len(pieces[-1])
    return TextFlow("".join(pieces), tuple(pages))


def clean_text(text: str) -> str:
    """On one line, without ligatures, control characters and accents that are separate from their letter."""
    if _LOOSE_ACCENT.search(text):
        text = _LOOSE_ACCENT.sub(_combine_accent, text)
    # Soft hyphens are format characters: at a line's end they say that the word continues.
    broken = text.rstrip().endswith("\u00ad")
    return clean_line(text) + ("\u00ad" if broken else "")


def _combine_accent(match: re.Match[str]) -> str:
    """TeX draws the accent before its letter, others after it: the letter that can bear it gets it."""
    before, space_before, accent, gap, after = match.groups()
    accented_after = unicodedata.normalize("NFC", after.replace("ı", "i") + _COMBINING_ACCENTS[accent]) if after else ""
    if len(accented_after) == 1:
        # The accent's own width reads as a gap within a word, but a word may begin with an accented capital.
        word_begins = not before or (accented_after.isupper() and not before.isupper())
        return before + (space_before if word_begins else "") + accented_after
    ahead = unicodedata.normalize("NFC", before.replace("ı", "i") + _COMBINING_ACCENTS[accent]) if before else ""
    return ahead + gap + after if len(ahead) == 1 and not space_before else match.group()


def _join_halves(first: str, second: str, words: WordCounts) -> tuple[int, str, int]:
    """How two pieces meet: characters to cut off the first, what to put between, characters to skip of the second."""
    tail = first[-_MAX_WORD_CHARS:]
    broken = _BROKEN_WORD.search(tail)
    rest = _WORD_REST.match(second)
    if broken and rest:
        # A raised number behind the word is a letter for the pattern, and none for anybody else.
        word = "".join(takewhile(str.isalpha, rest["word"])) or rest["word"]
        if not broken["before"]:
            mended = words.mend(broken["first"], broken["hyphen"], word, rest["others"])
        else:
            mended = words.mend_inner(broken["first"], broken["hyphen"], word)
        return len(tail) - broken.start("first"), mended, len(word)
    if tail.endswith("\u00ad"):
        return 1, "", 0
    hanging = tail.endswith(("-", "‐", "–", "/")) and not tail.endswith((" -", " –", " /"))
    return (0, "", 0) if hanging and second[:1].isalnum() else (0, " ", 0)
