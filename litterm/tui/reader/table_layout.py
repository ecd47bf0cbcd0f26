"""Tables of a paper in lines: how wide each column is, and rows with their cells wrapped in them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby

from litterm.model.document import Document, Table
from litterm.text.terminal_width import width_of, wrap_text

GAP = 2
"""Cells between two columns."""
_MAX_WORD_WIDTH = 16
"""Cells up to which a column is kept as wide as its longest word, or its longest number, which is never cut."""
_LEAST_WIDTH = 8
"""Cells of a column of words that are cut: in less nothing can be read."""
CellRows = Sequence[Sequence[str]]


def table_at(document: Document | None, index: int) -> Table | None:
    """The table that has the sentence as one of its rows."""
    tables = document.tables if document else ()
    return next((table for table in tables if 0 <= index - table.first_sentence < len(table.rows)), None)


def natural_widths(rows: CellRows) -> list[int]:
    """Of each column, the width of its widest cell."""
    count = max(map(len, rows), default=0)
    return [max((width_of(row[column]) for row in rows if column < len(row)), default=0) for column in range(count)]


def number_widths(rows: CellRows, *, as_printed: bool = False) -> list[int]:
    """Of each column, the width of its longest number; `as_printed` also of numbers side by side in one cell."""
    widths = _longest(rows, lambda cell: (word for word in cell.split() if _is_number(word)))
    return list(map(max, widths, _longest(rows, _adjacent_numbers))) if as_printed else widths


def _adjacent_numbers(cell: str) -> Iterator[str]:
    yield from (" ".join(words) for are_numbers, words in groupby(cell.split(), _is_number) if are_numbers)


def _is_number(word: str) -> bool:
    return any(map(str.isdigit, word))


def _longest(rows: CellRows, parts: Callable[[str], Iterable[str]]) -> list[int]:
    """Of each column, the width of the longest of the parts of its cells that is no wider than a word may be."""
    widths = [0] * max(map(len, rows), default=0)
    for row in rows:
        for column, cell in enumerate(row):
            found = (width for width in map(width_of, parts(cell)) if width <= _MAX_WORD_WIDTH)
            widths[column] = max(widths[column], max(found, default=0))
    return widths


def fit_widths(rows: CellRows, room: int, numbers: Sequence[int]) -> list[int]:
    """Widths with which the columns fit in `room` cells and none is narrower than its `numbers`.

    The widest are narrowed first, of those with words in them.

    What still does not fit is as narrow as it can be.
    """
    widths = natural_widths(rows)
    for least in (_longest(rows, str.split), [_LEAST_WIDTH] * len(widths)):
        floors = [min(width, max(pair)) for width, *pair in zip(widths, least, numbers, strict=True)]
        # Cell by cell from the widest: columns of numbers stay as they are while one of words is narrowed.
        while total_width(widths) > room:
            narrowed = [column for column, width in enumerate(widths) if width > floors[column]]
            if not narrowed:
                break
            widths[max(narrowed, key=widths.__getitem__)] -= 1
    return widths


def total_width(widths: Sequence[int]) -> int:
    """The width of a row."""
    return sum(widths) + GAP * max(0, len(widths) - 1)


def count_fitting(widths: Sequence[int], room: int) -> int:
    """How many columns fit in `room`, at least one of any."""
    count = len(widths)
    while count > 1 and total_width(widths[:count]) > room:
        count -= 1
    return count


def wrapped_row(cells: Sequence[str], widths: Sequence[int]) -> list[str]:
    """The lines of a row, at least one: each cell wrapped in the width of its column."""
    wrapped = [wrap_text(cell, max(1, width)) for cell, width in zip(cells, widths, strict=False)]
    lines: list[str] = []
    for y in range(max(map(len, wrapped), default=0)):
        texts = [column[y] if y < len(column) else "" for column in wrapped]
        padded = (text + " " * (width - width_of(text)) for text, width in zip(texts, widths, strict=False))
        lines.append((" " * GAP).join(padded).rstrip())
    return lines or [""]
