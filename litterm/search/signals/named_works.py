"""Finds the papers that a typed author and year name: "Lee et al. 2017 coreference" asks for one of Lee's.

Names of authors stand in no title: as words they find replies to somebody of that name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from litterm.search.signals.fusion import PaperPrior
from litterm.text.queries.parser import free_text
from litterm.text.queries.query_kind import kind_of
from litterm.text.tokens import fold, words

if TYPE_CHECKING:
    from litterm.interfaces import Library
    from litterm.model.paper import Paper
    from litterm.model.search import Query
    from litterm.search.open_index import LiveRows, Rows
    from litterm.text.references.resolution import Mention

POINTS = 12.0
"""Of a paper whose first author and year were typed beside other words: a little less than a sure hit by those."""
ALONE = 40.0
"""The same where nothing else was typed."""
_LATER_AUTHOR, _NEXT_YEAR = 0.5, 0.5
"""What is left of the points where the name is of a later author, and where the year is one off."""
_YEAR = re.compile(r"(?<!\d)(?:18|19|20)\d\d(?!\d)")
_LOWER = re.compile(r"\s*[^\W\d_]{2,}(?: et\.? al\.?)?,? \(?(?:18|19|20)\d\d\)?\s*")
_LONGEST = 400
"""Characters; what is longer tells by its words."""
_MOST = 400
"""Papers of one author that are looked through."""


@dataclass(frozen=True, slots=True)
class NamedWorks:
    """Papers by authors and year, each with its points."""

    rows: Rows
    """Ascending."""
    points: tuple[float, ...]
    """One a row."""

    def priors(self, pool: Rows) -> tuple[PaperPrior, ...]:
        """What speaks for those in the `pool` (ascending)."""
        points = np.zeros(len(pool))
        present = np.isin(pool, self.rows)
        points[present] = np.array(self.points)[np.isin(self.rows, pool)]
        return (PaperPrior("by the author and of the year typed", points),) if present.any() else ()


def named_works(live: LiveRows, library: Library, query: Query) -> tuple[NamedWorks, Query] | None:
    """The papers that an author and a year in `query` name, and the query without these words; `None` without any.

    Where nothing else was typed the words stay.
    """
    mention = _mention(query)
    if mention is None:
        return None
    (refs,) = library.author_rows(live.snapshot, [mention.families[0]])
    rows = live.rows(refs)
    # A preprint and its publication are often a year apart.
    rows = rows[np.abs(live.column("year", rows) - mention.year) <= 1]
    if live.alive is not None:
        rows = rows[live.alive[rows]]
    rows = rows[:_MOST]
    papers = library.papers(live.snapshot, live.refs(rows.tolist()))
    shares = np.array([_share(paper, mention) for paper in papers])
    if not shares.any():
        return None
    rest = _without(query, mention)
    points = shares[shares > 0] * (ALONE if rest is None else POINTS)
    return NamedWorks(rows[shares > 0], tuple(points.tolist())), rest or query


def _mention(query: Query) -> Mention | None:
    text = free_text(query)
    if len(text) > _LONGEST or not _YEAR.search(text) or query.like:
        return None
    if (query.kind or kind_of(text)) not in ("keywords", "question"):
        return None
    # Hardly any query holds a year: what reads references is imported when one does.
    from litterm.text.references.resolution import find_mentions

    # Names are recognised by their capital; whoever types in small letters means one all the same.
    return next(find_mentions(text.strip().capitalize() if _LOWER.fullmatch(text) else text), None)


def _share(paper: Paper, mention: Mention) -> float:
    own = [_key(author.family) for author in paper.authors]
    named = [_key(family) for family in mention.families]
    if not own or not set(named) <= set(own):
        return 0.0
    return (1.0 if own[0] == named[0] else _LATER_AUTHOR) * (1.0 if paper.year == mention.year else _NEXT_YEAR)


def _without(query: Query, mention: Mention) -> Query | None:
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


def _key(family: str) -> str:
    return "".join(words(family))
