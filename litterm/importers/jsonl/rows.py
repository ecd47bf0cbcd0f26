"""One row of JSON Lines to a paper.

Known fields, all optional but the title; unknown ones are passed over:
`id` (`scheme:key`, an address, a key only one scheme has, else kept as `local:ID`), `title`, `abstract`,
`authors` (names, or objects with `family` and `given` or with `name`), `year`, `date`, `venue`, `type`, `keywords`,
`doi`, `arxiv`, `pmid`, `pmcid`, `s2`, `anthology_id` or `acl_id`, `openreview`, `aliases`, `url`, `pdf_url`, `urls`,
`decision`, `status`, `tldr` (shown where there is no abstract), `retraction`, `abstract_by`,
`journal`, `booktitle`, `volume`, `issue`, `pages`, `publisher`, `address`, `editors`, `language`, `bibkey`,
`article_number`, `edition`, `series`, `isbn`, `issn`, `thesis`, `institution`, `note`, `files`, `venue_keys`,
`accession_numbers`, `databases`, `collections`, `exported_on`, `annotations`,
`has_more_authors`, `has_more_editors`, `is_title_certain`, `unverified_ids`,
`plain` (titles and abstracts hold no markup, and are taken to the letter), `mine` (the paper is one of the user's own),
`sections` (objects with `title` and `text` or `sentences`, optionally `level`),
`references` (ids, printed entries, or objects with `title`, `authors`, `year`, `doi`, `id`, `text`), `licence`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final, cast, get_args

from litterm.core.errors import BadInput
from litterm.importers.article_fields import (
    anthology_venues,
    citation_label,
    page_urls,
    reference_from_fields,
    venue_keys,
)
from litterm.importers.author_names import author_from_name
from litterm.importers.dates import find_year, iso_date, iso_prefix
from litterm.importers.ids import find_arxiv, parse_arxiv, parse_doi, parse_pmc, parse_pmid, rank_ids, recognize_id
from litterm.importers.jsonl.people import author_from_object, people_of
from litterm.model.document import Reference, SectionKind
from litterm.model.index import DECISIONS, PAPER_TYPES
from litterm.model.library import Parsed
from litterm.model.paper import (
    OWN_EXPORT,
    AnnotatedFile,
    Decision,
    FileAnnotation,
    FileAnnotationKind,
    Paper,
    PaperId,
    PaperType,
    Provenance,
    PublicationDetails,
)
from litterm.text.clean import clean_line, prose
from litterm.text.documents.builder import Block, References, abstract_document, build_document
from litterm.text.documents.hyphens import HyphenStatistics
from litterm.text.documents.sections import classify, heading_parts
from litterm.text.limits import MAX_REFERENCES
from litterm.text.references.identity import local_id, make_id, scheme_of

__all__ = ["JsonRow", "parse_row"]

PARSER: Final = "jsonl-1"
_MAX_ANNOTATIONS: Final = 2_000
_MAX_ANNOTATION_CHARS: Final = 10_000
_SHORT_CHARS: Final = 200
_EMPTY_ABSTRACTS: Final = frozenset(
    """withdrawn withdraw none n/a na null nan tbd todo abstract test - . .. ... x retracted deleted removed
    empty""".split()
)
_DECISIONS_BY_WORD: Final[tuple[tuple[str, Decision], ...]] = (
    ("desk", "desk-reject"),
    ("withdr", "withdrawn"),
    ("reject", "reject"),
    ("workshop", "workshop"),
    ("accept", "accept"),
    ("oral", "accept"),
    ("poster", "accept"),
    ("spotlight", "accept"),
    ("notable", "accept"),
)
_FORUM_URL: Final = "https://openreview.net/forum?id="
_PARAGRAPH_BREAK: Final = re.compile(r"(?<!\s)(?=[^\S\n]*+\n[^\S\n]*+\n)\s++|\r?\n(?=\s*+[-*•]\s)")
_MAX_DEPTH: Final = 6


def parse_row(row: JsonRow, origin: str, hyphens: HyphenStatistics) -> Parsed:
    """The paper of a row, with a document where it has sections or references.

    Raises:
        BadInput: it has no title.
    """
    paper = _paper(row, origin, hyphens)
    blocks = tuple(blocks_of(row, paper))
    references = references_of(row)
    if blocks:
        document = build_document(
            paper.id,
            blocks,
            origin="starter" if scheme_of(paper.id) == "starter" else "jsonl",
            parser=PARSER,
            references=References(references, known="references" in row.values),
            licence=row.text("licence") or row.text("license"),
        )
        return Parsed(paper, document)
    if references:
        return Parsed(paper, replace(abstract_document(paper), references=references, references_known=True))
    return Parsed(paper)


def _paper(row: JsonRow, origin: str, hyphens: HyphenStatistics) -> Paper:
    title = row.prose("title") if row.is_plain else hyphens.rejoin(row.prose("title"))
    if not title:
        raise BadInput("The row has no title.")
    people = people_of(row, "authors", "author")
    year, date = _publication_date(row)
    ids = _paper_ids(row) or (local_id(title, people.authors, year),)
    venue = row.text("venue") or row.text("journal")
    in_proceedings = any(scheme_of(paper_id) == "acl" for paper_id in ids)
    decision = _decision(row)
    if not decision and venue.lower() == "iclr" and any(scheme_of(paper_id) == "iclr" for paper_id in ids):
        # A forum is a submission: nobody has said that it appeared.
        decision = "unknown"
    if in_proceedings and decision not in ("", "accept", "workshop"):
        # A rejected submission matched by title to the paper that appeared: the decision is not that paper's.
        decision = ""
    return Paper(
        id=ids[0],
        title=title,
        abstract=_abstract(row) if row.is_plain else hyphens.rejoin(_abstract(row)),
        authors=people.authors,
        year=year,
        date=date,
        venue=venue,
        venue_keys=_venue_keys(row, venue, ids),
        type=_type(row, ids),
        keywords=row.words("keywords"),
        aliases=ids[1:],
        urls=_urls(row, ids),
        retraction=_retraction(row),
        decision=decision,
        status=row.text("status"),
        abstract_by="litterm" if row.text("abstract_by") == "litterm" else "authors",
        imprint=_imprint(row),
        # What was exported from one library as the user's own is that in another one, too.
        provenance=Provenance(OWN_EXPORT if row.values.get("mine") is True else "jsonl", origin),
        has_more_authors=people.has_more or row.values.get("has_more_authors") is True,
        is_title_certain=row.values.get("is_title_certain") is not False,
        unverified_ids=tuple(dict.fromkeys(filter(None, map(recognize_id, row.words("unverified_ids"))))),
    )


def _venue_keys(row: JsonRow, venue: str, ids: tuple[PaperId, ...]) -> tuple[str, ...]:
    stated = (key.lower() for key in row.words("venue_keys"))
    return tuple(dict.fromkeys((*stated, *venue_keys(venue, *anthology_venues(ids)))))


def _abstract(row: JsonRow) -> str:
    abstract = row.prose("abstract")
    if abstract.strip(" .").lower() in _EMPTY_ABSTRACTS:
        abstract = ""
    return abstract or row.prose("tldr")


def _imprint(row: JsonRow) -> PublicationDetails:
    editors = people_of(row, "editors", "editor")
    return PublicationDetails(
        booktitle=row.prose("booktitle"),
        journal=row.prose("journal"),
        volume=row.text("volume"),
        issue=row.text("issue") or row.text("number"),
        pages=row.text("pages").replace("--", "–"),
        publisher=row.text("publisher"),
        address=row.text("address"),
        editors=editors.authors,
        has_more_editors=editors.has_more or row.values.get("has_more_editors") is True,
        language=row.text("language"),
        bibkey=row.text("bibkey"),
        article_number=row.text("article_number"),
        edition=row.text("edition"),
        series=row.text("series"),
        isbn=row.text("isbn"),
        issn=row.text("issn"),
        thesis=row.text("thesis"),
        institution=row.text("institution"),
        note=row.text("note"),
        files=_uncut(row, "files"),
        accession_numbers=_uncut(row, "accession_numbers"),
        databases=_uncut(row, "databases"),
        collections=_uncut(row, "collections"),
        exported_on=iso_prefix(row.text("exported_on")),
        annotated_files=_annotated_files(row),
    )


def _annotated_files(row: JsonRow) -> tuple[AnnotatedFile, ...]:
    """The annotations, those of one file together."""
    stated, files = row.values.get("annotations"), dict[str, list[FileAnnotation]]()
    for values in stated[:_MAX_ANNOTATIONS] if isinstance(stated, list) else ():
        if isinstance(values, dict):
            fields = JsonRow(values)
            kinds: tuple[FileAnnotationKind, ...] = get_args(FileAnnotationKind)
            kind: FileAnnotationKind = next((kind for kind in kinds if kind == fields.text("kind")), "highlight")
            comment = values.get("comment")
            lines = map(clean_line, comment[:_MAX_ANNOTATION_CHARS].splitlines()) if isinstance(comment, str) else ()
            annotation = FileAnnotation(
                kind,
                page=fields.text("page")[:_SHORT_CHARS],
                quote=fields.text("quote")[:_MAX_ANNOTATION_CHARS],
                comment="\n".join(filter(None, lines)),
                colour=fields.text("colour")[:_SHORT_CHARS],
                author=fields.text("author")[:_SHORT_CHARS],
                changed=fields.text("changed")[:_SHORT_CHARS],
            )
            files.setdefault(fields.text("file"), []).append(annotation)
    return tuple(AnnotatedFile(tuple(annotations), file) for file, annotations in files.items())


def _uncut(row: JsonRow, name: str) -> tuple[str, ...]:
    # Not cut at commas and semicolons, which the names of files and databases hold.
    stated = row.values.get(name)
    return JsonRow({name: [stated] if isinstance(stated, str) else stated}).words(name)


def _publication_date(row: JsonRow) -> tuple[int | None, str]:
    date = iso_prefix(row.text("date"))
    year = find_year(row.text("year")) or find_year(date)
    return year, date or iso_date(year, row.text("month"))


def _paper_ids(row: JsonRow) -> tuple[PaperId, ...]:
    """Every id the row states, the paper's own first: what `id` says with its scheme, else the strongest."""
    stated_id = row.text("id") or row.text("paper_id") or row.text("key")
    recognized_id = recognize_id(stated_id) if stated_id else None
    if recognized_id is None and scheme_of(stated_id).lower() == "local":
        stated_id = stated_id.partition(":")[2]
    volume = row.text("volume")
    stated_ids = [
        recognized_id,
        *(_id_from_field("acl", row.text(name)) for name in ("anthology_id", "acl_id")),
        _forum(row, stated_id),
        parse_doi(row.text("doi")),
        parse_arxiv(row.text("arxiv") or row.text("arxiv_id")),
        find_arxiv(row.text("journal")) or (parse_arxiv(volume) if volume.startswith("abs/") else None),
        parse_pmid(row.text("pmid")),
        parse_pmc(row.text("pmcid")),
        _id_from_field("s2", row.text("s2")),
        *(recognize_id(alias) for alias in row.words("aliases")),
    ]
    ids = rank_ids(stated_ids)
    if stated_id and recognized_id is None and not any(paper_id.partition(":")[2] == stated_id for paper_id in ids):
        # What the user calls the paper stays a name of it.
        return (*ids, *(local for local in (make_id("local", stated_id),) if local is not None))
    # Keeps the id that the row goes by, though a stronger one is there: a second import must find it.
    if recognized_id is not None and scheme_of(stated_id) == scheme_of(recognized_id):
        return (recognized_id, *(paper_id for paper_id in ids if paper_id != recognized_id))
    return ids


def _forum(row: JsonRow, stated_id: str) -> PaperId | None:
    """The OpenReview forum: stated, or the row's own id where its page is that forum's."""
    stated = row.text("openreview") or row.text("forum")
    if not stated and stated_id and row.text("url") == f"{_FORUM_URL}{stated_id}":
        stated = stated_id
    return _id_from_field("iclr", stated)


def _id_from_field(scheme: str, key: str) -> PaperId | None:
    """The id of a key whose scheme the field's name says; `None` for what can be none."""
    return recognize_id(f"{scheme}:{key}") if key else None


def _type(row: JsonRow, ids: tuple[PaperId, ...]) -> PaperType:
    stated = row.text("type").lower()
    if stated in PAPER_TYPES:
        return cast(PaperType, stated)
    if row.text("journal"):
        return "article"
    if row.text("booktitle") or _decision(row) or any(scheme_of(paper_id) in ("acl", "iclr") for paper_id in ids):
        return "inproceedings"
    return "preprint" if any(scheme_of(paper_id) == "arxiv" for paper_id in ids) else "other"


def _decision(row: JsonRow) -> Decision:
    stated = row.text("decision").lower()
    if not stated or stated in DECISIONS:
        return cast(Decision, stated)
    # Sources have many words for it; what none of these is was at least submitted.
    return next((decision for word, decision in _DECISIONS_BY_WORD if word in stated), "unknown")


def _retraction(row: JsonRow) -> str:
    stated = row.text("retraction")
    return stated or ("retracted" if True in (row.values.get("retracted"), row.values.get("retraction")) else "")


def _urls(row: JsonRow, ids: tuple[PaperId, ...]) -> tuple[str, ...]:
    stated = (row.text("url"), row.text("pdf_url"), *row.words("urls"))
    addresses = [address for address in stated if address.startswith(("http://", "https://"))]
    return tuple(dict.fromkeys(addresses)) or page_urls(ids)


@dataclass(frozen=True, slots=True)
class JsonRow:
    """A JSON object whose values may be of any type, whatever the field's name promises."""

    values: Mapping[str, object]
    is_plain: bool = False
    """Whether titles and abstracts hold no markup, as in what litterm itself writes."""

    def text(self, name: str) -> str:
        """A string or number as one clean line; empty for anything else."""
        return _line(self.values.get(name))

    def prose(self, name: str) -> str:
        """A string without LaTeX and inline markup, or a number; to the letter where the row is `plain`."""
        value = self.values.get(name)
        return prose(value) if isinstance(value, str) and not self.is_plain else _line(value)

    def words(self, name: str) -> tuple[str, ...]:
        """A list of strings, or one string cut at semicolons or commas; without repeats."""
        value = self.values.get(name)
        if isinstance(value, str):
            value = value.split(";") if ";" in value else value.split(",")
        lines = (_line(item) for item in value) if isinstance(value, list) else ()
        return tuple(dict.fromkeys(line for line in lines if line))

    def rows(self, name: str) -> list[JsonRow]:
        """The objects in a list."""
        value = self.values.get(name)
        items = value if isinstance(value, list) else []
        return [
            JsonRow({str(key): field_value for key, field_value in row.items()}, self.is_plain)
            for row in items
            if isinstance(row, dict)
        ]


def blocks_of(row: JsonRow, paper: Paper) -> Iterator[Block]:
    """Title, abstract and sections; nothing where the row has no sections."""
    sections = [block for section in row.rows("sections") for block in _section(section, 1)]
    if not any(block.kind in ("body", "abstract") for block in sections):
        return
    yield Block("title", paper.title)
    if paper.abstract and not any(block.section_kind == "abstract" for block in sections):
        heading = "Abstract" if paper.abstract_by == "authors" else "Summary by litterm"
        yield Block("heading", heading, section_kind="abstract")
        yield Block("abstract", paper.abstract)
    yield from sections


def _section(section: JsonRow, depth: int) -> Iterator[Block]:
    yield from _own_text(section, depth)
    for inner in section.rows("sections"):
        yield from _section(inner, depth + 1)


def _own_text(section: JsonRow, depth: int) -> Iterator[Block]:
    number, title = _heading(section)
    kind: SectionKind = classify(title)
    yield Block("heading", title, number=number, level=_level(section, number, depth), section_kind=kind)
    text_kind = "abstract" if kind == "abstract" else "body"
    sentences = section.values.get("sentences")
    if isinstance(sentences, list):
        lines = tuple(
            line
            for sentence in sentences
            if (line := _line(sentence.get("text") if isinstance(sentence, dict) else sentence))
        )
        if lines:
            yield Block("abstract" if text_kind == "abstract" else "body", sentences=lines)
        return
    for paragraph in _paragraphs(section):
        yield Block("abstract" if text_kind == "abstract" else "body", paragraph)


def _heading(section: JsonRow) -> tuple[str, str]:
    """Number and title; a title begins with its number, unless the section states another, or none."""
    printed = section.prose("title") or section.prose("heading")
    number, title = heading_parts(printed)
    if not isinstance(section.values.get("number"), str | int):
        return number, title
    stated = section.text("number")
    if printed.startswith(f"{stated} "):
        return stated, printed[len(stated) :].strip()
    return stated, title if number == stated else printed


def _paragraphs(section: JsonRow) -> list[str]:
    stated = section.values.get("paragraphs")
    if isinstance(stated, list):
        return [line for paragraph in stated if (line := _line(paragraph))]
    text = section.values.get("text")
    return (
        [line for paragraph in _PARAGRAPH_BREAK.split(text) if (line := clean_line(paragraph))]
        if isinstance(text, str)
        else []
    )


def _level(section: JsonRow, number: str, depth: int) -> int:
    stated = section.values.get("level")
    if isinstance(stated, int) and not isinstance(stated, bool) and 1 <= stated <= _MAX_DEPTH:
        return stated
    return min(max(number.count(".") + 1, depth), _MAX_DEPTH)


def references_of(row: JsonRow) -> tuple[Reference, ...]:
    """The entries of `references`, in order; one more than a record may have, where there are more."""
    value = row.values.get("references")
    entries = (entry for entry in value if isinstance(entry, str | dict)) if isinstance(value, list) else iter(())
    return tuple(_reference(index, entry, row) for index, entry in enumerate(islice(entries, MAX_REFERENCES + 1)))


def _families(row: JsonRow) -> Iterator[str]:
    """The family names of the authors, which are names or objects."""
    value = row.values.get("authors")
    for person in value if isinstance(value, list) else row.words("authors"):
        if isinstance(person, dict):
            fields = JsonRow({str(key): field_value for key, field_value in person.items()})
            family, author = fields.text("family"), author_from_object(fields.values)
        else:
            family, author = "", author_from_name(_line(person))
        if family:
            yield family
        elif author is not None:
            yield author.surname


def _reference(index: int, value: str | dict[object, object], citing: JsonRow) -> Reference:
    if isinstance(value, str):
        line = clean_line(value)
        line_id = recognize_id(line)
        return Reference(index, line, year=None if line_id else find_year(line), ids=(line_id,) if line_id else ())
    row = JsonRow({str(key): field_value for key, field_value in value.items()}, citing.is_plain)
    families = tuple(_families(row))
    year = find_year(row.text("year"))
    ids = _reference_ids(row)
    title = row.prose("title")
    if text := row.prose("text"):
        label = row.text("label") or citation_label(families, year)
        return Reference(index, text, label=label, title=title, families=families, year=year, ids=ids)
    return reference_from_fields(index, title, families, year, ids, row.prose("venue"))


def _reference_ids(row: JsonRow) -> tuple[PaperId, ...]:
    ids = (recognize_id(row.text("id")), parse_doi(row.text("doi")), *map(recognize_id, row.words("aliases")))
    return rank_ids(ids)


def _line(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float) or value != value:
        # What is not a number (NaN) is what tables write for a value they lack.
        return ""
    return clean_line(value if isinstance(value, str) else str(value))
