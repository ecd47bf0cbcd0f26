"""LaTeX inside titles and abstracts to Unicode where that is exact; what is not stays as TeX between dollars."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from litterm.text.latex.formula import MAX_DEPTH, Tokens, add_accent, formula_to_text, split_glued_symbol
from litterm.text.latex.symbols import (
    ACCENT_SIGNS,
    ACCENTS,
    BLACKBOARD,
    ESCAPED,
    FONTS,
    FUNCTIONS,
    LETTERS,
    MATH_ACCENTS,
    SPACE_COMMANDS,
    SWITCHES,
    SYMBOLS,
    TARGETED_COMMANDS,
    UNIT_SYMBOLS,
    UNPRINTED_COMMANDS,
    UNPRINTED_IN_FIELDS,
    to_subscript,
    to_superscript,
)
from litterm.text.latex.units import angle_text, number_text, quantity_text, unit_text

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
_MASK: Final = "\ue000"
_PLACEHOLDER: Final = re.compile(f"{_MASK}([0-9]+)\ue001")
_ENDS_WITH_COMMAND: Final = re.compile(r"\\[A-Za-z]+\*?\Z")
_PENALTY: Final = re.compile(r"\\penalty *-?\d+ ?")
_COUNTED_ATOM: Final = re.compile(r"(?<=[A-Za-z)\]])(\d+)")
_MAX_OPTION_TOKENS: Final = 60
_OPENING_QUOTES: Final = frozenset(
    ("textquoteleft", "textquotedblleft", "guillemotleft", "guilsinglleft", "flqq", "lq")
)
_APOSTROPHES: Final = frozenset(("textquoteright", "textquotesingle"))
_UNIT_LETTERS: Final = {
    "textmu": re.compile(r"(?:[mlLgsMAVWF]|mol)\b"),
    "textdegree": re.compile(r"[CFK]\b"),
}
"""What makes one unit with the sign before it."""
_UNPRINTED_SIGNS: Final = "@*()[]"
"""Behind a backslash these set something, and print nothing."""


def latex_to_text(text: str) -> str:
    """`text` with formulas, accents, symbols and formatting commands as Unicode; unknown commands stay.

    Linear in the length; text without a backslash or dollar comes back unchanged.
    """
    if "\\" not in text and "$" not in text:
        return text
    return _convert(text, _Prose)


def field_to_text(text: str) -> str:
    """`text` of a source that is LaTeX all through, as fields of BibTeX are, without braces, ties and TeX's dashes.

    A command that is not known is left out alone: what is in its arguments and behind it stays, and so do the blanks.
    """
    if not any(sign in text for sign in "\\${}~`'-"):
        return text
    return _convert(_PENALTY.sub("", text) if "\\penalty" in text else text, _Field)


def _convert(text: str, walk: type[_Prose]) -> str:
    kept_formulas: list[str] = []

    def keep(match: re.Match[str]) -> str:
        body = next(group for group in match.groups() if group is not None)
        if match.group(2) is not None and _PRICE.match(body):
            return match.group()
        kept_formulas.append(formula_to_text(body))
        return f"{_MASK}{len(kept_formulas) - 1}\ue001"

    # Formulas are taken out first and put back last, so that no rule for prose touches them. The signs are of the
    # private use area.
    masked = _FORMULA.sub(keep, text.replace(_MASK, "").replace("\ue001", ""))
    prose = walk(_TOKEN.findall(masked)).text()
    if "\\cite" in text:
        # A citation command prints nothing here, and leaves the parentheses that were written around it.
        prose = _EMPTY_PARENTHESES.sub("", prose)
    return _PLACEHOLDER.sub(lambda match: kept_formulas[int(match.group(1))], prose)


class _Prose(Tokens):
    """Running text with commands in it; what is not known stays as it is written."""

    unprinted = UNPRINTED_COMMANDS

    def text(self) -> str:
        return self._until("", self._read)

    def _read(self, token: str) -> str:
        if token[0] == "\\" and len(token) > 1:
            return self._command(token[1:])
        if token == "{":
            return self._group()
        return self._plain(token)

    def _plain(self, token: str) -> str:
        # A stray closing brace is a command's we could not read, and a tilde before one word per blank that holds.
        return token

    def _group(self) -> str:
        """A group after its opening brace; one that starts with a command loses its braces."""
        if self._depth > MAX_DEPTH:
            return "{"
        bare = self._peek().startswith("\\") or self._peek() in ("{", "}")
        inner = self._until("}", self._read)
        # The braces of `{\name}letters` hold the letters off the command.
        if bare and not _ENDS_WITH_COMMAND.search(inner):
            return inner
        return f"{{{inner}}}" if self._closed else f"{{{inner}"

    def _skip_options(self) -> None:
        """Steps over `[...]` where a braced argument follows it."""
        while self._peek().startswith("["):
            ahead = next(
                (
                    size
                    for size in range(1, _MAX_OPTION_TOKENS)
                    if self._peek(size - 1).endswith("]") and self._peek(size)[:1] in ("{", "[")
                ),
                0,
            )
            if not ahead:
                return
            self._at += ahead

    def _argument(self) -> str | None:
        """The braced argument that follows, or `None` if none does."""
        if not self._enter_argument():
            return None
        return self._until("}", self._read)

    def _raw_argument(self) -> str | None:
        """The same as it is written."""
        if not self._enter_argument():
            return None
        start, level = self._at, 1
        while level and (token := self._next()):
            level += (token == "{") - (token == "}")
        return "".join(self._tokens[start : self._at - (not level)])

    def _enter_argument(self) -> bool:
        ahead = 1 if self._peek().isspace() else 0
        if self._peek(ahead) != "{" or self._depth > MAX_DEPTH:
            return False
        self._at += ahead + 1
        return True

    def _command(self, name: str) -> str:
        is_starred = len(name) > 1 and name.endswith("*")
        name = name.rstrip("*") or name
        if name in ACCENTS and (name in ACCENT_SIGNS or self._peek() in ("{", "\\i", "\\j") or self._peek().isspace()):
            return self._accent(name)
        if name in SYMBOLS:
            return SYMBOLS[name] + ("*" if is_starred else self._swallow(name))
        if name in ESCAPED:
            return ESCAPED[name]
        if name in FONTS:
            return self._set_font(name)
        return self._convert_layout_command(name)

    def _set_font(self, name: str) -> str:
        if name == "ensuremath" and (formula := self._raw_argument()) is not None:
            return formula_to_text(formula)
        self._skip_options()
        argument = self._argument()
        if argument is None:
            return self._unknown(name)
        if name == "texorpdfstring":
            # Twice the same, for print and for a list of headings.
            self._argument()
        if name in ("enquote", "textquote"):
            return f"“{argument}”"
        return _SCRIPT_COMMANDS[name](argument) or argument if name in _SCRIPT_COMMANDS else argument

    def _convert_layout_command(self, name: str) -> str:
        if name in SWITCHES:
            self._skip_blank()
            return self._swallow(name)
        if name in SPACE_COMMANDS:
            return " "
        if name in self.unprinted:
            self._skip_options()
            self._argument()
            return ""
        if name in TARGETED_COMMANDS:
            self._skip_options()
            target = self._argument()
            printed = self._argument()
            return (target if printed is None else printed) or ""
        if name == "footnote":
            note = self._argument()
            return f" ({note.strip()})" if note else ""
        return self._convert_quantity(name)

    def _convert_quantity(self, name: str) -> str:
        """The commands of siunitx and mhchem."""
        if name in ("num", "ang", "si", "unit", "SI", "qty", "ce", "ch") and (self._peek()[:1] in ("{", "[")):
            self._skip_options()
            return self._quantity(name)
        if name in ("SIrange", "qtyrange", "numrange", "SIlist", "qtylist", "numlist") and self._peek()[:1] in "{[":
            self._skip_options()
            return self._quantities(name)
        return self._unknown(name)

    def _quantity(self, name: str) -> str:
        if name in ("ce", "ch"):
            formula = _COUNTED_ATOM.sub(r"_{\1}", self._raw_argument() or "")
            return formula_to_text(formula.replace("->", r"\rightarrow "))
        if name in ("si", "unit"):
            # The package units has the number where siunitx has its settings.
            stated = self._tokens[self._at - 1]
            number = stated[1:-1] if stated.startswith("[") and "=" not in stated else ""
            return quantity_text(number, unit_text(self._raw_argument() or ""))
        number = self._argument() or ""
        if name == "ang":
            return angle_text(number)
        if name == "num":
            return number_text(number)
        self._skip_options()
        return quantity_text(number_text(number), unit_text(self._raw_argument() or ""))

    def _quantities(self, name: str) -> str:
        """A range or a list, each number with its unit, as it is printed."""
        first = self._argument() or ""
        parts = first.split(";") if name.endswith("list") else [first, self._argument() or ""]
        unit = "" if name.startswith("num") else unit_text(self._raw_argument() or "")
        printed = [quantity_text(number_text(part), unit) for part in parts if part.strip()]
        if not name.endswith("list"):
            return " to ".join(printed)
        return " and ".join(part for part in (", ".join(printed[:-1]), *printed[-1:]) if part)

    def _unknown(self, name: str) -> str:
        return split_glued_symbol(name) or f"\\{name}"

    def _swallow(self, _name: str) -> str:
        """Drop the empty group or, TeX's rule, nothing more: blanks are kept, authors mean them here."""
        if self._peek() == "{" and self._peek(1) == "}":
            self._at += 2
        return ""

    def _accent(self, name: str) -> str:
        argument = self._argument()
        if argument is None:
            return self._accent_next(name)
        if not argument:
            return ACCENT_SIGNS.get(name, "")
        if argument.startswith(_MASK):
            return argument
        return add_accent({"ı": "i", "ȷ": "j"}.get(argument, argument), ACCENTS[name])

    def _accent_next(self, name: str) -> str:
        """The accent on the letter that follows without braces."""
        self._skip_blank()
        following = self._peek()
        letter = {"i": "i", "j": "j"}.get(following[1:]) or SYMBOLS.get(following[1:], "")
        if following.startswith("\\") and letter:
            self._at += 1
            return add_accent(letter, ACCENTS[name])
        if not following or not following[0].isalpha():
            # `\~5` is about five; other signs without a letter are slips.
            return name if name in "~^" else ""
        self._at += 1
        return add_accent(following[0], ACCENTS[name]) + following[1:]


class _Field(_Prose):
    """Text that is LaTeX throughout: braces only group, and what is not known prints nothing itself."""

    unprinted = UNPRINTED_COMMANDS | UNPRINTED_IN_FIELDS

    def _plain(self, token: str) -> str:
        if token in ("{", "}", "\\"):
            return ""
        if token == "~":
            # In an address it is one.
            return "~" if self._at > 1 and self._tokens[self._at - 2].endswith("/") else " "
        if "--" in token or "``" in token or "''" in token:
            token = token.replace("``", "“").replace("''", "”").replace("---", "—").replace("--", "–")
        return token

    def _group(self) -> str:
        # Deeper braces are read as if they were not there.
        return "" if self._depth > MAX_DEPTH else self._until("}", self._read)

    def _command(self, name: str) -> str:
        if name in ("url", "nolinkurl", "path") and (address := self._raw_argument()) is not None:
            return re.sub(r"\\([_%&#~])(?:\{\})?", r"\1", address)
        return super()._command(name)

    def _swallow(self, name: str) -> str:
        if self._peek().isspace() and self._continues_word(name):
            self._skip_blank()
        return super()._swallow(name)

    def _continues_word(self, name: str) -> bool:
        r"""Whether what is behind the blank of `S\o ren` belongs to the word.

        TeX drops the blank behind each command, but authors mean most of them.
        """
        following = self._peek(1)
        before = self._tokens[self._at - 2][-1:] if self._at > 1 else ""
        if name in _OPENING_QUOTES:
            return following[:1].isalnum()
        if name in _APOSTROPHES:
            return before.isalpha() and following[:1].isalpha()
        if name in _UNIT_LETTERS:
            return _UNIT_LETTERS[name].match(following) is not None
        # `5 \AA resolution` is a measure.
        is_measure = before.isspace() and self._at > 2 and self._tokens[self._at - 3][-1:].isdigit()
        return name in LETTERS and following[:1].islower() and not is_measure

    def _unknown(self, name: str) -> str:
        if not name.isalpha() or not name.isascii():
            return " " if name.isspace() else "" if name in _UNPRINTED_SIGNS else name
        if name == "mathbb":
            return "".join(BLACKBOARD.get(letter, letter) for letter in self._argument() or "")
        if name in MATH_ACCENTS and (letters := self._argument()) is not None:
            return letters if letters.startswith(_MASK) else add_accent(letters, MATH_ACCENTS[name])
        if name in ("frac", "tfrac", "dfrac", "nicefrac", "sfrac") and (part := self._argument()) is not None:
            return f"{part}/{self._argument() or ''}"
        symbol = UNIT_SYMBOLS.get(name) or _rare_symbol(name) or split_glued_symbol(name)
        return (symbol or (name if name in FUNCTIONS else "")) + self._swallow(name)


@lru_cache(maxsize=1024)
def _rare_symbol(name: str) -> str:
    """What a command that our tables lack prints by itself; empty if nothing is known of it. 40 ms to import."""
    from pylatexenc.latex2text import get_default_latex_context_db

    spec = get_default_latex_context_db().get_macro_spec(name)
    printed = getattr(spec, "simplify_repl", None)
    return printed if isinstance(printed, str) and "%" not in printed and len(printed) <= 2 else ""
