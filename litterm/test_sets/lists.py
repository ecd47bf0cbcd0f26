"""Reading lists that tutorials and surveys of the library print, as a test set after ACL-rlg (Aumiller et al. 2025)."""

from __future__ import annotations

import re

from litterm.model.reading_list import MAX_PAPERS, MIN_PAPERS, ExpertList
from litterm.model.test_sets import QueriedList
from litterm.reading_lists.topic import read_topic

_MAX_KEYWORDS = 3
"""Phrases of a title, as in the publication, which finds them a poor stand-in for what people type."""
_GENRE = re.compile(
    r"^\W*(?:an?\s|the\s)?(?:(?:introductory|half-day|full-day|cutting-edge)\s)?(?:tutorial|survey|review|overview"
    r"|introduction|primer)\s(?:on|of|to)\s|(?<!\W)\W*\b(?:an?\s)?(?:tutorial|survey|review|overview)\W*$",
    re.IGNORECASE,
)


def queried_list(found: ExpertList) -> QueriedList | str:
    """The list with a query made of its paper's title, or the reason why it is not measured."""
    if not MIN_PAPERS <= len(found.references) <= MAX_PAPERS:
        return f"not of {MIN_PAPERS} to {MAX_PAPERS} works"
    if not found.held:
        return "the library holds none of its works"
    if not found.paper.year:
        return "the year of the tutorial is not known"
    topic = _GENRE.sub("", found.paper.title).strip() or found.paper.title
    keywords = ", ".join(read_topic(topic).keywords[:_MAX_KEYWORDS])
    return QueriedList(found, keywords, f"Please give me a reading list about {topic}.")
