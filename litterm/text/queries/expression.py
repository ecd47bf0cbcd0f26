"""Parses a query with operators into a tree, and the tree into the conditions that a paper must meet.

    (bert OR "language model") AND pars* NOT title:survey

What stands side by side belongs together and binds tighter than AND, AND tighter than OR; NOT and a minus belong to
the next word, phrase, filter or parenthesis. A field before a parenthesis holds for every word in it. Operators are
capital letters; `and`, `or` and `not` are words, and so is everything in a question, a pasted text or a heading in
capitals.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias, cast

from litterm.core.errors import QueryError
from litterm.model.search import AllOf, AnyOf, Condition, Filters, NegatedCondition, TextCondition, TextField
from litterm.text.queries.fields import FIELDS, TEXT_FIELDS, example_value, unknown_field_message, with_field
from litterm.text.queries.items import (
    QUOTE,
    QUOTES,
    QueryItem,
    is_prefix,
    read_field,
    read_item,
    skip_blanks,
    strip_punctuation,
)
from litterm.text.tokens import STOP_WORDS, words

Operator = Literal["AND", "OR", "NOT"]
OPERATORS: tuple[Operator, ...] = ("AND", "OR", "NOT")
_INNER_PARENTHESIS = re.compile(r"[^\s(]\(")
"""A parenthesis within a word."""
_MAY_GROUP = re.compile(r"\b(?:AND|OR|NOT)\b|[a-z]:\(")
_MAX_DEPTH = 30
"""Parentheses and NOTs within each other; nobody types as many, and a pasted thousand must not exhaust the stack."""
TakeElsewhere = Callable[[QueryItem, bool], bool]
"""Takes what leaves no paper out (`sort:`, `like:` ...), negated or not; whether it was that."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """A word, a phrase, or a filter with one value."""

    item: QueryItem


@dataclass(frozen=True, slots=True)
class Not:
    """What must not be."""

    node: Node
    start: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Joined:
    """Nodes that AND or OR joins, or, with an empty operator, that are side by side."""

    operator: Literal["AND", "OR", ""]
    nodes: tuple[Node, ...]


Node: TypeAlias = "Leaf | Not | Joined"
_Operand: TypeAlias = Callable[[], "Node | None"]
# Words side by side bind closest: `deep learning OR parsing` has two sides.
_PRECEDENCE = {"OR": 0, "AND": 1, "": 2}


@dataclass(frozen=True, slots=True)
class _Token:
    """A parenthesis, an operator, a field before a parenthesis, or an item."""

    kind: Literal["(", ")", "AND", "OR", "NOT", "field", "item"]
    start: int
    end: int
    item: QueryItem | None = None
    name: str = ""


def has_operators(text: str) -> bool:
    """Whether `text` is more than words and filters side by side."""
    # A question may shout (`Is BERT NOT enough?`); nobody ends a Boolean query with a question mark.
    if _MAY_GROUP.search(text) is None or text.rstrip().endswith("?"):
        return False
    tokens = _tokenize(text)
    if any(token.kind == "field" for token in tokens):
        return True
    return any(token.kind in OPERATORS for token in tokens) and not _is_title_in_capitals(tokens)


def parse_expression(text: str, *, finished: bool = True) -> Node | None:
    """The tree of `text`; `None` where nothing is in it.

    With `finished` false, what may yet come is no fault: an operand behind an operator, or a closing parenthesis.

    Raises:
        QueryError: an operator without something on both of its sides, or a parenthesis without its other half.
    """
    return _Parser(text, finished=finished).parse_all()


def format_expression(node: Node) -> str:
    """`node` as `parse_expression` reads it."""
    match node:
        case Leaf(item):
            value = f'"{item.value}"' if item.quoted else item.value
            return f"{item.field}:{value}" if item.field else value
        case Not(inner):
            return f"NOT {_format_operand(inner, 3)}"
        case Joined(operator, nodes):
            blank = f" {operator} " if operator else " "
            return blank.join(_format_operand(inner_node, _PRECEDENCE[operator] + 1) for inner_node in nodes)


def has_top_level_operator(text: str) -> bool:
    """Whether AND or OR stands outside of all parentheses, so that what is appended would join its last side."""
    if not has_operators(text):
        return False
    try:
        node = parse_expression(text, finished=False)
    except QueryError:
        return False
    return isinstance(node, Joined) and bool(node.operator)


def remove_unfinished(node: Node, end: int, *, begun: bool) -> Node | None:
    """`node` without the item that ends at `end` and is still being typed; `None` where nothing is left.

    With `begun` a word stays as the beginning of words, unless it is one that must not be.
    """
    match node:
        case Leaf(item) if item.end == end and not (item.quoted and item.closed):
            stays = begun and not item.field and not item.quoted and is_prefix(f"{item.value}*")
            begins = Leaf(replace(item, value=f"{item.value}*"))
            return Joined("OR", (node, begins)) if stays else None
        case Leaf():
            return node
        case Not(inner, start):
            rest = remove_unfinished(inner, end, begun=False)
            return None if rest is None else Not(rest, start)
        case Joined(operator, nodes):
            remaining = [
                rest
                for rest in (remove_unfinished(inner_node, end, begun=begun) for inner_node in nodes)
                if rest is not None
            ]
            return Joined(operator, tuple(remaining)) if len(remaining) > 1 else remaining[0] if remaining else None


def _format_operand(node: Node, least: int) -> str:
    binds = _PRECEDENCE[node.operator] if isinstance(node, Joined) else 3
    text = format_expression(node)
    if binds >= least:
        return text
    # Behind a word with a parenthesis of its own, `f(x`, the one that closes the group stands apart.
    return f"({text} )" if _INNER_PARENTHESIS.search(text) else f"({text})"


def _tokenize(text: str) -> list[_Token]:
    found_tokens: list[_Token] = []
    position = skip_blanks(text, 0)
    while position < len(text):
        token = _read_token(text, position)
        found_tokens.append(token)
        position = skip_blanks(text, token.end)
    return found_tokens


def _read_token(text: str, position: int) -> _Token:
    match text[position]:
        case "(":
            return _Token("(", position, position + 1)
        case ")":
            return _Token(")", position, position + 1)
        case _:
            pass
    for operator in OPERATORS:
        end = position + len(operator)
        # `ORACLE` begins with an operator, too: a blank, a parenthesis or a quote has to follow.
        if text.startswith(operator, position) and text[end : end + 1].strip() in ("", "(", ")", *QUOTES):
            return _Token(operator, position, end)
    if text.startswith("-(", position):
        return _Token("NOT", position, position + 1)
    name_at = position + (text[position] == "-" and text[position + 1 : position + 2].isalpha())
    name = read_field(text, name_at, grouped=True)
    # `title:(a OR b)`: the field goes over to every word of the group.
    if name.lower() in FIELDS and text.startswith(":(", name_at + len(name)):
        return _Token("field", position, name_at + len(name) + 1, name=name.lower())
    item = read_item(text, position, grouped=True)
    return _Token("item", position, item.end, item=item)


def _is_title_in_capitals(tokens: Sequence[_Token]) -> bool:
    """Whether all is in capitals and some of it is no matter to search for, as in ATTENTION IS NOT ALL YOU NEED."""
    words = [token.item.value for token in tokens if token.item is not None and not token.item.field]
    is_uppercase = all(word.upper() == word for word in words)
    return is_uppercase and any(
        strip_punctuation(word).lower() in STOP_WORDS and strip_punctuation(word).isalpha() for word in words
    )


class _Parser:
    """Reads one text from left to right."""

    def __init__(self, text: str, *, finished: bool) -> None:
        self._text = text
        self._tokens = _tokenize(text)
        self._finished = finished
        self._at = 0
        self._depth = 0

    def parse_all(self) -> Node | None:
        """The tree of everything."""
        node = self._or()
        if (token := self._next) is not None:
            # Whatever else there is has been read.
            raise QueryError("there is no opening parenthesis for this one", start=token.start, end=token.end)
        return node

    @property
    def _next(self) -> _Token | None:
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def _takes(self, kind: str) -> _Token | None:
        token = self._next
        if token is None or token.kind != kind:
            return None
        self._at += 1
        return token

    def _or(self) -> Node | None:
        return self._parse_operands("OR", lambda: self._parse_operands("AND", self._side))

    def _parse_operands(self, operator: Literal["AND", "OR"], operand: _Operand) -> Node | None:
        first = operand()
        nodes = [first] if first is not None else []
        while (token := self._takes(operator)) is not None:
            if not nodes:
                raise _missing_operand_error(token, "before")
            node = operand()
            if node is not None:
                nodes.append(node)
            elif self._finished or self._next is not None:
                raise _missing_operand_error(token, "after")
        return Joined(operator, tuple(nodes)) if len(nodes) > 1 else nodes[0] if nodes else None

    def _side(self) -> Node | None:
        nodes: list[Node] = []
        while (node := self._parse_negation()) is not None:
            nodes.append(node)
        return Joined("", tuple(nodes)) if len(nodes) > 1 else nodes[0] if nodes else None

    def _parse_negation(self) -> Node | None:
        token = self._takes("NOT")
        if token is None:
            return self._single()
        with _Nested(self, token):
            node = self._parse_negation()
        if node is None and (self._finished or self._next is not None):
            raise _missing_operand_error(token, "after")
        return None if node is None else Not(node, token.start)

    def _single(self) -> Node | None:
        if (token := self._takes("item")) is not None and token.item is not None:
            if self._finished and not token.item.closed:
                raise QueryError("This quote is not closed.", start=token.start, end=token.end)
            return _leaf(token.item)
        if (token := self._takes("field")) is not None:
            group = self._group()
            minus = self._text[token.start] == "-"
            node = None if group is None else _with_field(group, token.name)
            return Not(node, token.start) if minus and node is not None else node
        token = self._next
        return self._group() if token is not None and token.kind == "(" else None

    def _group(self) -> Node | None:
        token = self._takes("(")
        if token is None:
            return None
        with _Nested(self, token):
            node = self._or()
        if self._takes(")") is None:
            if self._finished:
                raise QueryError("a closing parenthesis is missing", start=token.start, end=token.end)
            return node
        if node is None:
            raise QueryError("there is nothing between these parentheses", start=token.start, end=self._end)
        return node

    @property
    def _end(self) -> int:
        return self._tokens[self._at - 1].end

    def deeper(self, token: _Token) -> None:
        """Goes one level down.

        Raises:
            QueryError: that is too deep.
        """
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise QueryError(f"more than {_MAX_DEPTH} levels of parentheses", start=token.start, end=token.end)

    def higher(self) -> None:
        """Comes one level up."""
        self._depth -= 1


class _Nested:
    """One level further down while it lasts."""

    def __init__(self, parser: _Parser, token: _Token) -> None:
        self._parser = parser
        self._token = token

    def __enter__(self) -> None:
        self._parser.deeper(self._token)

    def __exit__(self, *_error: object) -> None:
        self._parser.higher()


def _missing_operand_error(token: _Token, side: Literal["before", "after"]) -> QueryError:
    word = "-" if token.end - token.start == 1 else token.kind
    message = f"{word} needs something {side} it; to search for the word itself, put it in quotes"
    return QueryError(message, start=token.start, end=token.end)


def _leaf(item: QueryItem) -> Node:
    if not item.minus:
        return Leaf(item)
    bare = replace(item, minus=False, start=item.start + 1)
    # A minus leaves out the word as it is, NOT its other forms, too.
    return Not(Leaf(bare if bare.field else _as_quoted(bare)), item.start)


def _as_quoted(item: QueryItem) -> QueryItem:
    return replace(item, value=strip_punctuation(QUOTE.sub(" ", item.value)), quoted=True)


def _with_field(node: Node, name: str) -> Node:
    """`node` with each of its words looked for in the field `name`."""
    match node:
        case Leaf(item):
            plain = item.quoted or item.value[:1].isalnum()
            return node if item.field else Leaf(replace(item if plain else _as_quoted(item), field=name))
        case Not(inner, start):
            return Not(_with_field(inner, name), start)
        case Joined(operator, nodes):
            return Joined(operator, tuple(_with_field(inner_node, name) for inner_node in nodes))


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
