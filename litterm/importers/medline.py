"""MEDLINE's tagged records to papers: PubMed's `.nbib` files and “PubMed” text, ERIC, KoreaMed.

`nbib` knows PubMed's tags, but reads a file of one bad record as no file; what tags mean to us is most of this module.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from litterm.core.errors import BadInput
from litterm.importers.author_names import PersonList, people_from_names
from litterm.importers.byte_sources import Content
from litterm.importers.encoding import decode_text
from litterm.importers.exported_record import (
    MAX_FILE_BYTES,
    MAX_LINES,
    ExportedRecord,
    best_abstract,
    lines_of,
    pages_of,
    paper_of,
    publication_date,
    serial_numbers,
    without_stop,
)
from litterm.importers.ids import parse_doi, parse_pmc, parse_pmid
from litterm.model.library import Failure, Parsed
from litterm.model.paper import Author, PaperId, PaperType, PublicationDetails
from litterm.text.clean import clean_line, prose

_TAG: Final = re.compile(r"([A-Z][A-Z0-9]{1,3}) {0,2}- ?(.*)", re.DOTALL)
_TYPES: Final[Mapping[str, PaperType]] = {
    "preprint": "preprint",
    "books": "book",
    "book": "book",
    "book chapter": "chapter",
    "academic dissertation": "thesis",
    "technical report": "report",
}
_RETRACTED: Final = "retracted publication"
_SERVICES: Final = {"NLM": "PubMed", "ERIC": "ERIC", "KMED": "KoreaMed"}
_ELECTRONIC_DATE: Final = re.compile(r"(\d{4})(\d\d)(\d\d)")

MedlineRecord = dict[str, list[str]]
"""The values of each tag, in order."""


def read_nbib(content: Content) -> Iterator[Parsed | Failure]:
    """Every record of a file; one without a title is a failure of its own.

    Raises:
        BadInput: the file is too large or holds no record.
    """
    decoded = decode_text(content.read(MAX_FILE_BYTES))
    remark, count = decoded.remark, 0
    for line, record in _records(decoded.text):
        count += 1
        place = f"{content.origin}:{line}"
        if record is None:
            yield Failure(place, f"A MEDLINE record of more than {MAX_LINES:,} lines.")
            continue
        paper = paper_of(_exported(record), "nbib", content.origin)
        if paper.title:
            yield Parsed(paper, remark=remark)
            remark = ""
        else:
            yield Failure(place, "A MEDLINE record without a title.")
    if not count:
        raise BadInput("Holds no MEDLINE record.")


def _records(text: str) -> Iterator[tuple[int, MedlineRecord | None]]:
    """Number of the first line, from 1, and the values of each record; `None` for one that is too long."""
    values: list[tuple[str, list[str]]] = []
    start, is_divided = 1, False
    for number, line in enumerate(lines_of(text), 1):
        match = _TAG.match(line)
        if match is None:
            # An empty line divides records, unless the text goes on behind it.
            is_divided = not line.strip()
            if values and line.strip():
                values[-1][1].append(line.strip())
            continue
        if values and (match[1] == "PMID" or (is_divided and match[1] in {tag for tag, _ in values[:1]} | {"OWN"})):
            yield start, _values(values)
            values = []
        if not values:
            start = number
        values.append((match[1], [match[2].strip()]))
        is_divided = False
    if values:
        yield start, _values(values)


def _values(values: list[tuple[str, list[str]]]) -> MedlineRecord | None:
    if sum(len(lines) for _, lines in values) > MAX_LINES:
        return None
    record: MedlineRecord = {}
    for tag, lines in values:
        if text := " ".join(lines):
            record.setdefault(tag, []).append(text)
    return record


def _all(record: MedlineRecord, *tags: str) -> list[str]:
    return [value for tag in tags for value in record.get(tag, ())]


def _first(record: MedlineRecord, *tags: str) -> str:
    return next(iter(_all(record, *tags)), "")


def _exported(record: MedlineRecord) -> ExportedRecord:
    kinds = [kind.casefold() for kind in _all(record, "PT")]
    electronic = [_ELECTRONIC_DATE.sub(r"\1-\2-\3", date) for date in _all(record, "DEP")]
    year, date = publication_date(_all(record, "DP") or electronic)
    kind: PaperType = next((_TYPES[name] for name in kinds if name in _TYPES), "article")
    title = _first(record, "TI") or _first(record, "BTI", "CTI", "TT")
    return ExportedRecord(
        title=without_stop(title),
        type=kind,
        authors=_authors(record),
        editors=people_from_names(_all(record, "FED") or _all(record, "ED")),
        abstract=best_abstract(_all(record, "AB") or _all(record, "OAB")),
        year=year,
        date=date,
        container=_first(record, "JT") or _first(record, "TA") or (_first(record, "BTI") if "TI" in record else ""),
        short_containers=tuple(_all(record, "TA")),
        ids=_ids(record),
        keywords=tuple(
            word for tag in ("OT", "MH", "KW") for value in record.get(tag, ()) for word in _words(tag, value)
        ),
        notes=tuple(_all(record, "GN")),
        retraction=_retraction(record, kinds),
        details=_details(record),
    )


def _words(tag: str, value: str) -> list[str]:
    # A heading of MeSH has commas and slashes of its own.
    return [value] if tag == "MH" else value.split(";")


def _authors(record: MedlineRecord) -> PersonList:
    """The authors by their full names, where they have these, and groups behind them."""
    # Investigators (`FIR`, `IR`) took part in the study of a group, and did not write.
    listed = people_from_names(_all(record, "FAU") or _all(record, "AU"))
    groups = tuple(Author(prose(name).rstrip("."), is_literal=True) for name in _all(record, "CN"))
    return PersonList((*listed.authors, *groups), listed.has_more)


def _ids(record: MedlineRecord) -> tuple[PaperId | None, ...]:
    labelled = _all(record, "LID", "AID")
    is_pubmed = _first(record, "OWN") in ("", "NLM")
    return (
        *(parse_pmid(number) for number in _all(record, "PMID")[:1] if is_pubmed),
        *map(parse_pmc, _all(record, "PMC")),
        *(parse_doi(value) for value in labelled if value.endswith("[doi]")),
    )


def _retraction(record: MedlineRecord, kinds: list[str]) -> str:
    if _RETRACTED in kinds or "RIN" in record:
        return "retracted"
    if "ECI" in record:
        return "concern"
    return "corrected" if "EIN" in record or "CRI" in record else ""


def _details(record: MedlineRecord) -> PublicationDetails:
    isbn, issn = serial_numbers(value.partition("(")[0] for value in _all(record, "IS", "ISBN"))
    owner = _first(record, "OWN")
    service = _SERVICES.get(owner, owner or "PubMed")
    own_number = _first(record, "PMID")
    pages, number = pages_of(_first(record, "PG")), _article_number(record)
    return PublicationDetails(
        volume=clean_line(_first(record, "VI")),
        issue=clean_line(_first(record, "IP")),
        # An article's number is often its page, too.
        pages="" if pages == number else pages,
        article_number=number,
        publisher=prose(_first(record, "PB")),
        language=clean_line(", ".join(_all(record, "LA"))),
        edition=clean_line(_first(record, "EN")),
        isbn=isbn,
        issn=issn,
        databases=(service,),
        accession_numbers=(f"{service} {own_number}",) if own_number and owner not in ("", "NLM") else (),
    )


def _article_number(record: MedlineRecord) -> str:
    """The one `LID` that is neither a DOI nor a publisher's item id."""
    bare = [value for value in _all(record, "LID") if not value.endswith("]")]
    return clean_line(bare[0]) if bare else ""
