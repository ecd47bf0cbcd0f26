"""The state of the matrix pane, and new states with another cell or other decisions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from litterm.model.matrix import Matrix, MatrixCell, MatrixRow
from litterm.model.paper import PaperId


@dataclass(frozen=True, slots=True)
class MatrixState:
    """A matrix as shown."""

    matrix: Matrix | None = None
    only: str = ""
    """In-place filter: rows without this text in title or quotes are not shown."""
    chosen: frozenset[PaperId] = field(default=frozenset())
    """Selected rows: a decision is for all of them."""
    mark: str = ""
    """How far the model whose stances these are agrees with people; empty without stances."""

    @property
    def key(self) -> str:
        """The id of the matrix; empty without one."""
        return self.matrix.id if self.matrix else ""

    @property
    def hypotheses(self) -> Sequence[str]:
        """The columns, in order."""
        return self.matrix.request.hypotheses if self.matrix else ()

    def shown(self) -> Sequence[MatrixRow]:
        """The rows that the filter lets through."""
        if self.matrix is None:
            return ()
        needle = self.only.casefold()
        return [row for row in self.matrix.rows if needle in _text(row)] if needle else self.matrix.rows

    def number(self, row: MatrixRow) -> int:
        """From 1, in the order of the request."""
        papers = self.matrix.request.papers if self.matrix else ()
        return papers.index(row.paper_id) + 1 if row.paper_id in papers else 0


def _text(row: MatrixRow) -> str:
    title = row.paper.title if row.paper else row.paper_id
    quotes = (cell.closest_quote.text for cell in row.cells if cell and cell.quotes)
    return " ".join((title, *quotes)).casefold()


def with_cell(matrix: Matrix, cell: MatrixCell) -> Matrix:
    """`matrix` with a cell that has just been computed; unchanged if it has no such row or column."""
    if cell.paper_id not in matrix.request.papers or cell.hypothesis not in matrix.request.hypotheses:
        return matrix
    row_index = matrix.request.papers.index(cell.paper_id)
    column = matrix.request.hypotheses.index(cell.hypothesis)
    row = matrix.rows[row_index]
    cells = (*row.cells[:column], cell, *row.cells[column + 1 :])
    return replace(matrix, rows=(*matrix.rows[:row_index], replace(row, cells=cells), *matrix.rows[row_index + 1 :]))
