"""The fields of the query language, such as `venue:acl` and `year:2019..2023`, and how their values are read."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import get_args

from litterm.model.index import DECISIONS, PAPER_TYPES
from litterm.model.paper import SCHEMES
from litterm.model.search import MINE_LIST, TO_READ_LIST, CountRange, Filters, SortOrder, YearRange

FIELDS = (
    "venue",
    "source",
    "year",
    "author",
    "type",
    "decision",
    "tag",
    "is",
    "status",
    "note",
    "project",
    "import",
    "collection",
    "has",
    "title",
    "abstract",
    "keyword",
    "in",
    "like",
    "cited",
    "sort",
)

TEXT_FIELDS = ("title", "abstract", "keyword")
"""Fields whose values are words of the paper."""

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
_STATUS_NAMES = {
    "to-read": TO_READ_LIST,
    "toread": TO_READ_LIST,
    "to read": TO_READ_LIST,
    "reading": "reading",
    "read": "read",
}
_LIST_NAMES = {name: name for name in ("starred", "included", "excluded")} | _STATUS_NAMES | {"mine": MINE_LIST}
_HELD_NAMES = {
    **dict.fromkeys(("fulltext", "full-text", "full_text"), "fulltext"),
    "note": "note",
    **dict.fromkeys(("annotation", "annotations", "highlight", "highlights"), "annotation"),
}
_FULL_TEXT_NAMES = dict.fromkeys(("fulltext", "full-text", "full_text"), "fulltext")
_SORTS: tuple[SortOrder, ...] = get_args(SortOrder)
_SORT_NAMES = {name: name for name in _SORTS} | {"cited": "citations", "date": "newest", "new": "newest"}
_COUNTS = re.compile(r"(?P<sign>[<>]=?)?(?P<number>\d{1,9})|(?P<least>\d{1,9})?(?P<dots>\.\.|-|–)(?P<most>\d{1,9})?")
_EXAMPLES = {
    "venue": "acl",
    "source": "acl",
    "year": "2020..",
    "author": "chen",
    "type": "article",
    "decision": "accept",
    "has": "fulltext",
    "is": "starred",
    "status": "reading",
    "note": "replicate",
    "title": "attention",
    "abstract": "attention",
    "keyword": "parsing",
    "project": "thesis",
    "import": "refs.bib",
    "collection": "thesis",
    "cited": ">50",
    "sort": "citations",
}
_CLOSED_FIELDS: Mapping[str, Mapping[str, str]] = {
    "source": _SOURCE_NAMES,
    "type": _TYPE_NAMES,
    "decision": _DECISION_NAMES,
    "is": _LIST_NAMES,
    "status": _STATUS_NAMES,
    "has": _HELD_NAMES,
    "in": _FULL_TEXT_NAMES,
    "sort": _SORT_NAMES,
}
"""Fields whose values are all known, with these."""
_DECADE = re.compile(r"([12]\d{1,2})\*")
_YEARS = re.compile(r"(?P<first>\d{4})?(?P<dots>\.\.|-|–)(?P<last>\d{4})?|(?P<sign>[<>]=?)?(?P<year>\d{4})")


def with_field(filters: Filters, name: str, value: str, *, negated: bool = False) -> Filters:
    """`filters` and one more condition.

    Raises:
        ValueError: `value` means nothing for the field `name`; the message says what does.
    """
    # Kept apart from other negations: the index has a column for it, so that both answers cost the same.
    if name == "has" and _known_name(value, _HELD_NAMES, "has") == "fulltext":
        return replace(filters, full_text=not negated)
    if negated:
        return replace(filters, without=(*filters.without, _READERS[name](Filters(), value)))
    return _READERS[name](filters, value)


def looks_like_field(name: str) -> bool:
    """Whether `name` may be a misspelled field."""
    return bool(_nearest_name(name, FIELDS))


def may_become_known(name: str, value: str) -> bool:
    """Whether `value`, typed so far behind `name:`, is the beginning of a value that the field accepts."""
    known_values = _CLOSED_FIELDS.get(name)
    beginning = value.rpartition(",")[2].strip().lower().removesuffix("*")
    return known_values is None or any(known.startswith(beginning) for known in known_values)


def unknown_field_message(name: str) -> str:
    """The message for an unknown filter `name:value`."""
    hint = _nearest_name(name, FIELDS)
    suggestion = f"Did you mean {hint}:?" if hint else f"Available: {', '.join(FIELDS)}."
    return f"Unknown filter “{name}:”. {suggestion} To search for the text itself, put it in quotes."


def example_value(name: str) -> str:
    """A value of the field `name`."""
    return _EXAMPLES.get(name, "mine")


def parse_years(value: str) -> YearRange:
    """`2021`, `2019..2023`, `..2022`, `2020..`, `>2020`, `>=2020`, `<2020` or `<=2020` as inclusive years.

    Raises:
        ValueError: none of these, or a range that ends before it starts.
    """
    if decade := _DECADE.fullmatch(value):
        open_digits = 4 - len(decade[1])
        return YearRange(int(decade[1] + "0" * open_digits), int(decade[1] + "9" * open_digits))
    match = _YEARS.fullmatch(value)
    if match is None or (match["dots"] and not (match["first"] or match["last"])):
        raise ValueError(f"“{value}” is not a year: write 2021, 2019..2023, 2020.., ..2022, >2020 or ~2020")
    if match["year"]:
        return _compare_year(match["sign"] or "", int(match["year"]))
    year_range = YearRange(*(int(match[end]) if match[end] else None for end in ("first", "last")))
    if year_range.first is not None and year_range.last is not None and year_range.first > year_range.last:
        raise ValueError(f"{value} ends before it starts")
    return year_range


def parse_citation_range(value: str) -> CountRange:
    """`>50`, `>=50`, `<10`, `<=10`, `5..50`, `50..`, `..10` or `0` as an inclusive range of citations.

    Raises:
        ValueError: none of these, or a range that ends before it starts.
    """
    match = _COUNTS.fullmatch(value)
    if match is None or (match["dots"] and not (match["least"] or match["most"])):
        raise ValueError(f"“{value}” is no number of citations: write >50, >=50, <10, 5..50 or 0")
    if match["number"]:
        number, sign = int(match["number"]), match["sign"] or ""
        if sign.startswith(">"):
            return CountRange(number + (sign == ">"))
        return CountRange(0, number - (sign == "<")) if sign else CountRange(number, number)
    count_range = CountRange(int(match["least"] or 0), int(match["most"]) if match["most"] else None)
    if count_range.most is not None and count_range.least > count_range.most:
        raise ValueError(f"{value} ends before it starts")
    return count_range


def parse_sort_order(value: str) -> SortOrder:
    """The order named by `sort:`.

    Raises:
        ValueError: there is no such order.
    """
    name = _known_name(value, _SORT_NAMES, "sort")
    return next(order for order in _SORTS if order == name)


def is_full_text(value: str) -> bool:
    """Whether `value` of `in:` means full texts, the only thing it knows."""
    return value.lower() in _FULL_TEXT_NAMES


def parse_soft_year(value: str) -> int:
    """The year in `~2016`; 0 if it is something else."""
    return int(value[1:]) if value[:1] == "~" and re.fullmatch(r"[12]\d{3}", value[1:]) else 0


def _compare_year(sign: str, year: int) -> YearRange:
    if not sign:
        return YearRange(year, year)
    step = 0 if sign.endswith("=") else 1
    return YearRange(year + step, None) if sign.startswith(">") else YearRange(None, year - step)


def _known_name(value: str, names: Mapping[str, str], field: str) -> str:
    name = names.get(value.lower())
    if name is None:
        hint = _nearest_name(value.lower(), names)
        # One name for each meaning: the first, as the others are other spellings of it.
        first_names: dict[str, str] = {}
        for known, meaning in names.items():
            first_names.setdefault(meaning, known)
        suggestion = f"did you mean {hint}?" if hint else f"known are {', '.join(first_names.values())}."
        raise ValueError(f"{field}: does not accept “{value}”; {suggestion}")
    return name


def _known_names(value: str, names: Mapping[str, str], field: str) -> tuple[str, ...]:
    """The name that `value` is, or with a star behind it all that begin so."""
    beginning = value.lower().removesuffix("*")
    matching = tuple(dict.fromkeys(known for name, known in names.items() if name.startswith(beginning)))
    return matching if value.endswith("*") and beginning and matching else (_known_name(value, names, field),)


def _nearest_name(word: str, names: Mapping[str, str] | tuple[str, ...]) -> str:
    # 10 ms to import, and only a mistake needs it.
    from difflib import get_close_matches

    return next(iter(get_close_matches(word, list(names), n=1, cutoff=0.6)), "")


def _venue(filters: Filters, value: str) -> Filters:
    return replace(filters, venues=(*filters.venues, value.lower()))


def _source(filters: Filters, value: str) -> Filters:
    return replace(filters, sources=(*filters.sources, *_known_names(value, _SOURCE_NAMES, "source")))


def _year(filters: Filters, value: str) -> Filters:
    return replace(filters, years=(*filters.years, parse_years(value)))


def _author(filters: Filters, value: str) -> Filters:
    return replace(filters, authors=(*filters.authors, value))


def _type(filters: Filters, value: str) -> Filters:
    return replace(filters, types=(*filters.types, *_known_names(value, _TYPE_NAMES, "type")))


def _decision(filters: Filters, value: str) -> Filters:
    return replace(filters, decisions=(*filters.decisions, *_known_names(value, _DECISION_NAMES, "decision")))


def _tag(filters: Filters, value: str) -> Filters:
    return replace(filters, tags=(*filters.tags, value))


def _cited(filters: Filters, value: str) -> Filters:
    return replace(filters, cited=(*filters.cited, parse_citation_range(value)))


def _is(filters: Filters, value: str) -> Filters:
    return replace(filters, lists=(*filters.lists, _known_name(value, _LIST_NAMES, "is")))


def _status(filters: Filters, value: str) -> Filters:
    return replace(filters, lists=(*filters.lists, _known_name(value, _STATUS_NAMES, "status")))


def _note(filters: Filters, value: str) -> Filters:
    # Any part of a word is found in a note anyway.
    return replace(filters, notes=(*filters.notes, value.rstrip("*")))


def _project(filters: Filters, value: str) -> Filters:
    return replace(filters, projects=(*filters.projects, value))


def _import(filters: Filters, value: str) -> Filters:
    return replace(filters, imports=(*filters.imports, value))


def _collection(filters: Filters, value: str) -> Filters:
    return replace(filters, collections=(*filters.collections, value))


def _has(filters: Filters, value: str) -> Filters:
    if _known_name(value, _HELD_NAMES, "has") == "annotation":
        return replace(filters, annotated=True)
    return replace(filters, notes=(*filters.notes, ""))


_READERS: Mapping[str, Callable[[Filters, str], Filters]] = {
    "venue": _venue,
    "source": _source,
    "year": _year,
    "author": _author,
    "type": _type,
    "decision": _decision,
    "tag": _tag,
    "cited": _cited,
    "is": _is,
    "status": _status,
    "note": _note,
    "project": _project,
    "import": _import,
    "collection": _collection,
    "has": _has,
}
