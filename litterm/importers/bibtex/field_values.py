"""The values of fields: as text, as they are written, and lists of files."""

from __future__ import annotations

import re
from typing import Final

from litterm.importers.bibtex.entries import Fields
from litterm.text.clean import clean_line, prose
from litterm.text.latex.prose import field_to_text

_ESCAPED: Final = re.compile(r"\{?\\([_%&#$~{}])(?:\{\})?\}?")
_NAMED_SIGN: Final = re.compile(
    r"\{\\text(less|greater|asciitilde|underscore) ?\}"
    r"|\\text(less|greater|asciitilde|underscore)(?:\{\}| |(?![A-Za-z]))|\$([<>])\$"
)
_NAMED_SIGNS: Final = {"less": "<", "greater": ">", "asciitilde": "~", "underscore": "_"}
_OUTER_BRACES: Final = re.compile(r"\{([^{}]*)\}")
_FILES: Final = re.compile(r"(?<!\\);")
_FILE_PARTS: Final = re.compile(r"(?<!\\):")


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
    listed = [_path_of(entry.strip()) for entry in _FILES.split(verbatim(fields, "file"))]
    others = [path for name in ("pdf", "local-url") if (path := verbatim(fields, name)) and "://" not in path]
    return tuple(dict.fromkeys(path for path in (*listed, *others) if path))


def _path_of(entry: str) -> str:
    parts = _FILE_PARTS.split(entry)
    # A drive letter is no name: `C:\papers\a.pdf`.
    is_drive = len(parts) == 2 and len(parts[0]) == 1
    path = ":".join(parts[1:-1]) if len(parts) > 2 else entry if is_drive or len(parts) == 1 else parts[1]
    return re.sub(r"\\([:;\\])", r"\1", path).strip()
