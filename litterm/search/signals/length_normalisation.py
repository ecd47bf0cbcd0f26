"""BM25 length normalisation by the average length of the library, where its papers are longer than usual.

An index stores weights for one fixed average length, so that segments can be built independently. Biomedical papers are
twice as long: with that average nearly all of them would count as long. Their weights are converted for each query.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from litterm.library.index.bm25_weights import TYPICAL_LENGTH, whole_record_weighting

if TYPE_CHECKING:
    from litterm.library.index.segment_index import SegmentIndex

Ratios = npt.NDArray[np.float32]
_Rows = npt.NDArray[np.int32]
_Occurrences = Callable[[str], tuple[_Rows, npt.NDArray[np.float32]]]
"""Stem to rows and idf-free weights."""


@dataclass(frozen=True, slots=True)
class LengthTotals:
    """The total length of the titles and abstracts of living papers."""

    papers: int = 0
    words: int = 0
    stems: int = 0
    """Words without stop words."""

    @property
    def average(self) -> float:
        """Stems a paper."""
        return self.stems / self.papers if self.papers else 0.0


def sum_totals(totals: Iterable[LengthTotals]) -> LengthTotals:
    """The sum of the totals of several parts."""
    parts = list(totals)
    return LengthTotals(
        sum(part.papers for part in parts), sum(part.words for part in parts), sum(part.stems for part in parts)
    )


def length_totals(part: SegmentIndex, alive: npt.NDArray[np.bool_] | None) -> LengthTotals:
    """The totals of the rows of `part` that are `alive`; `None` where all are."""
    words, stems = int(part.columns.length.sum(dtype=np.int64)), part.stem_total
    if alive is None:
        return LengthTotals(part.count, words, stems)
    # A library must rank alike whether its few shadowed rows are still stored or not.
    shadowed = np.flatnonzero(~alive)
    words -= int(part.columns.length[shadowed].sum(dtype=np.int64))
    return LengthTotals(part.count - len(shadowed), words, stems - part.stem_total_at(shadowed))


def penalty_ratios(part: SegmentIndex, totals: LengthTotals) -> Ratios | None:
    """The factor that converts the length penalty of each row of `part` to the average length of `totals`.

    `None` where that average is at most `TYPICAL_LENGTH`: the weights stay as they are.
    """
    if totals.average <= TYPICAL_LENGTH:
        return None
    # Stems are estimated from words: counting them would read every text of the library.
    lengths = part.columns.length.astype(np.float64) * (totals.stems / totals.words)
    wanted, stored = whole_record_weighting(totals.average), whole_record_weighting(part.average_length)
    return (wanted.penalties(lengths) / stored.penalties(lengths)).astype(np.float32)


def renormalise(occurrences: _Occurrences, ratios: Ratios | None) -> _Occurrences:
    """`occurrences` with weights tf / (penalty * ratio + tf) instead of tf / (penalty + tf)."""
    if ratios is None:
        return occurrences

    def renormalise_part(stem: str) -> tuple[_Rows, npt.NDArray[np.float32]]:
        rows, weights = occurrences(stem)
        penalised = (np.float32(1) - weights) * ratios[rows]
        return rows, (weights / (weights + penalised)).astype(np.float32, copy=False)

    return renormalise_part
