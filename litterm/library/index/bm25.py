"""Building and writing a part of the index with bm25s, with the idf taken out of its weights.

bm25s bakes the idf of its own corpus into every score, so scores of two of its indexes cannot be merged.
Here the saved arrays hold the term part alone and the idf of the whole library is applied at query time.
They are read with numpy in `reader`: importing bm25s takes 0.1 s that a one-shot search has no use for.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path

import bm25s
import numpy as np
import numpy.typing as npt

from litterm.library.index.bm25_weights import K1, B, postings, whole_record_weighting

# It sets its own logger to DEBUG when imported.
logging.getLogger("bm25s").setLevel(logging.WARNING)


class IdfFreeBM25(bm25s.BM25):  # type: ignore[misc]  # bm25s ships no types
    """Lucene's BM25 with an average length given from outside and without idf."""

    def __init__(self, average_length: float) -> None:
        """`average_length` is in stems."""
        super().__init__(k1=K1, b=B, method="lucene", backend="numpy")
        # Saving asks for it, and bm25s sets it only where it computes the scores itself.
        self.nonoccurrence_array = None
        self._average_length = average_length

    def build_index_from_ids(
        self,
        unique_token_ids: Sequence[int],
        corpus_token_ids: Sequence[npt.NDArray[np.int32]],
        show_progress: bool = False,
        leave_progress: bool = False,
    ) -> dict[str, object]:
        """Scores by term, as bm25s keeps them."""
        lengths = np.fromiter((len(ids) for ids in corpus_token_ids), np.int64, len(corpus_token_ids))
        flat = np.concatenate(corpus_token_ids) if len(corpus_token_ids) else np.empty(0, np.int32)
        scores = postings(
            flat, lengths, vocabulary=len(unique_token_ids), field=whole_record_weighting(self._average_length)
        )
        return {
            "data": scores.weights,
            "indices": scores.rows,
            "indptr": scores.starts,
            "num_docs": len(corpus_token_ids),
        }


def save_scores(
    folder: Path, rows: Sequence[npt.NDArray[np.int32]], stems: Mapping[str, int], *, average_length: float
) -> None:
    """Indexes `rows` of stem numbers and writes the arrays into `folder`."""
    model = IdfFreeBM25(average_length)
    # Without the empty token, whose number would come after those of our stems.
    model.index((list(rows), dict(stems)), create_empty_token=False, show_progress=False)
    model.save(folder, show_progress=False)
