"""Recognises exports of other programs that are not read yet, so that none is passed over without a word."""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Mapping
from pathlib import PurePath

_NEXT_STEP = "export BibTeX instead, or list the DOIs in a file for `litterm add --ids FILE`"
_RIS = "RIS"
_NBIB = "An export of PubMed (NBIB)"
_ENDNOTE = "An export of EndNote (ENW)"
_WEB_OF_SCIENCE = "An export of Web of Science"
_NEXT_STEPS: Mapping[str, str] = {
    _RIS: "`litterm add --ids FILE` fetches the records of the ids in it",
    _NBIB: "`litterm add pmid:NUMBER ...` fetches its records",
}
_TAGGED: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"TY {1,3}- ?[A-Z]{2,}"), _RIS),
    (re.compile(r"(?:PMID|OWN|STAT|DCOM) ?- \S"), _NBIB),
    (re.compile(r"%0 [A-Z]"), _ENDNOTE),
    (re.compile(r"FN (?:Clarivate|Thomson|ISI)|PT [JBCPS]\s*$|PT\tAU\t", re.M), _WEB_OF_SCIENCE),
    (re.compile(r"RT [A-Z][a-z]+.*\n(?:.*\n){0,10}?(?:SR|ID|A1|T1) ", re.M), "An export of RefWorks"),
    (re.compile(r"<1>\s*\n(?:Unique Identifier|Accession Number|Title|Author)|VN {2}- Ovid"), "An export of Ovid"),
)
"""How the first entry of each format of tagged lines begins."""
_BY_SUFFIX: Mapping[str, str] = {".ris": _RIS, ".nbib": _NBIB, ".enw": _ENDNOTE, ".ciw": _WEB_OF_SCIENCE}
_TITLE_COLUMNS = frozenset(
    ("title", "titles", "article title", "document title", "item title", "paper title", "publication title", "ti")
)
_FURTHER_COLUMNS: tuple[frozenset[str], ...] = (
    frozenset(("author", "authors", "author(s)", "author full names", "author names", "au", "creators")),
    frozenset(
        ("year", "publication year", "pubyear", "date", "date published", "create date", "publication date", "py")
    ),
    frozenset(("doi", "doi link", "di", "article doi")),
    frozenset(("pmid", "pmcid", "issn", "isbn", "eid", "lens id", "ut (unique wos id)", "accession number")),
    frozenset(
        (
            "journal",
            "journal/book",
            "source",
            "source title",
            "venue",
            "booktitle",
            "publication title",
            "so",
            "citation",
        )
    ),
    frozenset(("abstract", "ab", "abstract note")),
    frozenset(("item type", "document type", "publication type", "entry type", "type of reference")),
    frozenset(("keywords", "author keywords", "index keywords", "mesh terms")),
)
"""Columns of a table of papers, of each meaning those that programs write."""
_MIN_FURTHER_COLUMNS = 2
"""Beside the title; a list of films has a title and a year, too."""
_HEADER_LINES = 3
"""Some tables begin with a line about themselves."""
_CSL_TYPE = re.compile(
    r'"type"\s*:\s*"(?:article|article-journal|article-magazine|article-newspaper|paper-conference|book|chapter|thesis|'
    r'report|manuscript|webpage|entry|entry-encyclopedia|entry-dictionary|dataset|speech|post|post-weblog|patent)"'
)
_ZOTERO_JSON = re.compile(r'"(?:itemType|translatorID)"\s*:')
_XML_KINDS: tuple[tuple[re.Pattern[str], str], ...] = (
    (
        re.compile(r"<xml>\s*<records>|<records>\s*<record>\s*<(?:database|source-app|ref-type)"),
        "An export of EndNote (XML)",
    ),
    (re.compile(r"<(?:\w+:)?mods(?:Collection)?[\s>]"), "An export as MODS"),
    (re.compile(r"<rdf:RDF[^>]+(?:purl\.org/net/biblio|zotero\.org)", re.S), "An export of Zotero (RDF)"),
)


def recognise_export(head: bytes, name: str) -> str | None:
    """Why a text that starts with `head` is not read, and what to do, if it looks like the export of a program."""
    text = _decode(head)
    if text is None:
        return None
    kind = _recognise_tagged(text) or _recognise_json(text) or _recognise_xml(text) or _recognise_table(text)
    kind = kind or _BY_SUFFIX.get(PurePath(name).suffix.lower())
    if kind is None:
        return None
    return f"{kind} is not read; {_NEXT_STEPS.get(kind, _NEXT_STEP)}."


def _decode(head: bytes) -> str | None:
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return head.decode("utf-16", "replace").lstrip()
    if b"\0" in head:
        return None
    # What is looked for is ASCII, whatever the encoding of the names is.
    return head.removeprefix(codecs.BOM_UTF8).decode("utf-8", "replace").lstrip()


def _recognise_tagged(text: str) -> str | None:
    return next((kind for pattern, kind in _TAGGED if pattern.match(text)), None)


def _recognise_json(text: str) -> str | None:
    if text[:1] == "[" and _CSL_TYPE.search(text) and '"title"' in text:
        return "An export as CSL-JSON"
    return "An export of Zotero (JSON)" if text[:1] in ("[", "{") and _ZOTERO_JSON.search(text) else None


def _recognise_xml(text: str) -> str | None:
    if text[:1] != "<":
        return None
    return next((kind for pattern, kind in _XML_KINDS if pattern.search(text[:4000])), None)


def _recognise_table(text: str) -> str | None:
    lines = text.splitlines()
    # A last line may be cut; a header alone is a table without papers.
    for line in lines[: min(_HEADER_LINES, len(lines) - 1)]:
        for delimiter, kind in ((",", "CSV"), ("\t", "tab-separated"), (";", "CSV")):
            if delimiter in line and _is_header_of_papers(line, delimiter):
                return f"A table of papers ({kind})"
    return None


def _is_header_of_papers(line: str, delimiter: str) -> bool:
    try:
        cells = next(csv.reader([line], delimiter=delimiter))
    except (csv.Error, StopIteration):
        return False
    columns = {" ".join(cell.casefold().split()) for cell in cells}
    further = sum(not columns.isdisjoint(names) for names in _FURTHER_COLUMNS)
    return not columns.isdisjoint(_TITLE_COLUMNS) and further >= _MIN_FURTHER_COLUMNS
