"""Placed words to lines: stretches of one line of type within one column, in the order they are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from litterm.importers.pdf.content_stream import Word
from litterm.importers.pdf.pages import PdfPage
from litterm.text.latex.symbols import to_subscript, to_superscript

K = TypeVar("K", float, str)

_CITATION_CHARS = frozenset("0123456789,–-")
"""A raised list of numbers is raised number by number; its commas have no raised form."""
_GLUE_EM = 0.08
"""A gap up to this, in ems, is kerning and no blank."""
_COLUMN_GAP_EM = 1.6
"""A gap from this on, in ems, lies between two columns."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of type of one column; points, y upwards."""

    text: str
    page: int
    x0: float
    x1: float
    y: float
    """Baseline of most of its letters."""
    size: float
    """Size of most of its letters."""
    font: str
    """Name of the font of most of its letters."""
    bold: bool
    """Whether all letters are bold, give or take a mark."""
    italic: bool
    words: tuple[Word, ...] = ()


def page_lines(page: PdfPage) -> tuple[Line, ...]:
    """The lines of `page`, as drawn."""
    lines: list[Line] = []
    current: list[Word] = []
    for word in page.words:
        if current and not _continues(current, word):
            lines.append(make_line(current, page.number))
            current = []
        current.append(word)
    if current:
        lines.append(make_line(current, page.number))
    return tuple(lines)


def _continues(line: Sequence[Word], word: Word) -> bool:
    last = line[-1]
    size = max(last.size, word.size)
    if abs(word.y - last.y) > 0.55 * size:
        return False
    if abs(word.y - last.y) > 0.12 * size and not _raised_or_lowered(last, word):
        return False
    gap = word.x0 - last.x1
    return -0.6 * size < gap < _COLUMN_GAP_EM * size


def _raised_or_lowered(last: Word, word: Word) -> bool:
    """A superscript and its word, or the word after it: sizes differ, or the pieces are short."""
    return abs(last.size - word.size) > 0.08 * max(last.size, word.size) or min(len(last.text), len(word.text)) <= 2


def make_line(words: Sequence[Word], page: int) -> Line:
    """One line out of `words` in order of writing."""
    size = _most_common(words, [round(word.size, 1) for word in words])
    y = _most_common(words, [round(word.y, 1) if round(word.size, 1) == size else None for word in words])
    letters = sum(len(word.text) for word in words)
    return Line(
        join_words(words, y, size),
        page,
        min(word.x0 for word in words),
        max(word.x1 for word in words),
        y,
        size,
        _most_common(words, [word.font for word in words]),
        sum(len(word.text) for word in words if word.bold) >= 0.9 * letters,
        sum(len(word.text) for word in words if word.italic) >= 0.9 * letters,
        tuple(words),
    )


def _most_common(words: Sequence[Word], values: Sequence[K | None]) -> K:
    """The value that most letters have."""
    counts: dict[K, int] = {}
    for word, value in zip(words, values, strict=True):
        if value is not None:
            counts[value] = counts.get(value, 0) + len(word.text)
    return max(counts, key=lambda value: counts[value])


def join_words(words: Sequence[Word], y: float, size: float) -> str:
    """The text of a line: a blank where a gap is, raised and lowered marks as such."""
    parts: list[str] = []
    for index, word in enumerate(words):
        if index and word.x0 - words[index - 1].x1 > _GLUE_EM * min(words[index - 1].size, word.size):
            parts.append(" ")
        parts.append(_raised_text(word, y, size))
    return "".join(parts)


def _raised_text(word: Word, y: float, size: float) -> str:
    if word.size > 0.88 * size:
        return word.text
    if word.y - y > 0.15 * size:
        if set(word.text) <= _CITATION_CHARS:
            return "".join(to_superscript(character) or character for character in word.text)
        return to_superscript(word.text) or word.text
    return (to_subscript(word.text) or word.text) if y - word.y > 0.05 * size else word.text
