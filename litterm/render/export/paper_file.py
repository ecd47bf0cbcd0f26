"""The Markdown file of one paper, which litterm updates while a user writes below it.

A file is front matter, a text made from a template, a line that ends litterm's part, and whatever the user has below.
That line holds a checksum of litterm's part, by which it is known whether somebody changed it.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote as percent_encode
from urllib.parse import unquote

from litterm.core.errors import BadInput
from litterm.model.annotations import PaperNotes
from litterm.model.paper import FileAnnotation, Paper
from litterm.render.bibliography.keys import pandoc_citation
from litterm.render.bibliography.publication import publication
from litterm.render.export.markdown import Quote, escape_line_of_markdown, escape_markdown
from litterm.render.export.template import Template, Value, read_template
from litterm.render.html_page import landing_page
from litterm.render.names import listed_names, status_warning, venue_and_year
from litterm.text.escape import plain, plain_lines
from litterm.text.file_annotations import annotation_place, annotations_with_files
from litterm.text.references.identity import paper_ids

ID_FIELD: Final = "litterm-id"
"""The field of the front matter by which a file is found again."""
PLACEHOLDERS: Final = (
    "title", "authors", "year", "date", "venue", "venue_and_year", "container", "volume", "issue", "pages", "publisher",
    "type", "doi", "arxiv", "pmid", "id", "citekey", "citation", "link", "abstract", "keywords", "warning", "tags",
    "status", "decision", "starred", "note", "quotes", "annotations",
)  # fmt: skip
LIST_PLACEHOLDERS: Final[Mapping[str, tuple[str, ...]]] = {
    "authors": ("author",),
    "keywords": ("keyword",),
    "tags": ("tag",),
    "quotes": ("quote", "locator", "page", "hypothesis", "quote_link"),
    "annotations": ("marked", "comment", "place", "annotation_page", "colour", "kind", "annotator", "file_link"),
}
"""What can be used inside of each list."""
DEFAULT_TEMPLATE: Final = """\
---
title: {{title}}
authors: {{authors}}
year: {{year}}
venue: {{venue}}
doi: {{doi}}
citekey: {{citekey}}
tags: {{tags}}
status: {{status}}
decision: {{decision}}
---

# {{title}}

{{authors}}{{?venue_and_year}}. {{venue_and_year}}{{/venue_and_year}}. {{citation}}{{?link}} [{{id}}]({{link}}){{/link}}
{{?warning}}

**{{warning}}**
{{/warning}}
{{?abstract}}

## Abstract

{{abstract}}
{{/abstract}}
{{?note}}

## Note

{{note}}
{{/note}}
{{?quotes}}

## Quotes
{{/quotes}}
{{#quotes}}

> {{quote}}

{{citation}}{{?locator}}, {{locator}}{{/locator}}{{?quote_link}} ([open]({{quote_link}})){{/quote_link}}
{{?hypothesis}}
For: {{hypothesis}}
{{/hypothesis}}
{{/quotes}}
{{?annotations}}

## Highlights
{{/annotations}}
{{#annotations}}
{{?marked}}

> {{marked}}
{{/marked}}

{{place}}{{?file_link}} ([open]({{file_link}})){{/file_link}}{{?comment}}: {{comment}}{{/comment}}
{{/annotations}}
"""
_END = "<!-- litterm {} ({}): everything below this line is yours -->"
_END_LINE = re.compile(rb"^<!-- litterm ([0-9a-f]{32}) \(([^\s()]*)\): [^\r\n]*-->[ \t]*(\r?\n|\Z)", re.MULTILINE)
_LIKE_END = re.compile(r"^(?=<!-- litterm )", re.MULTILINE)
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?\n)?---[ \t]*(?:\n|\Z)", re.DOTALL)
_FIELD_START = re.compile(r"^(?![ \t#\-\]}]|$)", re.MULTILINE)
_NO_NAME_CHARS = re.compile(r"""[\x00-\x1f<>:"/\\|?*#^\[\]`'$%!&;~{}]+""")
_DEVICES = re.compile(r"con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$", re.IGNORECASE)
_MAX_NAME_BYTES = 120
_MAX_FRONT_MATTER_CHARS = 100_000
_RAW_PLACEHOLDERS = frozenset({"note", "citation", "link", "quote_link", "file_link"})
"""What is Markdown already."""


@dataclass(frozen=True, slots=True)
class FileTemplate:
    """The template of a file: of its front matter and of its text."""

    fields: Template
    text: Template


@dataclass(frozen=True, slots=True)
class OwnPart:
    """Litterm's part of a file, as it is to be written."""

    fields: str
    """Lines of YAML."""
    names: tuple[str, ...]
    """Of the fields."""
    text: str
    digest: str


def read_file_template(text: str) -> FileTemplate:
    """The template `text`, whose front matter may be missing.

    Raises:
        BadInput: it has a placeholder that does not exist, or a block without its end.
    """
    text = "\n".join(text.removeprefix("\ufeff").splitlines()) + "\n"
    match = _FRONT_MATTER.match(text)
    fields, body = (match[1] or "", text[match.end() :]) if match else ("", text)
    return FileTemplate(
        read_template(fields, PLACEHOLDERS, LIST_PLACEHOLDERS), read_template(body, PLACEHOLDERS, LIST_PLACEHOLDERS)
    )


def render_own_part(
    template: FileTemplate, paper: Paper, key: str, notes: PaperNotes, quotes: Sequence[Quote]
) -> OwnPart:
    """Litterm's part of the file of `paper`.

    Raises:
        BadInput: the front matter of the template makes no YAML.
    """
    values = _values(paper, key, notes, quotes)
    lines = template.fields.fill(values, _write_yaml)
    fields = "".join(f"{line}\n" for line in lines.splitlines() if line.strip()) + f"{ID_FIELD}: {_json(paper.id)}\n"
    parsed = _parse_fields(fields)
    if parsed is None:
        raise BadInput("The front matter of the template makes no valid YAML; a placeholder is a whole value there.")
    # A line of a note that looks like the end of litterm's part must not end it.
    text = _LIKE_END.sub(r"\\", template.text.fill(values, _write_markdown).strip())
    return OwnPart(fields, tuple(parsed), text, _digest(parsed, text))


def new_file(part: OwnPart) -> bytes:
    """The bytes of a file that does not exist yet."""
    return f"---\n{part.fields}---\n\n{part.text}\n\n{_end_line(part)}\n\n".encode()


def updated_file(content: bytes, part: OwnPart, *, force: bool = False) -> bytes | None:
    """`content` with another part of litterm; `None` where somebody changed that part, unless `force`.

    What is below its last line stays to the byte, and so do the fields that the user added to the front matter.
    """
    end = _END_LINE.search(content)
    if end is None:
        return None
    upper = content[: end.start()]
    try:
        text = upper.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
    text = text.replace("\r\n", "\n")
    names = tuple(unquote(name) for name in end[2].decode("ascii", "replace").split(","))
    match = _FRONT_MATTER.match(text)
    fields = _parse_fields(match[1] or "") if match else None
    if match is None or fields is None:
        return None
    own_fields = {name: value for name, value in fields.items() if name in names}
    is_own = _digest(own_fields, text[match.end() :].strip()) == end[1].decode()
    # A field that the user added has a name that litterm wants, too.
    is_taken = any(name in fields and name not in names for name in part.names)
    if (not is_own or is_taken) and not force:
        return None
    added = "".join(_added_fields(match[1] or "", {*names, *part.names}))
    written = f"---\n{part.fields}{added}---\n\n{part.text}\n\n{_end_line(part)}"
    if b"\r\n" in upper:
        written = written.replace("\n", "\r\n")
    return written.encode() + (end[3] or b"\n") + content[end.end() :]


def file_name(key: str) -> str:
    """A name for the file of the paper with the citation key `key`, which every system and Obsidian can have."""
    name = _NO_NAME_CHARS.sub("-", unicodedata.normalize("NFC", plain(key))).strip("-. ") or "paper"
    while len(name.encode()) > _MAX_NAME_BYTES:
        name = name[:-1]
    # Windows takes these for devices, whatever their ending is.
    return f"{name}-paper.md" if _DEVICES.fullmatch(name.partition(".")[0]) else f"{name.rstrip('-. ')}.md"


def read_id(head: bytes) -> str:
    """The id in the front matter of a file that begins with `head`; empty where it has none."""
    match = _FRONT_MATTER.match(head.decode("utf-8-sig", "replace").replace("\r\n", "\n"))
    line = re.search(rf"^{ID_FIELD}:.*$", match[1] or "", re.MULTILINE) if match else None
    fields = _parse_fields(line.group()) if line else None
    value = (fields or {}).get(ID_FIELD, "")
    return value if isinstance(value, str) else ""


def _values(paper: Paper, key: str, notes: PaperNotes, quotes: Sequence[Quote]) -> dict[str, Value]:
    facts = publication(paper)
    link = _link(paper)
    return {
        "title": plain(paper.title),
        "authors": [{"author": plain(name)} for name in listed_names(paper)],
        "year": paper.year or "",
        "date": plain(paper.date),
        "venue": plain(paper.venue),
        "venue_and_year": plain(venue_and_year(paper)),
        "container": facts.container,
        "volume": facts.volume,
        "issue": facts.issue,
        "pages": facts.pages,
        "publisher": facts.publisher,
        "type": paper.type,
        "doi": facts.doi,
        "arxiv": facts.arxiv,
        "pmid": facts.pmid,
        "id": plain(paper.id),
        "citekey": key,
        "citation": pandoc_citation(key),
        "link": link,
        "abstract": facts.abstract,
        "keywords": [{"keyword": plain(word)} for word in paper.keywords],
        "warning": plain(status_warning(paper)),
        "tags": [{"tag": plain(tag)} for tag in notes.tags],
        "status": notes.status,
        "decision": notes.screening or "",
        "starred": "yes" if notes.starred else "",
        "note": plain_lines(notes.note).strip(),
        "quotes": [_quote_values(item, link) for item in quotes],
        "annotations": [_annotation_values(one, file) for one, file in annotations_with_files(paper)],
    }


def _annotation_values(annotation: FileAnnotation, file: str) -> dict[str, str | int]:
    page = f"#page={annotation.page}" if annotation.page.isdecimal() else ""
    # A link to a file on this machine, as Obsidian opens it; nothing in its name may end the link.
    link = f"file://{percent_encode(file, safe='/')}{page}" if file.startswith("/") and "!" not in file else ""
    return {
        "marked": plain(annotation.quote),
        "comment": plain("; ".join(annotation.comment.splitlines())),
        "place": plain(annotation_place(annotation)),
        "annotation_page": plain(annotation.page),
        "colour": plain(annotation.colour),
        "kind": annotation.kind,
        "annotator": plain(annotation.author),
        "file_link": link,
    }


def _quote_values(item: Quote, link: str) -> dict[str, str | int]:
    page = item.page or ""
    return {
        "quote": plain(item.text),
        "locator": plain(item.locator),
        "page": page,
        "hypothesis": plain(item.hypothesis),
        # Viewers of PDFs open the page that an address names.
        "quote_link": f"{link}#page={page}" if page and link.lower().endswith(".pdf") else link,
    }


def _link(paper: Paper) -> str:
    pages = (landing_page(paper_id, safe="/:;._-") for paper_id in paper_ids(paper))
    links = (*pages, *(url for url in paper.urls if url.lower().startswith(("https://", "http://"))))
    found = next((link for link in links if link), "")
    # Nothing in an address may end the link, nor be encoded twice.
    return percent_encode(plain(found), safe="/:;?&=%#+,~@!._-")


def _write_markdown(name: str, value: Value) -> str:
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return value if name in _RAW_PLACEHOLDERS else escape_line_of_markdown(value)
    return ", ".join(escape_markdown(str(next(iter(item.values())))) for item in value)


def _write_yaml(name: str, value: Value) -> str:
    """A value of YAML on one line: JSON is YAML, too."""
    if isinstance(value, (str, int)):
        return _json(value) if value else ""
    words = [str(next(iter(item.values()))) for item in value]
    # A tag with a blank is none in Obsidian.
    return _json([re.sub(r"\s+", "-", word) for word in words] if name == "tags" else words)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _end_line(part: OwnPart) -> str:
    return _END.format(part.digest, ",".join(percent_encode(name, safe="") for name in part.names))


def _parse_fields(text: str) -> dict[str, object] | None:
    """Front matter as texts, lists and mappings; `None` where it is no mapping or names parts of itself."""
    import yaml

    if len(text) > _MAX_FRONT_MATTER_CHARS:
        return None
    try:
        # An alias can make an enormous value of a small text.
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, Loader=yaml.BaseLoader)):
            return None
        fields = yaml.load(text, Loader=yaml.BaseLoader)
    except (yaml.YAMLError, RecursionError):
        return None
    return {str(name): value for name, value in fields.items()} if isinstance(fields, dict) else None


def _digest(fields: Mapping[str, object], text: str) -> str:
    """A checksum that stays the same where an editor writes the same values in another form."""
    present = {name: value for name, value in fields.items() if value not in ("", [], None, "null", "~")}
    lines = [line.rstrip() for line in text.splitlines()]
    canonical = json.dumps([present, lines], ensure_ascii=True, sort_keys=True, default=str)
    return hashlib.sha256(canonical.encode()).hexdigest()[:32]


def _added_fields(text: str, own_names: set[str]) -> Iterator[str]:
    """The fields of the front matter `text` that are not `own_names`, as they are written."""
    starts = [match.start() for match in _FIELD_START.finditer(text)]
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        block = text[start:end]
        fields = _parse_fields(block)
        is_own = fields is not None and own_names.issuperset(fields)
        # A comment belongs to the user, wherever it stands.
        yield from (line for line in block.splitlines(keepends=True) if not is_own or line.startswith("#"))
