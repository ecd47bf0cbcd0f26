"""What a record exported by another program becomes: ids, venue, type, keywords and notes, alike for all formats."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from litterm.importers.article_fields import PREPRINT_SERVERS, page_range, page_urls, venue_keys
from litterm.importers.author_names import (
    PersonList,
    is_degree,
    is_initials,
    is_known_particle,
    people_from_line,
    people_from_names,
    split_particle,
)
from litterm.importers.dates import find_year, iso_date, month_number
from litterm.importers.ids import find_arxiv, parse_doi, parse_pmc, parse_pmid, rank_ids, recognize_id
from litterm.importers.stated_facts import is_stated_status, refusal_in, retraction_in
from litterm.model.paper import Author, Paper, PaperId, PaperType, Provenance, PublicationDetails
from litterm.text.clean import clean_line, prose
from litterm.text.references.identity import local_id, scheme_of

MAX_FILE_BYTES: Final = 256 * 2**20
"""Of one exported file: some 80,000 records with abstracts."""
MAX_LINES: Final = 100_000
"""Of one record of tagged lines."""
NOBODY: Final = PersonList(())
_PREPRINT_DOIS: Final = (
    "10.48550/", "10.1101/", "10.21203/", "10.26434/", "10.20944/", "10.31234/", "10.31219/", "10.31235/", "10.2139/",
    "10.36227/",
)  # fmt: skip
"""What DOIs of arXiv, bioRxiv, Research Square, ChemRxiv, Preprints, PsyArXiv, OSF, SSRN and TechRxiv begin with."""
_PARTED_DATE: Final = re.compile(r"(\d{4})\s*+[/.-]\s*+(\d{0,2}+)(?:\s*+[/.-]\s*+(\d{0,2}+))?(?:[/ T].*)?")
_REVERSED_DATE: Final = re.compile(r"(\d{1,2})[/.](\d{1,2})[/.](\d{4})")
_ONE_DAY: Final = re.compile(r"(?<![\d/.-])(\d{1,2})(?:st|nd|rd|th)?(?![\d/-])")
_NOT_STATED: Final = re.compile(
    r"[\[(]?(?:no |not )?(?:abstract|title|keywords?)?(?: is)?"
    r"(?: ?(?:not )?available|n/?a|none|null|nan|unknown)[.\])]?",
    re.IGNORECASE,
)
"""What services write for a field that they lack."""
_COPYRIGHT: Final = re.compile(r"(?:copyright|©|\(c\)|all rights reserved)", re.IGNORECASE)
_SERIAL: Final = re.compile(r"(?<![\d-])(?:(?:97[89][- ]?)?\d(?:[- ]?\d){8}[- ]?[\dXx]|\d{4}-?\d{3}[\dXx])(?![\d-])")
_SERIAL_KIND: Final = re.compile(r"(?:(?<!\s)\s++)?+\(?\b(?:e-?|p-?)?IS[SB]N\b(?:-?1[03])?\)?:?\s*+", re.IGNORECASE)
_LISTED_ID: Final = re.compile(
    r"(?:^|[;,\n] ?)(?:(?:PMID|PubMed ID):? ?(?P<pmid>\d{1,8})\b"
    r"|PMCID:? ?(?P<pmc>PMC\d{1,9})\b|DOI:? ?(?P<doi>10\.\S+))",
    re.IGNORECASE,
)
_SCOPUS_ID: Final = re.compile(r"2-s2\.0-\d+")
_EBSCO_NUMBER: Final = re.compile(r"\bAccession Number: ?([\w.-]+)")
_EXPORT_DATE: Final = re.compile(r"\bExport(?:ed)?(?: Date:?| on:?) ?([\w ,/-]{6,24}\d)", re.IGNORECASE)
_FAMILY_AND_INITIALS: Final = re.compile(r"([^,;]++),\s*+((?:[A-Z]\.[ -]?){1,4})")
_GROUP: Final = re.compile(r"((?=[^,;]+? \S|[A-Z]{2,5},)[^,;]++),\s*+|\{([^{}]++)\}")
"""A group as EndNote writes it, of several words or a short word in capitals, and as BibTeX does."""
_DASH: Final = re.compile(r"(?:(?<!\s)\s++)?+(?:--++|[-‐-―−])\s*+")


@dataclass(frozen=True, slots=True)
class ExportedRecord:
    """One record as its file states it; text is as it stands there, with whatever markup."""

    title: str
    type: PaperType
    authors: PersonList = NOBODY
    editors: PersonList = NOBODY
    abstract: str = ""
    year: int | None = None
    date: str = ""
    container: str = ""
    """Journal, proceedings or book that it is part of."""
    short_containers: tuple[str, ...] = ()
    """Other names of it."""
    ids: tuple[PaperId | None, ...] = ()
    urls: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    retraction: str = ""
    details: PublicationDetails = field(default=PublicationDetails())
    """What needs no more than cleaning: not the container, the editors and the note."""


def lines_of(text: str) -> list[str]:
    """The lines of a file of tagged lines, whichever system wrote it."""
    # Not `splitlines`: U+2028 and the like stand inside of abstracts.
    return text.replace("\0", "").replace("\r\n", "\n").replace("\r", "\n").split("\n")


def paper_of(record: ExportedRecord, form: str, origin: str) -> Paper:
    """The paper of a record that was read from the file `origin` of the format `form`; without a title it has none."""
    title, abstract = stated_text(record.title), stated_text(record.abstract)
    container = clean_container(record.container)
    notes = tuple(dict.fromkeys(filter(None, map(prose, record.notes))))
    ids = _ids(record, notes, container) or (local_id(title, record.authors.authors, record.year),)
    kind = _type(record.type, container, ids)
    people = record.authors if record.authors.authors or kind not in ("book", "proceedings") else record.editors
    refused_by, decision = next(filter(any, (refusal_in(note, record.year) for note in notes)), ("", ""))
    venue = refused_by or _venue(kind, container, ids)
    return Paper(
        id=ids[0],
        title=title,
        abstract=abstract,
        authors=people.authors,
        year=record.year,
        date=record.date,
        venue=venue,
        venue_keys=venue_keys(venue, container, *map(clean_container, record.short_containers)),
        type=kind,
        keywords=_keywords(record.keywords),
        aliases=ids[1:],
        urls=tuple(dict.fromkeys((*page_urls(ids), *map(clean_line, record.urls)))),
        retraction=record.retraction or next(filter(None, map(retraction_in, notes)), ""),
        decision=decision,
        imprint=_imprint(record, kind, container, notes),
        provenance=Provenance(form, origin),
        has_more_authors=people.has_more,
    )


def _imprint(record: ExportedRecord, kind: PaperType, container: str, notes: Sequence[str]) -> PublicationDetails:
    stated = record.details
    # A journal prints articles; anything else is part of a book or of proceedings.
    is_journal = kind in ("article", "preprint")
    return replace(
        stated,
        journal=container if is_journal else "",
        booktitle="" if is_journal else container,
        editors=record.editors.authors,
        has_more_editors=record.editors.has_more,
        note="; ".join(note for note in notes if not is_stated_status(note)),
        exported_on=stated.exported_on or _export_date(notes),
    )


def _ids(record: ExportedRecord, notes: Sequence[str], container: str) -> tuple[PaperId, ...]:
    """Every id, the strongest first; of each scheme what a field of its own says before what addresses and notes do."""
    stated = [paper_id for paper_id in record.ids if paper_id is not None]
    listed = [paper_id for note in notes for paper_id in ids_in_note(note)]
    in_urls = [paper_id for url in record.urls if (paper_id := recognize_id(url)) is not None]
    for further in (*listed, *in_urls, find_arxiv(container)):
        if further is not None and scheme_of(further) not in map(scheme_of, stated):
            stated.append(further)
    return rank_ids(stated)


def ids_in_note(note: str) -> tuple[PaperId, ...]:
    """The ids that lines of a note give by name, as Zotero's field “Extra” does: `PMID: 123`."""
    found = []
    for match in _LISTED_ID.finditer(note):
        parsed = (parse_pmid(match["pmid"] or ""), parse_pmc(match["pmc"] or ""), parse_doi(match["doi"] or ""))
        found += [paper_id for paper_id in parsed if paper_id is not None]
    return tuple(found)


def _type(stated: PaperType, container: str, ids: Sequence[PaperId]) -> PaperType:
    """`stated`, or a preprint where it is told by the place."""
    place = container.casefold()
    is_server = place.startswith(PREPRINT_SERVERS) or place == "corr"
    if stated in ("article", "other") and is_server:
        return "preprint"
    schemes = set(map(scheme_of, ids))
    if stated == "other" and "arxiv" in schemes and "doi" not in schemes:
        return "preprint"
    is_deposited = any(key.startswith(tuple(f"doi:{prefix}" for prefix in _PREPRINT_DOIS)) for key in ids)
    return "preprint" if stated == "other" and is_deposited else stated


def _venue(kind: PaperType, container: str, ids: Sequence[PaperId]) -> str:
    is_there = container.casefold().startswith("arxiv") or (not container and any(map(_is_arxiv, ids)))
    return "arXiv" if kind == "preprint" and is_there else container


def _is_arxiv(paper_id: PaperId) -> bool:
    return scheme_of(paper_id) == "arxiv"


def stated_text(text: str) -> str:
    """`text` without markup; empty where it says that there is none."""
    cleaned = prose(text)
    return "" if len(cleaned) < 40 and _NOT_STATED.fullmatch(cleaned) else cleaned


def best_abstract(texts: Iterable[str]) -> str:
    """The abstract among several: the longest that is no copyright notice, without the brackets of JSTOR."""
    candidates = [text for text in texts if stated_text(text)]
    own = [text for text in candidates if not _COPYRIGHT.match(text.lstrip(" \n.*"))]
    abstract = max(own or candidates, key=len, default="").strip()
    is_bracketed = abstract.startswith("[") and abstract.endswith("]") and abstract.count("[") == 1
    return abstract[1:-1] if is_bracketed else abstract


def clean_container(text: str) -> str:
    """The name of a journal or a book without markup and a stop at its end that is no abbreviation's."""
    name = prose(text)
    return name[:-1] if name.endswith(".") and name.count(".") == 1 and " " in name and len(name) > 30 else name


def without_stop(title: str) -> str:
    """A title without the stop that some services end all titles with; the brackets of a translation go, too."""
    title = title.strip()
    if title.startswith("[") and title.rstrip(".").endswith("]") and title.count("[") == 1:
        title = title.rstrip(".")[1:-1]
    return title if title.endswith(("..", "etc.", "al.")) else title.removesuffix(".")


def people(names: Iterable[str]) -> PersonList:
    """The people of a list with a name an entry; one with nothing behind its comma, or in braces, is a group's."""
    # RefWorks writes `null` for a given name that it lacks.
    stated = [re.sub(r",\s*+null\b", "", name, flags=re.IGNORECASE).strip() for name in names]
    stated = [name for name in stated if name and name.strip("[]").casefold() not in ("anonymous", "anon", "no author")]
    are_initials = sum(_FAMILY_AND_INITIALS.fullmatch(name) is not None for name in stated) > 1
    certain = {
        place: author
        for place, name in enumerate(stated)
        if (author := _certain_author(name, are_initials=are_initials)) is not None
    }
    if not certain:
        return people_from_names(stated)
    found: list[Author] = []
    has_more = False
    for place, name in enumerate(stated):
        listed = PersonList((certain[place],)) if place in certain else people_from_names([name])
        found += listed.authors
        has_more |= listed.has_more
    return PersonList(tuple(found), has_more)


def _certain_author(name: str, *, are_initials: bool) -> Author | None:
    """A group, or a person whose initials would be taken for a degree (`Baiano, M.A.`); `None` for any other name.

    Behind a given and a family name they are a degree, unless `are_initials`: others of the list are written so.
    """
    if group := _GROUP.fullmatch(name):
        return Author(clean_line(group[1] or group[2]), is_literal=True)
    match = _FAMILY_AND_INITIALS.fullmatch(name)
    if match is None or not is_degree(match[2].strip(), is_behind_name=True):
        return None
    prefix, family = split_particle(clean_line(match[1]).split(), is_known_particle)
    if " " in family and not are_initials:
        return None
    return Author(family, clean_line(match[2]), prefix)


def people_of_cell(text: str) -> PersonList:
    """The people of one cell: between semicolons, bars or line breaks, else as a line of names."""
    for separator in (";", "|", "\n"):
        if separator in text:
            return people(text.split(separator))
    # The stop that ends the list, as in `Aas NK, Berg I.`.
    line = text.removesuffix(".") if text.count(".") == 1 else text
    parts = [part.strip() for part in line.split(",")]
    if all(" " in part and is_initials(part.rpartition(" ")[2]) for part in parts):
        # `Aas NK, Berg I` are two people, `Aas, Nora` is one.
        return people(", ".join(part.rsplit(" ", 1)) for part in parts)
    return people([text]) if len(parts) == 2 and parts[1] else people_from_line(text)


def publication_date(
    years: Iterable[str], dates: Iterable[str] = (), *, month_first: bool = False
) -> tuple[int | None, str]:
    """Year and date from fields that hold either, as exact as they agree; the year by the first that names one.

    Args:
        years: what states the year, perhaps with the whole date.
        dates: what states the date, perhaps without the year (`SEP 22`).
        month_first: whether `4/3/2024` is in April.
    """
    stated = [text.strip() for text in years if text.strip()]
    texts = [*stated, *(text.strip() for text in dates if text.strip())]
    read = [(_read_date(text, None, month_first=month_first), text) for text in texts]
    year = next((int(date[:4]) for date, _ in read if date), None)
    if year is None:
        return None, ""
    exact = [date or _read_date(text, year, month_first=month_first) for date, text in read]
    return year, max((date for date in exact if date.startswith(f"{year:04}")), key=len, default=f"{year:04}")


def _read_date(text: str, year: int | None, *, month_first: bool) -> str:
    """ISO 8601 of a date as printed; `year` where it names none itself; empty without a year."""
    if match := _PARTED_DATE.fullmatch(text):
        sound = find_year(match[1])
        return iso_date(sound, (match[2] or "").lstrip("0"), match[3] or "")
    if match := _REVERSED_DATE.fullmatch(text):
        first, second = int(match[1]), int(match[2])
        if first > 12 or (not month_first and "." in text):
            first, second = second, first
        elif not month_first and second <= 12 and first != second:
            # April or March: only the year is sure.
            return iso_date(find_year(match[3]))
        return iso_date(find_year(match[3]), str(first), str(second))
    year = find_year(text) or year
    rest = re.sub(r"\d{4}.*" if re.match(r"\D*\d{4}\W*$", text) else r"\d{4}", " ", text, count=1)
    days = _ONE_DAY.findall(rest)
    is_named = not rest.strip().isdecimal() and month_number(rest)
    return iso_date(year, rest if is_named else "", days[0] if is_named and len(days) == 1 else "")


def pages_of(first: str, last: str = "") -> str:
    """`97–105` of `97` and `105`, or of `97-105` in one field; a shortened last page is completed."""
    first, last = clean_line(first), clean_line(last)
    parts = _DASH.split(first, maxsplit=1)
    if not last and len(parts) == 2:
        first, last = parts
    elif last and len(parts) == 2 and parts[1] in (last, ""):
        first = parts[0]
    return page_range(first, last)


def serial_numbers(texts: Iterable[str]) -> tuple[str, str]:
    """ISBN and ISSN from fields that hold either, or several of them; several of one kind stand between commas."""
    isbns: dict[str, str] = {}
    issns: dict[str, str] = {}
    for text in texts:
        line = clean_line(text)
        numbers = _SERIAL.findall(line)
        for number in numbers if len(numbers) > 1 else [_SERIAL_KIND.sub(" ", line).strip()] if numbers else []:
            digits = re.sub(r"[^\dXx]", "", number if len(numbers) > 1 else numbers[0]).upper()
            if len(digits) == 8:
                issns.setdefault(digits, f"{digits[:4]}-{digits[4:]}")
            else:
                isbns.setdefault(digits, number)
    return ", ".join(isbns.values()), ", ".join(issns.values())


def _keywords(words: Iterable[str]) -> tuple[str, ...]:
    # A star marks the main subjects in MEDLINE and at Ovid.
    cleaned = (prose(word).strip(" ,;").removeprefix("*").strip() for word in words)
    distinct: dict[str, str] = {}
    for word in cleaned:
        distinct.setdefault(word.casefold(), word)
    return tuple(filter(None, distinct.values()))


def split_words(text: str) -> list[str]:
    """Keywords of one field: one a line, else between semicolons or bars, else between commas."""
    for separator in ("\n", ";", "|"):
        if separator in text:
            return [word for part in text.split(separator) for word in part.split(";")]
    return text.split(",")


def addresses(texts: Iterable[str]) -> tuple[str, ...]:
    """The web addresses in fields that hold one or several."""
    return tuple(
        dict.fromkeys(word for text in texts for word in text.split() if word.startswith(("http://", "https://")))
    )


def _export_date(notes: Iterable[str]) -> str:
    for note in notes:
        if match := _EXPORT_DATE.search(note):
            return publication_date((match[1],))[1]
    return ""


_SIGNS: Final[tuple[tuple[str, re.Pattern[str], re.Pattern[str] | None], ...]] = (
    ("Scopus", re.compile(r"scopus\.com/(?:inward|record|pages)"), _SCOPUS_ID),
    ("Embase", re.compile(r"embase\.com/(?:search|records|a/)"), re.compile(r"\bid=(L\d+)")),
    ("EBSCOhost", re.compile(r"search\.ebscohost\.com|research\.ebsco\.com"), None),
    ("Cochrane Library", re.compile(r"cochranelibrary\.com"), re.compile(r"\b(CN-\d+)")),
    ("ProQuest", re.compile(r"proquest\.com"), re.compile(r"docview/(\d+)")),
    ("Lens", re.compile(r"lens\.org/\d{3}-"), re.compile(r"lens\.org/([\d-]+\d[\dX])")),
    ("OpenAlex", re.compile(r"openalex\.org/W\d"), re.compile(r"openalex\.org/(W\d+)")),
    ("Dimensions", re.compile(r"app\.dimensions\.ai"), re.compile(r"\b(pub\.\d+)")),
    ("Web of Science", re.compile(r"webofscience\.com|webofknowledge\.com"), re.compile(r"\b(WOS:\w+)")),
)
"""Databases that addresses of records lead to, and the number of the record in the address."""
_NUMBER_SIGNS: Final = (
    ("Web of Science", re.compile(r"WOS:\w+")),
    ("Cochrane Library", re.compile(r"CN-\d+")),
    ("Scopus", _SCOPUS_ID),
    ("Embase", re.compile(r"L\d{6,}")),
    ("Dimensions", re.compile(r"pub\.\d+")),
    ("Lens", re.compile(r"\d{3}-\d{3}-\d{3}-\d{3}-\d{2}[\dX]")),
)
"""Databases that the form of a number tells."""


_PROGRAMS: Final = ("doi.org", "zotero", "endnote", "mendeley", "refworks", "rayyan", "covidence", "citavi")
"""What programs write in the place of a database, and is none."""


def database_facts(
    databases: Iterable[str], numbers: Iterable[str], urls: Iterable[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The databases a record comes from, and its numbers in them behind their names.

    Args:
        databases: as the record names them; years behind a name (`<2021>`) are left out.
        numbers: as the record states them, without saying whose they are.
        urls: addresses of the record, some of which are pages of a database.
    """
    named = [re.sub(r"(?:(?<!\s)\s++)?+<[^<>]*+>", "", clean_line(name)).strip() for name in databases]
    found = dict.fromkeys(name for name in named if name and not name.casefold().startswith(_PROGRAMS))
    listed: dict[str, None] = {}
    for number in filter(None, map(clean_line, numbers)):
        database = next((name for name, sign in _NUMBER_SIGNS if sign.fullmatch(number)), "")
        if database and not any(database.casefold() in name.casefold() for name in found):
            found.setdefault(database)
        listed.setdefault(f"{database or next(iter(found), '')} {number}".strip())
    for url in urls:
        for database, sign, number_sign in _SIGNS:
            if sign.search(url) is None:
                continue
            # Embase.com names `Embase` itself; EBSCOhost names the database inside of it, as does ProQuest.
            if not any(database.casefold() in name.casefold() for name in found):
                found.setdefault(database)
            match = number_sign.search(url) if number_sign is not None else None
            number = match[match.lastindex or 0] if match else ""
            if number and not any(entry.endswith(f" {number}") for entry in listed):
                listed.setdefault(f"{database} {number}")
    return tuple(found), tuple(listed)


def ebsco_number(notes: Iterable[str]) -> str:
    """The accession number with which notes of EBSCOhost begin; empty where there is none."""
    return next((match[1] for note in notes if (match := _EBSCO_NUMBER.match(note.strip()))), "")


def is_medline(databases: Iterable[str]) -> bool:
    """Whether bare accession numbers of these databases are PubMed's: MEDLINE or PubMed alone."""
    names = [name.casefold() for name in databases if name]
    return bool(names) and all(re.search(r"pubmed|medline|\bnlm\b", name) for name in names)
