"""Finds the rows that meet the conditions of a query with operators or text fields."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from litterm.model.search import AllOf, AnyOf, Condition, Filters, NegatedCondition, TextCondition
from litterm.search.filters.phrase_filter import Verifier
from litterm.text.phrases import has_signs
from litterm.text.tokens import STOP_WORDS, stem, words

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.interfaces import Library
    from litterm.library.index.segment_index import SegmentIndex
    from litterm.search.open_index import LiveRows, Mask, Rows

# Masks kept, each a byte a paper.
_REMEMBERED = 32
FilterMask = Callable[[Filters], "Mask | None"]
"""Filters to the rows that pass them; `None`: all do."""


class ConditionMasks:
    """Conditions on one snapshot; those on texts are kept, so that a query being typed is tested once.

    Safe from any thread.
    """

    def __init__(self, live: LiveRows, library: Library, verifier: Verifier) -> None:
        self._live = live
        self._library = library
        self._verifier = verifier
        self._known: dict[TextCondition, Mask | None] = {}

    def passing(self, rows: Rows, conditions: tuple[Condition, ...], filtered: FilterMask) -> Task[Rows]:
        """Those of `rows` that meet all of `conditions`."""
        for condition in conditions:
            mask = yield from self._mask(condition, filtered)
            rows = rows if mask is None else rows[mask[rows]]
        return rows

    def _mask(self, condition: Condition, filtered: FilterMask) -> Task[Mask | None]:
        """The rows that meet `condition`; `None` where it says nothing, as one of stop words does."""
        match condition:
            case Filters():
                mask = filtered(condition)
                return np.ones(self._live.size, np.bool_) if mask is None else mask
            case TextCondition():
                return (yield from self._text_mask(condition))
            case NegatedCondition(inner):
                mask = yield from self._mask(inner, filtered)
                return None if mask is None else ~mask
            case AllOf(conditions):
                return (yield from self._joined(conditions, np.logical_and, filtered))
            case AnyOf(conditions):
                return (yield from self._joined(conditions, np.logical_or, filtered))

    def _joined(self, conditions: tuple[Condition, ...], join: np.ufunc, filtered: FilterMask) -> Task[Mask | None]:
        joined: Mask | None = None
        for condition in conditions:
            mask = yield from self._mask(condition, filtered)
            if mask is not None:
                joined = mask if joined is None else join(joined, mask)
        return joined

    def _text_mask(self, condition: TextCondition) -> Task[Mask | None]:
        if condition in self._known:
            return self._known[condition]
        mask = yield from self._read_mask(condition)
        # Emptied as a whole: what is typed on is asked for again at once.
        if len(self._known) >= _REMEMBERED:
            self._known.clear()
        self._known[condition] = mask
        return mask

    def _read_mask(self, condition: TextCondition) -> Task[Mask | None]:
        if condition.place == "keyword":
            return self._by_keywords(condition)
        if condition.exact and not condition.place and has_signs(condition.text):
            rows = yield from self._verifier.passing(self._live.living, phrases=[condition.text], excluded=())
            return self._marked(rows)
        folded = words(condition.text)
        # Stop words are not in the index; alone they would let in no paper, where all are meant.
        if not condition.exact and not condition.beginning and not any(word not in STOP_WORDS for word in folded):
            return None
        mask = np.zeros(self._live.size, np.bool_)
        for part, span in self._live.slices():
            mask[span] = _held_by(part, condition, folded)
        return mask

    def _by_keywords(self, condition: TextCondition) -> Mask:
        # Keywords are in no index: few papers have any, and those are read once a segment.
        mask = np.zeros(self._live.size, np.bool_)
        for segment, start in zip(self._live.snapshot.segments, self._live.offsets, strict=False):
            for row, keywords in self._library.keywords(segment).items():
                mask[start + row] = any(_in_keyword(condition, keyword) for keyword in keywords)
        return mask

    def _marked(self, rows: Rows) -> Mask:
        mask = np.zeros(self._live.size, np.bool_)
        mask[rows] = True
        return mask


def lets_in_without_words(condition: Condition) -> bool:
    """Whether `condition` names words, but papers may meet it without any of them: `bert OR author:devlin`."""
    return _names_words(condition) and _is_open(condition)


def _names_words(condition: Condition) -> bool:
    match condition:
        case TextCondition():
            return True
        case AllOf(conditions) | AnyOf(conditions):
            return any(map(_names_words, conditions))
        case _:
            return False


def _is_open(condition: Condition) -> bool:
    """Whether papers may meet it that hold none of its words."""
    match condition:
        case TextCondition(place=place):
            return place == "keyword"
        case AllOf(conditions):
            return all(map(_is_open, conditions))
        case AnyOf(conditions):
            return any(map(_is_open, conditions))
        case _:
            return True


def _held_by(part: SegmentIndex, condition: TextCondition, folded: list[str]) -> Mask:
    """Which rows of one segment hold the words of `condition`."""
    mask = np.ones(part.count, np.bool_)
    if condition.exact:
        rows_by_word = [part.rows_with_phrase(folded, condition.place)]
    else:
        whole = folded[:-1] if condition.beginning else folded
        rows_by_word = [_rows_of(part, stem(word), condition) for word in whole if word not in STOP_WORDS]
        rows_by_word += [part.rows_with_prefix(folded[-1], condition.place)] if condition.beginning else []
    for rows in rows_by_word:
        holding = np.zeros(part.count, np.bool_)
        holding[rows] = True
        mask &= holding
    return mask


def _rows_of(part: SegmentIndex, term: str, condition: TextCondition) -> npt.NDArray[np.int32]:
    return part.rows_with_stem(term, condition.place) if condition.place else part.postings(term)[0]


def _in_keyword(condition: TextCondition, keyword: str) -> bool:
    sought, keyword_words = words(condition.text), words(keyword)
    if condition.exact:
        return any(
            keyword_words[start : start + len(sought)] == sought
            for start in range(len(keyword_words) - len(sought) + 1)
        )
    whole = sought[:-1] if condition.beginning else sought
    begun = not condition.beginning or any(word.startswith(sought[-1]) for word in keyword_words)
    return begun and {stem(word) for word in whole} <= {stem(word) for word in keyword_words}
