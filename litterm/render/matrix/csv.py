"""A matrix as CSV: one line per cell, safe to open in a spreadsheet and to send round for decisions."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator

from litterm.model.matrix import CellDecision, Matrix, MatrixCell, MatrixRow
from litterm.render.bibliography.keys import CitationKeys
from litterm.render.closeness import cell_stance_words, cell_strength_words
from litterm.render.names import listed_names, status_warning
from litterm.text.escape import plain

COLUMNS = (
    "paper", "key", "title", "authors", "year", "venue", "standing", "hypothesis", "decision",
    "verdict", "confidence", "sentences", "strong", "stance", "ground", "reason", "why",
    "quote", "section", "page", "locator", "matrix", "date", "version", "method", "k", "calls", "cost", "closeness",
    "accepted",
)  # fmt: skip
"""`decision` and `accepted` (how many sentences) are a person's, all between them the machine's.

What came later stands last: older readers count columns.
"""

# What a spreadsheet takes for a formula, also behind blanks and in full width.
_FORMULA_START = re.compile(r"\s*[=+\-@\uff1d\uff0b\uff0d\uff20]")


def dumps(matrix: Matrix, citation_keys: CitationKeys, *, blind: bool = False) -> str:
    """A header, then a line for every paper and hypothesis, empty cells too.

    With `blind` the user's decisions are left out, so that a co-author decides without having seen them.
    """
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(COLUMNS)
    papers = [row.paper for row in matrix.rows if row.paper]
    keys = citation_keys.keys_of(papers)
    for row in matrix.rows:
        key = keys[row.paper.id] if row.paper else ""
        fields = [row.paper_id, key, *_paper_fields(row)]
        for index, hypothesis in enumerate(matrix.request.hypotheses):
            decision = None if blind else row.decisions[index]
            cell = row.cells[index]
            # Every fact on every line: a spreadsheet sorts and filters lines, and a co-author may delete some.
            line = [
                *fields,
                hypothesis,
                *_decision_field(decision),
                *_cell_fields(cell),
                *_run_fields(matrix, cell),
                *_closeness_field(cell),
                *_accepted_field(row, index, blind=blind),
            ]
            writer.writerow([escape_formula(value) for value in line])
    return file.getvalue()


def escape_formula(value: str) -> str:
    """`value` on one line and, if a spreadsheet would act on it, behind an apostrophe."""
    shown = plain(value)
    return f"'{shown}" if _FORMULA_START.match(shown) else shown


def _paper_fields(row: MatrixRow) -> Iterator[str]:
    paper = row.paper
    if paper is None:
        yield from ("", "", "", "", "")
        return
    yield paper.title
    yield "; ".join(listed_names(paper))
    yield str(paper.year or "")
    yield paper.venue
    yield status_warning(paper)


def _decision_field(decision: CellDecision | None) -> Iterator[str]:
    yield decision or ""


def _cell_fields(cell: MatrixCell | None) -> Iterator[str]:
    if cell is None:
        # A cell that is not there has its line too, so that a co-author can decide on it.
        yield from ("", "", "", "", "", "", "not computed", "", "", "", "", "")
        return
    best = cell.closest_quote if cell.quotes else None
    yield cell.verdict
    yield "" if cell.confidence is None else f"{cell.confidence:.2f}"
    yield str(len(cell.quotes))
    yield str(cell.strong_count)
    yield cell_stance_words(cell)
    yield cell.ground
    yield cell.empty or ""
    yield cell.why
    yield best.text if best else ""
    yield best.section if best else ""
    yield str(best.page) if best and best.page is not None else ""
    yield best.locator if best else ""


def _closeness_field(cell: MatrixCell | None) -> Iterator[str]:
    """The cell's word as on the screen and in the other formats; the column `reason` says why there is none."""
    yield "" if cell is None or cell.empty is not None else cell_strength_words(cell)


def _accepted_field(row: MatrixRow, column: int, *, blind: bool) -> Iterator[str]:
    count = len(row.accepted_in(column))
    yield str(count) if count and not blind else ""


def _run_fields(matrix: Matrix, cell: MatrixCell | None) -> Iterator[str]:
    # The run that computed a cell: the newest that began no later than the cell was written.
    run = next((earlier for earlier in reversed(matrix.runs) if cell and earlier.at <= cell.at), None)
    yield matrix.id
    yield cell.at if cell else ""
    yield run.version if run else ""
    yield cell.by if cell else ""
    yield str(matrix.request.k)
    yield str(cell.spent.calls) if cell else ""
    yield "" if cell is None or cell.spent.dollars is None else f"{cell.spent.dollars:.4f}"
