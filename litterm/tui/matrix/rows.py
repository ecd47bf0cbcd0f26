"""The upper half of the matrix: a line for each paper, with a sign and a count for each hypothesis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from litterm.model.matrix import CellDecision, EmptyReason, MatrixCell, MatrixRow
from litterm.render.matrix.words import is_judged
from litterm.text.escape import plain
from litterm.text.terminal_width import clip, pad, width_of, wrap_text
from litterm.tui.widgets.glyphs import Glyphs
from litterm.tui.widgets.styled_lines import Line, Piece, line

LEAD_WIDTH = 6
"""Cells before the title: bar, selection, number, blank."""
MIN_CELL_WIDTH, MAX_CELL_WIDTH = 9, 16
"""Cells of a column: decision, closeness, stance, count, accepted sentences and a blank; wider ones tell more of the
hypothesis in the head."""
MIN_TITLE_WIDTH, MAX_TITLE_WIDTH = 20, 90
"""Cells of the titles, with their lead."""
_TITLE_SHARE = 0.3
"""Of the width, where the columns leave so much."""

FOR, AGAINST = "+", "-"
"""The stance of a cell; both sets of marks have them."""
_EMPTY_SIGNS: Final[dict[EmptyReason, str]] = {
    "nothing found": "none",
    "abstract only": "none",
    "too short": "unclear",
    "not in library": "unclear",
    "not open": "unclear",
    "parse failed": "failed",
    "failed": "failed",
}


@dataclass(frozen=True, slots=True)
class Grid:
    """Which columns are on the screen and how wide everything is, in terminal cells."""

    title: int
    """With its lead."""
    cell: int
    first: int
    """The first column shown."""
    shown: int
    """How many columns are; at least one where there is any."""

    @property
    def columns(self) -> range:
        """The columns shown, by index."""
        return range(self.first, self.first + self.shown)


@dataclass(frozen=True, slots=True)
class MatrixLine:
    """One row of the matrix and its state: number, selection, current column."""

    number: int
    row: MatrixRow
    chosen: bool
    column: int
    """The column of the cursor."""


def fit_grid(width: int, columns: int, column: int, first: int) -> Grid:
    """Fits all `columns` into `width`, or as many as possible, including `column`; keeps `first` if possible."""
    columns_at_most = max(1, (width - min(MIN_TITLE_WIDTH, width // 2)) // MIN_CELL_WIDTH)
    column_count = max(1, min(columns, columns_at_most))
    room = width - max(min(MIN_TITLE_WIDTH, width // 2), int(width * _TITLE_SHARE))
    cell = max(MIN_CELL_WIDTH, min(MAX_CELL_WIDTH, room // column_count))
    title = max(1, min(MAX_TITLE_WIDTH, width - cell * column_count))
    # Scrolled by as little as brings the cursor's column in.
    first = max(min(first, column, columns - column_count), column - column_count + 1, 0)
    return Grid(title, cell, first, column_count)


def header_lines(hypotheses: Sequence[str], column: int, grid: Grid, glyphs: Glyphs) -> tuple[Line, ...]:
    """Two header lines: number and beginning of each hypothesis, and how many columns are out of sight."""
    hidden = len(hypotheses) - grid.shown
    columns_words = f"{grid.first + 1}-{grid.first + grid.shown} of {len(hypotheses)}, h l" if hidden else ""
    lines: list[Line] = []
    for y in range(2):
        title_text = pad(f" {columns_words}" if y == 0 else "", grid.title, glyphs.ellipsis)
        pieces: list[Piece] = [(title_text, "muted")]
        for index in grid.columns:
            # Not by colour alone: the column of the cursor has the bar of its row.
            current, role = (glyphs.bar, "title") if index == column else ("", "muted")
            text = f"{current}H{index + 1} {plain(hypotheses[index])}"
            heading = wrap_text(text, max(4, grid.cell - 1), lines=2, ellipsis=glyphs.ellipsis)
            pieces.append((pad(heading[y] if y < len(heading) else "", grid.cell, glyphs.ellipsis), role))
        lines.append(line(*pieces))
    return tuple(lines)


def row_line(drawn_row: MatrixLine, grid: Grid, glyphs: Glyphs, *, under_cursor: bool) -> Line:
    """A paper: its title, and for every hypothesis shown the signs of the cell."""
    room = max(1, grid.title - LEAD_WIDTH - 1)
    title = pad(clip(paper_title(drawn_row.row), room, glyphs.ellipsis), room + 1)
    pieces: list[Piece] = [*_lead(drawn_row, glyphs, under_cursor=under_cursor), (title, "")]
    for column in grid.columns:
        is_current = under_cursor and column == drawn_row.column
        signs = cell_signs(drawn_row.row, column, glyphs)
        pieces += [(text, f"{role} chosen".strip() if is_current else role) for text, role in signs]
        pieces.append((" " * (grid.cell - sum(width_of(text) for text, _ in signs)), ""))
    return line(*pieces)


def _lead(drawn_row: MatrixLine, glyphs: Glyphs, *, under_cursor: bool) -> list[Piece]:
    chosen = (glyphs.chosen if drawn_row.chosen else " ", "accent")
    number = (f"{drawn_row.number:>3} ", "accent" if drawn_row.chosen else "muted")
    return [(glyphs.bar if under_cursor else " ", "bar"), chosen, number]


def paper_title(row: MatrixRow) -> str:
    """The title of a row, or else what its paper was asked for by."""
    return plain(row.paper.title if row.paper else row.paper_id) or "(no title)"


def cell_signs(row: MatrixRow, column: int, glyphs: Glyphs) -> list[Piece]:
    """A cell in eight cells: decision, closeness, stance, count of sentences, and how many of them are accepted."""
    cell, accepted = row.cells[column], len(row.accepted_in(column))
    count = len(cell.quotes) if cell else 0
    return [
        _decision_sign(row.decisions[column], glyphs),
        _closeness_sign(cell, glyphs),
        _stance_sign(cell, glyphs),
        (f"{min(count, 99):>2}" if count else "  ", ""),
        (_accepted_words(accepted, glyphs), "accepted mark" if accepted else ""),
    ]


def _accepted_words(count: int, glyphs: Glyphs) -> str:
    return f" {glyphs.accepted}{count if count < 10 else FOR}" if count else "   "


def _decision_sign(decision: CellDecision | None, glyphs: Glyphs) -> Piece:
    return (glyphs.mark(decision), f"{decision} mark") if decision else (" ", "")


def _closeness_sign(cell: MatrixCell | None, glyphs: Glyphs) -> Piece:
    if cell is None:
        return glyphs.ellipsis, "muted"
    if cell.empty is not None:
        sign = _EMPTY_SIGNS[cell.empty]
        return glyphs.closeness_mark(sign), "warning" if sign == "failed" else "muted"
    # A model has read the sentences: how close their words come says nothing more.
    if is_judged(cell):
        return " ", ""
    closest = cell.closest_quote.strength
    return glyphs.closeness_mark(closest), "strong mark" if closest == "strong" else "proposed mark"


def _stance_sign(cell: MatrixCell | None, glyphs: Glyphs) -> Piece:
    if cell is None or not cell.quotes:
        return " ", ""
    stances = {quote.stance or (quote.likely_stance.stance if quote.likely_stance else None) for quote in cell.quotes}
    # Where a model has judged, the wording says nothing more.
    if is_judged(cell):
        stances = {quote.stance for quote in cell.quotes}
    is_for, is_against = "supports" in stances, "refutes" in stances
    if is_for and is_against:
        return glyphs.both, "warning mark"
    if is_for:
        return FOR, "strong mark"
    if is_against:
        return AGAINST, "warning mark"
    # Context: a model has found neither.
    return (glyphs.closeness_mark("weak"), "proposed mark") if is_judged(cell) else (" ", "")


def legend(glyphs: Glyphs) -> tuple[tuple[str, str], ...]:
    """The signs of the cells with their words, those that most need words first."""
    return (
        (glyphs.closeness_mark("strong"), "on topic"),
        (glyphs.closeness_mark("medium"), "partly"),
        (glyphs.closeness_mark("weak"), "mentions"),
        (glyphs.closeness_mark("none"), "none"),
        (glyphs.closeness_mark("unclear"), "cannot tell"),
        (FOR, "supports"),
        (AGAINST, "refutes"),
        (glyphs.both, "both"),
        (glyphs.accepted, "accepted"),
        (glyphs.rejected, "rejected"),
    )
