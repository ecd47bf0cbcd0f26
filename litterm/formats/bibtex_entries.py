"""BibTeX's grammar: a file's text to its entries with their fields, whatever they mean; see `bibtex`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

_OPENING: Final = re.compile(r"@[ \t\r\n]*([A-Za-z]+)[ \t\r\n]*([{(])")
_BLANK: Final = re.compile(r"\s*")
_KEY: Final = re.compile(r"[^\s,{}()=\"#%]?[^\s,={}\"]*")
_FIELD: Final = re.compile(r"\s*([^\s,={}()\"#%']+)\s*=\s*")
_PLAIN: Final = re.compile(r"[^\s,{}()=\"#]+")
# A brace that nothing closes would swallow the rest of the file: an entry that begins a line ends it.
_BRACE: Final = re.compile(r"\\.|[{}]|\n[ \t]*@[ \t]*[A-Za-z]+[ \t]*[{(]", re.DOTALL)
_QUOTE: Final = re.compile(r"\\\"(?!\s*[,})#])|\\[^\"]|[{}\"]|\n[ \t]*@[ \t]*[A-Za-z]+[ \t]*[{(]", re.DOTALL)
_HEIRS: Final = re.compile(r"\b(?:crossref|xdata)\s*=\s*[{\"]([^{}\"]+)", re.IGNORECASE)
_OWN: Final = frozenset(
    """crossref xdata xref key ids title subtitle titleaddon author pages doi url urldate ee eprint eprinttype
    archiveprefix abstract keywords note pmid pmcid isbn file""".split()
)
"""What an entry has for itself and never from the book it stands in."""

Fields = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class RawEntry:
    """One entry as it stands in the file."""

    line: int
    """Of its `@`, from 1."""
    kind: str
    """`article`; lower case."""
    key: str
    fields: Fields | None
    """Names in lower case to values with their inner braces; `None` where the entry cannot be read."""


def raw_entries(text: str) -> Iterator[RawEntry]:
    """Every entry in order, `@string`s put in and fields taken over from `crossref` and `xdata`.

    Linear in the length; of a field that is there twice the first is kept.
    """
    heirs = {key.strip().lower() for match in _HEIRS.finditer(text) for key in match[1].split(",")}
    parents: dict[str, Fields] = {}
    if heirs:
        for entry in _Scan(text).entries():
            if entry.fields is not None and entry.key.lower() in heirs:
                parents.setdefault(entry.key.lower(), entry.fields)
    for entry in _Scan(text).entries():
        yield _grown(entry, parents) if parents else entry


def _grown(entry: RawEntry, parents: Mapping[str, Fields]) -> RawEntry:
    if entry.fields is None:
        return entry
    fields = dict(entry.fields)
    for key in entry.fields.get("xdata", "").split(","):
        fields = {**parents.get(key.strip().lower(), {}), **fields}
    book = parents.get(entry.fields.get("crossref", "").strip().lower())
    if book is not None:
        taken = {name: value for name, value in book.items() if name not in _OWN}
        if title := book.get("title"):
            taken.setdefault("booktitle", title)
        fields = {**taken, **fields}
    return RawEntry(entry.line, entry.kind, entry.key, fields)


class _Broken(Exception):
    """The entry ends where it should not."""


class _Scan:
    """One pass over a file's text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._strings: dict[str, str] = {}

    def entries(self) -> Iterator[RawEntry]:
        line, counted = 1, 0
        while (opening := _OPENING.search(self._text, self._at)) is not None:
            line += self._text.count("\n", counted, opening.start())
            counted = opening.start()
            self._at = opening.end()
            kind, closing = opening[1].lower(), "}" if opening[2] == "{" else ")"
            try:
                if kind in ("comment", "preamble"):
                    self._skip(closing)
                elif kind == "string":
                    for name, value in self._fields(closing).items():
                        self._strings[name] = value
                else:
                    yield RawEntry(line, kind, self._key(closing), self._fields(closing))
            except _Broken:
                # What looks like the next entry is looked for from the entry's own beginning.
                self._at = opening.end()
                if kind not in ("comment", "preamble"):
                    yield RawEntry(line, kind, "", None)
                self._resume()

    def _resume(self) -> None:
        """To the next line that begins an entry."""
        found = re.compile(r"\n[ \t]*(?=@[ \t]*[A-Za-z]+[ \t]*[{(])").search(self._text, self._at)
        self._at = found.end() if found else len(self._text)

    def _skip(self, closing: str) -> None:
        if closing == "}":
            self._braced()
        else:
            end = self._text.find(")", self._at)
            self._at = end + 1 if end >= 0 else len(self._text)

    def _key(self, closing: str) -> str:
        self._blank()
        match = _KEY.match(self._text, self._at)
        key = match.group() if match else ""
        if closing == ")":
            key = key.partition(")")[0]
        self._at += len(key)
        self._blank()
        if self._next() == ",":
            self._at += 1
        elif self._next() != closing:
            raise _Broken
        return key

    def _fields(self, closing: str) -> dict[str, str]:
        """Up to and with the closing brace or parenthesis."""
        found: dict[str, str] = {}
        while True:
            self._blank()
            if self._next() == closing:
                self._at += 1
                return found
            if self._next() == ",":
                self._at += 1
                continue
            name = _FIELD.match(self._text, self._at)
            if name is None:
                raise _Broken
            self._at = name.end()
            found.setdefault(name[1].lower(), self._value())
            self._blank()
            if self._next() not in (",", closing):
                raise _Broken

    def _value(self) -> str:
        """Pieces joined by `#`: braced, quoted, a number or the name of a string."""
        parts: list[str] = []
        while True:
            self._blank()
            match self._next():
                case "{":
                    self._at += 1
                    parts.append(self._braced())
                case '"':
                    self._at += 1
                    parts.append(self._quoted())
                case _:
                    plain = _PLAIN.match(self._text, self._at)
                    if plain is None:
                        raise _Broken
                    self._at = plain.end()
                    parts.append(self._strings.get(plain.group().lower(), plain.group()))
            self._blank()
            if self._next() != "#":
                return "".join(parts)
            self._at += 1

    def _braced(self) -> str:
        """Up to the brace that closes one already open; without it."""
        return self._until(_BRACE, "}")

    def _quoted(self) -> str:
        return self._until(_QUOTE, '"')

    def _until(self, marks: re.Pattern[str], end: str) -> str:
        start, depth = self._at, 0
        for mark in marks.finditer(self._text, start):
            found = mark.group()
            if found == end and not depth:
                self._at = mark.end()
                return self._text[start : mark.start()]
            if found == "{":
                depth += 1
            elif found == "}":
                depth -= 1
            if found[0] == "\n" or depth < 0:
                break
        raise _Broken

    def _next(self) -> str:
        return self._text[self._at : self._at + 1]

    def _blank(self) -> None:
        blank = _BLANK.match(self._text, self._at)
        assert blank is not None
        self._at = blank.end()
