"""A BibTeX file's text to its entries with their fields, whatever these mean. Nothing else imports bibtexparser.

Its splitter tells entries and fields apart; comments, strings, sums and what entries take over from one another are
resolved here.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from bibtexparser.model import Block

_DELIMITER: Final = re.compile(r'\\.|[{}"#]', re.DOTALL)
_RUN_ON_FIELD: Final = re.compile(r"\s+([A-Za-z][\w-]*)\s*=\s*(.+)", re.DOTALL)
_BARE_VALUE: Final = re.compile(r"[\w.:-]*")
_ODD_KEY: Final = re.compile(r"^[ \t]*@[ \t]*\w+[ \t]*\{[^,{}\n\"=]{0,200}[\"=][^,{}\n]{0,200}(?=,)", re.MULTILINE)
"""A key with signs that the splitter takes for those of a field."""
_MASKED: Final = str.maketrans('"=', "\ue000\ue001")
_UNMASKED: Final = str.maketrans("\ue000\ue001", '"=')
_MAX_RUN_ON_FIELDS: Final = 30
_OWN_FIELDS: Final = frozenset(
    """crossref xdata xref key ids title subtitle titleaddon author pages doi url urldate ee eprint eprinttype
    archiveprefix abstract keywords note pmid pmcid isbn file""".split()
)
"""What an entry has for itself and never from the book it is in."""

Fields = Mapping[str, str]
# Only where a comment can be: nearly all signs of per cent are in abstracts, and files are large.
_HINT: Final = re.compile(r"(?:^|[,{}\"(]|=\s{0,9}\w{1,99})[ \t]*%", re.MULTILINE)
_MARK: Final = re.compile(r"@\w*[ \t]*[{(]|(?<!\\)[{}\"%)]")
_FREE_TEXT: Final = re.compile(r"@(?:comment|preamble)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class RawEntry:
    """One entry as it is in the file."""

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
    # 60 ms to import, and only this format needs it.
    from bibtexparser.splitter import Splitter

    # It reports every bad entry there; ours are failures of the import.
    logging.getLogger("bibtexparser").setLevel(logging.CRITICAL + 1)
    library = Splitter(_ODD_KEY.sub(_mask_key, without_comments(text))).split()
    strings: dict[str, str] = {}
    for string in library.strings:
        # In order: a string may be put together from those before it.
        strings[string.key.lower()] = _value(str(string.value), strings)
    entries = [entry for block in library.blocks if (entry := _entry(block, strings)) is not None]
    by_key: dict[str, Fields] = {}
    for entry in entries:
        if entry.fields is not None and entry.key:
            # BibTeX compares keys without case, and takes the first.
            by_key.setdefault(entry.key.lower(), entry.fields)
    return (_with_inherited(entry, by_key) for entry in entries)


def _entry(block: Block | None, strings: Fields) -> RawEntry | None:
    from bibtexparser.model import DuplicateBlockKeyBlock, DuplicateFieldKeyBlock, Entry, ParsingFailedBlock

    line = 1 + (block.start_line or 0) if block is not None else 0
    while isinstance(block, DuplicateBlockKeyBlock | DuplicateFieldKeyBlock):
        # A key or a field that is there twice is no error here: the entry is read.
        block = block.ignore_error_block
    if isinstance(block, ParsingFailedBlock):
        return RawEntry(line, "", "", None)
    if not isinstance(block, Entry):
        return None
    parts = [part for field in block.fields for part in _split_run_on(field.key, str(field.value))]
    # Backwards, so that the first of two fields with one name stays.
    fields = {name.lower(): _value(raw, strings) for name, raw in reversed(parts)}
    return RawEntry(line, block.entry_type.lower(), block.key.translate(_UNMASKED), fields)


def _mask_key(entry: re.Match[str]) -> str:
    return entry.group().translate(_MASKED)


def _split_run_on(name: str, raw: str) -> Iterator[tuple[str, str]]:
    """A field, and those that a forgotten comma has left in its value."""
    # A bound, because a value of nothing but missing commas would be searched again for each of them.
    for _ in range(_MAX_RUN_ON_FIELDS):
        more = _RUN_ON_FIELD.fullmatch(raw, _end(raw))
        if more is None:
            break
        yield name, raw[: more.start()]
        name, raw = more.groups()
    yield name, raw


def _end(raw: str) -> int:
    """Where the first braced, quoted or bare piece of a value ends."""
    depth, quoted = 0, raw[:1] == '"'
    if not quoted and raw[:1] != "{":
        bare = _BARE_VALUE.match(raw)
        return bare.end() if bare else 0
    for mark in _DELIMITER.finditer(raw):
        match mark.group():
            case "{":
                depth += 1
            case "}":
                depth -= 1
            case '"' if quoted and not depth and mark.start():
                return mark.end()
        if not depth and not quoted:
            return mark.end()
    return len(raw)


def _value(raw: str, strings: Fields) -> str:
    """Pieces joined by `#`: braced, quoted, a number or the name of a string."""
    pieces, start, depth, quoted = [], 0, 0, False
    for mark in _DELIMITER.finditer(raw):
        match mark.group():
            case "{":
                depth += 1
            case "}":
                depth -= 1
            case '"' if not depth:
                quoted = not quoted
            case "#" if not depth and not quoted:
                pieces.append(raw[start : mark.start()])
                start = mark.end()
    return "".join(_piece(piece.strip(), strings) for piece in (*pieces, raw[start:]))


def _piece(raw: str, strings: Fields) -> str:
    return raw[1:-1] if raw[:1] in ("{", '"') and len(raw) > 1 else strings.get(raw.lower(), raw)


def _with_inherited(entry: RawEntry, by_key: Mapping[str, Fields]) -> RawEntry:
    if entry.fields is None or not ("crossref" in entry.fields or "xdata" in entry.fields):
        return entry
    fields = dict(entry.fields)
    for key in entry.fields.get("xdata", "").split(","):
        fields = {**by_key.get(key.strip().lower(), {}), **fields}
    book = by_key.get(entry.fields.get("crossref", "").strip().lower())
    if book is not None:
        inherited = {name: value for name, value in book.items() if name not in _OWN_FIELDS}
        if title := book.get("title"):
            # The title of the book is the `booktitle` of its chapters, as BibTeX's styles have it.
            inherited.setdefault("booktitle", title)
        fields = {**inherited, **fields}
    return replace(entry, fields=fields)


def without_comments(text: str) -> str:
    """`text` without its comments, its lines as they are; a `%` in braces or quotes is text, as in an address.

    This is how biber reads a file. Linear in the length.
    """
    if not _HINT.search(text):
        return text
    kept: list[str] = []
    entry, start, position = _Entry(), 0, 0
    while (mark := _MARK.search(text, position)) is not None:
        position = mark.end()
        if mark.group() != "%":
            entry.read(text, mark)
        elif entry.is_comment(text, mark.start()):
            kept.append(text[start : mark.start()])
            start = position = _end_of_line(text, mark.end())
    kept.append(text[start:])
    return "".join(kept)


@dataclass(slots=True)
class _Entry:
    """Where in an entry the reading is."""

    depth: int = 0
    """Open braces, with that of the entry; 0 outside of entries."""
    start: int = 0
    is_quoted: bool = False
    is_free_text: bool = False
    closing: str = "}"

    def read(self, text: str, mark: re.Match[str]) -> None:
        sign = mark.group()
        if sign[0] == "@":
            self._read_at(text, mark)
        elif sign == '"':
            # Braces hold a quote off.
            self.is_quoted ^= self.depth == 1 and not self.is_free_text
        elif self.is_quoted or not self.depth:
            return
        elif sign == "{":
            self.depth += 1
        elif sign == "}" and (self.depth > 1 or self.closing == "}"):
            self.depth -= 1
        elif sign == ")" and self.depth == 1 and self.closing == ")":
            self.depth = 0

    def _read_at(self, text: str, mark: re.Match[str]) -> None:
        """The start of an entry: in a value only where a line begins with it, as after a brace that nothing closes."""
        if self.depth and not _begins_line(text, mark.start()):
            self.depth += mark.group()[-1] == "{" and not self.is_quoted
            return
        self.depth, self.start, self.is_quoted = 1, mark.end(), False
        self.is_free_text = _FREE_TEXT.match(mark.group()) is not None
        self.closing = "}" if mark.group()[-1] == "{" else ")"

    def is_comment(self, text: str, position: int) -> bool:
        """Whether the `%` at `position` begins a comment."""
        if not self.depth:
            return _begins_line(text, position)
        if self.depth > 1 or self.is_quoted or self.is_free_text:
            return False
        # Before the first comma is the key, which may have any sign in it.
        is_in_key = text.find(",", self.start, position) < 0
        return not is_in_key or text[position - 1].isspace() or position == self.start


def _begins_line(text: str, position: int) -> bool:
    line = text.rfind("\n", 0, position) + 1
    return not text[line:position].strip()


def _end_of_line(text: str, position: int) -> int:
    end = text.find("\n", position)
    return len(text) if end < 0 else end
