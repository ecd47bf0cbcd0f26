"""Excludes what cannot be the cited paper: the citing paper itself under any spelling, and what came later."""

from __future__ import annotations

from litterm.model.attribution.citation import CandidateBounds
from litterm.model.paper import Paper
from litterm.text.references.titles import same_title

_YEAR_MONTH_LENGTH = len("2018-07")


def is_admitted(paper: Paper, bounds: CandidateBounds) -> bool:
    """Whether `paper` may be the cited one."""
    if paper.id in bounds.exclude or (bounds.source and same_title(bounds.source, paper.title)):
        return False
    # Other years are the search's to leave out, which knows no months. Within the last one a paper whose month is
    # not known stays.
    if bounds.year is None or bounds.month is None or paper.year != bounds.year or len(paper.date) < _YEAR_MONTH_LENGTH:
        return True
    return int(paper.date[5:7]) <= bounds.month
