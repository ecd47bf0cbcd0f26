"""Makes text of any source safe to store: no markup, no control characters, one line.

`clean_line` is for text that is known to hold no markup (names, publishers), `prose` for titles and abstracts from
JSON, BibTeX or the web, `element_text` for mixed XML content.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable, Mapping
from typing import Final
from xml.etree.ElementTree import Element

from litterm.text.latex.formula import formula_to_text
from litterm.text.latex.prose import latex_to_text
from litterm.text.latex.symbols import to_subscript, to_superscript

_ESCAPE_SEQUENCE: Final = re.compile(
    r"(?:\x1b\]|\x9d)[^\x07\x1b\x9c]{0,2000}(?:\x07|\x1b\\|\x9c)"  # OSC: titles, links, clipboard
    r"|\x1b[PX^_][^\x1b\x9c]{0,2000}(?:\x1b\\|\x9c)"  # DCS, SOS, PM, APC
    r"|(?:\x1b\[|\x9b(?=[0-?]))[0-?]*[ -/]*[@-~]"  # CSI: colour, cursor
    r"|\x1b[ -/]*[0-~]?"  # the rest, and the first two bytes of what never ends
)
# Persian and Indic words are spelt with joiners, which must stay; elsewhere they are invisible and hide text in text.
_INNER_JOINER: Final = re.compile(r"(?<=[\u0600-\u109f])[\u200c\u200d](?=[\u0600-\u109f])")
_BLANKS: Final = re.compile(r"\s{2,}")
_ENTITY: Final = re.compile(r"&(?:[A-Za-z][A-Za-z0-9]{1,31}|#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6});")
_TAG: Final = re.compile(r"<(/?)([A-Za-z][\w:.-]{0,30})(?:\s[^<>]{0,300})?/?>")
_SCRIPT_TAG: Final = re.compile(r"<(su[bp])>([^<>]{1,40})</\1>", re.IGNORECASE)
_KNOWN_TAGS: Final = frozenset(
    """a abbr article-title b bold br cite code div em emph h1 h2 h3 h4 i inf italic label li list list-item math mi
    mml mn
    mo monospace mrow msub msup ol p roman sc sec small span strike strong sub sup title tt u ul underline""".split()
)
_BREAKING_TAGS: Final = frozenset(
    ("br", "div", "p", "li", "ul", "ol", "sec", "title", "h1", "h2", "h3", "h4", "list", "list-item")
)

_INVISIBLE: Final = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff]"
)
"""Characters that print nothing (default-ignorable in Unicode); they can hide text in text."""
_LIGATURES: Final = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st", 0xFB06: "st"}


class _Replacements(dict[int, str | None]):
    """A `str.translate` table that computes the replacement of a character when it is first needed."""

    def __missing__(self, code: int) -> str | None:
        self[code] = replacement = _replacement(chr(code))
        return replacement


def _replacement(character: str) -> str | None:
    code = ord(character)
    if code in _LIGATURES:
        return _LIGATURES[code]
    if 0x80 <= code < 0xA0:
        # Windows-1252 read as Latin-1: HTML reads these the same way.
        return bytes((code,)).decode("cp1252", "ignore") if code != 0x85 else "…"
    # Hyphens that look the same must compare the same: a title typed with one finds the other.
    if code in (0x2010, 0x2011):
        return "-"
    if character.isspace():
        return " "
    if character in "\u200c\u200d":
        return character
    if _INVISIBLE.match(character):
        return None
    kind = unicodedata.category(character)
    # A lone surrogate cannot be encoded as UTF-8, and no database accepts it.
    if kind == "Cs":
        return "\ufffd"
    return None if kind in ("Cc", "Cf", "Co", "Cn", "Zl", "Zp") else character


_REPLACEMENTS: Final = _Replacements()
_NEEDS_REPAIR: Final = re.compile(f"[\u2010\u2011\ufb00-\ufb06\u0300-\u036f{_INVISIBLE.pattern[1:]}")


def clean_line(text: str) -> str:
    """`text` on one line without control, bidi and zero-width characters; ligatures and blanks normalised.

    Escape sequences go whole, not just their first byte. The joiners that Arabic and Indic words are spelt
    with stay inside such words.
    """
    # Nearly all text needs no repair: this check keeps an import of a hundred thousand records fast.
    if not text.isprintable() or (not text.isascii() and _NEEDS_REPAIR.search(text)):
        text = _repair(text)
    if "  " in text:
        text = _BLANKS.sub(" ", text)
    return text.strip()


def characters(text: str) -> str:
    """`text` with harmless characters only, blanks as they are; for pieces that are put together later."""
    if text.isprintable() and (text.isascii() or not _NEEDS_REPAIR.search(text)):
        return text
    return _repair(text)


def _repair(text: str) -> str:
    if "\x1b" in text or "\x9b" in text or "\x9d" in text:
        text = _ESCAPE_SEQUENCE.sub("", text)
    text = text.translate(_REPLACEMENTS)
    if "\u200c" in text or "\u200d" in text:
        # Joiners inside words become private characters while all others are removed.
        marked_text = _INNER_JOINER.sub(lambda match: "\ue000" if match.group() == "\u200c" else "\ue001", text)
        text = marked_text.translate({0x200C: None, 0x200D: None, 0xE000: "\u200c", 0xE001: "\u200d"})
    return unicodedata.normalize("NFC", text)


def prose(text: str, from_latex: Callable[[str], str] = latex_to_text) -> str:
    """A title or abstract without entities, inline HTML and LaTeX; see `clean_line` for the rest."""
    if "&" in text and _ENTITY.search(text):
        text = html.unescape(text)
    if "<" in text:
        # Scripts first: `x<sup>2</sup>` loses its tags, and would be x2.
        text = _TAG.sub(_remove_tag, _SCRIPT_TAG.sub(_convert_script, text))
    return clean_line(from_latex(text))


def _remove_tag(match: re.Match[str]) -> str:
    name = match.group(2).lower().removeprefix("jats:").removeprefix("mml:")
    if name not in _KNOWN_TAGS:
        # `p < 0.05 and n > 3` is not a tag.
        return match.group()
    return " " if name in _BREAKING_TAGS else ""


def _convert_script(match: re.Match[str]) -> str:
    return script_text(match.group(1).lower(), match.group(2))


def script_text(kind: str, text: str) -> str:
    """`text` of a `sub` or `sup` element: raised or lowered characters where exact, else as it is."""
    shifted = to_superscript(text) if kind == "sup" else to_subscript(text)
    return text if shifted is None else shifted


def element_text(element: Element, kinds: Mapping[str, str] = {}) -> str:
    """Everything an element prints, with formulas and scripts as Unicode, not yet `clean_line`.

    `kinds` says what a tag means where it is not its own name: `sub`, `sup`, `tex`, `break` for a blank, or `skip` for
    what does not print. Text behind a skipped element stays.
    """
    if not len(element):
        return element.text or ""
    parts = [element.text or ""]
    for child in element:
        kind = kinds.get(child.tag, child.tag)
        if kind != "skip":
            inner = element_text(child, kinds)
            if kind in ("sub", "sup"):
                inner = script_text(kind, inner)
            elif kind == "tex":
                inner = formula_to_text(inner)
            elif kind == "break":
                inner = f" {inner}"
            parts.append(inner)
        if child.tail:
            parts.append(child.tail)
    return "".join(parts)
