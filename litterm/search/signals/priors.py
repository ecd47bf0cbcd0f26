"""Priors from venue, year and `unlike:`, beside the words of a paper: they decide near ties and add no paper.

No prior rewards a missing field: most ACL papers before 2016 have no abstract, and a ranker that learns this wins on
old benchmarks and loses everywhere else.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from litterm.search.open_index import mask_of
from litterm.search.signals.fusion import PaperPrior

if TYPE_CHECKING:
    import numpy.typing as npt

    from litterm.library.index.segment_index import SegmentIndex
    from litterm.model.paper import PaperId
    from litterm.model.search import Query
    from litterm.search.open_index import LiveRows, Mask, Rows
    from litterm.search.signals.bm25 import Scores

MAIN_VENUES = ("acl", "emnlp", "naacl", "eacl", "cl", "tacl", "coling", "conll", "aacl", "ijcnlp")
MAIN_VENUE_POINTS = 0.3
SOFT_YEAR_POINTS = 4.0
"""Points of a paper of exactly that year: as much as two standard deviations of nearness in meaning."""
UNLIKE_POINTS = 8.0
"""Points taken from a paper identical to one of `unlike:`; related papers, with cosines around .4, lose three."""
_FADE_YEARS = 2.0
"""Distance in years at which the points of a soft year have fallen to 1/e."""
_MASK_BY_SEGMENT: WeakKeyDictionary[SegmentIndex, Mask] = WeakKeyDictionary()
"""Computed once for each segment, which never changes."""


def paper_priors(query: Query, is_main: Mask, years: npt.NDArray[np.int64]) -> tuple[PaperPrior, ...]:
    """The priors that apply to `query`, from a mask of papers of `is_main` venues and the years of the papers."""
    # A prior that is 0 for all is not shown as a reason.
    priors = (
        PaperPrior("main venue", is_main.astype(np.float64) * MAIN_VENUE_POINTS),
        *_soft_year_priors(query, years),
    )
    return tuple(prior for prior in priors if prior.points.any())


def main_venue_mask(live: LiveRows, rows: Rows) -> Mask:
    """A mask over `rows` (ascending): papers of the main venues."""
    main = np.zeros(len(rows), np.bool_)
    for part, span, local_rows in live.split(rows):
        main[span] = _segment_main_venue_mask(part)[local_rows]
    return main


def _segment_main_venue_mask(part: SegmentIndex) -> Mask:
    mask = _MASK_BY_SEGMENT.get(part)
    if mask is None:
        mask = _MASK_BY_SEGMENT[part] = mask_of(part.count, *map(part.venue_rows, MAIN_VENUES))
    return mask


def _soft_year_priors(query: Query, years: npt.NDArray[np.int64]) -> Iterable[PaperPrior]:
    if not query.soft_years:
        return
    distances = np.min([np.abs(years - year) for year in query.soft_years], axis=0)
    points = SOFT_YEAR_POINTS * np.exp(-distances / _FADE_YEARS)
    # Year 0 is unknown, and counts neither for nor against.
    yield PaperPrior("near " + " or ".join(map(str, query.soft_years)), np.where(years > 0, points, 0.0).round(6))


def unlike_prior(paper_id: PaperId, cosines: Scores) -> PaperPrior:
    """The prior against papers near in meaning to the one of `unlike:`; `cosines` has one value a row of the pool."""
    return PaperPrior(f"unlike {paper_id}", -UNLIKE_POINTS * np.clip(cosines.astype(np.float64), 0.0, 1.0))
