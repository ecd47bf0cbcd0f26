"""BibTeX and BibLaTeX to records."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from litterm.core.errors import BadInput
from litterm.importers.article_fields import anthology_venues, page_urls, venue_keys
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
from litterm.importers.bibtex.names import people_from_bibtex
from litterm.importers.byte_sources import Content
from litterm.importers.encoding import decode_text
from litterm.model.library import Failure, Parsed
from litterm.model.paper import Paper, Provenance
from litterm.text.clean import clean_line
from litterm.text.references.identity import local_id

_MAX_FILE_BYTES: Final = 256 * 2**20
"""The Anthology with its abstracts has some 150 MB."""
_EDITED_KINDS: Final = frozenset("book mvbook collection proceedings reference".split())
"""Their editors are where others have authors."""
_OTHER_KINDS: Final = frozenset(("xdata", "set", "string", "comment", "preamble", "control"))


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
    people = people_from_bibtex(fields.get("author", ""), decode_latex)
    stated_authors = people.authors
    if not stated_authors and kind in _EDITED_KINDS:
        # Of an article the editors are those of its journal.
        people = people_from_bibtex(fields.get("editor", ""), decode_latex)
    editors = people_from_bibtex(fields.get("editor", ""), decode_latex)
    details = details_of(kind, key, fields)
    year, date = publication_date(fields)
    # The citation key is no id: each user gives others.
    ids = ids_of(fields) or (local_id(title, stated_authors, year),)
    refused_by, decision = refusal_in_note(fields, year)
    venue = refused_by or venue_of_entry(kind, fields)
    return Paper(
        id=ids[0],
        title=title,
        abstract=text_of(fields, "abstract"),
        authors=people.authors,
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
        imprint=replace(details, editors=editors.authors, has_more_editors=editors.has_more),
        provenance=Provenance("bibtex", origin),
        has_more_authors=people.has_more,
    )


def _title(fields: Fields) -> str:
    # BibLaTeX parts them; some managers write the subtitle into both.
    title, subtitle = text_of(fields, "title"), text_of(fields, "subtitle")
    return f"{title}: {subtitle}" if subtitle and subtitle.lower() not in title.lower() else title
