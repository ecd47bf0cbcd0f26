"""A rare word of the query that the semantic model does not know: a name, most likely, and then what is asked for.

"Concizumab is used for which diseases?" is a question on concizumab. By BM25 its one hit in a long abstract weighs less
than three common words in a short one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from litterm.retrieve.fuse import Favour
from litterm.retrieve.signals import together

if TYPE_CHECKING:
    from litterm.protocols import StemVectors
    from litterm.retrieve.bodies import FullTexts
    from litterm.retrieve.live import Live, Rows
    from litterm.retrieve.scores import Scored, Term

POINTS = 40.0
"""Of a paper that holds every such word of the query: more than all else together. With 4 or 8 no set of questions
loses either (`litterm bench litsearch`), but papers whose full text alone holds the name are outvoted."""
_MOST, _ONE_IN, _LEAST = 20, 100, 3
"""A word is rare in at most `_MOST` papers and one in `_ONE_IN`; in a small library in `_LEAST`."""
MOST_TYPED = 32
"""Words up to which a query was typed; in a longer, pasted text a rare word is one of many."""


@dataclass(frozen=True, slots=True)
class RareWords:
    """The rare words of one query, with the papers that hold each."""

    holders: tuple[Rows, ...]
    masses: tuple[float, ...]

    def rows(self, live: Live, allowed: Rows) -> Rows:
        """All of `allowed` (ascending) that hold one, ascending."""
        return np.intersect1d(together(live.size, *self.holders), allowed, assume_unique=True)

    def favours(self, pool: Rows) -> tuple[Favour, ...]:
        """What speaks for papers of the `pool` (ascending) that hold them; none where no paper there does."""
        points = np.zeros(len(pool))
        for rows, mass in zip(self.holders, self.masses, strict=True):
            points[np.isin(pool, rows)] += mass
        points *= POINTS / (sum(self.masses) or 1.0)
        return (Favour("holds the rare word", points.round(6)),) if points.any() else ()


def rare_words(
    live: Live, terms: Sequence[Term], scored: Scored, vectors: StemVectors, texts: Callable[[], FullTexts]
) -> RareWords:
    """The rare words among `terms`; one that no title and abstract holds is looked for in the full texts."""
    holders: list[Rows] = []
    masses: list[float] = []
    if len(terms) <= MOST_TYPED:
        places = vectors.places([term.stems[0] for term in terms]).tolist()
        most = max(_LEAST, min(_MOST, live.count // _ONE_IN))
        for term, place, frequency in zip(terms, places, scored.frequencies, strict=True):
            rows = _holders(live, term, texts) if place < 0 and frequency <= most else _NONE
            if 0 < len(rows) <= most:
                holders.append(rows)
                masses.append(math.log(1 + (live.count - len(rows) + 0.5) / (len(rows) + 0.5)))
    return RareWords(tuple(holders), tuple(masses))


_NONE: Rows = np.empty(0, np.int64)


def _holders(live: Live, term: Term, texts: Callable[[], FullTexts]) -> Rows:
    """The living rows that hold `term` in title or abstract; where none does, those of full texts that do."""
    found = [
        part.postings(stem)[0].astype(np.int64) + span.start for part, span in live.slices() for stem in term.stems
    ]
    rows = together(live.size, *found)
    if live.alive is not None:
        rows = rows[live.alive[rows]]
    return rows if len(rows) else np.flatnonzero(texts().scores([term]))
