"""A PDF attached to a paper by hand: one more source of its record, which can be taken out again."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from litterm.core.durable_files import utc_now
from litterm.core.errors import BadInput, OtherPaper, UsageError
from litterm.core.tasks import Task
from litterm.importers.byte_sources import printable
from litterm.importers.reader import FileReader
from litterm.library.segments.library import DuckLibrary
from litterm.library.writer.batch import LibraryChange, change_of
from litterm.library.writer.deduplicate import RecordMatcher, prints_title
from litterm.library.writer.merge import with_source
from litterm.library.writer.revision import Revise, import_taken_back, stored_row
from litterm.model.events import Progress
from litterm.model.library import Failure, FileProgress, Parsed
from litterm.model.paper import ATTACHED, Paper, PaperId, Provenance, PublicationDetails, SourceRecord
from litterm.text.references.identity import paper_ids, scheme_of
from litterm.text.references.same_paper import titles_agree


def read_pdf_file(reader: FileReader, path: Path) -> Task[Parsed]:
    """The PDF at `path`.

    Raises:
        BadInput: it cannot be read, or is no PDF.
    """
    parsed: Parsed | None = None
    for item in reader.read(path, lambda _sha256: False):
        match item:
            case Parsed(paper) if paper.provenance.format == "pdf":
                parsed = item
            case Failure():
                raise BadInput(f"{path}: {item.cause}")
            case FileProgress():
                yield Progress("reading the PDF", item.done, item.total, "bytes")
            case _:
                continue
    if parsed is None:
        raise BadInput(f"{path} is no PDF; only PDFs can be attached.")
    return parsed


def check_same_paper(paper: Paper, pdf: Parsed, path: Path) -> None:
    """Compares titles and ids of `paper`, as each of its sources states them, with what the PDF prints.

    Raises:
        OtherPaper: they do not agree; the message has both titles.
    """
    said = (paper, *(source.paper for source in paper.sources))
    document, title = pdf.document, pdf.paper.title
    ids = {paper_id for paper_id in paper_ids(pdf.paper) if scheme_of(paper_id) != "local"}
    if any(ids.intersection(paper_ids(record)) for record in said):
        return
    if pdf.paper.is_title_certain and any(titles_agree(title, record.title) for record in said):
        return
    if document is not None and any(prints_title(document, record.title) for record in said):
        return
    printed = f"prints the title “{title}”" if pdf.paper.is_title_certain else "prints no title that is known"
    raise OtherPaper(f"{path.name} {printed}, and {paper.id} is “{paper.title}”")


def attached(paper_id: PaperId, pdf: Parsed, path: Path) -> Revise:
    """Adds the text and the annotations of a PDF to a paper, whose title, authors and ids stay as they are.

    Raises:
        UnknownPaper: the paper is not in the library.
    """

    def revise(library: DuckLibrary) -> Task[LibraryChange]:
        yield Progress("attaching the PDF", 0, 1)
        ref, paper = stored_row(library, paper_id)
        matching = RecordMatcher([(ref, paper)])
        (pending,) = matching.pending_papers
        file = _file_name(path)
        source = Paper(
            id=paper.id,
            title=paper.title,
            authors=paper.authors,
            year=paper.year,
            abstract="" if paper.abstract else pdf.paper.abstract,
            imprint=PublicationDetails(files=(file,), annotated_files=pdf.paper.imprint.annotated_files),
            provenance=Provenance(ATTACHED, file, utc_now()),
        )
        assert pdf.document is not None, "a PDF without text is refused when it is read"
        document = replace(pdf.document, paper_id=paper.id)
        known = {stored.id for stored in library.every_document(paper)}
        merged = with_source(paper, SourceRecord(source, (document.id,)))
        left = tuple(text_id for text_id in merged.left_documents if text_id != document.id)
        is_new = document.id not in known or document.id in paper.left_documents
        matching.replace(pending, replace(merged, full_text=True, left_documents=left), (document,) if is_new else ())
        return change_of(matching)

    return revise


def detached(paper_id: PaperId, path: Path) -> Revise:
    """Takes a PDF that was attached by hand out of a record, with its text and annotations; the file stays.

    Raises:
        UsageError: it is not attached to this paper.
        UnknownPaper: the paper is not in the library.
    """

    file = _file_name(path)

    def is_attached(record: Paper) -> bool:
        return record.provenance.format == ATTACHED and record.id == paper_id

    def revise(library: DuckLibrary) -> Task[LibraryChange]:
        _, paper = stored_row(library, paper_id)
        if not any(is_attached(source.paper) and source.paper.provenance.origin == file for source in paper.sources):
            raise UsageError(f"{file} was not attached to {paper_id} by hand; `litterm show {paper_id}` lists sources.")
        return (yield from import_taken_back(Path(file), [], [], is_attached)(library))

    return revise


def _file_name(path: Path) -> str:
    """As an import names the file, from wherever it was started."""
    return printable(os.path.normpath(path.absolute()))
