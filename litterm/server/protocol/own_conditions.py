"""Conditions of a query on the user's own notes: the client resolves them, the server refuses them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from litterm.core.errors import UsageError
from litterm.model.paper import PaperId
from litterm.model.search import (
    AllOf,
    AnyOf,
    Condition,
    Filters,
    NegatedCondition,
    Query,
    TextCondition,
    nested_filters,
)

if TYPE_CHECKING:
    from litterm.search.filters.filters import PapersByTag


def refuse_own_conditions(query: Query) -> None:
    """Refuses conditions on tags, collections, notes, decisions and projects: those on the server are its operator's.

    Raises:
        UsageError: the query asks for tags, collections, notes, decisions or projects.
    """
    if any(filters.required_names for filters in nested_filters((query.filters, *query.conditions))):
        raise UsageError(
            "Tags, collections, notes, decisions and projects are kept on your own machine, where litterm resolves "
            "them; the server knows none of them, and no imports, so leave them out of the query."
        )


def resolve_own_conditions(query: Query, tagged: PapersByTag) -> Query:
    """`query` with the papers that `tagged` gives in the place of tags, collections, notes and the like."""
    return replace(
        query,
        filters=_resolve_filters(query.filters, tagged),
        conditions=tuple(_resolve_condition(condition, tagged) for condition in query.conditions),
        # The server has collections of its own.
        library_name=None,
    )


def restore_typed_conditions(answered: Query, typed: Query) -> Query:
    """The query of an answer with the conditions that were typed, of which the server had only the papers."""
    return replace(answered, filters=typed.filters, conditions=typed.conditions, library_name=typed.library_name)


def _resolve_condition(condition: Condition, tagged: PapersByTag) -> Condition:
    match condition:
        case Filters():
            return _resolve_filters(condition, tagged)
        case NegatedCondition(inner):
            return NegatedCondition(_resolve_condition(inner, tagged))
        case AllOf(conditions):
            return AllOf(tuple(_resolve_condition(inner, tagged) for inner in conditions))
        case AnyOf(conditions):
            return AnyOf(tuple(_resolve_condition(inner, tagged) for inner in conditions))
        case TextCondition():
            return condition


def _resolve_filters(filters: Filters, tagged: PapersByTag) -> Filters:
    papers = None if filters.papers is None else set(filters.papers)
    for names in filters.required_names:
        named: set[PaperId] = {paper_id for name in names for paper_id in tagged(name)}
        papers = named if papers is None else papers & named
    return replace(
        filters,
        tags=(),
        lists=(),
        notes=(),
        projects=(),
        imports=(),
        collections=(),
        annotated=False,
        papers=None if papers is None else tuple(sorted(papers)),
        without=tuple(_resolve_filters(excluded, tagged) for excluded in filters.without),
    )
