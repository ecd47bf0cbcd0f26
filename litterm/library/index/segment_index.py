"""One segment's index, mapped or in memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, cast

import numpy as np
import numpy.typing as npt

from litterm.library.index.array_file import SortedStrings
from litterm.library.index.bm25_weights import TYPICAL_LENGTH
from litterm.model.index import FilterColumns
from litterm.model.paper import PaperId
from litterm.text.tokens import stem, stems

if TYPE_CHECKING:
    from litterm.library.index.bm25_weights import Postings
    from litterm.model.search import TextField

_Array = npt.NDArray[np.generic]
_COLUMN_NAMES = tuple(FilterColumns.__slots__)
_NO_ROWS = np.empty(0, np.int32)
_NO_WEIGHTS = np.empty(0, np.float32)


class SegmentIndex:
    """One segment's lexical index and its filter columns; read-only and shared by threads.

    Its words are those of titles and abstracts as they are there.
    """

    def __init__(
        self, arrays: Mapping[str, _Array], postings: Postings, average_length: float = TYPICAL_LENGTH
    ) -> None:
        """`arrays` as named by `collect.build_arrays`; `postings` were made with `average_length`, in stems."""
        self.count = int(arrays["count"][0])
        self.columns = _filter_columns(arrays, self.count)
        self.average_length = average_length
        self._arrays = arrays
        self._rows, self._weights = postings.rows, postings.weights
        self._starts = postings.starts.data
        self._stems = SortedStrings.from_arrays(arrays, "stem")
        self._words = SortedStrings.from_arrays(arrays, "word")
        self._ids = SortedStrings.from_arrays(arrays, "id")
        self._venues = SortedStrings.from_arrays(arrays, "venue")

    def postings(self, term: str) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]:
        """Rows holding the stem `term`, ascending, with their idf-free BM25 weights; both may be empty."""
        place = self._stems.find(term)
        if place < 0:
            return _NO_ROWS, _NO_WEIGHTS
        start, end = self._starts[place], self._starts[place + 1]
        return self._rows[start:end], self._weights[start:end]

    def stems(self) -> tuple[Sequence[str], npt.NDArray[np.int64]]:
        """All stems of titles and abstracts, sorted, and how many rows hold each."""
        starts = np.asarray(self._starts, np.int64)
        return self._stems.slice(range(len(self._stems))), starts[1:] - starts[:-1]

    @property
    def stem_total(self) -> int:
        """How many stems all titles and abstracts have together, repeats included."""
        return int(self._word_counts().sum(dtype=np.int64))

    def stem_total_at(self, rows: npt.NDArray[np.integer]) -> int:
        """As `stem_total`, of `rows` alone."""
        return int(np.count_nonzero(self._word_counts()[self.texts(rows)[0]]))

    def title_postings(self, term: str) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]:
        """Rows with the stem `term` in their title, ascending, with their idf-free BM25 weights of the title alone."""
        place = self._stems.find(term)
        # An index of an older litterm has no postings of titles alone.
        if place < 0 or "title_starts" not in self._arrays:
            return _NO_ROWS, _NO_WEIGHTS
        start, end = self._arrays["title_starts"][place : place + 2].tolist()
        rows, weights = self._arrays["title_rows"][start:end], self._arrays["title_weights"][start:end]
        return cast("npt.NDArray[np.int32]", rows), cast("npt.NDArray[np.float32]", weights)

    def titles_starting_with(self, word: str) -> npt.NDArray[np.int32]:
        """Rows whose title starts with the folded `word`, ascending."""
        rows, place = self.title_postings(stem(word))[0], self._words.find(word)
        if not len(rows) or place < 0:
            return _NO_ROWS
        first_words = self._arrays["text"][self._arrays["text_starts"][rows]]
        return rows[np.flatnonzero(first_words == place)]

    def expand(self, prefix: str, limit: int) -> tuple[tuple[str, int], ...]:
        """Surface words that start with `prefix`, with their frequency, the most frequent first."""
        places = self._words.with_prefix(prefix)
        counts = self._word_counts()[places.start : places.stop]
        # A stable sort over places in alphabetical order settles ties by the word.
        best = np.argsort(-counts, kind="stable")[:limit].tolist()
        return tuple((self._words.at(places[index]), int(counts[index])) for index in best if counts[index])

    def similar_words(self, word: str, slips: int) -> tuple[tuple[str, int], ...]:
        """Surface words with the first letter of `word` that may be up to `slips` slips away, with their frequency."""
        candidates = self._words.similar(word, self._words.with_prefix(word[:1]), slips)
        counts = self._word_counts()[candidates].tolist()
        return tuple(zip(self._words.at_all(candidates.tolist()), counts, strict=True))

    def rows_with_phrase(self, phrase: Sequence[str], place: TextField = "") -> npt.NDArray[np.int32]:
        """Rows with the folded words of `phrase` one right after the other in title or abstract, ascending.

        With a `place` in the title or in the abstract alone.
        """
        places = [self._words.find(word) for word in phrase]
        if not places or min(places) < 0:
            return _NO_ROWS
        text, counts = self._arrays["text"], self._word_counts()
        # The rarest word leaves the fewest places to look around.
        rarest = min(range(len(places)), key=lambda index: counts[places[index]] or len(text))
        positions = np.flatnonzero(text == text.dtype.type(places[rarest])) - rarest
        positions = positions[(positions >= 0) & (positions + len(places) <= len(text))]
        # What runs over the end of a title or an abstract falls out here: a break is there, which no phrase holds.
        for offset, word in enumerate(places):
            positions = positions[text[positions + offset] == word]
        return self._rows_at(positions, place)

    def rows_with_prefix(self, prefix: str, place: TextField = "") -> npt.NDArray[np.int32]:
        """Rows with a word in title or abstract that starts with `prefix` (folded), or in `place` alone, ascending.

        A pass over all words of the segment, 15 ms for 109,000 papers.
        """
        words, text = self._words.with_prefix(prefix), cast("npt.NDArray[np.int32]", self._arrays["text"])
        if not len(words):
            return _NO_ROWS
        first, last = text.dtype.type(words.start), text.dtype.type(words.stop - 1)
        return self._rows_at(np.flatnonzero((text >= first) & (text <= last)), place)

    def rows_with_stem(self, term: str, place: TextField) -> npt.NDArray[np.int32]:
        """Rows with a word of the stem `term` in the title, or in the abstract, ascending."""
        if place == "title" and "title_starts" in self._arrays:
            return self.title_postings(term)[0]
        # Stemming changes the last letters only.
        candidates = self._words.with_prefix(term[: max(1, len(term) - 3)])
        of_the_stem = np.zeros(len(self._words), np.bool_)
        of_the_stem[candidates.start : candidates.stop] = [
            formed_stem == term for formed_stem in stems(self._words.slice(candidates))
        ]
        return self._rows_at(np.flatnonzero(of_the_stem[self._arrays["text"]]), place)

    def _rows_at(self, positions: npt.NDArray[np.integer], place: TextField) -> npt.NDArray[np.int32]:
        """The rows of places in the text, those outside of the title or the abstract left out."""
        rows = np.searchsorted(self._arrays["text_starts"], positions, side="right") - 1
        if place:
            in_title = positions < self._title_ends[rows]
            rows = rows[in_title if place == "title" else ~in_title]
        return np.unique(rows).astype(np.int32)

    @cached_property
    def _title_ends(self) -> npt.NDArray[np.int64]:
        """Where the title of each row ends in the text."""
        text, starts = self._arrays["text"], self._arrays["text_starts"]
        breaks = np.flatnonzero(text == text.dtype.type(self._words.find("")))
        return breaks[np.searchsorted(breaks, starts[:-1])]

    def texts(self, rows: npt.NDArray[np.integer]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The words of titles and abstracts at `rows`, row after row, as places for `word`, and how many a row."""
        starts, text = cast("npt.NDArray[np.int32]", self._arrays["text_starts"]), self._arrays["text"]
        first, past = starts[rows], starts[rows + 1]
        runs = [text[start:end] for start, end in zip(first.tolist(), past.tolist(), strict=True)] or [text[:0]]
        return np.concatenate(runs).astype(np.int64), (past - first).astype(np.int64)

    def word(self, place: int) -> str:
        """The folded word at `place`; empty for the break between title and abstract."""
        return self._words.at(place)

    @property
    def word_count(self) -> int:
        """How many places there are."""
        return len(self._words)

    def ids(self, rows: Sequence[int]) -> tuple[PaperId, ...]:
        """The paper ids at `rows`, in that order."""
        order = self.columns.id_order
        return tuple(PaperId(self._ids.at(int(order[row]))) for row in rows)

    def rows_of(self, ids: Iterable[PaperId]) -> npt.NDArray[np.int32]:
        """The rows of those `ids` that are here, ascending."""
        places = self._ids.find_all(tuple(ids))
        return np.sort(cast("npt.NDArray[np.int32]", self._arrays["id_row"])[places[places >= 0]])

    def row_of_each(self, ids: Sequence[PaperId]) -> npt.NDArray[np.int64]:
        """The row of each of `ids`, in their order; -1 for one that is not here. Many cost little more than one."""
        places = self._ids.find_all(ids)
        rows = np.full(len(places), -1, np.int64)
        rows[places >= 0] = self._arrays["id_row"][places[places >= 0]]
        return rows

    def venue_rows(self, key: str) -> npt.NDArray[np.int32]:
        """Rows of the venue with the slug or acronym `key` (folded), ascending; may be empty."""
        place = self._venues.find(key)
        if place < 0:
            return _NO_ROWS
        starts = self._arrays["venue_starts"]
        return cast("npt.NDArray[np.int32]", self._arrays["venue_rows"])[int(starts[place]) : int(starts[place + 1])]

    def venues(self) -> tuple[tuple[str, int], ...]:
        """Every venue key with its number of rows, by key."""
        sizes = np.diff(cast("npt.NDArray[np.int32]", self._arrays["venue_starts"])).tolist()
        return tuple(zip(self._venues.slice(range(len(self._venues))), sizes, strict=True))

    def _word_counts(self) -> npt.NDArray[np.int32]:
        return cast("npt.NDArray[np.int32]", self._arrays["word_count"])


def _filter_columns(arrays: Mapping[str, _Array], count: int) -> FilterColumns:
    columns = {"length": np.diff(cast("npt.NDArray[np.int32]", arrays["text_starts"]))}
    # An index of an older litterm does not know how long the name before a colon is.
    if "name_length" not in arrays:
        columns["name_length"] = np.zeros(count, np.uint8)
    return FilterColumns(**{name: columns.get(name, arrays.get(name)) for name in _COLUMN_NAMES})  # type: ignore[arg-type]
