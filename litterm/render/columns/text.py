"""A table of columns, and the list of tables, as plain lines: for a terminal or a pipe."""

from __future__ import annotations

from collections.abc import Sequence

from litterm.model.columns import ColumnRow, ColumnTable, ColumnTableSummary
from litterm.render.columns.words import audit_words, by_words, cell_words, shown_values, summary_line
from litterm.render.lines import LineOptions
from litterm.render.matrix.words import byline

_INDENT = 5


def lines(table: ColumnTable, options: LineOptions) -> list[str]:
    """A block for each paper with its values and the sentence of the first of each, then the audit."""
    rendered: list[str] = []
    for number, row in enumerate(table.rows, 1):
        title = row.paper.title if row.paper else row.paper_id
        rendered += options.block(title, indent=_INDENT, first=f"{number:>3}  ", style="bold")
        if row.paper:
            rendered.append(f"     {options.text(byline(row.paper))}")
        for column, name in enumerate(table.request.columns):
            rendered += _cell(row, column, name, options)
        rendered.append("")
    return [*rendered, *(options.paint(audit_words(run), "dim") for run in table.runs)]


def _cell(row: ColumnRow, column: int, name: str, options: LineOptions) -> list[str]:
    values = shown_values(row, column)
    words = options.join(
        [
            options.paint(cell_words(row, column), "strong" if values else "dim"),
            options.paint(by_words(row, column), "dim") if values else "",
        ]
    )
    rendered = [f"     {options.text(name)}: {words}"]
    source = next((value.source for value in values if value.source), None)
    if source is not None:
        rendered += options.block(f'"{source.text}"', indent=_INDENT + 4)
        rendered.append(f"{' ' * (_INDENT + 4)}{options.paint(source.locator, 'dim')}")
    return rendered


def listing(summaries: Sequence[ColumnTableSummary], options: LineOptions) -> list[str]:
    """One line for each table."""
    return [options.text(summary_line(summary)) for summary in summaries]
