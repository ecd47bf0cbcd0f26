"""The words of a page that highlights cover, and how many annotations of a file are kept."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import Final

from litterm.importers.pdf.annotations import Box, PlacedAnnotation
from litterm.importers.pdf.content_stream import Word
from litterm.importers.pdf.dehyphenate import WordCounts, join_lines
from litterm.importers.pdf.lines import Line, make_line
from litterm.model.paper import FileAnnotation

MAX_ANNOTATIONS: Final = 2_000
"""Of one file; more are left out, and counted."""
MAX_QUOTE_CHARS: Final = 5_000
MAX_FILE_CHARS: Final = 300_000
"""Of all annotations of one file together."""
_MIDDLE_EM: Final = 0.3
"""The middle of small letters above the baseline, in ems."""
_MIN_COVERED: Final = 0.5
"""Share of the width of a word that a box covers, from which on the word is marked."""


def with_quotes(
    placed: Sequence[PlacedAnnotation], page: int, page_words: Sequence[Word], words: WordCounts
) -> Iterator[FileAnnotation]:
    """The annotations of one page with the words they cover; one that says nothing is left out."""
    if not placed:
        return
    heights = sorted((word.y + _MIDDLE_EM * word.size, place) for place, word in enumerate(page_words))
    for annotation in placed:
        quote = _covered_text(annotation.boxes, page, page_words, heights, words)
        # Some viewers repeat the marked words as the comment.
        is_repeated = bool(quote) and _letters(annotation.comment) == _letters(quote)
        comment = "" if is_repeated else annotation.comment
        if quote or comment or annotation.boxes:
            yield FileAnnotation(
                annotation.kind, str(page), quote, comment, annotation.colour, annotation.author, annotation.changed
            )


def bounded(annotations: Iterator[FileAnnotation]) -> tuple[tuple[FileAnnotation, ...], int]:
    """As many of `annotations` as are kept of one file, and how many are left out."""
    kept: list[FileAnnotation] = []
    room, left_out = MAX_FILE_CHARS, 0
    for annotation in annotations:
        size = len(annotation.quote) + len(annotation.comment)
        if len(kept) < MAX_ANNOTATIONS and size <= room:
            kept.append(annotation)
            room -= size
        else:
            left_out += 1
    return tuple(kept), left_out


def _covered_text(
    boxes: Sequence[Box],
    page: int,
    page_words: Sequence[Word],
    heights: Sequence[tuple[float, int]],
    words: WordCounts,
) -> str:
    """The words in the boxes, in the order in which they are drawn, as one paragraph."""
    covered: dict[int, int] = {}
    for number, (x0, y0, x1, y1) in enumerate(boxes):
        begin, end = bisect_left(heights, (y0, -1)), bisect_right(heights, (y1, len(page_words)))
        for _, place in heights[begin:end]:
            word = page_words[place]
            shared = min(x1, word.x1) - max(x0, word.x0)
            if shared > 0 and shared >= _MIN_COVERED * (word.x1 - word.x0):
                covered.setdefault(place, number)
    lines: list[Line] = []
    current: list[int] = []
    for place in sorted(covered):
        if current and covered[place] != covered[current[-1]]:
            lines.append(make_line([page_words[other] for other in current], page))
            current = []
        current.append(place)
    if current:
        lines.append(make_line([page_words[other] for other in current], page))
    return join_lines(lines, words).text[:MAX_QUOTE_CHARS].strip()


def _letters(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())
