"""Makes foreign text harmless for a terminal: no escape sequences, control codes or invisible characters.

Markup is not interpreted: text goes to the screen as it is. What a terminal would *act* on is removed: escape
sequences, control codes, and invisible characters that reorder, join or hide other text.
"""

from __future__ import annotations

import re
import unicodedata

_MAX_COMBINING_MARKS = 6
"""Combining marks kept on one letter: enough for every living script, too few to smear over other lines."""

# A whole sequence goes, not just its first byte: the rest would be left as rubbish. Strings (OSC, DCS, APC, PM, SOS)
# end with BEL or ST; one that never ends loses its opening only, so that it cannot swallow the text behind it.
_SEQUENCES = re.compile(
    r"(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x90\x98\x9c-\x9f]*(?:\x07|\x1b\\|\x9c)"
    r"|(?:\x1b\[|\x9b)[0-?]{0,64}[ -/]{0,8}[@-~]"
    r"|\x1b[ -/]{0,8}[0-~]"
)
_BREAKS = re.compile(r"[\t\n\v\f\r\x1c-\x1f\x85\u2028\u2029]+")
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f"  # C0 and C1 without the breaks
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"  # soft hyphen, joiners, fillers
    "\u200b-\u200f\u202a-\u202e\u2060-\u206f"  # zero width, bidi embedding, override and isolate
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"  # variation selectors, byte order mark, annotations
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]+"  # shorthand, music, tags
)
_POSSIBLE_MARKS = "[\u0300-\u1fff\u20d0-\u20f0\u3000-\U0010ffff]"  # compiled when first met, for it takes 4 ms
_INVISIBLE_OR_CONTROL = re.compile(f"{_INVISIBLE.pattern}|[\t\v\f\r\x1c-\x1f\x85\u2028\u2029]")
_STACKED_MARKS = re.compile(
    "([\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]{6})([\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]+)"
)
_SURROGATE = re.compile("[\ud800-\udfff]")
_UNENCODABLE = re.compile("[\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")


def plain(text: str) -> str:
    """`text` on one line with nothing a terminal acts on; line breaks and tabs become one blank.

    Lone surrogates and non-characters become U+FFFD, so the result can always be encoded.
    """
    if text.isascii() and text.isprintable():
        return text
    bare = _SEQUENCES.sub("", text)
    return _thin_marks(_UNENCODABLE.sub("\ufffd", _INVISIBLE.sub("", _BREAKS.sub(" ", bare))))


def valid_text(text: str) -> str:
    """`text` as it can be encoded: two halves of one character are joined, a lone half becomes U+FFFD."""
    if text.isascii() or not _SURROGATE.search(text):
        return text
    # UTF-16 is where the two halves of a character are made of, and where they become one again.
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def plain_lines(text: str) -> str:
    """Like `plain`, line by line: line breaks stay."""
    return "\n".join(plain(line) for line in text.splitlines())


def plain_in_place(text: str) -> str:
    """Like `plain_lines`, but removed characters become blanks, so that offsets into `text` stay valid."""
    if text.isascii() and text.replace("\n", "").isprintable():
        return text
    bare = _INVISIBLE_OR_CONTROL.sub(lambda match: " " * len(match.group()), _SEQUENCES.sub(_blanks, text))
    bare = _UNENCODABLE.sub("\ufffd", bare)
    return _STACKED_MARKS.sub(lambda match: match.group(1) + " " * len(match.group(2)), bare)


def _blanks(match: re.Match[str]) -> str:
    """Blanks for a sequence; a line break in it stays."""
    return re.sub(r"[^\n]", " ", match.group())


def _thin_marks(text: str) -> str:
    """At most `_MAX_COMBINING_MARKS` combining marks in a row."""
    if not re.search(_POSSIBLE_MARKS, text):
        return text
    characters: list[str] = []
    run = 0
    for char in text:
        run = run + 1 if unicodedata.category(char) in ("Mn", "Me") else 0
        if run <= _MAX_COMBINING_MARKS:
            characters.append(char)
    return "".join(characters)


def isolate(text: str) -> str:
    """`text` between directional isolates if it holds right-to-left letters, so that it cannot reorder its line.

    For output to a terminal only, and only around text that went through `plain`.
    """
    if text.isascii() or not any(unicodedata.bidirectional(char) in ("R", "AL") for char in text):
        return text
    return f"\u2068{text}\u2069"


_TO_ASCII = str.maketrans(
    {
        "…": "...", "·": "-", "¶": "p", "§": "s", "–": "-", "—": "--", "‘": "'", "’": "'", "“": '"', "”": '"',
        "×": "x", "→": "->", "•": "*", "◆": "!", "◇": "?", "◈": "!", "●": "*", "★": "*", "≥": ">=", "≤": "<=",
        "\u00a0": " ",
    }
)  # fmt: skip


def ascii_marks(text: str) -> str:
    """Our own typography in ASCII; letters of any script stay."""
    return text if text.isascii() else text.translate(_TO_ASCII)
