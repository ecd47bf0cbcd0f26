"""Detects the format of a file by its first bytes, never by its name.

Exports of other programs that are not read yet are recognised too, so that none is passed over without a word.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Final, Literal

from litterm.importers.encoding import UTF_16_MARKS, decode_text
from litterm.importers.field_lines import find_field_delimiter
from litterm.importers.table_columns import is_table_of_papers
from litterm.importers.xml.tree import RootElement, read_root

Format = Literal[
    "anthology",
    "jats",
    "bioc-xml",
    "bioc-json",
    "pubmed",
    "jsonl",
    "bibtex",
    "ris",
    "nbib",
    "csl",
    "csv",
    "endnote",
    "refer",
    "wos",
    "html",
    "pdf",
    "zotero",
    "papis",
    "gzip",
    "tar",
    "zip",
]
"""What litterm reads."""
_NEXT_STEP = "export BibTeX instead, or list the DOIs in a file for `litterm add --ids FILE`"
_TAGGED: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"RT [A-Z][a-z]+.*\n(?:.*\n){0,10}?(?:SR|ID|A1|T1) ", re.M), "An export of RefWorks"),
    (re.compile(r"<1>\s*\n(?:Unique Identifier|Accession Number|Title|Author)|VN {2}- Ovid"), "An export of Ovid"),
)
"""How the first entry of each format of tagged lines begins."""
_NBIB_START = re.compile(r"^(?:PMID|OWN|STAT|DCOM) {0,2}- ?\S", re.MULTILINE)
_RIS_START = re.compile(r"^[ \t]*(?:TY(?: {1,2}|\t)-|ty  -)[ \t]*[A-Za-z]{2,8}[ \t]*$", re.MULTILINE)
"""The type with which a record begins; before the first one programs write lines about the file."""
_REFER_START = re.compile(r"\s*%(?:0 [A-Z]|[AETDJ] \S)")
_REFER_TITLE = re.compile(r"^%[TBJ] \S", re.MULTILINE)
_WOS_START = re.compile(r"\s*(?:FN \S|VR 1|PT [JBCPS]\s*\n)")
_WOS_RECORD = re.compile(r"^PT [JBCPS]\s*$", re.MULTILINE)
_ENDNOTE_ROOT = re.compile(rb"<records>\s*<record>\s*<(?:database|source-app|ref-type|rec-number|foreign-keys|contrib)")
_RIS_TAG = re.compile(r"^[A-Z][A-Z0-9]  - \S", re.MULTILINE)
_PAPIS_FIELD = re.compile(
    r"^(title|author|doi|journal|tags|type|volume|year|papis_id|author_list|citations|doc_url|files|ref|time-added):",
    re.MULTILINE,
)
_PAPIS_OWN_FIELDS = frozenset("papis_id author_list citations doc_url files ref time-added".split())
_MAX_LINES_BEFORE = 40
"""Lines about the file before its first record."""
_BY_SUFFIX: Mapping[str, str] = {
    ".ris": "RIS", ".nbib": "NBIB", ".enw": "an export of EndNote", ".ciw": "an export of Web of Science",
}  # fmt: skip
_CSL_TYPE = re.compile(
    r'"type"\s*:\s*"(?:article(?:-journal|-magazine|-newspaper)?|review(?:-book)?|paper-conference|book|chapter|thesis|'
    r"report|standard|manuscript|document|webpage|entry(?:-encyclopedia|-dictionary)?|dataset|software|speech|post|"
    r"post-weblog|patent|periodical|pamphlet|collection|classic|event|figure|graphic|interview|legal_case|legislation|"
    r"map|motion_picture|musical_score|performance|personal_communication|bill|broadcast|hearing|regulation|song|treaty|"
    r'journal-article|proceedings-article|proceedings|posted-content|monograph|edited-book|book-chapter|dissertation)"'
)
_CSL_FIELD = re.compile(
    r'"(?:issued|date-parts|container-title|publisher-place|citation-key|event-title|title-short|collection-title)"\s*:|'
    r'"type"\s*:\s*"(?:article-|paper-|review|entry|post|manuscript|document|webpage|journal-article|proceedings-)'
)
"""What rows of JSON Lines do not have."""
_ROW_FIELDS = frozenset(("authors", "sections", "plain", "venue", "bibkey", "documents", "passages"))
_ZOTERO_JSON = re.compile(r'"(?:itemType|translatorID)"\s*:')
_XML_KINDS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"<(?:\w+:)?mods(?:Collection)?[\s>]"), "An export as MODS"),
    (re.compile(r"<rdf:RDF[^>]+(?:purl\.org/net/biblio|zotero\.org)", re.S), "An export of Zotero (RDF)"),
)


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Content that is not of a format litterm reads, and why."""

    cause: str
    ignorable: bool
    """Whether it does not look like a paper: skipped without a message in a folder or an archive."""


_PAPER_SUFFIXES: Final = frozenset(
    ".xml .nxml .jats .pdf .jsonl .ndjson .json .bib .bibtex .gz .tgz .tar .zip .bin .dat .bioc .ris".split()
)
"""Names that promise a paper; used only to decide whether an unreadable file is worth a word."""
_BOM: Final = b"\xef\xbb\xbf"
_BIBTEX_ENTRY: Final = re.compile(
    rb"(?:^|[\r\n])[ \t]*@[ \t]*[A-Za-z]{3,20}[ \t]*(?:[{(][ \t\r\n]*[^\s,{}()=\"]+[ \t\r\n]*,"
    # A key may be of any characters where the first field follows it.
    rb"|\{[^,{}\r\n]{0,200},\s*[A-Za-z][\w-]*\s*=)"
)
_HTML: Final = re.compile(
    rb"(?:<!--.{0,2000}?-->|<\?.{0,300}?\?>|\s)*<(?:!doctype\s+html|html|head|body|title|script|meta)\b", re.I | re.S
)
_ANY_PAGE_MESSAGE: Final = "An HTML page, not a paper: perhaps what a server said instead of the file."
_LATEXML: Final = re.compile(rb"ltx_page|ltx_document|LaTeXML")
"""What pages that LaTeXML made of a paper have long before the paper's text begins."""
_BIOC_KEYS: Final = re.compile(rb'"(?:documents|passages|infons)"\s*:')
_FORMAT_BY_ROOT: Final[dict[str, Format]] = {
    "article": "jats",
    "pmc-articleset": "jats",
    "OAI-PMH": "jats",
    "PubmedArticleSet": "pubmed",
    "PubmedArticle": "pubmed",
    "PubmedBookArticle": "pubmed",
    "PubmedBookArticleSet": "pubmed",
}
_FORMAT_BY_MAGIC: Final[tuple[tuple[bytes, Format], ...]] = (
    (b"\x1f\x8b", "gzip"),
    (b"PK\x03\x04", "zip"),
    (b"%PDF-", "pdf"),
    (b"PK\x05\x06", "zip"),
)
_OFFICE_ARCHIVE: Final = re.compile(rb"PK\x03\x04.{26}(?:\[Content_Types\]\.xml|mimetypeapplication/|_rels/)", re.S)
"""The first member of what word processors, spreadsheets and e-book makers pack."""
SQLITE_MAGIC: Final = b"SQLite format 3\x00"
SQLITE_HEAD_BYTES: Final = 2**20
"""Of an SQLite database: the names of its tables stand between the first pages of the tables."""
_ZOTERO_TABLES: Final = re.compile(rb"itemDataValues|itemTypeFields|itemTypeCreatorTypes|baseFieldMappings")
_ZOTERO_FILE: Final = "zotero.sqlite"
_FOREIGN_BY_MAGIC: Final = (
    (b"\x89PNG", "A PNG picture"),
    (b"\xff\xd8\xff", "A JPEG picture"),
    (b"GIF8", "A GIF picture"),
    (b"II*\x00", "A TIFF picture"),
    (b"MM\x00*", "A TIFF picture"),
    (b"\xd0\xcf\x11\xe0", "An old Office document"),
    (b"{\\rtf", "An RTF document"),
    (b"BZh", "Packed with bzip2"),
    (b"\xfd7zXZ", "Packed with xz"),
    (b"7z\xbc\xaf", "Packed with 7-Zip"),
    (b"(\xb5/\xfd", "Packed with zstd"),
    (b"%!PS", "PostScript; convert it to PDF"),
)


def detect(head: bytes, name: str = "") -> Format | Unreadable:
    """The format of a file that starts with `head` (64 kB of it, of SQLite `SQLITE_HEAD_BYTES`, or all)."""
    found = _detect_readable(head, name)
    export = recognise_export(head, name) if isinstance(found, Unreadable) else None
    # Never passed over in a folder: it holds papers that the user may believe to be imported.
    return found if export is None else Unreadable(export, ignorable=False)


def _detect_readable(head: bytes, name: str) -> Format | Unreadable:
    if not head:
        return Unreadable("The file is empty.", ignorable=not _is_named_like_paper(name))
    # Before what is packed: office documents are zip archives.
    binary = _detect_foreign(head, name) or _detect_sqlite(head, name) or _detect_packed(head)
    if binary:
        return binary
    text = head.removeprefix(_BOM).lstrip()
    wide = head[:2] in UTF_16_MARKS
    # XML may be UTF-16, which expat reads by itself.
    if text[:1] == b"<" or (wide and b"<" in head[2:4]):
        return _detect_xml(head, text, name)
    if wide or _is_wide_text(head):
        return _detect_wide(head, name)
    if text[:1] in (b"{", b"["):
        return _detect_json(text, name)
    return _detect_lines(head, text, name)


def _detect_lines(head: bytes, text: bytes, name: str) -> Format | Unreadable:
    if (tagged := _detect_tagged(head)) is not None:
        return tagged
    if _is_papis(_decode(head) or ""):
        return "papis"
    # Anywhere in the head: bibliographies begin with comments of the program that wrote them.
    if _BIBTEX_ENTRY.search(text):
        return "bibtex"
    if _are_mostly_papers(text):
        return "jsonl"
    return "csv" if _is_table(_decode(head) or "") else _detect_other(head, name)


def _is_table(text: str) -> bool:
    return is_table_of_papers(text) or find_field_delimiter(text) is not None


def _is_papis(text: str) -> bool:
    """Whether it is YAML with a title and further fields of papis, which begin lines; a note's front matter is none."""
    fields = set(_PAPIS_FIELD.findall(text))
    is_record = "title" in fields and len(fields) > 2 and not fields.isdisjoint(_PAPIS_OWN_FIELDS)
    return is_record and not text.startswith("---")


def _is_wide_text(head: bytes) -> bool:
    """Whether it is a bibliography in UTF-16 that does not say so."""
    return head[:4].count(0) == 2 and _BIBTEX_ENTRY.search(decode_text(head).text.encode()) is not None


def _detect_wide(head: bytes, name: str) -> Format | Unreadable:
    text = decode_text(head).text.encode("utf-8", "replace").lstrip()
    if (tagged := _detect_tagged(text)) is not None:
        return tagged
    if _BIBTEX_ENTRY.search(text) and text[:1] not in (b"{", b"["):
        return "bibtex"
    if _is_table(text.decode("utf-8", "replace")):
        return "csv"
    found = _detect_json(text, name) if text[:1] in (b"{", b"[") else None
    if found in ("jsonl", "csl"):
        return found
    return Unreadable("Text in UTF-16 or UTF-32; save it as UTF-8.", ignorable=not _is_named_like_paper(name))


def _detect_tagged(head: bytes) -> Format | None:
    """The format of lines that begin with tags."""
    # A stray zero byte makes no text binary.
    head = head.replace(b"\0", b"") if 0 < head.count(b"\0") * 20 < len(head) else head
    text = (_decode(head) or "").replace("\r\n", "\n").replace("\r", "\n")
    first = _RIS_START.search(text)
    if first is not None and text.count("\n", 0, first.start()) <= _MAX_LINES_BEFORE:
        return "ris"
    if (record := _NBIB_START.search(text)) and text.count("\n", 0, record.start()) <= _MAX_LINES_BEFORE:
        return "nbib"
    if _REFER_START.match(text) and _REFER_TITLE.search(text):
        return "refer"
    if _WOS_START.match(text) and _WOS_RECORD.search(text):
        return "wos"
    # Made by hand, without types: a title and what else a record has.
    tags = {tag[:2] for tag in _RIS_TAG.findall(text)}
    return "ris" if tags & {"TI", "T1"} and tags & {"AU", "A1"} and "ER" in text else None


def _detect_sqlite(head: bytes, name: str) -> Format | Unreadable | None:
    if not head.startswith(SQLITE_MAGIC):
        return None
    file_name = PurePath(name).name
    if file_name.startswith(f"{_ZOTERO_FILE}."):
        return Unreadable(
            f"A copy that Zotero keeps of its database; rename it to {_ZOTERO_FILE} to read it.", ignorable=True
        )
    # All tables of a young database may still be in its journal.
    if _ZOTERO_TABLES.search(head) or file_name == _ZOTERO_FILE:
        return "zotero"
    return Unreadable("An SQLite database that is not Zotero's.", ignorable=True)


def _detect_packed(head: bytes) -> Format | None:
    for magic, packed in _FORMAT_BY_MAGIC:
        if head.startswith(magic):
            return packed
    return "tar" if head[257:262] == b"ustar" else None


def _detect_foreign(head: bytes, name: str) -> Unreadable | None:
    for magic, kind in _FOREIGN_BY_MAGIC:
        if head.startswith(magic):
            packed = kind.startswith("Packed")
            cause = "which litterm does not unpack" if packed else "not a format litterm reads"
            return Unreadable(f"{kind}{',' if packed else ':'} {cause}.", ignorable=not packed)
    if _OFFICE_ARCHIVE.match(head):
        # A letter beside papers is no paper, but a table may well hold some.
        if name.lower().endswith(".xlsx"):
            return Unreadable("A workbook of Excel is not read; save its table as CSV.", ignorable=False)
        return Unreadable("An office document or an e-book: not a format litterm reads.", ignorable=True)
    return None


def _detect_xml(head: bytes, text: bytes, name: str) -> Format | Unreadable:
    if _HTML.match(text):
        return "html" if _LATEXML.search(head) else Unreadable(_ANY_PAGE_MESSAGE, ignorable=False)
    root = read_root(head.lstrip())
    if root is None or not root.tag:
        return _detect_broken_xml(head, name)
    if (root.tag == "xml" and root.child == "records") or _ENDNOTE_ROOT.search(head[:4000]):
        return "endnote"
    if root.tag == "collection":
        return _detect_collection(root)
    if root.tag == "volume" and "id" in root.attributes and root.child == "paper":
        return "anthology"
    known = _FORMAT_BY_ROOT.get(root.tag)
    if known is not None:
        return known
    return Unreadable(
        f"XML with the root “{root.tag[:40]}”: not a format litterm reads.", ignorable=not _is_named_like_paper(name)
    )


def _detect_collection(root: RootElement) -> Format:
    # BioC and the Anthology chose the same name; only the Anthology's root has an id.
    return "anthology" if "id" in root.attributes and root.child not in ("source", "document", "infon") else "bioc-xml"


def _detect_broken_xml(head: bytes, name: str) -> Format | Unreadable:
    """Not well-formed from its very start: say what it was meant to be, so that the parser names the fault."""
    for tag, kind in _FORMAT_BY_ROOT.items():
        if re.search(rb"<(?:\w+:)?" + tag.encode() + rb"[\s>]", head):
            return kind
    return Unreadable("Not well-formed XML.", ignorable=not _is_named_like_paper(name))


def _detect_json(text: bytes, name: str) -> Format | Unreadable:
    if _is_csl(text):
        return "csl"
    if text[:1] == b"[" and not _BIOC_KEYS.search(text):
        return Unreadable("A JSON array; JSON Lines have one object a line.", ignorable=not _is_named_like_paper(name))
    lines = text.splitlines()
    # One line as long as the head was cut somewhere, and is no JSON any more.
    is_complete = len(lines) > 1 or not _is_cut_short(text)
    # Twenty rows tell: the head may end in the middle of the next.
    rows = [row for line in lines[: 20 if is_complete else 0] if (row := _parse_object(line)) is not None]
    if rows:
        return _detect_rows(rows)
    if _BIOC_KEYS.search(text):
        return "bioc-json"
    # An object on one line whose first field has begun: a row longer than the head. Pretty-printed JSON opens with a
    # line of its own.
    if re.match(rb"\{\s*\"", text) and lines[0].strip() != b"{":
        return "jsonl"
    return Unreadable("JSON, but neither JSON Lines of papers nor BioC.", ignorable=not _is_named_like_paper(name))


def _is_csl(text: bytes) -> bool:
    """Whether it is CSL-JSON: a list of items, or an object that is one or holds a list of them.

    Rows of JSON Lines have some of its types and fields, but not those that are CSL's alone.
    """
    head = text.decode("utf-8", "replace")
    if '"title"' not in head or _ZOTERO_JSON.search(head) or _CSL_TYPE.search(head) is None:
        return False
    has_own_field = _CSL_FIELD.search(head) is not None
    if head[0] == "[":
        return has_own_field or '"authors"' not in head
    first = _parse_object(text.splitlines()[0])
    if first is None or "title" not in first:
        return has_own_field
    # A whole row says what it is, without the fields of what it refers to.
    own = json.dumps({name: value for name, value in first.items() if not isinstance(value, list)})
    return _CSL_FIELD.search(own) is not None and not first.keys() & _ROW_FIELDS


def _detect_rows(rows: list[dict[str, object]]) -> Format | Unreadable:
    if "documents" in rows[0] or "passages" in rows[0]:
        return "bioc-json"
    if any("title" in row for row in rows):
        return "jsonl"
    return Unreadable("JSON Lines, but its rows have no title: no papers.", ignorable=True)


def _are_mostly_papers(text: bytes) -> bool:
    """Whether half of the lines or more are rows of papers, as beside a comment or a broken first line."""
    if b'"title"' not in text:
        return False
    lines = [line for line in text.splitlines()[:20] if line.strip()]
    return 2 * sum("title" in (_parse_object(line) or ()) for line in lines) >= len(lines)


def _is_cut_short(text: bytes) -> bool:
    return len(text) > 60_000


def _parse_object(line: bytes) -> dict[str, object] | None:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) else None


def _detect_other(head: bytes, name: str) -> Format | Unreadable:
    if b"%PDF-" in head[:1024]:
        # Readers allow rubbish before the header; other formats may hold it as text or as a member.
        return "pdf"
    text = _is_text(head)
    cause = "Text in no format litterm reads." if text else "Binary data in no format litterm reads."
    return Unreadable(cause, ignorable=not _is_named_like_paper(name) and (text or bool(PurePath(name).suffix)))


def _is_text(head: bytes) -> bool:
    if b"\0" in head:
        return False
    # The last character of the head may be cut in the middle; it has four bytes at most.
    try:
        head[:-4].decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start > len(head) - 8
    return True


def _is_named_like_paper(name: str) -> bool:
    path = PurePath(name)
    # A hidden file promises nothing, whatever its ending: macOS leaves `._paper.pdf` in archives.
    return not path.name.startswith(".") and path.suffix.lower() in _PAPER_SUFFIXES


def recognise_export(head: bytes, name: str) -> str | None:
    """Why a text that starts with `head` is not read, and what to do, if it looks like the export of a program."""
    text = _decode(head)
    if text is None:
        return None
    kind = _recognise_tagged(text) or _recognise_json(text) or _recognise_xml(text)
    if kind is not None:
        return f"{kind} is not read; {_NEXT_STEP}."
    promised = _BY_SUFFIX.get(PurePath(name).suffix.lower())
    return f"Named like {promised}, but holds no record of it." if promised else None


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
    return "An export of Zotero (JSON)" if text[:1] in ("[", "{") and _ZOTERO_JSON.search(text) else None


def _recognise_xml(text: str) -> str | None:
    if text[:1] != "<":
        return None
    return next((kind for pattern, kind in _XML_KINDS if pattern.search(text[:4000])), None)
