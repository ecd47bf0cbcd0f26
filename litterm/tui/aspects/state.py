"""The state of the aspects of the query: one frozen object, drawn by the strip and the results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from litterm.model.aspects import AspectCell, AspectCoverage, AspectQuery, AspectScores
from litterm.model.paper import PaperId
from litterm.render.aspects import cell_state, total_words
from litterm.text.terminal_width import width_of
from litterm.tui.widgets.glyphs import Glyphs
from litterm.tui.widgets.styled_lines import Piece

ROLES: Mapping[str, str] = {
    "met": "accent",
    "partly": "match",
    "not": "muted",
    "muted": "muted",
    "unread": "warning",
    "unknown": "",
}
WIDE_ROW_WIDTH = 100
"""Cells of a row from which its marks stand apart."""
_TOTAL_WIDTH = 5


@dataclass(frozen=True, slots=True)
class AspectsState:
    """The aspects of a query, and the scores of the papers found."""

    text: str = ""
    """The query they are of, as typed."""
    query: AspectQuery = field(default=AspectQuery())
    scores: AspectScores = field(default=AspectScores())
    busy: str = ""
    """What is being waited for; empty when nothing is."""
    mark: str = ""
    """How far the model that graded agrees with people; empty while it has not graded."""
    blind: bool = False
    """Whether the model's grades are hidden of what the user has not graded."""

    @property
    def shown(self) -> bool:
        """Whether there are aspects."""
        return bool(self.query.aspects)


@dataclass(frozen=True, slots=True)
class CoverageMatrix:
    """The coverage matrix of the results: one row per paper, one column per aspect."""

    query: AspectQuery = field(default=AspectQuery())
    rows: Mapping[PaperId, AspectCoverage] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def columns(self) -> int:
        """How many aspects there are; 0 where there is no matrix."""
        return len(self.query.aspects)

    def width(self, room: int) -> int:
        """The width of the column of marks and total in a row of `room` cells; 0 without a matrix."""
        return self._marks(room) + 2 + _TOTAL_WIDTH if self.columns else 0

    def heads(self, room: int) -> str:
        """The numbers of the aspects, above their marks."""
        return _gap(room).join(str(number) for number in range(1, self.columns + 1)).ljust(self.width(room))

    def pieces(self, paper_id: PaperId, room: int, glyphs: Glyphs, *, aligned: bool = True) -> list[Piece]:
        """A mark for each aspect and their total, in `width` cells; grades stand out from scores.

        Not `aligned`, the sum follows at once and what is relevant says so: for a line of its own.
        """
        row = self.rows.get(paper_id)
        if row is None:
            return [(" " * self.width(room), "")]
        pieces: list[Piece] = []
        for aspect, cell in zip(self.query.aspects, row.cells, strict=True):
            state = cell_state(cell, muted=aspect.muted)
            graded = " mark" if cell.grade is not None and not aspect.muted else ""
            pieces += [(glyphs.coverage_mark(state), ROLES[state] + graded), (_gap(room), "")]
        # A sum over some of the aspects would look like one over all of them.
        waits = any(
            cell == AspectCell() and not asked_aspect.muted
            for asked_aspect, cell in zip(self.query.aspects, row.cells, strict=True)
        )
        total = "" if waits else total_words(row)
        total = total.rjust(_TOTAL_WIDTH) if aligned else total + (" relevant" if row.relevant else "")
        return [*pieces[:-1], ("  ", ""), (total, "accent" if row.relevant else "muted")]

    def _marks(self, room: int) -> int:
        return self.columns + (self.columns - 1) * len(_gap(room))


def _gap(room: int) -> str:
    return " " if room >= WIDE_ROW_WIDTH else ""


@dataclass(frozen=True, slots=True)
class ChipPlace:
    """Where a chip is in the strip."""

    line: int
    start: int
    text: str


def lay_out_chips(labels: Sequence[str], width: int) -> list[ChipPlace]:
    """Chips in lines of `width` cells, a blank between them."""
    chips: list[ChipPlace] = []
    line, column = 0, 0
    for label in labels:
        cells = width_of(label)
        if column and column + cells > width:
            line, column = line + 1, 0
        chips.append(ChipPlace(line, column, label))
        column += cells + 1
    return chips
