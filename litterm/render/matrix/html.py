"""A matrix as one HTML file that needs nothing else: no script, no font, no image, nothing fetched."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from urllib.parse import quote as percent_encoded

from litterm.model.annotations import MarkKind
from litterm.model.columns import ColumnSource
from litterm.model.matrix import CellQuote, Matrix, MatrixRow
from litterm.model.paper import Paper
from litterm.render.closeness import cell_stance_words, closeness_label, stance_label
from litterm.render.html_page import escape_line, landing_page, page_head
from litterm.render.matrix.words import (
    MARK_WORDS,
    accepted_words,
    audit_words,
    byline,
    cell_words,
    numbered_hypotheses,
    other_accepted,
    state_words,
)
from litterm.render.names import day_and_time
from litterm.text.escape import plain
from litterm.text.plural import count_phrase
from litterm.text.references.identity import paper_ids

STYLE = """
:root { color-scheme: light dark; --line: #8886; --strong: #2a78; --weak: #ca38; --person: #06c; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 80rem; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; }
th, td { border: 1px solid var(--line); padding: .4rem .6rem; text-align: left; vertical-align: top; }
thead th { position: sticky; top: 0; background: Canvas; }
tbody th { font-weight: 600; max-width: 22rem; }
small, cite { display: block; font-weight: 400; font-size: .85em; opacity: .8; }
td { border-left: 4px solid var(--line); overflow-wrap: anywhere; }
td.strong { border-left-color: var(--strong); }
td.weak { border-left-color: var(--weak); }
td.nothing, td.missing { opacity: .75; }
td q { display: block; margin-top: .3rem; }
.decided { border: 2px solid var(--person); border-radius: .3rem; padding: 0 .3rem; }
article { border-top: 1px solid var(--line); margin-top: 1rem; }
article:target { outline: 2px solid var(--person); outline-offset: .5rem; }
blockquote { margin: .6rem 0; padding-left: .8rem; border-left: 3px solid var(--line); }
footer small { display: inline; }
@media print { thead th { position: static; } article { break-inside: avoid; } }
"""


_MAX_FRAGMENT_WORDS = 8


def dumps(matrix: Matrix) -> str:
    """The report: grid, then every quote with a link to its section or page, then the audit."""
    parts = [
        *page_head("Evidence matrix", matrix.request.query or matrix.request.hypotheses[0], STYLE),
        *_introduction(matrix),
        *_grid(matrix),
        *_details(matrix),
        "<h2>Audit</h2><ul>",
        *(f"<li>{escape_line(audit_words(run))}</li>" for run in matrix.runs),
        "</ul></body></html>",
    ]
    return "\n".join(parts) + "\n"


def _introduction(matrix: Matrix) -> Iterator[str]:
    request = matrix.request
    yield "<h1>Evidence matrix</h1>"
    query = f"query <b>{escape_line(request.query)}</b>, " if request.query else ""
    start_time = escape_line(day_and_time(matrix.begun_at))
    yield (
        f"<p>{count_phrase(len(matrix.rows), 'paper')}, {query}{start_time}, {state_words(matrix)}, "
        f"at most {count_phrase(request.k, 'sentence')} a cell. "
        "Boxed labels are your decisions; everything else is automatic.</p>"
    )
    yield "<ol>"
    yield from (f"<li>{escape_line(text)}</li>" for _, text in numbered_hypotheses(matrix))
    yield "</ol>"


def _grid(matrix: Matrix) -> Iterator[str]:
    yield "<table><thead><tr><th>paper</th>"
    yield from (f'<th title="{escape_line(text)}">H{number}</th>' for number, text in numbered_hypotheses(matrix))
    yield "</tr></thead><tbody>"
    for number, row in enumerate(matrix.rows, 1):
        yield f"<tr><th>{_title(row)}</th>"
        yield from (_cell(row, column, f"r{number}h{column + 1}") for column in range(len(row.cells)))
        yield "</tr>"
    yield "</tbody></table>"


def _title(row: MatrixRow) -> str:
    if row.paper is None:
        return escape_line(row.paper_id)
    title = link(escape_line(row.paper.title), paper_address(row.paper))
    return f"{title}<small>{escape_line(byline(row.paper))}</small>"


def link(shown: str, target: str) -> str:
    """`shown`, which is HTML, as a link to `target`; without a target as it is."""
    # Without a handle on this page, and without telling where the reader came from.
    return f'<a href="{escape(target, quote=True)}" rel="noopener noreferrer">{shown}</a>' if target else shown


def _cell(row: MatrixRow, column: int, anchor: str) -> str:
    cell, accepted = row.cells[column], accepted_words(row, column)
    kind = "missing" if cell is None else cell.verdict if cell.empty is None else "nothing"
    words = escape_line(cell_words(cell))
    decided = "".join(f" {_decided(mine)}" for mine in (row.decisions[column], accepted) if mine)
    best = row.quote_of(column)
    if cell is None or not (cell.quotes or accepted):
        title_attribute = f' title="{escape_line(cell.why)}"' if cell and cell.why else ""
        return f'<td class="{kind}"{title_attribute}>{words}{decided}</td>'
    stance = f" <i>{escape_line(cell_stance_words(cell))}</i>" if cell_stance_words(cell) else ""
    shown = f"<q>{escape_line(best.text)}</q><cite>{escape_line(best.locator)}</cite>" if best else ""
    return f'<td class="{kind}"><a href="#{anchor}">{words}</a>{stance}{decided}{shown}</td>'


def _decided(words: str) -> str:
    """A decision of the user, boxed."""
    return f'<b class="decided">{escape_line(words)}</b>'


def _details(matrix: Matrix) -> Iterator[str]:
    yield "<h2>Quotes</h2>"
    for number, row in enumerate(matrix.rows, 1):
        for column, hypothesis in enumerate(matrix.request.hypotheses):
            yield from _cell_details(row, column, hypothesis, f"r{number}h{column + 1}")


def _cell_details(row: MatrixRow, column: int, hypothesis: str, anchor: str) -> Iterator[str]:
    cell, more = row.cells[column], other_accepted(row, column)
    if cell is None or row.paper is None or not (cell.quotes or more):
        return
    yield f'<article id="{anchor}"><h3>{_title(row)}</h3>'
    words = f"{escape_line(hypothesis)}: {escape_line(cell_words(cell))}. {escape_line(cell.why)}"
    yield f"<p>H{column + 1} {words}</p>"
    yield from (_quote(row.paper, quote, row.mark_on(column, quote.text)) for quote in cell.quotes)
    yield from (f"<blockquote>{escape_line(text)}<footer>{_decided('accepted')}</footer></blockquote>" for text in more)
    yield "</article>"


def _quote(paper: Paper, quote: CellQuote, mark: MarkKind | None) -> str:
    stance = stance_label(quote.stance, quote.likely_stance)
    facts = (closeness_label(quote.strength, quote.stance), stance, quote.reason)
    machine = escape_line(" · ".join(part for part in facts if part))
    place = link(escape_line(quote.locator), quote_address(paper, quote))
    decided = f" {_decided(MARK_WORDS[mark])}" if mark else ""
    return (
        f"<blockquote>{escape_line(quote.text)}<footer>{place} <small>{machine}</small>{decided}</footer></blockquote>"
    )


def paper_address(paper: Paper) -> str:
    """Where the paper is on the web: its own first web address, else the one its id tells; empty without either."""
    own_address = (url for url in paper.urls if url.startswith(("https://", "http://")))
    known = (landing_page(paper_id, safe="/:;()._-") for paper_id in paper_ids(paper))
    return next(own_address, "") or next(filter(None, known), "")


def quote_address(paper: Paper, quote: CellQuote | ColumnSource) -> str:
    """The address of a quote: the page of the PDF where both are known, else the place of its first words."""
    pdf = _pdf(paper)
    if quote.page is not None and pdf:
        return f"{pdf}#page={quote.page}"
    landing = paper_address(paper)
    # Browsers look for a text fragment in web pages, not in a PDF.
    if not landing or landing.lower().endswith(".pdf"):
        return landing
    start = " ".join(plain(quote.text).split()[:_MAX_FRAGMENT_WORDS])
    # A dash joins words and a comma parts of the fragment: both would mean something else there.
    return f"{landing}#:~:text={percent_encoded(start, safe='').replace('-', '%2D')}"


def _pdf(paper: Paper) -> str:
    pdf_addresses = (
        url for url in paper.urls if url.startswith(("https://", "http://")) and url.lower().endswith(".pdf")
    )
    acl = (paper_id.removeprefix("acl:") for paper_id in paper_ids(paper) if paper_id.startswith("acl:"))
    pdfs = (f"https://aclanthology.org/{percent_encoded(key)}.pdf" for key in acl)
    return next(pdf_addresses, "") or next(pdfs, "")
