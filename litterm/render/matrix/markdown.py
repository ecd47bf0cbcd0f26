"""A matrix as Markdown: a table, then the quotes of each hypothesis with `[@key]` and locator, then the audit."""

from __future__ import annotations

from collections.abc import Iterator

from litterm.model.matrix import Matrix, MatrixRow
from litterm.render.bibliography.keys import CitationKeys, pandoc_citation
from litterm.render.closeness import cell_stance_words, stance_label
from litterm.render.export.markdown import Quote, escape_markdown, quotes
from litterm.render.matrix.words import (
    accepted_words,
    audit_words,
    cell_words,
    numbered_hypotheses,
    other_accepted,
    state_words,
)
from litterm.render.names import day_and_time, short_authors, status_warning, venue_and_year
from litterm.text.plural import count_phrase


def dumps(matrix: Matrix, citation_keys: CitationKeys) -> str:
    """The whole report; what the user rejected, cells or sentences, is not quoted."""
    papers = [row.paper for row in matrix.rows if row.paper]
    keys = citation_keys.keys_of(papers)
    heads = ["paper", *(f"H{number}" for number, _ in numbered_hypotheses(matrix))]
    lines = ["# Evidence matrix", "", *_about(matrix), ""]
    lines += [f"- **H{number}** {escape_markdown(text)}" for number, text in numbered_hypotheses(matrix)]
    lines += ["", f"| {' | '.join(heads)} |", f"|{' --- |' * len(heads)}"]
    lines += [f"| {' | '.join(_row(row, keys[row.paper.id] if row.paper else ''))} |" for row in matrix.rows]
    lines += ["", quotes(list(_quotes(matrix)), keys)]
    lines += ["## Audit", "", *(f"- {escape_markdown(audit_words(run))}" for run in matrix.runs), ""]
    return "\n".join(lines)


def _about(matrix: Matrix) -> Iterator[str]:
    query = f"query {escape_markdown(matrix.request.query)}; " if matrix.request.query else ""
    yield f"{count_phrase(len(matrix.rows), 'paper')}; {query}{day_and_time(matrix.begun_at)}; {state_words(matrix)}."


def _row(row: MatrixRow, key: str) -> Iterator[str]:
    paper = row.paper
    if paper is None:
        yield escape_markdown(row.paper_id)
    else:
        facts = (short_authors(paper), venue_and_year(paper), status_warning(paper))
        yield f"{pandoc_citation(key)} {escape_markdown(', '.join(filter(None, (paper.title, *facts))))}"
    yield from (_cell(row, column) for column in range(len(row.cells)))


def _cell(row: MatrixRow, column: int) -> str:
    cell = row.cells[column]
    words = [cell_words(cell), cell_stance_words(cell) if cell else ""]
    decided = (f"**{mine}**" for mine in (row.decisions[column], accepted_words(row, column)) if mine)
    return " ".join(filter(None, (escape_markdown("; ".join(filter(None, words))), *decided)))


def _quotes(matrix: Matrix) -> Iterator[Quote]:
    for column, hypothesis in enumerate(matrix.request.hypotheses):
        for row in matrix.rows:
            # What the user has rejected must not be quoted by a report of theirs.
            if row.decisions[column] != "rejected":
                yield from _row_quotes(row, column, hypothesis)


def _row_quotes(row: MatrixRow, column: int, hypothesis: str) -> Iterator[Quote]:
    cell = row.cells[column]
    if cell is None or row.paper is None:
        return
    for quote in cell.quotes:
        if row.mark_on(column, quote.text) != "rejected":
            stance = stance_label(quote.stance, quote.likely_stance)
            yield Quote(row.paper, quote.text, quote.locator, quote.page, hypothesis, stance)
    yield from (Quote(row.paper, text, hypothesis=hypothesis) for text in other_accepted(row, column))
