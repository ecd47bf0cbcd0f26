"""Limits on what one record may hold; what is longer is cut and reported, so that no record makes a library unreadable.

The limits are many times what papers have; who goes beyond them has a damaged file or means harm.
"""

from __future__ import annotations

from dataclasses import fields, replace
from operator import is_
from typing import Final

from litterm.core.errors import BadInput
from litterm.model.document import Document, Reference
from litterm.model.library import Parsed
from litterm.model.paper import Author, Paper, PublicationDetails
from litterm.text.plural import counted

_SHORT: Final = 1_000
CHARACTERS: Final = {
    "title": 3_000,
    "abstract": 40_000,
    **dict.fromkeys("venue retraction status date".split(), _SHORT),
    **dict.fromkeys("booktitle journal volume issue pages publisher address language bibkey".split(), _SHORT),
}
"""Of a field that is one text."""
ENTRIES: Final = {
    "authors": (10_000, _SHORT),
    "editors": (1_000, _SHORT),
    "keywords": (500, _SHORT),
    "venue_keys": (50, _SHORT),
    "aliases": (100, _SHORT),
    "urls": (50, 2_000),
}
"""Of a field that is a list: entries, and characters of each."""
_LIST_CHARACTERS: Final = 300_000
"""Of all entries of one list: the 5,154 authors of the largest collaboration have a third."""
ID_CHARACTERS: Final = 500
TEXT_CHARACTERS: Final = 5_000_000
"""Of a full text: some ten long theses."""
SENTENCE_CHARACTERS: Final = 100_000
SENTENCES: Final = 200_000
REFERENCES: Final = 10_000
REFERENCE_CHARACTERS: Final = 5_000
_CONTEXTS: Final = 100_000
_LICENCE: Final = 2_000
_CELLS: Final = 500_000
_SECTIONS: Final = 20_000


def within_limits(parsed: Parsed) -> tuple[Parsed, str]:
    """`parsed` with what is too long cut, and that told in one sentence; empty where nothing was.

    Entries of a list that are too long are left out, for half an address or id is a wrong one; so is a full text as a
    whole, whose places all else refers to.

    Raises:
        BadInput: the id itself is too long to be one.
    """
    if len(parsed.paper.id) > ID_CHARACTERS:
        raise BadInput(f"An id of {len(parsed.paper.id):,} characters, where at most {ID_CHARACTERS} are allowed.")
    cut: list[str] = []
    paper = parsed.paper if _is_ordinary(parsed.paper) else _cut_paper(parsed.paper, cut)
    document = None if parsed.document is None else _cut_document(parsed.document, cut)
    if not cut:
        return parsed, ""
    more = f" and {len(cut) - 3} more" if len(cut) > 3 else ""
    return Parsed(paper, document), f"Too long for a paper, and cut: {', '.join(cut[:3])}{more}."


def _is_ordinary(paper: Paper) -> bool:
    """Whether nothing needs a closer look; of a hundred thousand records nearly all, so it has to be quick."""
    imprint = paper.imprint
    texts = (
        paper.venue, paper.retraction, paper.status, paper.date, imprint.booktitle, imprint.journal, imprint.volume,
        imprint.issue, imprint.pages, imprint.publisher, imprint.address, imprint.language, imprint.bibkey,
    )  # fmt: skip
    lists = (*paper.keywords, *paper.venue_keys, *paper.aliases, *paper.urls)
    people = (*paper.authors, *imprint.editors)
    return (
        len(paper.title) <= CHARACTERS["title"]
        and len(paper.abstract) <= CHARACTERS["abstract"]
        # One join in place of a length for each field: a record is ordinary if all of it together is short.
        and len("".join(texts)) <= _SHORT
        and len(lists) <= 50
        and len("".join(lists)) <= _SHORT
        and len(people) <= 100
        and len("".join([person.family + person.given for person in people])) <= _SHORT
    )


def _cut_paper(paper: Paper, cut: list[str]) -> Paper:
    changes: dict[str, object] = {}
    for name, limit in CHARACTERS.items():
        value = getattr(paper, name, None)
        if isinstance(value, str) and len(value) > limit:
            changes[name] = _shortened(name, value, cut)
    for name in ("keywords", "venue_keys", "aliases", "urls", "authors"):
        entries = _entries_within(name, getattr(paper, name), cut)
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
        if field.name == "editors":
            entries = _entries_within("editors", value, cut)
            if entries is not None:
                changes["editors"] = entries
        elif len(value) > CHARACTERS[field.name]:
            changes[field.name] = _shortened(field.name, value, cut)
    return replace(imprint, **changes) if changes else imprint  # type: ignore[arg-type]  # as above


def _shortened(name: str, value: str, cut: list[str]) -> str:
    cut.append(f"“{name}” of {len(value):,} characters")
    return value[: CHARACTERS[name]].rstrip()


def _entries_within(name: str, value: tuple[object, ...], cut: list[str]) -> tuple[object, ...] | None:
    """The entries that may stay; `None` if all may."""
    most, longest = ENTRIES[name]
    sizes = [*map(_size, value)]
    if len(value) <= most and max(sizes, default=0) <= longest and sum(sizes) <= _LIST_CHARACTERS:
        return None
    cut.append(f"“{name}” with {counted(len(value), 'entry', 'entries')} of {sum(sizes):,} characters")
    entries, room = [], _LIST_CHARACTERS
    for entry, size in zip(value[:most], sizes, strict=False):
        if size <= longest and size <= room:
            entries.append(entry)
            room -= size
    return tuple(entries)


def _size(entry: object) -> int:
    if isinstance(entry, Author):
        return len(entry.family) + len(entry.given)
    return len(entry) if isinstance(entry, str) else 0


def _cut_document(document: Document, cut: list[str]) -> Document | None:
    if fault := _fault(document):
        cut.append(f"the full text, which has {fault} and is left out")
        return None
    references = tuple(map(_cut_reference, document.references[:REFERENCES]))
    if len(document.references) > REFERENCES:
        cut.append(f"“references” with more than {REFERENCES:,} entries")
    elif all(map(is_, references, document.references)):
        # The same objects: then the document needs no copy.
        references = document.references
    else:
        cut.append("an entry of “references”")
    contexts = document.contexts[:_CONTEXTS]
    if len(references) < len(document.references):
        contexts = tuple(context for context in contexts if context.reference < len(references))
    licence = document.licence[:_LICENCE]
    if references is document.references and len(contexts) == len(document.contexts) and licence == document.licence:
        return document
    return replace(document, references=references, contexts=contexts, licence=licence)


def _fault(document: Document) -> str:
    """What of the text is too much; empty if nothing is."""
    if len(document.text) > TEXT_CHARACTERS:
        return f"{len(document.text):,} characters"
    if len(document.sentences) > SENTENCES or len(document.sections) > _SECTIONS:
        return f"{len(document.sentences):,} sentences in {len(document.sections):,} sections"
    longest = max((len(sentence.text) for sentence in document.sentences), default=0)
    if longest > SENTENCE_CHARACTERS:
        return f"a sentence of {longest:,} characters"
    cells = sum(len(row) for table in document.tables for row in table.rows)
    captions = max((len(table.label) + len(table.caption) for table in document.tables), default=0)
    if cells > _CELLS or captions > SENTENCE_CHARACTERS:
        return f"tables of {cells:,} cells and captions of up to {captions:,} characters"
    return ""


def _cut_reference(reference: Reference) -> Reference:
    most = REFERENCE_CHARACTERS
    families = reference.families
    ids = reference.ids
    if len(reference.text) + len(reference.title) + len(reference.label) + sum(map(len, families)) <= most and (
        len(ids) < ENTRIES["aliases"][0] and all(len(paper_id) <= ID_CHARACTERS for paper_id in ids)
    ):
        return reference
    return replace(
        reference,
        text=reference.text[:most],
        title=reference.title[:most],
        label=reference.label[:200],
        families=tuple(family for family in families[:500] if len(family) <= ENTRIES["authors"][1]),
        ids=tuple(paper_id for paper_id in ids[: ENTRIES["aliases"][0]] if len(paper_id) <= ID_CHARACTERS),
    )
