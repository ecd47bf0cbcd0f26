"""Finds the rows that meet the conditions of a query with operators or text fields."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from litterm.model.search import AllOf, AnyOf, Condition, Filters, NegatedCondition, TextCondition
from litterm.search.filters.phrase_filter import PhraseFilter
from litterm.search.open_index import mask_of
from litterm.text.tokens import STOP_WORDS, has_signs, stem, words

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.interfaces import Library
    from litterm.library.index.segment_index import SegmentIndex
    from litterm.search.open_index import LiveRows, Mask, Rows

# Cached masks, each of one byte per paper.
_CACHE_SIZE = 32
MaskOfFilters = Callable[[Filters], "Mask | None"]
"""Gives the rows that pass filters; `None` where all do."""


class ConditionMasks:
    """Tests conditions on one snapshot; masks of text conditions are cached while a query is typed.

    Safe from any thread.
    """

    def __init__(self, live: LiveRows, library: Library, verifier: PhraseFilter) -> None:
        self._live = live
        self._library = library
        self._verifier = verifier
        self._known: dict[TextCondition, Mask | None] = {}

    def filter_rows(self, rows: Rows, conditions: tuple[Condition, ...], filtered: MaskOfFilters) -> Task[Rows]:
        """The `rows` that meet all of `conditions`."""
        for condition in conditions:
            mask = yield from self._mask(condition, filtered)
            rows = rows if mask is None else rows[mask[rows]]
        return rows

    def _mask(self, condition: Condition, filtered: MaskOfFilters) -> Task[Mask | None]:
        """The rows that meet `condition`; `None` where it has no effect, such as one of stop words alone."""
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
                return (yield from self._combine(conditions, np.logical_and, filtered))
            case AnyOf(conditions):
                return (yield from self._combine(conditions, np.logical_or, filtered))

    def _combine(self, conditions: tuple[Condition, ...], join: np.ufunc, filtered: MaskOfFilters) -> Task[Mask | None]:
        joined: Mask | None = None
        for condition in conditions:
            mask = yield from self._mask(condition, filtered)
            if mask is not None:
                joined = mask if joined is None else join(joined, mask)
        return joined

    def _text_mask(self, condition: TextCondition) -> Task[Mask | None]:
        if condition in self._known:
            return self._known[condition]
        mask = yield from self._compute_text_mask(condition)
        # Emptied as a whole: conditions still in use are added again at once.
        if len(self._known) >= _CACHE_SIZE:
            self._known.clear()
        self._known[condition] = mask
        return mask

    def _compute_text_mask(self, condition: TextCondition) -> Task[Mask | None]:
        if condition.place == "keyword":
            return self._keyword_mask(condition)
        if condition.exact and not condition.place and has_signs(condition.text):
            rows = yield from self._verifier.filter_rows(self._live.living, phrases=[condition.text], excluded=())
            return mask_of(self._live.size, rows)
        folded = words(condition.text)
        # Stop words are not in the index: alone they would match no paper, where all are meant.
        if not condition.exact and not condition.beginning and not any(word not in STOP_WORDS for word in folded):
            return None
        mask = np.zeros(self._live.size, np.bool_)
        for part, span in self._live.slices():
            mask[span] = _segment_mask(part, condition, folded)
        return mask

    def _keyword_mask(self, condition: TextCondition) -> Mask:
        # Keywords are not indexed: few papers have any, and they are read once a segment.
        mask = np.zeros(self._live.size, np.bool_)
        for segment, start in zip(self._live.snapshot.segments, self._live.offsets, strict=False):
            for row, keywords in self._library.keywords(segment).items():
                mask[start + row] = any(_matches_keyword(condition, keyword) for keyword in keywords)
        return mask


def can_match_without_words(condition: Condition) -> bool:
    """Whether papers without any word of `condition` may meet it, though it has words: `bert OR author:devlin`."""
    return _has_words(condition) and _is_met_without_words(condition)


def _has_words(condition: Condition) -> bool:
    match condition:
        case TextCondition():
            return True
        case AllOf(conditions) | AnyOf(conditions):
            return any(map(_has_words, conditions))
        case _:
            return False


def _is_met_without_words(condition: Condition) -> bool:
    """Whether papers that hold none of its words may meet it."""
    match condition:
        case TextCondition(place=place):
            return place == "keyword"
        case AllOf(conditions):
            return all(map(_is_met_without_words, conditions))
        case AnyOf(conditions):
            return any(map(_is_met_without_words, conditions))
        case _:
            return True


def _segment_mask(part: SegmentIndex, condition: TextCondition, folded: list[str]) -> Mask:
    """A mask over one segment: the rows that hold the words of `condition`."""
    mask = np.ones(part.count, np.bool_)
    if condition.exact:
        rows_by_word = [part.rows_with_phrase(folded, condition.place)]
    else:
        complete_words = folded[:-1] if condition.beginning else folded
        rows_by_word = [
            _rows_with_stem(part, stem(word), condition) for word in complete_words if word not in STOP_WORDS
        ]
        rows_by_word += [part.rows_with_prefix(folded[-1], condition.place)] if condition.beginning else []
    for rows in rows_by_word:
        mask &= mask_of(part.count, rows)
    return mask


def _rows_with_stem(part: SegmentIndex, term: str, condition: TextCondition) -> npt.NDArray[np.int32]:
    return part.rows_with_stem(term, condition.place) if condition.place else part.postings(term)[0]


def _matches_keyword(condition: TextCondition, keyword: str) -> bool:
    sought, keyword_words = words(condition.text), words(keyword)
    if condition.exact:
        return any(
            keyword_words[start : start + len(sought)] == sought
            for start in range(len(keyword_words) - len(sought) + 1)
        )
    complete_words = sought[:-1] if condition.beginning else sought
    begun = not condition.beginning or any(word.startswith(sought[-1]) for word in keyword_words)
    return begun and {stem(word) for word in complete_words} <= {stem(word) for word in keyword_words}
