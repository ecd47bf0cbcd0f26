"""Sorts a list for reading: overviews, foundations, further work, recent work; in each the one with most points first.

Tutorials order their references so. On the 45 development lists of ACL-rlg, Kendall's tau is .54 for overviews before
other papers, .36 for older before newer papers, and .18 for more cited before less cited ones.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from litterm.reading_lists.candidates import CITED, NAMED, ListCandidates
from litterm.reading_lists.origins import find_introduced_names, find_names_used
from litterm.reading_lists.selection import count_recent_places, is_in_title, is_recent, uses_as_means

if TYPE_CHECKING:
    from litterm.interfaces.arrays import Column
    from litterm.model.paper import PaperId
    from litterm.model.reading_list import ListStage

CitationPairs = Sequence[tuple["PaperId", "PaperId"]]
"""Pairs of citing and cited paper."""
_FOUNDATION_SHARE = 0.3
"""Share of a list that becomes foundations."""
_MAX_OVERVIEWS = 3
_ADOPTION_WEIGHT = 0.3
"""Weight of the logarithms of citations and of later uses of its words when foundations are chosen."""
_STAGE_RANKS: Mapping[ListStage, int] = {"overview": 0, "foundation": 1, "method": 2, "recent": 3}


def assign_stages(
    candidates: ListCandidates, indices: Sequence[int], points: Column, links: CitationPairs
) -> dict[int, ListStage]:
    """Assigns a stage to each of the selected papers."""
    papers, columns = candidates.papers, candidates.columns
    citations_inside = {papers[index].id: 0 for index in indices}
    for _, cited in links:
        citations_inside[cited] += 1
    overviews = _choose_overviews(candidates, indices, points)
    rest = [index for index in indices if index not in overviews]
    weight = {
        index: float(points[index])
        # A citation from within the list weighs most: a paper that is read with this one builds on it.
        + 2.0 * citations_inside[papers[index].id]
        + _ADOPTION_WEIGHT * (float(np.log1p(columns[CITED][index])) + float(columns["followers"][index]))
        for index in rest
    }
    recent = _find_recent(candidates, rest)
    # A paper that earlier work of the list cites is not recent: preprints are cited before their year.
    recent -= _find_prerequisites(candidates, [index for index in rest if index not in recent], rest, links)
    old = [index for index in rest if index not in recent]
    keywords = candidates.topic.keywords
    # "Generation as Dependency Parsing" is a foundation of generation, not of parsing, unless the list cites it.
    eligible = [
        index for index in old if citations_inside[papers[index].id] or not uses_as_means(papers[index].title, keywords)
    ]
    foundations = set(sorted(eligible, key=lambda index: -weight[index])[: round(_FOUNDATION_SHARE * len(indices))])
    foundations |= _find_prerequisites(candidates, foundations, old, links)
    stage_of: dict[int, ListStage] = {}
    for index in indices:
        if index in overviews:
            stage_of[index] = "overview"
        elif index in foundations:
            stage_of[index] = "foundation"
        else:
            stage_of[index] = "recent" if index in recent else "method"
    return stage_of


def _find_recent(candidates: ListCandidates, indices: Sequence[int]) -> set[int]:
    """The papers of the last year, and the newest of recent years until the reserved places are filled."""
    # No work builds yet on papers of the last year.
    years = {index: candidates.papers[index].year or candidates.until for index in indices}
    last_year = {index for index in indices if years[index] >= candidates.until}
    newest = sorted(
        (index for index in indices if is_recent(candidates.papers[index], candidates.until)),
        key=lambda index: -years[index],
    )
    return last_year | set(newest[: count_recent_places(len(indices))])


def _find_prerequisites(
    candidates: ListCandidates, base: Collection[int], indices: Sequence[int], links: CitationPairs
) -> set[int]:
    """The papers among `indices` on which papers of `base` build, directly or through others."""
    builds_on = _map_prerequisites(candidates, indices, links)
    prerequisites, queue = set[int](), list(base)
    while queue:
        added = builds_on.get(queue.pop(), set()) - prerequisites
        prerequisites |= added
        queue += added
    return prerequisites


def _map_citations(candidates: ListCandidates, indices: Collection[int], links: CitationPairs) -> dict[int, set[int]]:
    """Maps each paper of `indices` to those of them that it cites."""
    index_of = {candidates.papers[index].id: index for index in indices}
    cites: dict[int, set[int]] = {}
    for citing, cited in links:
        if citing in index_of and cited in index_of:
            cites.setdefault(index_of[citing], set()).add(index_of[cited])
    return cites


def _map_prerequisites(
    candidates: ListCandidates, indices: Collection[int], links: CitationPairs
) -> dict[int, set[int]]:
    """Maps each paper of `indices` to those of them that it cites, or whose coined name it uses."""
    papers, columns = candidates.papers, candidates.columns
    builds_on = _map_citations(candidates, indices, links)
    named = [(index, find_introduced_names(papers[index].title)) for index in indices if columns[NAMED][index] > 0]
    for index in indices if named else ():
        used, introduced = find_names_used(papers[index]), find_introduced_names(papers[index].title)
        year = papers[index].year or 0
        for origin, names in named:
            origin_year = papers[origin].year or 0
            # Papers that introduce the same name in the same year do not build on each other.
            shared = (names & used) - introduced if origin_year == year else names & used
            if origin != index and origin_year <= year and shared:
                builds_on.setdefault(index, set()).add(origin)
    return builds_on


def _choose_overviews(candidates: ListCandidates, indices: Sequence[int], points: Column) -> list[int]:
    """The overviews with which a list opens, best first: those with a keyword of the topic in their title.

    Other overviews cover a neighbouring field or a part of this one; they are sorted like any other paper.
    """
    keywords, papers = candidates.topic.keywords, candidates.papers
    surveys = [index for index in indices if candidates.columns["overview"][index]]
    on_topic = [index for index in surveys if any(is_in_title(papers[index], keyword) for keyword in keywords)]
    return sorted(on_topic, key=lambda index: -points[index])[:_MAX_OVERVIEWS]


def sort_for_reading(
    candidates: ListCandidates, stage_of: Mapping[int, ListStage], points: Column, links: CitationPairs
) -> list[int]:
    """Sorts papers by stage, then by points, but places a paper after those on which it builds."""

    def key(index: int) -> tuple[int, float, str]:
        return _STAGE_RANKS[stage_of[index]], -float(points[index]), candidates.papers[index].id

    ordered = sorted(stage_of, key=key)
    builds_on, cites = _map_prerequisites(candidates, ordered, links), _map_citations(candidates, ordered, links)
    return [
        index
        for rank in range(len(_STAGE_RANKS))
        for index in _sort_topologically(
            [index for index in ordered if _STAGE_RANKS[stage_of[index]] == rank], builds_on, cites
        )
    ]


def _sort_topologically(indices: Sequence[int], *relations: Mapping[int, Collection[int]]) -> list[int]:
    """Sorts `indices` topologically by the first of `relations`, which maps papers to those that come before them.

    Otherwise their order is kept. In a cycle the next relation decides, and finally the original order.
    """
    waiting, order = list(indices), list[int]()
    while waiting:
        # Citations form cycles if versions of a paper were merged, or if papers cite each other.
        free = (
            index for builds_on in relations for index in waiting if set(waiting).isdisjoint(builds_on.get(index, ()))
        )
        order.append(next(free, waiting[0]))
        waiting.remove(order[-1])
    return order
