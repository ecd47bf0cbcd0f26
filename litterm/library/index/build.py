"""Papers to one part of the index, written into a folder. Runs in a child, or in place for a few papers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from litterm.library.index.ann import GROUPS_FILE, write_groups
from litterm.library.index.array_file import PART_FILE, Arrays, write_pack
from litterm.library.index.bm25_weights import TITLE, TYPICAL_LENGTH, postings
from litterm.library.index.collect import TermMatrix, build_arrays, build_terms, collect_rows
from litterm.library.index.full_text import FULL_TEXT_FILE
from litterm.library.index.title_author_stats import FACTS_FILE, fact_arrays
from litterm.library.index.vectors import VECTORS_FILE, Vectors, vector_arrays
from litterm.model.index import IndexRow, SegmentIndexStats
from litterm.text.tokens import TOKENIZER

if TYPE_CHECKING:
    from litterm.library.index.static_embeddings import StaticModel


def build_part(
    rows: Iterable[IndexRow],
    folder: Path,
    *,
    average_length: float | None,
    model: StaticModel | None = None,
    bodies: Callable[[], Arrays] | None = None,
) -> SegmentIndexStats:
    """Writes the index of `rows`, numbered from 0 in the order they come, into `folder`; with `model` their vectors.

    `bodies` gives the index of their full texts, as `full_text_arrays` does. If `average_length` is `None`, that of the
    rows is used and reported. `folder` is created if need be; nothing is synced to disk.
    """
    from litterm.library.index.bm25 import save_scores

    collected = collect_rows(rows)
    terms = build_terms(collected)
    average = average_length if average_length is not None else mean_length(terms.lengths.tolist())
    folder.mkdir(parents=True, exist_ok=True)
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
