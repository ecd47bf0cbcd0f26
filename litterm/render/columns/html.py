"""A table of columns as one HTML file that needs nothing else: no script, no font, no image, nothing fetched."""

from __future__ import annotations

from collections.abc import Iterator

from litterm.model.columns import ColumnRow, ColumnTable, ColumnValue
from litterm.model.paper import Paper
from litterm.render.columns.words import (
    BY_HAND,
    audit_words,
    by_words,
    cell_words,
    shown_values,
    state_words,
    value_words,
    why_words,
)
from litterm.render.html_page import escape_line, page_head
from litterm.render.matrix.html import STYLE, link, paper_address, quote_address
from litterm.render.matrix.words import byline
from litterm.render.names import day_and_time
from litterm.text.plural import count_phrase


def dumps(table: ColumnTable) -> str:
    """The report: the table, each value with its sentence and a link to its place, then the audit."""
    request = table.request
    query = f"query <b>{escape_line(request.query)}</b>, " if request.query else ""
    parts = [
        *page_head("Columns", request.query or request.columns[0], STYLE),
        "<h1>Columns</h1>",
        f"<p>{count_phrase(len(table.rows), 'paper')}, {query}{escape_line(day_and_time(table.begun_at))}, "
        f"{state_words(table)}. Boxed values are yours; all others stand in the sentence below them.</p>",
        "<table><thead><tr><th>paper</th>",
        *(f"<th>{escape_line(name)}</th>" for name in request.columns),
        "</tr></thead><tbody>",
        *(part for row in table.rows for part in _row(row)),
        "</tbody></table>",
        "<h2>Audit</h2><ul>",
        *(f"<li>{escape_line(audit_words(run))}</li>" for run in table.runs),
        "</ul></body></html>",
    ]
    return "\n".join(parts) + "\n"


def _row(row: ColumnRow) -> Iterator[str]:
    paper = row.paper
    if paper is None:
        yield f"<tr><th>{escape_line(row.paper_id)}</th>"
    else:
        title = link(escape_line(paper.title), paper_address(paper))
        yield f"<tr><th>{title}<small>{escape_line(byline(paper))}</small></th>"
    yield from (_cell(row, column) for column in range(len(row.cells)))
    yield "</tr>"


def _cell(row: ColumnRow, column: int) -> str:
    values = shown_values(row, column)
    if not values:
        why = escape_line(why_words(row.cells[column]))
        return f'<td class="missing" title="{why}">{escape_line(cell_words(row, column))}</td>'
    by = by_words(row, column)
    shown = "".join(_value(row.paper, value, by_hand=by == BY_HAND) for value in values)
    return f'<td class="strong">{shown}<small>{escape_line(by)}</small></td>'


def _value(paper: Paper | None, value: ColumnValue, *, by_hand: bool) -> str:
    words = escape_line(value_words(value))
    shown = f'<b class="decided">{words}</b>' if by_hand else f"<b>{words}</b>"
    source = value.source
    if source is None or paper is None:
        return shown
    place = link(escape_line(source.locator), quote_address(paper, source))
    return f"{shown}<q>{escape_line(source.text)}</q><cite>{place}</cite>"
