"""Reads the mark that publishers put into the title of a retracted, removed or doubted paper.

A notice is a text of its own (`Retraction: ...`, `Retraction note to ...`), and no mark.
"""

from __future__ import annotations

import re
from typing import Final

_KIND: Final = r"(?:articles?|papers?|chapter|manuscript|publication|conference paper)"
_STATE: Final = r"(?P<state>retracted|withdrawn|removed|temporary removal|expression of concern)"
_MARK: Final = rf"(?:{_KIND} )?{_STATE}(?: {_KIND})?"
_IN_BRACKETS: Final = re.compile(rf"\s*[\[(]\s*{_MARK}\s*[\])]\s*[:.–—-]?\s*", re.IGNORECASE)
_WITH_COLON: Final = re.compile(rf"\s*{_MARK}\s*(?::|\s[–—-]\s|[–—])\s*", re.IGNORECASE)
_IN_CAPITALS: Final = re.compile(r"\s*(?P<state>RETRACTED|WITHDRAWN)(?: (?:ARTICLE|PAPER|CHAPTER))?[ .-]+(?=\S)")
# Web of Science puts the notice's place behind it: `(Retracted article. See vol. 12, pg. 3, 2010)`.
_AT_END: Final = re.compile(
    rf"(?: ?[\[(] ?{_MARK}(?: ?[.,;:][^\[\]()]{{0,300}}| (?:in|see) [^\[\]()]{{0,300}})?[\])]"
    rf"| ?[:–—] ?(?:{_KIND} )?(?P<bare>retracted|withdrawn)(?: {_KIND})?| (?P<capitals>RETRACTED|WITHDRAWN))"
    r"[. ]{0,3}\Z",
    re.IGNORECASE,
)
_MAX_MARK_CHARS: Final = 420
_STATES: Final = {
    "retracted": "retracted",
    "withdrawn": "removed",
    "removed": "removed",
    "temporary removal": "removed",
    "expression of concern": "concern",
}


def retraction_of_title(title: str) -> str:
    """`retracted`, `removed` or `concern` as the mark in `title` says; empty without one."""
    return _find_mark(title)[0]


def title_without_mark(title: str) -> str:
    """`title` as it was before its publisher marked it; unchanged without a mark, and for notices.

    For comparing titles only: a record keeps the title as it is printed.
    """
    return _find_mark(title)[1]


def _find_mark(title: str) -> tuple[str, str]:
    """What the mark says, and the title without it."""
    match = _IN_BRACKETS.match(title) or _WITH_COLON.match(title)
    if match is not None and _is_sure(match):
        return _split(title, match, title[match.end() :])
    match = _IN_CAPITALS.match(title)
    # In a title all of capitals the word may be part of it.
    if match is not None and not title[match.end() :].isupper():
        return _split(title, match, title[match.end() :])
    return _find_mark_at_end(title)


def _find_mark_at_end(title: str) -> tuple[str, str]:
    tail = max(0, len(title) - _MAX_MARK_CHARS)
    match = _AT_END.search(title, tail)
    if match is None or (match["capitals"] and not (match["capitals"].isupper() and not title.isupper())):
        return "", title
    return _split(title, match, title[: match.start()])


def _is_sure(match: re.Match[str]) -> bool:
    """Whether the words are a mark: `Removed: ...` in small letters may be a title."""
    words = match.group().strip()
    return match["state"].lower() != "removed" or words[0] in "[(" or match["state"].isupper() or " " in words


def _split(title: str, match: re.Match[str], rest: str) -> tuple[str, str]:
    groups = match.groupdict()
    state = groups.get("state") or groups.get("bare") or groups.get("capitals") or ""
    rest = rest.strip()
    # A title of nothing but a mark is kept, so that there is something to compare.
    return (_STATES[state.lower()], rest) if rest else ("", title)
