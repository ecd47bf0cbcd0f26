"""A table of columns as Markdown: the table, the sentence of each value with `[@key]` and locator, the audit."""

from __future__ import annotations

from collections.abc import Iterator

from litterm.model.columns import ColumnRow, ColumnTable
from litterm.render.bibliography.keys import CitationKeys, pandoc_citation
from litterm.render.columns.words import (
    BY_HAND,
    audit_words,
    by_words,
    cell_words,
    shown_values,
    state_words,
    value_words,
)
from litterm.render.export.markdown import Quote, escape_markdown, quotes
from litterm.render.names import day_and_time, short_authors, status_warning, venue_and_year
from litterm.text.plural import count_phrase


def dumps(table: ColumnTable, citation_keys: CitationKeys) -> str:
    """The whole table; what the user wrote is in bold."""
    keys = citation_keys.keys_of([row.paper for row in table.rows if row.paper])
    heads = ["paper", *map(escape_markdown, table.request.columns)]
    lines = ["# Columns", "", _about(table), "", f"| {' | '.join(heads)} |", f"|{' --- |' * len(heads)}"]
    lines += [f"| {' | '.join(_row(row, keys[row.paper.id] if row.paper else ''))} |" for row in table.rows]
    lines += ["", quotes(list(_quotes(table)), keys)]
    lines += ["## Audit", "", *(f"- {escape_markdown(audit_words(run))}" for run in table.runs), ""]
    return "\n".join(lines)


def _about(table: ColumnTable) -> str:
    query = f"query {escape_markdown(table.request.query)}; " if table.request.query else ""
    return f"{count_phrase(len(table.rows), 'paper')}; {query}{day_and_time(table.begun_at)}; {state_words(table)}."


def _row(row: ColumnRow, key: str) -> Iterator[str]:
    paper = row.paper
    if paper is None:
        yield escape_markdown(row.paper_id)
    else:
        facts = (short_authors(paper), venue_and_year(paper), status_warning(paper))
        yield f"{pandoc_citation(key)} {escape_markdown(', '.join(filter(None, (paper.title, *facts))))}"
    for column in range(len(row.cells)):
        words = escape_markdown(cell_words(row, column))
        yield f"**{words}**" if by_words(row, column) == BY_HAND and words else words


def _quotes(table: ColumnTable) -> Iterator[Quote]:
    for column, name in enumerate(table.request.columns):
        for row in table.rows:
            for value in shown_values(row, column):
                if row.paper is not None and value.source is not None:
                    source = value.source
                    place = f"{source.locator}: {value_words(value)}"
                    yield Quote(row.paper, source.text, place, source.page, name)
