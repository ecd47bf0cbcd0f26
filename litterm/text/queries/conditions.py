"""Turns the tree of a query with operators into the conditions that a paper must meet."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import cast

from litterm.core.errors import QueryError
from litterm.model.search import AllOf, AnyOf, Condition, Filters, NegatedCondition, TextCondition, TextField
from litterm.text.queries.expression import Joined, Leaf, Node, Not
from litterm.text.queries.fields import FIELDS, TEXT_FIELDS, example_value, unknown_field_message, with_field
from litterm.text.queries.items import QueryItem, is_prefix, strip_punctuation
from litterm.text.tokens import words

TakeElsewhere = Callable[[QueryItem, bool], bool]
"""Takes what leaves no paper out (`sort:`, `like:` ...), negated or not; whether it was that."""


def condition_of(node: Node, take_elsewhere: TakeElsewhere, *, negated: bool = False) -> Condition | None:
    """What a paper must meet; `None` where any paper does.

    Raises:
        QueryError: an unknown field, or a value its field does not know.
    """
    match node:
        case Leaf(item):
            return leaf_condition(item, take_elsewhere, negated=negated)
        case Not(inner):
            condition = condition_of(inner, take_elsewhere, negated=not negated)
            return None if condition is None else NegatedCondition(condition)
        case Joined(operator, nodes) if operator == "":
            return _condition_of_siblings(nodes, take_elsewhere, negated)
        case Joined(operator, nodes):
            conditions = [condition_of(inner_node, take_elsewhere, negated=negated) for inner_node in nodes]
            known = tuple(condition for condition in conditions if condition is not None)
            return _join_conditions(known, AllOf if operator == "AND" else AnyOf)


def leaf_condition(item: QueryItem, take_elsewhere: TakeElsewhere, *, negated: bool = False) -> Condition | None:
    """What one word, phrase or filter asks of a paper; `None` where that is nothing.

    Raises:
        QueryError: an unknown field, or a value its field does not know.
    """
    if item.field and item.field not in FIELDS:
        raise QueryError(unknown_field_message(item.field), start=item.start, end=item.start + len(item.field) + 1)
    if item.field in ("", *TEXT_FIELDS):
        return text_condition(item)
    return None if take_elsewhere(item, negated) else with_item(Filters(), item)


def text_condition(item: QueryItem) -> TextCondition | None:
    """The words that `item` looks for; `None` where it has none.

    Raises:
        QueryError: a field without a value.
    """
    if item.field and not item.value.strip():
        raise _missing_value_error(item)
    text = strip_punctuation(item.value)
    if not words(text):
        return None
    field = cast("TextField", item.field)
    return TextCondition(text, field, exact=item.quoted, beginning=not item.quoted and is_prefix(item.value))


def with_item(filters: Filters, item: QueryItem) -> Filters:
    """`filters` with the values of `item`, of which one must be met.

    Raises:
        QueryError: a value its field does not know, or none.
    """
    value_at = item.start + item.minus + len(item.field) + 1
    # `author:"Chen, Danqi"` and `author:Chen,Danqi` are one name; in other fields commas stand between alternatives.
    needs_quotes = item.quoted or item.field == "author"
    values = [value for value in ([item.value] if needs_quotes else item.value.split(",")) if value.strip()]
    if not values:
        raise _missing_value_error(item)
    for value in values:
        try:
            filters = with_field(filters, item.field, value.strip(), negated=item.minus)
        except ValueError as error:
            raise QueryError(str(error), start=value_at, end=item.end) from None
    return filters


def positive_items(node: Node, *, negated: bool = False) -> Iterator[QueryItem]:
    """The words and phrases of `node` that a paper is to hold, in order."""
    match node:
        case Leaf(item):
            if not negated and item.field in ("", "title", "abstract"):
                yield item
        case Not(inner):
            yield from positive_items(inner, negated=not negated)
        case Joined(_, nodes):
            for inner_node in nodes:
                yield from positive_items(inner_node, negated=negated)


def _condition_of_siblings(nodes: tuple[Node, ...], take_elsewhere: TakeElsewhere, negated: bool) -> Condition | None:
    """Everything must be met; values of one field are alternatives, as they are in a query without operators."""
    filters, remaining = Filters(), list[Condition]()
    for node in nodes:
        condition = condition_of(node, take_elsewhere, negated=negated)
        if isinstance(node, Leaf) and isinstance(condition, Filters):
            filters = with_item(filters, node.item)
        elif condition is not None:
            remaining.append(condition)
    return _join_conditions((*remaining, filters) if filters != Filters() else tuple(remaining), AllOf)


def _join_conditions(conditions: tuple[Condition, ...], join: type[AllOf] | type[AnyOf]) -> Condition | None:
    if len(conditions) > 1:
        return join(conditions)
    return conditions[0] if conditions else None


def _missing_value_error(item: QueryItem) -> QueryError:
    example = f"{item.field}:{example_value(item.field)}"
    return QueryError(f"{item.field}: needs a value, e.g. {example}", start=item.start, end=item.end)
