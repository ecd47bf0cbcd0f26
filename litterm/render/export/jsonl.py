"""Papers as rows of JSON Lines, with the fields that `litterm add` reads.

Times are left out: two libraries with the same papers give the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from itertools import groupby

from litterm.model.document import Document, Reference, Section, Sentence
from litterm.model.paper import Author, Paper
from litterm.text.documents.sections import heading_parts

_IMPRINT_FIELDS = (
    "booktitle", "journal", "volume", "issue", "pages", "publisher", "address", "language", "bibkey", "article_number",
    "edition", "series", "isbn", "issn", "thesis", "institution", "note", "exported_on",
)  # fmt: skip
_TEXT_KINDS = ("abstract", "body", "caption", "table")
_MAX_LEVEL = 6
"""The deepest that is read again."""


def paper_row(paper: Paper, document: Document | None, *, is_mine: bool = False) -> str:
    """One paper as a row without line break; `document` is its full text, or title and abstract with references.

    `is_mine` says that the paper is the user's own, and of no archive alone.
    """
    fields = {**_paper(paper), "mine": is_mine or None, **(_document(document) if document is not None else {})}
    return json.dumps(_without_empty(fields), ensure_ascii=False)


def _paper(paper: Paper) -> Mapping[str, object]:
    imprint = paper.imprint
    return {
        "id": paper.id,
        "aliases": list(paper.aliases),
        "title": paper.title,
        "abstract": paper.abstract,
        "abstract_by": paper.abstract_by if paper.abstract_by != "authors" else "",
        "authors": [_person(author) for author in paper.authors],
        "year": paper.year,
        "date": paper.date,
        "venue": paper.venue,
        "venue_keys": list(paper.venue_keys),
        "type": paper.type,
        "keywords": list(paper.keywords),
        "urls": list(paper.urls),
        "retraction": paper.retraction,
        "decision": paper.decision,
        "status": paper.status,
        **{name: getattr(imprint, name) for name in _IMPRINT_FIELDS},
        "editors": [_person(editor) for editor in imprint.editors],
        "has_more_authors": paper.has_more_authors or None,
        "has_more_editors": imprint.has_more_editors or None,
        "files": list(imprint.files),
        "accession_numbers": list(imprint.accession_numbers),
        "databases": list(imprint.databases),
        "collections": list(imprint.collections),
        "annotations": [
            _without_empty({**asdict(annotation), "file": annotated.file})
            for annotated in imprint.annotated_files
            for annotation in annotated.annotations
        ],
        # A title is certain unless something else is said.
        "is_title_certain": None if paper.is_title_certain else False,
        "unverified_ids": list(paper.unverified_ids),
        "source": paper.provenance.format,
        "origin": paper.provenance.origin,
        "plain": True,
    }


def _person(author: Author) -> Mapping[str, str]:
    if author.is_literal:
        return {"literal": author.family}
    parts = {"prefix": author.prefix, "family": author.family, "given": author.given, "suffix": author.suffix}
    return {name: part for name, part in parts.items() if part}


def _document(document: Document) -> Mapping[str, object]:
    # Sentences of a section stand together: documents are stored in reading order.
    by_section = groupby(document.sentences, key=lambda sentence: sentence.section)
    rows = {index: list(sentences) for index, sentences in by_section}
    sections = [_section(section, rows.get(section.index, [])) for section in document.sections]
    return {
        # What is title and abstract only would come back as a full text.
        "sections": [section for section in sections if section and document.origin != "abstract"],
        "references": [_reference(reference) for reference in document.references],
        "licence": document.licence,
    }


def _section(section: Section, rows: list[Sentence]) -> Mapping[str, object]:
    """One section; of one without text, which may hold others, the heading; empty where it has none."""
    title = f"{section.number} {section.title}".strip()
    # Sentences and not text: split again they might be others, and marks would lose their place.
    sentences = [row.text for row in rows if row.kind in _TEXT_KINDS]
    if not sentences and not section.title:
        return {}
    fields: dict[str, object] = {"title": title, "level": min(section.level, _MAX_LEVEL)}
    if heading_parts(title) != (section.number, section.title):
        # Read from the title, the number would be another.
        fields["number"] = section.number
    return {**fields, "sentences": sentences} if sentences else fields


def _reference(reference: Reference) -> Mapping[str, object]:
    fields = {
        "text": reference.text,
        "label": reference.label,
        "title": reference.title,
        # Objects: of plain names only the last word would count.
        "authors": [{"family": family} for family in reference.families],
        "year": reference.year,
        "id": reference.ids[0] if reference.ids else "",
        "aliases": list(reference.ids[1:]),
    }
    return _without_empty(fields)


def _without_empty(fields: Mapping[str, object]) -> Mapping[str, object]:
    return {name: value for name, value in fields.items() if value not in ("", [], None)}
