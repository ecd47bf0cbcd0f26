"""RIS to records, as some forty services and programs write it.

`rispy` reads the lines of most such files, but not where a record began, a record without its end or a tag with one
blank, and leaves what tags mean to us; the lines are the smaller part, and are read here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from litterm.core.errors import BadInput
from litterm.importers.author_names import PersonList
from litterm.importers.byte_sources import Content
from litterm.importers.encoding import decode_text
from litterm.importers.exported_record import (
    MAX_FILE_BYTES,
    MAX_LINES,
    ExportedRecord,
    addresses,
    best_abstract,
    clean_container,
    database_facts,
    ebsco_number,
    is_medline,
    lines_of,
    pages_of,
    paper_of,
    people,
    publication_date,
    serial_numbers,
    without_stop,
)
from litterm.importers.ids import find_arxiv, parse_arxiv, parse_doi, parse_pmc, parse_pmid
from litterm.importers.stated_facts import degree_in
from litterm.model.library import Failure, Parsed
from litterm.model.paper import PaperId, PaperType, PublicationDetails
from litterm.text.clean import clean_line, prose

_TAG: Final = re.compile(
    r"(?:[ \t]{0,8}(?=\w\w  -))?([A-Z][A-Z0-9]|[a-z][a-z0-9](?=  -))(?: {1,2}|\t)-(?:[ \t]+(.*)|)$", re.DOTALL
)
"""A tag and its value. Programs leave out blanks, or add some; in small letters or indented it needs all of them."""
_GLUED_TAG: Final = re.compile(r"(?<!\s)\s{2,}+(?=[A-Z][A-Z0-9]  - )")
"""Rayyan writes two tags into one value."""
_TEXT_TAGS: Final = frozenset("TI T1 AB N2 N1 AU A1 AD".split())
"""A tag inside of these is a part of the text."""
_LISTED_TAGS: Final = frozenset("KW UR L1 L2 L3 L4 DB SN".split())
"""On lines of their own EndNote writes further values of these."""
_ARTICLES: Final = frozenset("JOUR EJOUR MGZN NEWS ABST JFULL INPR".split())
_TYPES: Final[dict[str, PaperType]] = {
    **dict.fromkeys(_ARTICLES, "article"),
    **dict.fromkeys(("BOOK", "EBOOK", "EDBOOK", "SER", "CLSWK"), "book"),
    **dict.fromkeys(("CHAP", "ECHAP", "ENCYC", "DICT"), "chapter"),
    **dict.fromkeys(("RPRT", "GOVDOC", "STAND"), "report"),
    **dict.fromkeys(("UNPB", "UNPD", "MANSCPT"), "preprint"),
    **dict.fromkeys(("CPAPER", "CONF"), "inproceedings"),
    "THES": "thesis",
}
_ACCESSION_KEY: Final = re.compile(r"\d+|RefID:.*|\d{3}-\d{3}-\d{3}-\d{3}-.*|L\d{6,}|rayyan-\d+|WOS:.*", re.IGNORECASE)
"""What stands in `ID` and is no citation key: numbers of a record."""
_DOI_ALONE: Final = re.compile(r"(?:doi:?\s*|https?://(?:dx\.)?doi\.org/)?10\.\d{4,9}/\S+", re.IGNORECASE)
_EMBASE_NUMBER: Final = re.compile(r"L\d{6,}")
_OTHER_NUMBER: Final = re.compile(r"PMC\d|PMID|10\.\d|rayyan-|MEDLINE:", re.IGNORECASE)
"""What is an id of its own, or a number of the program alone."""
_PUBMED_NUMBER: Final = re.compile(r"PUBMED (\d{1,8})\b")

RisRecord = dict[str, list[str]]
"""The values of each tag, in order."""


def read_ris(content: Content) -> Iterator[Parsed | Failure]:
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
            yield Failure(place, f"A RIS record of more than {MAX_LINES:,} lines.")
            continue
        paper = paper_of(_exported(record), "ris", content.origin)
        if paper.title:
            yield Parsed(paper, remark=remark)
            remark = ""
        else:
            yield Failure(place, "A RIS record without a title.")
    if not count:
        raise BadInput("Holds no RIS record.")


def _records(text: str) -> Iterator[tuple[int, RisRecord | None]]:
    """Number of the first line, from 1, and the values of each record; `None` for one that is too long."""
    values: list[tuple[str, list[str]]] = []
    start, has_type, is_inside = 1, False, False
    for number, line in enumerate(lines_of(text), 1):
        match = _TAG.match(line)
        tag = match[1].upper() if match else ""
        if match is None and is_inside and line.strip():
            values[-1][1].append(line.strip())
        elif tag == "ER" or (tag == "TY" and has_type):
            if values:
                yield start, _values(values)
            values, start, has_type, is_inside = [], number + (tag == "ER"), False, False
        if match is not None and tag != "ER":
            if not values:
                start = number
            has_type |= tag == "TY"
            # Each tag a list of its lines: joined once, however many there are.
            values.append((tag, [(match[2] or "").strip()]))
            is_inside = True
    if has_type or any(tag in ("TI", "T1") for tag, _ in values):
        yield start, _values(values)


def _values(values: Sequence[tuple[str, list[str]]]) -> RisRecord | None:
    if sum(len(lines) for _, lines in values) > MAX_LINES:
        return None
    record: RisRecord = {}
    for tag, lines in values:
        texts = lines if tag in _LISTED_TAGS else [" ".join(lines)]
        for text in texts:
            first, *glued = [text] if tag in _TEXT_TAGS else _GLUED_TAG.split(text)
            if first:
                record.setdefault(tag, []).append(first)
            for part in glued:
                record.setdefault(part[:2], []).append(part[6:].strip())
    return record


def _all(record: RisRecord, *tags: str) -> list[str]:
    return [value for tag in tags for value in record.get(tag, ())]


def _first(record: RisRecord, *tags: str) -> str:
    return next(iter(_all(record, *tags)), "")


def _exported(record: RisRecord) -> ExportedRecord:
    stated_type = _first(record, "TY").upper()
    urls = addresses(_all(record, "UR", "L2", "L1", "L4", "L3"))
    databases = _databases(record, urls)
    authors = people(_all(record, "AU", "A1"))
    editors = people(_editors(record, databases))
    year, date = publication_date(_all(record, "PY", "Y1"), _all(record, "DA"))
    container = _container(record, stated_type)
    notes = _all(record, "N1", "RN")
    return ExportedRecord(
        title=_title(record, stated_type),
        type=_type(record, stated_type, container, authors, editors),
        authors=authors,
        editors=editors,
        abstract=best_abstract(_all(record, "AB", "N2")),
        year=year,
        date=date,
        container=container,
        short_containers=tuple(_all(record, "J2", "JA", "JO", "J1", "J9", "JI")),
        ids=_ids(record, databases),
        urls=urls,
        keywords=tuple(_keywords(record.get("KW", ()))),
        notes=tuple(note for note in notes if _doi_alone(note) is None),
        retraction="retracted" if _first(record, "M3").casefold() in ("retracted", "retracted article") else "",
        details=_details(record, stated_type, databases, urls),
    )


def _keywords(values: Sequence[str]) -> Iterator[str]:
    for value in values:
        # ACM has all keywords in one value; one comma alone may be a heading's, as in `Transfer, Psychology`.
        is_list = len(values) == 1 and value.count(",") > 1
        yield from value.split("," if is_list and ";" not in value else ";")


def _title(record: RisRecord, stated_type: str) -> str:
    titles = _all(record, "TI", "T1", "CT") or _all(record, *(("BT", "T2") if stated_type == "BOOK" else ()), "ST")
    title = max(titles, key=len, default="")
    # Ovid ends each title with a stop, in `T1`.
    return title if title in record.get("TI", ()) else without_stop(title)


def _databases(record: RisRecord, urls: Sequence[str]) -> tuple[str, ...]:
    # `DP` is a date in what was converted from MEDLINE.
    providers = [name for name in _all(record, "DP") if not any(letter.isdigit() for letter in name)]
    named, _ = database_facts((*_all(record, "DB"), *providers), _all(record, "AN", "U2"), urls)
    return named


def _editors(record: RisRecord, databases: Iterable[str]) -> list[str]:
    # At Ovid `A2` lists the authors that a paper of PsycInfo cites.
    secondary = [] if any("psyc" in name.casefold() for name in databases) else _all(record, "A2")
    return [*secondary, *_all(record, "ED")]


def _container(record: RisRecord, stated_type: str) -> str:
    if stated_type in _ARTICLES:
        return _first(record, "JF", "T2", "JO", "JA", "J2", "J1", "BT")
    names = _all(record, "T2", "BT", "JF", "JO", "JA", "J2")
    if not names and stated_type in ("CPAPER", "CONF") and not _first(record, "AN").startswith(("WOS:", "CN-")):
        # Of a conference Zotero writes the proceedings there; Web of Science has institutions in it.
        names = _all(record, "C3")
    return next((name for name in names if clean_container(name) != prose(_first(record, "TI", "T1"))), "")


def _type(record: RisRecord, stated_type: str, container: str, authors: PersonList, editors: PersonList) -> PaperType:
    if not stated_type:
        return "article" if "JF" in record or "JO" in record else "other"
    known = _TYPES.get(stated_type, "other")
    has_own_authors = bool(authors.authors) and authors != editors
    if stated_type == "CONF" and not container and not has_own_authors:
        return "proceedings"
    return known


def _ids(record: RisRecord, databases: Sequence[str]) -> tuple[PaperId | None, ...]:
    dois = [parse_doi(value) for value in _all(record, "DO")]
    # Services that lack `DO` write it elsewhere.
    others = [_doi_alone(value) for value in _all(record, "L3", "M3", "N1", "AN")]
    preprints = [value for value in _all(record, "M1", "AN", "ID") if "rxiv" in value.lower()]
    return (
        *(dois if any(dois) else others),
        *_pubmed_ids(record, [name.casefold() for name in databases]),
        *(parse_pmc(value) for value in _all(record, "C2", "C7", "AN") if value.upper().startswith("PMC")),
        *(parse_arxiv(value) or find_arxiv(value) for value in preprints),
    )


def _pubmed_ids(record: RisRecord, databases: Sequence[str]) -> Iterator[PaperId | None]:
    """PubMed's numbers: a bare one only in a tag that holds nothing else in exports of that database."""
    yield from map(_prefixed_pmid, _all(record, "AN", "ID", "C2", "C5", "M1", "U1"))
    if is_medline(databases):
        # EndNote numbers its own records in `ID`.
        is_ovid = any("ovid" in name for name in databases)
        yield from map(parse_pmid, _all(record, "AN", *(["ID"] if is_ovid else [])))
    if "scopus" in databases:
        yield from map(parse_pmid, _all(record, "C2"))
    if "embase" in databases:
        yield from map(parse_pmid, _all(record, "C5"))
    for value in _all(record, "C3"):
        if match := _PUBMED_NUMBER.match(value):
            yield parse_pmid(match[1])


def _doi_alone(value: str) -> PaperId | None:
    """The DOI of a value that says nothing else."""
    return parse_doi(value) if _DOI_ALONE.fullmatch(value.strip()) else None


def _prefixed_pmid(value: str) -> PaperId | None:
    match = re.fullmatch(r"(?:PMID|MEDLINE|PubMed):? ?(\d{1,8})", value.strip(), re.IGNORECASE)
    return parse_pmid(match[1]) if match else None


def _details(record: RisRecord, stated_type: str, databases: Sequence[str], urls: Sequence[str]) -> PublicationDetails:
    kind = _TYPES.get(stated_type, "other")
    isbn, issn = serial_numbers(_all(record, "SN"))
    publisher = prose(_first(record, "PB", "PU"))
    has_institution = kind in ("thesis", "report")
    key, numbers = _key_and_numbers(record, databases)
    named, listed = database_facts(databases, numbers, urls)
    pages, article_number = _places(record)
    return PublicationDetails(
        volume=clean_line(_first(record, "VL", "VO")),
        issue=clean_line(_first(record, "IS", "CP")),
        pages=pages,
        publisher="" if has_institution else publisher,
        # Rayyan has the address of an author there.
        address="" if _first(record, "AN").startswith("rayyan-") else prose(_first(record, "CY", "PP", "PI")),
        language=clean_line(_first(record, "LA")),
        bibkey=key,
        article_number=article_number,
        edition=prose(_first(record, "ET")),
        series=prose(_first(record, "T3")),
        isbn=isbn,
        issn=issn,
        thesis=_thesis(record) if kind == "thesis" else "",
        institution=publisher if has_institution else "",
        files=tuple(
            clean_line(file) for file in _all(record, "L1", "L4") if not file.startswith(("http://", "https://"))
        ),
        accession_numbers=listed,
        databases=named,
    )


def _key_and_numbers(record: RisRecord, databases: Sequence[str]) -> tuple[str, list[str]]:
    """The user's citation key, and the numbers that databases give the record."""
    numbers = [] if is_medline(databases) else _all(record, "AN")
    numbers += [number for number in _all(record, "U2") if _EMBASE_NUMBER.fullmatch(number)]
    if not _all(record, "AN") and (number := ebsco_number(_all(record, "N1"))):
        numbers = [number, *numbers]
    key = clean_line(_first(record, "ID"))
    # Where the number of a record is not in `AN`, Ovid has it in `ID`.
    is_number = bool(_ACCESSION_KEY.fullmatch(key)) or (bool(record.get("DB")) and not record.get("AN"))
    if is_number and re.search(r"\D", key) and "RefID" not in key:
        numbers.append(key)
    return "" if is_number else key, [number for number in numbers if not _OTHER_NUMBER.match(number)]


def _places(record: RisRecord) -> tuple[str, str]:
    """Pages and article number."""
    first, last = _first(record, "SP", "PG"), _first(record, "EP")
    stated = [value for value in _all(record, "C7", "AR") if not value.upper().startswith("PMC")]
    number = clean_line(stated[0]) if stated else ""
    # Programs that have no tag for an article's number write it as its page, too.
    return "" if number and clean_line(first) == number else pages_of(first, last), number


def _thesis(record: RisRecord) -> str:
    stated = prose(_first(record, "M3", "U1", "M1"))
    return degree_in(stated) or stated
