"""Reads the values of a JSON row, its full text and its references."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Final

from litterm.importers.article_fields import citation_label, reference_from_fields
from litterm.importers.author_names import author_from_name
from litterm.importers.dates import find_year
from litterm.importers.ids import parse_doi, rank_ids, recognize_id
from litterm.importers.jsonl.people import author_from_object
from litterm.model.document import Reference, SectionKind
from litterm.model.paper import Paper, PaperId
from litterm.text.clean import clean_line, prose
from litterm.text.documents.builder import Block
from litterm.text.documents.sections import classify, heading_parts
from litterm.text.limits import MAX_REFERENCES

_PARAGRAPH_BREAK: Final = re.compile(r"(?<!\s)(?=[^\S\n]*+\n[^\S\n]*+\n)\s++|\r?\n(?=\s*+[-*•]\s)")
_MAX_DEPTH: Final = 6


@dataclass(frozen=True, slots=True)
class JsonRow:
    """A JSON object whose values may be of any type, whatever the field's name promises."""

    values: Mapping[str, object]
    is_plain: bool = False
    """Whether titles and abstracts hold no markup, as in what litterm itself writes."""

    def text(self, name: str) -> str:
        """A string or number as one clean line; empty for anything else."""
        return _line(self.values.get(name))

    def prose(self, name: str) -> str:
        """A string without LaTeX and inline markup, or a number; to the letter where the row is `plain`."""
        value = self.values.get(name)
        return prose(value) if isinstance(value, str) and not self.is_plain else _line(value)

    def words(self, name: str) -> tuple[str, ...]:
        """A list of strings, or one string cut at semicolons or commas; without repeats."""
        value = self.values.get(name)
        if isinstance(value, str):
            value = value.split(";") if ";" in value else value.split(",")
        lines = (_line(item) for item in value) if isinstance(value, list) else ()
        return tuple(dict.fromkeys(line for line in lines if line))

    def rows(self, name: str) -> list[JsonRow]:
        """The objects in a list."""
        value = self.values.get(name)
        items = value if isinstance(value, list) else []
        return [
            JsonRow({str(key): field_value for key, field_value in row.items()}, self.is_plain)
            for row in items
            if isinstance(row, dict)
        ]


def blocks_of(row: JsonRow, paper: Paper) -> Iterator[Block]:
    """Title, abstract and sections; nothing where the row has no sections."""
    sections = [block for section in row.rows("sections") for block in _section(section, 1)]
    if not any(block.kind in ("body", "abstract") for block in sections):
        return
    yield Block("title", paper.title)
    if paper.abstract and not any(block.section_kind == "abstract" for block in sections):
        heading = "Abstract" if paper.abstract_by == "authors" else "Summary by litterm"
        yield Block("heading", heading, section_kind="abstract")
        yield Block("abstract", paper.abstract)
    yield from sections


def _section(section: JsonRow, depth: int) -> Iterator[Block]:
    yield from _own_text(section, depth)
    for inner in section.rows("sections"):
        yield from _section(inner, depth + 1)


def _own_text(section: JsonRow, depth: int) -> Iterator[Block]:
    number, title = _heading(section)
    kind: SectionKind = classify(title)
    yield Block("heading", title, number=number, level=_level(section, number, depth), section_kind=kind)
    text_kind = "abstract" if kind == "abstract" else "body"
    sentences = section.values.get("sentences")
    if isinstance(sentences, list):
        lines = tuple(
            line
            for sentence in sentences
            if (line := _line(sentence.get("text") if isinstance(sentence, dict) else sentence))
        )
        if lines:
            yield Block("abstract" if text_kind == "abstract" else "body", sentences=lines)
        return
    for paragraph in _paragraphs(section):
        yield Block("abstract" if text_kind == "abstract" else "body", paragraph)


def _heading(section: JsonRow) -> tuple[str, str]:
    """Number and title; a title begins with its number, unless the section states another, or none."""
    printed = section.prose("title") or section.prose("heading")
    number, title = heading_parts(printed)
    if not isinstance(section.values.get("number"), str | int):
        return number, title
    stated = section.text("number")
    if printed.startswith(f"{stated} "):
        return stated, printed[len(stated) :].strip()
    return stated, title if number == stated else printed


def _paragraphs(section: JsonRow) -> list[str]:
    stated = section.values.get("paragraphs")
    if isinstance(stated, list):
        return [line for paragraph in stated if (line := _line(paragraph))]
    text = section.values.get("text")
    return (
        [line for paragraph in _PARAGRAPH_BREAK.split(text) if (line := clean_line(paragraph))]
        if isinstance(text, str)
        else []
    )


def _level(section: JsonRow, number: str, depth: int) -> int:
    stated = section.values.get("level")
    if isinstance(stated, int) and not isinstance(stated, bool) and 1 <= stated <= _MAX_DEPTH:
        return stated
    return min(max(number.count(".") + 1, depth), _MAX_DEPTH)


def references_of(row: JsonRow) -> tuple[Reference, ...]:
    """The entries of `references`, in order; one more than a record may have, where there are more."""
    value = row.values.get("references")
    entries = (entry for entry in value if isinstance(entry, str | dict)) if isinstance(value, list) else iter(())
    return tuple(_reference(index, entry, row) for index, entry in enumerate(islice(entries, MAX_REFERENCES + 1)))


def _families(row: JsonRow) -> Iterator[str]:
    """The family names of the authors, which are names or objects."""
    value = row.values.get("authors")
    for person in value if isinstance(value, list) else row.words("authors"):
        if isinstance(person, dict):
            fields = JsonRow({str(key): field_value for key, field_value in person.items()})
            family, author = fields.text("family"), author_from_object(fields.values)
        else:
            family, author = "", author_from_name(_line(person))
        if family:
            yield family
        elif author is not None:
            yield author.surname


def _reference(index: int, value: str | dict[object, object], citing: JsonRow) -> Reference:
    if isinstance(value, str):
        line = clean_line(value)
        line_id = recognize_id(line)
        return Reference(index, line, year=None if line_id else find_year(line), ids=(line_id,) if line_id else ())
    row = JsonRow({str(key): field_value for key, field_value in value.items()}, citing.is_plain)
    families = tuple(_families(row))
    year = find_year(row.text("year"))
    ids = _ids(row)
    title = row.prose("title")
    if text := row.prose("text"):
        label = row.text("label") or citation_label(families, year)
        return Reference(index, text, label=label, title=title, families=families, year=year, ids=ids)
    return reference_from_fields(index, title, families, year, ids, row.prose("venue"))


def _ids(row: JsonRow) -> tuple[PaperId, ...]:
    ids = (recognize_id(row.text("id")), parse_doi(row.text("doi")), *map(recognize_id, row.words("aliases")))
    return rank_ids(ids)


def _line(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float) or value != value:
        # What is not a number (NaN) is what tables write for a value they lack.
        return ""
    return clean_line(value if isinstance(value, str) else str(value))
