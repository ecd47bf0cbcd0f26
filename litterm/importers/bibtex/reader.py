"""BibTeX and BibLaTeX to records."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from litterm.core.errors import BadInput
from litterm.importers.article_fields import anthology_venues, page_urls, venue_keys
from litterm.importers.author_names import author_from_name
from litterm.importers.bibtex.details import (
    addresses_of,
    details_of,
    ids_of,
    keywords_of,
    publication_date,
    refusal_in_note,
    retraction_in_note,
    type_of_entry,
    venue_of_entry,
)
from litterm.importers.bibtex.entries import Fields, raw_entries
from litterm.importers.bibtex.field_values import decode_latex as decode_latex
from litterm.importers.bibtex.field_values import text_of
from litterm.importers.byte_sources import Content
from litterm.importers.encoding import decode_text
from litterm.model.library import Failure, Parsed
from litterm.model.paper import Author, Paper, Provenance
from litterm.text.clean import clean_line
from litterm.text.references.identity import local_id

_MAX_FILE_BYTES: Final = 256 * 2**20
"""The Anthology with its abstracts has some 150 MB."""
_EDITED_KINDS: Final = frozenset("book mvbook collection proceedings reference".split())
"""Their editors are where others have authors."""
_OTHER_KINDS: Final = frozenset(("xdata", "set", "string", "comment", "preamble", "control"))
_AND: Final = re.compile(r"[{}]|(?<!\s)\s+and(?=\s)", re.IGNORECASE)


def read_bibtex(content: Content) -> Iterator[Parsed | Failure]:
    """Every entry of a file; one that is broken is a failure of its own.

    Raises:
        BadInput: the file is too large or holds no entry at all.
    """
    decoded = decode_text(content.read(_MAX_FILE_BYTES))
    remark, count = decoded.remark, 0
    for entry in raw_entries(decoded.text):
        if entry.kind in _OTHER_KINDS:
            continue
        count += 1
        place, name = f"{content.origin}:{entry.line}", clean_line(entry.key)[:60]
        if entry.fields is None:
            yield Failure(place, "A BibTeX entry with unbalanced braces or quotes, or a field without a value.")
        elif not text_of(entry.fields, "title"):
            yield Failure(place, f"The entry “{name}” has no title.")
        else:
            yield Parsed(_paper(entry.kind, entry.key, entry.fields, content.origin), remark=remark)
            remark = ""
    # A text with an at sign was taken for BibTeX by its first bytes.
    if not count:
        raise BadInput("Holds no BibTeX entry.")


def _paper(kind: str, key: str, fields: Fields, origin: str) -> Paper:
    title = _title(fields)
    authors = _people(fields.get("author", ""))
    year, date = publication_date(fields)
    # The citation key is no id: each user gives others.
    ids = ids_of(fields) or (local_id(title, authors, year),)
    refused_by, decision = refusal_in_note(fields, year)
    venue = refused_by or venue_of_entry(fields)
    return Paper(
        id=ids[0],
        title=title,
        abstract=text_of(fields, "abstract"),
        # Of an article the editors are those of its journal.
        authors=authors or (_people(fields.get("editor", "")) if kind in _EDITED_KINDS else ()),
        year=year,
        date=date,
        venue=venue,
        venue_keys=venue_keys(venue, text_of(fields, "shortjournal"), *anthology_venues(ids)),
        type=type_of_entry(kind, fields),
        keywords=keywords_of(fields),
        aliases=ids[1:],
        urls=tuple(dict.fromkeys((*page_urls(ids), *addresses_of(fields)))),
        retraction=retraction_in_note(fields),
        decision=decision,
        imprint=replace(details_of(kind, key, fields), editors=_people(fields.get("editor", ""))),
        provenance=Provenance("bibtex", origin),
    )


def _title(fields: Fields) -> str:
    # BibLaTeX parts them; some managers write the subtitle into both.
    title, subtitle = text_of(fields, "title"), text_of(fields, "subtitle")
    return f"{title}: {subtitle}" if subtitle and subtitle.lower() not in title.lower() else title


def _people(value: str) -> tuple[Author, ...]:
    """`A and B and others`; a name in braces is that of a group."""
    authors: list[Author] = []
    for name in _names(" ".join(value.split())):
        author = Author(decode_latex(name)) if _is_group(name) else author_from_name(decode_latex(name))
        # "and others" stands for et al.
        if author is not None and author.surname and name.lower() != "others":
            authors.append(author)
    return tuple(authors)


def _names(value: str) -> Iterator[str]:
    """Cut at every `and` that no braces hold."""
    start = depth = 0
    for mark in _AND.finditer(value):
        if mark.group() == "{":
            depth += 1
        elif mark.group() == "}":
            depth -= 1
        elif depth <= 0:
            yield value[start : mark.start()].strip()
            start = mark.end()
    yield value[start:].strip()


def _is_group(name: str) -> bool:
    """Whether the brace that opens a name closes at its end."""
    depth = 0
    for index, character in enumerate(name):
        depth += (character == "{") - (character == "}")
        if not depth:
            return index > 0 and index == len(name) - 1
    return False
