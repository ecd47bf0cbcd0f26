"""What was typed to a `Query`: the one parser of the query language.

    pruning "language models" -survey -"data set" venue:acl,emnlp year:2019..2023 author:"Danqi Chen" has:fulltext

Words are joined by *or* and ranked; phrases must occur and what a minus precedes must not; filters of one
field are joined by *or*, fields by *and*. `like:ID` and `-like:ID` seek and shun papers like this one,
`year:~2016` lifts what is near a year without leaving anything out, `in:fulltext` searches full texts, too,
`cited:>50` keeps what is cited often, `sort:citations` puts that first. Whatever
is not plainly a filter is text: `Title: with colon`, `C++: a language`, an id or a URL searches for its words. In a
pasted text (a passage with a citation in it, or a long description) quotes and dashes are text as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from litterm.core.errors import QueryError
from litterm.model.document import Span
from litterm.model.paper import SCHEMES, PaperId
from litterm.model.search import Chip, Filters, Query, SortOrder
from litterm.text.queries.fields import (
    FIELDS,
    example_of,
    is_full_text,
    like_a_field,
    soft_year,
    sort_order,
    unknown_field,
    with_field,
)
from litterm.text.queries.query_kind import is_pasted

_QUOTES = '"“”„'
_QUOTE = re.compile(f"[{_QUOTES}]")
_BLANKS = re.compile(r"\s*")
_BARE = re.compile(r"\S*")
_FIELD = re.compile(r"([A-Za-z][A-Za-z_]*):")
# `std::vector` and `https://…` are text; so is an id, which somebody may paste.
_NO_VALUE = ":/\\"
_NO_FIELDS = frozenset({*SCHEMES, "http", "https", "ftp", "file", "mailto", "urn", "isbn", "issn"})
_A_TEXT = 12
"""Words from which on something was rather pasted than typed."""
_CORE = re.compile(r"[^\W_](?:.*[^\W_])?[+#]*", re.DOTALL)
_LAST_WORD = re.compile(r"(?:(?P<head>.*[^\W_])[\W_]+)?(?P<tail>[^\W_]+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Item:
    """One thing typed: a word, a phrase or a filter, with or without a minus."""

    start: int
    end: int
    value: str
    field: str = ""
    """As typed, lower case; empty for a word or a phrase."""
    minus: bool = False
    quoted: bool = False
    closed: bool = True
    """False for a quote that is still open at the end."""


@dataclass(slots=True)
class _Draft:
    """A query in the making."""

    words: list[str] = field(default_factory=list)
    phrases: list[str] = field(default_factory=list)
    excluded: list[str] = field(default_factory=list)
    chips: list[Chip] = field(default_factory=list)
    filters: Filters = field(default_factory=Filters)
    unfinished: str = ""
    soft_years: list[int] = field(default_factory=list)
    like: list[PaperId] = field(default_factory=list)
    unlike: list[PaperId] = field(default_factory=list)
    in_full_texts: bool = False
    sort: SortOrder | None = None


def parse_query(text: str, *, finished: bool = True) -> Query:
    """`text` as a query.

    With `finished` false the last item, if no blank follows it, is still being typed: a word goes to
    `Query.unfinished`; a filter, an exclusion or an open quote has no effect yet and raises nothing.

    Raises:
        QueryError: an open quote, an unknown field, or a value its field does not know; nothing else.
    """
    draft = _Draft()
    pasted = is_pasted(text)
    for item in _items(text):
        if pasted:
            _take_pasted(draft, item, text)
        elif not finished and item.end == len(text) and not (item.quoted and item.closed):
            _take_typed(draft, item)
        else:
            _take(draft, item, text)
    return Query(
        text=text,
        words=tuple(draft.words),
        phrases=tuple(draft.phrases),
        excluded=tuple(draft.excluded),
        filters=draft.filters,
        chips=tuple(draft.chips),
        unfinished=draft.unfinished,
        soft_years=tuple(draft.soft_years),
        like=tuple(draft.like),
        unlike=tuple(draft.unlike),
        in_full_texts=draft.in_full_texts,
        sort=draft.sort,
    )


def first_fault(text: str) -> str:
    """What is wrong with a text that is still being typed: an unknown filter, or a value its filter does not know.

    What may yet become right, as the beginning of a value does, is no fault; empty if there is none.
    """
    for item in () if is_pasted(text) else _items(text):
        if not item.field or not item.value or not item.closed:
            continue
        if item.field in FIELDS and item.end == len(text) and not item.quoted:
            continue
        try:
            _take(_Draft(), item, text)
        except QueryError as error:
            return str(error)
    return ""


def literal(text: str) -> Query:
    """`text` as nothing but words: no phrases, exclusions or filters."""
    return Query(text=text, words=tuple(_cores(text)))


def free_text(query: Query) -> str:
    """What was typed without its filters."""
    kept, at = [], 0
    for chip in query.chips:
        kept.append(query.text[at : chip.span.start])
        at = chip.span.end
    return "".join((*kept, query.text[at:])).strip()


def compose(text: str, filters: Iterable[tuple[str, str]]) -> str:
    """`text` with `field:value` appended for each pair, quoted if it holds blanks; for filters given as options."""
    return " ".join(part for part in (text.strip(), *(f"{name}:{_quote(value)}" for name, value in filters)) if part)


def without(text: str, span: Span) -> str:
    """`text` without a chip and the blank beside it."""
    return f"{text[: span.start].rstrip()} {text[span.end :].lstrip()}".strip()


def with_word(text: str, word: str, better: str) -> str:
    """`text` with `word`, wherever it stands as a free word or in a phrase, replaced by `better`."""
    pattern = re.compile(rf"(?<![^\W_]){re.escape(word)}(?![^\W_])", re.IGNORECASE)
    mended, at = [], 0
    for item in _items(text):
        if not item.field and not item.minus:
            mended += [text[at : item.start], pattern.sub(lambda _: better, text[item.start : item.end])]
            at = item.end
    return "".join((*mended, text[at:]))


def _quote(value: str) -> str:
    bare = " ".join(_QUOTE.sub(" ", value).split())
    return bare if bare and " " not in bare else f'"{bare}"'


def _items(text: str) -> Iterator[_Item]:
    at = _past_blanks(text, 0)
    while at < len(text):
        item = _item(text, at)
        yield item
        at = _past_blanks(text, item.end)


def _past_blanks(text: str, at: int) -> int:
    match = _BLANKS.match(text, at)
    return match.end() if match else at


def _item(text: str, start: int) -> _Item:
    minus = text[start] == "-" and text[start + 1 : start + 2].strip() not in ("", "-")
    at = start + minus
    name = _field_at(text, at)
    value = _value(text, at + len(name) + 1 if name else at)
    return replace(value, start=start, field=name.lower(), minus=minus)


def _field_at(text: str, at: int) -> str:
    """The name before a colon that makes a filter of what follows; empty if it is text."""
    match = _FIELD.match(text, at)
    if match is None:
        return ""
    name, first = match[1], text[match.end() : match.end() + 1]
    known = name.lower() in FIELDS
    if not first.strip():
        # "Source: a new data set" is a title; "venue: acl" is a filter that lost its value.
        return name if known and name.islower() else ""
    if first in _NO_VALUE:
        return ""
    return name if known or (name.islower() and len(name) > 1 and _is_slip(text, name)) else ""


def _is_slip(text: str, name: str) -> bool:
    """Whether `name` before a colon is more likely a field that does not exist than a word of a pasted text."""
    return name not in _NO_FIELDS and (len(text.split(maxsplit=_A_TEXT)) < _A_TEXT or like_a_field(name))


def _value(text: str, at: int) -> _Item:
    if text[at : at + 1] not in _QUOTES or at == len(text):
        match = _BARE.match(text, at)
        end = match.end() if match else at
        return _Item(at, end, text[at:end])
    close = _QUOTE.search(text, at + 1)
    if close is None:
        return _Item(at, len(text), text[at + 1 :], quoted=True, closed=False)
    return _Item(at, close.end(), text[at + 1 : close.start()], quoted=True)


def _take(draft: _Draft, item: _Item, text: str) -> None:
    if not item.closed:
        raise QueryError("This quote is not closed.", start=item.start, end=item.end)
    if item.field:
        _take_filter(draft, item, text)
        return
    core = _core(item.value)
    if not core:
        return
    if item.minus:
        draft.excluded.append(core)
        return
    if item.quoted:
        draft.phrases.append(core)
    draft.words += _cores(item.value)


def _take_filter(draft: _Draft, item: _Item, text: str) -> None:
    name_at = item.start + item.minus
    value_at = name_at + len(item.field) + 1
    if item.field not in FIELDS:
        raise QueryError(unknown_field(item.field), start=name_at, end=value_at)
    if _take_no_filter(draft, item):
        draft.chips.append(Chip(text[item.start : item.end], Span(item.start, item.end)))
        return
    whole = item.quoted or item.field == "author"
    values = [value for value in ([item.value] if whole else item.value.split(",")) if value.strip()]
    if not values:
        example = f"{item.field}:{example_of(item.field)}"
        raise QueryError(f"{item.field}: needs a value, e.g. {example}", start=item.start, end=item.end)
    for value in values:
        try:
            draft.filters = with_field(draft.filters, item.field, value.strip(), negated=item.minus)
        except ValueError as error:
            raise QueryError(str(error), start=value_at, end=item.end) from None
    draft.chips.append(Chip(text[item.start : item.end], Span(item.start, item.end)))


def _take_no_filter(draft: _Draft, item: _Item) -> bool:
    """Takes `item` if it leaves nothing out: a paper whose like is sought, a remembered year, the full texts."""
    if item.field == "like":
        if not item.value.strip():
            raise QueryError("like: needs the id of a paper, e.g. like:acl:P18-1001", start=item.start, end=item.end)
        papers = draft.unlike if item.minus else draft.like
        papers += [PaperId(value) for value in item.value.split(",") if value]
    elif item.field == "in":
        if item.minus or not is_full_text(item.value):
            raise QueryError("in: accepts only fulltext: in:fulltext", start=item.start, end=item.end)
        draft.in_full_texts = True
    elif item.field == "sort":
        _take_sort(draft, item)
    elif item.field == "year" and not item.minus and (year := soft_year(item.value)):
        draft.soft_years.append(year)
    else:
        return False
    return True


def _take_sort(draft: _Draft, item: _Item) -> None:
    try:
        if item.minus:
            raise ValueError("sort: takes no minus; sort:oldest is the reverse of sort:newest")
        draft.sort = sort_order(item.value.strip())
    except ValueError as error:
        raise QueryError(str(error), start=item.start, end=item.end) from None


def _take_pasted(draft: _Draft, item: _Item, text: str) -> None:
    """An item of a pasted text: a filter if it can be read as one, else words."""
    if item.field in FIELDS and not item.quoted:
        try:
            _take_filter(draft, item, text)
        except QueryError:
            draft.words += _cores(text[item.start : item.end])
        return
    draft.words += _cores(text[item.start : item.end])


def _take_typed(draft: _Draft, item: _Item) -> None:
    """The item under the cursor."""
    if item.field or item.minus:
        return
    *before, last = re.split(r"\s+", item.value)
    draft.words += _cores(" ".join(before))
    match = _LAST_WORD.fullmatch(last)
    if match is None:
        draft.words += _cores(last)
        return
    draft.words += _cores(match["head"] or "")
    draft.unfinished = match["tail"]


def _cores(text: str) -> list[str]:
    return [core for each in text.split() if (core := _core(each))]


def _core(text: str) -> str:
    """`text` without punctuation at its ends; what follows a letter in `C++` and `C#` stays."""
    match = _CORE.search(text)
    return match.group() if match else ""
