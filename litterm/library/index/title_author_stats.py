"""Titles and authors of a segment by year: counts for priors that must not see papers later than the citing one.

Words, pairs of words and authors are 32-bit hashes, so that all segments name them alike. A count up to a year
is two look-ups in a sorted array of `hash << 12 | year`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

import numpy as np
import numpy.typing as npt

from litterm.text.tokens import hash_pairs, hash_words

if TYPE_CHECKING:
    from litterm.library.index.build import RowCollector, TermMatrix

FACTS_FILE = "facts.pack"
"""Name of the file in a part's folder."""

_YEAR_BITS = np.uint64(12)

_Array = npt.NDArray[np.generic]
Hashes = npt.NDArray[np.uint32]


def fact_arrays(collected: RowCollector, terms: TermMatrix) -> dict[str, _Array]:
    """The arrays of `TitleAuthorIndex`, by name."""
    years = np.array([facts[0] for facts in collected.facts], np.uint64)
    words = hash_words(terms.stems)[terms.titles]
    rows = np.repeat(np.arange(len(collected.ids)), terms.title_lengths)
    # The last word of one title and the first of the next are no pair.
    is_same_row = rows[:-1] == rows[1:]
    authors = np.array(collected.people, np.uint32)
    return {
        "word": words,
        "word_starts": _starts(terms.title_lengths),
        "author": authors,
        "author_starts": _starts(collected.people_counts),
        "word_years": _sorted_keys(words, years, rows),
        "pair_years": _sorted_keys(hash_pairs(words[:-1], words[1:])[is_same_row], years, rows[:-1][is_same_row]),
        "author_years": _sorted_keys(authors, years, np.repeat(np.arange(len(collected.ids)), collected.people_counts)),
    }


class TitleAuthorIndex:
    """The title words and authors of one segment, by year; read-only, memory-mapped, shared by threads.

    Words, pairs and authors are hashes that all segments share.
    """

    def __init__(self, arrays: Mapping[str, _Array]) -> None:
        """`arrays` as `fact_arrays` names them."""
        self._arrays = arrays

    def words(self, rows: npt.NDArray[np.integer]) -> tuple[Hashes, npt.NDArray[np.int64]]:
        """Hashes of the title words of `rows`, one row after the other, and how many each has; no stop words."""
        return self._hashes_of_rows("word", rows)

    def authors(self, rows: npt.NDArray[np.integer]) -> tuple[Hashes, npt.NDArray[np.int64]]:
        """Hashes of the authors of `rows`, one row after the other, and how many each has."""
        return self._hashes_of_rows("author", rows)

    def titles_with(self, words: Hashes, until: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
        """How many titles of the year `until` (one a word) or earlier hold each word."""
        return self._count_until("word_years", words, until)

    def titles_with_pair(self, pairs: Hashes, until: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
        """The same for two words that follow one another, as `hash_pairs` names them."""
        return self._count_until("pair_years", pairs, until)

    def titles_with_pairs(
        self, pairs: Hashes, places: npt.NDArray[np.int64], until: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.int64]:
        """The same for the pair at each of `places` in `pairs`, which are ascending, and distinct.

        Faster where few of many pairs are here: only those are looked up by year.
        """
        keys = cast("npt.NDArray[np.uint64]", self._arrays["pair_years"])
        counts = np.zeros(len(places), np.int64)
        if not len(keys):
            return counts
        first = np.searchsorted(keys, _keys(pairs, np.ones(len(pairs), np.uint64)))
        is_here = keys[np.minimum(first, len(keys) - 1)] >> _YEAR_BITS == pairs
        here = np.flatnonzero(is_here[places])
        held = places[here]
        past = np.searchsorted(keys, _keys(pairs[held], until[here].astype(np.uint64) + np.uint64(1)))
        counts[here] = np.maximum(past - first[held], 0)
        return counts

    def papers_by(self, authors: Hashes, until: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
        """How many papers of the year `until` (one an author) or earlier each author wrote."""
        return self._count_until("author_years", authors, until)

    def _hashes_of_rows(self, name: str, rows: npt.NDArray[np.integer]) -> tuple[Hashes, npt.NDArray[np.int64]]:
        all_starts = self._arrays[f"{name}_starts"]
        starts = all_starts[rows].astype(np.int64)
        counts = all_starts[rows + 1].astype(np.int64) - starts
        ends = np.cumsum(counts)
        positions = np.arange(int(ends[-1]) if len(ends) else 0) + np.repeat(starts - (ends - counts), counts)
        return cast(Hashes, self._arrays[name])[positions], counts

    def _count_until(self, name: str, hashes: Hashes, until: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
        keys = self._arrays[name]
        # Unknown years are 0 and come before every year: they do not count.
        first = np.searchsorted(keys, _keys(hashes, np.ones(len(hashes), np.uint64)))
        past = np.searchsorted(keys, _keys(hashes, until.astype(np.uint64) + np.uint64(1)))
        counts: npt.NDArray[np.int64] = np.maximum(past - first, 0).astype(np.int64)
        return counts


def _starts(counts: Sequence[int] | npt.NDArray[np.int64]) -> npt.NDArray[np.int32]:
    starts = np.zeros(len(counts) + 1, np.int32)
    np.cumsum(counts, out=starts[1:])
    return starts


def _sorted_keys(hashes: Hashes, years: npt.NDArray[np.uint64], rows: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
    """Sorted `hash << 12 | year of the row`, each hash once a row."""
    if not len(hashes):
        return np.empty(0, np.uint64)
    keys = _keys(hashes, years[rows])
    order = np.lexsort((rows, keys))
    keys, rows = keys[order], rows[order]
    first = np.ones(len(keys), np.bool_)
    first[1:] = (keys[1:] != keys[:-1]) | (rows[1:] != rows[:-1])
    return keys[first]


def _keys(hashes: Hashes, years: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    keys: npt.NDArray[np.uint64] = (hashes.astype(np.uint64) << _YEAR_BITS) | years
    return keys
