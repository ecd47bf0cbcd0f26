"""BibTeX and BibLaTeX to records: people, ids, venue, thesis, numbers, dates and files of an entry."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from litterm.core.errors import BadInput
from litterm.importers.article_fields import PREPRINT_SERVERS, anthology_venues, page_urls, venue_keys
from litterm.importers.bibtex.entries import Fields, raw_entries
from litterm.importers.bibtex.jabref import read_metadata, split_escaped, unescape
from litterm.importers.bibtex.names import people_from_bibtex
from litterm.importers.byte_sources import Content
from litterm.importers.dates import find_year, iso_date, iso_prefix
from litterm.importers.encoding import decode_text
from litterm.importers.ids import find_arxiv, parse_arxiv, parse_doi, parse_pmc, parse_pmid, rank_ids, recognize_id
from litterm.importers.stated_facts import (
    degree_in,
    is_any_thesis,
    is_retraction,
    is_stated_status,
    refusal_in,
    retraction_in,
)
from litterm.model.library import Failure, Parsed
from litterm.model.paper import Paper, PaperId, PaperType, Provenance, PublicationDetails
from litterm.text.clean import clean_line, prose
from litterm.text.latex.prose import field_to_text
from litterm.text.references.identity import local_id

NO_TITLE: Final = "has no title."
"""How the cause of a failure ends where nothing but the title is missing."""
_MAX_FILE_BYTES: Final = 256 * 2**20
"""The Anthology with its abstracts has some 150 MB."""
_EDITED_KINDS: Final = frozenset("book mvbook collection proceedings reference".split())
"""Their editors are where others have authors."""
_OTHER_KINDS: Final = frozenset(("xdata", "set", "string", "comment", "preamble", "control"))
_PARTS_OF_BOOKS: Final = frozenset(("inproceedings", "conference", "incollection", "inbook"))
_PAPER_TYPES: Final[dict[str, PaperType]] = {
    "article": "article",
    "inproceedings": "inproceedings",
    "conference": "inproceedings",
    "proceedings": "proceedings",
    "mvproceedings": "proceedings",
    "book": "book",
    "mvbook": "book",
    "collection": "book",
    "mvcollection": "book",
    "incollection": "chapter",
    "inbook": "chapter",
    "techreport": "report",
    "report": "report",
    "unpublished": "preprint",
    "online": "other",
}
_DEGREES: Final = {
    "phdthesis": "phd",
    "mastersthesis": "master",
    "masterthesis": "master",
    "mathesis": "master",
    "bachelorsthesis": "bachelor",
    "bachelorthesis": "bachelor",
    "bathesis": "bachelor",
    "habilitation": "habilitation",
    "thesis": "",
}
"""Kinds of entries that are theses, with the degree that they say."""
_ARTICLE_NUMBER: Final = re.compile(r"(?:article|art\.|paper)(?: ?(?:no\.?|number))? ?([\w.-]{1,20})", re.IGNORECASE)
_ELECTRONIC_NUMBER: Final = re.compile(r"e[a-z]{0,4}\d{3,12}", re.IGNORECASE)
_ACRONYM: Final = re.compile(r"\(([A-Z][A-Za-z0-9-]{1,14})(?:\s*'?\d{2,4})?\)")
_ADDRESS: Final = re.compile(r"https?://[^\s{}]+")
_DASHES: Final = re.compile(r"(?:(?<!\s)\s+)?+(?:-{2,3}|–|—)\s*")
_ARXIV_JOURNALS: Final = ("corr", "arxiv", "arxiv preprint", "arxiv e-prints", "computing research repository")
_OLD_ARXIV_NUMBER: Final = re.compile(r"\d{7}(?:v\d+)?")
_WORDS: Final = re.compile(r"[a-z]{2,}")
_WORDS_AROUND_ARXIV: Final = frozenset(
    "preprint eprint print available at as from arxiv corr abs pdf http https www org in on the also version".split()
)
_LISTED_PMID: Final = re.compile(r"(?:^|[;,] ?)PMID:? ?(\d{1,9})\b", re.IGNORECASE)
_LISTED_PMCID: Final = re.compile(r"(?:^|[;,] ?)PMCID:? ?(PMC\d{1,9})\b", re.IGNORECASE)
_ONE_DAY: Final = re.compile(r"(?<![\d-])(\d{1,2})(?![\d-])")
_ESCAPED: Final = re.compile(r"\{?\\([_%&#$~{}])(?:\{\})?\}?")
_NAMED_SIGN: Final = re.compile(
    r"\{\\text(less|greater|asciitilde|underscore) ?\}"
    r"|\\text(less|greater|asciitilde|underscore)(?:\{\}| |(?![A-Za-z]))|\$([<>])\$"
)
_NAMED_SIGNS: Final = {"less": "<", "greater": ">", "asciitilde": "~", "underscore": "_"}
_OUTER_BRACES: Final = re.compile(r"\{([^{}]*)\}")
_FILE_FORM: Final = re.compile(r"[A-Za-z0-9.+/ -]{0,99}")
"""The type of an attached file, as its program names it."""


def read_bibtex(content: Content) -> Iterator[Parsed | Failure]:
    """Every entry of a file; one that is broken is a failure of its own.

    Raises:
        BadInput: the file is too large or holds no entry at all.
    """
    for _, reading in read_located(content):
        yield reading


def read_located(content: Content) -> Iterator[tuple[int, Parsed | Failure]]:
    """Every entry of a file with the line of its `@`, from 1; otherwise as `read_bibtex`.

    Raises:
        BadInput: the file is too large or holds no entry at all.
    """
    decoded = decode_text(content.read(_MAX_FILE_BYTES))
    remark, count, metadata = decoded.remark, 0, read_metadata(decoded.text)
    for entry in raw_entries(decoded.text):
        if entry.kind in _OTHER_KINDS:
            continue
        count += 1
        place, name = f"{content.origin}:{entry.line}", clean_line(entry.key)[:60]
        if entry.fields is None:
            yield (
                entry.line,
                Failure(place, "A BibTeX entry with unbalanced braces or quotes, or a field without a value."),
            )
        elif not text_of(entry.fields, "title"):
            yield entry.line, Failure(place, f"The entry “{name}” {NO_TITLE}")
        else:
            paper = _paper(entry.kind, entry.key, entry.fields, content.origin)
            collections = metadata.collections(entry.key, groups_of(entry.fields))
            files = metadata.located(paper.imprint.files, content.path)
            imprint = replace(paper.imprint, collections=collections, files=files)
            yield entry.line, Parsed(replace(paper, imprint=imprint), remark=remark)
            remark = ""
    # A text with an at sign was taken for BibTeX by its first bytes.
    if not count:
        raise BadInput("Holds no BibTeX entry.")


def _paper(kind: str, key: str, fields: Fields, origin: str) -> Paper:
    title = _title(fields)
    people = people_from_bibtex(fields.get("author", ""), decode_latex)
    stated_authors = people.authors
    if not stated_authors and kind in _EDITED_KINDS:
        # Of an article the editors are those of its journal.
        people = people_from_bibtex(fields.get("editor", ""), decode_latex)
    editors = people_from_bibtex(fields.get("editor", ""), decode_latex)
    details = details_of(kind, key, fields)
    year, date = publication_date(fields)
    # The citation key is no id: each user gives others.
    ids = ids_of(fields) or (local_id(title, stated_authors, year),)
    refused_by, decision = refusal_in(text_of(fields, "note"), year)
    venue = refused_by or venue_of_entry(kind, fields)
    return Paper(
        id=ids[0],
        title=title,
        abstract=text_of(fields, "abstract"),
        authors=people.authors,
        year=year,
        date=date,
        venue=venue,
        venue_keys=venue_keys(venue, text_of(fields, "shortjournal"), *anthology_venues(ids)),
        type=type_of_entry(kind, fields),
        keywords=keywords_of(fields),
        aliases=ids[1:],
        urls=tuple(dict.fromkeys((*page_urls(ids), *addresses_of(fields)))),
        retraction=retraction_in_note(fields),
        decision=decision,
        imprint=replace(details, editors=editors.authors, has_more_editors=editors.has_more),
        provenance=Provenance("bibtex", origin),
        has_more_authors=people.has_more,
    )


def _title(fields: Fields) -> str:
    # BibLaTeX parts them; some managers write the subtitle into both.
    title, subtitle = text_of(fields, "title"), text_of(fields, "subtitle")
    return f"{title}: {subtitle}" if subtitle and subtitle.lower() not in title.lower() else title


def ids_of(fields: Fields) -> tuple[PaperId, ...]:
    """Every id of the entry, the strongest first."""
    note, archive = text_of(fields, "note"), _archive(fields)
    eprint = verbatim(fields, "eprint")
    pmid, pmcid = _LISTED_PMID.search(note), _LISTED_PMCID.search(note)
    return rank_ids(
        [
            parse_doi(verbatim(fields, "doi")),
            parse_pmid(verbatim(fields, "pmid")) or (parse_pmid(eprint) if archive == "pubmed" else None),
            parse_pmc(verbatim(fields, "pmcid", "pmc")) or (parse_pmc(eprint) if archive == "pmc" else None),
            parse_pmid(pmid[1]) if pmid else None,
            parse_pmc(pmcid[1]) if pmcid else None,
            _arxiv_eprint(eprint, archive, verbatim(fields, "primaryclass", "eprintclass")),
            parse_arxiv(verbatim(fields, "arxiv", "arxivid", "arxiv_id")),
            *(recognize_id(address) for address in addresses_of(fields)),
            _arxiv_in_print(fields),
            _arxiv_in_note(note),
        ]
    )


def _archive(fields: Fields) -> str:
    return verbatim(fields, "archiveprefix", "eprinttype", "archive").lower().rstrip(":")


def _arxiv_eprint(eprint: str, archive: str, subject: str) -> PaperId | None:
    # An `eprint` without its archive is arXiv's by convention, also with its address.
    if not eprint or archive not in ("", "arxiv", "arxiv.org", "corr"):
        # INSPIRE had `eprint = {9901001}, archive = {hep-th}`.
        return parse_arxiv(f"{archive}/{eprint}") if _OLD_ARXIV_NUMBER.fullmatch(eprint) else None
    if subject and _OLD_ARXIV_NUMBER.fullmatch(eprint):
        return parse_arxiv(f"{subject}/{eprint}")
    return parse_arxiv(eprint) or find_arxiv(eprint)


def _arxiv_in_print(fields: Fields) -> PaperId | None:
    """The number in the place of publication: `arXiv preprint arXiv:1810.04805`, or DBLP's `CoRR`, `abs/1810.04805`."""
    journal = text_of(fields, "journal", "journaltitle")
    if journal.lower().rstrip(".") in _ARXIV_JOURNALS:
        numbers = (verbatim(fields, name) for name in ("volume", "number", "eid", "pages"))
        if found := next((paper_id for number in numbers if (paper_id := parse_arxiv(number))), None):
            return found
    places = (journal, *(text_of(fields, name) for name in ("howpublished", "number", "publisher")))
    return next((paper_id for place in places if (paper_id := find_arxiv(place))), None)


def _arxiv_in_note(note: str) -> PaperId | None:
    """The number of a note that says no more: another note may name another paper."""
    words = _WORDS.findall(re.sub(r"\[[\w.-]+\]|[a-z-]{2,12}(?:\.[a-z-]{2,12})?/\d{7}", "", note.lower()))
    return find_arxiv(note) if all(word in _WORDS_AROUND_ARXIV for word in words) else None


def addresses_of(fields: Fields) -> tuple[str, ...]:
    """The addresses that the entry names."""
    matches = (
        _ADDRESS.search(clean_line(fields.get(name, "").replace("\\", "")))
        for name in ("url", "ee", "link", "howpublished")
    )
    return tuple(dict.fromkeys(match.group() for match in matches if match))


def publication_date(fields: Fields) -> tuple[int | None, str]:
    """Year and date, as exact as they are stated."""
    stated = text_of(fields, "date")
    date = iso_prefix(stated.partition("/")[0])
    year = find_year(text_of(fields, "year")) or find_year(date or stated)
    if date:
        return year, date
    month = text_of(fields, "month") or stated
    day = _ONE_DAY.findall(month) if not month.isdecimal() else []
    return year, iso_date(year, month, text_of(fields, "day") or (day[0] if len(day) == 1 else ""))


def details_of(kind: str, key: str, fields: Fields) -> PublicationDetails:
    """What a bibliography says of the publication, without its editors."""
    issue, article_number = _numbers(kind, fields)
    return PublicationDetails(
        booktitle=text_of(fields, "booktitle"),
        journal=text_of(fields, "journal", "journaltitle"),
        volume=text_of(fields, "volume"),
        issue=issue,
        pages=_DASHES.sub("–", text_of(fields, "pages")),
        publisher=text_of(fields, "publisher", "organization"),
        address=text_of(fields, "address", "location"),
        language=text_of(fields, "langid", "language"),
        bibkey=clean_line(key),
        article_number=article_number,
        edition=text_of(fields, "edition"),
        series=text_of(fields, "series"),
        isbn=verbatim(fields, "isbn"),
        issn=verbatim(fields, "issn"),
        thesis=_thesis(kind, fields),
        institution=text_of(fields, "school", "institution"),
        note=_note(fields),
        files=attached_files(fields),
    )


def _numbers(kind: str, fields: Fields) -> tuple[str, str]:
    """Issue and article number; some sources have the one in the place of the other."""
    number, issue = text_of(fields, "number"), text_of(fields, "issue")
    stated = text_of(fields, "eid", "article-number", "articleno", "article_number", "elocation-id")
    if kind == "article" and number:
        match = _ARTICLE_NUMBER.fullmatch(number)
        if match or _ELECTRONIC_NUMBER.fullmatch(number):
            return issue, stated or (match[1] if match else number)
    return number or issue, stated


def _thesis(kind: str, fields: Fields) -> str:
    if kind not in _DEGREES:
        return ""
    stated = text_of(fields, "type")
    if degree := degree_in(stated):
        return degree
    # HAL calls every thesis `Theses`: the kind of the entry says more.
    return _DEGREES[kind] if not stated or is_any_thesis(stated) else stated


def _note(fields: Fields) -> str:
    _, remark = _correction_and_remark(fields)
    texts = [text_of(fields, "note"), remark, text_of(fields, "annotation"), text_of(fields, "addendum")]
    # That it was retracted or refused is a fact of its own.
    own = (text for text in texts if text and not is_stated_status(text))
    return "; ".join(dict.fromkeys(own))


def _correction_and_remark(fields: Fields) -> tuple[str, str]:
    """What `annote` says: litterm's own entries have a correction as its first paragraph."""
    first, _, rest = fields.get("annote", "").partition("\n\n")
    text = decode_latex(first)
    return (text, decode_latex(rest)) if is_retraction(text) else ("", decode_latex(f"{first} {rest}"))


def retraction_in_note(fields: Fields) -> str:
    """What a note says first, as litterm's own entries do."""
    return retraction_in(text_of(fields, "note")) or retraction_in(_correction_and_remark(fields)[0])


def venue_of_entry(kind: str, fields: Fields) -> str:
    """The journal, or the acronym of the proceedings where one is in parentheses, or the preprint server.

    A series (`LNCS`) is where a publisher puts its books, and no venue.
    """
    if _is_on_arxiv(fields):
        return "arXiv"
    book = text_of(fields, "booktitle", "eventtitle", "issuetitle")
    acronym = _ACRONYM.search(book)
    book = acronym[1] if acronym else book
    journal = text_of(fields, "journal", "journaltitle")
    # Some managers write the series of a book as its journal.
    venue = (book or journal) if kind in _PARTS_OF_BOOKS else (journal or book)
    venue = venue or text_of(fields, "shortjournal")
    howpublished = text_of(fields, "howpublished")
    # `howpublished` holds an address as often as a name.
    return venue or ("" if "://" in howpublished else howpublished)


def type_of_entry(kind: str, fields: Fields) -> PaperType:
    """The type of the work."""
    if _is_on_arxiv(fields):
        return "preprint"
    known = "thesis" if kind in _DEGREES else _PAPER_TYPES.get(kind, "other")
    howpublished = text_of(fields, "howpublished").lower()
    return "preprint" if known == "other" and any(server in howpublished for server in PREPRINT_SERVERS) else known


def _is_on_arxiv(fields: Fields) -> bool:
    """Whether the entry is a preprint there, not a published paper that is there too."""
    published = text_of(fields, "journal", "journaltitle", "booktitle", "publisher").lower()
    if "arxiv" in published or published == "corr" or published.startswith("corr abs/"):
        return True
    return not published and "arxiv" in _archive(fields)


def keywords_of(fields: Fields) -> tuple[str, ...]:
    """The keywords of the authors and the user's own."""
    words: list[str] = []
    for name in ("keywords", "keyword", "author_keywords", "author-keywords"):
        text = text_of(fields, name)
        # Where there are semicolons, commas belong to the keywords.
        words += text.split(";") if ";" in text else text.split(",")
    return tuple(dict.fromkeys(word.strip() for word in words if word.strip()))


def groups_of(fields: Fields) -> tuple[str, ...]:
    """The names of the groups of JabRef that the entry is in."""
    text = clean_line(fields.get("groups", ""))
    names = text.split(";") if ";" in text else text.split(",")
    return tuple(dict.fromkeys(name.strip() for name in names if name.strip()))


def decode_latex(value: str) -> str:
    """A field's value as text: LaTeX to Unicode, the braces that protect capitals dropped."""
    return prose(value, field_to_text)


def text_of(fields: Fields, *names: str) -> str:
    """The first of these fields that says something, as text."""
    for name in names:
        if text := decode_latex(fields.get(name, "")):
            return text
    return ""


def verbatim(fields: Fields, *names: str) -> str:
    """The first of these fields that says something, as an id or address: no dashes, quotes or ties in it are TeX's."""
    for name in names:
        value = clean_line(fields.get(name, ""))
        if match := _OUTER_BRACES.fullmatch(value):
            value = match[1].strip()
        if value:
            value = _NAMED_SIGN.sub(lambda match: match[3] or _NAMED_SIGNS[match[1] or match[2]], value)
            return _ESCAPED.sub(r"\1", value)
    return ""


def attached_files(fields: Fields) -> tuple[str, ...]:
    """Paths of attached files: `path`, or as JabRef, Zotero and Mendeley list them, `name:path:type;name:path:type`."""
    # Mendeley writes the backslash of its escapes as LaTeX.
    stated = verbatim(fields, "file").replace("$\\backslash$", "\\")
    listed = [_path_of(entry.strip()) for entry in split_escaped(stated, ";")]
    others = [path for name in ("pdf", "local-url") if (path := verbatim(fields, name)) and "://" not in path]
    return tuple(dict.fromkeys(path for path in (*listed, *others) if path))


def _path_of(entry: str) -> str:
    parts = split_escaped(entry, ":")
    # A drive letter is no name: `C:\papers\a.pdf`.
    is_drive = len(parts) == 2 and len(parts[0]) == 1
    if len(parts) > 3 and "//" in parts[-1] and _FILE_FORM.fullmatch(parts[-2]):
        # JabRef adds the address from which it was downloaded.
        parts = parts[:-1]
    path = ":".join(parts[1:-1]) if len(parts) > 2 else entry if is_drive or len(parts) == 1 else parts[1]
    return unescape(path).strip()
