"""Blanks out the comments of a BibTeX file: what is behind a `%` that is in no value, to the end of its line."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

# Only where a comment can be: nearly all signs of per cent are in abstracts, and files are large.
_HINT: Final = re.compile(r"(?:^|[,{}\"(]|=\s{0,9}\w{1,99})[ \t]*%", re.MULTILINE)
_MARK: Final = re.compile(r"@\w*[ \t]*[{(]|(?<!\\)[{}\"%)]")
_FREE_TEXT: Final = re.compile(r"@(?:comment|preamble)\b", re.IGNORECASE)


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
