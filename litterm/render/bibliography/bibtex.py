"""BibTeX entries, UTF-8, one field a line, in a fixed order."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from litterm.model.annotations import PaperNotes
from litterm.model.paper import Author, Paper, PaperId
from litterm.render.bibliography.latex import escape, escape_title
from litterm.render.bibliography.publication import NO_NOTES, Kind, Publication, publications

_ENTRY_TYPES: dict[Kind, str] = {
    "conference": "inproceedings",
    "journal": "article",
    "preprint": "misc",
    "submission": "misc",
    "proceedings": "proceedings",
    "book": "book",
    "chapter": "incollection",
    "thesis": "phdthesis",
    "report": "techreport",
    "other": "misc",
}
_CONTAINER_FIELDS: dict[Kind, str] = {
    "conference": "booktitle",
    "chapter": "booktitle",
    "journal": "journal",
    "preprint": "howpublished",
    "other": "howpublished",
}
_PUBLISHER_FIELDS: dict[Kind, str] = {"thesis": "school", "report": "institution"}
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()


def entries(
    papers: Sequence[Paper], notes: Mapping[PaperId, PaperNotes] = NO_NOTES, taken_keys: set[str] | None = None
) -> str:
    """An entry a paper, in order, each paper once; ends with a line break unless empty.

    What a venue refused is `@misc` with a note, never part of its proceedings. `notes` become `annote` and `keywords`,
    which no style prints; `taken_keys` as in `keys.citation_keys`.
    """
    return "\n".join(_entry(key, published) for key, published in publications(papers, notes, taken_keys))


def _entry(key: str, published: Publication) -> str:
    fields = [(name, value) for name, value in _fields(published) if value]
    lines = [f"  {name} = {value}," for name, value in fields]
    return "\n".join([f"@{_ENTRY_TYPES[published.kind]}{{{key},", *lines, "}", ""])


def _fields(published: Publication) -> list[tuple[str, str]]:
    kind = published.kind
    return [
        ("title", _in_braces(escape_title(published.title))),
        ("author", _in_braces(_people(published.authors))),
        ("editor", _in_braces(_people(published.editors))),
        (_CONTAINER_FIELDS.get(kind, "series"), _in_braces(escape(published.container))),
        ("volume", _in_braces(escape(published.volume))),
        ("number", _in_braces(escape(published.issue))),
        # BibTeX's styles print a dash between pages for two hyphens.
        ("pages", _in_braces(escape(published.pages.replace("-", "--")))),
        ("year", _in_braces(str(published.year or ""))),
        # Without braces: `jan` and its like are macros of the style, which prints them in its own language.
        ("month", _MONTHS[published.month - 1] if published.month else ""),
        ("address", _in_braces(escape(published.address))),
        (_PUBLISHER_FIELDS.get(kind, "publisher"), _in_braces(escape(published.publisher))),
        ("doi", _in_braces(_escape_address(published.doi))),
        ("eprint", _in_braces(_escape_address(published.arxiv))),
        ("archiveprefix", "{arXiv}" if published.arxiv else ""),
        ("url", _in_braces(_escape_address(published.url))),
        ("language", _in_braces(escape(published.language))),
        # Printed by the styles, so that a retraction is in every bibliography.
        ("note", _in_braces(escape(published.note))),
        ("keywords", _in_braces(", ".join(map(escape, published.keywords)))),
        ("annote", _in_braces(_remarks(published))),
    ]


def _in_braces(value: str) -> str:
    return f"{{{value}}}" if value else ""


def _remarks(published: Publication) -> str:
    remarks = "\n\n".join(part for part in (published.correction, published.remark) if part)
    return "\n".join(map(escape, remarks.splitlines()))


def _escape_address(address: str) -> str:
    """An address as it is, but for the characters that would break the entry."""
    # Not escaped like text: `hyperref` and managers take an address to the letter.
    return re.sub(r"[\s{}\\\"<>^`|]", lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode()), address)


def _people(people: Sequence[Author]) -> str:
    return " and ".join(map(_person, people))


def _person(author: Author) -> str:
    # BibTeX would take the last word of a group's name for its family name.
    if not author.given:
        return _name(author.family, is_group=True)
    return f"{_name(author.family)}, {_name(author.given)}"


def _name(name: str, *, is_group: bool = False) -> str:
    """Braced where BibTeX would take it apart: commas, the words `and` and `others`, groups of several words."""
    needs_braces = "," in name or re.search(r"\b(and|others)\b", name, re.IGNORECASE) or (is_group and " " in name)
    return f"{{{escape(name)}}}" if needs_braces else escape(name)
