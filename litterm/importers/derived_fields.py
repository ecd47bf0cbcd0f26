"""Fields that a record's title or id tells where its source does not state them, whatever that source is."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from litterm.model.paper import Paper
from litterm.text.references.identity import key_in
from litterm.text.references.retractions import retraction_of_title

_ARXIV_MONTH: Final = re.compile(r"(?:[a-z-]+(?:\.[A-Z]{2})?/)?(\d\d)(0[1-9]|1[0-2])(?:\.?\d+)", re.IGNORECASE)
_FIRST_ARXIV_YEAR: Final = 91


def fill_derived_fields(paper: Paper) -> Paper:
    """`paper` with the retraction that its title says, and with the year of its arXiv id where it has none."""
    retraction = paper.retraction
    if not retraction or retraction.startswith("corrected"):
        retraction = retraction_of_title(paper.title) or retraction
    date = "" if paper.year is not None or paper.date else arxiv_month(key_in(paper, "arxiv"))
    if retraction == paper.retraction and not date:
        return paper
    if date:
        return replace(paper, retraction=retraction, year=int(date[:4]), date=date)
    return replace(paper, retraction=retraction)


def arxiv_month(key: str) -> str:
    """The month in which the paper of an arXiv id was submitted: `2007-04` of `0704.0001`, `1999-01` of
    `math/9901001`; empty where `key` is none."""
    match = _ARXIV_MONTH.fullmatch(key)
    if match is None:
        return ""
    year, month = match.groups()
    # Old ids began in 1991 and have a slash; new ones began in 2007.
    century = 1900 if "/" in key and int(year) >= _FIRST_ARXIV_YEAR else 2000
    return f"{century + int(year)}-{month}"
