"""Changes to records that are in the library: a source taken out of a merged record, an import taken back.

Each makes new rows from what the sources of a record said; nothing that a source said is lost by it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from litterm.core.durable_files import utc_now
from litterm.core.errors import UsageError
from litterm.core.json_fields import text
from litterm.core.tasks import Task
from litterm.library.segments.library import DuckLibrary
from litterm.library.segments.lookup import papers_by_key, rows_by_bare
from litterm.library.writer.batch import LibraryChange, change_of
from litterm.library.writer.deduplicate import PendingPaper, RecordMatcher, detailed_local_id, prints_title
from litterm.library.writer.merge import combine, merge_records, record_digest
from litterm.model.document import Document
from litterm.model.events import Progress
from litterm.model.library import RowRef
from litterm.model.paper import CORRECTION, Paper, PaperId, Provenance, SourceRecord
from litterm.text.references.identity import bare_key, local_id, paper_ids, scheme_of
from litterm.text.references.same_paper import titles_agree

Revise = Callable[[DuckLibrary], Task[LibraryChange]]
"""Makes the change to the library that `LibraryWriter.revise` publishes."""

_LINE = re.compile(r":\d+$")
_FROM_FILE_SQL = "SELECT id FROM {segment}.paper WHERE contains(record, ?)"


def corrected(paper_id: PaperId, correction: Paper) -> Revise:
    """Adds what the user corrected: the fields of `correction` that have a value, over earlier corrections.

    Raises:
        UnknownPaper: the paper is not in the library.
    """

    def revise(library: DuckLibrary) -> Task[LibraryChange]:
        yield Progress("correcting", 0, 1)
        ref, paper = stored_row(library, paper_id)
        matching = RecordMatcher([(ref, paper)])
        (pending,) = matching.pending_papers
        date = correction.date or (str(correction.year) if correction.year else "")
        source = Provenance(CORRECTION, "", imported_at=utc_now())
        said = replace(correction, id=paper.id, aliases=(), date=date, provenance=source)
        sources = list(paper.sources or (SourceRecord(replace(paper, full_text=False)),))
        earlier = [source for source in sources if source.paper.provenance.format == CORRECTION]
        if earlier:
            said = merge_records(earlier[0].paper, said)
            sources.remove(earlier[0])
        matching.replace(pending, combine(paper, [*sources, SourceRecord(said)]))
        return change_of(matching)

    return revise


def separation(paper_id: PaperId, number: int, taken_ids: list[PaperId]) -> Revise:
    """Takes source `number` (from 1, as `show` numbers them) out of a merged record; both are papers of their own.

    The id of the record taken out goes to `taken_ids`.

    Raises:
        UsageError: the record has one source only, or none of that number.
    """

    def revise(library: DuckLibrary) -> Task[LibraryChange]:
        yield Progress("taking apart", 0, 1)
        ref, paper = stored_row(library, paper_id)
        if sum(source.paper.provenance.format != CORRECTION for source in paper.sources) < 2:
            if foreign := foreign_texts(paper, library.every_document(paper)):
                return _texts_taken_out(ref, paper, foreign, library.every_document(paper), taken_ids)
            raise UsageError(f"{paper.id} has a single source; there is nothing to take apart.")
        if not 1 <= number <= len(paper.sources):
            raise UsageError(f"{paper.id} has sources 1 to {len(paper.sources)}; `litterm show {paper.id}` lists them.")
        documents = library.every_document(paper)
        taken = _with_own_texts(paper, number, documents)
        if taken.paper.provenance.format == CORRECTION:
            raise UsageError(f"Source {number} is your correction; `litterm edit {paper.id} --undo` takes it back.")
        others = (*paper.sources[: number - 1], *paper.sources[number:])
        matching = RecordMatcher([(ref, paper)])
        (pending,) = matching.pending_papers
        kept, apart = separate(paper, others, (taken,))
        taken_ids.append(apart.id)
        left = [document for document in documents if document.id not in taken.documents]
        moved = [document for document in documents if document.id in taken.documents]
        matching.replace(pending, replace(kept, full_text=_has_text(left)))
        matching.replace(PendingPaper(apart), replace(apart, full_text=_has_text(moved)), moved)
        return change_of(matching)

    return revise


def foreign_texts(paper: Paper, documents: Sequence[Document]) -> tuple[Document, ...]:
    """Texts of PDFs that earlier versions stored under the record, but that print the title of another paper."""
    return tuple(
        document
        for document in documents
        if document.origin == "pdf" and (title := printed_title(document)) and not _is_titled(document, title, paper)
    )


def printed_title(document: Document) -> str:
    """The title that a text has at its head; empty where none was found."""
    return next((sentence.text for sentence in document.sentences if sentence.kind == "title"), "")


def _is_titled(document: Document, title: str, paper: Paper) -> bool:
    said = (paper, *(source.paper for source in paper.sources))
    return any(titles_agree(title, record.title) or prints_title(document, record.title) for record in said)


def _texts_taken_out(
    ref: RowRef, paper: Paper, foreign: Sequence[Document], documents: Sequence[Document], taken_ids: list[PaperId]
) -> LibraryChange:
    """Each of `foreign` becomes a paper of its own, with the title that it prints and no id but its text's."""
    matching = RecordMatcher([(ref, paper)])
    (pending,) = matching.pending_papers
    left = [document for document in documents if document not in foreign]
    kept = replace(paper, left_documents=(*paper.left_documents, *(document.id for document in foreign)))
    matching.replace(pending, replace(kept, full_text=_has_text(left)))
    for document in foreign:
        title = printed_title(document)
        apart = Paper(
            local_id(title, (), None, document.id),
            title,
            full_text=True,
            provenance=Provenance("pdf", paper.provenance.origin, paper.provenance.imported_at),
        )
        taken_ids.append(apart.id)
        matching.replace(PendingPaper(apart), apart, [document])
    return change_of(matching)


def correction_undone(paper_id: PaperId) -> Revise:
    """Takes back what the user corrected by hand.

    Raises:
        UsageError: nothing was corrected.
    """

    def revise(library: DuckLibrary) -> Task[LibraryChange]:
        yield Progress("taking back the correction", 0, 1)
        ref, paper = stored_row(library, paper_id)
        others = tuple(source for source in paper.sources if source.paper.provenance.format != CORRECTION)
        if len(others) == len(paper.sources):
            raise UsageError(f"{paper.id} was not corrected by hand; there is nothing to undo.")
        matching = RecordMatcher([(ref, paper)])
        (pending,) = matching.pending_papers
        matching.replace(pending, combine(paper, others))
        return change_of(matching)

    return revise


def import_taken_back(
    path: Path,
    only_here: list[PaperId],
    changed: list[PaperId],
    belongs: Callable[[Paper], bool] | None = None,
) -> Revise:
    """Takes what the file, archive or folder at `path` said out of merged records, whose ids go to `changed`.

    With `belongs` only those of its records for which that is true. Papers that came from it alone go to `only_here`,
    and stay as they are.
    """
    name = str(path)

    def is_taken(paper: Paper) -> bool:
        return is_from(paper, name) and (belongs is None or belongs(paper))

    def revise(library: DuckLibrary) -> Task[LibraryChange]:
        rows = rows_from_file(library, name, is_taken)
        matching = RecordMatcher(rows)
        for place, pending in enumerate([*matching.pending_papers]):
            yield Progress("taking back the import", place, len(rows))
            paper = pending.paper
            others = tuple(source for source in paper.sources if not is_taken(source.paper))
            # A correction alone is no record.
            if all(source.paper.provenance.format == CORRECTION for source in others):
                only_here.append(paper.id)
                continue
            changed.append(paper.id)
            documents = library.every_document(paper)
            left = {
                text_id
                for number, source in enumerate(paper.sources, 1)
                if source not in others
                for text_id in _with_own_texts(paper, number, documents).documents
            }
            kept = combine(replace(paper, aliases=_ids_of(others)), others)
            has_text = _has_text([document for document in documents if document.id not in left])
            texts = tuple(dict.fromkeys((*paper.left_documents, *sorted(left))))
            matching.replace(pending, replace(kept, left_documents=texts, full_text=has_text))
        return change_of(matching)

    return revise


def separate(
    paper: Paper, kept_sources: Sequence[SourceRecord], taken_sources: Sequence[SourceRecord]
) -> tuple[Paper, Paper]:
    """Two records of one: of `kept_sources` under the id of `paper`, and of `taken_sources` under one of their own.

    An id that both state stays with the first, and is *not verified* in the second. Neither is merged into the other
    again.
    """
    kept_ids = dict.fromkeys((paper.id, *_ids_of(kept_sources)))
    taken_ids = [paper_id for paper_id in _ids_of(taken_sources) if paper_id not in kept_ids]
    first = taken_sources[0].paper
    own = taken_ids or [detailed_local_id(first, next(iter(taken_sources[0].documents), ""))]
    shared = tuple(name for name in _ids_of(taken_sources) if name in kept_ids and scheme_of(name) != "local")
    taken_texts = tuple(text_id for source in taken_sources for text_id in source.documents)
    kept = combine(replace(paper, aliases=tuple(kept_ids)), kept_sources)
    apart = combine(replace(paper, id=PaperId(own[0]), aliases=tuple(own[1:]), left_documents=()), taken_sources)
    apart = replace(
        apart,
        aliases=tuple(name for name in apart.aliases if name not in kept_ids),
        unverified_ids=tuple(dict.fromkeys((*apart.unverified_ids, *shared))),
        separated=tuple(record_digest(source.paper) for source in kept_sources),
    )
    kept = replace(
        kept,
        separated=(*paper.separated, *(record_digest(source.paper) for source in taken_sources)),
        left_documents=(*paper.left_documents, *taken_texts),
    )
    return kept, apart


def stored_row(library: DuckLibrary, paper_id: PaperId) -> tuple[RowRef, Paper]:
    """Where the paper is stored, and its record.

    Raises:
        UnknownPaper: it is not in the library.
    """
    (paper,) = library.by_id([paper_id])
    snapshot = library.snapshot()
    located = rows_by_bare(library.view, snapshot, {bare_key(paper.id)})
    ref = next(ref for rows in located.values() for known_id, ref in rows if known_id == paper.id)
    return ref, paper


def rows_from_file(library: DuckLibrary, name: str, is_stated: Callable[[Paper], bool]) -> list[tuple[RowRef, Paper]]:
    """The stored records that name `name`, and of which a source fulfils `is_stated`."""
    snapshot = library.snapshot()
    # A quick look first: the record is text, and few hold the name of the file.
    ids = {
        text(row[0])
        for segment in snapshot.segments
        for row in library.view.select(segment, _FROM_FILE_SQL, [_as_json(name)])
    }
    papers = [found[0] for found in papers_by_key(library.view, snapshot, sorted(ids)) if found]
    return [
        stored_row(library, paper.id)
        for paper in dict.fromkeys(papers)
        if any(map(is_stated, (paper, *(source.paper for source in paper.sources))))
    ]


def is_from(paper: Paper, name: str) -> bool:
    """Whether the record was read from `name`: at a line of that file, in that archive, or in that folder."""
    origin = _LINE.sub("", paper.provenance.origin)
    return origin == name or origin.startswith((f"{name}!", f"{name}/"))


def _as_json(name: str) -> str:
    import json

    return json.dumps(name, ensure_ascii=False)[1:-1]


def _ids_of(sources: Sequence[SourceRecord]) -> tuple[PaperId, ...]:
    return tuple(dict.fromkeys(paper_id for source in sources for paper_id in paper_ids(source.paper)))


def _with_own_texts(paper: Paper, number: int, documents: Sequence[Document]) -> SourceRecord:
    """Source `number` (from 1) with its full texts; the first, stored before there were others, has those of none."""
    source = paper.sources[number - 1]
    if number > 1 or source.documents:
        return source
    claimed = {text_id for other in paper.sources for text_id in other.documents}
    return replace(source, documents=tuple(text.id for text in documents if text.id not in claimed))


def _has_text(documents: Sequence[Document]) -> bool:
    return any(document.origin != "abstract" for document in documents)
