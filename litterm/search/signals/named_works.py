"""Finds the papers named by an author and a year in a query: "Lee et al. 2017 coreference" asks for one of Lee's.

Titles hold no names of their authors: as words, such names would find papers about people of that name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from litterm.search.signals.fusion import PaperPrior
from litterm.text.queries.parser import free_text
from litterm.text.queries.query_kind import guess_kind
from litterm.text.tokens import fold, words

if TYPE_CHECKING:
    from litterm.interfaces import Library
    from litterm.model.paper import Paper
    from litterm.model.search import Query
    from litterm.search.open_index import LiveRows, Rows
    from litterm.text.references.resolution import Mention

NAMED_WORK_POINTS = 12.0
"""Points of a paper whose first author and year are in the query: a little less than a sure match by other words."""
ALONE_POINTS = 40.0
"""The same where the query has no other words."""
_LATER_AUTHOR_FACTOR, _ADJACENT_YEAR_FACTOR = 0.5, 0.5
"""Factors of the points where the name is that of a later author, and where the year is off by one."""
_YEAR = re.compile(r"(?<!\d)(?:18|19|20)\d\d(?!\d)")
_LOWERCASE_MENTION = re.compile(r"\s*[^\W\d_]{2,}(?: et\.? al\.?)?,? \(?(?:18|19|20)\d\d\)?\s*")
_MAX_CHARS = 400
"""Longer queries are not searched for names."""
_MAX_PAPERS = 400
"""Papers of one author that are read at most."""


@dataclass(frozen=True, slots=True)
class NamedWorks:
    """Papers named by author and year, each with its points."""

    rows: Rows
    """Ascending."""
    points: tuple[float, ...]
    """One a row."""

    def priors(self, pool: Rows) -> tuple[PaperPrior, ...]:
        """The prior of those in the `pool` (ascending)."""
        points = np.zeros(len(pool))
        present = np.isin(pool, self.rows)
        points[present] = np.array(self.points)[np.isin(self.rows, pool)]
        return (PaperPrior("by the author and of the year typed", points),) if present.any() else ()


def find_named_works(live: LiveRows, library: Library, query: Query) -> tuple[NamedWorks, Query] | None:
    """The papers that an author and a year in `query` name, and the query without these words; else `None`.

    The words stay where the query has no others.
    """
    mention = _find_mention(query)
    if mention is None:
        return None
    (refs,) = library.author_rows(live.snapshot, [mention.families[0]])
    rows = live.rows(refs)
    # A preprint and its publication are often a year apart.
    rows = rows[np.abs(live.column("year", rows) - mention.year) <= 1]
    if live.alive is not None:
        rows = rows[live.alive[rows]]
    rows = rows[:_MAX_PAPERS]
    papers = library.papers(live.snapshot, live.refs(rows.tolist()))
    shares = np.array([_points_share(paper, mention) for paper in papers])
    if not shares.any():
        return None
    rest = _remove_mention(query, mention)
    points = shares[shares > 0] * (ALONE_POINTS if rest is None else NAMED_WORK_POINTS)
    return NamedWorks(rows[shares > 0], tuple(points.tolist())), rest or query


def _find_mention(query: Query) -> Mention | None:
    text = free_text(query)
    if len(text) > _MAX_CHARS or not _YEAR.search(text) or query.like:
        return None
    if (query.kind or guess_kind(text)) not in ("keywords", "question"):
        return None
    # Imported only here: hardly any query holds a year.
    from litterm.text.references.resolution import find_mentions

    # Names are recognised by their capital letter, and queries are often typed in lower case.
    return next(find_mentions(text.strip().capitalize() if _LOWERCASE_MENTION.fullmatch(text) else text), None)


def _points_share(paper: Paper, mention: Mention) -> float:
    paper_families = [_name_key(author.surname) for author in paper.authors]
    mention_families = [_name_key(family) for family in mention.families]
    if not paper_families or not set(mention_families) <= set(paper_families):
        return 0.0
    return (1.0 if paper_families[0] == mention_families[0] else _LATER_AUTHOR_FACTOR) * (
        1.0 if paper.year == mention.year else _ADJACENT_YEAR_FACTOR
    )


def _remove_mention(query: Query, mention: Mention) -> Query | None:
    mention_words = {
        *(word for family in mention.families for word in words(family)),
        str(mention.year),
        "et",
        "al",
        "and",
    }
    words_left = tuple(word for word in query.words if not mention_words.issuperset(words(word)))
    unfinished = "" if fold(query.unfinished) in mention_words else query.unfinished
    return replace(query, words=words_left, unfinished=unfinished) if words_left or unfinished else None


def _name_key(family: str) -> str:
    return "".join(words(family))
