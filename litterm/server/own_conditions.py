"""Conditions of a query on what users write: they are kept on each user's machine, and the server knows none."""

from __future__ import annotations

from collections.abc import Iterator

from litterm.core.errors import UsageError
from litterm.model.search import AllOf, AnyOf, Condition, Filters, NegatedCondition, Query, TextCondition


def refuse_own_conditions(query: Query) -> None:
    """Refuses conditions on tags, notes, decisions and projects: those on the server belong to whoever runs it.

    Raises:
        UsageError: the query asks for tags, notes, decisions or projects.
    """
    for condition in (query.filters, *query.conditions):
        for filters in _filters(condition):
            if filters.tags or filters.lists or filters.notes or filters.projects:
                raise UsageError(
                    "Tags, notes, decisions and projects are kept on your own machine, and a library on a server "
                    "cannot be searched by them; leave them out of the query."
                )


def _filters(condition: Condition) -> Iterator[Filters]:
    match condition:
        case Filters():
            yield condition
            for excluded in condition.without:
                yield from _filters(excluded)
        case NegatedCondition(inner):
            yield from _filters(inner)
        case AllOf(conditions) | AnyOf(conditions):
            for inner in conditions:
                yield from _filters(inner)
        case TextCondition():
            return
