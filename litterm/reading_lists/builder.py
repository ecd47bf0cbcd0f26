"""Topic to reading list without a network and without a model."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from litterm.core.errors import LibraryError
from litterm.model.events import Progress
from litterm.model.reading_list import MAX_PAPERS, MIN_PAPERS, ListEntry, ListRequest, ListSection, ReadingList
from litterm.reading_lists.candidates import CandidateSource, ListCandidates
from litterm.reading_lists.order import reading_order, stages
from litterm.reading_lists.reasons import reasons
from litterm.reading_lists.sections import in_sections
from litterm.reading_lists.selection import select
from litterm.reading_lists.topic import read_topic
from litterm.reading_lists.weights import points

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.interfaces.arrays import Column
    from litterm.model.paper import PaperId

BY = "linear"
_SPARES = 20
CITATIONS_UNKNOWN = "The citations between these papers are not known: the order is by kind of paper and year."
"""Notice of a list that the citation graph could not help to order."""


@dataclass(frozen=True, slots=True)
class RankedCandidates:
    """Candidates with the points of each."""

    candidates: ListCandidates
    points: Column


@dataclass(frozen=True, slots=True)
class ListBuilder:
    """Makes lists by fitted weights, over one library; safe from any thread."""

    search: CandidateSource
    weights: Column

    def build(self, request: ListRequest) -> Task[ReadingList]:
        """The list of a request.

        Raises:
            UsageError: the topic has no word to search for.
        """
        ranked = yield from self.rank(request)
        return self.arranged(request, ranked, *chosen(ranked, request))

    def rank(self, request: ListRequest) -> Task[RankedCandidates]:
        """The candidates of a request and what each is worth.

        Raises:
            UsageError: the topic has no word to search for.
        """
        yield Progress("looking for papers")
        candidates = yield from self.search.collect(read_topic(request.topic), request)
        return RankedCandidates(candidates, points(candidates, self.weights))

    def arranged(
        self, request: ListRequest, ranked: RankedCandidates, places: Sequence[int], spares: Sequence[int]
    ) -> ReadingList:
        """A list of the candidates at `places` in reading order, with reasons and, where wanted, sections."""
        candidates = ranked.candidates
        links = self.links([candidates.papers[place].id for place in places])
        stage_of = stages(candidates, places, ranked.points, links)
        order = reading_order(candidates, stage_of, ranked.points, links)
        entries = [
            ListEntry(
                candidates.papers[place],
                stage_of[place],
                reasons(candidates, place, stage_of[place], links, places),
                pinned=candidates.papers[place].id in request.include,
            )
            for place in order
        ]
        sections = in_sections(entries, candidates.topic) if request.sections else (ListSection("", tuple(entries)),)
        return ReadingList(
            id="",
            request=request,
            sections=sections if entries else (),
            by=BY,
            links=links,
            spares=tuple(candidates.papers[place].id for place in spares[:_SPARES]),
            made=datetime.datetime.now(tz=datetime.UTC).isoformat(timespec="seconds"),
            notices=_notices(request, candidates, len(entries)),
        )

    def links(self, ids: Sequence[PaperId]) -> tuple[tuple[PaperId, PaperId], ...]:
        """Citing and cited paper of every citation among the papers `ids` that the library knows."""
        try:
            references = self.search.graph().references(ids)
        except LibraryError:
            # The list is still made: its order then rests on the kind of a paper and its year.
            return ()
        inside = set(ids)
        return tuple((edge.citing, edge.cited) for edges in references for edge in edges if edge.cited in inside)


def chosen(ranked: RankedCandidates, request: ListRequest) -> tuple[list[int], list[int]]:
    """The indices of the candidates that form a list, and of those that come next as spares."""
    candidates, papers = ranked.candidates, ranked.candidates.papers
    place_of = {paper.id: place for place, paper in enumerate(papers)}
    fixed = [place_of[paper_id] for paper_id in request.include if paper_id in place_of]
    # What is pinned always comes in, even where that is more than a list may otherwise hold.
    size = min(max(request.size, MIN_PAPERS, len(fixed)), max(MAX_PAPERS, len(fixed)))
    return select(papers, ranked.points, candidates.topic.keywords, size=size, until=candidates.until, fixed=fixed)


def _notices(request: ListRequest, candidates: ListCandidates, count: int) -> tuple[str, ...]:
    if not count:
        return ()
    notices = []
    if count < request.size:
        notices.append(f"The library holds only {count} papers on this.")
    if not candidates.columns["cited"].any():
        notices.append(CITATIONS_UNKNOWN)
    return tuple(notices)
