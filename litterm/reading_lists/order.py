"""The order in which a newcomer reads: overviews, what others build on, further work, the newest work.

Tutorials are ordered so: over the 45 development lists of ACL-rlg, an overview stands before another paper with a
Kendall tau of .54, an older paper before a newer one with .36, a more cited one before a less cited one with .18.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from litterm.reading_lists.candidates import CITED, NAMED, ListCandidates
from litterm.reading_lists.origins import introduced_names, names_used
from litterm.reading_lists.selection import applies, in_title, is_recent, recent_places

if TYPE_CHECKING:
    from litterm.interfaces.arrays import Column
    from litterm.model.paper import PaperId
    from litterm.model.reading_list import ListStage

Links = Sequence[tuple["PaperId", "PaperId"]]
"""Citing and cited paper."""
_FOUNDATIONS = 0.3
"""Share of a list that are foundations."""
_OVERVIEWS = 3
_TAKEN_UP = 0.3
"""Points a logarithm of citations, or of later uses of its words, is worth in the choice of foundations."""
_RANK: Mapping[ListStage, int] = {"overview": 0, "foundation": 1, "method": 2, "recent": 3}


def stages(candidates: ListCandidates, places: Sequence[int], points: Column, links: Links) -> dict[int, ListStage]:
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
    late = _latest(candidates, rest)
    # What earlier work of the list builds on comes before it, however new: a preprint is cited before its year.
    late -= _built_upon(candidates, [place for place in rest if place not in late], rest, links)
    old = [place for place in rest if place not in late]
    keywords = candidates.topic.keywords
    # "Generation as Dependency Parsing" is a foundation of generation, unless others of the list say otherwise.
    able = [place for place in old if inside[papers[place].id] or not applies(papers[place].title, keywords)]
    base = set(sorted(able, key=lambda place: -weight[place])[: round(_FOUNDATIONS * len(places))])
    base |= _built_upon(candidates, base, old, links)
    stage_of: dict[int, ListStage] = {}
    for place in places:
        if place in overviews:
            stage_of[place] = "overview"
        elif place in base:
            stage_of[place] = "foundation"
        else:
            stage_of[place] = "recent" if place in late else "method"
    return stage_of


def _latest(candidates: ListCandidates, places: Sequence[int]) -> set[int]:
    """The recent work of a list: that of the last year; where there is little, the newest of the last years, too."""
    # A paper of the last year cannot have been built upon yet.
    years = {place: candidates.papers[place].year or candidates.until for place in places}
    last = {place for place in places if years[place] >= candidates.until}
    newest = sorted(
        (place for place in places if is_recent(candidates.papers[place], candidates.until)),
        key=lambda place: -years[place],
    )
    return last | set(newest[: recent_places(len(places))])


def _built_upon(candidates: ListCandidates, base: Collection[int], places: Sequence[int], links: Links) -> set[int]:
    """Those of `places` that papers of `base` cite or name, or that these build on in turn: they come before them."""
    builds_on = _builds_on(candidates, places, links)
    found, following = set[int](), list(base)
    while following:
        below = builds_on.get(following.pop(), set()) - found
        found |= below
        following += below
    return found


def _cites(candidates: ListCandidates, places: Collection[int], links: Links) -> dict[int, set[int]]:
    """Among `places` by each paper those that it cites."""
    place_of = {candidates.papers[place].id: place for place in places}
    cites: dict[int, set[int]] = {}
    for citing, cited in links:
        if citing in place_of and cited in place_of:
            cites.setdefault(place_of[citing], set()).add(place_of[cited])
    return cites


def _builds_on(candidates: ListCandidates, places: Collection[int], links: Links) -> dict[int, set[int]]:
    """Among `places` by each paper those that it cites, or whose name it uses that were there before it."""
    papers, columns = candidates.papers, candidates.columns
    builds_on = _cites(candidates, places, links)
    named = [(place, introduced_names(papers[place].title)) for place in places if columns[NAMED][place] > 0]
    for place in places if named else ():
        used, own, year = names_used(papers[place]), introduced_names(papers[place].title), papers[place].year or 0
        for origin, names in named:
            origin_year = papers[origin].year or 0
            # Two papers that introduce one name in the same year do not build on each other.
            shared = (names & used) - own if origin_year == year else names & used
            if origin != place and origin_year <= year and shared:
                builds_on.setdefault(place, set()).add(origin)
    return builds_on


def _opening(candidates: ListCandidates, places: Sequence[int], points: Column) -> list[int]:
    """The overviews that are read first, the best before the others: those with a keyword of the topic in their title.

    Others are on a neighbouring field or on a part of this one, and are read where their points put them.
    """
    keywords, papers = candidates.topic.keywords, candidates.papers
    surveys = [place for place in places if candidates.columns["overview"][place]]
    fitting = [place for place in surveys if any(in_title(papers[place], keyword) for keyword in keywords)]
    return sorted(fitting, key=lambda place: -points[place])[:_OVERVIEWS]


def reading_order(
    candidates: ListCandidates, stage_of: Mapping[int, ListStage], points: Column, links: Links
) -> list[int]:
    """The places by stage and points, a cited paper before one that builds on it."""

    def key(place: int) -> tuple[int, float, str]:
        return _RANK[stage_of[place]], -float(points[place]), candidates.papers[place].id

    ordered = sorted(stage_of, key=key)
    builds_on, cites = _builds_on(candidates, ordered, links), _cites(candidates, ordered, links)
    return [
        place
        for rank in range(len(_RANK))
        for place in _cited_first([index for index in ordered if _RANK[stage_of[index]] == rank], builds_on, cites)
    ]


def _cited_first(places: Sequence[int], *relations: Mapping[int, Collection[int]]) -> list[int]:
    """`places` in their order, but each behind those among them that it builds on by the first of `relations`.

    Where that is a cycle the next relation decides, and at last the order in which they came.
    """
    waiting, order = list(places), list[int]()
    while waiting:
        # Citations form cycles where versions of one paper were merged, or two were written side by side.
        free = (
            place for builds_on in relations for place in waiting if set(waiting).isdisjoint(builds_on.get(place, ()))
        )
        order.append(next(free, waiting[0]))
        waiting.remove(order[-1])
    return order
