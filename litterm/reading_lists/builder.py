"""Builds reading lists offline, with a linear model of fitted weights."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from litterm.core.errors import LibraryError
from litterm.model.events import Progress
from litterm.model.reading_list import (
    LINEAR_METHOD,
    MAX_PAPERS,
    MIN_PAPERS,
    ListEntry,
    ListRequest,
    ListSection,
    ReadingList,
)
from litterm.reading_lists.candidates import CandidateSource, ListCandidates
from litterm.reading_lists.order import assign_stages, sort_for_reading
from litterm.reading_lists.reasons import explain_choice
from litterm.reading_lists.sections import group_into_sections
from litterm.reading_lists.selection import select_diverse
from litterm.reading_lists.topic import read_topic
from litterm.reading_lists.weights import score_candidates
from litterm.text.plural import count_phrase
from litterm.text.request_limits import check_listed_papers

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.interfaces.arrays import Column
    from litterm.model.paper import PaperId

_MAX_SPARES = 20
CITATIONS_UNKNOWN = "The citations between these papers are not known: the order is by kind of paper and year."
"""Notice of a list that was sorted without citations."""


@dataclass(frozen=True, slots=True)
class RankedCandidates:
    """Candidates with their scores."""

    candidates: ListCandidates
    points: Column


@dataclass(frozen=True, slots=True)
class ListBuilder:
    """Builds lists from one library with fitted weights; thread-safe."""

    search: CandidateSource
    weights: Column

    def build(self, request: ListRequest) -> Task[ReadingList]:
        """Builds the list of a request.

        Raises:
            UsageError: the topic has no word to search for.
        """
        ranked = yield from self.rank(request)
        return self.arrange(request, ranked, *choose(ranked, request))

    def rank(self, request: ListRequest) -> Task[RankedCandidates]:
        """Collects and scores the candidates of a request.

        Raises:
            UsageError: the topic has no word to search for.
            AsksTooMuch: the request is larger than one may be.
        """
        check_listed_papers(request)
        yield Progress("looking for papers")
        candidates = yield from self.search.collect(read_topic(request.topic), request)
        return RankedCandidates(candidates, score_candidates(candidates, self.weights))

    def arrange(
        self, request: ListRequest, ranked: RankedCandidates, indices: Sequence[int], spares: Sequence[int]
    ) -> ReadingList:
        """Arranges the candidates `indices` in reading order, with reasons and, if requested, sections."""
        candidates = ranked.candidates
        links = self.find_links([candidates.papers[index].id for index in indices])
        stage_of = assign_stages(candidates, indices, ranked.points, links)
        order = sort_for_reading(candidates, stage_of, ranked.points, links)
        entries = [
            ListEntry(
                candidates.papers[index],
                stage_of[index],
                explain_choice(candidates, index, stage_of[index], links, indices),
                pinned=candidates.papers[index].id in request.include,
            )
            for index in order
        ]
        sections = (
            group_into_sections(entries, candidates.topic) if request.sections else (ListSection("", tuple(entries)),)
        )
        return ReadingList(
            id="",
            request=request,
            sections=sections if entries else (),
            by=LINEAR_METHOD,
            links=links,
            spares=tuple(candidates.papers[index].id for index in spares[:_MAX_SPARES]),
            made=datetime.datetime.now(tz=datetime.UTC).isoformat(timespec="seconds"),
            notices=_notices(request, candidates, len(entries)),
        )

    def find_links(self, ids: Sequence[PaperId]) -> tuple[tuple[PaperId, PaperId], ...]:
        """Finds the citations among the papers `ids`, as pairs of citing and cited paper."""
        try:
            references = self.search.graph().references(ids)
        except LibraryError:
            # The list is then sorted without citations: by stage, points and the names that a paper introduced.
            return ()
        listed_ids = set(ids)
        return tuple((edge.citing, edge.cited) for edges in references for edge in edges if edge.cited in listed_ids)


def choose(ranked: RankedCandidates, request: ListRequest) -> tuple[list[int], list[int]]:
    """Chooses the candidates of a list; returns their indices and those of its spares."""
    candidates, papers = ranked.candidates, ranked.candidates.papers
    index_of = {paper.id: index for index, paper in enumerate(papers)}
    fixed = [index_of[paper_id] for paper_id in request.include if paper_id in index_of]
    # Pinned papers are always included, even if the list gets longer than the maximum.
    size = min(max(request.size, MIN_PAPERS, len(fixed)), max(MAX_PAPERS, len(fixed)))
    return select_diverse(
        papers, ranked.points, candidates.topic.keywords, size=size, until=candidates.until, fixed=fixed
    )


def _notices(request: ListRequest, candidates: ListCandidates, count: int) -> tuple[str, ...]:
    if not count:
        return ()
    notices = []
    if count < request.size:
        notices.append(f"The library holds only {count_phrase(count, 'paper')} on this.")
    if not candidates.columns["cited"].any():
        notices.append(CITATIONS_UNKNOWN)
    return tuple(notices)
