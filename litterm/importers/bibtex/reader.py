"""BibTeX and BibLaTeX to records."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from litterm.core.errors import BadInput
from litterm.importers.article_fields import PREPRINT_SERVERS, anthology_venues, page_urls, venue_keys
from litterm.importers.author_names import author_from_name
from litterm.importers.bibtex.entries import Fields, raw_entries
from litterm.importers.byte_sources import Content
from litterm.importers.dates import find_year, iso_date, iso_prefix
from litterm.importers.encoding import decode_text
from litterm.importers.ids import parse_arxiv, parse_doi, parse_pmc, parse_pmid, rank_ids, recognize_id
from litterm.model.library import Failure, Parsed
from litterm.model.paper import Author, Paper, PaperId, PaperType, Provenance, PublicationDetails
from litterm.text.clean import clean_line, prose
from litterm.text.latex.prose import field_to_text
from litterm.text.references.identity import local_id

_MAX_FILE_BYTES: Final = 256 * 2**20
"""The Anthology with its abstracts has some 150 MB."""
_PAPER_TYPES: Final[dict[str, PaperType]] = {
    "article": "article",
    "inproceedings": "inproceedings",
    "conference": "inproceedings",
    "proceedings": "proceedings",
    "book": "book",
    "mvbook": "book",
    "collection": "book",
    "incollection": "chapter",
    "inbook": "chapter",
    "phdthesis": "thesis",
    "mastersthesis": "thesis",
    "thesis": "thesis",
    "techreport": "report",
    "report": "report",
    "unpublished": "preprint",
    "online": "other",
}
_EDITED_KINDS: Final = frozenset("book mvbook collection proceedings reference".split())
"""Their editors are where others have authors."""
_RETRACTION: Final = re.compile(r"(retracted|removed|corrected)\b(?::.*)?", re.IGNORECASE)
_OTHER_KINDS: Final = frozenset(("xdata", "set", "string", "comment", "preamble", "control"))
_AND: Final = re.compile(r"[{}]|(?<!\s)\s+and(?=\s)", re.IGNORECASE)
_DASHES: Final = re.compile(r"(?:(?<!\s)\s+)?+-{2,3}\s*")
_ACRONYM: Final = re.compile(r"\(([A-Z][A-Za-z0-9-]{1,14})(?:\s*'?\d{2,4})?\)")
_ADDRESS: Final = re.compile(r"https?://[^\s{}]+")


def read_bibtex(content: Content) -> Iterator[Parsed | Failure]:
    """Every entry of a file; one that is broken is a failure of its own.

    Raises:
        BadInput: the file is too large or holds no entry at all.
    """
    decoded = decode_text(content.read(_MAX_FILE_BYTES))
    remark, count = decoded.remark, 0
    for entry in raw_entries(decoded.text):
        if entry.kind in _OTHER_KINDS:
            continue
        count += 1
        place, name = f"{content.origin}:{entry.line}", clean_line(entry.key)[:60]
        if entry.fields is None:
            yield Failure(place, "A BibTeX entry with unbalanced braces or quotes, or a field without a value.")
        elif not _value(entry.fields, "title"):
            yield Failure(place, f"The entry “{name}” has no title.")
        else:
            yield Parsed(_paper(entry.kind, entry.key, entry.fields, content.origin), remark=remark)
            remark = ""
    # A text with an at sign was taken for BibTeX by its first bytes.
    if not count:
        raise BadInput("Holds no BibTeX entry.")


def _paper(kind: str, key: str, fields: Fields, origin: str) -> Paper:
    title = _title(fields)
    authors = _people(fields.get("author", ""))
    year, date = _publication_date(fields)
    # The citation key is no id: each user gives others.
    ids = _ids(fields) or (local_id(title, authors, year),)
    venue = _venue(fields)
    return Paper(
        id=ids[0],
        title=title,
        abstract=_value(fields, "abstract"),
        # Of an article the editors are those of its journal.
        authors=authors or (_people(fields.get("editor", "")) if kind in _EDITED_KINDS else ()),
        year=year,
        date=date,
        venue=venue,
        venue_keys=venue_keys(venue, _value(fields, "shortjournal"), *anthology_venues(ids)),
        type=_type(kind, fields),
        keywords=_keywords(fields),
        aliases=ids[1:],
        urls=tuple(dict.fromkeys((*page_urls(ids), *_addresses(fields)))),
        retraction=_retraction(fields),
        imprint=_imprint(key, fields),
        provenance=Provenance("bibtex", origin),
    )


def _imprint(key: str, fields: Fields) -> PublicationDetails:
    return PublicationDetails(
        booktitle=_value(fields, "booktitle"),
        journal=_value(fields, "journal", "journaltitle"),
        volume=_value(fields, "volume"),
        issue=_value(fields, "number", "issue"),
        pages=_DASHES.sub("–", _value(fields, "pages", "eid")),
        publisher=_value(fields, "publisher", "school", "institution", "organization"),
        address=_value(fields, "address", "location"),
        editors=_people(fields.get("editor", "")),
        language=_value(fields, "langid", "language"),
        bibkey=clean_line(key),
    )


def _value(fields: Fields, *names: str) -> str:
    """The first of these fields that says something, as text."""
    for name in names:
        if text := decode_latex(fields.get(name, "")):
            return text
    return ""


def decode_latex(value: str) -> str:
    """A field's value as text: LaTeX to Unicode, the braces that protect capitals dropped."""
    return prose(value, field_to_text)


def _title(fields: Fields) -> str:
    # BibLaTeX parts them; some managers write the subtitle into both.
    title, subtitle = _value(fields, "title"), _value(fields, "subtitle")
    return f"{title}: {subtitle}" if subtitle and subtitle.lower() not in title.lower() else title


def _people(value: str) -> tuple[Author, ...]:
    """`A and B and others`; a name in braces is that of a group."""
    authors: list[Author] = []
    for name in _names(" ".join(value.split())):
        author = Author(decode_latex(name)) if _is_group(name) else author_from_name(decode_latex(name))
        # "and others" stands for et al.
        if author is not None and author.surname and name.lower() != "others":
            authors.append(author)
    return tuple(authors)


def _names(value: str) -> Iterator[str]:
    """Cut at every `and` that no braces hold."""
    start = depth = 0
    for mark in _AND.finditer(value):
        if mark.group() == "{":
            depth += 1
        elif mark.group() == "}":
            depth -= 1
        elif depth <= 0:
            yield value[start : mark.start()].strip()
            start = mark.end()
    yield value[start:].strip()


def _is_group(name: str) -> bool:
    """Whether the brace that opens a name closes at its end."""
    depth = 0
    for index, character in enumerate(name):
        depth += (character == "{") - (character == "}")
        if not depth:
            return index > 0 and index == len(name) - 1
    return False


def _publication_date(fields: Fields) -> tuple[int | None, str]:
    date = iso_prefix(fields.get("date", "").partition("/")[0])
    year = find_year(_value(fields, "year")) or find_year(date or _value(fields, "date"))
    return year, date or iso_date(year, _value(fields, "month"), _value(fields, "day"))


def _ids(fields: Fields) -> tuple[PaperId, ...]:
    eprint = _value(fields, "eprint")
    archive = _value(fields, "archiveprefix", "eprinttype").lower()
    ids = [
        parse_doi(_value(fields, "doi")),
        parse_pmid(_value(fields, "pmid")) or (parse_pmid(eprint) if archive == "pubmed" else None),
        parse_pmc(_value(fields, "pmcid", "pmc")),
        # An `eprint` without its archive is arXiv's by convention.
        parse_arxiv(eprint) if archive in ("", "arxiv") else None,
        *(recognize_id(address) for address in _addresses(fields)),
        _arxiv_within(_value(fields, "journal")),
    ]
    return rank_ids(ids)


def _arxiv_within(journal: str) -> PaperId | None:
    """The number in `arXiv preprint arXiv:1810.04805`."""
    _, colon, number = journal.rpartition("arXiv:")
    return parse_arxiv(number.split()[0]) if colon and number.split() else None


def _addresses(fields: Fields) -> tuple[str, ...]:
    matches = (
        _ADDRESS.search(clean_line(fields.get(name, "").replace("\\", "")))
        for name in ("url", "ee", "link", "howpublished")
    )
    return tuple(dict.fromkeys(match.group() for match in matches if match))


def _venue(fields: Fields) -> str:
    """The journal, or the acronym of the proceedings where one is in parentheses, or the preprint server."""
    if _is_on_arxiv(fields):
        return "arXiv"
    book = _value(fields, "booktitle")
    acronym = _ACRONYM.search(book)
    venue = _value(fields, "journal", "journaltitle", "series") or (acronym[1] if acronym else book)
    howpublished = _value(fields, "howpublished")
    # `howpublished` holds an address as often as a name.
    return venue or ("" if "://" in howpublished else howpublished)


def _type(kind: str, fields: Fields) -> PaperType:
    if _is_on_arxiv(fields):
        return "preprint"
    known = _PAPER_TYPES.get(kind, "other")
    howpublished = _value(fields, "howpublished").lower()
    return "preprint" if known == "other" and any(server in howpublished for server in PREPRINT_SERVERS) else known


def _retraction(fields: Fields) -> str:
    """What a note says first, as litterm's own entries do."""
    note = _value(fields, "note")
    match = _RETRACTION.fullmatch(note)
    return note[0].lower() + note[1:] if match else ""


def _is_on_arxiv(fields: Fields) -> bool:
    """Whether the entry is a preprint there, not a published paper that is there too."""
    published = _value(fields, "journal", "journaltitle", "booktitle", "publisher").lower()
    return "arxiv" in published or (not published and "arxiv" in _value(fields, "archiveprefix", "eprinttype").lower())


def _keywords(fields: Fields) -> tuple[str, ...]:
    text = _value(fields, "keywords", "keyword")
    # Where there are semicolons, commas belong to the keywords.
    words = text.split(";") if ";" in text else text.split(",")
    return tuple(dict.fromkeys(word.strip() for word in words if word.strip()))
