"""One parsed full text: sections and sentences over a single string.

Every position in a document is a `Span`: half-open, in characters of `Document.text`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NewType

if TYPE_CHECKING:
    from litterm.model.paper import PaperId

DocumentId = NewType("DocumentId", str)
"""Hash of the text plus the parser's version; changes when the text or its parse changes."""

SentenceKind = Literal["title", "heading", "abstract", "body", "caption", "table"]
SectionKind = Literal[
    "front", "abstract", "introduction", "methods", "results", "discussion", "conclusion", "back", "other"
]
"""What a section is for, by its heading; `other` where the heading does not tell."""
DocumentOrigin = Literal["jats", "bioc", "jsonl", "pdf", "html", "abstract", "starter"]
"""What the text was parsed from; `abstract` means that only title and abstract were available."""


@dataclass(frozen=True, slots=True)
class Span:
    """Half-open range of characters of `Document.text`; 0 <= start <= end."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Section:
    """A stretch under one heading; sections nest by `level` in reading order."""

    index: int
    title: str
    """As printed, without its number; empty for text before the first heading."""
    number: str = ""
    """As printed: `4.2`, `IV`; empty if none."""
    level: int = 1
    """1 for a top section, 2 for a subsection, ..."""
    kind: SectionKind = "other"


@dataclass(frozen=True, slots=True)
class Sentence:
    """One row of a document: a sentence, a heading, a caption or a table row."""

    index: int
    """From 0 over all rows of the document, title and headings included."""
    text: str
    span: Span
    kind: SentenceKind
    section: int
    """Index into `Document.sections`."""
    paragraph: int
    """From 1 within the section; 0 for headings and the title."""
    position: int
    """From 1 within the paragraph; 0 for headings and the title."""
    page: int | None = None
    """From 1; `None` where it is not known. Never guessed."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table as cells; its rows are also sentences of kind `table`."""

    index: int
    label: str
    caption: str
    rows: tuple[tuple[str, ...], ...]
    first_sentence: int
    """Index of the sentence that is its first row."""


@dataclass(frozen=True, slots=True)
class Reference:
    """One entry of the reference list."""

    index: int
    text: str
    """As printed, or composed from the source's fields."""
    label: str = ""
    """As cited: `12` or `Smith et al., 2019`; empty if none."""
    title: str = ""
    families: tuple[str, ...] = ()
    """Family names of the authors, in order."""
    year: int | None = None
    ids: tuple[PaperId, ...] = ()
    """Ids the source states (DOI, PMID, ...)."""
    target: PaperId | None = None
    """The library paper it was resolved to; `None` while unresolved."""


@dataclass(frozen=True, slots=True)
class CitingContext:
    """A place in the text that cites a reference."""

    reference: int
    """Index into `Document.references`."""
    sentence: int
    """Index into `Document.sentences`."""
    span: Span
    """The citation mark itself, in characters of `Document.text`."""


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed full text; `sentences` are in reading order and do not overlap."""

    id: DocumentId
    paper_id: PaperId
    text: str
    sections: tuple[Section, ...]
    sentences: tuple[Sentence, ...]
    origin: DocumentOrigin
    tables: tuple[Table, ...] = ()
    references: tuple[Reference, ...] = ()
    references_known: bool = False
    """False where the source had no reference list at all: unknown, not none."""
    contexts: tuple[CitingContext, ...] = ()
    licence: str = ""
