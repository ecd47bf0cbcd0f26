"""Writes a `Paper` into columns and reads it back: searched fields have a column, the rest is one JSON record."""

from __future__ import annotations

import json
from array import array
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, Literal, TypedDict, cast

from litterm.core.json_fields import integer, text
from litterm.model.paper import (
    AnnotatedFile,
    Author,
    Byline,
    Decision,
    FileAnnotation,
    Paper,
    PaperId,
    PaperType,
    Provenance,
    PublicationDetails,
    SourceRecord,
)
from litterm.text.queries.author_variants import whole_name_parts
from litterm.text.references.identity import bare_key, identity_hash, paper_ids
from litterm.text.tokens import words

if TYPE_CHECKING:
    from litterm.library.segments.library_view import LibraryView
    from litterm.model.library import Segment


PAPER_COLUMNS = "id, title, abstract, record"
"""What `paper_from_row` reads, in order."""
PACKED_COLUMNS = f"{PAPER_COLUMNS}, title_hash"
"""What `packed_row` reads, in order."""
BYLINE_COLUMNS = "id, title, record"
"""What `byline_from_row` reads, in order."""


class _ImprintRecord(TypedDict, total=False):
    booktitle: str
    journal: str
    volume: str
    issue: str
    pages: str
    publisher: str
    address: str
    language: str
    bibkey: str


class _DetailsRecord(TypedDict, total=False):
    """Fields of `PublicationDetails` that came later: an older litterm does not read them, and takes no harm."""

    article_number: str
    edition: str
    series: str
    isbn: str
    issn: str
    thesis: str
    institution: str
    note: str
    files: list[str]
    has_more_editors: bool
    accession_numbers: list[str]
    databases: list[str]
    collections: list[str]
    exported_on: str
    annotations: list[_AnnotatedFileRecord]


class _AnnotatedFileRecord(TypedDict, total=False):
    file: str
    annotations: list[dict[str, str]]


class _SourceLine(TypedDict):
    id: str
    title: str
    abstract: str
    record: _Record
    documents: list[str]


class _Record(TypedDict, total=False):
    """The column `record`, which only `_record` writes; checking each field again cost a third of the time."""

    year: int
    date: str
    venue: str
    venue_keys: list[str]
    type: PaperType
    keywords: list[str]
    aliases: list[PaperId]
    urls: list[str]
    retraction: str
    decision: Decision
    status: str
    abstract_by: Literal["authors", "litterm"]
    full_text: bool
    authors: list[list[str]]
    author_parts: list[list[object]]
    imprint: _ImprintRecord
    details: _DetailsRecord
    editors: list[list[str]]
    editor_parts: list[list[object]]
    provenance: list[str]
    has_more_authors: bool
    title_uncertain: bool
    unverified_ids: list[PaperId]
    sources: list[_SourceLine]
    separated: list[str]
    left_documents: list[str]


class _Line(TypedDict):
    """The part of a line of `paper_line` that holds the whole paper."""

    id: str
    title: str
    abstract: str
    record: _Record


_TITLE_HASH = b',"title_hash":'
"""What follows the record in a line of `paper_line`."""
_SCALAR_FIELDS = ("year", "date", "venue", "retraction", "decision", "status", "full_text")
_LIST_FIELDS = ("venue_keys", "keywords", "aliases", "urls")
_IMPRINT_FIELDS = ("booktitle", "journal", "volume", "issue", "pages", "publisher", "address", "language", "bibkey")
_DETAILS_FIELDS = (
    "article_number",
    "edition",
    "series",
    "isbn",
    "issn",
    "thesis",
    "institution",
    "note",
    "files",
    "has_more_editors",
    "accession_numbers",
    "databases",
    "collections",
    "exported_on",
)
_ANNOTATION_FIELDS = ("kind", "page", "quote", "comment", "colour", "author", "changed")
_scalar_values = attrgetter(*_SCALAR_FIELDS)
_list_values = attrgetter(*_LIST_FIELDS)
_imprint_values = attrgetter(*_IMPRINT_FIELDS)
_details_values = attrgetter(*_DETAILS_FIELDS)
_NO_IMPRINT = PublicationDetails()
_author = lru_cache(maxsize=8192)(Author)
"""By surname and given name. The papers of a field share authors, and those of a volume all editors, whose names take a
third of the time of making a paper."""


def paper_line(paper: Paper, row: int) -> dict[str, object]:
    """What the columns of `paper` and its lines of `alias` are loaded from."""
    ids = paper_ids(paper)
    return {
        "row": row,
        "id": paper.id,
        "title": paper.title,
        "abstract": paper.abstract,
        "record": _record(paper),
        "title_hash": identity_hash(paper.title),
        "names": name_lines(all_authors(paper)),
        "ids": ids,
        "bare": [bare_key(paper_id) for paper_id in ids],
    }


def paper_from_row(row: Sequence[object]) -> Paper:
    """The paper of one row with the columns `PAPER_COLUMNS`."""
    paper_id, title, abstract, record = cast(tuple[str, str, str, str], row)
    return _paper(paper_id, title, abstract, cast(_Record, json.loads(record)))


def byline_from_row(row: Sequence[object]) -> Byline:
    """The byline of one row with the columns `BYLINE_COLUMNS`."""
    paper_id, title, record = cast(tuple[str, str, str], row)
    fields = cast(_Record, json.loads(record))
    return Byline(
        PaperId(paper_id),
        title,
        _authors(fields.get("authors", ()), fields.get("author_parts", ())),
        fields.get("year"),
    )


def packed_line(line: bytes) -> tuple[bytes, int]:
    """Of one line of `paper_line`, as JSON, what `paper_from_line` reads, and the hash of the title."""
    # Inside a string a quotation mark stands behind a backslash: each of these is found at one place.
    start, past = line.index(b'"id":'), line.index(_TITLE_HASH)
    hash_start = past + len(_TITLE_HASH)
    return b"{" + line[start:past] + b"}", int(line[hash_start : line.index(b",", hash_start)])


def packed_row(row: Sequence[object]) -> tuple[bytes, int]:
    """The same of one row with the columns `PACKED_COLUMNS`."""
    *texts, record, title_hash = cast("tuple[str, str, str, str, int]", row)
    paper_id, title, abstract = (json.dumps(text, ensure_ascii=False) for text in texts)
    return f'{{"id":{paper_id},"title":{title},"abstract":{abstract},"record":{record}}}'.encode(), title_hash


def paper_from_line(line: bytes) -> Paper:
    """The paper of one line of `paper_line`, as JSON."""
    fields = cast(_Line, json.loads(line))
    return _paper(fields["id"], fields["title"], fields["abstract"], fields["record"])


def _paper(paper_id: str, title: str, abstract: str, fields: _Record) -> Paper:
    return Paper(
        id=PaperId(paper_id),
        title=title,
        abstract=abstract,
        authors=_authors(fields.get("authors", ()), fields.get("author_parts", ())),
        year=fields.get("year"),
        date=fields.get("date", ""),
        venue=fields.get("venue", ""),
        venue_keys=tuple(fields.get("venue_keys", ())),
        type=fields.get("type", "other"),
        keywords=tuple(fields.get("keywords", ())),
        aliases=tuple(fields.get("aliases", ())),
        urls=tuple(fields.get("urls", ())),
        retraction=fields.get("retraction", ""),
        decision=fields.get("decision", ""),
        status=fields.get("status", ""),
        abstract_by=fields.get("abstract_by", "authors"),
        full_text=fields.get("full_text", False),
        imprint=_imprint(fields),
        provenance=Provenance(*fields["provenance"]),
        has_more_authors=fields.get("has_more_authors", False),
        is_title_certain=not fields.get("title_uncertain", False),
        unverified_ids=tuple(fields.get("unverified_ids", ())),
        sources=tuple(
            SourceRecord(_paper(line["id"], line["title"], line["abstract"], line["record"]), tuple(line["documents"]))
            for line in fields.get("sources", ())
        ),
        separated=tuple(fields.get("separated", ())),
        left_documents=tuple(fields.get("left_documents", ())),
    )


def all_authors(paper: Paper) -> tuple[Author, ...]:
    """The authors of the record, then those that only one of its sources names."""
    return tuple(
        dict.fromkeys((*paper.authors, *(author for source in paper.sources for author in source.paper.authors)))
    )


def name_lines(authors: Sequence[Author]) -> str:
    """One author a line, every folded word between blanks; what `author:` is looked up in."""
    return "\n".join(f" {' '.join(_name_words(author))} " for author in authors)


def _name_words(author: Author) -> list[str]:
    name = f"{author.given} {author.surname} {author.suffix}"
    if not author.given and not author.family.isascii():
        # A name that is written as one word is found by its family name, too.
        name += f" {whole_name_parts(author.family)}"
    return words(name)


def _record(paper: Paper) -> dict[str, object]:
    """Only what differs from an empty paper: most fields of most papers are empty."""
    fields: dict[str, object] = {
        name: value for name, value in zip(_SCALAR_FIELDS, _scalar_values(paper), strict=True) if value
    }
    fields |= {name: value for name, value in zip(_LIST_FIELDS, _list_values(paper), strict=True) if value}
    # The year 0 is false, but not the same as none.
    if paper.year == 0:
        fields["year"] = 0
    if paper.type != "other":
        fields["type"] = paper.type
    if paper.abstract_by != "authors":
        fields["abstract_by"] = paper.abstract_by
    fields |= _people("authors", "author_parts", paper.authors)
    imprint = paper.imprint
    if imprint != _NO_IMPRINT:
        printed = zip(_IMPRINT_FIELDS, _imprint_values(imprint), strict=True)
        fields["imprint"] = {name: value for name, value in printed if value}
        details = zip(_DETAILS_FIELDS, _details_values(imprint), strict=True)
        stated: dict[str, object] = {name: value for name, value in details if value}
        origin = paper.provenance.origin
        if annotated := [_annotated_record(file) for file in imprint.annotated_files if file.adds_to(origin)]:
            stated["annotations"] = annotated
        if stated:
            fields["details"] = stated
        fields |= {"editors": []} | _people("editors", "editor_parts", imprint.editors)
    source = paper.provenance
    fields["provenance"] = [source.format, source.origin, source.imported_at]
    return fields | _identity_fields(paper)


def _annotated_record(annotated: AnnotatedFile) -> dict[str, object]:
    """Only what differs from an empty annotation."""
    rows = [
        {name: value for name in _ANNOTATION_FIELDS if (value := getattr(annotation, name))}
        for annotation in annotated.annotations
    ]
    # The names of files are found by how the record begins: `_FILES_SQL`.
    return {"file": annotated.file, "annotations": rows} if annotated.file else {"annotations": rows}


def _identity_fields(paper: Paper) -> dict[str, object]:
    """What few papers have: doubts about what the record is, and the records it was merged from."""
    fields: dict[str, object] = {}
    if paper.has_more_authors:
        fields["has_more_authors"] = True
    if not paper.is_title_certain:
        fields["title_uncertain"] = True
    if paper.unverified_ids:
        fields["unverified_ids"] = paper.unverified_ids
    if paper.separated:
        fields["separated"] = paper.separated
    if paper.left_documents:
        fields["left_documents"] = paper.left_documents
    if paper.sources:
        fields["sources"] = [
            {
                "id": source.paper.id,
                "title": source.paper.title,
                "abstract": source.paper.abstract,
                "record": _record(source.paper),
                "documents": source.documents,
            }
            for source in paper.sources
        ]
    return fields


def _people(names_field: str, parts_field: str, authors: Sequence[Author]) -> dict[str, object]:
    """Surnames and given names, as every litterm reads them, and apart from them the parts that few names have."""
    if not authors:
        return {}
    fields: dict[str, object] = {
        names_field: [[author.surname, author.given] if author.given else [author.surname] for author in authors]
    }
    parts = [
        [place, author.prefix, author.suffix, author.is_literal]
        for place, author in enumerate(authors)
        if author.prefix or author.suffix or author.is_literal
    ]
    return fields | {parts_field: parts} if parts else fields


def _authors(pairs: Sequence[Sequence[str]], parts: Sequence[Sequence[object]]) -> tuple[Author, ...]:
    authors = [_author(*pair) for pair in pairs]
    for place, prefix, suffix, is_literal in cast("Sequence[tuple[int, str, str, bool]]", parts):
        author = authors[place]
        family = author.family[len(prefix) + 1 :] if prefix else author.family
        authors[place] = Author(family, author.given, prefix, suffix, is_literal)
    return tuple(authors)


def _imprint(record: _Record) -> PublicationDetails:
    words, details = record.get("imprint", {}), record.get("details", {})
    editors = _authors(record.get("editors", ()), record.get("editor_parts", ()))
    if not details:
        # Few papers have any: looking for each field takes as long as all the rest.
        return PublicationDetails(editors=editors, **words) if words or editors else _NO_IMPRINT
    return PublicationDetails(
        editors=editors,
        **words,
        article_number=details.get("article_number", ""),
        edition=details.get("edition", ""),
        series=details.get("series", ""),
        isbn=details.get("isbn", ""),
        issn=details.get("issn", ""),
        thesis=details.get("thesis", ""),
        institution=details.get("institution", ""),
        note=details.get("note", ""),
        files=tuple(details.get("files", ())),
        has_more_editors=details.get("has_more_editors", False),
        accession_numbers=tuple(details.get("accession_numbers", ())),
        databases=tuple(details.get("databases", ())),
        collections=tuple(details.get("collections", ())),
        exported_on=details.get("exported_on", ""),
        annotated_files=tuple(
            AnnotatedFile(
                tuple(FileAnnotation(**row) for row in annotated.get("annotations", ())),  # type: ignore[arg-type]  # as written
                annotated.get("file", ""),
            )
            for annotated in details.get("annotations", ())
        ),
    )


_ANNOTATIONS_SQL = (
    "SELECT row, id, record ->> '$.details.annotations' FROM {segment}.paper"
    # Cut out of the text: taking the JSON of a hundred thousand records apart takes ten times as long.
    " WHERE contains(record, $1)"
)
_FILES_SQL = "SELECT row, record FROM {segment}.paper WHERE contains(record, $1)"
_KEYWORDS_SQL = "SELECT row, record ->> '$.keywords' FROM {segment}.paper WHERE record ->> '$.keywords' IS NOT NULL"
_ADDED_SQL = (
    "SELECT row, coalesce(epoch(try_cast(record ->> '$.provenance[2]' AS TIMESTAMP)), 0)::BIGINT"
    " FROM {segment}.paper ORDER BY row"
)


def annotation_words(view: LibraryView, segment: Segment) -> Mapping[int, tuple[PaperId, str]]:
    """By row of `segment` the papers with annotations, with all words of these, case folded, a line for each."""
    found = {}
    for row, paper_id, record in view.select(segment, _ANNOTATIONS_SQL, ['"annotations":[{']):
        files = cast("list[_AnnotatedFileRecord]", json.loads(text(record or "[]")))
        annotations = [annotation for file in files for annotation in file.get("annotations", ())]
        if annotations:
            said = "\n".join(f"{one.get('quote', '')}\n{one.get('comment', '')}" for one in annotations)
            found[integer(row)] = (PaperId(text(paper_id)), said.casefold())
    return found


def rows_with_files(view: LibraryView, segment: Segment, files: Collection[str]) -> Iterator[int]:
    """The rows of `segment` in whose records one of `files` was read with the record of another file."""
    for row, record in view.select(segment, _FILES_SQL, ['{"file":"']):
        stated = cast(_Record, json.loads(text(record)))
        records = (stated, *(source["record"] for source in stated.get("sources", ())))
        annotated = (file for said in records for file in said.get("details", {}).get("annotations", ()))
        if any(file.get("file") in files for file in annotated):
            yield integer(row)


class RecordColumns:
    """What has been read of each segment, by its key."""

    def __init__(self) -> None:
        self._keywords: dict[str, Mapping[int, tuple[str, ...]]] = {}
        self._added: dict[str, Sequence[int]] = {}

    def keywords(self, view: LibraryView, segment: Segment) -> Mapping[int, tuple[str, ...]]:
        """The keywords of the papers of `segment` that have any, by row."""
        if segment.key not in self._keywords:
            rows = view.select(segment, _KEYWORDS_SQL)
            keywords = {integer(row): tuple(cast("list[str]", json.loads(text(record)))) for row, record in rows}
            self._keywords[segment.key] = keywords
        return self._keywords[segment.key]

    def added_times(self, view: LibraryView, segment: Segment) -> Sequence[int]:
        """When each paper of `segment` came into the library, in seconds since 1970, row by row; 0 where unknown."""
        if segment.key not in self._added:
            # Eight bytes a paper; a list of Python's integers would take several times as much, for good.
            times = array("q", [0]) * segment.count
            for row, seconds in view.select(segment, _ADDED_SQL):
                times[integer(row)] = integer(seconds)
            self._added[segment.key] = times
        return self._added[segment.key]
