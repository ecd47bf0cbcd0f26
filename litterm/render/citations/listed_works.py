"""What a paper cites or what cites it, as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from litterm.model.citations.graph import Direction, ListedWork
    from litterm.model.paper import PaperId


class ListedWorkData(TypedDict):
    """A work that a paper cites, or that cites it."""

    id: str | None
    title: str
    text: str
    authors: list[str]
    year: int | None
    ids: list[str]
    in_library: str | None
    contexts: list[str]
    collection: str


class ReferencesData(TypedDict):
    """The answer of `refs`."""

    paper: str
    by: str
    references: list[ListedWorkData]


class CitationsData(TypedDict):
    """The answer of `cited-by`."""

    paper: str
    by: str
    citations: list[ListedWorkData]


LIBRARY_SOURCE = "library"
"""The name of the source of a list that comes from the library."""


def listed_data(
    paper_id: PaperId,
    direction: Direction,
    works: Sequence[ListedWork],
    held: Sequence[PaperId | None],
    *,
    by: str = LIBRARY_SOURCE,
) -> dict[str, object]:
    """The works with the id under which the library holds each, in `held`; `by` names the service that lists them."""
    rows = [_row(work, paper) for work, paper in zip(works, held, strict=True)]
    return {"paper": paper_id, "by": by, direction: rows}


def library_words(works: Sequence[ListedWork]) -> str:
    """Where a list of the library is known from: `the library`, or the collections that all or some of it is from."""
    count_by_collection = Counter(work.collection for work in works)
    own_count = count_by_collection.pop("", 0)
    if not count_by_collection:
        return "the library"
    names = [name + (f" ({count})" if own_count else "") for name, count in count_by_collection.items()]
    return " and ".join((*(["the library"] if own_count else []), *names))


def _row(work: ListedWork, held: PaperId | None) -> ListedWorkData:
    entry = work.reference
    return {
        "id": held,
        "title": entry.title,
        "text": entry.text,
        "authors": list(entry.families),
        "year": entry.year,
        "ids": list(entry.ids),
        "in_library": held,
        "contexts": list(work.contexts),
        "collection": work.collection,
    }
