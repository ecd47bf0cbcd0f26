"""The order in which a newcomer reads: overviews, what others build on, further work, the newest work.

Tutorials are ordered so: over the 45 development lists of ACL-rlg, an overview stands before another paper with a
Kendall tau of .54, an older paper before a newer one with .36, a more cited one before a less cited one with .18.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from litterm.reading_lists.candidates import CITED, ListCandidates
from litterm.reading_lists.selection import in_title

if TYPE_CHECKING:
    from litterm.interfaces.attribution import Column
    from litterm.model.paper import PaperId
    from litterm.model.reading_list import Stage

Links = Sequence[tuple["PaperId", "PaperId"]]
"""Citing and cited paper."""
_FOUNDATIONS = 0.3
"""Share of a list that are foundations."""
_OVERVIEWS = 3
_TAKEN_UP = 0.3
"""Points a logarithm of citations, or of later uses of its words, is worth in the choice of foundations."""
_RANK: Mapping[Stage, int] = {"overview": 0, "foundation": 1, "method": 2, "recent": 3}


def stages(candidates: ListCandidates, places: Sequence[int], points: Column, links: Links) -> dict[int, Stage]:
    """What each chosen paper is for; only overviews of the very topic open the list."""
    papers, columns = candidates.papers, candidates.columns
    inside = {papers[place].id: 0 for place in places}
    for _, cited in links:
        inside[cited] += 1
    overviews = _opening(candidates, places, points)
    rest = [place for place in places if place not in overviews]
    # What others of the list build on, what many cite, what later titles and abstracts take up.
    weight = {
        place: float(points[place])
        # A citation from within the list weighs more than any count: papers that are read with it build on it.
        + 2.0 * inside[papers[place].id]
        + _TAKEN_UP * (float(np.log1p(columns[CITED][place])) + float(columns["followers"][place]))
        for place in rest
    }
    # A paper of the last year cannot have been built upon yet.
    old = [place for place in rest if (papers[place].year or candidates.until) < candidates.until]
    base = set(sorted(old, key=lambda place: -weight[place])[: round(_FOUNDATIONS * len(places))])
    stage_of: dict[int, Stage] = {}
    for place in places:
        if place in overviews:
            stage_of[place] = "overview"
        elif place in base:
            stage_of[place] = "foundation"
        else:
            stage_of[place] = "recent" if place not in old else "method"
    return stage_of


def _opening(candidates: ListCandidates, places: Sequence[int], points: Column) -> list[int]:
    """The overviews that are read first, the best before the others: those with a keyword of the topic in their title.

    Others are on a neighbouring field or on a part of this one, and are read where their points put them.
    """
    keywords, papers = candidates.topic.keywords, candidates.papers
    surveys = [place for place in places if candidates.columns["overview"][place]]
    fitting = [place for place in surveys if any(in_title(papers[place], keyword) for keyword in keywords)]
    return sorted(fitting, key=lambda place: -points[place])[:_OVERVIEWS]


def reading_order(candidates: ListCandidates, stage_of: Mapping[int, Stage], points: Column, links: Links) -> list[int]:
    """The places by stage and points, a cited paper before one that builds on it."""

    def key(place: int) -> tuple[int, float, str]:
        return _RANK[stage_of[place]], -float(points[place]), candidates.papers[place].id

    ordered = sorted(stage_of, key=key)
    cites: dict[PaperId, set[PaperId]] = {}
    for citing, cited in links:
        cites.setdefault(citing, set()).add(cited)
    return [
        place
        for rank in range(len(_RANK))
        for place in _cited_first(candidates, [index for index in ordered if _RANK[stage_of[index]] == rank], cites)
    ]


def _cited_first(
    candidates: ListCandidates, places: Sequence[int], cites: Mapping[PaperId, Collection[PaperId]]
) -> list[int]:
    """`places` in their order, but each behind those among them that it cites; of a cycle the first comes first."""
    waiting, order = list(places), list[int]()
    while waiting:
        ids = {candidates.papers[place].id for place in waiting}
        # Citations form cycles where versions of one paper were merged, or two were written side by side.
        free = [place for place in waiting if ids.isdisjoint(cites.get(candidates.papers[place].id, ()))]
        order.append((free or waiting)[0])
        waiting.remove(order[-1])
    return order
