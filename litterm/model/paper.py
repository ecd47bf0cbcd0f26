"""A bibliographic record: a paper the library knows, with or without its full text."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NewType

PaperId = NewType("PaperId", str)
"""`scheme:key`, for example `acl:P18-1001`; schemes are listed in `SCHEMES`."""

# An index on disk holds schemes as bits by their place here: new ones go to the end.
SCHEMES = ("acl", "iclr", "pmc", "pmid", "doi", "arxiv", "s2", "local", "starter", "zotero")
"""Known schemes, the most telling first: the first a record has becomes its id, the rest aliases."""

LibraryName = Literal["own", "starter"]
"""Papers that are searched together: the user's own, or the starter library."""

# An index on disk holds types and decisions by their place in these two: new values go to the end.
PaperType = Literal[
    "article", "inproceedings", "preprint", "proceedings", "book", "chapter", "thesis", "report", "other"
]
OWN_EXPORT = "litterm"
"""Format of a row of JSON Lines that litterm wrote of a paper of the user's own."""
USER_FORMATS = (
    *("bibtex", "jsonl", OWN_EXPORT, "ris", "nbib", "csl", "endnote", "csv", "refer", "wos", "zotero", "papis"),
)
"""Formats of files that a user has at hand, the least trusted first; their citation keys are the user's own."""
ATTACHED = "attached"
"""Format of a PDF that the user attached to a paper: it is that paper's whatever it prints."""
CORRECTION = "correction"
"""Format of what the user corrected by hand: it is shown whatever any other source says."""

Decision = Literal["", "accept", "reject", "withdrawn", "desk-reject", "workshop", "unknown"]
"""The decision on a submission; empty where no decision is recorded (nearly all but ICLR)."""


@dataclass(frozen=True, slots=True)
class Author:
    """A person, or a group, a mononym or a name that was not taken apart."""

    family: str
    """Family name without its particle; the whole name of a group or a mononym."""
    given: str = ""
    prefix: str = ""
    """Particle before the family name (`van den`), where the source tells it from the family name."""
    suffix: str = ""
    """What stands behind the name: `Jr.`, `III`."""
    is_literal: bool = False
    """Whether the source says that the name has no parts, as that of a group."""

    @property
    def surname(self) -> str:
        """Particle and family name, as they stand before the comma: `van den Berg`."""
        return f"{self.prefix} {self.family}" if self.prefix else self.family


FileAnnotationKind = Literal["highlight", "underline", "strikeout", "note", "text", "image", "drawing"]


@dataclass(frozen=True, slots=True)
class FileAnnotation:
    """A highlight or note in a file, made in a viewer or a reference manager; a stranger may have written it."""

    kind: FileAnnotationKind = "highlight"
    page: str = ""
    """As its source names it: a number counted from 1, or what is printed on the page."""
    quote: str = ""
    """The marked words, as they stand in the file."""
    comment: str = ""
    """In lines; replies to it, each behind the name of its author, follow."""
    colour: str = ""
    """A name such as `yellow`, or `#a1b2c3`; empty if none is stated."""
    author: str = ""
    changed: str = ""
    """ISO 8601: the day of the last change; empty if unknown."""


@dataclass(frozen=True, slots=True)
class AnnotatedFile:
    """What is annotated in one file of a paper. A file that is read again replaces what it said before."""

    annotations: tuple[FileAnnotation, ...]
    file: str = ""
    """Its path (with `!member` inside an archive); empty for the database of a reference manager."""

    def adds_to(self, origin: str) -> bool:
        """Whether it says anything beside its record from `origin`: a PDF is its own origin."""
        return bool(self.annotations) or (bool(self.file) and self.file != origin)


@dataclass(frozen=True, slots=True)
class PublicationDetails:
    """What a bibliography entry needs beyond title, authors and year; empty where unknown."""

    booktitle: str = ""
    journal: str = ""
    volume: str = ""
    issue: str = ""
    pages: str = ""
    publisher: str = ""
    address: str = ""
    editors: tuple[Author, ...] = ()
    language: str = ""
    """ISO 639 code as the source gives it; empty means not stated (mostly English)."""
    bibkey: str = ""
    """The key that the user's own files cite it by, to the letter; else that of the source."""
    article_number: str = ""
    """What a journal prints instead of pages: `e12345`."""
    edition: str = ""
    series: str = ""
    """The series of books that the volume appeared in (`LNCS`); never the venue."""
    isbn: str = ""
    issn: str = ""
    thesis: str = ""
    """Degree of a thesis: `phd`, `master`, `bachelor`, `habilitation`, or the source's word."""
    institution: str = ""
    """School of a thesis, institution of a report."""
    note: str = ""
    files: tuple[str, ...] = ()
    """Files attached to the record, as its source names them; they are not opened."""
    has_more_editors: bool = False
    """Whether the source cuts the list of editors (`and others`)."""
    accession_numbers: tuple[str, ...] = ()
    """What databases number the record by, each behind the name of its database: `Embase L2029880245`."""
    databases: tuple[str, ...] = ()
    """Databases that the record was exported from, as its file names them: `Embase`, `Medline`."""
    collections: tuple[str, ...] = ()
    """Groups and collections of the user's reference manager, each with those around it: `Thesis > Owls`."""
    exported_on: str = ""
    """ISO 8601: the day on which the records were searched for and exported, where their file states it."""
    annotated_files: tuple[AnnotatedFile, ...] = ()
    """Highlights and notes of each of its files; several may hold the same (`litterm.text.file_annotations`)."""


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a record came from."""

    format: str = ""
    """Importer that read it, as `detect.Format` names it: `anthology`, `jsonl`, `jats`, `ris`; or the service."""
    origin: str = ""
    """File path (with `!member` inside an archive) or URL."""
    imported_at: str = ""
    """UTC, ISO 8601 to the second."""


@dataclass(frozen=True, slots=True)
class Byline:
    """Title, authors and year of a paper: what a reference to it is compared with."""

    id: PaperId
    title: str
    authors: tuple[Author, ...]
    year: int | None


@dataclass(frozen=True, slots=True)
class Paper:
    """One paper; `id` never changes after the first import, other ids are `aliases`."""

    id: PaperId
    title: str
    abstract: str = ""
    authors: tuple[Author, ...] = ()
    year: int | None = None
    date: str = ""
    """ISO 8601, as exact as known: `2018`, `2018-07` or `2018-07-15`."""
    venue: str = ""
    """Acronym or short name as shown, for example `ACL`."""
    venue_keys: tuple[str, ...] = ()
    """What `venue:` matches, lower case: slugs and acronyms, for example `("acl",)`."""
    type: PaperType = "other"
    keywords: tuple[str, ...] = ()
    aliases: tuple[PaperId, ...] = ()
    urls: tuple[str, ...] = ()
    retraction: str = ""
    """`retracted`, `removed`, `concern` or `corrected`, with the reason after a colon if given; empty if sound."""
    decision: Decision = ""
    status: str = ""
    """The decision in the source's words (`Poster`, `Oral`, `Reject`)."""
    abstract_by: Literal["authors", "litterm"] = "authors"
    """`litterm` marks a summary written by us (starter library), never shown as an abstract."""
    full_text: bool = False
    """Whether the library holds a parsed full text; set by the store."""
    imprint: PublicationDetails = field(default=PublicationDetails())
    provenance: Provenance = field(default=Provenance())
    has_more_authors: bool = False
    """Whether the source cuts the list of authors (`and others`)."""
    is_title_certain: bool = True
    """False where the title was guessed, as the name of the file; such a title says nothing about identity."""
    unverified_ids: tuple[PaperId, ...] = ()
    """Ids that its file prints, but that may be another paper's; nothing is looked up or merged by them."""
    sources: tuple[SourceRecord, ...] = ()
    """What each source said, in the order they came, where more than one record was merged; empty otherwise."""
    separated: tuple[str, ...] = ()
    """Digests of records that the user took out of this one: they are never merged into it again."""
    left_documents: tuple[str, ...] = ()
    """Full texts that were stored under its ids but belong to a record taken out of it."""

    @property
    def byline(self) -> Byline:
        """Its title, authors and year."""
        return Byline(self.id, self.title, self.authors, self.year)


@dataclass(frozen=True, slots=True)
class SourceRecord:
    """A record as its source stated it, before it was merged with others of the same paper."""

    paper: Paper
    documents: tuple[str, ...] = ()
    """Ids of the full texts that came with it."""


def library_name_of(paper_id: PaperId) -> LibraryName:
    """The library that an id belongs to: no other paper has an id of the scheme `starter`."""
    return "starter" if paper_id.startswith("starter:") else "own"
