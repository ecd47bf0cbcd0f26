"""The JSON contract: fields may be added, never removed or renamed. docs/reference/json.md documents them."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NotRequired, TypedDict

from litterm.core.tasks import Task
from litterm.model.events import Progress
from litterm.render.agreement import MarkOfAgreement
from litterm.render.annotations import AnnotationData, annotations_data
from litterm.render.citations.citation_counts import CountsData, counts_data
from litterm.render.explanation import (
    RankReasonsData,
    RewriteData,
    WordSourcesData,
    rank_reasons_data,
    rewrite_data,
    word_sources_data,
)
from litterm.render.locator import locator
from litterm.render.names import differing_fields, full_name

if TYPE_CHECKING:
    from litterm.model.annotations import MarkedPapers, PaperNotes
    from litterm.model.citations.facts import NameFact
    from litterm.model.document import Document
    from litterm.model.paper import Paper, PaperId, PublicationDetails
    from litterm.model.search import NamedPaper, RankedPaper, Ranking


class PlaceData(TypedDict):
    """The rank of a paper for one of several queries; 0 is the query as typed."""

    query: int
    rank: int


class AspectCellData(TypedDict):
    """How far one paper covers one sub-aspect; a grade is 0, 1, 2 or "?"."""

    aspect: str
    score: float | None
    grade: int | str | None
    reason: str
    sentence: int | str | None


class AspectOfPaper(AspectCellData):
    """How far one paper covers one aspect."""

    sub_aspects: list[AspectCellData]


class AspectCoverageData(TypedDict):
    """How far one paper covers the aspects of a query."""

    aspects: list[AspectOfPaper]
    coverage: float | None
    relevance: float | None
    average: float | None
    relevant: bool | None
    unread: int


class RankedPaperData(TypedDict):
    """A result of a search; with aspects also the fields of `AspectCoverageData`."""

    rank: int
    id: str
    title: str
    authors: list[str]
    year: int | None
    venue: str
    score: float | None
    by: str
    type: str
    decision: str
    retraction: str
    full_text: bool
    starter: bool
    matched: dict[str, int]
    local_rank: int | None
    via: list[str]
    reason: str
    places: list[PlaceData]
    name: str
    why: RankReasonsData | None
    citations: CountsData | None
    aspects: NotRequired[list[AspectOfPaper]]
    coverage: NotRequired[float | None]
    relevance: NotRequired[float | None]
    average: NotRequired[float | None]
    relevant: NotRequired[bool | None]
    unread: NotRequired[int]


class NamedPaperData(TypedDict):
    """A paper that a name in the query stands for."""

    name: str
    id: str | None
    ids: list[str]
    title: str
    year: int | None
    first_author: str
    kind: str
    sources: list[str]
    texts: int
    whole: bool


class AspectData(TypedDict):
    """An aspect of a query."""

    aspect: str
    sub_aspects: list[str]
    weight: float
    muted: bool


class SearchData(TypedDict):
    """The answer of `search`."""

    query: str
    count: int
    results: list[RankedPaperData]
    found: int
    by: str
    asked: str
    hidden: int
    suggestion: str | None
    searched: int
    notices: list[str]
    kind: str
    first: int
    missing: list[str]
    words: WordSourcesData | None
    rewrite: RewriteData | None
    names: list[NamedPaperData]
    aspects: NotRequired[list[AspectData]]
    aspects_by: NotRequired[str]
    scored_by: NotRequired[str]
    graded_by: NotRequired[str]
    agreement: NotRequired[MarkOfAgreement | None]


class NotesData(TypedDict):
    """What the user holds about a paper."""

    screening: str | None
    starred: bool
    tags: list[str]
    note: str
    status: str
    collections: list[str]


class SectionData(TypedDict):
    """A heading of a full text."""

    title: str
    number: str
    level: int
    kind: str


class OutlineData(TypedDict):
    """What a full text holds."""

    id: str
    origin: str
    sentences: int
    references: int | None
    tables: int
    licence: str
    sections: list[SectionData]


class ImportedData(TypedDict):
    """Where a record comes from."""

    format: str
    origin: str
    at: str


class SourceData(ImportedData):
    """What one of several sources of a record states."""

    id: str
    states: dict[str, object]


class PublicationData(TypedDict):
    """Where and how a paper was published, as its source says."""

    booktitle: str
    journal: str
    volume: str
    issue: str
    pages: str
    publisher: str
    address: str
    editors: list[str]
    language: str
    bibkey: str
    article_number: str
    edition: str
    series: str
    isbn: str
    issn: str
    thesis: str
    institution: str
    note: str
    files: list[str]
    accession_numbers: list[str]
    databases: list[str]
    collections: list[str]
    exported_on: str
    has_more_editors: bool


class RecordData(PublicationData):
    """A bibliographic record."""

    id: str
    title: str
    authors: list[str]
    year: int | None
    venue: str
    abstract: str
    abstract_by: str
    date: str
    type: str
    keywords: list[str]
    aliases: list[str]
    urls: list[str]
    retraction: str
    decision: str
    status: str
    full_text: bool
    has_more_authors: bool
    is_title_certain: bool
    unverified_ids: list[str]
    sources: list[SourceData]
    imported: ImportedData


class KnownNameData(TypedDict):
    """A name of a paper by citation facts."""

    name: str
    kind: str
    texts: int
    sources: list[str]


class PaperData(RecordData):
    """A record, its full text, and what the user holds about it."""

    document: OutlineData | None
    annotations: list[AnnotationData]
    notes: NotesData


class ShowData(PaperData):
    """The answer of `show`."""

    imports: list[str]
    known_as: list[KnownNameData]
    citations: CountsData


class MarkedPaperData(NotesData):
    """What the user holds about a paper after `mark`."""

    id: str
    changed: bool


class MarkData(TypedDict):
    """The answer of `mark`."""

    count: int
    changed: int
    papers: list[MarkedPaperData]
    unknown: list[str]


JSON_VERSIONS: Mapping[str, int] = {}
"""By command the version of what `--json` prints, where it is not 1; it rises with every change of its types."""
# Valid inside JSON, but a terminal acts on them; an escape says the same.
_INVISIBLE = re.compile(
    "[\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
_SURROGATE = re.compile("[\ud800-\udfff]")
_PIECES_PER_EVENT = 50_000
"""Pieces of JSON, about 100 ms of work."""


def schema_name(command: str) -> str:
    """What the field `schema` says: the file below docs/reference/schemas and the version, as in `search/1`."""
    return f"{command}/{JSON_VERSIONS.get(command, 1)}"


def dumps(body: Mapping[str, object] | Sequence[object], *, ascii_only: bool = False) -> str:
    """`body` as indented JSON that can be encoded and shown anywhere; the same text once parsed."""
    return _printable(json.dumps(body, ensure_ascii=False, indent=2), ascii_only=ascii_only)


def dumps_in_steps(body: Mapping[str, object] | Sequence[object]) -> Task[str]:
    """As `dumps`, with an event now and then: a thousand papers take most of a second."""
    pieces: list[str] = []
    for piece in json.JSONEncoder(ensure_ascii=False, indent=2).iterencode(body):
        pieces.append(piece)
        if len(pieces) % _PIECES_PER_EVENT == 0:
            yield Progress("writing the answer")
    return _printable("".join(pieces))


def _printable(text: str, *, ascii_only: bool = False) -> str:
    # A lone surrogate, which an escape in imported JSON can bring in, cannot be encoded as UTF-8.
    text = _SURROGATE.sub("\ufffd", text)
    return (re.compile(r"[^\x00-\x7e]") if ascii_only else _INVISIBLE).sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    return json.dumps(match.group())[1:-1]


def search(ranking: Ranking, *, typed: str) -> SearchData:
    """A ranking; `typed` is the query as the user gave it, before options were added to it."""
    return {
        "query": typed,
        "count": len(ranking.papers),
        "results": [_ranked_paper(item) for item in ranking.papers],
        "found": ranking.found,
        "by": ranking.by,
        "asked": ranking.query.text,
        "hidden": ranking.hidden,
        "suggestion": ranking.suggestion,
        "searched": ranking.searched,
        "notices": list(ranking.notices),
        "kind": ranking.kind,
        "first": ranking.first,
        "missing": list(ranking.missing),
        "words": word_sources_data(ranking.sources),
        "rewrite": rewrite_data(ranking.rewrite),
        "names": [_named_paper(item) for item in ranking.names],
    }


def _named_paper(named: NamedPaper) -> NamedPaperData:
    fact = named.fact
    return {
        "name": named.name,
        "id": named.paper,
        "ids": list(fact.ids),
        "title": fact.title,
        "year": fact.year,
        "first_author": fact.first_author,
        "kind": fact.kind,
        "sources": list(fact.sources),
        "texts": fact.texts,
        "whole": named.is_whole,
    }


def _ranked_paper(item: RankedPaper) -> RankedPaperData:
    paper = item.paper
    return {
        "rank": item.rank,
        "id": paper.id,
        "title": paper.title,
        "authors": [full_name(author) for author in paper.authors],
        "year": paper.year,
        "venue": paper.venue,
        "score": item.score,
        "by": item.by,
        "type": paper.type,
        "decision": paper.decision,
        "retraction": paper.retraction,
        "full_text": paper.full_text,
        "starter": item.library_name == "starter",
        "matched": dict(item.matched),
        "local_rank": item.local_rank,
        "via": list(item.via),
        "reason": item.reason,
        "places": [{"query": place.query, "rank": place.rank} for place in item.places],
        "name": item.name,
        "why": rank_reasons_data(item),
        "citations": None if item.cited is None else counts_data(item.cited),
    }


def known_names(facts: Iterable[NameFact]) -> list[KnownNameData]:
    """The names of a paper, and who uses them."""
    return [
        {"name": fact.name, "kind": fact.kind, "texts": fact.texts, "sources": list(fact.sources)} for fact in facts
    ]


def show(paper: Paper, document: Document | None, notes: PaperNotes) -> PaperData:
    """Everything held about one paper; `document` is its full text, if there is one."""
    return {
        **record(paper),
        "document": None if document is None else _outline(document),
        "annotations": annotations_data(paper, document),
        "notes": notes_data(notes),
    }


def notes_data(notes: PaperNotes) -> NotesData:
    """What the user holds about one paper."""
    return {
        "screening": notes.screening,
        "starred": notes.starred,
        "tags": list(notes.tags),
        "note": notes.note,
        "status": notes.status,
        "collections": list(notes.collections),
    }


def marked(done: MarkedPapers, notes: Mapping[PaperId, PaperNotes]) -> MarkData:
    """What came of marking papers; `notes` are those on each since."""
    papers: list[MarkedPaperData] = [
        {"id": paper_id, "changed": paper_id in done.changed, **notes_data(notes[paper_id])} for paper_id in done.papers
    ]
    return {"count": len(papers), "changed": len(done.changed), "papers": papers, "unknown": list(done.unknown)}


def record(paper: Paper) -> RecordData:
    """The bibliographic record of one paper."""
    return {
        "id": paper.id,
        "title": paper.title,
        "authors": [full_name(author) for author in paper.authors],
        "year": paper.year,
        "venue": paper.venue,
        "abstract": paper.abstract,
        "abstract_by": paper.abstract_by,
        "date": paper.date,
        "type": paper.type,
        "keywords": list(paper.keywords),
        "aliases": list(paper.aliases),
        "urls": list(paper.urls),
        "retraction": paper.retraction,
        "decision": paper.decision,
        "status": paper.status,
        "full_text": paper.full_text,
        **_publication_data(paper.imprint),
        "has_more_authors": paper.has_more_authors,
        "is_title_certain": paper.is_title_certain,
        "unverified_ids": list(paper.unverified_ids),
        "sources": _sources(paper),
        "imported": {
            "format": paper.provenance.format,
            "origin": paper.provenance.origin,
            "at": paper.provenance.imported_at,
        },
    }


def _publication_data(imprint: PublicationDetails) -> PublicationData:
    return {
        "booktitle": imprint.booktitle,
        "journal": imprint.journal,
        "volume": imprint.volume,
        "issue": imprint.issue,
        "pages": imprint.pages,
        "publisher": imprint.publisher,
        "address": imprint.address,
        "editors": [full_name(editor) for editor in imprint.editors],
        "language": imprint.language,
        "bibkey": imprint.bibkey,
        "article_number": imprint.article_number,
        "edition": imprint.edition,
        "series": imprint.series,
        "isbn": imprint.isbn,
        "issn": imprint.issn,
        "thesis": imprint.thesis,
        "institution": imprint.institution,
        "note": imprint.note,
        "files": list(imprint.files),
        "accession_numbers": list(imprint.accession_numbers),
        "databases": list(imprint.databases),
        "collections": list(imprint.collections),
        "exported_on": imprint.exported_on,
        "has_more_editors": imprint.has_more_editors,
    }


def _sources(paper: Paper) -> list[SourceData]:
    return [
        {
            "id": source.paper.id,
            "format": source.paper.provenance.format,
            "origin": source.paper.provenance.origin,
            "at": source.paper.provenance.imported_at,
            "states": dict(differing_fields(paper, source.paper)),
        }
        for source in paper.sources
    ]


def read(document: Document, paper: Paper, sections: Collection[int] | None = None) -> dict[str, object]:
    """The text of one paper, sentence by sentence; with `sections`, by their indices, only theirs."""
    return {
        "paper": paper.id,
        "title": paper.title,
        **_outline(document),
        "text": [
            {
                "index": sentence.index,
                "section": sentence.section,
                "kind": sentence.kind,
                "paragraph": sentence.paragraph,
                "page": sentence.page,
                "locator": locator(document, sentence),
                "text": sentence.text,
            }
            for sentence in document.sentences
            if sections is None or sentence.section in sections
        ],
    }


def _outline(document: Document) -> OutlineData:
    return {
        "id": document.id,
        "origin": document.origin,
        "sentences": len(document.sentences),
        "references": len(document.references) if document.references_known else None,
        "tables": len(document.tables),
        "licence": document.licence,
        "sections": [
            {"title": section.title, "number": section.number, "level": section.level, "kind": section.kind}
            for section in document.sections
        ],
    }
