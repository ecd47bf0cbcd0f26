"""Papers to one part of the index, written into a folder. Runs in a child, or in place for a few papers."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from litterm.index.harvest import gather, to_arrays, to_terms
from litterm.index.pack import PACK, write_pack
from litterm.model.index import IndexRow, PartStats
from litterm.text.tokens import TOKENIZER

TYPICAL_LENGTH = 90.0
"""Stems of a title with its abstract (ACL 2020-2025: 91). What to freeze when the first import is too small
to measure an average that will do for the library it grows into."""


def build_part(rows: Iterable[IndexRow], folder: Path, *, average_length: float | None) -> PartStats:
    """Writes the index of `rows`, numbered from 0 in the order they come, into `folder`.

    With `average_length` `None` that of the rows is used and reported, to be frozen for all later parts.
    `folder` is made if need be; nothing is synced to disk.
    """
    from litterm.index.bm25 import save_scores

    kept = gather(rows)
    terms = to_terms(kept)
    average = average_length if average_length is not None else mean_length(terms.lengths.tolist())
    folder.mkdir(parents=True, exist_ok=True)
    save_scores(
        folder,
        np.split(terms.flat, np.cumsum(terms.lengths)[:-1]) if len(terms.lengths) else [],
        {stem: at for at, stem in enumerate(terms.stems)},
        average_length=average,
    )
    write_pack(folder / PACK, to_arrays(kept, terms))
    return PartStats(len(kept.ids), average, len(terms.stems), TOKENIZER)


def mean_length(lengths: list[int]) -> float:
    """Mean of `lengths`; `TYPICAL_LENGTH` when there is nothing to measure."""
    total = sum(lengths)
    return total / len(lengths) if total else TYPICAL_LENGTH
