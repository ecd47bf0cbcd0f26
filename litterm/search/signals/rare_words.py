"""Points for rare words of a query that the semantic model does not know: mostly names, and what is asked for.

"Concizumab is used for which diseases?" is a question on concizumab. By BM25 its one hit in a long abstract weighs less
than three common words in a short one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from litterm.search.open_index import rows_among
from litterm.search.search_weights import DEFAULT, SearchWeights
from litterm.search.signals.fusion import PaperPrior
from litterm.search.signals.normalise import together
from litterm.search.signals.unknown_words import MOST_TYPED

if TYPE_CHECKING:
    from litterm.library.index.static_embeddings import StaticModel
    from litterm.search.open_index import LiveRows, Rows
    from litterm.search.signals.scores import Term

_MOST, _ONE_IN, _LEAST = 20, 100, 3
"""A word is rare in at most `_MOST` papers and one in `_ONE_IN`; in a small library in `_LEAST`."""


class TextHolders(Protocol):
    """The full texts of a library, as far as rare words are looked for in them."""

    def holders(self, term: Term) -> Rows:
        """The rows of the papers with a full text that holds `term`, ascending."""
        ...


@dataclass(frozen=True, slots=True)
class RareWord:
    """One rare word with the papers that hold it."""

    holders: Rows
    """Ascending."""
    idf: float
    points: float
    """Of a holder, where it is the only rare word of the query."""


@dataclass(frozen=True, slots=True)
class RareWords:
    """The rare words of one query."""

    words: tuple[RareWord, ...]

    def rows(self, live: LiveRows, allowed: Rows) -> Rows:
        """All of `allowed` (ascending) that hold one, ascending."""
        holders = together(live.size, *(word.holders for word in self.words))
        # Not `intersect1d`, which sorts all papers again for a handful: 5 ms of 109,000.
        return rows_among(holders, allowed)

    def priors(self, pool: Rows) -> tuple[PaperPrior, ...]:
        """What speaks for papers of the `pool` (ascending) that hold them; none where no paper there does."""
        points = np.zeros(len(pool))
        whole = sum(word.idf for word in self.words) or 1.0
        for word in self.words:
            points[np.isin(pool, word.holders)] += word.points * word.idf / whole
        return (PaperPrior("holds the rare word", points.round(6)),) if points.any() else ()


def rare_from(live: LiveRows) -> int:
    """In at most how many papers a word is rare."""
    return max(_LEAST, min(_MOST, live.count // _ONE_IN))


def rare_words(
    live: LiveRows,
    terms: Sequence[Term],
    frequencies: Sequence[int],
    vectors: StaticModel,
    texts: Callable[[], TextHolders],
    weights: SearchWeights = DEFAULT,
) -> RareWords:
    """The rare words among `terms`; one that no title and abstract holds is looked for in the full texts.

    `frequencies` says in how many papers each term is.
    """
    if len(terms) > MOST_TYPED:
        # In a pasted text a rare word is one of many, and not what is asked for.
        return RareWords(())
    places = vectors.places([term.stems[0] for term in terms]).tolist()
    most = rare_from(live)
    words: list[RareWord] = []
    for term, place, frequency in zip(terms, places, frequencies, strict=True):
        if place >= 0 or frequency > most:
            continue
        holders, points = live.holders(term.stems), weights.rare
        if not len(holders):
            holders, points = texts().holders(term), weights.rare_full_text
        if 0 < len(holders) <= most:
            idf = math.log(1 + (live.count - len(holders) + 0.5) / (len(holders) + 0.5))
            words.append(RareWord(holders, idf, points))
    return RareWords(tuple(words))
