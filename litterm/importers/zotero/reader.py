"""Zotero's database to records: one for each item, with its notes, annotations, files and citation key."""

from __future__ import annotations

import re
import shutil
import sqlite3
import unicodedata
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from litterm.core.errors import BadInput
from litterm.core.temporary_files import scratch_folder
from litterm.importers.author_names import PersonList, author_from_text
from litterm.importers.byte_sources import Content
from litterm.importers.dates import find_year, iso_date, iso_prefix
from litterm.importers.exported_record import ExportedRecord, pages_of, paper_of
from litterm.importers.ids import find_arxiv, parse_arxiv, parse_doi, parse_pmc, parse_pmid, rank_ids, recognize_id
from litterm.importers.stated_facts import degree_in
from litterm.importers.zotero.database_copy import (
    BETTER_BIBTEX_NAMES,
    copy_database,
    open_copy,
)
from litterm.importers.zotero.items import (
    Attachment,
    Creator,
    GroupLibrary,
    Item,
    ItemReader,
    better_bibtex_keys,
    item_id,
)
from litterm.importers.zotero.note import note_text
from litterm.importers.zotero.profiles import DATABASE_NAME, attachment_folder
from litterm.model.library import Failure, Parsed
from litterm.model.paper import AnnotatedFile, Author, Paper, PaperId, PaperType, PublicationDetails
from litterm.text.clean import clean_line, prose
from litterm.text.plural import count_phrase

_PAPER_TYPES: Final[Mapping[str, PaperType]] = {
    "journalArticle": "article",
    "magazineArticle": "article",
    "newspaperArticle": "article",
    "conferencePaper": "inproceedings",
    "preprint": "preprint",
    "book": "book",
    "bookSection": "chapter",
    "encyclopediaArticle": "chapter",
    "dictionaryEntry": "chapter",
    "thesis": "thesis",
    "report": "report",
    "standard": "report",
}
_MAIN_ROLES: Final = frozenset(
    "author artist cartographer composer contributor director inventor interviewee podcaster presenter"
    " programmer".split()
)
"""Who made the work: an item has one of these roles in the place of authors."""
_DATE: Final = re.compile(r"(\d{4})-(0\d|1[0-2])-([0-2]\d|3[01]) ")
"""A date in Zotero's own form, in front of what the user typed."""
_EXTRA_LINE: Final = re.compile(r"\s*([A-Za-z][\w .-]{0,40}?)\s*:\s*(\S.*)")
_ID_LINES: Final = frozenset(("doi", "pmid", "pmcid", "arxiv", "_eprint", "citation key", "bibtex", "bibtex*"))
_ROLE_WORD: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")


def read_zotero(content: Content) -> Iterator[Parsed | Failure]:
    """Every item of the database outside the trash; an item without a title is a failure of its own.

    Raises:
        BadInput: it is damaged, lacks a table, or is being written to all the time.
    """
    with scratch_folder() as folder:
        copy = _copy_of(content, folder)
        try:
            with closing(open_copy(copy)) as connection:
                yield from _records(content, connection, folder)
        except sqlite3.Error as error:
            raise BadInput(f"The database of Zotero cannot be read on: {error}.") from error


def _copy_of(content: Content, folder: Path) -> Path:
    if content.path is not None and content.packed is None:
        return copy_database(content.path, folder)
    unpacked = folder / "unpacked"
    unpacked.mkdir()
    with content.open() as stream, (unpacked / DATABASE_NAME).open("wb") as file:
        shutil.copyfileobj(stream, file)
    return copy_database(unpacked / DATABASE_NAME, folder)


def _records(content: Content, connection: sqlite3.Connection, folder: Path) -> Iterator[Parsed | Failure]:
    reader = ItemReader(connection)
    base = attachment_folder(content.path.parent, Path.home()) if content.path is not None else ""
    library = _Library(content.origin, content.path, base, reader.groups(), _citation_keys(content.path, folder))
    remark = _remark(reader.loose_files())
    for item in reader.items():
        paper = _paper(item, library)
        if paper.title:
            yield Parsed(paper, remark=remark)
            remark = ""
        else:
            yield Failure(library.origin_of(item), f"The item {item.key} of Zotero has no title.")


def _remark(loose_files: int) -> str:
    if not loose_files:
        return ""
    return f"{count_phrase(loose_files, 'file')} in Zotero without an item; add PDFs among them by their path."


@dataclass(frozen=True, slots=True)
class _Library:
    """What is known of the database as a whole."""

    origin: str
    path: Path | None
    """Where it is, if it is a file of its own."""
    attachment_folder: str
    """The base folder of linked files; empty without one."""
    groups: Mapping[int, GroupLibrary]
    keys: _CitationKeys

    def id_of(self, item: Item) -> PaperId | None:
        """The item's own id."""
        return item_id(item.key, self.groups.get(item.library_id))

    def origin_of(self, item: Item) -> str:
        """The database and the item in it: what tells that an item is read again, whatever has changed of it."""
        own_id = self.id_of(item)
        return f"{self.origin}!{item.item_id if own_id is None else own_id.partition(':')[2]}"


@dataclass(frozen=True, slots=True)
class _CitationKeys:
    """Better BibTeX's keys."""

    by_key: Mapping[tuple[int, str], str] = field(default_factory=dict)
    by_number: Mapping[int, str] = field(default_factory=dict)
    older: Mapping[tuple[int, str], str] = field(default_factory=dict)
    """Of a database that Better BibTeX has left behind."""

    def current(self, item: Item) -> str:
        return self.by_key.get((item.library_id, item.key), "") or self.by_number.get(item.item_id, "")


def _citation_keys(database: Path | None, folder: Path) -> _CitationKeys:
    """The keys beside `database`; none where they cannot be read, for the papers are more than their keys."""
    if database is None:
        return _CitationKeys()
    found = []
    for number, name in enumerate(BETTER_BIBTEX_NAMES):
        keys: tuple[dict[tuple[int, str], str], dict[int, str]] = ({}, {})
        own_folder = folder / f"keys-{number}"
        own_folder.mkdir()
        with (
            suppress(OSError, BadInput, sqlite3.Error),
            closing(open_copy(copy_database(database.with_name(name), own_folder))) as connection,
        ):
            keys = better_bibtex_keys(connection)
        found.append(keys)
    (by_key, by_number), (older, _) = found
    return _CitationKeys(by_key, by_number, older)


def _paper(item: Item, library: _Library) -> Paper:
    values = item.values
    extra = _Extra(values.get("extra", ""))
    authors = tuple(_author(creator) for creator in item.creators if _is_main(creator, item.creators))
    editors = tuple(_author(creator) for creator in item.creators if creator.role == "editor")
    kind = _type(item, has_authors=bool(authors))
    year, date = _date(values.get("date", ""))
    containers = [values.get(name, "") for name in ("publicationTitle", "conferenceName")]
    # A preprint is in its repository.
    containers += [values.get("publisher", "")] if kind == "preprint" else []
    record = ExportedRecord(
        title=values.get("title", ""),
        type=kind,
        authors=PersonList(authors),
        editors=PersonList(editors),
        abstract=values.get("abstractNote", ""),
        year=year,
        date=date,
        container=next(filter(None, containers), ""),
        short_containers=tuple(filter(None, (values.get("journalAbbreviation", ""), *containers[1:2]))),
        ids=_ids(values, extra),
        urls=_addresses(values),
        keywords=tuple(item.tags),
        retraction=item.retraction,
        details=_details(item, kind, extra, library),
    )
    paper = paper_of(record, "zotero", library.origin_of(item))
    own_id = library.id_of(item)
    note = _note(item, extra, library.groups.get(item.library_id))
    return replace(
        paper,
        aliases=paper.aliases if own_id is None else (*paper.aliases, own_id),
        imprint=replace(paper.imprint, note=note, annotated_files=(AnnotatedFile(tuple(item.annotations)),)),
    )


def _details(item: Item, kind: PaperType, extra: _Extra, library: _Library) -> PublicationDetails:
    values = item.values
    has_publisher = kind not in ("thesis", "report")
    degree = _line(values, "thesisType")
    return PublicationDetails(
        volume=_line(values, "volume"),
        issue=_line(values, "issue"),
        pages=pages_of(values.get("pages", "")),
        publisher=_line(values, "publisher") if has_publisher else "",
        address=_line(values, "place"),
        language=_line(values, "language"),
        bibkey=_citation_key(item, extra, library.keys),
        article_number=_line(values, "articleNumber"),
        edition=_line(values, "edition"),
        series=_line(values, "series") or _line(values, "seriesTitle"),
        isbn=_line(values, "ISBN"),
        issn=_line(values, "ISSN"),
        thesis=(degree_in(degree) or degree) if kind == "thesis" else "",
        institution="" if has_publisher else _line(values, "publisher"),
        files=tuple(dict.fromkeys(filter(None, (_file(attachment, library) for attachment in item.attachments)))),
    )


class _Extra:
    """The field “Extra”: lines `Name: value` with what the type has no field for, and free text."""

    def __init__(self, text: str) -> None:
        self._values: dict[str, str] = {}
        rest = []
        for line in map(clean_line, text.splitlines()):
            match = _EXTRA_LINE.fullmatch(line)
            if match is not None and match[1].lower() in _ID_LINES:
                self._values.setdefault(match[1].lower(), match[2])
            elif line:
                rest.append(line)
        self.rest = "\n".join(rest)

    def value(self, *names: str) -> str:
        """Of the first of these lines that is there; empty without one."""
        return next((self._values[name] for name in names if name in self._values), "")


def _line(values: Mapping[str, str], name: str) -> str:
    return prose(values.get(name, ""))


def _is_main(creator: Creator, creators: list[Creator]) -> bool:
    """Whether the creator counts as an author: an author, or where there are none, who made the work."""
    if any(other.role == "author" for other in creators):
        return creator.role == "author"
    return creator.role in _MAIN_ROLES


def _author(creator: Creator) -> Author:
    first, last = creator.first_name, creator.last_name
    if creator.is_group or not first or not last:
        return Author(last or first, is_literal=creator.is_group)
    # Particles and suffixes stand in either field.
    return author_from_text(f"{last}, {first}")


def _type(item: Item, *, has_authors: bool) -> PaperType:
    if item.type == "book" and not has_authors and item.values.get("title", "").lower().startswith("proceedings of"):
        return "proceedings"
    return _PAPER_TYPES.get(item.type, "other")


def _date(stated: str) -> tuple[int | None, str]:
    """Year and date, as exact as they are known."""
    if match := _DATE.match(stated):
        year = int(match[1]) or None
        return year, iso_date(year, match[2], match[3])
    date = iso_prefix(clean_line(stated))
    year = find_year(date or stated)
    return year, date if year is not None and date else iso_date(year)


def _ids(values: Mapping[str, str], extra: _Extra) -> tuple[PaperId, ...]:
    """Every id of the paper that is stated, the strongest first; a field says more than a line of Extra."""
    address = clean_line(values.get("url", ""))
    archive_id = clean_line(values.get("archiveID", "") or values.get("number", ""))
    arxiv = extra.value("arxiv", "_eprint")
    is_arxiv = "arxiv" in f"{archive_id} {values.get('publisher', '')}".lower()
    return rank_ids(
        [
            parse_doi(clean_line(values.get("DOI", ""))) or parse_doi(extra.value("doi")),
            parse_pmid(clean_line(values.get("PMID", "")) or extra.value("pmid")),
            parse_pmc(clean_line(values.get("PMCID", "")) or extra.value("pmcid")),
            (parse_arxiv(archive_id) if is_arxiv else None) or parse_arxiv(arxiv) or find_arxiv(f"arXiv:{arxiv}"),
            recognize_id(address) if address else None,
        ]
    )


def _addresses(values: Mapping[str, str]) -> tuple[str, ...]:
    address = clean_line(values.get("url", ""))
    return (address,) if address.startswith(("http://", "https://")) and " " not in address else ()


def _citation_key(item: Item, extra: _Extra, keys: _CitationKeys) -> str:
    return (
        clean_line(item.values.get("citationKey", ""))
        or keys.current(item)
        or extra.value("citation key", "bibtex", "bibtex*")
        # Frozen when the keys moved into Zotero: an older word than all others.
        or keys.older.get((item.library_id, item.key), "")
    )


def _note(item: Item, extra: _Extra, group: GroupLibrary | None) -> str:
    """Notes, and what has no place of its own, a line each."""
    others = [
        f"{_ROLE_WORD.sub(' ', creator.role).lower()}: {_author(creator).surname}, {creator.first_name}".rstrip(", ")
        for creator in item.creators
        if creator.role != "editor" and not _is_main(creator, item.creators)
    ]
    related = [f"related: {prose(other.title)} ({item_id(other.key, group)})" for other in item.related]
    library = [f"group library: {group.name}"] if group is not None else []
    return "\n".join((*item.notes, *filter(None, (note_text(extra.rest),)), *others, *related, *library))


def _file(attachment: Attachment, library: _Library) -> str:
    """The path of an attached file, whether it is there or not; empty where its name leads out of its folder."""
    path = attachment.path.replace("\0", "")
    if path.startswith("storage:"):
        name = path.removeprefix("storage:")
        if not name or name in (".", "..") or "/" in name or "\\" in name or not attachment.key.isalnum():
            return ""
        if library.path is None:
            return name
        return _existing(library.path.parent / "storage" / attachment.key / name)
    if path.startswith("attachments:"):
        name = path.removeprefix("attachments:")
        if not library.attachment_folder or ".." in Path(name).parts:
            return name
        return _existing(Path(library.attachment_folder) / name)
    return path


def _existing(path: Path) -> str:
    """`path` as it is spelt on the disk: systems compose and decompose accents."""
    for form in ("NFC", "NFD"):
        other = path.with_name(unicodedata.normalize(form, path.name))
        with suppress(OSError, ValueError):
            if other.exists():
                return str(other)
    return str(path)
