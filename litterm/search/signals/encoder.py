"""Scores papers by the user's sentence encoder: the cosine of a paper's vector with that of the query."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from litterm.search.signals.fusion import NORMALISATION_DEPTH, Signal, best_rows, best_values
from litterm.text.queries.parser import free_text

if TYPE_CHECKING:
    from litterm.library.encoder.paper_encoder import PaperEncoder
    from litterm.model.search import Query
    from litterm.search.open_index import LiveRows, Rows
    from litterm.search.query.interpret import InterpretedQuery
    from litterm.search.signals.bm25 import Scores

ENCODER_ROWS = 100
"""The nearest papers that are listed although they hold no word of the query. By their number: the cosines of some
encoders are never below .7."""


def encoder_cosines(
    encoder: PaperEncoder, live: LiveRows, query: Query, interpreted: InterpretedQuery
) -> Scores | None:
    """Cosines of all rows with the query, 0 for papers without a vector and for those that point away from it.

    `None` where there is no vector, and for `like:`, which names a paper in place of words.
    """
    text = free_text(query)
    if not text or not interpreted.by_word or not any(encoder.vectors(live.snapshot)):
        return None
    vector = encoder.query(text)
    if vector is None:
        # Said by `encoder_notices`; what is found without the encoder is worth showing.
        return None
    cosines = np.zeros(live.size, np.float32)
    for (_, span), vectors in zip(live.slices(), encoder.vectors(live.snapshot), strict=True):
        # Of a model whose files were exchanged meanwhile the vectors have other dimensions.
        if vectors is not None and vectors.dims == len(vector):
            np.maximum(vectors.scan(vector), 0, out=cosines[span])
    return cosines


def encoder_signal(cosines: Scores, weight: float, unrestricted: Rows, best: Rows) -> tuple[Signal, Rows]:
    """The signal of `cosines`, one a row, and the nearest of the `unrestricted` rows.

    A paper without a vector scores as much as the mean of `best`, the best by all else: nothing is known for or
    against it.
    """
    nearest = best_rows(cosines, unrestricted, NORMALISATION_DEPTH)
    known = cosines[best]
    mean = float(known[known > 0].mean()) if (known > 0).any() else 0.0
    scores = np.where(cosines > 0, cosines, np.float32(mean))
    return Signal("encoder", weight, scores, best_values(cosines[nearest])), best_rows(cosines, nearest, ENCODER_ROWS)


def encoder_notices(encoder: PaperEncoder, live: LiveRows) -> Iterator[str]:
    """How many papers have no vector yet, and why the encoder cannot be used."""
    if encoder.problem:
        yield f"Ranked without the encoder: {encoder.problem}"
        return
    encoded = sum(vectors.encoded for vectors in encoder.vectors(live.snapshot) if vectors is not None)
    if encoded < live.count:
        yield f"{encoded:,} of {live.count:,} papers have vectors by {encoder.name}; `litterm encode` makes the others."
