"""A TeX formula to Unicode where that is exact."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import Final

from litterm.text.latex.symbols import (
    BLACKBOARD,
    ESCAPED,
    FONTS,
    FUNCTIONS,
    MATH_ACCENTS,
    SPACE_COMMANDS,
    SWITCHES,
    SYMBOLS,
    to_subscript,
    to_superscript,
)

MAX_DEPTH: Final = 20
"""Groups nested deeper than this are left as they are: no author writes them, hostile files do."""

_MATH_TOKEN: Final = re.compile(r"\\[A-Za-z]+\*?|\\[^A-Za-z]|[{}^_~$ˆ&]|\s+|[^\\{}^_~$ˆ&\s]|\\")
_BARE_COMMANDS: Final = frozenset(("cdot", "rightarrow", "leftrightarrow", "leq", "geq"))
"""Names that occur as whole formulas with their backslash lost."""
_WORD: Final = re.compile(r"[A-Za-z0-9]+")
_OPERAND: Final = re.compile(r"[^\s+\-−*/=<>,;:()|]+")
"""What a fraction's bar written as a slash cannot be misread with."""
_MARK: Final = re.compile(r"[*∗⋆′°∘†‡,]+|st|nd|rd|th")
_MARKS: Final = str.maketrans("∗⋆∘", "**°")
"""Superscripts that are raised by nature."""


# Raised from any depth, caught once: one part without a form leaves the whole formula as TeX.
class _Inexact(Exception):
    """A formula has no exact Unicode form."""


def formula_to_text(tex: str) -> str:
    """A formula, given without its dollars, as Unicode where exact, else unchanged between dollars."""
    tex = tex.strip()
    if tex in _BARE_COMMANDS:
        return SYMBOLS[tex]
    try:
        text = _Formula(_MATH_TOKEN.findall(tex)).text()
    except _Inexact:
        return f"${tex}$"
    return " ".join(text.split())


class Tokens:
    """A walk over tokens that knows TeX's groups."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens
        self._at = 0
        self._depth = 0
        self._closed = True

    def _next(self) -> str:
        if self._at >= len(self._tokens):
            return ""
        self._at += 1
        return self._tokens[self._at - 1]

    def _peek(self, ahead: int = 0) -> str:
        index = self._at + ahead
        return self._tokens[index] if index < len(self._tokens) else ""

    def _skip_blank(self) -> None:
        if self._peek().isspace():
            self._at += 1

    def _until(self, end: str, convert: Callable[[str], str]) -> str:
        """Everything up to `end` (consumed), or to the last token, as `convert` gives it."""
        parts: list[str] = []
        self._depth += 1
        while (token := self._next()) and token != end:
            parts.append(convert(token))
        self._depth -= 1
        self._closed = token == end
        return "".join(parts)


class _Formula(Tokens):
    """The inside of a formula; raises `_Inexact` where Unicode cannot say it."""

    def text(self) -> str:
        return self._until("", self._read)

    def _read(self, token: str) -> str:
        if self._depth > MAX_DEPTH:
            raise _Inexact
        if token.isspace():
            return " "
        if token in "{^_ˆ}&$":
            return self._structure(token)
        if token == "~":
            return " "
        if token[0] == "\\":
            return self._command(token[1:].rstrip("*"))
        return "′" if token == "'" else token

    def _structure(self, token: str) -> str:
        if token == "{":
            return self._until("}", self._read)
        if token in "^ˆ":
            return self._script(to_superscript, "^")
        if token == "_":
            return self._script(to_subscript, "_")
        raise _Inexact

    def _read_argument(self) -> str:
        """The next argument: a group or one token."""
        self._skip_blank()
        token = self._next()
        if not token:
            raise _Inexact
        # `^^^^` nests without a brace.
        self._depth += 1
        text = self._read(token)
        self._depth -= 1
        return text

    def _script(self, shifted: Callable[[str], str | None], mark: str) -> str:
        body = self._read_argument().strip()
        exact = shifted(body)
        if exact is not None:
            return exact
        if mark == "^" and _MARK.fullmatch(body):
            return body.translate(_MARKS)
        if len(body) == 1 or (mark == "_" and _WORD.fullmatch(body)):
            return mark + body
        raise _Inexact

    def _command(self, name: str) -> str:
        if name in SYMBOLS:
            return SYMBOLS[name]
        if name in ESCAPED:
            return ESCAPED[name]
        if name in FUNCTIONS:
            return self._operator(name)
        if name in SWITCHES:
            return ""
        if name in SPACE_COMMANDS:
            return " "
        return self._with_argument(name)

    def _operator(self, name: str) -> str:
        before = self._tokens[self._at - 2] if self._at > 1 else ""
        next_token = self._peek()
        return (
            (" " if before.isalnum() else "")
            + name
            + (" " if next_token.isalnum() or next_token.startswith("\\") else "")
        )

    def _with_argument(self, name: str) -> str:
        if name in FONTS:
            return self._read_argument()
        if name == "mathbb":
            return "".join(BLACKBOARD.get(letter, letter) for letter in self._read_argument())
        if name in MATH_ACCENTS:
            return self._apply_accent(MATH_ACCENTS[name])
        if name in ("frac", "tfrac", "dfrac", "nicefrac"):
            return f"{self._simple()}/{self._simple()}"
        if name == "sqrt" and self._peek() != "[":
            body = self._read_argument().strip()
            return f"√{body}" if len(body) == 1 or body.isalnum() else f"√({body})"
        text = split_glued_symbol(name)
        if text is None:
            raise _Inexact
        return text

    def _apply_accent(self, mark: str) -> str:
        body = self._read_argument().strip()
        if len(body) != 1:
            raise _Inexact
        return add_accent(body, mark)

    def _simple(self) -> str:
        body = self._read_argument().strip()
        if not _OPERAND.fullmatch(body):
            raise _Inexact
        return body


def add_accent(letters: str, mark: str) -> str:
    """`letters` with the combining `mark` on the first, composed."""
    if not letters:
        return ""
    return unicodedata.normalize("NFC", letters[0] + mark) + letters[1:]


def split_glued_symbol(name: str) -> str | None:
    """A symbol whose blank was lost, `rightarrowEnglish`, as symbol and word; `None` if it is not one."""
    for size in range(len(name) - 1, 1, -1):
        symbol = SYMBOLS.get(name[:size])
        if symbol and (name[size].isupper() or size > 4):
            return symbol + name[size:]
    return None
