"""A copy of a bibliography in which what is certainly wrong is as its record has it; all else stays, to the byte."""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path
from typing import Final

from litterm.core.errors import BadInput
from litterm.importers.bibtex.field_spans import field_spans
from litterm.importers.encoding import decode_text, encode_addition
from litterm.model.attribution.bibliography import CheckedEntry, FieldName
from litterm.model.paper import Paper
from litterm.render.bibliography import bibtex

FIXED_SUFFIX: Final = ".fixed"
"""Of the copy, before its suffix: `refs.fixed.bib`."""
_BYTE_ORDER_MARKS: Final = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_FIELDS: Final[dict[FieldName, tuple[str, ...]]] = {
    "title": ("title",),
    "authors": ("author",),
    "year": ("year",),
    "venue": ("booktitle", "journal", "journaltitle"),
    "pages": ("pages",),
    "volume": ("volume",),
    "id": ("doi",),
}
"""Fields of BibTeX in which each field of a record is."""


@dataclass(frozen=True, slots=True)
class FixedBibliography:
    """The copy of one file."""

    source: Path
    path: Path
    """Where the copy belongs."""
    content: bytes
    diff: str
    """From the file to the copy, in the form of `diff -u`; empty where nothing is mended."""
    fields: int
    """Fields that are mended."""


def fix_bibliographies(entries: Sequence[CheckedEntry]) -> tuple[FixedBibliography, ...]:
    """A copy of each BibTeX file of `entries` in which anything certain is wrong.

    Raises:
        BadInput: a file cannot be read any more.
    """
    files = dict.fromkeys(item.entry.path for item in entries if item.entry.field_lines is not None)
    fixed = (_fix_file(path, [item for item in entries if item.entry.path == path]) for path in files)
    return tuple(one for one in fixed if one.fields)


def _fix_file(path: Path, entries: Sequence[CheckedEntry]) -> FixedBibliography:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise BadInput(f"{path}: cannot be read ({error.strerror}).") from error
    decoded = decode_text(content)
    text = decoded.text
    starts = _line_starts(text)
    changes = sorted(
        (
            change
            for item in entries
            if item.record is not None and 0 < item.entry.line <= len(starts)
            for change in _changes(text, starts[item.entry.line - 1], item, item.record)
        ),
        reverse=True,
    )
    fixed = text
    for start, end, value in changes:
        fixed = fixed[:start] + value + fixed[end:]
    target = path.with_name(f"{path.stem}{FIXED_SUFFIX}{path.suffix}")
    lines = unified_diff(text.splitlines(keepends=True), fixed.splitlines(keepends=True), str(path), str(target), n=1)
    diff = "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)
    mark = next((one for one in _BYTE_ORDER_MARKS if content.startswith(one)), b"")
    copy = mark + encode_addition(fixed, decoded.encoding).removeprefix(mark)
    return FixedBibliography(path, target, copy, diff, len(changes))


def _line_starts(text: str) -> list[int]:
    starts, place = [0], text.find("\n")
    while place >= 0:
        starts.append(place + 1)
        place = text.find("\n", place + 1)
    return starts


def _changes(text: str, start: int, item: CheckedEntry, record: Paper) -> list[tuple[int, int, str]]:
    """Start, end and new value of each field of an entry that is certainly wrong and that it states itself."""
    stated = field_spans(text, start)
    rendered = bibtex.entries([record], keys={record.id: "key"})
    known = field_spans(rendered, 0)
    changes: list[tuple[int, int, str]] = []
    for difference in item.differences:
        if not difference.is_certain or difference.degree == "leads elsewhere":
            continue
        for name in _FIELDS[difference.field]:
            source = known.get("journal" if name == "journaltitle" else name)
            if name in stated and source is not None:
                span = stated[name]
                changes.append((span.start, span.end, _braced(rendered[source.start : source.end])))
                break
    return changes


def _braced(value: str) -> str:
    """A value as it may stand in any file: `may`, the name of a month, is none."""
    return value if value[:1] in ("{", '"') else f"{{{value}}}"
