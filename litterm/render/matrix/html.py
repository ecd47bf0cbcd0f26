"""A matrix as one HTML file that needs nothing else: no script, no font, no image, nothing fetched."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from urllib.parse import quote as percent

from litterm.model.matrix import CellDecision, CellQuote, Matrix, MatrixCell, MatrixRow
from litterm.model.paper import Paper
from litterm.render.closeness import sentence_words
from litterm.render.matrix.style import STYLE
from litterm.render.matrix.words import audit_words, byline, cell_words, columns_of, stance_words, state_words
from litterm.render.moment import day_and_time
from litterm.text.escape import plain
from litterm.text.plural import counted

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_PLACES = (
    ("acl:", "https://aclanthology.org/{}"),
    ("pmc:", "https://pmc.ncbi.nlm.nih.gov/articles/{}/"),
    ("arxiv:", "https://arxiv.org/abs/{}"),
    ("doi:", "https://doi.org/{}"),
    ("pmid:", "https://pubmed.ncbi.nlm.nih.gov/{}/"),
    ("iclr:", "https://openreview.net/forum?id={}"),
)
_FRAGMENT_WORDS = 8


def dumps(matrix: Matrix) -> str:
    """The report: grid, then every quote with a link to its section or page, then the audit."""
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="referrer" content="no-referrer">',
        f"<title>Evidence matrix: {_text(_subject(matrix))}</title>",
        f"<style>{STYLE}</style></head><body>",
        *_head(matrix),
        *_grid(matrix),
        *_details(matrix),
        "<h2>Audit</h2><ul>",
        *(f"<li>{_text(audit_words(run))}</li>" for run in matrix.runs),
        "</ul></body></html>",
    ]
    return "\n".join(parts) + "\n"


def _text(text: str) -> str:
    return escape(plain(text), quote=True)


def _subject(matrix: Matrix) -> str:
    return matrix.request.query or matrix.request.hypotheses[0]


def _head(matrix: Matrix) -> Iterator[str]:
    request = matrix.request
    yield "<h1>Evidence matrix</h1>"
    asked = f"query <b>{_text(request.query)}</b>, " if request.query else ""
    begun = _text(day_and_time(matrix.begun_at))
    yield (
        f"<p>{counted(len(matrix.rows), 'paper')}, {asked}{begun}, {state_words(matrix)}, "
        f"at most {counted(request.k, 'sentence')} a cell. "
        "Boxed labels are your decisions; everything else is automatic.</p>"
    )
    yield "<ol>"
    yield from (f"<li>{_text(text)}</li>" for _, text in columns_of(matrix))
    yield "</ol>"


def _grid(matrix: Matrix) -> Iterator[str]:
    yield "<table><thead><tr><th>paper</th>"
    yield from (f'<th title="{_text(text)}">H{number}</th>' for number, text in columns_of(matrix))
    yield "</tr></thead><tbody>"
    for number, row in enumerate(matrix.rows, 1):
        yield f"<tr><th>{_title(row)}</th>"
        for column, (cell, decision) in enumerate(zip(row.cells, row.decisions, strict=True), 1):
            yield _cell(cell, decision, f"r{number}h{column}")
        yield "</tr>"
    yield "</tbody></table>"


def _title(row: MatrixRow) -> str:
    if row.paper is None:
        return _text(row.paper_id)
    return f"{_linked(_text(row.paper.title), address(row.paper))}<small>{_text(byline(row.paper))}</small>"


def _linked(shown: str, target: str) -> str:
    return f'<a href="{escape(target, quote=True)}" rel="noopener noreferrer">{shown}</a>' if target else shown


def _cell(cell: MatrixCell | None, decision: CellDecision | None, anchor: str) -> str:
    kind = "missing" if cell is None else cell.verdict if cell.empty is None else "nothing"
    said = _text(cell_words(cell))
    decided = f' <b class="decided">{decision}</b>' if decision else ""
    if cell is None or not cell.quotes:
        why = f' title="{_text(cell.why)}"' if cell and cell.why else ""
        return f'<td class="{kind}"{why}>{said}{decided}</td>'
    stance = f" <i>{_text(stance_words(cell))}</i>" if stance_words(cell) else ""
    best = cell.closest
    return (
        f'<td class="{kind}"><a href="#{anchor}">{said}</a>{stance}{decided}'
        f"<q>{_text(best.text)}</q><cite>{_text(best.locator)}</cite></td>"
    )


def _details(matrix: Matrix) -> Iterator[str]:
    yield "<h2>Quotes</h2>"
    for number, row in enumerate(matrix.rows, 1):
        for column, hypothesis in columns_of(matrix):
            cell = row.cells[column - 1]
            if cell is not None and cell.quotes and row.paper is not None:
                yield f'<article id="r{number}h{column}"><h3>{_title(row)}</h3>'
                yield f"<p>H{column} {_text(hypothesis)}: {_text(cell_words(cell))}. {_text(cell.why)}</p>"
                yield from (_quote(row.paper, each) for each in cell.quotes)
                yield "</article>"


def _quote(paper: Paper, each: CellQuote) -> str:
    said = [sentence_words(each.strength), each.stance or "", each.reason]
    machine = _text(" · ".join(part for part in said if part))
    place = _linked(_text(each.locator), place_of(paper, each))
    return f"<blockquote>{_text(each.text)}<footer>{place} <small>{machine}</small></footer></blockquote>"


def address(paper: Paper) -> str:
    """Where the paper is on the web: its own first web address, else the one its id tells; empty without either."""
    own = (url for url in paper.urls if url.startswith(("https://", "http://")))
    known = (
        form.format(percent(each.removeprefix(scheme), safe="/:;()._-"))
        for each in (paper.id, *paper.aliases)
        for scheme, form in _PLACES
        if each.startswith(scheme)
    )
    return next(own, "") or next(known, "")


def place_of(paper: Paper, each: CellQuote) -> str:
    """The address of a quote: the page of the PDF where both are known, else the place of its first words."""
    pdf = _pdf(paper)
    if each.page is not None and pdf:
        return f"{pdf}#page={each.page}"
    landing = address(paper)
    if not landing or landing.lower().endswith(".pdf"):
        return landing
    start = " ".join(plain(each.text).split()[:_FRAGMENT_WORDS])
    # A dash joins words and a comma parts of the fragment: both would mean something else there.
    return f"{landing}#:~:text={percent(start, safe='').replace('-', '%2D')}"


def _pdf(paper: Paper) -> str:
    own = (url for url in paper.urls if url.startswith(("https://", "http://")) and url.lower().endswith(".pdf"))
    acl = (each.removeprefix("acl:") for each in (paper.id, *paper.aliases) if each.startswith("acl:"))
    made = (f"https://aclanthology.org/{percent(key)}.pdf" for key in acl)
    return next(own, "") or next(made, "")
