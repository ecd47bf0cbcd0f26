"""EndNote's XML and its tagged `.enw` (refer) to records; both name the types of records alike."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import BinaryIO, Final, cast
from xml.etree.ElementTree import Element

from litterm.core.errors import BadInput
from litterm.importers.byte_sources import Content, check_whole
from litterm.importers.encoding import UTF_16_MARKS, decode_text
from litterm.importers.exported_record import (
    MAX_FILE_BYTES,
    MAX_LINES,
    ExportedRecord,
    addresses,
    best_abstract,
    database_facts,
    is_medline,
    lines_of,
    pages_of,
    paper_of,
    people,
    publication_date,
    serial_numbers,
)
from litterm.importers.ids import parse_doi, parse_pmc, parse_pmid
from litterm.importers.stated_facts import degree_in
from litterm.importers.xml.tree import stream_elements
from litterm.model.library import Failure, Parsed
from litterm.model.paper import PaperId, PaperType, PublicationDetails
from litterm.text.clean import clean_line, prose, script_text

_TYPES: Final[Mapping[str, PaperType]] = {
    **dict.fromkeys(
        ("journal article", "electronic article", "magazine article", "newspaper article", "article"), "article"
    ),
    **dict.fromkeys(("conference paper", "conference proceedings", "conference proceeding"), "inproceedings"),
    **dict.fromkeys(("book", "edited book", "electronic book", "serial"), "book"),
    **dict.fromkeys(
        ("book section", "electronic book section", "encyclopedia", "dictionary", "book chapter"), "chapter"
    ),
    **dict.fromkeys(("thesis", "dissertation"), "thesis"),
    **dict.fromkeys(("report", "government document", "standard"), "report"),
    **dict.fromkeys(("unpublished work", "manuscript", "preprint"), "preprint"),
}
_TYPE_NUMBERS: Final = {
    "17": "journal article", "43": "electronic article", "19": "magazine article", "23": "newspaper article",
    "47": "conference paper", "10": "conference proceedings", "6": "book", "28": "edited book", "44": "electronic book",
    "5": "book section", "60": "electronic book section", "52": "encyclopedia", "53": "dictionary", "32": "thesis",
    "27": "report", "46": "government document", "58": "standard", "34": "unpublished work", "36": "manuscript",
}  # fmt: skip
_BOOKS: Final = ("book", "edited book", "electronic book", "serial")
_CONTROL: Final = re.compile(
    rb"[\x00-\x08\x0b\x0c\x0e-\x1f]"
    rb"|&#(?:x0{0,4}(?:[0-8bcefBCEF]|1[0-9a-fA-F])|0{0,4}(?:[0-8]|1[124-9]|2\d|3[01]));"
)
_ENTITY_START: Final = re.compile(rb"&[#\w]{0,8}\Z")
_TAG: Final = re.compile(r"%([0-9A-Z@!#$\]&(),*?><~+=^\[\\])(?:[ \t]+(.*)|)$", re.DOTALL)
_NO_KEY: Final = re.compile(r"\d+|.{61,}|\S*+\s.*|WOS:.*|CCC:.*")
_PMC: Final = re.compile(r"PMC\d{3,9}", re.IGNORECASE)

RECORD_TAGS: Final = frozenset(("record",))


class _Printable:
    """A stream of XML without the control characters that it may not hold; EndNote writes those of abstracts."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._rest = b""
        self._is_wide: bool | None = None

    def read(self, size: int = -1) -> bytes:
        """The next bytes, some fewer than asked for; empty at the end."""
        while True:
            read = self._stream.read(size)
            if self._is_wide is None:
                self._is_wide = read[:2] in UTF_16_MARKS
            if self._is_wide:
                return read
            chunk, self._rest = self._rest + read, b""
            # A reference may be cut in two by the end of the chunk.
            if read and (cut := _ENTITY_START.search(chunk)):
                chunk, self._rest = chunk[: cut.start()], chunk[cut.start() :]
            cleaned = _CONTROL.sub(b" ", chunk)
            if cleaned or not read:
                return cleaned


def read_endnote_xml(content: Content) -> Iterator[Parsed | Failure]:
    """Every record of a file; one without a title is a failure of its own.

    Raises:
        BadInput: the XML cannot be read on, or holds no record.
    """
    count = 0
    with content.open() as stream:
        for element in stream_elements(cast("BinaryIO", _Printable(stream)), RECORD_TAGS):
            count += 1
            paper = paper_of(_from_xml(element), "endnote", content.origin)
            if paper.title:
                yield Parsed(paper)
            else:
                yield Failure(f"{content.origin}:{count}", "An EndNote record without a title.")
        check_whole(stream)
    if not count:
        raise BadInput("Holds no EndNote record.")


def _styled(element: Element | None) -> str:
    """The text of a field: EndNote cuts it into runs of one style, whose face also raises and lowers."""
    # A paragraph ends with a carriage return.
    return "" if element is None else _runs(element).replace("\r", "\n").strip()


def _runs(element: Element) -> str:
    parts = [element.text or ""]
    for run in element:
        # Blanks between words stand at the ends of runs.
        face, text = run.get("face", ""), _runs(run)
        kind = "sup" if "superscript" in face else "sub" if "subscript" in face else ""
        parts += [script_text(kind, text) if kind else text, run.tail or ""]
    return "".join(parts)


def _texts(record: Element, *paths: str) -> list[str]:
    return [text for path in paths for element in record.iterfind(path) if (text := _styled(element))]


def _text(record: Element, *paths: str) -> str:
    return next(iter(_texts(record, *paths)), "")


def _from_xml(record: Element) -> ExportedRecord:
    ref_type = record.find("ref-type")
    number = clean_line(_styled(ref_type))
    type_name = (ref_type.get("name", "") if ref_type is not None else "").casefold() or _TYPE_NUMBERS.get(number, "")
    year, date = publication_date(_texts(record, "dates/year"), _texts(record, "dates/pub-dates/date"))
    editors = _texts(record, "contributors/secondary-authors/author")
    if type_name in _BOOKS:
        editors = editors or _texts(record, "contributors/tertiary-authors/author")
    databases = [name for name in _texts(record, "remote-database-name", "remote-database-provider") if name]
    urls = addresses(_texts(record, *(f"urls/{kind}-urls/url" for kind in ("web", "related", "text", "pdf"))))
    authors = people(_texts(record, "contributors/authors/author"))
    return ExportedRecord(
        title=_text(record, "titles/title") or _text(record, "titles/short-title"),
        type=_kind(type_name, has_authors=bool(authors.authors)),
        authors=authors,
        editors=people(editors),
        abstract=best_abstract(_texts(record, "abstract")),
        year=year,
        date=date,
        container=_text(record, "titles/secondary-title", "periodical/full-title", "alt-periodical/full-title"),
        short_containers=tuple(_texts(record, "periodical/abbr-1", "titles/alt-title", "alt-periodical/abbr-1")),
        ids=_xml_ids(record, databases),
        urls=urls,
        keywords=tuple(word for text in _texts(record, "keywords/keyword") for word in _lines(text)),
        notes=tuple(_texts(record, "notes", "research-notes")),
        details=_xml_details(record, type_name, databases, urls),
    )


def _kind(type_name: str, *, has_authors: bool) -> PaperType:
    if type_name.startswith("conference proceeding") and not has_authors:
        return "proceedings"
    return _TYPES.get(type_name, "other")


def _lines(text: str) -> list[str]:
    """Entries that stand one a line, or between semicolons."""
    return [part for line in text.split("\n") for part in line.split(";")]


def _xml_ids(record: Element, databases: list[str]) -> tuple[PaperId | None, ...]:
    custom = _texts(record, *(f"custom{number}" for number in range(1, 8)))
    numbers = _texts(record, "accession-num")
    return (
        *(parse_doi(text) for value in _texts(record, "electronic-resource-num") for text in value.split()),
        *(parse_pmid(number) for number in numbers if is_medline(databases)),
        *(parse_pmc(text) for text in (*custom, *numbers) if _PMC.fullmatch(text)),
    )


def _xml_details(record: Element, type_name: str, databases: list[str], urls: Iterable[str]) -> PublicationDetails:
    isbn, issn = serial_numbers(line for text in _texts(record, "isbn", "issn") for line in text.split("\n"))
    numbers = [] if is_medline(databases) else _texts(record, "accession-num")
    named, listed = database_facts(databases, numbers, urls)
    label = _text(record, "label")
    files = [url for url in _texts(record, "urls/pdf-urls/url") if not url.startswith(("http://", "https://"))]
    facts = {
        "volume": _text(record, "volume"),
        "issue": _text(record, "number", "issue"),
        "pages": pages_of(_text(record, "pages")),
        "publisher": _text(record, "publisher"),
        "address": _text(record, "pub-location"),
        "edition": _text(record, "edition"),
        "language": _text(record, "language"),
        "series": _text(record, "titles/tertiary-title"),
        "work_type": _text(record, "work-type"),
        "key": label,
    }
    return _details(facts, type_name, (isbn, issn), (named, listed), files)


def _details(
    facts: Mapping[str, str],
    type_name: str,
    serials: tuple[str, str],
    databases: tuple[tuple[str, ...], tuple[str, ...]],
    files: Iterable[str],
) -> PublicationDetails:
    kind = _TYPES.get(type_name, "other")
    publisher = prose(facts["publisher"])
    has_institution = kind in ("thesis", "report")
    work_type = prose(facts["work_type"])
    return PublicationDetails(
        volume=clean_line(facts["volume"]),
        issue=clean_line(facts["issue"]),
        pages=facts["pages"],
        publisher="" if has_institution else publisher,
        institution=publisher if has_institution else "",
        address=prose(facts["address"]),
        edition=prose(facts["edition"]),
        language=clean_line(facts["language"]),
        series=prose(facts["series"]),
        thesis=(degree_in(work_type) or work_type) if kind == "thesis" else "",
        bibkey="" if _NO_KEY.fullmatch(facts["key"]) else clean_line(facts["key"]),
        isbn=serials[0],
        issn=serials[1],
        files=tuple(map(clean_line, files)),
        databases=databases[0],
        accession_numbers=databases[1],
    )


def read_refer(content: Content) -> Iterator[Parsed | Failure]:
    """Every record of a file; one without a title is a failure of its own.

    Raises:
        BadInput: the file is too large or holds no record.
    """
    decoded = decode_text(content.read(MAX_FILE_BYTES))
    remark, count = decoded.remark, 0
    for line, record in _refer_records(decoded.text):
        count += 1
        place = f"{content.origin}:{line}"
        if record is None:
            yield Failure(place, f"A record of more than {MAX_LINES:,} lines.")
            continue
        paper = paper_of(_from_refer(record), "refer", content.origin)
        if paper.title:
            yield Parsed(paper, remark=remark)
            remark = ""
        else:
            yield Failure(place, "A record without a title.")
    if not count:
        raise BadInput("Holds no record of EndNote's tagged format.")


def _refer_records(text: str) -> Iterator[tuple[int, dict[str, list[str]] | None]]:
    """Number of the first line, from 1, and the values of each record; `None` for one that is too long."""
    values: list[tuple[str, list[str]]] = []
    start, is_divided = 1, False
    for number, line in enumerate(lines_of(text), 1):
        match = _TAG.match(line)
        if match is None:
            is_divided = not line.strip()
            if values and line.strip():
                values[-1][1].append(line.strip())
            continue
        tag = match[1]
        # An empty line may stand inside of an abstract: a record begins with its type, or with what it has already.
        if values and (tag == "0" or (is_divided and tag in "AT" and "T" in {known for known, _ in values})):
            yield start, _joined(values)
            values = []
        start = start if values else number
        values.append((tag, [(match[2] or "").strip()]))
        is_divided = False
    if values:
        yield start, _joined(values)


def _joined(values: list[tuple[str, list[str]]]) -> dict[str, list[str]] | None:
    if sum(len(lines) for _, lines in values) > MAX_LINES:
        return None
    record: dict[str, list[str]] = {}
    for tag, lines in values:
        text = ("\n" if tag in "K@U>" else " ").join(lines).strip()
        if text:
            record.setdefault(tag, []).append(text)
    return record


def _values(record: Mapping[str, list[str]], tags: str) -> list[str]:
    return [value for tag in tags for value in record.get(tag, ())]


def _value(record: Mapping[str, list[str]], tags: str) -> str:
    return next(iter(_values(record, tags)), "")


def _from_refer(record: Mapping[str, list[str]]) -> ExportedRecord:
    type_name = _value(record, "0").casefold() or ("journal article" if "J" in record else "")
    year, date = publication_date(_values(record, "D"), _values(record, "8"))
    databases, numbers = _values(record, "~W"), _values(record, "M")
    urls = addresses(_values(record, "U>"))
    authors = people(_values(record, "A"))
    return ExportedRecord(
        title=_value(record, "T"),
        type=_kind(type_name, has_authors=bool(authors.authors)),
        authors=authors,
        editors=people(_values(record, "E")),
        abstract=best_abstract(_values(record, "X")),
        year=year,
        date=date,
        container=_value(record, "JB" if _TYPES.get(type_name) == "article" else "BJ"),
        short_containers=tuple(_values(record, "O")),
        ids=(
            *map(parse_doi, (*_values(record, "R"), *numbers)),
            *(parse_pmid(number) for number in numbers if is_medline(databases)),
            *(parse_pmc(text) for text in _values(record, "1234M") if _PMC.fullmatch(text)),
        ),
        urls=urls,
        keywords=tuple(word for text in _values(record, "K") for word in _lines(text)),
        notes=tuple(_values(record, "Z<")),
        details=_refer_details(record, type_name, databases, urls),
    )


def _refer_details(
    record: Mapping[str, list[str]], type_name: str, databases: list[str], urls: Iterable[str]
) -> PublicationDetails:
    numbers = [] if is_medline(databases) else [text for text in _values(record, "M") if not _PMC.fullmatch(text)]
    # BibSonomy has the key in the first of the fields for one's own use.
    own = [text for text in _values(record, "1") if re.fullmatch(r"[\w:.-]{3,40}", text)]
    facts = {
        "volume": _value(record, "V"),
        "issue": _value(record, "N"),
        "pages": pages_of(_value(record, "P")),
        "publisher": _value(record, "I"),
        "address": _value(record, "C"),
        "edition": _value(record, "7"),
        "language": _value(record, "G"),
        "series": _value(record, "S"),
        "work_type": _value(record, "9"),
        "key": _value(record, "F") or next(iter(own), ""),
    }
    files = [file for text in _values(record, ">") for file in text.split("\n") if not file.startswith("http")]
    named = database_facts(databases, [number for number in numbers if not parse_doi(number)], urls)
    return _details(facts, type_name, serial_numbers(_values(record, "@")), named, files)
