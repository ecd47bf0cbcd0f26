"""RIS records, as reference managers read them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from litterm.model.annotations import PaperNotes
from litterm.model.paper import Author, Paper, PaperId
from litterm.render.bibliography.publication import NO_NOTES, Kind, Publication, publications
from litterm.render.names import thesis_name

_END_TAG = "ER  - "
"""With its blank: some readers know a tag by its first six characters."""
_TYPES: dict[Kind, str] = {
    "conference": "CONF",
    "journal": "JOUR",
    "preprint": "UNPB",
    "submission": "UNPB",
    "proceedings": "CONF",
    "book": "BOOK",
    "chapter": "CHAP",
    "thesis": "THES",
    "report": "RPRT",
    "other": "GEN",
}


def entries(
    papers: Sequence[Paper],
    notes: Mapping[PaperId, PaperNotes] = NO_NOTES,
    keys: Mapping[PaperId, str] | None = None,
) -> str:
    """A record a paper, in order, each paper once; ends with a line break unless empty.

    `notes` become `N1` and `KW`; `keys` as in `publications`.
    """
    return "\n".join(_entry(key, published) for key, published in publications(papers, notes, keys))


def _entry(key: str, published: Publication) -> str:
    # Two blanks, a hyphen and a blank: the tag is known from its column.
    lines = [f"{tag}  - {value}".rstrip() for tag, value in _fields(key, published) if value]
    return "\n".join([f"TY  - {_TYPES[published.kind]}", *lines, _END_TAG, ""])


def _fields(key: str, published: Publication) -> list[tuple[str, str]]:
    # RIS has a tag for either end.
    first, _, last = published.pages.partition("-")
    return [
        ("ID", key),
        ("TI", published.title),
        *(("AU", _person(author)) for author in published.authors),
        *(("A2", _person(editor)) for editor in published.editors),
        # `JO` is a journal for every reader of the format; other containers go under the secondary title.
        ("JO" if published.kind == "journal" else "T2", published.container),
        ("T3", published.series),
        ("ET", published.edition),
        ("VL", published.volume),
        ("IS", published.issue),
        # Zotero and Mendeley have no other place for an article's number; EndNote's is `C7`.
        ("SP", first or published.article_number),
        ("EP", last),
        ("C7", published.article_number),
        ("PY", str(published.year or "")),
        ("DA", _date(published)),
        ("PB", published.institution or published.publisher),
        ("CY", published.address),
        ("M3", thesis_name(published.thesis) if published.kind == "thesis" else ""),
        ("SN", published.isbn),
        ("SN", published.issn),
        ("DO", published.doi),
        # An accession number is one of its database.
        ("AN", published.pmid),
        ("DB", "PubMed" if published.pmid else ""),
        ("C2", published.pmcid),
        ("UR", published.url),
        *(("L1", file) for file in published.files),
        ("LA", published.language),
        ("AB", published.abstract),
        ("N1", published.note),
        ("N1", published.source_note),
        ("N1", published.correction),
        # A line of its own could begin like a tag.
        ("N1", " ".join(published.remark.split())),
        *(("KW", word) for word in published.keywords),
        ("M1", f"arXiv:{published.arxiv}" if published.arxiv else ""),
    ]


def _person(author: Author) -> str:
    # The third part of a name is its suffix; one behind the family name would be read as a given name.
    parts = [author.surname, author.given, author.suffix] if author.suffix else [author.surname, author.given]
    if author.is_literal:
        # Read as a person by other programs, and by ourselves, without the comma that EndNote asks for.
        return f"{author.surname}," if " " in author.surname and "," not in author.surname else author.surname
    return ", ".join(parts).rstrip(", ")


def _date(published: Publication) -> str:
    if not published.year or not published.month:
        return ""
    # The format wants all three slashes, also where the day is not known.
    day = f"{published.day:02d}" if published.day else ""
    return f"{published.year:04d}/{published.month:02d}/{day}/"
