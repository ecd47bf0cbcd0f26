"""Papers as a table: the same columns in CSV and Parquet."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from typing import Final

from litterm.model.annotations import PaperNotes
from litterm.model.paper import Paper, PaperId
from litterm.render.export.markdown import Quote
from litterm.render.matrix.csv import escape_formula
from litterm.render.names import full_name, listed_names, status_warning
from litterm.text.references.identity import key_in

COLUMNS = (
    "key", "id", "title", "authors", "year", "venue", "standing", "doi", "url", "decision", "starred", "status", "tags",
    "note", "quotes", "type", "date", "keywords", "abstract", "booktitle", "journal", "volume", "issue", "pages",
    "article_number", "edition", "series", "editors", "publisher", "address", "institution", "thesis", "isbn", "issn",
    "pmid", "pmcid", "arxiv", "language", "retraction", "source_note", "files",
)  # fmt: skip
"""The order never changes: new columns go to the end."""
SEPARATORS: Final[Mapping[str, str]] = {
    "authors": "; ", "editors": "; ", "keywords": "; ", "files": "; ", "tags": ", ", "quotes": " | ",
}  # fmt: skip
"""Columns that are lists, and what divides their parts in CSV."""
PARQUET_TYPES: Final[Mapping[str, str]] = {
    **dict.fromkeys(COLUMNS, "VARCHAR"),
    **dict.fromkeys(SEPARATORS, "VARCHAR[]"),
    "year": "INTEGER",
    "starred": "BOOLEAN",
}
"""By column, in order, its type in DuckDB."""
_IMPRINT_COLUMNS = (
    "booktitle", "journal", "volume", "issue", "pages", "article_number", "edition", "series", "publisher", "address",
    "institution", "thesis", "isbn", "issn", "language",
)  # fmt: skip
_NO_NOTES = PaperNotes()
_Cell = str | int | bool | Sequence[str] | None


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
        cells = _cells(paper, keys[paper.id], notes.get(paper.id, _NO_NOTES), quotes.get(paper.id, ()))
        writer.writerow([escape_formula(_csv_text(name, cells[name])) for name in COLUMNS])
    return file.getvalue()


def csv_header() -> str:
    """The first line of the CSV."""
    # Ended like the lines of Python's `csv`, which keeps to RFC 4180.
    return ",".join(COLUMNS) + "\r\n"


def json_row(paper: Paper, key: str, notes: PaperNotes, quotes: Sequence[Quote]) -> str:
    """A paper as a line of JSON with the values of `PARQUET_TYPES`; what is not known is null."""
    cells = _cells(paper, key, notes, quotes)
    return json.dumps({name: None if cells[name] == "" else cells[name] for name in COLUMNS}, ensure_ascii=False)


def _cells(paper: Paper, key: str, notes: PaperNotes, quotes: Sequence[Quote]) -> dict[str, _Cell]:
    """By column its value."""
    imprint = paper.imprint
    return {
        "key": key,
        "id": paper.id,
        "title": paper.title,
        "authors": listed_names(paper),
        "year": paper.year,
        "venue": paper.venue,
        "standing": status_warning(paper),
        "doi": key_in(paper, "doi"),
        "url": paper.urls[0] if paper.urls else "",
        "decision": notes.screening or "",
        "starred": notes.starred,
        "status": notes.status,
        "tags": notes.tags,
        "note": notes.note,
        "quotes": [_quote_text(item) for item in quotes],
        "type": paper.type,
        "date": paper.date,
        "keywords": paper.keywords,
        "abstract": paper.abstract if paper.abstract_by == "authors" else "",
        **{name: str(getattr(imprint, name)) for name in _IMPRINT_COLUMNS},
        "editors": [full_name(editor) for editor in imprint.editors],
        "pmid": key_in(paper, "pmid"),
        "pmcid": key_in(paper, "pmc"),
        "arxiv": key_in(paper, "arxiv"),
        "retraction": paper.retraction,
        "source_note": imprint.note,
        "files": imprint.files,
    }


def _csv_text(name: str, value: _Cell) -> str:
    if value is None or isinstance(value, bool):
        return "yes" if value else ""
    return str(value) if isinstance(value, (str, int)) else SEPARATORS[name].join(value)


def _quote_text(item: Quote) -> str:
    source = "; ".join(part for part in (item.locator, item.hypothesis) if part)
    return f"“{item.text}”" + (f" ({source})" if source else "")
