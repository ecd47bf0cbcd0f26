"""The fields of the query language: `venue:acl`, `year:2019..2023` and their kin, value by value."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from litterm.model.index import DECISIONS, PAPER_TYPES
from litterm.model.paper import SCHEMES
from litterm.model.search import Filters, YearRange

FIELDS = ("venue", "source", "year", "author", "type", "decision", "tag", "has", "in", "like")

_SOURCE_NAMES = {name: name for name in SCHEMES} | {
    "anthology": "acl",
    "openreview": "iclr",
    "pubmed": "pmid",
    "semanticscholar": "s2",
}
_TYPE_NAMES = {name: name for name in PAPER_TYPES} | {"journal": "article", "conference": "inproceedings"}
_DECISION_NAMES = {name: name for name in DECISIONS if name} | {
    "accepted": "accept",
    "rejected": "reject",
    "withdraw": "withdrawn",
}
_FULL_TEXT_NAMES = dict.fromkeys(("fulltext", "full-text", "full_text"), "fulltext")
_YEARS = re.compile(r"(?P<first>\d{4})?(?P<dots>\.\.|-|–)(?P<last>\d{4})?|(?P<sign>[<>]=?)?(?P<year>\d{4})")


def with_field(filters: Filters, name: str, value: str, *, negated: bool = False) -> Filters:
    """`filters` and one more condition.

    Raises:
        ValueError: `value` means nothing for the field `name`; the message says what does.
    """
    if negated and name != "has":
        raise ValueError(f"A minus goes before words and phrases, not before {name}:")
    if name == "has":
        _known(value, _FULL_TEXT_NAMES, "has")
        return replace(filters, full_text=not negated)
    return _READERS[name](filters, value)


def like_a_field(name: str) -> bool:
    """Whether `name` may be a misspelled field."""
    return bool(_nearest(name, FIELDS))


def unknown_field(name: str) -> str:
    """What to tell somebody who typed `name:value`."""
    hint = _nearest(name, FIELDS)
    meant = f"did you mean {hint}:?" if hint else f"there are {', '.join(FIELDS)}."
    return f"There is no field {name}: — {meant} To search for the text itself, put it in quotes."


def years(value: str) -> YearRange:
    """`2021`, `2019..2023`, `..2022`, `2020..`, `>2020`, `>=2020`, `<2020` or `<=2020` as inclusive years.

    Raises:
        ValueError: none of these, or a range that ends before it starts.
    """
    match = _YEARS.fullmatch(value)
    if match is None or (match["dots"] and not (match["first"] or match["last"])):
        raise ValueError(f"“{value}” is no year: write 2021, 2019..2023, 2020.., ..2022, >2020 or ~2020")
    if match["year"]:
        return _compared(match["sign"] or "", int(match["year"]))
    found = YearRange(*(int(match[end]) if match[end] else None for end in ("first", "last")))
    if found.first is not None and found.last is not None and found.first > found.last:
        raise ValueError(f"{value} ends before it starts")
    return found


def is_full_text(value: str) -> bool:
    """Whether `value` of `in:` means full texts, the only thing it knows."""
    return value.lower() in _FULL_TEXT_NAMES


def soft_year(value: str) -> int:
    """The year in `~2016`; 0 if it is something else."""
    return int(value[1:]) if value[:1] == "~" and re.fullmatch(r"[12]\d{3}", value[1:]) else 0


def _compared(sign: str, year: int) -> YearRange:
    if not sign:
        return YearRange(year, year)
    step = 0 if sign.endswith("=") else 1
    return YearRange(year + step, None) if sign.startswith(">") else YearRange(None, year - step)


def _known(value: str, names: Mapping[str, str], field: str) -> str:
    name = names.get(value.lower())
    if name is None:
        hint = _nearest(value.lower(), names)
        meant = f"did you mean {hint}?" if hint else f"known are {', '.join(dict.fromkeys(names.values()))}."
        raise ValueError(f"{field}: does not know “{value}”; {meant}")
    return name


def _nearest(word: str, names: Mapping[str, str] | tuple[str, ...]) -> str:
    # 10 ms to import, and only a mistake needs it.
    from difflib import get_close_matches

    return next(iter(get_close_matches(word, list(names), n=1, cutoff=0.6)), "")


def _venue(filters: Filters, value: str) -> Filters:
    return replace(filters, venues=(*filters.venues, value.lower()))


def _source(filters: Filters, value: str) -> Filters:
    return replace(filters, sources=(*filters.sources, _known(value, _SOURCE_NAMES, "source")))


def _year(filters: Filters, value: str) -> Filters:
    return replace(filters, years=(*filters.years, years(value)))


def _author(filters: Filters, value: str) -> Filters:
    return replace(filters, authors=(*filters.authors, value))


def _type(filters: Filters, value: str) -> Filters:
    return replace(filters, types=(*filters.types, _known(value, _TYPE_NAMES, "type")))


def _decision(filters: Filters, value: str) -> Filters:
    return replace(filters, decisions=(*filters.decisions, _known(value, _DECISION_NAMES, "decision")))


def _tag(filters: Filters, value: str) -> Filters:
    return replace(filters, tags=(*filters.tags, value))


_READERS: Mapping[str, Callable[[Filters, str], Filters]] = {
    "venue": _venue,
    "source": _source,
    "year": _year,
    "author": _author,
    "type": _type,
    "decision": _decision,
    "tag": _tag,
}
