"""The contents of a PDF, free of pypdf, so that a parent process need not import it."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from litterm.importers.ids import rank_ids, recognize_id
from litterm.model.library import Parsed
from litterm.model.paper import AnnotatedFile, FileAnnotation, Paper, PaperId, Provenance, PublicationDetails
from litterm.text.documents.builder import References, build_document
from litterm.text.plural import count_phrase
from litterm.text.references.identity import is_generic, local_id, scheme_of

if TYPE_CHECKING:
    from litterm.model.document import Reference
    from litterm.model.paper import Author
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
    unverified_ids: tuple[PaperId, ...] = ()
    """Ids that are printed in it, but not certain to be its own."""
    is_title_certain: bool = True
    """Whether the title is told by the page, and not only by the document information."""
    text_digest: str = ""
    """A hash of all its words: two files without a certain title are one paper only if it is equal."""
    annotations: tuple[FileAnnotation, ...] = ()
    left_out_annotations: int = 0
    """Annotations beyond those that are kept of one file."""


def to_parsed(pdf: PdfPaper, origin: str, name: str) -> Parsed:
    """The record and the document; `name` is the file's, without folder and ending.

    The name counts as an id where it is spelt like one (`P18-1001`, `PMC5884149`, `1706.03762`).
    """
    # A name without a digit is a word, and words may look like keys of a scheme.
    recognized_id = recognize_id(name) if re.search(r"\d", name) else None
    schemes = {scheme_of(paper_id) for paper_id in pdf.ids}
    # A file may be named after another paper; what the paper prints of itself is nearer to the truth.
    is_contradicted = recognized_id is not None and recognized_id not in pdf.ids and scheme_of(recognized_id) in schemes
    ids = rank_ids(pdf.ids if is_contradicted else (*pdf.ids, recognized_id))
    unverified = rank_ids(
        paper_id for paper_id in (*pdf.unverified_ids, recognized_id) if paper_id is not None and paper_id not in ids
    )
    title = pdf.title or name
    is_title_certain = pdf.is_title_certain and bool(pdf.title)
    key = ids[0] if ids else _own_id(pdf, is_title_certain)
    paper = Paper(
        id=key,
        title=title,
        abstract=pdf.abstract,
        authors=pdf.authors,
        year=pdf.year,
        keywords=pdf.keywords,
        aliases=ids[1:],
        unverified_ids=unverified,
        is_title_certain=is_title_certain,
        imprint=PublicationDetails(annotated_files=(AnnotatedFile(pdf.annotations, os.path.normpath(origin)),)),
        provenance=Provenance(format="pdf", origin=origin),
    )
    references = References(pdf.references, known=pdf.references_known)
    document = build_document(key, pdf.blocks, origin="pdf", parser=PARSER, references=references)
    left_out = pdf.left_out_annotations
    remark = f"{count_phrase(left_out, 'annotation')} of this file left out, after the first ones." if left_out else ""
    return Parsed(paper, document, remark=remark)


def _own_id(pdf: PdfPaper, is_title_certain: bool) -> PaperId:
    """The id of a paper that prints none: by title and authors, or by its words where its title says too little."""
    if is_title_certain and not is_generic(pdf.title):
        return local_id(pdf.title, pdf.authors, pdf.year)
    return PaperId(f"local:{pdf.text_digest}")
