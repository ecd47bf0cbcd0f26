"""BibTeX and BibLaTeX to records; the one door to bibtexparser, loaded on first use."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping
from typing import Final

from litterm.errors import BadInput
from litterm.formats.articles import pages_of, venue_keys
from litterm.formats.contents import Content
from litterm.formats.dates import iso_date, iso_prefix, year_of
from litterm.formats.ids import arxiv, by_rank, doi, pmc, pmid, recognised
from litterm.formats.people import author_from_name
from litterm.model.library import Failure, Parsed
from litterm.model.paper import Author, Imprint, Paper, PaperId, PaperType, Provenance
from litterm.text.clean import plain, prose
from litterm.text.identity import local_id

_MAX_BYTES: Final = 64 * 2**20
_TYPES: Final[dict[str, PaperType]] = {
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
_NOT_PAPERS: Final = frozenset(("xdata", "set", "string", "comment", "preamble", "control"))
_AND: Final = re.compile(r"\s+and\s+", re.IGNORECASE)
_DASHES: Final = re.compile(r"\s*-{2,3}\s*")
_PIECE: Final = re.compile(r'"(?:[^"\\]|\\.)*"|\{[^{}]*\}|[^\s#"{}]+')
_ACRONYM: Final = re.compile(r"\(([A-Z][A-Za-z0-9-]{1,14})(?:\s*'?\d{2,4})?\)")
_LONE_BRACES: Final = re.compile(r"\{([^{}]*)\}")

Fields = Mapping[str, str]


def read_bibtex(content: Content) -> Iterator[Parsed | Failure]:
    """Every entry of a file; one that is broken is a failure of its own.

    Raises:
        BadInput: the file is too large or holds no entry at all.
    """
    text = content.read(_MAX_BYTES).decode("utf-8-sig", "replace")
    found = 0
    for line, kind, key, fields in _entries(text):
        if kind in _NOT_PAPERS:
            continue
        found += 1
        if fields is None:
            yield Failure(f"{content.origin}:{line}", "A BibTeX entry with unbalanced braces or quotes.")
        elif not _value(fields, "title"):
            yield Failure(f"{content.origin}:{line}", f"The entry “{plain(key)[:60]}” has no title.")
        else:
            yield Parsed(_paper(kind, key, fields, content.origin))
    if not found:
        raise BadInput("Holds no BibTeX entry.")


def _entries(text: str) -> Iterator[tuple[int, str, str, Fields | None]]:
    """Line (from 1), type, key and fields of every entry; no fields where it cannot be read."""
    # 60 ms to import, and only this format needs it.
    from bibtexparser.entrypoint import parse_string
    from bibtexparser.model import DuplicateBlockKeyBlock, DuplicateFieldKeyBlock, Entry, ParsingFailedBlock

    # It reports every bad entry there; ours are failures of the import.
    logging.getLogger("bibtexparser").setLevel(logging.CRITICAL + 1)
    library = parse_string(text)
    strings = {name.lower(): string.value for name, string in library.strings_dict.items()}
    for block in library.blocks:
        line = (block.start_line or 0) + 1
        if isinstance(block, DuplicateBlockKeyBlock | DuplicateFieldKeyBlock):
            block = block.ignore_error_block or block
        if isinstance(block, Entry):
            fields = {field.key.lower(): _joined(str(field.value), strings) for field in block.fields[::-1]}
            yield line, block.entry_type.lower(), block.key, fields
        elif isinstance(block, ParsingFailedBlock):
            yield line, "", "", None


def _joined(value: str, strings: Mapping[str, str]) -> str:
    """`acl # " 2019"` put together; other values as they are."""
    if "#" not in value or not _is_sum(value):
        return value
    pieces = (
        piece.strip('"') if piece[0] in '"{' else strings.get(piece.lower(), piece) for piece in _PIECE.findall(value)
    )
    return "".join(piece[1:-1] if piece.startswith("{") and piece.endswith("}") else piece for piece in pieces)


def _is_sum(value: str) -> bool:
    pieces = _PIECE.split(value)
    return len(pieces) > 2 and all(piece.strip() in ("", "#") for piece in pieces) and any("#" in p for p in pieces)


def _paper(kind: str, key: str, fields: Fields, origin: str) -> Paper:
    title = _title(fields)
    authors = _people(fields.get("author", ""))
    year, date = _published(fields)
    ids = _ids(fields) or (local_id(title, authors, year),)
    venue = _venue(fields)
    return Paper(
        id=ids[0],
        title=title,
        abstract=_value(fields, "abstract"),
        authors=authors or _people(fields.get("editor", "")),
        year=year,
        date=date,
        venue=venue,
        venue_keys=venue_keys(venue, _value(fields, "shortjournal")),
        type=_type(kind, fields),
        keywords=_keywords(fields),
        aliases=ids[1:],
        urls=tuple(dict.fromkeys((*pages_of(ids), *_addresses(fields)))),
        imprint=_imprint(key, fields),
        provenance=Provenance("bibtex", origin),
    )


def _imprint(key: str, fields: Fields) -> Imprint:
    return Imprint(
        booktitle=_value(fields, "booktitle"),
        journal=_value(fields, "journal", "journaltitle"),
        volume=_value(fields, "volume"),
        issue=_value(fields, "number", "issue"),
        pages=_DASHES.sub("–", _value(fields, "pages", "eid")),
        publisher=_value(fields, "publisher", "school", "institution", "organization"),
        address=_value(fields, "address", "location"),
        editors=_people(fields.get("editor", "")),
        language=_value(fields, "langid", "language"),
        bibkey=plain(key),
    )


def _value(fields: Fields, *names: str) -> str:
    """The first of these fields that says something, as text."""
    for name in names:
        if text := decoded(fields.get(name, "")):
            return text
    return ""


def decoded(value: str) -> str:
    """A field's value as text: LaTeX to Unicode, the braces that protect capitals dropped."""
    text = prose(value)
    if "\\" in text:
        text = _decoded_by_library(text)
    text = text.replace("``", "“").replace("''", "”").replace("---", "—").replace("--", "–")
    text = text.replace("~", " ").replace("{", "").replace("}", "")
    return plain(text)


def _decoded_by_library(text: str) -> str:
    """Rare commands our own table lacks; 40 ms to import."""
    from pylatexenc.latex2text import LatexNodes2Text
    from pylatexenc.latexwalker import LatexWalkerError

    try:
        return str(LatexNodes2Text(keep_comments=True).latex_to_text(text.replace("%", "\\%")))
    except (LatexWalkerError, LookupError, ValueError, TypeError, AttributeError, RecursionError):
        return text


def _title(fields: Fields) -> str:
    title, subtitle = _value(fields, "title"), _value(fields, "subtitle")
    return f"{title}: {subtitle}" if subtitle and subtitle.lower() not in title.lower() else title


def _people(value: str) -> tuple[Author, ...]:
    """`A and B and others`; a name in braces is that of a group."""
    found: list[Author] = []
    for name in _AND.split(" ".join(value.split())):
        name = name.strip()
        group = name.startswith("{") and name.endswith("}") and _LONE_BRACES.fullmatch(name)
        author = Author(decoded(name)) if group else author_from_name(decoded(name))
        if author is not None and author.family and name.lower() != "others":
            found.append(author)
    return tuple(found)


def _published(fields: Fields) -> tuple[int | None, str]:
    date = iso_prefix(fields.get("date", "").partition("/")[0])
    year = year_of(_value(fields, "year")) or year_of(date or _value(fields, "date"))
    return year, date or iso_date(year, _value(fields, "month"), _value(fields, "day"))


def _ids(fields: Fields) -> tuple[PaperId, ...]:
    eprint = _value(fields, "eprint")
    archive = _value(fields, "archiveprefix", "eprinttype").lower()
    found = [
        doi(_value(fields, "doi")),
        pmid(_value(fields, "pmid")) or (pmid(eprint) if archive == "pubmed" else None),
        pmc(_value(fields, "pmcid", "pmc")),
        arxiv(eprint) if archive in ("", "arxiv") else None,
        *(recognised(address) for address in _addresses(fields)),
        _arxiv_within(_value(fields, "journal")),
    ]
    return by_rank(tuple(each for each in found if each is not None))


def _arxiv_within(journal: str) -> PaperId | None:
    """The number in `arXiv preprint arXiv:1810.04805`."""
    _, colon, number = journal.rpartition("arXiv:")
    return arxiv(number.split()[0]) if colon and number.split() else None


def _addresses(fields: Fields) -> tuple[str, ...]:
    found = (
        plain(fields.get(name, "").replace("\\", "").strip("{}")) for name in ("url", "ee", "link", "howpublished")
    )
    return tuple(dict.fromkeys(each for each in found if each.startswith(("http://", "https://"))))


def _venue(fields: Fields) -> str:
    """The journal, or the acronym of the proceedings where one stands in parentheses."""
    if _on_arxiv(fields):
        return "arXiv"
    book = _value(fields, "booktitle")
    acronym = _ACRONYM.search(book)
    return _value(fields, "journal", "journaltitle", "series") or (acronym[1] if acronym else book)


def _type(kind: str, fields: Fields) -> PaperType:
    if _on_arxiv(fields):
        return "preprint"
    return _TYPES.get(kind, "other")


def _on_arxiv(fields: Fields) -> bool:
    """Whether the entry is a preprint there, not a published paper that is there too."""
    published = _value(fields, "journal", "journaltitle", "booktitle", "publisher").lower()
    return "arxiv" in published or (not published and "arxiv" in _value(fields, "archiveprefix", "eprinttype").lower())


def _keywords(fields: Fields) -> tuple[str, ...]:
    text = _value(fields, "keywords", "keyword")
    words = text.split(";") if ";" in text else text.split(",")
    return tuple(dict.fromkeys(word.strip() for word in words if word.strip()))
