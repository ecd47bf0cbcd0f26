"""Measures, cuts and wraps text in terminal cells, never inside a cluster of characters that belong together.

What is wide and what belongs together is Rich's table, because Textual cuts by it; Rich is imported only for text that
holds anything but letters known to be one cell wide.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_NOT_ONE_CELL = re.compile(
    r"[^\x20-\x7e\xa0-\xac\xae-\u02ff\u0370-\u0482\u2010-\u2015\u2018-\u201f\u2020-\u2027\u2030-\u2044]"
)
"""Anything but characters known to be one cell wide: with none of them a text has as many cells as characters."""


def width_of(text: str) -> int:
    """Cells that `text` takes on the screen."""
    if _NOT_ONE_CELL.search(text) is None:
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def clip(text: str, width: int, ellipsis: str = "…") -> str:
    """`text` in at most `width` cells; a cut is marked by `ellipsis`."""
    if width_of(text) <= width:
        return text
    room = width - width_of(ellipsis)
    if room <= 0:
        return text[:width] if _NOT_ONE_CELL.search(text) is None else ""
    return text[: cut_at(text, 0, len(text), room)].rstrip() + ellipsis


def pad(text: str, width: int, ellipsis: str = "…") -> str:
    """`text` clipped or filled with blanks to exactly `width` cells."""
    cut = clip(text, width, ellipsis)
    return cut + " " * (width - width_of(cut))


def cut_at(text: str, start: int, end: int, width: int) -> int:
    """The largest offset in `start..end` such that `text[start:offset]` has at most `width` cells."""
    if _NOT_ONE_CELL.search(text, start, min(end, start + width + 1)) is None:
        return min(end, start + max(0, width))
    from rich.cells import split_graphemes

    width_taken, offset = 0, start
    # No cluster of more than 16 characters matters for where a line ends.
    for first, last, cells in split_graphemes(text[start : min(end, start + 16 * width + 16)])[0]:
        if width_taken + cells > width:
            return start + first
        width_taken += cells
        offset = start + last
    return offset


def wrap(text: str, start: int, end: int, width: int) -> Iterator[tuple[int, int]]:
    """Half-open ranges of `text[start:end]` that each fit in `width` cells.

    Breaks at blanks; a word longer than a line is cut between clusters. Blanks at a break belong to no line.
    """
    room = max(1, width)
    position = start
    while position < end:
        stop = cut_at(text, position, end, room)
        if stop >= end:
            yield position, end
            return
        blank = text.rfind(" ", position, stop + 1)
        if blank > position:
            stop = blank
        elif stop <= position:
            # A cluster wider than the whole line: it is let through, the screen cuts it.
            stop = position + 1
        yield position, stop
        position = stop
        while position < end and text[position] == " ":
            position += 1


def wrap_text(text: str, width: int, *, lines: int = 0, ellipsis: str = "…") -> list[str]:
    """`text` as lines of at most `width` cells; with `lines`, at most that many, the last one clipped."""
    rows: list[str] = []
    for start, end in wrap(text, 0, len(text), width):
        if lines and len(rows) == lines - 1:
            rows.append(clip(text[start:], width, ellipsis))
            return rows
        rows.append(text[start:end])
    return rows
