"""The contents of a PDF, free of pypdf, so that a parent process need not import it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from litterm.importers.ids import rank_ids, recognize_id
from litterm.model.library import Parsed
from litterm.model.paper import Paper, Provenance
from litterm.text.documents.builder import References, build_document
from litterm.text.references.identity import local_id

if TYPE_CHECKING:
    from litterm.model.document import Reference
    from litterm.model.paper import Author, PaperId
    from litterm.text.documents.builder import Block

PARSER = "pdf-2"


@dataclass(frozen=True, slots=True)
class PdfPaper:
    """What a PDF says, in the pieces that cross the border between two processes."""

    title: str
    """Empty where none can be determined."""
    authors: tuple[Author, ...]
    abstract: str
    keywords: tuple[str, ...]
    year: int | None
    ids: tuple[PaperId, ...]
    blocks: tuple[Block, ...]
    references: tuple[Reference, ...]
    references_known: bool
    pages: int


def to_parsed(pdf: PdfPaper, origin: str, name: str) -> Parsed:
    """The record and the document; `name` is the file's, without folder and ending.

    The name counts as an id where it is spelt like one (`P18-1001`, `PMC5884149`, `1706.03762`).
    """
    # A name without a digit is a word, and words may look like keys of a scheme.
    recognized_id = recognize_id(name) if re.search(r"\d", name) else None
    ids = rank_ids(tuple(paper_id for paper_id in (*pdf.ids, recognized_id) if paper_id is not None))
    title = pdf.title or name
    key = ids[0] if ids else local_id(title, pdf.authors, pdf.year)
    paper = Paper(
        id=key,
        title=title,
        abstract=pdf.abstract,
        authors=pdf.authors,
        year=pdf.year,
        keywords=pdf.keywords,
        aliases=ids[1:],
        provenance=Provenance(format="pdf", origin=origin),
    )
    references = References(pdf.references, known=pdf.references_known)
    document = build_document(key, pdf.blocks, origin="pdf", parser=PARSER, references=references)
    return Parsed(paper, document)
