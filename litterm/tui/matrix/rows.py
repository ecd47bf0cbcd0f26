"""Rows of the matrix as lines: one line with a cell for each hypothesis, more under the cursor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from litterm.model.evidence import ABSTRACT_ONLY_CAVEAT
from litterm.model.matrix import CellDecision, MatrixCell, MatrixRow
from litterm.render.closeness import STANCE_UNCLEAR, cell_stance_words, cell_strength_words
from litterm.render.matrix.words import BRIEF_EMPTY_CELL_WORDS, byline, cell_words, is_judged
from litterm.text.escape import plain
from litterm.text.terminal_width import clip, pad, width_of, wrap_text
from litterm.tui.state import MarkRole
from litterm.tui.widgets.glyphs import Glyphs
from litterm.tui.widgets.styled_lines import Line, Piece, line

LEAD_WIDTH = 6
"""Cells before the title: bar, selection, number, blank."""
MIN_CELL_WIDTH, MIN_TITLE_WIDTH, MAX_TITLE_WIDTH = 22, 18, 46
WIDE_CELL_WIDTH, WIDE_TITLE_WIDTH = 50, 90
MAX_QUOTE_LINES, MAX_TITLE_LINES = 3, 3


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
    """Fits as many of `columns` as possible into `width`, including `column`; keeps `first` if possible."""
    title = max(min(MIN_TITLE_WIDTH, width // 2), min(MAX_TITLE_WIDTH, width * 3 // 10))
    # Where there are few hypotheses the titles get what the cells do not need.
    title = max(title, min(WIDE_TITLE_WIDTH, width - columns * WIDE_CELL_WIDTH))
    column_count = max(1, min(columns, (width - title) // MIN_CELL_WIDTH))
    # Scrolled by as little as brings the cursor's column in.
    first = max(min(first, column, columns - column_count), column - column_count + 1, 0)
    return Grid(title, max(1, (width - title) // column_count), first, column_count)


def header_lines(hypotheses: Sequence[str], column: int, grid: Grid, glyphs: Glyphs) -> tuple[Line, ...]:
    """Two header lines: number and text of each hypothesis, and how many columns are out of sight."""
    hidden = len(hypotheses) - grid.shown
    columns_words = f"{grid.first + 1}-{grid.first + grid.shown} of {len(hypotheses)}, h l" if hidden else ""
    texts = [_head(column_index, hypotheses[column_index], grid.cell - 2) for column_index in grid.columns]
    lines: list[Line] = []
    for y in range(2):
        title_text = pad(f" {columns_words}" if y == 0 else "", grid.title, glyphs.ellipsis)
        pieces: list[Piece] = [(title_text, "muted")]
        for column_index, heading in zip(grid.columns, texts, strict=True):
            role = "title" if column_index == column else "muted"
            pieces.append((pad(heading[y] if y < len(heading) else "", grid.cell, glyphs.ellipsis), role))
        lines.append(line(*pieces))
    return tuple(lines)


def _head(column: int, hypothesis: str, room: int) -> list[str]:
    return wrap_text(f"H{column + 1} {plain(hypothesis)}", max(4, room), lines=2)


def folded_line(drawn_row: MatrixLine, grid: Grid, glyphs: Glyphs) -> tuple[Line, ...]:
    """One line."""
    room = max(1, grid.title - LEAD_WIDTH - 1)
    pieces = [
        *_lead(drawn_row, glyphs, under_cursor=False),
        (pad(clip(_title(drawn_row.row), room, glyphs.ellipsis), room + 1), ""),
    ]
    for column in grid.columns:
        pieces += _brief_words(drawn_row.row.cells[column], drawn_row.row.decisions[column], grid.cell, glyphs)
    return (line(*pieces),)


def unfolded_lines(drawn_row: MatrixLine, grid: Grid, glyphs: Glyphs, *, under_cursor: bool = True) -> tuple[Line, ...]:
    """Title, byline and in every cell the counts, the best sentence, and where it is."""
    room = max(4, grid.title - LEAD_WIDTH - 1)
    title_lines: list[Piece] = [
        (text, "title") for text in wrap_text(_title(drawn_row.row), room, lines=MAX_TITLE_LINES)
    ]
    if drawn_row.row.paper:
        title_lines += [(text, "muted") for text in wrap_text(plain(byline(drawn_row.row.paper)), room, lines=2)]
    cells = [
        _full_words(drawn_row.row.cells[column], drawn_row.row.decisions[column], grid.cell - 2, glyphs)
        for column in grid.columns
    ]
    lines: list[Line] = []
    for y in range(max(len(title_lines), *(len(cell) for cell in cells))):
        lead = _lead(drawn_row, glyphs, under_cursor=under_cursor) if y == 0 else [(" " * LEAD_WIDTH, "")]
        text, role = title_lines[y] if y < len(title_lines) else ("", "")
        pieces = [*lead, (pad(text, grid.title - LEAD_WIDTH, glyphs.ellipsis), role)]
        for column, cell in zip(grid.columns, cells, strict=True):
            pieces += _pad_cell(
                cell[y] if y < len(cell) else (), grid.cell, current=under_cursor and column == drawn_row.column
            )
        lines.append(line(*pieces))
    return tuple(lines)


def _pad_cell(content: Line, width: int, *, current: bool) -> list[Piece]:
    """The line of a cell, padded to its width and marked if the cell is current."""
    used = sum(width_of(text) for text, _ in content)
    filled = [*content, (" " * max(0, width - 1 - used), "")]
    return [*((text, f"{role} chosen".strip() if current else role) for text, role in filled), (" ", "")]


def _lead(drawn_row: MatrixLine, glyphs: Glyphs, *, under_cursor: bool) -> list[Piece]:
    chosen = (glyphs.chosen if drawn_row.chosen else " ", "accent")
    number = (f"{drawn_row.number:>3} ", "accent" if drawn_row.chosen else "muted")
    return [(glyphs.bar if under_cursor else " ", "bar"), chosen, number]


def _title(row: MatrixRow) -> str:
    return plain(row.paper.title if row.paper else row.paper_id) or "(no title)"


def cell_role(cell: MatrixCell | None, decision: CellDecision | None) -> MarkRole | None:
    """The mark of a cell: the user's decision, or else the computed verdict; `None` if there is neither."""
    if decision is not None:
        return decision
    if cell is None or not cell.quotes:
        return None
    return "strong" if cell.verdict == "strong" else "proposed"


def _mark(cell: MatrixCell | None, decision: CellDecision | None, glyphs: Glyphs) -> Piece:
    role = cell_role(cell, decision)
    return (f"{glyphs.mark(role)} ", f"{role} mark") if role else ("  ", "")


def _brief_words(cell: MatrixCell | None, decision: CellDecision | None, width: int, glyphs: Glyphs) -> list[Piece]:
    mark = _mark(cell, decision, glyphs)
    room = max(1, width - 3)
    if cell is None:
        return [mark, (pad(glyphs.ellipsis, room + 1, glyphs.ellipsis), "muted")]
    if not cell.quotes:
        return [
            mark,
            (pad(BRIEF_EMPTY_CELL_WORDS[cell.empty] if cell.empty else "", room + 1, glyphs.ellipsis), "muted"),
        ]
    text = clip(_brief_judgement(cell, room), room, glyphs.ellipsis)
    quote = clip(plain(cell.closest_quote.text), max(0, room - width_of(text)), glyphs.ellipsis)
    fill = " " * (room + 1 - width_of(text) - width_of(quote))
    return [mark, (text, "" if cell.verdict == "strong" else "muted"), (quote, "muted"), (fill, "")]


def _brief_judgement(cell: MatrixCell, room: int) -> str:
    """How close the cell comes and its stance; in a narrow cell the stance alone, where one is known."""
    stance, count = cell_stance_words(cell), len(cell.quotes)
    # With a model's stances the closeness says nothing new and takes their room.
    if is_judged(cell):
        return f"{count}  {stance}  "
    closeness = f"{cell_strength_words(cell)} {count}"
    if width_of(closeness) + width_of(stance) + 4 <= room:
        return f"{closeness}  {stance}  "
    return f"{closeness}  " if stance == STANCE_UNCLEAR else f"{stance}  "


def _full_words(cell: MatrixCell | None, decision: CellDecision | None, width: int, glyphs: Glyphs) -> list[Line]:
    room = max(4, width - 3)
    parts = [decision or "", plain(cell_words(cell)), cell_stance_words(cell) if cell else ""]
    joined_parts = f" {glyphs.dot} ".join(part for part in parts if part)
    first, *more_lines = wrap_text(joined_parts, room, lines=2, ellipsis=glyphs.ellipsis) or [""]
    lines = [
        line(_mark(cell, decision, glyphs), (first, "muted")),
        *(line("  ", (text, "muted")) for text in more_lines),
    ]
    if cell is None:
        return lines
    best = cell.closest_quote if cell.quotes else None
    # What the words above have said already is not said again: a cell has few lines.
    joined_parts = plain(best.text if best else cell.why.removeprefix(ABSTRACT_ONLY_CAVEAT).strip())
    role = "" if best else "muted"
    lines += [
        line("  ", (text, role))
        for text in wrap_text(joined_parts, room, lines=MAX_QUOTE_LINES, ellipsis=glyphs.ellipsis)
    ]
    if best:
        lines.append(line("  ", (clip(plain(best.locator), room, glyphs.ellipsis), "muted")))
    return lines
