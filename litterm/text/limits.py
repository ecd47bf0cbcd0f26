"""Limits on the size of one record; longer parts are cut and reported, so that no record makes a library unreadable.

The limits are many times the size of real papers: whatever exceeds them is damaged or malicious.
"""

from __future__ import annotations

from dataclasses import fields, replace
from operator import is_
from typing import Final

from litterm.core.errors import BadInput
from litterm.model.document import Document, Reference
from litterm.model.library import Parsed
from litterm.model.paper import Author, Paper, PublicationDetails
from litterm.text.plural import count_phrase

_SHORT_CHARS: Final = 1_000
MAX_CHARS: Final = {
    "title": 3_000,
    "abstract": 40_000,
    **dict.fromkeys("venue retraction status date".split(), _SHORT_CHARS),
    **dict.fromkeys("booktitle journal volume issue pages publisher address language bibkey".split(), _SHORT_CHARS),
    **dict.fromkeys("article_number edition series isbn issn thesis institution exported_on".split(), _SHORT_CHARS),
    "note": 40_000,
}
"""Of a field that is one text."""
MAX_ENTRIES: Final = {
    "authors": (10_000, _SHORT_CHARS),
    "editors": (1_000, _SHORT_CHARS),
    "keywords": (500, _SHORT_CHARS),
    "venue_keys": (50, _SHORT_CHARS),
    "aliases": (100, _SHORT_CHARS),
    "urls": (50, 2_000),
    "files": (100, 2_000),
    "accession_numbers": (50, _SHORT_CHARS),
    "databases": (50, _SHORT_CHARS),
    "collections": (200, _SHORT_CHARS),
    "unverified_ids": (100, _SHORT_CHARS),
}
"""Of a field that is a list: entries, and characters of each."""
_MAX_LIST_CHARS: Final = 300_000
"""Of all entries of one list: the 5,154 authors of the largest collaboration have a third."""
MAX_ID_CHARS: Final = 500
MAX_TEXT_CHARS: Final = 5_000_000
"""Of a full text: some ten long theses."""
MAX_SENTENCE_CHARS: Final = 100_000
MAX_SENTENCES: Final = 200_000
MAX_REFERENCES: Final = 10_000
MAX_REFERENCE_CHARS: Final = 5_000
_MAX_CONTEXTS: Final = 100_000
_MAX_LICENCE_CHARS: Final = 2_000
_MAX_CELLS: Final = 500_000
_MAX_SECTIONS: Final = 20_000


def cut_to_limits(parsed: Parsed) -> tuple[Parsed, str]:
    """`parsed` with parts that are too long cut, and one sentence about these; empty where nothing was cut.

    Entries of a list that are too long are left out, for half an address or id is a wrong one; so is a full text as a
    whole, whose places all else refers to.

    Raises:
        BadInput: the id itself is too long to be one.
    """
    if len(parsed.paper.id) > MAX_ID_CHARS:
        raise BadInput(f"An id of {len(parsed.paper.id):,} characters, where at most {MAX_ID_CHARS} are allowed.")
    cut: list[str] = []
    paper = parsed.paper if _is_ordinary(parsed.paper) else _cut_paper(parsed.paper, cut)
    document = None if parsed.document is None else _cut_document(parsed.document, cut)
    if not cut:
        return parsed, ""
    remainder = f" and {len(cut) - 3} more" if len(cut) > 3 else ""
    return Parsed(paper, document), f"Too long for a paper, and cut: {', '.join(cut[:3])}{remainder}."


def _is_ordinary(paper: Paper) -> bool:
    """A fast check that nothing exceeds the limits, which holds for nearly all records."""
    imprint = paper.imprint
    texts = (
        paper.venue, paper.retraction, paper.status, paper.date, imprint.booktitle, imprint.journal, imprint.volume,
        imprint.issue, imprint.pages, imprint.publisher, imprint.address, imprint.language, imprint.bibkey,
        imprint.article_number, imprint.edition, imprint.series, imprint.isbn, imprint.issn, imprint.thesis,
        imprint.institution, imprint.note, imprint.exported_on,
    )  # fmt: skip
    lists = (
        *paper.keywords, *paper.venue_keys, *paper.aliases, *paper.urls, *imprint.files, *paper.unverified_ids,
        *imprint.accession_numbers, *imprint.databases, *imprint.collections,
    )  # fmt: skip
    people = (*paper.authors, *imprint.editors)
    return (
        len(paper.title) <= MAX_CHARS["title"]
        and len(paper.abstract) <= MAX_CHARS["abstract"]
        # One join instead of a length for each field: a record is ordinary if all of it together is short.
        and len("".join(texts)) <= _SHORT_CHARS
        and len(lists) <= 50
        and len("".join(lists)) <= _SHORT_CHARS
        and len(people) <= 100
        and len("".join([person.surname + person.given + person.suffix for person in people])) <= _SHORT_CHARS
    )


def _cut_paper(paper: Paper, cut: list[str]) -> Paper:
    changes: dict[str, object] = {}
    for name, limit in MAX_CHARS.items():
        value = getattr(paper, name, None)
        if isinstance(value, str) and len(value) > limit:
            changes[name] = _cut_value(name, value, cut)
    for name in ("keywords", "venue_keys", "aliases", "urls", "authors", "unverified_ids"):
        entries = _cut_entries(name, getattr(paper, name), cut)
        if entries is not None:
            changes[name] = entries
    imprint = _cut_imprint(paper.imprint, cut)
    if imprint is not paper.imprint:
        changes["imprint"] = imprint
    return replace(paper, **changes) if changes else paper  # type: ignore[arg-type]  # each of its field's own type


def _cut_imprint(imprint: PublicationDetails, cut: list[str]) -> PublicationDetails:
    changes: dict[str, object] = {}
    for field in fields(imprint):
        value = getattr(imprint, field.name)
        if field.name in MAX_ENTRIES:
            entries = _cut_entries(field.name, value, cut)
            if entries is not None:
                changes[field.name] = entries
        elif isinstance(value, str) and len(value) > MAX_CHARS[field.name]:
            changes[field.name] = _cut_value(field.name, value, cut)
    return replace(imprint, **changes) if changes else imprint  # type: ignore[arg-type]  # as above


def _cut_value(name: str, value: str, cut: list[str]) -> str:
    cut.append(f"“{name}” of {len(value):,} characters")
    return value[: MAX_CHARS[name]].rstrip()


def _cut_entries(name: str, value: tuple[object, ...], cut: list[str]) -> tuple[object, ...] | None:
    """The entries that may stay; `None` if all may."""
    max_entries, max_chars = MAX_ENTRIES[name]
    sizes = [*map(_size, value)]
    if len(value) <= max_entries and max(sizes, default=0) <= max_chars and sum(sizes) <= _MAX_LIST_CHARS:
        return None
    cut.append(f"“{name}” with {count_phrase(len(value), 'entry', 'entries')} of {sum(sizes):,} characters")
    entries, room = [], _MAX_LIST_CHARS
    for entry, size in zip(value[:max_entries], sizes, strict=False):
        if size <= max_chars and size <= room:
            entries.append(entry)
            room -= size
    return tuple(entries)


def _size(entry: object) -> int:
    if isinstance(entry, Author):
        return len(entry.surname) + len(entry.given) + len(entry.suffix)
    return len(entry) if isinstance(entry, str) else 0


def _cut_document(document: Document, cut: list[str]) -> Document | None:
    if fault := _find_excess(document):
        cut.append(f"the full text, which has {fault} and is left out")
        return None
    references = tuple(map(_cut_reference, document.references[:MAX_REFERENCES]))
    if len(document.references) > MAX_REFERENCES:
        cut.append(f"“references” with more than {MAX_REFERENCES:,} entries")
    elif all(map(is_, references, document.references)):
        # The same objects: then the document needs no copy.
        references = document.references
    else:
        cut.append("an entry of “references”")
    contexts = document.contexts[:_MAX_CONTEXTS]
    if len(references) < len(document.references):
        contexts = tuple(context for context in contexts if context.reference < len(references))
    licence = document.licence[:_MAX_LICENCE_CHARS]
    if references is document.references and len(contexts) == len(document.contexts) and licence == document.licence:
        return document
    return replace(document, references=references, contexts=contexts, licence=licence)


def _find_excess(document: Document) -> str:
    """The first limit that the text exceeds; empty if it exceeds none."""
    if len(document.text) > MAX_TEXT_CHARS:
        return f"{len(document.text):,} characters"
    if len(document.sentences) > MAX_SENTENCES or len(document.sections) > _MAX_SECTIONS:
        return f"{len(document.sentences):,} sentences in {len(document.sections):,} sections"
    longest = max((len(sentence.text) for sentence in document.sentences), default=0)
    if longest > MAX_SENTENCE_CHARS:
        return f"a sentence of {longest:,} characters"
    cells = sum(len(row) for table in document.tables for row in table.rows)
    captions = max((len(table.label) + len(table.caption) for table in document.tables), default=0)
    if cells > _MAX_CELLS or captions > MAX_SENTENCE_CHARS:
        return f"tables of {cells:,} cells and captions of up to {captions:,} characters"
    return ""


def _cut_reference(reference: Reference) -> Reference:
    max_entries = MAX_REFERENCE_CHARS
    families = reference.families
    ids = reference.ids
    if len(reference.text) + len(reference.title) + len(reference.label) + sum(map(len, families)) <= max_entries and (
        len(ids) < MAX_ENTRIES["aliases"][0] and all(len(paper_id) <= MAX_ID_CHARS for paper_id in ids)
    ):
        return reference
    return replace(
        reference,
        text=reference.text[:max_entries],
        title=reference.title[:max_entries],
        label=reference.label[:200],
        families=tuple(family for family in families[:500] if len(family) <= MAX_ENTRIES["authors"][1]),
        ids=tuple(paper_id for paper_id in ids[: MAX_ENTRIES["aliases"][0]] if len(paper_id) <= MAX_ID_CHARS),
    )
