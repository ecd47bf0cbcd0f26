"""Papers to one part of the index: read one at a time into arrays, which are written into a folder.

Only numbers and short strings are kept of each paper. Runs in a child, or in place for a few papers.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from litterm.library.index.array_file import PART_FILE, Arrays, pack_strings, write_pack
from litterm.library.index.bm25_weights import TITLE, TYPICAL_LENGTH, postings
from litterm.library.index.full_text import FULL_TEXT_FILE
from litterm.library.index.records import RECORDS_FILE
from litterm.library.index.title_author_stats import FACTS_FILE, fact_arrays
from litterm.library.index.vectors import GROUPS_FILE, VECTORS_FILE, Vectors, vector_arrays, write_groups
from litterm.model.index import DECISIONS, PAPER_TYPES, IndexRow, SegmentIndexStats
from litterm.model.paper import SCHEMES
from litterm.text.tokens import STOP_WORDS, TOKENIZER, fold, hash_word, stems, words

if TYPE_CHECKING:
    from litterm.library.index.static_embeddings import StaticModel

_FIELD_END = 0
"""The number of the empty word, which ends each title and each abstract, so that no phrase runs over the end."""
_MAX_NAME_WORDS = 255
"""What a byte holds."""

_Array = npt.NDArray[np.generic]


_NON_TERMS = STOP_WORDS | {""}


class _Numbering(dict[str, int]):
    """Numbers words in the order in which they are first looked up."""

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self)
        return number


@dataclass(slots=True)
class RowCollector:
    """What is kept of the rows read so far."""

    numbers: _Numbering = field(default_factory=lambda: _Numbering({"": _FIELD_END}))
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


def collect_rows(rows: Iterable[IndexRow]) -> RowCollector:
    """Reads all `rows`, once."""
    collected = RowCollector()
    number = collected.numbers.__getitem__
    for place, row in enumerate(rows):
        title = words(row.title)
        row_words = (*title, "", *words(row.abstract), "")
        if row.more_text:
            # Only the words that title and abstract lack: nothing counts twice because two sources state it.
            row_words += (*_new_words(row_words, row.more_text), "")
        collected.flat.extend(map(number, row_words))
        collected.title_lengths.append(len(title))
        collected.name_lengths.append(_name_length(row.title))
        collected.lengths.append(len(row_words))
        collected.ids.append(row.id)
        collected.titles.append(fold(row.title))
        # The first author alone orders a list; all of them are hashed below, for what is asked of everybody.
        collected.authors.append(fold(row.author))
        collected.people.extend(hash_word(fold(author)) for author in row.authors)
        collected.people_counts.append(len(row.authors))
        collected.facts.append(_facts(row))
        for key in dict.fromkeys(row.venue_keys):
            collected.venues.setdefault(fold(key), []).append(place)
    return collected


def _new_words(known: Sequence[str], texts: Iterable[str]) -> tuple[str, ...]:
    seen = set(known)
    return tuple(dict.fromkeys(word for text in texts for word in words(text) if word not in seen))


def _name_length(title: str) -> int:
    # "BERT: Pre-training of ..." is known by what is before the colon.
    name, colon, rest = title.partition(":")
    return min(len(words(name)), _MAX_NAME_WORDS) if colon and rest.strip() else 0


def build_terms(collected: RowCollector) -> TermMatrix:
    """Words to stems, without stop words."""
    vocabulary = list(collected.numbers)
    stemmed = stems(vocabulary)
    is_term = [word not in _NON_TERMS for word in vocabulary]
    # Sorted, so that a stem is found by bisection in the mapped file without a table in memory.
    ordered = sorted({stem for stem, keep in zip(stemmed, is_term, strict=True) if keep})
    place = {stem: index for index, stem in enumerate(ordered)}
    of_word = np.fromiter(
        (place[stem] if keep else -1 for stem, keep in zip(stemmed, is_term, strict=True)), np.int32, len(vocabulary)
    )
    alphabetical = sorted(range(len(vocabulary)), key=vocabulary.__getitem__)
    flat = of_word[_word_numbers(collected)]
    rows = np.repeat(np.arange(len(collected.lengths)), collected.lengths)
    count = len(collected.lengths)
    lengths = np.bincount(rows[flat >= 0], minlength=count)
    title_ends = (
        np.cumsum(collected.lengths, dtype=np.int64) - collected.lengths + collected.title_lengths if count else rows
    )
    in_title = (flat >= 0) & (np.arange(len(flat)) < np.repeat(title_ends, collected.lengths))
    title_lengths = np.bincount(rows[in_title], minlength=count)
    return TermMatrix(ordered, flat[flat >= 0], lengths, title_lengths, of_word[alphabetical])


def build_arrays(collected: RowCollector, terms: TermMatrix) -> dict[str, _Array]:
    """Everything a part needs besides its postings, by name."""
    arrays: dict[str, _Array] = {"count": np.array([len(collected.ids)], np.int64)}
    _add_strings(arrays, "stem", terms.stems)
    arrays |= _word_arrays(collected)
    arrays |= _fact_arrays(collected)
    arrays |= _order_arrays(collected)
    arrays |= _venue_arrays(collected)
    return arrays


def _word_arrays(collected: RowCollector) -> dict[str, _Array]:
    """The words as they are in the texts: sorted, how often each, and all texts as their places."""
    ordered = sorted(collected.numbers)
    order = np.fromiter(map(collected.numbers.__getitem__, ordered), np.int64, len(ordered))
    counts = np.bincount(_word_numbers(collected), minlength=len(ordered))[order].astype(np.int32)
    # Nobody wants a stop word completed or suggested.
    counts[[index for index, word in enumerate(ordered) if word in _NON_TERMS]] = 0
    starts = np.zeros(len(collected.lengths) + 1, np.int32)
    np.cumsum(collected.lengths, out=starts[1:])
    # Half the bytes where a segment has few enough different words.
    place = _inverse_order(order.tolist()).astype(np.uint16 if len(ordered) <= 2**16 else np.int32)
    arrays: dict[str, _Array] = {"word_count": counts, "text": place[_word_numbers(collected)], "text_starts": starts}
    arrays["name_length"] = np.array(collected.name_lengths, np.uint8)
    _add_strings(arrays, "word", ordered)
    return arrays


def _word_numbers(collected: RowCollector) -> npt.NDArray[np.int32]:
    return np.frombuffer(collected.flat, np.int32) if len(collected.flat) else np.empty(0, np.int32)


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
    # 2020-07 is 20200700, before every day of that month.
    digits = date.replace("-", "")[:8]
    if not (digits.isascii() and digits.isdigit() and len(digits) >= 4):
        return year * 10_000
    return int(digits.ljust(8, "0"))


def _fact_arrays(collected: RowCollector) -> dict[str, _Array]:
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
        name: np.array([facts[index] for facts in collected.facts], kind)
        for index, (name, kind) in enumerate(kinds.items())
    }


def _order_arrays(collected: RowCollector) -> dict[str, _Array]:
    rows = range(len(collected.ids))
    by_id = sorted(rows, key=collected.ids.__getitem__)
    by_title = sorted(rows, key=lambda row: (collected.titles[row], collected.ids[row]))
    # Papers without authors come last, not first.
    by_author = sorted(rows, key=lambda row: (not collected.authors[row], collected.authors[row], collected.ids[row]))
    arrays: dict[str, _Array] = {
        "id_row": np.array(by_id, np.int32),
        "id_order": _inverse_order(by_id),
        "title_order": _inverse_order(by_title),
        "author_order": _inverse_order(by_author),
    }
    _add_strings(arrays, "id", [collected.ids[row] for row in by_id])
    return arrays


def _inverse_order(order: Sequence[int]) -> npt.NDArray[np.int32]:
    places = np.empty(len(order), np.int32)
    places[np.array(order, np.int32)] = np.arange(len(order), dtype=np.int32)
    return places


def _venue_arrays(collected: RowCollector) -> dict[str, _Array]:
    keys = sorted(collected.venues)
    starts = np.zeros(len(keys) + 1, np.int32)
    np.cumsum([len(collected.venues[key]) for key in keys], out=starts[1:])
    arrays: dict[str, _Array] = {
        "venue_rows": np.array([row for key in keys for row in collected.venues[key]], np.int32),
        "venue_starts": starts,
    }
    _add_strings(arrays, "venue", keys)
    return arrays


def _add_strings(arrays: dict[str, _Array], name: str, ordered: Sequence[str]) -> None:
    arrays[name], arrays[f"{name}_at"] = pack_strings(ordered)


def build_part(
    rows: Iterable[IndexRow],
    folder: Path,
    *,
    average_length: float | None,
    model: StaticModel | None = None,
    records: Callable[[], Arrays] | None = None,
    bodies: Callable[[], Arrays] | None = None,
) -> SegmentIndexStats:
    """Writes the index of `rows`, numbered from 0 in the order they come, into `folder`; with `model` their vectors.

    `records` gives the packed records as soon as all rows are read, and `bodies` the index of their full texts, as
    `full_text_arrays` does. If `average_length` is `None`, that of the
    rows is used and reported. `folder` is created if need be; nothing is synced to disk.
    """
    from litterm.library.index.bm25 import save_scores

    collected = collect_rows(rows)
    folder.mkdir(parents=True, exist_ok=True)
    if records is not None:
        write_pack(folder / RECORDS_FILE, records())
    terms = build_terms(collected)
    average = average_length if average_length is not None else mean_length(terms.lengths.tolist())
    save_scores(
        folder,
        np.split(terms.flat, np.cumsum(terms.lengths)[:-1]) if len(terms.lengths) else [],
        {stem: index for index, stem in enumerate(terms.stems)},
        average_length=average,
    )
    write_pack(folder / PART_FILE, build_arrays(collected, terms) | title_arrays(terms))
    write_pack(folder / FACTS_FILE, fact_arrays(collected, terms))
    grouped = False
    if model is not None:
        vectors = vector_arrays(terms, model)
        write_pack(folder / VECTORS_FILE, vectors)
        grouped = write_groups(folder / GROUPS_FILE, Vectors(vectors).short)
    count, vocabulary = len(collected.ids), len(terms.stems)
    # The rows are let go before the full texts, which take more.
    del collected, terms
    # Last: `bodies` may wait for the database, which another thread is filling meanwhile.
    texts = {} if bodies is None else bodies()
    if texts and len(texts["paper_at"]) > 1:
        write_pack(folder / FULL_TEXT_FILE, texts)
    return SegmentIndexStats(count, average, vocabulary, TOKENIZER, model.name if model else "", grouped)


def title_arrays(terms: TermMatrix) -> dict[str, npt.NDArray[np.generic]]:
    """The postings of the titles alone, by name."""
    scores = postings(terms.titles, terms.title_lengths, vocabulary=len(terms.stems), field=TITLE)
    return {"title_rows": scores.rows, "title_weights": scores.weights, "title_starts": scores.starts}


def mean_length(lengths: list[int]) -> float:
    """Mean of `lengths`; `TYPICAL_LENGTH` when there is nothing to measure."""
    total = sum(lengths)
    return total / len(lengths) if total else TYPICAL_LENGTH
