"""Priors for a paper beside its words, such as venue and year: they settle near ties and bring no paper in.

Nothing here rewards a paper for what its record lacks: most ACL papers before 2016 have no abstract, and a
ranker that finds out wins on old benchmarks and loses everywhere else.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from litterm.search.signals.fusion import PaperPrior

if TYPE_CHECKING:
    import numpy.typing as npt

    from litterm.library.index.segment_index import SegmentIndex
    from litterm.model.paper import PaperId
    from litterm.model.search import Query
    from litterm.search.open_index import LiveRows, Mask, Rows
    from litterm.search.signals.scores import Scores

MAIN_VENUES = ("acl", "emnlp", "naacl", "eacl", "cl", "tacl", "coling", "conll", "aacl", "ijcnlp")
MAIN_VENUE_POINTS = 0.3
SOFT_YEAR_POINTS = 4.0
"""Of a paper of the very year: as much as two standard deviations of nearness in meaning."""
UNLIKE_POINTS = 8.0
"""Taken from the twin of a paper whose like is not wanted; cosines of related papers, around .4, cost three."""
_FADE_YEARS = 2.0
"""Years off at which the points of a soft year have fallen to 1/e."""
_IN_MAIN_VENUE: WeakKeyDictionary[SegmentIndex, Mask] = WeakKeyDictionary()
"""Found out once a part, which never changes."""


def paper_priors(live: LiveRows, query: Query, pool: Rows) -> tuple[PaperPrior, ...]:
    """The priors that apply to `query`, over the rows of the `pool` (ascending)."""
    return priors_of(query, in_main_venue(live, pool), live.column("year", pool))


def priors_of(query: Query, main: Mask, years: npt.NDArray[np.int64]) -> tuple[PaperPrior, ...]:
    """The same, of papers of which it is known whether they are of a `main` venue, and their years."""
    # A prior that is 0 for all is not shown as a reason.
    priors = (PaperPrior("main venue", main.astype(np.float64) * MAIN_VENUE_POINTS), *_soft_years(query, years))
    return tuple(prior for prior in priors if prior.points.any())


def in_main_venue(live: LiveRows, rows: Rows) -> Mask:
    """Which of `rows` (ascending) came out at one of the main venues."""
    main = np.zeros(len(rows), np.bool_)
    for part, span, inside in live.split(rows):
        main[span] = _in_main_venue(part)[inside]
    return main


def _in_main_venue(part: SegmentIndex) -> Mask:
    mask = _IN_MAIN_VENUE.get(part)
    if mask is None:
        mask = np.zeros(part.count, np.bool_)
        for key in MAIN_VENUES:
            mask[part.venue_rows(key)] = True
        _IN_MAIN_VENUE[part] = mask
    return mask


def _soft_years(query: Query, years: npt.NDArray[np.int64]) -> Iterable[PaperPrior]:
    if not query.soft_years:
        return
    off = np.min([np.abs(years - year) for year in query.soft_years], axis=0)
    near = SOFT_YEAR_POINTS * np.exp(-off / _FADE_YEARS)
    # A year of 0 is not known: it speaks neither for nor against.
    yield PaperPrior("near " + " or ".join(map(str, query.soft_years)), np.where(years > 0, near, 0.0).round(6))


def unlike_prior(paper_id: PaperId, cosines: Scores) -> PaperPrior:
    """What speaks against papers near in meaning to one whose like is not wanted; `cosines`: one a row of the pool."""
    return PaperPrior(f"unlike {paper_id}", -UNLIKE_POINTS * np.clip(cosines.astype(np.float64), 0.0, 1.0))
