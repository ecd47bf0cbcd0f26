"""ACL-rlg: reading lists of tutorials, with what three annotators would type to get them; one list a line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import cast


@dataclass(frozen=True, slots=True)
class Listed:
    """A paper of a reading list."""

    title: str
    acl: str
    """Its key in the Anthology; empty where it is not there."""


@dataclass(frozen=True, slots=True)
class ReadingList:
    """A tutorial's list. A method may read `queries` and `year` only."""

    key: str
    """The tutorial's own paper, which is no candidate."""
    title: str
    year: int
    queries: tuple[tuple[str, str, str], ...]
    """Annotator, keywords, sentence."""
    in_acl: tuple[Listed, ...]
    """The references that are in the Anthology, whatever part of it a library holds."""


def reading_list(row: Mapping[str, object], _number: int) -> ReadingList:
    """The list of a row.

    Raises:
        KeyError, TypeError, ValueError: a field is missing or is not what it should be.
    """
    queries = cast("Mapping[str, Mapping[str, str]]", row["queries"])
    references = [cast("Mapping[str, object]", each) for each in cast("Iterable[object]", row["references"])]
    return ReadingList(
        key=str(row["id"]),
        title=str(row["title"]),
        year=int(str(row["year"])),
        queries=tuple((name, told["keywords"], told["sentence"]) for name, told in queries.items()),
        in_acl=tuple(Listed(str(each["title"]), str(each["acl_id"] or "")) for each in references if each["in_acl"]),
    )
