"""A matrix, the list of matrices and a merge as plain lines: for a terminal or a pipe."""

from __future__ import annotations

from collections.abc import Sequence

from litterm.model.matrix import Agreement, CoderPair, Matrix, MatrixRow, MatrixSummary
from litterm.render.closeness import cell_stance_words
from litterm.render.lines import LineOptions
from litterm.render.matrix.words import (
    accepted_words,
    audit_words,
    byline,
    cell_words,
    numbered_hypotheses,
    summary_line,
)

_INDENT = 5
_STYLES = {"strong": "strong", "weak": "mark", "nothing": "dim", "unclear": "dim"}


def lines(matrix: Matrix, options: LineOptions) -> list[str]:
    """The hypotheses, a block for each paper with its cells, the audit."""
    rendered: list[str] = []
    for number, text in numbered_hypotheses(matrix):
        rendered += options.block(text, indent=_INDENT, first=f"H{number}", style="bold")
    for number, row in enumerate(matrix.rows, 1):
        rendered += ["", *_row(number, row, options)]
    return [*rendered, "", *(options.paint(audit_words(run), "dim") for run in matrix.runs)]


def _row(number: int, row: MatrixRow, options: LineOptions) -> list[str]:
    title = row.paper.title if row.paper else row.paper_id
    rendered = options.block(title, indent=_INDENT, first=f"{number:>3}  ", style="bold")
    if row.paper:
        rendered.append(f"     {options.text(byline(row.paper))}")
    for column in range(len(row.cells)):
        rendered += _cell(row, column, options)
    return rendered


def _cell(row: MatrixRow, column: int, options: LineOptions) -> list[str]:
    cell = row.cells[column]
    style = _STYLES[cell.verdict] if cell else "dim"
    stance = cell_stance_words(cell) if cell else ""
    words = options.join(
        [
            options.paint(cell_words(cell), style),
            options.text(stance),
            options.paint(row.decisions[column] or "", "bold"),
            options.paint(accepted_words(row, column), "bold"),
        ]
    )
    rendered = [f"     H{column + 1}  {words}"]
    # One quote: a terminal shows a matrix at a glance, and the reports have them all.
    if best := row.quote_of(column):
        rendered += options.block(f'"{best.text}"', indent=_INDENT + 4)
        rendered.append(f"{' ' * (_INDENT + 4)}{options.paint(best.locator, 'dim')}")
    return rendered


def listing(summaries: Sequence[MatrixSummary], options: LineOptions) -> list[str]:
    """One line for each matrix."""
    return [options.text(summary_line(summary)) for summary in summaries]


def agreement(agreement: Agreement, options: LineOptions) -> list[str]:
    """How far every two coders agree, then the cells they do not agree on."""
    rendered = [options.text(_pair(pair)) for pair in agreement.pairs]
    for disagreement in agreement.disagreements:
        decided = ", ".join(f"{coder}: {decision}" for coder, decision in disagreement.decisions)
        rendered += ["", options.join([options.paint(disagreement.paper_id, "bold"), options.text(decided)])]
        rendered += options.block(disagreement.hypothesis, indent=_INDENT, first=" " * _INDENT)
    return rendered


def _pair(pair: CoderPair) -> str:
    if not pair.both:
        return f"{pair.one} and {pair.other}: no cell decided by both"
    kappa = "kappa is undefined: both always gave the same answer" if pair.kappa is None else f"kappa {pair.kappa:.2f}"
    return f"{pair.one} and {pair.other}: {pair.agreed:,} of {pair.both:,} agreed, {kappa}"
