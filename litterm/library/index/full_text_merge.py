"""The full-text index of several segments made one, out of their indexes: no text is read or taken apart again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import numpy as np
import numpy.typing as npt

from litterm.library.index.array_file import read_pack
from litterm.library.index.sorted_strings import SortedStrings, packed

_Arrays = dict[str, npt.NDArray[np.generic]]


@dataclass(frozen=True, slots=True)
class FullTextSource:
    """The full texts of one segment."""

    file: Path
    """Where `body_arrays` was written to."""
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


def merged_bodies(sources: Sequence[FullTextSource]) -> _Arrays:
    """What `body_arrays` gives for the documents kept of all `sources`, in their order, to the last bit.

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
        # Each stem's postings go behind those that earlier sources have put there.
        place = np.repeat(free[targets] - (np.cumsum(counts) - counts), counts) + np.arange(len(postings.rows))
        rows[place], weights[place] = postings.rows + len(papers), postings.weights
        free[targets] += counts
        names = SortedStrings.named(arrays, "paper")
        papers += [names.at(int(document)) for document in np.flatnonzero(source.kept)]
    merged: _Arrays = {"rows": rows, "weights": weights, "starts": starts}
    merged["stem"], merged["stem_at"] = packed(stems)
    merged["paper"], merged["paper_at"] = packed(papers)
    return merged


def _vocabulary(
    sources: Sequence[FullTextSource],
) -> tuple[list[str], list[npt.NDArray[np.int64]], npt.NDArray[np.int64]]:
    """All stems of documents that are kept; per source, where its stems stand among them; postings per stem."""
    counts_by_stem: dict[str, int] = {}
    for source in sources:
        for stem, count in zip(*_counted(source), strict=True):
            if count:
                counts_by_stem[stem] = counts_by_stem.get(stem, 0) + count
    stems = sorted(counts_by_stem)
    totals = np.fromiter(map(counts_by_stem.__getitem__, stems), np.int64, len(stems))
    number = {stem: place for place, stem in enumerate(stems)}
    places = []
    for source in sources:
        own, _ = _counted(source)
        places.append(np.fromiter((number.get(stem, -1) for stem in own), np.int64, len(own)))
    return stems, places, totals


def _counted(source: FullTextSource) -> tuple[list[str], list[int]]:
    arrays = read_pack(source.file)
    names = SortedStrings.named(arrays, "stem")
    return names.slice(range(len(names))), _kept_postings(arrays, source.kept).counts.tolist()


def _kept_postings(arrays: _Arrays, kept: npt.NDArray[np.bool_]) -> _KeptPostings:
    rows = cast("npt.NDArray[np.int32]", arrays["rows"])
    weights = cast("npt.NDArray[np.float32]", arrays["weights"])
    counts = np.diff(cast("npt.NDArray[np.int64]", arrays["starts"]))
    if kept.all():
        return _KeptPostings(counts, rows, weights)
    mask = kept[rows]
    stem_of_posting = np.repeat(np.arange(len(counts)), counts)
    number = (np.cumsum(kept) - 1).astype(np.int32)
    return _KeptPostings(np.bincount(stem_of_posting[mask], minlength=len(counts)), number[rows[mask]], weights[mask])
