"""Papers with what the user keeps about them, as Markdown and as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence

from litterm.model.annotations import PaperNotes
from litterm.model.paper import Paper, PaperId
from litterm.render.export.markdown import Quote, escape_markdown
from litterm.render.matrix.csv import escape_formula
from litterm.render.names import full_name, short_authors, standing, venue_and_year
from litterm.text.escape import plain_lines
from litterm.text.references.identity import key_in

COLUMNS = (
    "key", "id", "title", "authors", "year", "venue", "standing", "doi", "url", "decision", "starred", "status", "tags",
    "note", "quotes",
)  # fmt: skip
_NO_NOTES = PaperNotes()


def markdown_list(papers: Sequence[Paper], keys: Mapping[PaperId, str], notes: Mapping[PaperId, PaperNotes]) -> str:
    """A list item for each paper: title, authors, venue, `[@key]`, and below it the user's tags, status and note."""
    lines: list[str] = []
    for paper in papers:
        own = notes.get(paper.id, _NO_NOTES)
        facts = (short_authors(paper.authors, most=6), venue_and_year(paper), standing(paper))
        facts_text = " ".join(escape_markdown(part).removesuffix(".") + "." for part in facts if part)
        lines.append(f"- **{escape_markdown(paper.title) or '(no title)'}**. {facts_text} [@{keys[paper.id]}]")
        own_facts = [
            f"tags: {escape_markdown(', '.join(own.tags))}" if own.tags else "",
            own.status,
            own.screening or "",
        ]
        if own_text := "; ".join(part for part in (*own_facts, "starred" if own.starred else "") if part):
            lines.append(f"  ({own_text})")
        # The note is the user's own Markdown; indented, it cannot leave its list item.
        lines += ["", *(f"  {line}".rstrip() for line in plain_lines(own.note).splitlines()), ""] if own.note else []
    return "\n".join([*lines, ""]) if lines else ""


def csv_rows(
    papers: Sequence[Paper],
    keys: Mapping[PaperId, str],
    notes: Mapping[PaperId, PaperNotes],
    quotes: Mapping[PaperId, Sequence[Quote]],
) -> str:
    """A line of CSV for each paper, in the order of `COLUMNS`, safe to open in a spreadsheet."""
    file = io.StringIO()
    writer = csv.writer(file)
    for paper in papers:
        own = notes.get(paper.id, _NO_NOTES)
        row = (
            *(keys[paper.id], paper.id, paper.title, "; ".join(map(full_name, paper.authors)), str(paper.year or "")),
            *(paper.venue, standing(paper), key_in(paper, "doi"), paper.urls[0] if paper.urls else ""),
            *(
                own.screening or "",
                "yes" if own.starred else "",
                own.status,
                ", ".join(own.tags),
                own.note,
            ),
            " | ".join(map(_quote_text, quotes.get(paper.id, ()))),
        )
        writer.writerow([escape_formula(value) for value in row])
    return file.getvalue()


def csv_header() -> str:
    """The first line of the CSV."""
    # Ended like the lines of Python's `csv`, which keeps to RFC 4180.
    return ",".join(COLUMNS) + "\r\n"


def _quote_text(item: Quote) -> str:
    about = "; ".join(part for part in (item.locator, item.hypothesis) if part)
    return f"“{item.text}”" + (f" ({about})" if about else "")
