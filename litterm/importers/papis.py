"""Papis: a folder for each paper, in which `info.yaml` is the record and its files lie beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from litterm.core.errors import BadInput
from litterm.importers.author_names import PersonList
from litterm.importers.bibtex.names import people_from_bibtex
from litterm.importers.bibtex.reader import type_of_entry
from litterm.importers.byte_sources import Content
from litterm.importers.dates import find_year, iso_date
from litterm.importers.encoding import decode_text
from litterm.importers.exported_record import ExportedRecord, pages_of, paper_of, people, serial_numbers
from litterm.importers.ids import find_arxiv, parse_arxiv, parse_doi, parse_pmc, parse_pmid, recognize_id
from litterm.importers.stated_facts import degree_in
from litterm.model.library import Failure, Parsed
from litterm.model.paper import PaperId, PublicationDetails
from litterm.text.clean import clean_line

_MAX_FILE_BYTES: Final = 2**19
"""A thousand times a usual record: one with all the authors of a large collaboration has half of it."""
_THESES: Final = ("phdthesis", "mastersthesis", "thesis")

Fields = Mapping[str, object]


def read_papis(content: Content) -> Iterator[Parsed | Failure]:
    """The one record of the file; its files are named as they are there, without folder.

    Raises:
        BadInput: it is too large, or no YAML that holds fields.
    """
    decoded = decode_text(content.read(_MAX_FILE_BYTES))
    fields = _fields(decoded.text)
    paper = paper_of(_exported(fields), "papis", content.origin)
    if paper.title:
        yield Parsed(paper, remark=decoded.remark)
    else:
        yield Failure(content.origin, "A record of papis without a title.")


def _fields(text: str) -> Fields:
    import yaml

    try:
        # Texts, lists and mappings and nothing else: no tag makes an object, and no merge key multiplies what is there.
        # Aliases are references to one value, of which only texts are taken.
        value = yaml.load(text, Loader=yaml.BaseLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f" in line {mark.line + 1}" if mark is not None else ""
        raise BadInput(f"A record of papis that is not well-formed YAML{place}.") from error
    if not isinstance(value, dict):
        raise BadInput("A record of papis without fields.")
    return value


def _text(fields: Fields, *names: str) -> str:
    """The first of these fields that is a text with something in it."""
    values = (fields.get(name) for name in names)
    return next((value for value in values if isinstance(value, str) and value.strip() not in ("", "null", "~")), "")


def _texts(fields: Fields, name: str) -> list[str]:
    """The texts of a list, or the one that stands in its place."""
    value = fields.get(name)
    values = value if isinstance(value, list) else [value]
    return [item for item in values if isinstance(item, str) and item.strip()]


def _exported(fields: Fields) -> ExportedRecord:
    kind = _text(fields, "type").lower()
    year = find_year(_text(fields, "year"))
    is_thesis = kind in _THESES
    isbn, issn = serial_numbers(filter(None, (_text(fields, "isbn"), _text(fields, "issn"))))
    stated_degree = _text(fields, "degree") or kind
    publisher = _text(fields, "publisher")
    return ExportedRecord(
        title=_title(fields),
        type=type_of_entry(kind, {}),
        authors=_people(fields, "author"),
        editors=_people(fields, "editor"),
        abstract=_text(fields, "abstract"),
        year=year,
        date=iso_date(year, _text(fields, "month"), _text(fields, "day")),
        container=_text(fields, "journal", "journaltitle", "booktitle", "container-title", "eventtitle"),
        short_containers=tuple(_texts(fields, "shortjournal")),
        ids=_ids(fields),
        urls=tuple(url for url in (_text(fields, "url"), _text(fields, "doc_url")) if url.startswith("http")),
        keywords=_keywords(fields),
        notes=tuple(_texts(fields, "note")),
        details=PublicationDetails(
            volume=clean_line(_text(fields, "volume")),
            issue=clean_line(_text(fields, "number", "issue")),
            pages=pages_of(_text(fields, "pages")),
            publisher=clean_line("" if is_thesis else publisher),
            address=clean_line(_text(fields, "address", "location")),
            language=clean_line(_text(fields, "language", "langid")),
            bibkey=clean_line(_text(fields, "ref")),
            article_number=clean_line(_text(fields, "eid")),
            edition=clean_line(_text(fields, "edition")),
            series=clean_line(_text(fields, "series")),
            isbn=isbn,
            issn=issn,
            thesis=degree_in(stated_degree) if is_thesis else "",
            institution=clean_line(_text(fields, "school", "institution") or (publisher if is_thesis else "")),
            files=tuple(map(str.strip, _texts(fields, "files"))),
        ),
    )


def _title(fields: Fields) -> str:
    title, subtitle = _text(fields, "title"), _text(fields, "subtitle")
    return f"{title}: {subtitle}" if subtitle and subtitle.lower() not in title.lower() else title


def _people(fields: Fields, role: str) -> PersonList:
    """From the list of people with the parts of their names, else from the line for BibTeX."""
    listed = fields.get(f"{role}_list")
    names = [_name(person) for person in listed if isinstance(person, dict)] if isinstance(listed, list) else []
    if any(names):
        return people(filter(None, names))
    return people_from_bibtex(_text(fields, role), clean_line)


def _name(person: Fields) -> str:
    family, given = _text(person, "family"), _text(person, "given")
    # With the comma of a group, should it have several words.
    return f"{family}, {given}" if family else given or _text(person, "name")


def _ids(fields: Fields) -> tuple[PaperId | None, ...]:
    eprint, archive = _text(fields, "eprint"), _text(fields, "eprinttype", "archiveprefix").lower()
    return (
        parse_doi(_text(fields, "doi")),
        parse_pmid(_text(fields, "pmid")),
        parse_pmc(_text(fields, "pmcid")),
        (parse_arxiv(eprint) or find_arxiv(eprint)) if archive in ("", "arxiv") else None,
        parse_arxiv(_text(fields, "arxivid", "arxiv")),
        recognize_id(_text(fields, "url")),
    )


def _keywords(fields: Fields) -> tuple[str, ...]:
    words: list[str] = []
    for name in ("keywords", "tags"):
        for text in _texts(fields, name):
            # Before version 0.14 all tags were one text, with commas or blanks between them.
            divider = ";" if ";" in text else "," if "," in text else None
            is_list = isinstance(fields.get(name), list) or (divider is None and name == "keywords")
            words += [text] if is_list else text.split(divider)
    return tuple(words)
