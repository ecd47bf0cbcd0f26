"""A matrix in words: the same for every form of output and for the screen."""

from __future__ import annotations

from collections.abc import Sequence

from litterm.model.evidence import Stance
from litterm.model.matrix import (
    CellDecision,
    EmptyReason,
    Matrix,
    MatrixCell,
    MatrixRow,
    MatrixRun,
    MatrixSummary,
    Spent,
)
from litterm.model.paper import Paper
from litterm.render.asking import dollars
from litterm.render.closeness import cell_closeness, stating
from litterm.render.names import short_authors, standing, venue_and_year
from litterm.text.counted import counted

REASONS: dict[EmptyReason, str] = {
    "not in library": "not in the library",
    "not open": "not open: no text to be had",
    "abstract only": "nothing in the abstract, and only that was there",
    "parse failed": "its file could not be read",
    "nothing found": "nothing found",
    "failed": "failed, to be tried again",
}

_STANCES: tuple[Stance, ...] = ("supports", "refutes", "context")


def cell_words(cell: MatrixCell | None) -> str:
    """`states it: 4 sentences, 2 state it`, or why there is none; `not computed` while it is not there.

    Where a model judged, its stances tell how strong a cell is: nothing is counted that might contradict them.
    """
    if cell is None:
        return "not computed"
    if cell.empty is not None:
        return REASONS[cell.empty]
    strong = f", {stating(cell.strong)}" if cell.strong and not stance_words(cell) else ""
    thin = ", abstract only" if cell.ground == "abstract" else ""
    return f"{cell_closeness(cell)}: {counted(len(cell.quotes), 'sentence')}{strong}{thin}"


def stance_words(cell: MatrixCell) -> str:
    """`supports 3, refutes 1`; empty where no model judged."""
    counts = ((stance, cell.stands(stance)) for stance in _STANCES)
    return ", ".join(f"{stance} {count}" for stance, count in counts if count)


def decision_words(decision: CellDecision | None) -> str:
    """A person's decision; empty while undecided."""
    return decision or ""


def row_reason(row: MatrixRow) -> str:
    """Why every cell of a row is empty, if that has one reason; else empty."""
    reasons = {cell.empty for cell in row.cells if cell}
    same = len(reasons) == 1 and None not in reasons and None not in row.cells
    return next(iter(reasons)) or "" if same else ""


def byline(paper: Paper) -> str:
    """`Xia et al. · ACL 2022 · acl:2022.acl-long.107`, with what must be said of its standing."""
    known = (short_authors(paper.authors), venue_and_year(paper), paper.id, standing(paper))
    return " · ".join(part for part in known if part)


def audit_words(run: MatrixRun) -> str:
    """One line of the audit: date, version, method, k, cells, cost, and how it ended."""
    by = ", ".join(run.by) or "nothing to compute with"
    cells = counted(run.cells, "cell")
    scope = "" if run.scope == "all" else f" · {run.scope} only"
    return (
        f"{run.at} · litterm {run.version} · {by} · k {run.k}{scope} · {cells} · {cost_words(run.spent)} · {run.ended}"
    )


def cost_words(spent: Spent) -> str:
    """`no cost`, `12 calls, $0.04` or `12 calls, cost not known`."""
    if not spent.calls:
        return "no cost"
    calls = counted(spent.calls, "call")
    return f"{calls}, cost not known" if spent.dollars is None else f"{calls}, {dollars(spent.dollars)}"


def state_words(matrix: Matrix) -> str:
    """`all 40 cells computed`, or how many of them."""
    done, total = matrix.computed, matrix.total
    return f"all {counted(total, 'cell')} computed" if done >= total else f"{done:,} of {total:,} cells computed"


def summary_line(line: MatrixSummary) -> str:
    """A matrix in the list: id, date, size, how far it is, what it is about."""
    total = line.papers * len(line.hypotheses)
    far = "done" if line.complete else f"{line.cells:,} of {total:,} cells"
    about = " | ".join(line.hypotheses)
    query = f" · query: {line.query}" if line.query else ""
    return f"{line.id}  {line.begun_at[:16]}  {line.papers:,} x {len(line.hypotheses)}  {far}  {about}{query}"


def columns_of(matrix: Matrix) -> Sequence[tuple[int, str]]:
    """Number (from 1) and text of each hypothesis."""
    return tuple(enumerate(matrix.request.hypotheses, 1))
