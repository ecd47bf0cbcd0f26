"""Parses printed dates to ISO 8601."""

from __future__ import annotations

import re
from typing import Final

_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WORD: Final = re.compile(r"[A-Za-z]{3,}")
_YEAR: Final = re.compile(r"(?<!\d)(1[5-9]\d\d|20\d\d)(?!\d)")
_ISO: Final = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?(?:[T ].*)?")


def month_number(text: str) -> int:
    """1 to 12 of the first month named in `text` (`July 15-20`, `7`, `Dec`); 0 if there is none."""
    text = text.strip()
    if text.isdecimal():
        # Four digits are a year, not a month.
        return int(text) if len(text) <= 2 and 1 <= int(text) <= 12 else 0
    # By three letters: sources write `Sept.` as well as `September`. Of a range the first month counts.
    for word in _WORD.findall(text):
        start = word[:3].lower()
        if start in _MONTHS:
            return _MONTHS.index(start) + 1
    return 0


def iso_date(year: int | None, month: str = "", day: str = "") -> str:
    """`2018`, `2018-07` or `2018-07-15`, as exact as the parts are sound; empty without a year."""
    if year is None:
        return ""
    number = month_number(month)
    if not number:
        return f"{year:04}"
    # A wrong day costs the day alone, not the month.
    day = day.strip()
    if day.isdecimal() and 1 <= int(day[:3]) <= 31:
        return f"{year:04}-{number:02}-{int(day):02}"
    return f"{year:04}-{number:02}"


def find_year(text: str) -> int | None:
    """The first year from 1500 to 2099 in `text`."""
    match = _YEAR.search(text)
    return int(match.group()) if match else None


def iso_prefix(text: str) -> str:
    """`text` if it is an ISO date, cut to the day and padded; empty otherwise."""
    match = _ISO.fullmatch(text.strip())
    if match is None:
        return ""
    year, month, day = match.groups()
    return iso_date(int(year), month or "", day or "")
