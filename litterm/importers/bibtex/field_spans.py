"""Where the values of a BibTeX entry stand in its file, so that one can be replaced and all else stays as it is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from litterm.model.document import Span

_MARK: Final = re.compile(r'\\.|[{}",=)]', re.DOTALL)
_NAME: Final = re.compile(r"[A-Za-z][\w:.+/-]{0,60}")
_MAX_ENTRY_CHARS: Final = 200_000


def field_spans(text: str, start: int) -> Mapping[str, Span]:
    """The value of each field, with its braces or quotes, of the entry whose `@` is at or behind `start`.

    By name in small letters; of a field that is there twice the first. Empty where the entry cannot be taken apart.
    Linear in the length of the entry.
    """
    opening = re.compile(r"@[ \t]*\w+[ \t]*([{(])").search(text, start)
    if opening is None:
        return {}
    closing, depth, is_quoted = ("}" if opening[1] == "{" else ")"), 1, False
    found: dict[str, Span] = {}
    name, piece = "", opening.end()
    for mark in _MARK.finditer(text, opening.end(), min(len(text), opening.end() + _MAX_ENTRY_CHARS)):
        sign = mark.group()
        if is_quoted:
            # Braces hold a quote off.
            depth += (sign == "{") - (sign == "}")
            is_quoted = not (sign == '"' and depth == 1)
        elif sign == "{":
            depth += 1
        elif depth == 1 and sign == '"':
            is_quoted = bool(name)
        elif depth == 1 and sign == "=" and not name:
            word = text[piece : mark.start()].strip()
            name, piece = (word.lower() if _NAME.fullmatch(word) else "?"), mark.end()
        elif depth == 1 and sign in (",", closing):
            _add(found, name, text, piece, mark.start())
            if sign == closing:
                return found
            name, piece = "", mark.end()
        elif sign == "}":
            depth -= 1
    return {}


def _add(found: dict[str, Span], name: str, text: str, start: int, end: int) -> None:
    value = text[start:end]
    if name and name != "?" and value.strip():
        lead = len(value) - len(value.lstrip())
        found.setdefault(name, Span(start + lead, start + len(value.rstrip())))
