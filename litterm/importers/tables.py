"""Tables of papers (CSV, TSV) to records: of databases, reference managers and screening programs, by their columns.

What a column means is told by its name, whoever wrote it; only what a name does not tell is told by the service.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from typing import Final

from litterm.core.errors import BadInput
from litterm.importers.author_names import PersonList
from litterm.importers.byte_sources import Content
from litterm.importers.encoding import decode_text
from litterm.importers.exported_record import (
    MAX_FILE_BYTES,
    NOBODY,
    ExportedRecord,
    addresses,
    best_abstract,
    database_facts,
    pages_of,
    paper_of,
    people,
    people_of_cell,
    publication_date,
    serial_numbers,
    split_words,
    without_stop,
)
from litterm.importers.field_lines import Record, field_records, find_field_delimiter
from litterm.importers.ids import parse_arxiv, parse_doi, parse_pmc, parse_pmid, recognize_id
from litterm.importers.stated_facts import degree_in
from litterm.importers.table_columns import (
    DATABASE_COLUMNS,
    TYPE_WORDS,
    TableHeader,
    find_header,
    plain_cell,
    same_line_ends,
)
from litterm.model.library import Failure, Parsed
from litterm.model.paper import PaperId, PaperType, PublicationDetails
from litterm.text.clean import clean_line, prose

MAX_CELL_CHARS: Final = 2**20
"""A longer cell has lost the quotation mark at its end."""
_DECIMAL: Final = re.compile(r"(\d+)[.,]0+")
_PUBMED_LABEL: Final = re.compile(r"PUBMED\s++(?=\d)", re.IGNORECASE)
_EXPORT_NOTE: Final = re.compile(r"export(?:ed)? (?:on:?|date:?) ([\w ,/-]{6,24}\d)", re.IGNORECASE)
_MONTH: Final = re.compile(r"\d{1,2}|[A-Za-z]{3,9}")
Row = dict[str, list[str]]
"""The cells of each meaning that say something, the column that tells most first."""


def read_table(content: Content) -> Iterator[Parsed | Failure]:
    """Every row of a table; one without a title is a failure of its own, unless it is empty.

    Raises:
        BadInput: the file is too large, or no line names the columns.
    """
    decoded = decode_text(content.read(MAX_FILE_BYTES))
    text = decoded.text.replace("\0", "")
    table = find_header(text)
    exported_on = _exported_on(text, table.end_line) if table is not None else ""
    remark, count = decoded.remark, 0
    for line, cells, header in _records(text, table):
        if cells is None:
            yield Failure(f"{content.origin}:{line}", "A cell of a million characters: a quotation mark is missing.")
            continue
        row = _by_meaning(cells, header)
        if not row:
            continue
        count += 1
        if "title" not in row and len(row) < 2:
            # A remark behind the last paper.
            continue
        paper = paper_of(_exported(row, header.names, exported_on), "csv", content.origin)
        if paper.title:
            yield Parsed(paper, remark=remark)
            remark = ""
        else:
            yield Failure(f"{content.origin}:{line}", "A row without a title.")
    if not count:
        raise BadInput("The table holds no row.")


def _records(text: str, header: TableHeader | None) -> Iterator[Record]:
    """Number of the line, cells and header of each record; `None` for cells of which one is too long."""
    if header is not None:
        # Web of Science quotes nothing: a quotation mark is one of the text.
        for line, cells in _rows(
            text, header.delimiter, header.end_line, quoted=not {"pt", "au", "ut"} <= header.names
        ):
            yield line, cells, header
        return
    delimiter = find_field_delimiter(text)
    if delimiter is None:
        raise BadInput("No line of the table names a column of titles and others of papers.")
    yield from field_records(_rows(text, delimiter), delimiter)


def _rows(
    text: str, delimiter: str, end_line: int = 0, *, quoted: bool = True
) -> Iterator[tuple[int, list[str] | None]]:
    """Number of the line and cells of each row below `end_line`; `None` for one with a cell that is too long."""
    limit = csv.field_size_limit(MAX_CELL_CHARS)
    try:
        reader = csv.reader(
            same_line_ends(text.removeprefix("\ufeff")),
            delimiter=delimiter,
            quoting=csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE,
        )
        while True:
            line = reader.line_num + 1
            try:
                cells = next(reader)
            except StopIteration:
                return
            except csv.Error:
                yield line, None
                continue
            if reader.line_num > end_line:
                yield line, cells
    finally:
        csv.field_size_limit(limit)


def _by_meaning(cells: Sequence[str], header: TableHeader) -> Row:
    ranked: dict[str, list[tuple[int, str]]] = {}
    for cell, (meaning, rank) in zip(cells, header.meanings, strict=False):
        text = plain_cell(cell)
        if meaning and text and text.casefold() not in ("nan", "null", "none", "n/a", "-"):
            ranked.setdefault(meaning, []).append((rank, text))
    return {meaning: [text for _, text in sorted(found, key=lambda pair: pair[0])] for meaning, found in ranked.items()}


def _first(row: Row, *meanings: str) -> str:
    return next((row[meaning][0] for meaning in meanings if meaning in row), "")


def _exported(row: Row, names: frozenset[str], exported_on: str) -> ExportedRecord:
    kind, type_word = _type(row)
    # EBSCO writes April the third as 4/3.
    year, date = publication_date(
        map(_whole, row.get("year", ())), (*row.get("date", ()), *_month(row)), month_first="plink" in names
    )
    urls = addresses(row.get("url", ()))
    return ExportedRecord(
        title=without_stop(_first(row, "title")),
        type=kind,
        authors=_authors(row, names),
        editors=people_of_cell(_first(row, "editors")) if "editors" in row else NOBODY,
        abstract=best_abstract(row.get("abstract", ())),
        year=year,
        date=date,
        container=_first(row, "venue", "booktitle") if kind == "article" else _first(row, "booktitle", "venue"),
        short_containers=tuple(row.get("short venue", ())),
        ids=_ids(row),
        urls=urls,
        keywords=tuple(word for cell in row.get("keywords", ()) for word in split_words(cell)),
        notes=tuple(row.get("note", ())),
        retraction=_retraction(row, type_word),
        details=_details(row, kind, names, urls, exported_on),
    )


def _whole(text: str) -> str:
    """A number without the decimals that spreadsheets add."""
    match = _DECIMAL.fullmatch(text)
    return match[1] if match else text


def _month(row: Row) -> Iterator[str]:
    month, day, year = _first(row, "month"), _whole(_first(row, "day")), _whole(_first(row, "year"))
    if _MONTH.fullmatch(_whole(month)) and year:
        yield f"{year}-{_whole(month)}-{day}" if _whole(month).isdecimal() else f"{day} {month} {year}".strip()
    elif month:
        yield month


def _type(row: Row) -> tuple[PaperType, str]:
    """The type, and the word for it."""
    for text in row.get("type", ()):
        word = text.casefold().strip()
        if (kind := TYPE_WORDS.get(word)) is not None:
            return kind, word
        for part in re.split(r"[;,|/]\s*+", word):
            if (kind := TYPE_WORDS.get(part.strip())) is not None:
                return kind, word
    if "booktitle" in row and "venue" not in row:
        return "inproceedings", ""
    return ("article" if "venue" in row else "other"), _first(row, "type").casefold()


def _retraction(row: Row, type_word: str) -> str:
    stated = _first(row, "retraction")
    if stated.casefold() in ("true", "yes", "1"):
        return "retracted"
    if re.match(r"(?:retracted|removed|concern|corrected)(?::|$)", stated):
        return stated
    return "retracted" if type_word in ("retracted", "retracted publication") else ""


def _authors(row: Row, names: frozenset[str]) -> PersonList:
    listed = row.get("authors", [""])
    text = re.sub(r"\s\(\d{6,}\)", "", listed[0])
    if "item doi" in names and not re.search(r"[;,|]", text):
        # SpringerLink runs the names together; where one ends is told by a capital behind a small letter.
        return people(re.split(r"(?<=[^\W\d_])(?<![A-Z])(?=[A-Z][a-z]*[\s.])(?<!\bMc)(?<!\bMac)(?<!\bDe)", text))
    if ";" not in text and any(name.startswith("supporting quotes for") for name in names):
        # Elicit writes given names first, with commas between people.
        return people(text.split(","))
    if " and " in text and ";" not in text and "key" in names:
        return people(text.split(" and "))
    return people_of_cell(text) if text else NOBODY


def _ids(row: Row) -> tuple[PaperId | None, ...]:
    # Excel has turned some into `3.1E+07`: these are no numbers any more.
    pmids = (_PUBMED_LABEL.sub("", _whole(text)) for text in row.get("pmid", ()))
    return (
        *map(parse_doi, row.get("doi", ())),
        *map(parse_pmid, pmids),
        *(parse_pmid(text.partition(":")[2]) for text in row.get("accession", ()) if text.startswith("MEDLINE:")),
        *map(parse_pmc, row.get("pmcid", ())),
        *map(parse_arxiv, row.get("arxiv", ())),
        *map(recognize_id, (text for text in row.get("id", ()) if ":" in text)),
    )


def _details(
    row: Row, kind: PaperType, names: frozenset[str], urls: Sequence[str], exported_on: str
) -> PublicationDetails:
    isbn, issn = serial_numbers(row.get("serials", ()))
    databases, numbers = _databases(row, names, urls)
    pages = _pages(row)
    number = re.sub(r"^UNSP ", "", _whole(_first(row, "article number")))
    type_word = prose(_first(row, "thesis"))
    publisher = prose(_first(row, "publisher"))
    # Most tables name a school or an institution as the publisher.
    has_institution = kind in ("thesis", "report")
    institution = prose(_first(row, "institution")) if has_institution else ""
    return PublicationDetails(
        volume=clean_line(_whole(_first(row, "volume"))),
        issue=clean_line(_whole(_first(row, "issue"))),
        pages="" if pages == number else pages,
        article_number=clean_line(number),
        publisher="" if has_institution and not institution else publisher,
        institution=institution or (publisher if has_institution else ""),
        address=prose(_first(row, "address")),
        language=clean_line(_first(row, "language")),
        edition=prose(_first(row, "edition")),
        series=prose(_first(row, "series")),
        thesis=(degree_in(type_word) or type_word) if kind == "thesis" else "",
        bibkey=_key(row),
        isbn=isbn,
        issn=issn,
        files=tuple(clean_line(file) for cell in row.get("files", ()) for file in re.split(r"[;|]\s*+", cell) if file),
        databases=databases,
        accession_numbers=numbers,
        exported_on=exported_on or publication_date(row.get("exported", ()))[1],
    )


def _databases(row: Row, names: frozenset[str], urls: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    by_columns = next((name for columns, name in DATABASE_COLUMNS if columns <= names), "")
    stated = [name for name in row.get("database", ()) if name]
    numbers = [number.rpartition("/")[2] for number in row.get("accession", ()) if not number.startswith("MEDLINE:")]
    return database_facts(stated or ([by_columns] if by_columns else []), numbers, urls)


def _pages(row: Row) -> str:
    first, last = _whole(_first(row, "first page")), _whole(_first(row, "last page"))
    if not first and last:
        first, last = last, ""
    stated = _first(row, "pages")
    # Spreadsheets make dates of pages: `5-Jan`, `Jan-05`.
    if re.fullmatch(r"\d{1,2}-[A-Z][a-z]{2}|[A-Z][a-z]{2}-\d{2}", stated):
        stated = ""
    return pages_of(first, last) if first else pages_of(_whole(stated))


def _key(row: Row) -> str:
    """The user's own key: not a number, nor the eight characters of Zotero."""
    key = clean_line(_first(row, "key"))
    return "" if re.fullmatch(r"[A-Z0-9]{8}|[\d.,-]+|rayyan-\d+", key) else key


def _exported_on(text: str, lines: int) -> str:
    """The day that lines before the header state."""
    before = "\n".join(text[: 2**14].splitlines()[:lines])
    match = _EXPORT_NOTE.search(before)
    return publication_date((match[1],))[1] if match else ""
