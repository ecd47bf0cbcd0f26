"""A cache of drawn rows of the results and of their heights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from litterm.model.paper import LibraryName
from litterm.text.terminal_width import width_of
from litterm.tui.aspects.state import CoverageMatrix
from litterm.tui.search.result_rows import (
    DrawnRow,
    RowStyle,
    facts_text,
    folded_lines,
    unfolded_lines,
    wrapped_height,
    wrapped_lines,
)
from litterm.tui.state import ResultRow
from litterm.tui.widgets.glyphs import Glyphs
from litterm.tui.widgets.highlight import word_finder
from litterm.tui.widgets.styled_lines import Line

_SAMPLE_SIZE = 50
"""Rows that determine the highlighted words and the width of the venue column."""
_MIN_FACTS_WIDTH = 9


class RowCache:
    """Draws rows on demand, as a key must not wait for a thousand of them."""

    def __init__(self, drawing: RowStyle) -> None:
        self.drawing = drawing
        self._rows: Sequence[ResultRow] = ()
        self._lines: dict[tuple[int, bool], tuple[DrawnRow, tuple[Line, ...]]] = {}
        self._heights: dict[int, int] = {}

    def start_list(self, rows: Sequence[ResultRow], drawing: RowStyle) -> None:
        """Begin another list or style; cached rows are kept where neither has changed."""
        if drawing != self.drawing or rows is not self._rows:
            # Rows are known by their identity, which counts only as long as they are held.
            self._lines.clear()
            self._heights.clear()
        self.drawing, self._rows = drawing, rows

    def lines(self, index: int, row: DrawnRow) -> tuple[Line, ...]:
        """The lines of `row` at `index`."""
        key = index, row.under_cursor
        cached = self._lines.get(key)
        # Compared as a whole: notes, a verdict or the paper in the reader may have changed its look.
        if cached is None or cached[0] != row:
            cached = self._lines[key] = row, _draw_row(row, self.drawing)
        return cached[1]

    def height(self, index: int) -> int:
        """How many lines row `index` has away from the cursor."""
        if not self.drawing.beside:
            return 1 + self._rows[index].has_answer_line
        if index not in self._heights:
            self._heights[index] = wrapped_height(self._rows[index], self.drawing)
        return self._heights[index]


def _draw_row(row: DrawnRow, drawing: RowStyle) -> tuple[Line, ...]:
    if drawing.beside:
        return wrapped_lines(row, drawing)
    return (unfolded_lines if row.under_cursor else folded_lines)(row, drawing)


def row_style(
    rows: Sequence[ResultRow], width: int, glyphs: Glyphs, *, beside: bool, pinned: bool, cover: CoverageMatrix
) -> RowStyle:
    """What `rows` have in common at `width` cells."""
    words = {word for row in rows[:_SAMPLE_SIZE] for word, _ in row.matched}
    mixed = len({row.library_name for row in rows}) > 1
    facts = max((width_of(facts_text(row, glyphs, mixed=mixed)) for row in rows[:_SAMPLE_SIZE]), default=0)
    return RowStyle(
        glyphs,
        width,
        word_finder(words),
        {name: best_score(rows, name) for name in get_args(LibraryName)},
        mixed,
        facts=min(facts, max(_MIN_FACTS_WIDTH, width // 4)),
        beside=beside,
        pinned=pinned,
        cover=cover,
    )


def best_score(rows: Sequence[ResultRow], library_name: LibraryName) -> float:
    """The best score among the papers of `library_name`; 0 if there is none.

    Each is a list of its own, one below the other: a paper behind the user's that fits better still is below.
    """
    return max((row.score for row in rows if row.score is not None and row.library_name == library_name), default=0.0)
