"""bm25s as it comes, over one corpus held in memory: what litterm's own use of it is compared with."""

from __future__ import annotations

import logging
from collections.abc import Sequence

import bm25s

from litterm.library.index.bm25_weights import K1, B

# It sets its own logger to DEBUG when imported.
logging.getLogger("bm25s").setLevel(logging.WARNING)


class PlainBM25:
    """BM25 with the idf of its own corpus, and the numbers of all papers as results."""

    def __init__(self, corpus: Sequence[Sequence[str]]) -> None:
        """`corpus` is one list of stems a paper."""
        self._count = len(corpus)
        self._model = bm25s.BM25(k1=K1, b=B, method="lucene", backend="numpy")
        self._model.index([list(stems) for stems in corpus], show_progress=False)

    def best(self, stems: Sequence[str], k: int) -> list[int]:
        """Numbers of the `k` papers with the highest scores, zero scores included as bm25s gives them."""
        results = self._model.retrieve([list(stems)], k=min(k, self._count), show_progress=False)
        return [int(number) for number in results.documents[0]]
