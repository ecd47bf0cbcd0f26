"""The full texts of a segment as a field of its own: documents to postings, and the indexes of several as one."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import numpy as np
import numpy.typing as npt

from litterm.library.index.array_file import SortedStrings, pack_strings, read_pack
from litterm.library.index.bm25_weights import BODY, postings
from litterm.model.paper import PaperId
from litterm.text.tokens import tokens

FULL_TEXT_FILE = "bodies.pack"
"""Name of the file in a part's folder; not there when the segment has no full text."""

_Arrays = Mapping[str, npt.NDArray[np.generic]]
_WritableArrays = dict[str, npt.NDArray[np.generic]]


class FullTextIndex:
    """The lexical index of one segment's full texts; read-only and shared by threads.

    A field with document frequencies of its own, whose words are stems. Full texts belong to papers by id, not by row:
    a paper's row may lie in a later segment than its text, and a paper may have several, of which the best counts.
    """

    def __init__(self, arrays: _Arrays) -> None:
        """`arrays` as `full_text_arrays` names them."""
        names = SortedStrings.from_arrays(arrays, "paper")
        self.papers = tuple(PaperId(names.at(place)) for place in range(len(names)))
        self._stems = SortedStrings.from_arrays(arrays, "stem")
        self._rows = cast("npt.NDArray[np.int32]", arrays["rows"])
        self._weights = cast("npt.NDArray[np.float32]", arrays["weights"])
        self._starts = cast("npt.NDArray[np.int64]", arrays["starts"])

    def postings(self, term: str) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]:
        """Numbers of the documents holding the stem `term`, ascending, with their idf-free BM25 weights."""
        place = self._stems.find(term)
        if place < 0:
            return self._rows[:0], self._weights[:0]
        start, end = self._starts[place : place + 2].tolist()
        return self._rows[start:end], self._weights[start:end]

    def expand(self, prefix: str, limit: int) -> tuple[tuple[str, int], ...]:
        """Stems that start with `prefix`, with how many documents hold each, the most frequent first."""
        stem_counts = self._with_counts(list(self._stems.with_prefix(prefix)))
        return tuple(sorted(stem_counts, key=lambda item: (-item[1], item[0]))[:limit])

    def similar_words(self, word: str, slips: int) -> tuple[tuple[str, int], ...]:
        """Stems with the first letter of `word` that may be up to `slips` slips away, with their documents."""
        return self._with_counts(self._stems.similar(word, self._stems.with_prefix(word[:1]), slips).tolist())

    def _with_counts(self, places: list[int]) -> tuple[tuple[str, int], ...]:
        counts = (self._starts[[place + 1 for place in places]] - self._starts[places]).tolist() if places else []
        return tuple(zip(map(self._stems.at, places), counts, strict=True))


def full_text_arrays(texts: Iterable[tuple[PaperId, str]]) -> dict[str, npt.NDArray[np.generic]]:
    """The arrays of `FullTextIndex` for documents in the order of their numbers; each is read once and let go."""
    numbers: dict[str, int] = {}
    flat = array("i")
    lengths: list[int] = []
    papers: list[str] = []
    for paper, text in texts:
        text_stems = tokens(text)
        # Numbers of four bytes: as words, a batch's texts would take many times as much.
        flat.extend(numbers.setdefault(stem, len(numbers)) for stem in text_stems)
        lengths.append(len(text_stems))
        papers.append(paper)
    ordered = sorted(numbers)
    place = np.empty(len(ordered), np.int32)
    place[[numbers[stem] for stem in ordered]] = np.arange(len(ordered), dtype=np.int32)
    terms = place[np.frombuffer(flat, np.int32)] if len(flat) else np.empty(0, np.int32)
    scores = postings(terms, np.array(lengths, np.int64), vocabulary=len(ordered), field=BODY)
    arrays: dict[str, npt.NDArray[np.generic]] = {
        "rows": scores.rows,
        "weights": scores.weights,
        "starts": scores.starts,
    }
    arrays["stem"], arrays["stem_at"] = pack_strings(ordered)
    arrays["paper"], arrays["paper_at"] = pack_strings(papers)
    return arrays


@dataclass(frozen=True, slots=True)
class FullTextSource:
    """The full texts of one segment."""

    file: Path
    """Where `full_text_arrays` was written to."""
    kept: npt.NDArray[np.bool_]
    """Per document, whether it goes into the merged index."""


@dataclass(frozen=True, slots=True)
class _KeptPostings:
    """The postings of one source without those of documents that are left out."""

    counts: npt.NDArray[np.int64]
    """Per stem of the source."""
    rows: npt.NDArray[np.int32]
    weights: npt.NDArray[np.float32]


def can_merge(sources: Sequence[FullTextSource]) -> bool:
    """Whether each source can be read and holds as many documents as it is thought to."""
    try:
        return all(len(read_pack(source.file)["paper_at"]) == len(source.kept) + 1 for source in sources)
    except (OSError, ValueError, KeyError):
        return False


def merge_full_texts(sources: Sequence[FullTextSource]) -> _WritableArrays:
    """What `full_text_arrays` gives for the documents kept of all `sources`, in their order, to the last bit.

    A weight depends on its document alone, so that postings are only put side by side. One source at a time is
    opened: beside what comes out, memory holds the postings of a single one.
    """
    stems, places, totals = _vocabulary(sources)
    starts = np.zeros(len(stems) + 1, np.int64)
    np.cumsum(totals, out=starts[1:])
    rows, weights = np.empty(starts[-1], np.int32), np.empty(starts[-1], np.float32)
    free = starts[:-1].copy()
    papers: list[str] = []
    for source, places_of_source in zip(sources, places, strict=True):
        arrays = read_pack(source.file)
        postings = _kept_postings(arrays, source.kept)
        used = postings.counts > 0
        counts, targets = postings.counts[used], places_of_source[used]
        # Each stem's postings are appended to those of earlier sources.
        place = np.repeat(free[targets] - (np.cumsum(counts) - counts), counts) + np.arange(len(postings.rows))
        rows[place], weights[place] = postings.rows + len(papers), postings.weights
        free[targets] += counts
        names = SortedStrings.from_arrays(arrays, "paper")
        papers += [names.at(int(document)) for document in np.flatnonzero(source.kept)]
    merged: _WritableArrays = {"rows": rows, "weights": weights, "starts": starts}
    merged["stem"], merged["stem_at"] = pack_strings(stems)
    merged["paper"], merged["paper_at"] = pack_strings(papers)
    return merged


def _vocabulary(
    sources: Sequence[FullTextSource],
) -> tuple[list[str], list[npt.NDArray[np.int64]], npt.NDArray[np.int64]]:
    """All stems of documents that are kept; per source, the indices of its stems among them; postings per stem."""
    counts_by_stem: dict[str, int] = {}
    for source in sources:
        for stem, count in zip(*_stem_counts(source), strict=True):
            if count:
                counts_by_stem[stem] = counts_by_stem.get(stem, 0) + count
    stems = sorted(counts_by_stem)
    totals = np.fromiter(map(counts_by_stem.__getitem__, stems), np.int64, len(stems))
    number = {stem: place for place, stem in enumerate(stems)}
    places = []
    for source in sources:
        counts, _ = _stem_counts(source)
        places.append(np.fromiter((number.get(stem, -1) for stem in counts), np.int64, len(counts)))
    return stems, places, totals


def _stem_counts(source: FullTextSource) -> tuple[list[str], list[int]]:
    arrays = read_pack(source.file)
    names = SortedStrings.from_arrays(arrays, "stem")
    return names.slice(range(len(names))), _kept_postings(arrays, source.kept).counts.tolist()


def _kept_postings(arrays: _WritableArrays, kept: npt.NDArray[np.bool_]) -> _KeptPostings:
    rows = cast("npt.NDArray[np.int32]", arrays["rows"])
    weights = cast("npt.NDArray[np.float32]", arrays["weights"])
    counts = np.diff(cast("npt.NDArray[np.int64]", arrays["starts"]))
    if kept.all():
        return _KeptPostings(counts, rows, weights)
    mask = kept[rows]
    stem_of_posting = np.repeat(np.arange(len(counts)), counts)
    number = (np.cumsum(kept) - 1).astype(np.int32)
    return _KeptPostings(np.bincount(stem_of_posting[mask], minlength=len(counts)), number[rows[mask]], weights[mask])
