"""The text of files that need not be UTF-8: by mark, by what they say, else by the likeliest reading, which is told."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
"""Those of UTF-32 first, as they begin with those of UTF-16."""
UTF_16_MARKS: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_STATED: Final = re.compile(
    rb"^[ \t%]*(?:@comment\{[ \t]*)?(?:x-kbibtex-)?Encoding[ \t]*[:=][ \t]*([\w.:-]{3,30})"
    rb"|-\*-.{0,80}?\bcoding[ \t]*:[ \t]*([\w.-]{3,30})|^%[ \t]*!TEX[ \t]+encoding[ \t]*=[ \t]*([\w.-]{3,30})",
    re.IGNORECASE | re.MULTILINE,
)
"""What JabRef, KBibTeX, Emacs and editors of TeX write into the first lines."""
_ENCODING_NAME: Final = re.compile(
    r"iso[-_]?8859|latin|l\d$|cp\d|windows|mac|koi8|utf|us-ascii|ascii|big5|gb|euc|shift|s_?jis|johab", re.IGNORECASE
)
"""Encodings of text; Python knows others under such names as `hex`."""
_HEAD_BYTES: Final = 4096
_MAX_UTF8_SHARE: Final = 0.1
"""Of the lines with other letters than English ones: below it what is valid UTF-8 is so by chance."""
_NAMES: Final = {"cp1252": "Windows-1252", "cp1250": "Windows-1250", "mac-roman": "Mac Roman"}
_OTHER_GUESSES: Final = ("mac-roman", "cp1250")


@dataclass(frozen=True, slots=True)
class DecodedText:
    """Text, the encoding of its bytes, and what had to be guessed."""

    text: str
    encoding: str
    """As Python calls it; what is added to the file is written in it."""
    remark: str = ""
    """One sentence for the user; empty where nothing was guessed."""


def decode_text(data: bytes) -> DecodedText:
    """The text of `data`; every byte becomes a character, whatever they are."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return DecodedText(data[len(mark) :].decode(encoding, "replace"), encoding)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return _decode_by_statement(data) or _decode_by_guess(data)
    wide = _wide_encoding(data)
    return DecodedText(data.decode(wide, "replace"), wide) if wide else DecodedText(text, "utf-8")


def encode_addition(text: str, encoding: str) -> bytes:
    """`text` in the encoding of the file that it is added to; what that lacks is written in LaTeX."""
    try:
        return text.encode(encoding)
    except UnicodeEncodeError:
        if encoding.startswith("utf"):
            return text.encode(encoding, "replace")
        from pylatexenc.latexencode import unicode_to_latex

        return "".join(
            letter if _can_encode(letter, encoding) else f"{{{unicode_to_latex(letter)}}}" for letter in text
        ).encode(encoding, "replace")


def _can_encode(letter: str, encoding: str) -> bool:
    return letter.encode(encoding, "ignore") != b""


def _wide_encoding(data: bytes) -> str:
    """UTF-16 without a mark, by the zeros that every second byte of English has; empty if it is not."""
    head = data[:_HEAD_BYTES]
    if b"\0" not in head:
        return ""
    half = max(1, len(head) // 2)
    odd, even = head[1::2].count(0) / half, head[::2].count(0) / half
    if max(odd, even) < 0.5 or min(odd, even) > 0.1:
        return ""
    return "utf-16-le" if odd > even else "utf-16-be"


def _decode_by_statement(data: bytes) -> DecodedText | None:
    match = _STATED.search(data[:_HEAD_BYTES])
    name = next(group for group in match.groups() if group).decode("ascii", "ignore") if match else ""
    if not _ENCODING_NAME.match(name):
        return None
    try:
        encoding = codecs.lookup(name.replace(":", "")).name
        # Programs call Windows-1252 by the name of the smaller Latin-1.
        if encoding in ("iso8859-1", "ascii", "cp1252"):
            return DecodedText(_decode_all(data, "cp1252"), "cp1252")
        return DecodedText(data.decode(encoding), encoding)
    except (LookupError, UnicodeDecodeError):
        return None


def _decode_by_guess(data: bytes) -> DecodedText:
    wide = _wide_encoding(data)
    if wide:
        return DecodedText(data.decode(wide, "replace"), wide)
    valid, invalid = _count_lines(data)
    if valid > _MAX_UTF8_SHARE * (valid + invalid):
        lines = "1 line that is" if invalid == 1 else f"{invalid:,} lines that are"
        remark = f"Read as UTF-8, but for {lines} not and was read as Windows-1252: check the names in it."
        return DecodedText(data.decode("utf-8", "litterm-cp1252"), "utf-8", remark)
    encoding = _likeliest(data)
    remark = f"Read as {_NAMES[encoding]}, as it is not UTF-8: check names with accents."
    return DecodedText(_decode_all(data, encoding), encoding, remark)


def _count_lines(data: bytes) -> tuple[int, int]:
    """Lines with other than ASCII that are UTF-8, and those that are not."""
    valid = invalid = 0
    for line in data.split(b"\n"):
        if line.isascii():
            continue
        try:
            line.decode("utf-8")
            valid += 1
        except UnicodeDecodeError:
            invalid += 1
    return valid, invalid


def _likeliest(data: bytes) -> str:
    """Windows-1252, unless there are bytes that it has no character for and another encoding makes better words."""
    try:
        data.decode("cp1252")
        return "cp1252"
    except UnicodeDecodeError:
        scores = {name: _word_score(_decode_all(data, name)) for name in ("cp1252", *_OTHER_GUESSES)}
        # The first of the best: what is in doubt is Windows-1252.
        return max(scores, key=lambda name: scores[name])


def _word_score(text: str) -> int:
    """How many letters are as they are in words: no sign and no capital behind a small letter."""
    return sum(1 if letter.islower() else -1 for letter in _letters_inside(text))


def _letters_inside(text: str) -> Iterator[str]:
    for match in re.finditer(r"(?<=[a-z])[^\x00-\x7f]", text):
        yield match.group()


def _decode_all(data: bytes, encoding: str) -> str:
    """`data` in a single-byte encoding; what it leaves undefined as in Latin-1."""
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return "".join(
            bytes((byte,)).decode(encoding, "ignore") or chr(byte) if byte > 0x7F else chr(byte) for byte in data
        )


def _read_as_windows(error: UnicodeError) -> tuple[str, int]:
    """A handler of errors: the bytes that are no UTF-8, one by one."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return _decode_all(error.object[error.start : error.end], "cp1252"), error.end


codecs.register_error("litterm-cp1252", _read_as_windows)
