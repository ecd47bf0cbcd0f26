"""The user's tags and citation counts that a query filters by, looked up once for all shards."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from litterm.cluster.requests import OwnFacts
from litterm.model.search import NOTE_PREFIX, PROJECT_PREFIX, AllOf, AnyOf, Filters, NegatedCondition

if TYPE_CHECKING:
    from litterm.model.search import Condition, Query
    from litterm.search.searchable import SearchableLibrary


def own_facts(query: Query, searchable: SearchableLibrary) -> OwnFacts:
    """All that the filters of `query`, wherever they stand in it, ask about tags, notes, projects and counts."""
    all_filters = list(_filters((query.filters, *query.conditions)))
    cited_at_least = searchable.cited_at_least
    counts = {count for filters in all_filters for count in _counts(filters)}
    return OwnFacts(
        {tag: frozenset(searchable.tagged(tag)) for filters in all_filters for tag in _tags(filters)},
        None if cited_at_least is None else {count: tuple(cited_at_least(count)) for count in counts},
    )


def _filters(conditions: Iterable[Condition]) -> Iterator[Filters]:
    for condition in conditions:
        match condition:
            case Filters(without=without):
                yield condition
                yield from _filters(without)
            case NegatedCondition(inner):
                yield from _filters((inner,))
            case AllOf(inner_conditions) | AnyOf(inner_conditions):
                yield from _filters(inner_conditions)
            case _:
                pass


def _tags(filters: Filters) -> Iterator[str]:
    yield from (*filters.tags, *filters.lists)
    yield from (f"{NOTE_PREFIX}{word}" for word in filters.notes)
    yield from (f"{PROJECT_PREFIX}{name}" for name in filters.projects)


def _counts(filters: Filters) -> Iterator[int]:
    for count_range in filters.cited:
        if count_range.least > 0:
            yield count_range.least
        if count_range.most is not None:
            yield count_range.most + 1
