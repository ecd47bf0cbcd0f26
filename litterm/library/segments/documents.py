"""Writes a `Document` into tables and reads it back, equal to the last character."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from litterm.core.errors import OutOfMemory
from litterm.core.json_fields import integer, integer_or_none, items, text, texts
from litterm.library.segments.lookup import papers_by_key
from litterm.model.document import (
    CitingContext,
    Document,
    DocumentId,
    DocumentOrigin,
    Reference,
    Section,
    SectionKind,
    Sentence,
    SentenceKind,
    Span,
    Table,
)
from litterm.model.library import Segment, Snapshot
from litterm.model.paper import Paper, PaperId
from litterm.text.references.identity import paper_ids

if TYPE_CHECKING:
    from litterm.library.segments.library_view import LibraryView

_log = logging.getLogger(__name__)

ORIGINS_BEST_FIRST: tuple[DocumentOrigin, ...] = ("jats", "bioc", "jsonl", "html", "pdf", "starter", "abstract")
"""Origins by how true their text is to the paper; the first one a paper has is served."""

PARTS = ("section", "sentence", "cells", "reference", "context")
"""Tables whose rows belong to a row of `document`."""

_DOCUMENTS_SQL = "SELECT stored, doc, origin, id FROM {segment}.document WHERE paper IN (SELECT unnest(?))"
_HEADS_SQL = (
    "SELECT doc, id, paper, origin, text, references_known, licence FROM {{segment}}.document WHERE doc IN ({docs})"
)
# Named one by one: only then are row groups without them left out.
_PART_SQL = (
    "SELECT doc, * EXCLUDE (doc, number_in_text) FROM {{segment}}.{part} WHERE doc IN ({docs})"
    " ORDER BY doc, number_in_text"
)


def document_lines(document: Document, doc: int, stored: str) -> Iterator[tuple[str, dict[str, object]]]:
    """Table and line, for every line of `document` under the number `doc`; `stored` sorts by when it came in."""
    yield (
        "document",
        {
            "doc": doc,
            "id": document.id,
            "paper": document.paper_id,
            "origin": document.origin,
            "text": document.text,
            "references_known": document.references_known,
            "licence": document.licence,
            "located": count_located(document),
            "stored": stored,
        },
    )
    parts = (
        ("section", map(_section_line, document.sections)),
        ("sentence", (_sentence_line(sentence, document.text) for sentence in document.sentences)),
        ("cells", map(_table_line, document.tables)),
        ("reference", map(_reference_line, document.references)),
        ("context", map(_context_line, document.contexts)),
    )
    for table, lines in parts:
        for number, line in enumerate(lines):
            # Numbered, so that their order does not hang on where DuckDB puts the rows.
            yield table, {"doc": doc, "number_in_text": number} | line


def count_located(document: Document) -> int:
    """Sentences whose page is known."""
    return sum(sentence.page is not None for sentence in document.sentences)


def read_document(view: LibraryView, segment: Segment, doc: int) -> Document:
    """The document numbered `doc` in `segment`.

    Raises:
        OutOfMemory: it is too large to be read.
    """
    return read_documents(view, segment, [doc])[doc]


def read_documents(
    view: LibraryView, segment: Segment, docs: Sequence[int], *, parts: Collection[str] = PARTS
) -> dict[int, Document]:
    """The documents numbered `docs` in `segment`, by number; only the given `parts` are read.

    Raises:
        OutOfMemory: they are too large to be read together.
    """
    numbers = ",".join(map(str, docs))
    heads = view.select(segment, _HEADS_SQL.format(docs=numbers))
    rows: dict[str, dict[int, list[Sequence[object]]]] = {part: {} for part in PARTS}
    for part in parts:
        # A statement a table: joined, every sentence would come with every reference.
        for doc, *row in view.select(segment, _PART_SQL.format(part=part, docs=numbers)):
            rows[part].setdefault(integer(doc), []).append(row)
    return {
        integer(head[0]): _document(head[1:], {part: rows[part].get(integer(head[0]), ()) for part in PARTS})
        for head in heads
    }


def _document(head: Sequence[object], parts: Mapping[str, Sequence[Sequence[object]]]) -> Document:
    whole_text = text(head[3])
    return Document(
        id=DocumentId(text(head[0])),
        paper_id=PaperId(text(head[1])),
        text=whole_text,
        sections=tuple(_section(number, row) for number, row in enumerate(parts["section"])),
        sentences=tuple(_sentence(number, row, whole_text) for number, row in enumerate(parts["sentence"])),
        origin=cast(DocumentOrigin, text(head[2])),
        tables=tuple(_table(number, row) for number, row in enumerate(parts["cells"])),
        references=tuple(_reference(number, row) for number, row in enumerate(parts["reference"])),
        references_known=head[4] is True,
        contexts=tuple(map(_context, parts["context"])),
        licence=text(head[5]),
    )


def documents_of(
    view: LibraryView, snapshot: Snapshot, paper_id: PaperId, *, max_documents: int = len(ORIGINS_BEST_FIRST)
) -> tuple[Document, ...]:
    """The full texts of the paper, at most `max_documents`, the best first; of each origin the newest."""
    papers = papers_by_key(view, snapshot, [paper_id])[0]
    if not papers:
        return ()
    newest = {origin: (segment, doc) for origin, segment, doc, _ in _stored_documents(view, snapshot, papers[0])}
    ranked = [newest[origin] for origin in ORIGINS_BEST_FIRST if origin in newest]
    documents: list[Document] = []
    for segment, doc in ranked:
        if len(documents) < max_documents:
            documents += _read_if_possible(view, segment, doc, papers[0].id)
    return tuple(documents)


def every_document_of(view: LibraryView, snapshot: Snapshot, paper: Paper) -> tuple[Document, ...]:
    """All full texts that are stored for the paper, the oldest first; also those that a newer one has replaced."""
    by_id = {document_id: (segment, doc) for _, segment, doc, document_id in _stored_documents(view, snapshot, paper)}
    return tuple(
        document for segment, doc in by_id.values() for document in _read_if_possible(view, segment, doc, paper.id)
    )


def _stored_documents(view: LibraryView, snapshot: Snapshot, paper: Paper) -> list[tuple[str, Segment, int, str]]:
    """Origin, segment, number and id of each full text of the paper, the oldest first."""
    found = [
        (text(stored), text(origin), segment, integer(doc), text(document_id))
        for segment in snapshot.segments
        # By all its ids: the text may have come in before the paper got the id it has now.
        for stored, doc, origin, document_id in view.select(segment, _DOCUMENTS_SQL, [list(paper_ids(paper))])
        if document_id not in paper.left_documents
    ]
    return [document[1:] for document in sorted(found, key=lambda document: document[:2])]


def _read_if_possible(view: LibraryView, segment: Segment, doc: int, paper_id: PaperId) -> list[Document]:
    """Yields document `doc`, unless it is too large to be read."""
    try:
        return [replace(read_document(view, segment, doc), paper_id=paper_id)]
    except OutOfMemory as error:
        _log.warning("a full text of %s is too large to be read: %s", paper_id, error)
        return []


def _section_line(section: Section) -> dict[str, object]:
    return {"title": section.title, "number": section.number, "level": section.level, "kind": section.kind}


def _section(number: int, row: Sequence[object]) -> Section:
    title, printed, level, kind = row
    return Section(number, text(title), text(printed), integer(level), cast(SectionKind, text(kind)))


def _sentence_line(sentence: Sentence, whole_text: str) -> dict[str, object]:
    span = sentence.span
    return {
        "first": span.start,
        "past": span.end,
        # Most sentences are in the text as they are: a copy of each would double what is stored.
        "text": None if sentence.text == whole_text[span.start : span.end] else sentence.text,
        "kind": sentence.kind,
        "section": sentence.section,
        "paragraph": sentence.paragraph,
        "position": sentence.position,
        "page": sentence.page,
    }


def _sentence(number: int, row: Sequence[object], whole_text: str) -> Sentence:
    first, past, stored_text, kind, section, paragraph, position, page = row
    span = Span(integer(first), integer(past))
    return Sentence(
        index=number,
        text=whole_text[span.start : span.end] if stored_text is None else text(stored_text),
        span=span,
        kind=cast(SentenceKind, text(kind)),
        section=integer(section),
        paragraph=integer(paragraph),
        position=integer(position),
        page=integer_or_none(page),
    )


def _table_line(table: Table) -> dict[str, object]:
    return {
        "label": table.label,
        "caption": table.caption,
        "rows": table.rows,
        "first_sentence": table.first_sentence,
    }


def _table(number: int, row: Sequence[object]) -> Table:
    label, caption, rows, first = row
    return Table(number, text(label), text(caption), tuple(map(texts, items(rows))), integer(first))


def _reference_line(reference: Reference) -> dict[str, object]:
    return {
        "text": reference.text,
        "label": reference.label,
        "title": reference.title,
        "families": reference.families,
        "year": reference.year,
        "ids": reference.ids,
        "target": reference.target,
    }


def _reference(number: int, row: Sequence[object]) -> Reference:
    printed, label, title, families, year, ids, target = row
    return Reference(
        index=number,
        text=text(printed),
        label=text(label),
        title=text(title),
        families=texts(families),
        year=integer_or_none(year),
        ids=cast(tuple[PaperId, ...], texts(ids)),
        target=None if target is None else PaperId(text(target)),
    )


def _context_line(context: CitingContext) -> dict[str, object]:
    return {
        "reference": context.reference,
        "sentence": context.sentence,
        "first": context.span.start,
        "past": context.span.end,
    }


def _context(row: Sequence[object]) -> CitingContext:
    reference, sentence, first, past = map(integer, row)
    return CitingContext(reference, sentence, Span(first, past))
