"""Web of Science's tagged text (`.txt`, `.ciw`) to records; its tables are read as tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from litterm.core.errors import BadInput
from litterm.importers.author_names import PersonList
from litterm.importers.byte_sources import Content
from litterm.importers.encoding import decode_text
from litterm.importers.exported_record import (
    MAX_FILE_BYTES,
    MAX_LINES,
    ExportedRecord,
    database_facts,
    lines_of,
    pages_of,
    paper_of,
    people,
    publication_date,
    serial_numbers,
)
from litterm.importers.ids import parse_doi, parse_pmid
from litterm.importers.table_columns import TYPE_WORDS
from litterm.model.library import Failure, Parsed
from litterm.model.paper import Author, PaperType, PublicationDetails
from litterm.text.clean import clean_line, prose

_TAG: Final = re.compile(r"([A-Z][A-Z0-9])(?: (.*)|)$", re.DOTALL)
_LISTED_TAGS: Final = frozenset("AU AF BA BF BE CA CR".split())
"""An entry a line; other values go on in the next line."""
_FILE_TAGS: Final = frozenset(("FN", "VR", "EF"))

WosRecord = dict[str, list[str]]
"""The lines of each tag."""


def read_web_of_science(content: Content) -> Iterator[Parsed | Failure]:
    """Every record of a file; one without a title is a failure of its own.

    Raises:
        BadInput: the file is too large or holds no record.
    """
    decoded = decode_text(content.read(MAX_FILE_BYTES))
    remark, count = decoded.remark, 0
    for line, record in _records(decoded.text):
        count += 1
        place = f"{content.origin}:{line}"
        if sum(map(len, record.values())) > MAX_LINES:
            yield Failure(place, f"A record of more than {MAX_LINES:,} lines.")
            continue
        paper = paper_of(_exported(record), "wos", content.origin)
        if paper.title:
            yield Parsed(paper, remark=remark)
            remark = ""
        else:
            yield Failure(place, "A record without a title.")
    if not count:
        raise BadInput("Holds no record of Web of Science.")


def _records(text: str) -> Iterator[tuple[int, WosRecord]]:
    """Number of the first line, from 1, and the lines of each record."""
    record: WosRecord = {}
    start, tag = 1, ""
    for number, line in enumerate(lines_of(text), 1):
        match = _TAG.match(line)
        if match is None or line.startswith("  "):
            if tag and line.strip():
                record[tag].append(line.strip())
            continue
        if record and match[1] in ("ER", "PT", "EF"):
            yield start, record
            record, tag = {}, ""
        if match[1] in _FILE_TAGS or match[1] == "ER":
            tag = ""
            continue
        start = start if record else number
        tag = match[1]
        record.setdefault(tag, []).append((match[2] or "").strip())
    if record:
        yield start, record


def _text(record: WosRecord, *tags: str) -> str:
    return next((" ".join(record[tag]).strip() for tag in tags if any(record.get(tag, ()))), "")


def _exported(record: WosRecord) -> ExportedRecord:
    year, date = publication_date([_text(record, "PY")], [_text(record, "PD")])
    listed = people(record.get("AF", ()) or record.get("AU", ()))
    groups = tuple(Author(prose(name), is_literal=True) for name in record.get("CA", ()) if name)
    number = _text(record, "UT")
    return ExportedRecord(
        title=_text(record, "TI"),
        type=_type(record),
        authors=PersonList((*listed.authors, *groups), listed.has_more),
        editors=people(record.get("BE", ())),
        abstract=_text(record, "AB"),
        year=year,
        date=date,
        container=_text(record, "SO") or _text(record, "CT"),
        short_containers=tuple(filter(None, (_text(record, "J9"), _text(record, "JI")))),
        ids=(
            parse_doi(_text(record, "DI")),
            parse_pmid(_text(record, "PM")),
            parse_pmid(number.partition(":")[2]) if number.startswith("MEDLINE:") else None,
        ),
        keywords=tuple(word for tag in ("DE", "ID") for word in _text(record, tag).split(";")),
        retraction="retracted" if "retracted publication" in _text(record, "DT").casefold() else "",
        details=_details(record, number),
    )


def _type(record: WosRecord) -> PaperType:
    stated = [part.strip().casefold() for part in _text(record, "DT").split(";")]
    # Proceedings that appeared in a journal are both.
    if "proceedings paper" in stated:
        return "inproceedings"
    kinds = [TYPE_WORDS[part] for part in (*stated, _text(record, "PT").casefold()) if part in TYPE_WORDS]
    return kinds[0] if kinds else "article"


def _details(record: WosRecord, number: str) -> PublicationDetails:
    isbn, issn = serial_numbers(_text(record, tag) for tag in ("SN", "EI", "BN"))
    databases, numbers = database_facts(("Web of Science",), () if number.startswith("MEDLINE:") else (number,), ())
    return PublicationDetails(
        volume=clean_line(_text(record, "VL")),
        issue=clean_line(_text(record, "IS")),
        pages=pages_of(_text(record, "BP"), _text(record, "EP")),
        article_number=clean_line(_text(record, "AR").removeprefix("UNSP ")),
        publisher=prose(_text(record, "PU")),
        address=prose(_text(record, "PI")),
        language=clean_line(_text(record, "LA")),
        series=prose(_text(record, "SE")),
        isbn=isbn,
        issn=issn,
        databases=databases,
        accession_numbers=numbers,
        exported_on=publication_date([_text(record, "DA")])[1],
    )
