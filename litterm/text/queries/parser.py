"""The parser of the query language: what was typed, to a `Query`.

    pruning "language models" -survey -"data set" venue:acl,emnlp year:2019..2023 author:"Danqi Chen" has:fulltext
    (bert OR roberta) AND title:prun* NOT survey

Words are joined by *or* and ranked; phrases must occur and what a minus precedes must not; filters of one
field are joined by *or*, fields by *and*. `like:ID` finds papers like this one, `-like:ID` ranks them lower,
`year:~2016` lifts what is near a year without leaving anything out, `in:fulltext` searches full texts, too,
`cited:>50` keeps what is cited often, `sort:citations` puts that first. Whatever
is not plainly a filter is text: `Title: with colon`, `C++: a language`, an id or a URL searches for its words. In a
pasted text (a passage with a citation in it, or a long description) quotes and dashes are text as well.

With AND, OR, NOT and parentheses the query is a tree (`expression`): it decides which papers are in, and its words,
those behind a NOT left out, rank them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from litterm.core.errors import QueryError
from litterm.model.document import Span
from litterm.model.paper import PaperId
from litterm.model.search import (
    Condition,
    FilterChip,
    Filters,
    NegatedCondition,
    Query,
    QueryKind,
    SortOrder,
    TextCondition,
)
from litterm.text.queries.expression import (
    Joined,
    Leaf,
    Node,
    Not,
    condition_of,
    has_operators,
    has_top_level_operator,
    parse_expression,
    positive_items,
    remove_unfinished,
    text_condition,
    with_item,
)
from litterm.text.queries.fields import (
    FIELDS,
    TEXT_FIELDS,
    is_full_text,
    may_become_known,
    parse_soft_year,
    parse_sort_order,
    unknown_field_message,
)
from litterm.text.queries.items import QUOTE, QueryItem, is_prefix, items, split_words, strip_punctuation
from litterm.text.queries.query_kind import is_pasted
from litterm.text.request_limits import check_query, check_query_text

_LAST_WORD = re.compile(r"(?:(?P<head>.*[^\W_])[\W_]+)?(?P<tail>[^\W_]+)", re.DOTALL)


@dataclass(slots=True)
class _QueryBuilder:
    """The parts of a query while its text is read."""

    words: list[str] = field(default_factory=list)
    phrases: list[str] = field(default_factory=list)
    excluded: list[str] = field(default_factory=list)
    chips: list[FilterChip] = field(default_factory=list)
    filters: Filters = field(default_factory=Filters)
    conditions: list[Condition] = field(default_factory=list)
    beginnings: list[str] = field(default_factory=list)
    unfinished: str = ""
    soft_years: list[int] = field(default_factory=list)
    like: list[PaperId] = field(default_factory=list)
    unlike: list[PaperId] = field(default_factory=list)
    in_full_texts: bool = False
    sort: SortOrder | None = None


ASPECT_SEPARATOR = "||"
ASPECT_WEIGHT = re.compile(r"(?<!\s)[^\S\n]+[*×][^\S\n]?(\d{1,2}(?:\.\d{1,2})?)(?=[^\S\n]*(?:\|\||$))", re.MULTILINE)
"""`*2` at the end of an aspect sets its weight (`text.queries.aspects`) and is no word."""


def parse_query(text: str, *, finished: bool = True) -> Query:
    """`text` as a query.

    With `finished` false the last item, if no blank follows it, is still being typed: a word goes to
    `Query.unfinished`; a filter, an exclusion or an open quote has no effect yet and raises nothing.

    Raises:
        QueryError: an open quote, an unknown field, a value its field does not know, or more than a query may hold
            (`text.request_limits`), which is raised while it is being typed, too; nothing else.
    """
    check_query_text(text)
    builder = _QueryBuilder()
    # Of the same length, so that places in it are places in what was typed.
    has_aspects = ASPECT_SEPARATOR in text or "\n" in text
    searched = ASPECT_WEIGHT.sub(lambda weight: " " * len(weight[0]), text) if has_aspects else text
    if is_pasted(text):
        for item in items(searched):
            _take_pasted(builder, item, searched)
    elif has_operators(text):
        _take_tree(builder, searched, finished=finished)
        return _query_of(builder, text, kind="keywords")
    else:
        for item in items(searched):
            if not finished and _is_typed(item, searched):
                _take_typed(builder, item)
            else:
                _take(builder, item, searched)
    return _query_of(builder, text)


def _query_of(builder: _QueryBuilder, text: str, kind: QueryKind | None = None) -> Query:
    query = Query(
        text=text,
        words=tuple(builder.words),
        phrases=tuple(builder.phrases),
        excluded=tuple(builder.excluded),
        filters=builder.filters,
        conditions=tuple(builder.conditions),
        beginnings=tuple(builder.beginnings),
        chips=tuple(builder.chips),
        unfinished=builder.unfinished,
        kind=kind,
        soft_years=tuple(builder.soft_years),
        like=tuple(builder.like),
        unlike=tuple(builder.unlike),
        in_full_texts=builder.in_full_texts,
        sort=builder.sort,
    )
    check_query(query)
    return query


def _is_typed(item: QueryItem, text: str) -> bool:
    """Whether `item` may still be typed on."""
    return item.end == len(text) and not (item.quoted and item.closed)


def find_fault(text: str) -> QueryError | None:
    """What is wrong with a text that is still being typed, and where: an unknown filter, a value its filter does not
    know, an operator or a parenthesis that cannot be there.

    What may yet become right, as the beginning of a value does, is no fault.
    """
    try:
        check_query_text(text)
    except QueryError as error:
        return error
    if is_pasted(text):
        return None
    try:
        if has_operators(text):
            _take_tree(_QueryBuilder(), text, finished=False)
            return None
        for item in items(text):
            if item.field and item.value and item.closed and not (_is_typed(item, text) and _may_become_filter(item)):
                _take(_QueryBuilder(), item, text)
    except QueryError as error:
        return error
    return None


def _may_become_filter(item: QueryItem) -> bool:
    """Whether a filter that is still being typed can become one: its name is known, and so may be its value."""
    return item.field in FIELDS and may_become_known(item.field, item.value)


def pending_filter(text: str) -> str:
    """The filter at the end of a text being typed, which takes effect once it is finished; empty if there is none."""
    if is_pasted(text):
        return ""
    typed = [item for item in items(text) if item.field in FIELDS and item.value and _is_typed(item, text)]
    return text[typed[0].start :] if typed else ""


def find_open_part(text: str) -> Span | None:
    """The quote, parenthesis or operator that still waits for its other side, in a text that is being typed."""
    if is_pasted(text):
        return None
    quote = next((item for item in items(text) if not item.closed), None)
    if quote is not None:
        position = quote.end - len(quote.value) - 1
        return Span(position, position + 1)
    try:
        if has_operators(text):
            parse_expression(text)
    except QueryError as error:
        return Span(error.start, error.end)
    return None


def literal_query(text: str) -> Query:
    """`text` as words only: no phrases, exclusions or filters."""
    return Query(text=text, words=tuple(split_words(text)))


def free_text(query: Query) -> str:
    """What was typed without its filters."""
    pieces, position = [], 0
    for chip in query.chips:
        pieces.append(query.text[position : chip.span.start])
        position = chip.span.end
    return "".join((*pieces, query.text[position:])).strip()


def append_filters(text: str, filters: Iterable[tuple[str, str]]) -> str:
    """`text` with `field:value` appended for each pair, quoted if it holds blanks; for filters given as options.

    They hold for all of a query with operators.
    """
    added = [f"{name}:{_quote(value)}" for name, value in filters]
    query_text = f"({text.strip()})" if added and has_top_level_operator(text) else text.strip()
    return " ".join(part for part in (query_text, *added) if part)


def remove_filter(text: str, span: Span) -> str:
    """`text` without a chip and the blank next to it."""
    return f"{text[: span.start].rstrip()} {text[span.end :].lstrip()}".strip()


def replace_word(text: str, word: str, replacement: str) -> str:
    """`text` with every `word`, free or in a phrase, replaced by `replacement`."""
    pattern = re.compile(rf"(?<![^\W_]){re.escape(word)}(?![^\W_])", re.IGNORECASE)
    mended, position = [], 0
    for item in items(text):
        if not item.field and not item.minus:
            mended += [text[position : item.start], pattern.sub(lambda _: replacement, text[item.start : item.end])]
            position = item.end
    return "".join((*mended, text[position:]))


def _quote(value: str) -> str:
    bare = " ".join(QUOTE.sub(" ", value).split())
    return bare if bare and " " not in bare else f'"{bare}"'


def _take(builder: _QueryBuilder, item: QueryItem, text: str) -> None:
    if not item.closed:
        raise QueryError("This quote is not closed.", start=item.start, end=item.end)
    if item.field:
        _take_filter(builder, item, text)
        return
    bare = strip_punctuation(item.value)
    if not bare:
        return
    if item.minus:
        builder.excluded.append(bare)
        return
    if item.quoted:
        builder.phrases.append(bare)
    elif is_prefix(item.value):
        builder.conditions.append(TextCondition(bare, beginning=True))
    _take_words(builder, item)


def _take_words(builder: _QueryBuilder, item: QueryItem) -> None:
    """What ranks the papers."""
    if not item.quoted and is_prefix(item.value):
        builder.beginnings.append(strip_punctuation(item.value))
    else:
        builder.words += split_words(item.value)


def _take_filter(builder: _QueryBuilder, item: QueryItem, text: str) -> None:
    if item.field not in FIELDS:
        name_at = item.start + item.minus
        raise QueryError(unknown_field_message(item.field), start=name_at, end=name_at + len(item.field) + 1)
    if item.field in TEXT_FIELDS:
        condition = text_condition(item)
        if condition is not None:
            builder.conditions.append(NegatedCondition(condition) if item.minus else condition)
        if item.field != "keyword" and not item.minus:
            _take_words(builder, item)
    elif not _take_non_filter(builder, item):
        builder.filters = with_item(builder.filters, item)
    builder.chips.append(FilterChip(text[item.start : item.end], Span(item.start, item.end)))


def _take_tree(builder: _QueryBuilder, text: str, *, finished: bool) -> None:
    """Reads a query with operators; items side by side at its top level are read as in a query without operators."""
    tree = parse_expression(text, finished=finished)
    nodes = tree.nodes if isinstance(tree, Joined) and not tree.operator else () if tree is None else (tree,)
    for node in nodes:
        item = _plain_item(node, text)
        if item is None:
            _take_node(builder, node, text, finished=finished)
        elif not finished and _is_typed(item, text):
            _take_typed(builder, item)
        else:
            _take(builder, item, text)


def _plain_item(node: Node, text: str) -> QueryItem | None:
    """The item that `node` consists of, without operator or parenthesis; a minus may precede it."""
    match node:
        case Leaf(item) if text[item.start :].lower().startswith(item.field) and not _is_opening(text, item.start):
            return item
        case Not(Leaf(item), start) if text[start] == "-" and item.start == start + 1 and not _is_opening(text, start):
            return replace(item, start=start, minus=True)
        case _:
            return None


def _is_opening(text: str, position: int) -> bool:
    return text[:position].rstrip().endswith("(")


def _take_node(builder: _QueryBuilder, node: Node, text: str, *, finished: bool) -> None:
    def elsewhere(item: QueryItem, negated: bool) -> bool:
        return _take_non_filter(builder, replace(item, minus=negated))

    known: Node | None = node
    ranking: Node | None = node
    if not finished:
        # In the conditions a half-typed word stays as the beginning of words; for ranking it is `unfinished`, read
        # elsewhere.
        known, ranking = (remove_unfinished(node, len(text), begun=begun) for begun in (True, False))
        typed = next((item for item in positive_items(node) if _is_typed(item, text)), None)
        if typed is not None:
            _take_typed(builder, typed)
    condition = None if known is None else condition_of(known, elsewhere)
    if condition is not None:
        builder.conditions.append(condition)
    for item in () if ranking is None else positive_items(ranking):
        _take_words(builder, item)


def _take_non_filter(builder: _QueryBuilder, item: QueryItem) -> bool:
    """Takes `item` if it leaves nothing out: a paper that results should be like, a remembered year, the full texts."""
    if item.field == "like":
        if not item.value.strip():
            raise QueryError("like: needs the id of a paper, e.g. like:acl:P18-1001", start=item.start, end=item.end)
        papers = builder.unlike if item.minus else builder.like
        papers += [PaperId(value) for value in item.value.split(",") if value]
    elif item.field == "in":
        if item.minus or not is_full_text(item.value):
            raise QueryError("in: accepts only fulltext: in:fulltext", start=item.start, end=item.end)
        builder.in_full_texts = True
    elif item.field == "sort":
        _take_sort(builder, item)
    elif item.field == "year" and not item.minus and (year := parse_soft_year(item.value)):
        builder.soft_years.append(year)
    else:
        return False
    return True


def _take_sort(builder: _QueryBuilder, item: QueryItem) -> None:
    try:
        if item.minus:
            raise ValueError("sort: takes no minus; sort:oldest is the reverse of sort:newest")
        builder.sort = parse_sort_order(item.value.strip())
    except ValueError as error:
        raise QueryError(str(error), start=item.start, end=item.end) from None


def _take_pasted(builder: _QueryBuilder, item: QueryItem, text: str) -> None:
    """An item of a pasted text: a filter if it can be read as one, else words."""
    if item.field in FIELDS and not item.quoted:
        try:
            _take_filter(builder, item, text)
        # A colon in a pasted text is mostly punctuation.
        except QueryError:
            builder.words += split_words(text[item.start : item.end])
        return
    builder.words += split_words(text[item.start : item.end])


def _take_typed(builder: _QueryBuilder, item: QueryItem) -> None:
    """The item under the cursor."""
    if item.field or item.minus:
        return
    *before, last = re.split(r"\s+", item.value)
    builder.words += split_words(" ".join(before))
    match = _LAST_WORD.fullmatch(last)
    if match is None:
        builder.words += split_words(last)
        return
    builder.words += split_words(match["head"] or "")
    builder.unfinished = match["tail"]
