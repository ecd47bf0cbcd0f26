"""Rows to arrays: papers are read one at a time and only numbers and short strings are kept of them."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from litterm.library.index.sorted_strings import packed
from litterm.model.index import DECISIONS, PAPER_TYPES, IndexRow
from litterm.model.paper import SCHEMES
from litterm.text.hashes import hash_of
from litterm.text.tokens import STOP_WORDS, fold, stems, words

_BREAK = 0
_LONGEST_NAME = 255

_Array = npt.NDArray[np.generic]


_NO_TERMS = STOP_WORDS | {""}


class _Numbering(dict[str, int]):
    """Words and their numbers, given in the order they are first asked for."""

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self)
        return number


@dataclass(slots=True)
class RowCollector:
    """What is kept of the rows read so far."""

    numbers: _Numbering = field(default_factory=lambda: _Numbering({"": _BREAK}))
    flat: array[int] = field(default_factory=lambda: array("i"))
    """Word numbers of all rows, one after the other; a break ends each title and each abstract."""
    lengths: list[int] = field(default_factory=list)
    """Of the rows in `flat`, breaks included."""
    title_lengths: list[int] = field(default_factory=list)
    """Words of each title, break excluded; a row starts with them."""
    name_lengths: list[int] = field(default_factory=list)
    """Words before the colon of each title, at most 255; 0 without a colon."""
    ids: list[str] = field(default_factory=list)
    titles: list[str] = field(default_factory=list)
    authors: list[str] = field(default_factory=list)
    people: array[int] = field(default_factory=lambda: array("I"))
    """Hashes of the authors of all rows, one row after the other."""
    people_counts: list[int] = field(default_factory=list)
    """How many of them each row has."""
    facts: list[tuple[int, int, int, int, int, bool, bool]] = field(default_factory=list)
    venues: dict[str, list[int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TermMatrix:
    """The rows as stem numbers; a stem's number is its place in `stems`, which is sorted."""

    stems: list[str]
    flat: npt.NDArray[np.int32]
    lengths: npt.NDArray[np.int64]
    title_lengths: npt.NDArray[np.int64]
    """Of the stems of each title; a row starts with them."""
    word_stems: npt.NDArray[np.int32]
    """The stem of every word, the words in alphabetical order; -1 for one that is no term."""

    @property
    def titles(self) -> npt.NDArray[np.int32]:
        """The stems of all titles, row after row."""
        place = np.arange(len(self.flat)) - np.repeat(np.cumsum(self.lengths) - self.lengths, self.lengths)
        return self.flat[place < np.repeat(self.title_lengths, self.lengths)]


def gather(rows: Iterable[IndexRow]) -> RowCollector:
    """Reads all `rows`, once."""
    kept = RowCollector()
    number = kept.numbers.__getitem__
    for place, row in enumerate(rows):
        title = words(row.title)
        found = (*title, "", *words(row.abstract), "")
        kept.flat.extend(map(number, found))
        kept.title_lengths.append(len(title))
        kept.name_lengths.append(_name_length(row.title))
        kept.lengths.append(len(found))
        kept.ids.append(row.id)
        kept.titles.append(fold(row.title))
        kept.authors.append(fold(row.author))
        kept.people.extend(hash_of(fold(author)) for author in row.authors)
        kept.people_counts.append(len(row.authors))
        kept.facts.append(_facts(row))
        for key in dict.fromkeys(row.venue_keys):
            kept.venues.setdefault(fold(key), []).append(place)
    return kept


def _name_length(title: str) -> int:
    name, colon, rest = title.partition(":")
    return min(len(words(name)), _LONGEST_NAME) if colon and rest.strip() else 0


def to_terms(kept: RowCollector) -> TermMatrix:
    """Words to stems, without stop words."""
    known = list(kept.numbers)
    stemmed = stems(known)
    wanted = [word not in _NO_TERMS for word in known]
    ordered = sorted({each for each, keep in zip(stemmed, wanted, strict=True) if keep})
    place = {each: index for index, each in enumerate(ordered)}
    of_word = np.fromiter(
        (place[each] if keep else -1 for each, keep in zip(stemmed, wanted, strict=True)), np.int32, len(known)
    )
    alphabetical = sorted(range(len(known)), key=known.__getitem__)
    flat = of_word[_numbers(kept)]
    rows = np.repeat(np.arange(len(kept.lengths)), kept.lengths)
    count = len(kept.lengths)
    lengths = np.bincount(rows[flat >= 0], minlength=count)
    title_ends = np.cumsum(kept.lengths, dtype=np.int64) - kept.lengths + kept.title_lengths if count else rows
    in_title = (flat >= 0) & (np.arange(len(flat)) < np.repeat(title_ends, kept.lengths))
    title_lengths = np.bincount(rows[in_title], minlength=count)
    return TermMatrix(ordered, flat[flat >= 0], lengths, title_lengths, of_word[alphabetical])


def to_arrays(kept: RowCollector, terms: TermMatrix) -> dict[str, _Array]:
    """Everything a part needs beside its postings, by name."""
    arrays: dict[str, _Array] = {"count": np.array([len(kept.ids)], np.int64)}
    _pack(arrays, "stem", terms.stems)
    arrays |= _word_arrays(kept)
    arrays |= _fact_arrays(kept)
    arrays |= _orders(kept)
    arrays |= _venue_arrays(kept)
    return arrays


def _word_arrays(kept: RowCollector) -> dict[str, _Array]:
    """The words as they stand in the texts: sorted, how often each, and all texts as their places."""
    ordered = sorted(kept.numbers)
    order = np.fromiter(map(kept.numbers.__getitem__, ordered), np.int64, len(ordered))
    counts = np.bincount(_numbers(kept), minlength=len(ordered))[order].astype(np.int32)
    # Nobody wants a stop word completed or suggested.
    counts[[index for index, word in enumerate(ordered) if word in _NO_TERMS]] = 0
    starts = np.zeros(len(kept.lengths) + 1, np.int32)
    np.cumsum(kept.lengths, out=starts[1:])
    place = _places(order.tolist()).astype(np.uint16 if len(ordered) <= 2**16 else np.int32)
    arrays: dict[str, _Array] = {"word_count": counts, "text": place[_numbers(kept)], "text_starts": starts}
    arrays["name_length"] = np.array(kept.name_lengths, np.uint8)
    _pack(arrays, "word", ordered)
    return arrays


def _numbers(kept: RowCollector) -> npt.NDArray[np.int32]:
    return np.frombuffer(kept.flat, np.int32) if len(kept.flat) else np.empty(0, np.int32)


def _facts(row: IndexRow) -> tuple[int, int, int, int, int, bool, bool]:
    schemes = sum(1 << SCHEMES.index(scheme) for scheme in set(row.schemes) if scheme in SCHEMES)
    year = row.year if row.year is not None and 0 < row.year <= 9999 else 0
    return (
        year,
        _date_number(row.date, year),
        schemes,
        PAPER_TYPES.index(row.type) if row.type in PAPER_TYPES else PAPER_TYPES.index("other"),
        DECISIONS.index(row.decision) if row.decision in DECISIONS else DECISIONS.index("unknown"),
        row.full_text,
        row.retracted,
    )


def _date_number(date: str, year: int) -> int:
    digits = date.replace("-", "")[:8]
    if not (digits.isascii() and digits.isdigit() and len(digits) >= 4):
        return year * 10_000
    return int(digits.ljust(8, "0"))


def _fact_arrays(kept: RowCollector) -> dict[str, _Array]:
    kinds = {
        "year": np.int16,
        "date": np.int32,
        "schemes": np.uint16,
        "type": np.uint8,
        "decision": np.uint8,
        "full_text": np.bool_,
        "retracted": np.bool_,
    }
    return {
        name: np.array([facts[index] for facts in kept.facts], kind) for index, (name, kind) in enumerate(kinds.items())
    }


def _orders(kept: RowCollector) -> dict[str, _Array]:
    rows = range(len(kept.ids))
    by_id = sorted(rows, key=kept.ids.__getitem__)
    by_title = sorted(rows, key=lambda row: (kept.titles[row], kept.ids[row]))
    by_author = sorted(rows, key=lambda row: (not kept.authors[row], kept.authors[row], kept.ids[row]))
    arrays: dict[str, _Array] = {
        "id_row": np.array(by_id, np.int32),
        "id_order": _places(by_id),
        "title_order": _places(by_title),
        "author_order": _places(by_author),
    }
    _pack(arrays, "id", [kept.ids[row] for row in by_id])
    return arrays


def _places(order: Sequence[int]) -> npt.NDArray[np.int32]:
    places = np.empty(len(order), np.int32)
    places[np.array(order, np.int32)] = np.arange(len(order), dtype=np.int32)
    return places


def _venue_arrays(kept: RowCollector) -> dict[str, _Array]:
    keys = sorted(kept.venues)
    starts = np.zeros(len(keys) + 1, np.int32)
    np.cumsum([len(kept.venues[key]) for key in keys], out=starts[1:])
    arrays: dict[str, _Array] = {
        "venue_rows": np.array([row for key in keys for row in kept.venues[key]], np.int32),
        "venue_starts": starts,
    }
    _pack(arrays, "venue", keys)
    return arrays


def _pack(arrays: dict[str, _Array], name: str, ordered: Sequence[str]) -> None:
    arrays[name], arrays[f"{name}_at"] = packed(ordered)
