"""Cuts an answer to a page: so many items of its list as fit, and no text or list in it longer than a reader needs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from litterm.core.errors import UsageError
from litterm.text.escape import plain_lines

if TYPE_CHECKING:
    from litterm.server.operations.operation import Body
    from litterm.server.operations.tools import LibraryTool

PAGE_CHARS = 24_000
"""Of JSON in one answer, about 6,000 tokens; one item may exceed it, up to its own limit."""
_FRAME_CHARS, _ITEM_CHARS = 6_000, 8_000
"""Of JSON in what stands around the list, and in one item of it."""
_FITS = ((4_000, 100), (1_000, 30), (300, 10), (100, 3), (40, 1))
"""Characters of a text and items of a list that are kept, tried one after the other until the whole fits."""
_EMPTY: tuple[object, ...] = (None, "", [], (), {})
_DIGEST_CHARS = 16
_WRONG_CURSOR = (
    "The cursor belongs to another call, or the library has changed since; call again without it, from the beginning."
)


@dataclass(frozen=True, slots=True)
class AnswerPage:
    """A part of an answer."""

    body: Body
    cursor: str
    """What asks for the next part; empty at the end."""
    left: int
    """Items behind this part."""
    shortened: int
    """Texts and lists that were cut."""


def cut_page(body: Body, tool: LibraryTool, cursor: str, call: str) -> AnswerPage:
    """The part of an answer that `cursor` asks for, the first where it is empty.

    `call` says which tool was called and with what. A cursor holds no state of a process: it names the place, and the
    call and the list that it was given for.

    Raises:
        UsageError: the cursor was given for another call, or for another list of items.
    """
    items_field = tool.items
    listed = body.get(items_field)
    items = [_without(item, tool.left_out) for item in listed] if isinstance(listed, list | tuple) else []
    start = _start_of(cursor, call, items) if cursor else 0
    cuts = _Cuts()
    frame = cuts.fit({name: value for name, value in body.items() if name != items_field}, _FRAME_CHARS)
    assert isinstance(frame, dict)
    if not items_field:
        return AnswerPage(frame, "", 0, cuts.count)
    shown: list[object] = []
    size = 0
    for item in items[start:]:
        counted = cuts.count
        fitted = cuts.fit(item, _ITEM_CHARS)
        size += _size(fitted)
        if shown and size > PAGE_CHARS:
            cuts.count = counted
            break
        shown.append(fitted)
    end = start + len(shown)
    left = len(items) - end
    return AnswerPage({**frame, items_field: shown}, f"{end}.{_digest(call, items)}" if left else "", left, cuts.count)


def _without(item: object, names: Collection[str]) -> object:
    return {name: value for name, value in item.items() if name not in names} if isinstance(item, Mapping) else item


def _start_of(cursor: str, call: str, items: Sequence[object]) -> int:
    place, _, digest = cursor.partition(".")
    # Compared before the place is read: what a stranger made up is no number of ours.
    if digest != _digest(call, items) or not (place.isascii() and place.isdigit() and len(place) < _DIGEST_CHARS):
        raise UsageError(_WRONG_CURSOR)
    return min(int(place), len(items))


def _digest(call: str, items: Sequence[object]) -> str:
    text = f"{call}\n{json.dumps(items, default=str)}"
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGEST_CHARS]


def _size(value: object) -> int:
    return len(json.dumps(value, ensure_ascii=False))


class _Cuts:
    """Makes foreign text harmless and counts what it shortens."""

    def __init__(self) -> None:
        self.count = 0

    def fit(self, value: object, most: int) -> object:
        """`value` with texts and lists as short as it takes to be at most `most` characters of JSON."""
        before = self.count
        for chars, items in _FITS:
            self.count = before
            fitted = self._shorten(value, chars, items)
            if _size(fitted) <= most:
                break
        return fitted

    def _shorten(self, value: object, chars: int, items: int) -> object:
        match value:
            case str():
                return self._shorten_text(value, chars)
            case Mapping():
                # What is empty says nothing, and would be a third of an answer.
                return {
                    plain_lines(str(name)): self._shorten(each, chars, items)
                    for name, each in value.items()
                    if each not in _EMPTY
                }
            case list() | tuple():
                self.count += len(value) > items
                return [self._shorten(each, chars, items) for each in value[:items]]
            case _:
                return value

    def _shorten_text(self, text: str, chars: int) -> str:
        # Cut before it is read through: the text may be megabytes.
        head = plain_lines(text[: chars + 1])
        if len(text) <= chars:
            return head
        self.count += 1
        return f"{head[:chars]} ... ({len(text) - chars:,} more characters)"
