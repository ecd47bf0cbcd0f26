"""The entries of a file: of a bibliography, or of the reference list of a document."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from litterm.core.errors import BadInput
from litterm.importers.author_names import people_from_text
from litterm.importers.bibtex.reader import NO_TITLE, read_located
from litterm.importers.byte_sources import file_content
from litterm.importers.encoding import decode_text
from litterm.model.attribution.bibliography import BibliographyEntry
from litterm.model.library import Failure, Parsed
from litterm.model.paper import Author, Paper, PaperId, PublicationDetails
from litterm.text.references.identity import local_id
from litterm.text.references.parser import Fields, read_reference

if TYPE_CHECKING:
    from litterm.importers.reader import FileReader
    from litterm.model.document import Document, Reference

_OTHERS: Final = re.compile(r"\bet al\b|\band others\b|…|\.\.\.", re.IGNORECASE)
_RANGE: Final = r"(\d{1,5})\s?(?:–|—|-{1,2})\s?(\d{1,5})(?![\d./-])"
_RANGES: Final = (
    re.compile(rf"\b(?:pages?|pp?)\b\.?\s?{_RANGE}", re.IGNORECASE),
    re.compile(rf"\d\)?\s?:\s?{_RANGE}"),
    # Behind a comma, and no days of a month.
    re.compile(rf"(?<![a-z])[.,]\s?{_RANGE}"),
)
"""Pages, from the surest sign of them to the weakest."""
_THOUSANDS: Final = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_YEAR_AT_END: Final = re.compile(r"[\s.,(\[]{0,4}(?:1[89]|20)\d\d[a-z]?[)\].,:\s]{0,4}$")
_SHORT_NAME: Final = re.compile(r"(?<=\s[A-Z][a-z])\.\s+(?=[A-Z])")
"""The end of a list of authors whose last has a family name of two letters, which looks like an abbreviation."""
_NUMBERS: Final = re.compile(r",?\s?(?<!\d)\d{1,6}\s?(?:\(\d{1,6}\))?\s?[:,]\s?\d")
"""Volume, issue and page behind a journal: `28 5:253`, `21:1`, `20(9):1297`."""
_IN_BEHIND: Final = re.compile(r"[.?!]\s+In:?\s+(?=[A-Z])")
_IN: Final = re.compile(r"^[\s.,;:“”\"]*(?:In:?\s+)?", re.IGNORECASE)
_MAX_VENUE_CHARS: Final = 220


ReadEntries = tuple[tuple[BibliographyEntry, ...], tuple[str, ...]]
"""Entries, and a sentence on each that cannot be checked."""


def bibtex_entries(path: Path) -> ReadEntries:
    """The entries of a BibTeX file with their lines; those without a title are only told.

    Raises:
        BadInput: it cannot be read; an entry that cannot is named by its line.
    """
    try:
        content = file_content(path, path.stat().st_size)
        # By line feeds alone, as lines are counted in the file.
        lines = decode_text(path.read_bytes()).text.split("\n")
    except OSError as error:
        raise BadInput(f"{path}: cannot be read ({error.strerror}).") from error
    if not any(line.strip() for line in lines):
        return (), ()
    entries: list[BibliographyEntry] = []
    told: list[str] = []
    try:
        located = list(read_located(content))
    except BadInput as error:
        raise BadInput(f"{path}: {error}") from error
    starts = [line for line, _ in located]
    for number, (line, reading) in enumerate(located):
        if isinstance(reading, Failure) and reading.cause.endswith(NO_TITLE):
            told.append(f"{path}:{line}: {reading.cause}")
            continue
        if isinstance(reading, Failure):
            raise BadInput(f"{path}:{line}: {reading.cause}")
        end = starts[number + 1] - 1 if number + 1 < len(starts) else len(lines)
        paper = reading.paper
        entries.append(
            BibliographyEntry(path, line, paper.imprint.bibkey, paper, field_lines=_field_lines(lines, line, end))
        )
    return tuple(entries), tuple(told)


def _field_lines(lines: Sequence[str], start: int, end: int) -> dict[str, int]:
    """The line on which each field of an entry begins; `start` and `end` from 1, both included."""
    found: dict[str, int] = {}
    for number in range(start, min(end, len(lines)) + 1):
        for match in re.finditer(r"(?:^|[,{])\s{0,8}([A-Za-z][\w-]{0,30})\s{0,8}=", lines[number - 1]):
            found.setdefault(match[1].lower(), number)
    return found


def document_entries(path: Path, document: Document) -> tuple[BibliographyEntry, ...]:
    """The reference list of a document; none where it is only known from its citing sentences."""
    if not document.references_known:
        return ()
    return tuple(printed_entry(path, reference) for reference in document.references)


def printed_entry(path: Path, reference: Reference) -> BibliographyEntry:
    """An entry of a reference list, its fields as they are recognised in its text."""
    fields = _with_title(read_reference(reference.text), reference.text)
    title = reference.title or fields.title
    names = _YEAR_AT_END.sub("", fields.authors.rstrip())
    people = people_from_text(names) if names.strip() else None
    authors: tuple[Author, ...] = people.authors if people is not None else ()
    families = reference.families or fields.families
    if len(families) > len(authors):
        authors = tuple(Author(family) for family in families)
    is_cut = bool(people and people.has_more) or _OTHERS.search(reference.text) is not None
    year = reference.year or fields.year
    ids: tuple[PaperId, ...] = reference.ids or fields.ids or (local_id(title, authors, year),)
    rest = _THOUSANDS.sub("", fields.rest)
    pages = next((match for pattern in _RANGES if (match := pattern.search(rest)) is not None), None)
    paper = Paper(
        id=ids[0],
        title=title,
        authors=authors,
        year=year,
        aliases=ids[1:],
        has_more_authors=is_cut,
        imprint=PublicationDetails(
            booktitle=_venue_in(fields.rest), pages=f"{pages[1]}–{pages[2]}" if pages is not None else ""
        ),
    )
    key = reference.label or fields.label or str(reference.index + 1)
    titles = tuple(dict.fromkeys(filter(None, (reference.title, *fields.titles))))
    return BibliographyEntry(path, 0, key, paper, text=reference.text, titles=titles)


def _with_title(fields: Fields, text: str) -> Fields:
    """`fields` with the part that is the title, where names of two letters or of editors were taken for its end."""
    titles = [_IN_BEHIND.split(one, maxsplit=1)[0] for one in fields.titles if not one.startswith(("In ", "in "))]
    parts = [part for title in titles for part in _SHORT_NAME.split(title, maxsplit=1)[1:]]
    ordered = tuple(dict.fromkeys((*parts, *titles)))
    if ordered == fields.titles or not ordered:
        return fields
    place = text.find(ordered[0])
    rest = text[place + len(ordered[0]) :] if place >= 0 else fields.rest
    return replace(fields, title=ordered[0], titles=ordered, rest=rest, authors=text[:place] if place > 0 else "")


def _venue_in(rest: str) -> str:
    """What stands behind a title, without `In` and what begins with numbers of pages or an address."""
    text = _IN.sub("", rest[: 2 * _MAX_VENUE_CHARS], count=1)
    for mark in ("http", "doi", "pages ", "pp.", " pp "):
        place = text.lower().find(mark)
        text = text[:place] if place > 0 else text
    if (numbers := _NUMBERS.search(text)) is not None:
        text = text[: numbers.start()]
    return text.strip(" .,;:“”\"'")[:_MAX_VENUE_CHARS]


def read_records(path: Path, reader: FileReader) -> Iterator[Parsed]:
    """The records of a file of any form that litterm imports; nothing is stored.

    Raises:
        BadInput: nothing in it can be read.
    """
    count, failures = 0, []
    for event in reader.read(path, _is_known):
        if isinstance(event, Parsed):
            count += 1
            yield event
        elif isinstance(event, Failure):
            failures.append(event)
    if not count:
        raise BadInput(f"{path}: {failures[0].cause if failures else 'holds no bibliography.'}")


def _is_known(_sha256: str) -> bool:
    return False


def file_entries(path: Path, reader: Callable[[], FileReader]) -> ReadEntries:
    """The entries of a file: of BibTeX by line; the reference list of a PDF or HTML; the records of any other form.

    Raises:
        BadInput: it cannot be read.
    """
    if path.suffix.lower() in (".bib", ".bibtex"):
        return bibtex_entries(path)
    entries: list[BibliographyEntry] = []
    for parsed in read_records(path, reader()):
        if parsed.document is not None and parsed.document.references:
            entries += document_entries(path, parsed.document)
        elif parsed.document is None:
            paper = replace(parsed.paper, provenance=parsed.paper.provenance)
            entries.append(BibliographyEntry(path, 0, paper.imprint.bibkey or str(len(entries) + 1), paper))
    return tuple(entries), ()
