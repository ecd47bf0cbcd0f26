"""The lexer of the query language: cuts what was typed into words, phrases and filters."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from litterm.model.paper import SCHEMES
from litterm.text.queries.fields import FIELDS, looks_like_field

QUOTES = '"“”„'
QUOTE = re.compile(f"[{QUOTES}]")
_BLANKS = re.compile(r"\s*")
_BARE_VALUE = re.compile(r"\S*")
_FIELD = re.compile(r"([A-Za-z][A-Za-z_]*):")
# `std::vector` and `https://…` are text; so is an id, which somebody may paste.
_NO_VALUE = ":/\\"
_NO_FIELDS = frozenset({*SCHEMES, "http", "https", "ftp", "file", "mailto", "urn", "isbn", "issn"})
_MIN_PASTED_WORDS = 12
"""Words from which on something was rather pasted than typed."""
_WORD_CORE = re.compile(r"[^\W_](?:.*[^\W_])?[+#]*", re.DOTALL)
_BEGINNING = re.compile(r"[^\W_]{2}[\w-]*\*")


@dataclass(frozen=True, slots=True)
class QueryItem:
    """One thing typed: a word, a phrase or a filter, with or without a minus."""

    start: int = field(compare=False)
    end: int = field(compare=False)
    value: str
    field: str = ""
    """As typed, lower case; empty for a word or a phrase."""
    minus: bool = False
    quoted: bool = False
    closed: bool = True
    """False for a quote that is still open at the end."""


def items(text: str) -> Iterator[QueryItem]:
    """Everything in `text`, in order; operators and parentheses are words here."""
    position = skip_blanks(text, 0)
    while position < len(text):
        item = read_item(text, position)
        yield item
        position = skip_blanks(text, item.end)


def skip_blanks(text: str, start: int) -> int:
    """The place of the first character from `start` on that is no blank."""
    match = _BLANKS.match(text, start)
    return match.end() if match else start


def read_item(text: str, start: int, *, grouped: bool = False) -> QueryItem:
    """The item that begins at `start`; where parentheses group, one that closes a group does not belong to it."""
    # A dash that stands alone, or a longer one, is punctuation.
    minus = text[start] == "-" and text[start + 1 : start + 2].strip() not in ("", "-")
    value_start = start + minus
    name = read_field(text, value_start, grouped=grouped)
    value = _read_value(text, value_start + len(name) + 1 if name else value_start, grouped=grouped)
    return replace(value, start=start, field=name.lower(), minus=minus)


def read_field(text: str, start: int, *, grouped: bool = False) -> str:
    """The name before a colon that makes a filter of what follows; empty if it is text."""
    match = _FIELD.match(text, start)
    if match is None:
        return ""
    name, first = match[1], text[match.end() : match.end() + 1]
    known = name.lower() in FIELDS
    if not first.strip() or (grouped and first == ")"):
        # "Source: a new data set" is a title; "venue: acl" is a filter that lost its value.
        return name if known and name.islower() else ""
    if first in _NO_VALUE:
        return ""
    slip = name.islower() and len(name) > 1 and _is_slip(text, name, grouped=grouped)
    return name if known or slip else ""


def is_prefix(word: str) -> bool:
    """Whether `word` is the beginning of words, as `transform*` is; `A*` is a name."""
    return _BEGINNING.fullmatch(word) is not None


def strip_punctuation(text: str) -> str:
    """`text` without punctuation at its ends; what follows a letter in `C++` and `C#` stays."""
    match = _WORD_CORE.search(text)
    return match.group() if match else ""


def split_words(text: str) -> list[str]:
    """The words of `text`, each without punctuation at its ends."""
    return [bare for word in text.split() if (bare := strip_punctuation(word))]


def _is_slip(text: str, name: str, *, grouped: bool) -> bool:
    """Whether `name` before a colon is more likely a field that does not exist than a word of a pasted text."""
    if name in _NO_FIELDS:
        return False
    return grouped or len(text.split(maxsplit=_MIN_PASTED_WORDS)) < _MIN_PASTED_WORDS or looks_like_field(name)


def _read_value(text: str, start: int, *, grouped: bool) -> QueryItem:
    # Any quote closes any other: a keyboard or a word processor may have made them typographic.
    if start == len(text) or text[start] not in QUOTES:
        match = _BARE_VALUE.match(text, start)
        end = match.end() if match else start
        end = _end_of_word(text, start, end) if grouped else end
        return QueryItem(start, end, text[start:end])
    close = QUOTE.search(text, start + 1)
    if close is None:
        return QueryItem(start, len(text), text[start + 1 :], quoted=True, closed=False)
    return QueryItem(start, close.end(), text[start + 1 : close.start()], quoted=True)


def _end_of_word(text: str, start: int, end: int) -> int:
    """Where the word ends if the parentheses at its end that it does not open itself are none of it."""
    surplus = text.count(")", start, end) - text.count("(", start, end)
    while surplus > 0 and end > start and text[end - 1] == ")":
        end, surplus = end - 1, surplus - 1
    return end
