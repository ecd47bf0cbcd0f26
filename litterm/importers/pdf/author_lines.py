"""Recognises the lines of authors on a title page, in any script, and splits them into names."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace

from litterm.importers.author_names import author_from_name
from litterm.importers.pdf.blocks import PdfBlock
from litterm.importers.pdf.dehyphenate import clean_text
from litterm.importers.pdf.lines import Line
from litterm.model.paper import Author

_NON_NAME = re.compile(
    r"\b(?:universit\w*|department|dept|institut\w*|school|college|laborator\w*|labs?|center|centre|facult\w*|hospital|academy"
    r"|inc|ltd|corporation|company|research|science|sciences|technolog\w*|group|division|avenue|street|road|usa|china|india"
    r"|japan|germany|france|uk|email|e-mail|abstract|received|accepted|published|editor|correspond\w*|article|review|open"
    r"|access|copyright|the|of|for|in|on|with|at|is|from|by|journal|proceedings|conference|box|km|state|city)\b|@|\d{3,}|://"
    r"|университет|институт|кафедра|академия|大学|学院|研究|학교|연구",
    re.IGNORECASE,
)
_NAME_MARKS = re.compile(
    r"[*†‡§¶#∗⋆♦♣♠♥✉⁎,]{0,20}[⁰¹²³⁴-⁹⁺⁻⁼ᵃ-ᶻʰʲʳˢʷˣʸ]+[*†‡§¶#∗⋆,⁰¹²³⁴-⁹ᵃ-ᶻ]*|(?<=[^\W\d_])\d{1,2}(?:,\d{1,2})*(?![^\W\d_])"
    r"|[*†‡§¶#∗⋆♦♣♠♥✉⁎]"
)
_AND = r"and|AND|And|&|und|UND|et|ET|och|og|и|И|та|και|ΚΑΙ"
_NAME_SEPARATOR = re.compile(
    rf"(?:(?<!\s)\s+)?+(?:,\s*(?:{_AND})\s+|[,;•·∙|、，；])\s*|(?<!\s)\s+(?:{_AND})\s+|\s{{2,}}"
)
_ONE_LETTER_AND = re.compile(r"(?<=\w\w)\s+[yei]\s+(?=\w)")
"""Spanish, Portuguese, Italian and Polish; between two names, not within a family name."""
_ENDS = re.compile(rf"^(?:by|von|par|de|por)\s(?=[^\W\d_])|\s(?:{_AND})\s?,?\s?$|^(?:{_AND})\s", re.IGNORECASE)
_PARTICLE = re.compile(
    r"(?:van|von|der|den|de|del|della|di|da|do|dos|du|la|le|bin|ibn|al|el|ter|ten|zu|zum|zur|af|y|e|’t|'t)"
)
_INITIALS = re.compile(r"^((?:[^\W\d_]\.-?){1,4})(?=[^\W\d_]{2})")
_FULL_STOP = re.compile(r"(?<=[^\W\d_]{4})\.+$")
_SUFFIX = re.compile(r"(?:Jr|Sr|JR|SR|jr|sr)\.?|II|III|IV|2nd|3rd")
_RANK = re.compile(r"(?:Prof(?:essor)?|Dr|DR|Mr|Mrs|Ms|Sir|Dame|PD|Priv)\.?(?:-Ing\.)?|Dipl\.-\w+\.?")
_DEGREES = frozenset(
    """phd msc ms bsc bs ba ma md mph mphil rn drph dphil dsc scd edd psyd pharmd dvm vmd dds dmd mbbs mbchb mbbch mba
    meng beng jd llm llb facp faha facc facs frcp frcpc frcs frcr mrcp mhs msph msn bsn rph bpharm mpharm mtech btech
    mstat mbiostat med mpp msw mfa habil do crnp aprn fesc""".split()
)
_BRACKETS = re.compile(r"\s?[(\[]([^()\[\]]{2,40})[)\]]")
_MEMBERSHIP = re.compile(
    r"(?:(?:Student|Senior|Life|Graduate Student|Associate) )*(?:Member|Fellow)|IEEE|ACM|AAAI|SIAM", re.I
)
_INITIAL = re.compile(r"(?:[^\W\d_]\.-?){1,3}")
_NAME_WORD = re.compile(r"[^\W\d_](?:[^\W\d_]|[\u0300-\u036f'’ʼ.‐‑·-])*")
_PARTICLE_PREFIX = re.compile(r"^(?:(?:al|el|as|ad|ash|at|an)-|(?:d|l|dell|dall|de|t)['’])(?=[^\W\d_])")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af々·]+")
"""Chinese, Japanese and Korean: family and given name are written as one word."""
_UNSPACED_HEADINGS = frozenset(
    "摘要 引言 关键词 關鍵詞 目录 目錄 要旨 概要 抄録 要約 초록 요약 서론 키워드 はじめに".split()
)
_MAX_UNSPACED_CHARS = 6
_MIN_SHARE_OF_NAMES = 0.6
_LIST_GOES_ON = re.compile(rf"(?:[,;·•|]|\b(?:{_AND}))[\s*†‡§¶⁰¹²³⁴-⁹]*$")
_MAX_LINES_OF_NAME = 4
_MAX_NAMES = 200
_MAX_LIST_CHARS = 6000
_WIDE_GAP_EM = 0.85
"""A gap from this on, in ems, lies between two names that are set beside each other."""


def find_authors(parts: Sequence[PdfBlock]) -> tuple[Author, ...]:
    """Names between title and abstract, all set in the face of the first; the rest is addresses."""
    lines = [line for part in parts for line in part.lines]
    authors: list[Author] = []
    face: Line | None = None
    index = 0
    while index < len(lines):
        following = lines[index : index + _MAX_LINES_OF_NAME]
        names, count = _names_at(following) if face is None or _is_same_face(lines[index], face) else (None, 1)
        if names:
            face = face or lines[index]
            authors += names
        index += count
    return tuple(dict.fromkeys(authors))[:_MAX_NAMES]


def _names_at(lines: Sequence[Line]) -> tuple[list[Author] | None, int]:
    """The names of the first of `lines`, with those behind it on which its last name goes on, and how many they are."""
    texts = [_spaced_text(line) for line in lines if _is_same_face(line, lines[0])]
    alone = names_in(texts[0]) or names_in(lines[0].text)
    if alone and (len(texts) < 2 or _LIST_GOES_ON.search(texts[0]) or names_in(texts[1])):
        return alone, 1
    for count in range(2, len(texts) + 1):
        if names := names_in(" ".join(texts[:count])):
            return names, count
    return alone, 1


def _is_same_face(line: Line, other: Line) -> bool:
    return abs(line.size - other.size) < 0.6 and line.font == other.font


def _spaced_text(line: Line) -> str:
    """The text of a line with a comma in each wide gap."""
    pieces = [line.text]
    for word, following in zip(line.words, line.words[1:], strict=False):
        gap = following.x0 - word.x1
        if gap > _WIDE_GAP_EM * line.size and (split := pieces[-1].split(f"{word.text} {following.text}", 1))[1:]:
            pieces[-1:] = [f"{split[0]}{word.text}", f"{following.text}{split[1]}"]
    return ", ".join(pieces)


def names_in(text: str) -> list[Author] | None:
    """The names that a line consists of, or `None` if it is no line of names."""
    pieces = _name_pieces(text)
    if not pieces or not all(_is_name(name) for name, _ in pieces):
        return None
    authors = [(author_from_name(_in_order(name)), suffix) for name, suffix in pieces]
    return [replace(author, suffix=suffix or author.suffix) for author, suffix in authors if author is not None]


def is_list_of_names(text: str) -> bool:
    """Whether a text consists of names, or is a list whose pieces mostly are."""
    names = [_is_name(name) for name, _ in _name_pieces(text)]
    return bool(names) and (all(names) or (len(names) > 1 and sum(names) >= _MIN_SHARE_OF_NAMES * len(names)))


def _name_pieces(text: str) -> list[tuple[str, str]]:
    """What may be names, each with its suffix, without ranks and degrees; empty for what is surely no list of them."""
    if len(text) > _MAX_LIST_CHARS:
        return []
    plain = _BRACKETS.sub(_without_degrees, clean_text(text))
    clean = " ".join(_ENDS.sub("", " ".join(_NAME_MARKS.sub(" , ", plain).split())).split())
    if _NON_NAME.search(clean):
        return []
    names: list[tuple[str, str]] = []
    for piece in _split(clean):
        # A letter alone is the mark of an address.
        if not piece or (len(piece) == 1 and piece.islower()) or _MEMBERSHIP.fullmatch(piece):
            continue
        if names and _SUFFIX.fullmatch(piece):
            names[-1] = (names[-1][0], piece)
        elif not (names and all(_is_degree(word) for word in piece.split())):
            names.append(_without_titles(piece))
    return names


def _split(text: str) -> Iterator[str]:
    reversed_names = [piece.strip() for piece in text.split(";")]
    if len(reversed_names) > 1 and all(piece.count(",") == 1 for piece in reversed_names if piece):
        yield from reversed_names
        return
    for piece in _NAME_SEPARATOR.split(text):
        halves = _ONE_LETTER_AND.split(piece)
        # Between two names, not within one such as `Ortega y Gasset`.
        is_list = len(halves) > 1 and all(len(half.split()) > 1 for half in halves)
        for name in halves if is_list else [piece]:
            # The stop of `Jr.`, of initials and degrees is theirs, that of a list is not.
            yield from _split_unspaced(_FULL_STOP.sub("", name.strip(" ,").lstrip(".")))


def _split_unspaced(piece: str) -> Iterator[str]:
    """Names in scripts without blanks within a name, one behind the other."""
    words = piece.split()
    if len(words) > 1 and all(_UNSPACED.fullmatch(word) for word in words) and max(map(len, words)) > 2:
        yield from words
    else:
        yield piece


def _without_titles(name: str) -> tuple[str, str]:
    """A name and its suffix, without ranks before it and degrees behind it."""
    words = _INITIALS.sub(r"\1 ", name).split()
    while len(words) > 2 and _RANK.fullmatch(words[0]):
        words = words[1:]
    suffix = ""
    while len(words) > 2:
        if _SUFFIX.fullmatch(words[-1]):
            suffix = words[-1]
        elif not (_is_degree(words[-1]) or (len(words[-1]) == 1 and words[-1].islower())):
            break
        words = words[:-1]
    return " ".join(words), suffix


def _without_degrees(brackets: re.Match[str]) -> str:
    """What is left of text in brackets: nothing if it is degrees, `(PhD, MD)`."""
    words = brackets[1].replace(",", " ").split()
    return "" if words and all(_is_degree(word) for word in words) else brackets[0]


def _is_degree(word: str) -> bool:
    # In capitals, or with stops: `Ma` and `Do` are family names.
    is_marked = sum(character.isupper() for character in word) > 1 or "." in word.rstrip(",.")
    return is_marked and word.replace(".", "").casefold() in _DEGREES


def _is_name(name: str) -> bool:
    words = name.replace(",", " ").split()
    if words and all(_UNSPACED.fullmatch(word) for word in words):
        return 2 <= sum(map(len, words)) <= _MAX_UNSPACED_CHARS and len(words) < 3 and name not in _UNSPACED_HEADINGS
    proper = [word for word in words if not _PARTICLE.fullmatch(word)]
    if len(words) < 2 or not 1 <= len(proper) <= 5 or len(words) > 8 or (name.upper() == name and len(name) > 30):
        return False
    has_full_word = any(sum(map(str.isalpha, word)) > 1 for word in proper)
    return has_full_word and all(_is_name_word(word) for word in proper)


def _is_name_word(word: str) -> bool:
    """Whether a word is spelt like a part of a name: a capital, or a letter of a script without capitals, first."""
    word = _PARTICLE_PREFIX.sub("", word)
    if not word or not _NAME_WORD.fullmatch(word):
        return False
    return word[0].isupper() or unicodedata.category(word[0]) in ("Lo", "Lt")


def _in_order(name: str) -> str:
    """`Иванов И. И.` as `Иванов, И. И.`: initials behind the only full word are those of the given names."""
    words = name.split()
    is_reversed = len(words) > 1 and "," not in name and all(_INITIAL.fullmatch(word) for word in words[1:])
    return f"{words[0]}, {' '.join(words[1:])}" if is_reversed and not _INITIAL.fullmatch(words[0]) else name
