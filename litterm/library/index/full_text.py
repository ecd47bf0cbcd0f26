"""The full texts of one segment as a field of its own: documents to postings, and which paper each belongs to."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from typing import cast

import numpy as np
import numpy.typing as npt

from litterm.library.index.sorted_strings import SortedStrings, packed
from litterm.library.index.weights import BODY, postings
from litterm.model.paper import PaperId
from litterm.text.tokens import tokens

BODIES = "bodies.pack"
"""Name of the file in a part's folder; not there when the segment has no full text."""

_Arrays = Mapping[str, npt.NDArray[np.generic]]


class FullTextIndex:
    """The lexical index of one segment's full texts; read-only and shared by threads.

    A field with document frequencies of its own, whose words are stems. Full texts belong to papers by id, not by row:
    a paper's row may lie in a later segment than its text, and a paper may have several, of which the best counts.
    """

    def __init__(self, arrays: _Arrays) -> None:
        """`arrays` as `body_arrays` names them."""
        names = SortedStrings.named(arrays, "paper")
        self.papers = tuple(PaperId(names.at(place)) for place in range(len(names)))
        self._stems = SortedStrings.named(arrays, "stem")
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
        counted = self._counted(list(self._stems.starting(prefix)))
        return tuple(sorted(counted, key=lambda item: (-item[1], item[0]))[:limit])

    def similar_words(self, word: str, slips: int) -> tuple[tuple[str, int], ...]:
        """Stems with the first letter of `word` that may be up to `slips` slips away, with their documents."""
        return self._counted(self._stems.alike(word, self._stems.starting(word[:1]), slips).tolist())

    def _counted(self, places: list[int]) -> tuple[tuple[str, int], ...]:
        counts = (self._starts[[place + 1 for place in places]] - self._starts[places]).tolist() if places else []
        return tuple(zip(map(self._stems.at, places), counts, strict=True))


def body_arrays(texts: Iterable[tuple[PaperId, str]]) -> dict[str, npt.NDArray[np.generic]]:
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
    arrays["stem"], arrays["stem_at"] = packed(ordered)
    arrays["paper"], arrays["paper_at"] = packed(papers)
    return arrays
