"""Where the values of a BibTeX entry stand in its file, so that one can be replaced and all else stays as it is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from litterm.model.document import Span

_MARK: Final = re.compile(r'\\.|[{}",=)]', re.DOTALL)
_OPENING: Final = re.compile(r"@[ \t]*\w+[ \t]*([{(])")
_NAME: Final = re.compile(r"[A-Za-z][\w:.+/-]{0,60}")
_MAX_ENTRY_CHARS: Final = 200_000


def field_spans(text: str, start: int) -> Mapping[str, Span]:
    """The value of each field, with its braces or quotes, of the entry whose `@` is at or behind `start`.

    By name in small letters; of a field that is there twice the first. Empty where the entry cannot be taken apart.
    Linear in the length of the entry.
    """
    opening = _OPENING.search(text, start)
    if opening is None:
        return {}
    entry = _Entry(text, opening.end(), "}" if opening[1] == "{" else ")")
    for mark in _MARK.finditer(text, opening.end(), min(len(text), opening.end() + _MAX_ENTRY_CHARS)):
        entry.read(mark.group(), mark.start())
        if entry.is_closed:
            return entry.found
    return {}


class _Entry:
    """Where in an entry the reading is."""

    def __init__(self, text: str, start: int, closing: str) -> None:
        self.found: dict[str, Span] = {}
        self.is_closed = False
        self._text = text
        self._closing = closing
        self._piece = start
        self._name = ""
        self._depth = 1
        self._is_quoted = False

    def read(self, sign: str, place: int) -> None:
        if sign == "{":
            self._depth += 1
        elif sign == "}" and (self._depth > 1 or self._closing == "}"):
            self._depth -= 1
        elif sign == '"' and self._depth == 1:
            # Braces hold a quote off.
            self._is_quoted = not self._is_quoted and bool(self._name)
        if not self._is_quoted and (self._depth == 1 or (self._depth == 0 and sign == self._closing)):
            self._read_outside(sign, place)

    def _read_outside(self, sign: str, place: int) -> None:
        """A sign that is in no value's braces or quotes."""
        if sign == "=" and not self._name:
            word = self._text[self._piece : place].strip()
            self._name, self._piece = (word.lower() if _NAME.fullmatch(word) else "?"), place + 1
        elif sign == "," or (sign == self._closing and (self._depth == 0 or sign == ")")):
            self._add(place)
            self._name, self._piece = "", place + 1
            self.is_closed = sign != ","

    def _add(self, end: int) -> None:
        value = self._text[self._piece : end]
        if self._name not in ("", "?") and value.strip():
            lead = len(value) - len(value.lstrip())
            self.found.setdefault(self._name, Span(self._piece + lead, self._piece + len(value.rstrip())))
