"""A matrix in words: the same for every form of output and for the screen."""

from __future__ import annotations

from collections.abc import Sequence

from litterm.model.annotations import MarkKind
from litterm.model.evidence import NO_EVIDENCE, TOO_SHORT
from litterm.model.llm import ModelCost
from litterm.model.matrix import (
    EmptyReason,
    Matrix,
    MatrixCell,
    MatrixRow,
    MatrixRun,
    MatrixSummary,
)
from litterm.model.paper import Paper
from litterm.render.closeness import cell_strength_words
from litterm.render.cost import dollars
from litterm.render.names import short_authors, status_warning, venue_and_year
from litterm.text.plural import count_phrase

EMPTY_CELL_WORDS: dict[EmptyReason, str] = {
    "not in library": "not in the library",
    "not open": "no text available",
    "abstract only": "no evidence in the abstract; no full text",
    "parse failed": "its file could not be read",
    "nothing found": NO_EVIDENCE,
    "too short": TOO_SHORT,
    "failed": "failed; . tries again",
}


MARK_WORDS: dict[MarkKind, str] = {"accepted": "accepted", "rejected": "rejected", "hand": "marked by hand"}
"""The user's marks on sentences, in words."""


def cell_words(cell: MatrixCell | None) -> str:
    """A cell: `on topic: 2 of 4 sentences`, or why it has none; `not computed` while it is not there.

    Where a model judged, `cell_stance_words` tells how strong a cell is: nothing is counted that might contradict it.
    """
    if cell is None:
        return "not computed"
    if cell.empty is not None:
        return EMPTY_CELL_WORDS[cell.empty]
    thin = ", abstract only" if cell.ground == "abstract" else ""
    count = count_phrase(len(cell.quotes), "sentence")
    # A count of "on topic" beside stances would be a second scale in one cell.
    if is_judged(cell):
        return f"{count}{thin}"
    # The other sentences of the cell come less close than its word says.
    share = f"{cell.strong_count} of " if 0 < cell.strong_count < len(cell.quotes) else ""
    return f"{cell_strength_words(cell)}: {share}{count}{thin}"


def accepted_words(row: MatrixRow, column: int) -> str:
    """`2 sentences accepted`: how many of its sentences the user accepted; empty for none."""
    count = len(row.accepted_in(column))
    return f"{count_phrase(count, 'sentence')} accepted" if count else ""


def other_accepted(row: MatrixRow, column: int) -> tuple[str, ...]:
    """The sentences that the user accepted for a hypothesis and that are not in the cell."""
    cell = row.cells[column]
    in_cell = {quote.text for quote in cell.quotes} if cell else set()
    return tuple(text for text in row.accepted_in(column) if text not in in_cell)


def is_judged(cell: MatrixCell) -> bool:
    """Whether a model has judged sentences of the cell."""
    return any(quote.stance for quote in cell.quotes)


def row_reason(row: MatrixRow) -> str:
    """Why every cell of a row is empty, if that has one reason; else empty."""
    reasons = {cell.empty for cell in row.cells if cell}
    # Cells that are not computed yet have no reason: then nothing can be said of the whole row.
    is_one_reason = len(reasons) == 1 and None not in reasons and None not in row.cells
    return next(iter(reasons)) or "" if is_one_reason else ""


def byline(paper: Paper) -> str:
    """`Xia et al. · ACL 2022 · acl:2022.acl-long.107`, with what must be said of its standing."""
    facts = (short_authors(paper), venue_and_year(paper), paper.id, status_warning(paper))
    return " · ".join(part for part in facts if part)


def audit_words(run: MatrixRun) -> str:
    """One line of the audit: date, version, method, k, cells, cost, and how it ended."""
    by = ", ".join(run.by) or "nothing to compute with"
    cells = count_phrase(run.cells, "cell")
    scope = "" if run.scope == "all" else f" · {run.scope} only"
    return (
        f"{run.at} · litterm {run.version} · {by} · k {run.k}{scope} · {cells} · {cost_words(run.spent)} · {run.ended}"
    )


def cost_words(spent: ModelCost) -> str:
    """`no cost`, `12 calls, $0.04` or `12 calls, cost unknown`."""
    if not spent.calls:
        return "no cost"
    calls = count_phrase(spent.calls, "call")
    return f"{calls}, cost unknown" if spent.dollars is None else f"{calls}, {dollars(spent.dollars)}"


def state_words(matrix: Matrix) -> str:
    """`all 40 cells computed`, or how many of them."""
    computed, total = matrix.computed_count, matrix.cell_count
    return (
        f"all {count_phrase(total, 'cell')} computed"
        if computed >= total
        else f"{computed:,} of {total:,} cells computed"
    )


def summary_line(line: MatrixSummary) -> str:
    """A matrix in the list: id, date, size, how far it is, what it is about."""
    total = line.papers * len(line.hypotheses)
    far = "done" if line.complete else f"{line.cells:,} of {total:,} cells"
    hypotheses = " | ".join(line.hypotheses)
    query = f" · query: {line.query}" if line.query else ""
    return f"{line.id}  {line.begun_at[:16]}  {line.papers:,} x {len(line.hypotheses)}  {far}  {hypotheses}{query}"


def numbered_hypotheses(matrix: Matrix) -> Sequence[tuple[int, str]]:
    """Number (from 1) and text of each hypothesis."""
    return tuple(enumerate(matrix.request.hypotheses, 1))
