"""Finds the citation commands of LaTeX with all their arguments: those of natbib, biblatex, apacite and their like."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from litterm.model.document import Span

Purpose = Literal["keys", "several", "volume", "volumes", "field", "unknown"]
"""Which arguments hold keys: the first; all; the one behind a volume; these in pairs; the one before a field; or those
that are known keys."""

_NAME = re.compile(r"\\([A-Za-z]{4,40})\*?")
_KNOWN = frozenset(
    """
    cite citep citet citealp citealt citeauthor citeyear citeyearpar citefullauthor citetalias citepalias citetitle
    citedate citeurl citenum citen citeonline onlinecite inlinecite newcite citepos citeposs citegen possessivecite
    parencite footcite footcitetext footnotecite smartcite supercite textcite autocite fullcite footfullcite notecite
    pnotecite fnotecite footciteauthor footcitetitle headlesscite headlessfullcite sidecite sidefullcite margincite
    citea citenp citeauthornp citeyearnp shortcite shortcitea shortcitenp shortciteauthor shortciteauthornp fullcitea
    fullcitenp fullciteauthor fullciteauthornp maskcite maskcitea bibentry nptextcite
    """.split()
)
"""In small letters: most of them also exist with a capital."""
_NO_CITATION = re.compile(
    r"nocite|^(?:bib|newcite|setcite|defcite|declare|renew|provide|new(?!cite$))|^cite(?:style|color|reset|text|sort|punct"
    r"|left|right|dash|index|tracker)|excite|recite"
)
_FIELD = frozenset(("citefield", "citelist", "citename"))
_PARENTHETIC = ("citep", "parencite", "autocite", "cite")
_VOLUME = re.compile(r"[a-z]{0,2}volcite(s?)")
_TOKEN = re.compile(r"\\.|[\[\]{}()<>]|\n[ \t\r]*\n", re.DOTALL)
_BLANK = re.compile(r"[ \t\r]*(?:\n[ \t\r]*)?")
_CLOSING = {"{": "}", "[": "]", "(": ")", "<": ">"}
# Every repetition is bounded: a draft may be hostile, or no draft at all.
_MAX_ARGUMENT_CHARS, _MAX_DEPTH, _MAX_ARGUMENTS, _MAX_OPENINGS = 4000, 8, 400, 20
_NO_KEY = re.compile(r"[\\{}#]")


@dataclass(frozen=True, slots=True)
class CitationCommand:
    """One citation command: its name, where it stands, and its arguments that hold keys."""

    name: str
    span: Span
    key_arguments: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class _Argument:
    opening: str
    inner: Span


def find_citation_commands(text: str, known_keys: Collection[str] = ()) -> tuple[CitationCommand, ...]:
    """The citation commands of `text`, which has blanks for its comments, in order; one may stand within another.

    A command of an unknown name counts where one of its arguments, here or elsewhere, is a key of `known_keys`; where
    no key is known, always.
    """
    found: list[tuple[CitationCommand, Purpose]] = []
    for match in _NAME.finditer(text):
        purpose = _purpose_of(match[1])
        if purpose is None or _is_escaped(text, match.start()):
            continue
        arguments, end = _read_arguments(text, match.end(), purpose)
        spans = _key_arguments(purpose, [item.inner for item in arguments if item.opening == "{"], text, known_keys)
        if spans:
            found.append((CitationCommand(match[1], Span(match.start(), end), spans), purpose))
    if not known_keys:
        return tuple(command for command, _ in found)
    citing = {
        command.name
        for command, purpose in found
        if purpose == "unknown" and any(_holds_known_keys(text, span, known_keys) for span in command.key_arguments)
    }
    return tuple(
        command
        for command, purpose in found
        if purpose != "unknown" or command.name in citing or _is_open(text, command.key_arguments[0])
    )


def most_used_command(commands: Sequence[CitationCommand]) -> str:
    """The command by which a draft mostly cites in parentheses; `cite` where it has none."""
    uses = [command.name for command in commands if command.name in _PARENTHETIC]
    return max(_PARENTHETIC, key=lambda name: (uses.count(name), name == "cite"))


def is_key(word: str) -> bool:
    """Whether `word` may be a key: `#1` and `\\x` of a definition are none."""
    return _NO_KEY.search(word) is None


def _purpose_of(name: str) -> Purpose | None:
    """Which arguments of the command `name` hold keys; `None` where it cites nothing."""
    small = name.lower()
    if "cite" not in small and small != "bibentry":
        return None
    if small in _KNOWN:
        return "keys"
    if small in _FIELD:
        return "field"
    if volume := _VOLUME.fullmatch(small):
        return "volumes" if volume[1] else "volume"
    if _NO_CITATION.search(small):
        return None
    return "several" if small.endswith(("cites", "citetexts")) else "unknown"


def _is_escaped(text: str, start: int) -> bool:
    before = start
    while before and text[before - 1] == "\\":
        before -= 1
    return (start - before) % 2 == 1


def _read_arguments(text: str, position: int, purpose: Purpose) -> tuple[list[_Argument], int]:
    """The arguments from `position` on, as many as the command takes, and where the last one ends."""
    wanted = {"keys": 1, "several": _MAX_ARGUMENTS, "volume": 2, "volumes": _MAX_ARGUMENTS, "field": 2, "unknown": 3}
    allowed = "{[(" if purpose in ("several", "volumes") else "{[<"
    arguments: list[_Argument] = []
    end, groups, read = position, 0, 0
    while groups < wanted[purpose] and read < 2 * _MAX_ARGUMENTS:
        start = _skip_blank(text, position)
        opening = text[start : start + 1]
        if not opening or opening not in allowed or (opening in "(<" and groups):
            break
        close = _find_close(text, start, opening)
        if close < 0:
            break
        read += 1
        position = close + 1
        arguments.append(_Argument(opening, Span(start + 1, close)))
        if opening == "{":
            groups, end = groups + 1, position
    return arguments, end


def _skip_blank(text: str, position: int) -> int:
    match = _BLANK.match(text, position)
    return match.end() if match else position


def _find_close(text: str, start: int, opening: str) -> int:
    """Where the argument that opens at `start` closes; -1 if it does not within its paragraph."""
    close = _find_balanced(text, start, opening, nested=True)
    # `[see [1]` has a lone bracket inside.
    return _find_balanced(text, start, opening, nested=False) if close < 0 and opening != "{" else close


def _find_balanced(text: str, start: int, opening: str, *, nested: bool) -> int:
    closing, depth, braces, openings = _CLOSING[opening], 1, 0, 0
    for token in _TOKEN.finditer(text, start + 1, start + 1 + _MAX_ARGUMENT_CHARS):
        sign = token.group()
        openings += sign == opening
        if sign.startswith("\n") or max(depth, braces) > _MAX_DEPTH or openings > _MAX_OPENINGS:
            return -1
        if sign == closing and not braces:
            depth -= 1
            if not depth:
                return token.start()
        elif sign == opening and not braces:
            depth += nested or opening == "{"
        elif sign == "{":
            braces += 1
        elif sign == "}":
            if not braces:
                return -1
            braces -= 1
    return -1


def _key_arguments(
    purpose: Purpose, groups: Sequence[Span], text: str, known_keys: Collection[str]
) -> tuple[Span, ...]:
    """Those of `groups` that hold keys."""
    if purpose == "several":
        return tuple(groups)
    if purpose in ("volume", "volumes"):
        return tuple(groups[1::2])
    if purpose == "field":
        return tuple(groups[:1]) if len(groups) > 1 else ()
    if purpose == "unknown" and known_keys:
        of_keys = tuple(group for group in groups if _holds_known_keys(text, group, known_keys))
        return of_keys or tuple(groups[:1])
    return tuple(groups[:1])


def _holds_known_keys(text: str, span: Span, known_keys: Collection[str]) -> bool:
    words = list(_words(text, span))
    return bool(words) and all(word in known_keys for word in words)


def _is_open(text: str, span: Span) -> bool:
    """Whether a key is missing there."""
    words = list(_words(text, span))
    return not words or any(not word.strip("?") for word in words)


def _words(text: str, span: Span) -> Iterator[str]:
    return (word for item in text[span.start : span.end].split(",") if (word := item.strip()))
