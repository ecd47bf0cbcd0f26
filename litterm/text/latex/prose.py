"""LaTeX inside titles and abstracts to Unicode where that is exact; what is not stays as TeX between dollars."""

from __future__ import annotations

import re
from typing import Final

from litterm.text.latex.formula import MAX_DEPTH, Tokens, add_accent, formula_to_text, split_glued_symbol
from litterm.text.latex.superscripts import to_subscript, to_superscript
from litterm.text.latex.symbols import ACCENTS, ESCAPED, FONTS, SPACE_COMMANDS, SWITCHES, SYMBOLS, UNPRINTED_COMMANDS

_TOKEN: Final = re.compile(r"\\[A-Za-z]+\*?|\\[^A-Za-z]|[{}^_~$ˆ]|\s+|[^\\{}^_~$ˆ\s]+|\\")
_FORMULA: Final = re.compile(
    r"(?<!\\)\$\$([^$]{1,400})\$\$"
    # As in Markdown: no blank inside the dollars and no digit behind them, so that prices stay prices.
    r"|(?<!\\)\$(?=\S)([^$]{1,400})(?<=\S)(?<!\\)\$(?!\d)"
    # `$\sim$5`: what is a single command is no price.
    r"|(?<!\\)\$(\\[A-Za-z]+)\$(?=\d)"
    r"|\\\(([^$]{1,400}?)\\\)|\\\[([^$]{1,400}?)\\\]"
)
_SCRIPT_COMMANDS: Final = {"textsuperscript": to_superscript, "textsubscript": to_subscript}
_EMPTY_PARENTHESES: Final = re.compile(r" ?\( *(?:[,;] *)?\)")
_PRICE: Final = re.compile(r"\d[^\\^_={}<>+]*\s")
_PLACEHOLDER: Final = re.compile("\ue000([0-9]+)\ue001")


def latex_to_text(text: str) -> str:
    """`text` with formulas, accents, symbols and formatting commands as Unicode; unknown commands stay.

    Linear in the length; text without a backslash or dollar comes back unchanged.
    """
    if "\\" not in text and "$" not in text:
        return text
    kept_formulas: list[str] = []

    def keep(match: re.Match[str]) -> str:
        body = next(group for group in match.groups() if group is not None)
        if match.group(2) is not None and _PRICE.match(body):
            return match.group()
        kept_formulas.append(formula_to_text(body))
        return f"\ue000{len(kept_formulas) - 1}\ue001"

    # Formulas are taken out first and put back last, so that no rule for prose touches them. The signs are of the
    # private use area.
    masked = _FORMULA.sub(keep, text.replace("\ue000", "").replace("\ue001", ""))
    prose = _Prose(_TOKEN.findall(masked)).text()
    if "\\cite" in text:
        # A citation command prints nothing here, and leaves the parentheses that were written around it.
        prose = _EMPTY_PARENTHESES.sub("", prose)
    return _PLACEHOLDER.sub(lambda match: kept_formulas[int(match.group(1))], prose)


class _Prose(Tokens):
    """Running text with commands in it."""

    def text(self) -> str:
        return self._until("", self._read)

    def _read(self, token: str) -> str:
        if token[0] == "\\" and len(token) > 1:
            return self._command(token[1:])
        if token == "{":
            return self._group()
        # A stray closing brace is a command's we could not read, and a tilde before one word per blank that holds.
        return token

    def _group(self) -> str:
        """A group after its opening brace; one that starts with a command loses its braces."""
        if self._depth > MAX_DEPTH:
            return "{"
        bare = self._peek().startswith("\\") or self._peek() in ("{", "}")
        inner = self._until("}", self._read)
        if bare:
            return inner
        return f"{{{inner}}}" if self._closed else f"{{{inner}"

    def _argument(self) -> str | None:
        """The braced argument that follows, or `None` if none does."""
        ahead = 1 if self._peek().isspace() else 0
        if self._peek(ahead) != "{" or self._depth > MAX_DEPTH:
            return None
        self._at += ahead + 1
        return self._until("}", self._read)

    def _command(self, name: str) -> str:
        name = name.rstrip("*")
        if name in ACCENTS and (name in "`'^~\"=." or self._peek() == "{" or self._peek().isspace()):
            return self._accent(name)
        if name in SYMBOLS:
            return SYMBOLS[name] + self._swallow()
        if name in ESCAPED:
            return ESCAPED[name]
        if name in FONTS:
            argument = self._argument()
            if argument is None:
                return f"\\{name}"
            return _SCRIPT_COMMANDS[name](argument) or argument if name in _SCRIPT_COMMANDS else argument
        return self._convert_layout_command(name)

    def _convert_layout_command(self, name: str) -> str:
        if name in SWITCHES:
            self._skip_blank()
            return self._swallow()
        if name in SPACE_COMMANDS:
            return " "
        if name in UNPRINTED_COMMANDS:
            self._argument()
            return ""
        # Of two arguments the second is what is printed.
        if name in ("href", "textcolor"):
            self._argument()
            return self._argument() or ""
        if name == "footnote":
            note = self._argument()
            return f" ({note.strip()})" if note else ""
        return split_glued_symbol(name) or f"\\{name}"

    def _swallow(self) -> str:
        """Drop the empty group or, TeX's rule, nothing more: blanks are kept, authors mean them here."""
        if self._peek() == "{" and self._peek(1) == "}":
            self._at += 2
        return ""

    def _accent(self, name: str) -> str:
        argument = self._argument()
        if argument is None:
            self._skip_blank()
            following = self._peek()
            letter = {"i": "i", "j": "j"}.get(following[1:]) or SYMBOLS.get(following[1:], "")
            if following.startswith("\\") and letter:
                self._at += 1
                return add_accent(letter, ACCENTS[name])
            if not following or not following[0].isalpha():
                return ""
            self._at += 1
            return add_accent(following[0], ACCENTS[name]) + following[1:]
        return add_accent({"ı": "i", "ȷ": "j"}.get(argument, argument), ACCENTS[name])
