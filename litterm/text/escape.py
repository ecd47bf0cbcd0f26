"""Third-party text made harmless for a terminal, and measured in its cells.

Nothing here interprets markup: text goes to the screen as text. What is removed is what a terminal would *act* on:
escape sequences, control codes, and the invisible characters that reorder, join or hide what stands beside them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

ELLIPSIS = "…"
_MOST_MARKS = 6
"""Combining marks kept on one letter: enough for every living script, too few to smear over other lines."""

# A whole sequence goes, not just its first byte: the rest would be left as rubbish. Strings (OSC, DCS, APC, PM, SOS)
# end with BEL or ST; one that never ends loses its opening only, so that it cannot swallow the text behind it.
_SEQUENCES = re.compile(
    r"(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x90\x98\x9c-\x9f]*(?:\x07|\x1b\\|\x9c)"
    r"|(?:\x1b\[|\x9b)[0-?]{0,64}[ -/]{0,8}[@-~]"
    r"|\x1b[\]PX^_\[]|\x1b[ -/]{0,8}[0-~]"
)
_BREAKS = re.compile(r"[\t\n\v\f\r\x1c-\x1f\x85\u2028\u2029]+")
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f"  # C0 and C1 without the breaks
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"  # soft hyphen, joiners, fillers
    "\u200b-\u200f\u202a-\u202e\u2060-\u206f"  # zero width, bidi embedding, override and isolate
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"  # variation selectors, byte order mark, annotations
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]+"  # shorthand, music, tags
)
_MAYBE_MARKS = re.compile("[\u0300-\u1fff\u20d0-\u20f0\u3000-\U0010ffff]")
_UNSEEN = re.compile(f"{_INVISIBLE.pattern}|[\t\v\f\r\x1c-\x1f\x85\u2028\u2029]")
_SMEAR = re.compile(
    "([\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]{6})([\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]+)"
)
_BROKEN = re.compile("[\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")


def plain(text: str) -> str:
    """`text` on one line with nothing a terminal acts on; line breaks and tabs become one blank.

    Lone surrogates and non-characters become U+FFFD, so the result can always be encoded.
    """
    if text.isascii() and text.isprintable():
        return text
    bare = _SEQUENCES.sub("", text)
    return _thinned(_BROKEN.sub("\ufffd", _INVISIBLE.sub("", _BREAKS.sub(" ", bare))))


def plain_lines(text: str) -> str:
    """Like `plain`, line by line: line breaks stay."""
    return "\n".join(plain(line) for line in text.splitlines())


def plain_in_place(text: str) -> str:
    """Like `plain_lines`, with blanks for what goes: as long as `text`, so that offsets into it still hold."""
    if text.isascii() and text.replace("\n", "").isprintable():
        return text
    bare = _UNSEEN.sub(lambda found: " " * len(found.group()), _SEQUENCES.sub(_blanks, text))
    bare = _BROKEN.sub("\ufffd", bare)
    return _SMEAR.sub(lambda found: found.group(1) + " " * len(found.group(2)), bare)


def _blanks(found: re.Match[str]) -> str:
    """Blanks for a sequence; a line break in it stays."""
    return re.sub(r"[^\n]", " ", found.group())


def _thinned(text: str) -> str:
    """At most `_MOST_MARKS` combining marks in a row."""
    if not _MAYBE_MARKS.search(text):
        return text
    kept: list[str] = []
    run = 0
    for char in text:
        run = run + 1 if unicodedata.category(char) in ("Mn", "Me") else 0
        if run <= _MOST_MARKS:
            kept.append(char)
    return "".join(kept)


def clusters(text: str) -> Iterator[str]:
    """`text` in pieces a reader takes for one character; joined they are `text` again.

    Combining marks, emoji modifiers, joined emoji, flags and Hangul syllables stay whole.
    """
    start = 0
    for at in range(1, len(text)):
        if not _holds(text, start, at):
            yield text[start:at]
            start = at
    if text:
        yield text[start:]


def _holds(text: str, start: int, at: int) -> bool:
    """Whether no cluster may be cut before `text[at]`, when the cluster began at `start`."""
    here, before = text[at], text[at - 1]
    if here.isascii() and before.isascii():
        return False
    if _extends(here) or before == "\u200d":
        return True
    if _is_flag(here):
        return _is_flag(before) and (at - start) % 2 == 1
    return _joins_hangul(before, here)


@lru_cache(maxsize=4096)
def _extends(char: str) -> bool:
    return (
        unicodedata.category(char) in ("Mn", "Me", "Mc")
        or char in "\u200d\u200c"
        or "\U0001f3fb" <= char <= "\U0001f3ff"
        or "\U000e0020" <= char <= "\U000e007f"
    )


def _is_flag(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _joins_hangul(before: str, here: str) -> bool:
    return ("\u1100" <= before <= "\u11ff" or "\uac00" <= before <= "\ud7ff") and _follows_hangul(here)


def _follows_hangul(char: str) -> bool:
    """Whether it is a medial vowel or a final consonant, drawn into the cell of the one before."""
    return "\u1160" <= char <= "\u11ff" or "\ud7b0" <= char <= "\ud7ff"


@lru_cache(maxsize=8192)
def _cluster_width(cluster: str) -> int:
    if "\ufe0f" in cluster or (len(cluster) > 1 and _is_flag(cluster[0])):
        return 2
    return max(map(_char_width, cluster))


def _char_width(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me", "Cf", "Cc"):
        return 0
    if _follows_hangul(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def width(text: str) -> int:
    """Cells `text` takes on a terminal; ambiguous characters count one."""
    return len(text) if text.isascii() and text.isprintable() else sum(map(_cluster_width, clusters(text)))


def cut(text: str, cells: int, *, ellipsis: str = ELLIPSIS) -> str:
    """`text` in at most `cells` cells, ending in `ellipsis` if anything was left out; never inside a cluster."""
    if width(text) <= cells:
        return text
    room = cells - width(ellipsis)
    if room < 0:
        return ""
    taken, used = 0, 0
    for cluster in clusters(text):
        used += _cluster_width(cluster)
        if used > room:
            break
        taken += len(cluster)
    return text[:taken].rstrip() + ellipsis


def wrap(text: str, cells: int) -> list[str]:
    """`text` broken at blanks into lines of at most `cells` cells; a longer word is broken between clusters."""
    lines: list[str] = []
    line = ""
    for word in text.split():
        joined = f"{line} {word}" if line else word
        if width(joined) <= cells:
            line = joined
            continue
        if line:
            lines.append(line)
        *full, line = _broken(word, max(1, cells))
        lines += full
    return [*lines, line] if line else lines


def _broken(word: str, cells: int) -> list[str]:
    pieces, piece = [], ""
    for cluster in clusters(word):
        if piece and width(piece + cluster) > cells:
            pieces.append(piece)
            piece = ""
        piece += cluster
    return [*pieces, piece]


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
        "×": "x", "→": "->", "•": "*", "◆": "!", "◇": "?", "●": "*", "★": "*", "≥": ">=", "≤": "<=", "\u00a0": " ",
    }
)  # fmt: skip


def ascii_marks(text: str) -> str:
    """Our own typography in ASCII; letters of any script stay."""
    return text if text.isascii() else text.translate(_TO_ASCII)
