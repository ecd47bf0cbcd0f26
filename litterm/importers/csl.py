"""CSL-JSON to records, as Zotero, Mendeley, pandoc, Crossref and litterm itself write it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Final

from litterm.core.errors import BadInput
from litterm.importers.byte_sources import Content, check_values
from litterm.importers.dates import find_year, iso_date
from litterm.importers.encoding import decode_text
from litterm.importers.exported_record import (
    MAX_FILE_BYTES,
    ExportedRecord,
    addresses,
    database_facts,
    ids_in_note,
    pages_of,
    paper_of,
    publication_date,
    serial_numbers,
    split_words,
)
from litterm.importers.ids import find_arxiv, parse_arxiv, parse_doi, parse_pmc, parse_pmid, recognize_id
from litterm.importers.jsonl.people import people_of
from litterm.importers.jsonl.rows import JsonRow
from litterm.importers.stated_facts import degree_in
from litterm.model.library import Failure, Parsed
from litterm.model.paper import PaperId, PaperType, PublicationDetails
from litterm.text.clean import clean_line, prose

_WINDOW_CHARS: Final = 2**23
"""At most so much is decoded at once; no item is as long."""
_HEAD_CHARS: Final = 2**16
_INNER_LIST: Final = re.compile(r"\"(?:items|references)\"\s*+:\s*+\[")
"""A list of items as a field of an object."""
_MAX_BROKEN: Final = 1_000
"""Items that are not well-formed, after which the rest of a file is left."""
_BETWEEN: Final = re.compile(r"[\s,]*")
_NEXT_ITEM: Final = re.compile(r"\}\s*+,?\s*+(?=\{\s*+\"(?:id|type|title|citation-key|DOI|URL|abstract|author)\")")
TYPES: Final[Mapping[str, PaperType]] = {
    **dict.fromkeys(
        ("article-journal", "article-magazine", "article-newspaper", "review", "review-book", "journal-article"),
        "article",
    ),
    **dict.fromkeys(("paper-conference", "proceedings-article"), "inproceedings"),
    # Zotero's preprints; before these existed, any document.
    **dict.fromkeys(("article", "posted-content"), "preprint"),
    **dict.fromkeys(("book", "collection", "monograph", "edited-book", "reference-book"), "book"),
    **dict.fromkeys(("chapter", "entry", "entry-dictionary", "entry-encyclopedia", "book-chapter"), "chapter"),
    **dict.fromkeys(("thesis", "dissertation"), "thesis"),
    **dict.fromkeys(("report", "standard"), "report"),
    "proceedings": "proceedings",
}
"""Types of CSL, and those of Crossref's records in the same form."""
_NO_KEY: Final = re.compile(
    r"https?://.*|10\.\d{4,9}/.*|doi:.*|\d+|\d+/[A-Z0-9]{8}|ITEM-\d+|[0-9a-f]{8}-[0-9a-f-]{27}|(?:users|groups)/.*",
    re.IGNORECASE,
)
"""Ids that are a program's own."""
_EXTRA_KEY: Final = re.compile(r"Citation Key: ?(\S+)", re.IGNORECASE)
_EXTRA_ID: Final = re.compile(r"(?:PMID|PMCID|DOI|arXiv|Citation Key): ?\S+(?:\s\[[\w.-]+\])?", re.IGNORECASE)
_OWN_CATALOGUES: Final = ("doi.org", "zotero", "arxiv")


def read_csl(content: Content) -> Iterator[Parsed | Failure]:
    """Every item of a file; one without a title, or that is not well-formed, is a failure of its own.

    Raises:
        BadInput: the file is too large or holds no item.
    """
    decoded = decode_text(content.read(MAX_FILE_BYTES))
    remark, count = decoded.remark, 0
    for line, item in _items(decoded.text.replace("\0", "")):
        count += 1
        place = f"{content.origin}:{line}"
        if item is None:
            yield Failure(place, "An item of CSL-JSON that is not well-formed JSON.")
            continue
        paper = paper_of(_exported(item), "csl", content.origin)
        if paper.title:
            yield Parsed(paper, remark=remark)
            remark = ""
        else:
            yield Failure(place, "An item of CSL-JSON without a title.")
    if not count:
        raise BadInput("Holds no item of CSL-JSON.")


def _items(text: str) -> Iterator[tuple[int, JsonRow | None]]:
    """Number of the line, from 1, and the fields of each item; `None` for one that is not well-formed.

    Decoded one by one: a list as a whole would take many times its size in memory, and one bad item would cost all.

    Raises:
        BadInput: nothing but brackets, or too many broken items.
    """
    decoder = json.JSONDecoder()
    place = _first_item(text)
    line, counted, broken = 1, 0, 0
    window, base = "", place
    while (place := _between(text, place)) < len(text) and text[place] != "]":
        line, counted = line + text.count("\n", counted, place), place
        try:
            value, end = decoder.raw_decode(window, place - base)
        except ValueError:
            # Perhaps only the window ends there.
            window, base = text[place : place + _WINDOW_CHARS], place
            check_values(window.encode("utf-8", "replace"))
            try:
                value, end = decoder.raw_decode(window)
            except ValueError:
                yield line, None
                broken += 1
                if broken == _MAX_BROKEN:
                    raise BadInput(f"Not JSON: {_MAX_BROKEN:,} items are not well-formed.") from None
                following = _NEXT_ITEM.search(text, place + 1)
                if following is None:
                    return
                place = following.end()
                continue
        place = base + end
        yield line, _row(value)


def _first_item(text: str) -> int:
    """Where the first item may begin: behind the bracket of the list, if there is one."""
    start = _between(text, 0)
    if text.startswith("[", start):
        return start + 1
    # An item has its title before any list that it holds.
    inner = _INNER_LIST.search(text, start, start + _HEAD_CHARS)
    return inner.end() if inner is not None and '"title"' not in text[start : inner.start()] else start


def _between(text: str, place: int) -> int:
    match = _BETWEEN.match(text, place)
    return match.end() if match else place


def _row(value: object) -> JsonRow | None:
    if not isinstance(value, dict):
        return None
    inner = value.get("message")
    # Crossref puts a single record into an object of its own.
    fields = inner if isinstance(inner, dict) and "title" not in value else value
    return JsonRow({str(key): field for key, field in fields.items()})


def _text(item: JsonRow, *names: str) -> str:
    """The first of these fields that says something; Crossref has lists of titles."""
    for name in names:
        value = item.values.get(name)
        texts = value if isinstance(value, list) else [value]
        for text in texts:
            if isinstance(text, str) and text.strip():
                return text
            if isinstance(text, int | float) and not isinstance(text, bool):
                return str(text)
    return ""


def _exported(item: JsonRow) -> ExportedRecord:
    stated_type = _text(item, "type").casefold()
    year, date = _date(item)
    note_lines = [line.strip() for line in _text(item, "note").splitlines()]
    subtitle = _text(item, "subtitle") if isinstance(item.values.get("title"), list) else ""
    title = _text(item, "title")
    return ExportedRecord(
        title=f"{title}: {subtitle}" if subtitle else title,
        type=TYPES.get(stated_type, "other"),
        authors=people_of(item, "author", "authors"),
        editors=people_of(item, "editor", "container-author"),
        abstract=_text(item, "abstract"),
        year=year,
        date=date,
        container=_text(item, "container-title", "event-title", "event"),
        short_containers=tuple(
            filter(None, (_text(item, "container-title-short"), _text(item, "journalAbbreviation")))
        ),
        ids=_ids(item, note_lines),
        urls=addresses((_text(item, "URL"),)),
        keywords=tuple(split_words(_text(item, "keyword"))),
        # What lines of the field “Extra” say is in fields of its own.
        notes=(*(line for line in note_lines if not _EXTRA_ID.fullmatch(line)), _text(item, "annote")),
        details=_details(item, stated_type, note_lines),
    )


def _ids(item: JsonRow, note_lines: list[str]) -> tuple[PaperId | None, ...]:
    archive = (_text(item, "archive_location", "archiveLocation", "archive-location"), _text(item, "number"))
    in_extra = [line.partition(":")[2].strip() for line in note_lines if line.casefold().startswith("arxiv:")]
    stated_id = _text(item, "id")
    return (
        parse_doi(_text(item, "DOI", "doi")),
        parse_pmid(_text(item, "PMID", "pmid")),
        parse_pmc(_text(item, "PMCID", "pmcid")),
        *ids_in_note("\n".join(note_lines)),
        *(parse_arxiv(number) for number in in_extra),
        *(find_arxiv(number) or (parse_arxiv(number) if "arxiv" in number.lower() else None) for number in archive),
        recognize_id(stated_id) if stated_id.startswith(("10.", "http")) else None,
    )


def _date(item: JsonRow) -> tuple[int | None, str]:
    for name in ("issued", "published-print", "published", "published-online", "created", "date", "year"):
        value = item.values.get(name)
        if isinstance(value, str | int):
            stated = publication_date((str(value),))
        elif isinstance(value, Mapping):
            stated = _date_of_object({str(key): part for key, part in value.items()})
        else:
            continue
        if stated[0] is not None:
            return stated
    return None, ""


def _date_of_object(value: Mapping[str, object]) -> tuple[int | None, str]:
    parts = value.get("date-parts")
    # Of a range the first day counts.
    first = parts[0] if isinstance(parts, list) and parts else None
    numbers = [clean_line(str(part)) for part in first if part is not None] if isinstance(first, list) else []
    if numbers and (year := find_year(numbers[0])) is not None:
        return year, iso_date(year, *numbers[1:3])
    texts = [text for name in ("literal", "raw", "year") if isinstance(text := value.get(name), str | int)]
    return publication_date(map(str, texts))


def _details(item: JsonRow, stated_type: str, note_lines: list[str]) -> PublicationDetails:
    kind = TYPES.get(stated_type, "other")
    isbn, issn = serial_numbers(_listed(item, "ISBN") + _listed(item, "ISSN"))
    publisher = prose(_text(item, "publisher"))
    has_institution = kind in ("thesis", "report")
    genre = prose(_text(item, "genre"))
    number = "" if "arxiv" in _text(item, "number").lower() else clean_line(_text(item, "number", "article-number"))
    pages = pages_of(_text(item, "page", "page-first"))
    catalogues = [name for name in (_text(item, "source"), _text(item, "archive")) if name]
    databases, numbers = database_facts(
        [name for name in catalogues if not name.casefold().startswith(_OWN_CATALOGUES)], (), (_text(item, "URL"),)
    )
    return PublicationDetails(
        volume=clean_line(_text(item, "volume")),
        issue=clean_line(_text(item, "issue")),
        pages="" if number and pages == number else pages,
        publisher="" if has_institution else publisher,
        address=prose(_text(item, "publisher-place", "event-place")),
        language=clean_line(_text(item, "language")),
        bibkey=_key(item, note_lines),
        article_number=number,
        edition=prose(_text(item, "edition")),
        series=prose(_text(item, "collection-title")),
        isbn=isbn,
        issn=issn,
        thesis=(degree_in(genre) or genre) if kind == "thesis" else "",
        institution=publisher if has_institution else "",
        databases=databases,
        accession_numbers=numbers,
    )


def _listed(item: JsonRow, name: str) -> list[str]:
    value = item.values.get(name)
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else [_text(item, name)]


def _key(item: JsonRow, note_lines: list[str]) -> str:
    """The user's citation key: stated as such, else the id of the item where it is no program's own."""
    stated = _text(item, "citation-key", "citekey")
    listed = next((match[1] for line in note_lines if (match := _EXTRA_KEY.fullmatch(line))), "")
    own = clean_line(_text(item, "id"))
    return clean_line(stated) or listed or ("" if _NO_KEY.fullmatch(own) else own)
