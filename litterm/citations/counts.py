"""Citation counts: how often papers are cited in the library and by services, and how to update them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING

from litterm.core.errors import LibraryError, Offline, SourceError
from litterm.model.citations.citation_counts import (
    COUNT_SOURCES,
    CountAnswer,
    CounterReport,
    CountSource,
    CountsReport,
    PaperCounts,
    ServiceCount,
)
from litterm.model.citations.facts import NETWORK_NAME
from litterm.model.events import Notice, Progress
from litterm.model.library import RowRef
from litterm.model.services import service_name

if TYPE_CHECKING:
    from litterm.citations.count_store import CountStore
    from litterm.citations.shipped import NetworkCounts
    from litterm.core.tasks import Task
    from litterm.interfaces import CitationCounter, CitationGraph, Library
    from litterm.model.paper import Paper, PaperId
    from litterm.model.search import Ranking
    from litterm.services.registry import ServiceRegistry

FRESH_DAYS = 30
"""Days during which no service is asked again about the same paper."""
_LAST_RESORT: CountSource = "crossref"
"""The service asked only about papers that no other service counts: it knows only deposited references."""
_UNKNOWN_SORT_KEY = -1e9
"""Sort key of a paper that the service does not count, below every count."""
# Records read at a time, so that a whole library is never held in memory.
_BATCH_PAPERS = 500


def _today() -> date:
    return datetime.now(UTC).date()


@dataclass(frozen=True, slots=True)
class _CounterPlan:
    """One service, and the papers to ask it about."""

    counter: CitationCounter
    source: CountSource
    papers: Sequence[Paper]


@dataclass(slots=True)
class CitationCounts:
    """Counts of papers; reads are cheap and ask no service. Safe from any thread. Fits `interfaces.CitedPapers`."""

    store: CountStore
    library: Library
    graph: Callable[[], CitationGraph]
    services: Callable[[], ServiceRegistry]
    today: Callable[[], date] = _today
    network: Callable[[], NetworkCounts] | None = None
    """Opens the counts that ship, which stand behind those of services."""
    _sorted_by_network: bool = False
    """Whether the Network knew a paper of those that were sorted last."""
    _known: tuple[object, object, dict[PaperId, int]] | None = field(default=None)
    """By the version of the store and the graph used, the largest count of every paper."""

    def counts_of(self, ids: Sequence[PaperId]) -> tuple[PaperCounts, ...]:
        """Per paper, every count there is."""
        network = self.network().of_papers(ids) if self.network is not None else [None] * len(ids)
        return self._joined_counts(ids, network)

    def _joined_counts(self, ids: Sequence[PaperId], network: Sequence[ServiceCount | None]) -> tuple[PaperCounts, ...]:
        cited, services = self._graph_counts(ids), self._service_counts(ids)
        everything = [
            counts if shipped is None else (*counts, shipped) for counts, shipped in zip(services, network, strict=True)
        ]
        return tuple(itertools.starmap(PaperCounts, zip(cited, everything, strict=True)))

    def until(self, ids: Sequence[PaperId], year: int) -> tuple[int | None, ...]:
        """Per paper, citations of the whole literature until the end of `year`, all by the service that counts most."""
        counts_by_source = [
            {count.source: count.until(year) for count in counts} for counts in self._service_counts(ids)
        ]
        known_papers = {
            source: sum(counts.get(source) is not None for counts in counts_by_source) for source in COUNT_SOURCES
        }
        # One service for all: counts of two services cannot be compared.
        best = max(COUNT_SOURCES, key=lambda source: known_papers[source])
        return tuple(counts.get(best) for counts in counts_by_source)

    def with_counts(self, ranking: Ranking) -> Ranking:
        """Adds the counts of its papers to `ranking`."""
        counts_of_papers = self._counts_of_papers([ranked.paper for ranked in ranking.papers])
        papers = tuple(
            replace(ranked, cited=counts) for ranked, counts in zip(ranking.papers, counts_of_papers, strict=True)
        )
        return replace(ranking, papers=papers)

    def _counts_of_papers(self, papers: Sequence[Paper]) -> tuple[PaperCounts, ...]:
        """As `counts_of`, of papers whose other ids need not be looked up."""
        network = self.network() if self.network is not None else None
        shipped = [network.of((paper.id, *paper.aliases)) if network is not None else None for paper in papers]
        return self._joined_counts([paper.id for paper in papers], shipped)

    def papers_cited_at_least(self, count: int) -> Collection[PaperId]:
        """The papers of which the largest count is `count` or more."""
        papers = {paper for paper, largest in self._largest_counts().items() if largest >= count}
        return papers.union(self.network().cited_at_least(count)) if self.network is not None else papers

    def sort_keys(self, ids: Sequence[PaperId]) -> Sequence[float]:
        """Sort keys by the service that counts most papers.

        Of a paper that it does not count, or without a service, the larger of the citations within the library and
        those that ship: neither can know all of them.
        """
        in_library, leading = self._graph_counts(ids), self._leading_source()
        network = self.network().sort_numbers(ids) if self.network is not None else [-1] * len(ids)
        self._sorted_by_network = max(network, default=-1) >= 0
        world = {} if leading is None else self.store.numbers(leading)
        lowest = 0.0 if leading is None else _UNKNOWN_SORT_KEY
        # The fraction, below one, only breaks ties.
        return [
            (world[paper] if paper in world else lowest + max(count, shipped)) + count / (count + 1)
            for paper, count, shipped in zip(ids, in_library, network, strict=True)
        ]

    def counter_name(self) -> str:
        """The name of the counter that `sort_keys` uses."""
        leading = self._leading_source()
        if leading is None and self._sorted_by_network:
            return (
                f"By citations as the {NETWORK_NAME}, counts them, or within the library if those are more; "
                "`litterm sync counts` fetches all."
            )
        if leading is None:
            return "By citations within the library; `litterm sync counts` fetches those of the whole literature."
        return f"By citations as {service_name(leading)} counts them, then by those within the library."

    def sync(self, papers: Sequence[Paper] | None = None) -> Task[CountsReport]:
        """Counts of `papers`, else of the whole library, from every service that may know them, in batches.

        What was fetched is durable after each batch, and the next call continues there. A service that was asked
        about a paper within `FRESH_DAYS` is not asked again. If one service fails, the others are still asked.

        Raises:
            Offline: the network is switched off.
            LibraryError: another litterm is at it.
        """
        services = self.services()
        services.refuse_offline("who counts citations")
        papers = list(self._all_papers() if papers is None else papers)
        reports: list[CounterReport] = []
        with self.store.lock_for_writing():
            asked_ids: set[PaperId] = set()
            for counter in services.counters:
                plan = self._plan(counter, papers)
                asked_ids.update(paper.id for paper in plan.papers)
                # A service that may know none of the papers is not named in the report.
                if plan.papers:
                    reports.append((yield from self._ask(plan)))
        return CountsReport(len(papers), sum(paper.id not in asked_ids for paper in papers), tuple(reports))

    def _plan(self, counter: CitationCounter, papers: Sequence[Paper]) -> _CounterPlan:
        source = next(known for known in COUNT_SOURCES if known == counter.name)
        stale = (self.today() - timedelta(days=FRESH_DAYS)).isoformat()

        def is_due(answers: Mapping[CountSource, CountAnswer]) -> bool:
            other_answers = (answer for name, answer in answers.items() if name != source)
            # It counts fewest citations: where another service has counted a paper, its number adds nothing.
            if source == _LAST_RESORT and any(answer.count is not None for answer in other_answers):
                return False
            return source not in answers or answers[source].date < stale

        countable = [paper for paper in papers if counter.can_count(paper)]
        answers_of = self.store.answers([paper.id for paper in countable])
        due = [paper for paper, answers in zip(countable, answers_of, strict=True) if is_due(answers)]
        return _CounterPlan(counter, source, due)

    def _ask(self, plan: _CounterPlan) -> Task[CounterReport]:
        report = CounterReport(plan.source)
        called, size = service_name(plan.source), plan.counter.max_papers_per_step
        for start in range(0, len(plan.papers), size):
            yield Progress(f"citation counts, {called}", start, len(plan.papers))
            papers = plan.papers[start : start + size]
            try:
                counts = yield from plan.counter.fetch_counts(papers)
            except Offline:
                raise
            except SourceError as error:
                yield Notice(f"{called}: {error}")
                return replace(report, trouble=str(error), transient=error.transient)
            today = self.today().isoformat()
            answered = zip(papers, counts, strict=True)
            # Also that it knows none: else every paper without a count would be asked about each time.
            self.store.put([_answer(paper, plan.source, count, today) for paper, count in answered])
            known = sum(count is not None for count in counts)
            report = replace(report, asked=report.asked + len(papers), known=report.known + known)
        return report

    def _all_papers(self) -> Iterator[Paper]:
        """Every paper of the library, the last added first, since services are asked about them in this order."""
        snapshot = self.library.snapshot()
        for segment in reversed(snapshot.segments):
            hidden = frozenset(segment.shadowed)
            rows = [RowRef(segment.key, row) for row in range(segment.count) if row not in hidden]
            for start in range(0, len(rows), _BATCH_PAPERS):
                yield from self.library.papers(snapshot, rows[start : start + _BATCH_PAPERS])

    def _service_counts(self, ids: Sequence[PaperId]) -> list[tuple[ServiceCount, ...]]:
        """Per paper, what the services that know it counted, in the order of `COUNT_SOURCES`."""
        try:
            answers_of = self.store.answers(ids)
        except LibraryError:
            return [()] * len(ids)
        return [
            tuple(
                ServiceCount(answer.source, answer.count, answer.date, answer.by_year)
                for answer in (answers[source] for source in COUNT_SOURCES if source in answers)
                if answer.count is not None
            )
            for answers in answers_of
        ]

    def _graph_counts(self, ids: Sequence[PaperId]) -> list[int]:
        try:
            return [cited.papers for cited in self.graph().counts(ids)]
        except LibraryError:
            # A database that cannot be read costs these counts, not the answer.
            return [0] * len(ids)

    def _leading_source(self) -> CountSource | None:
        """The service that counts most papers; `None` where none counts any."""
        papers_by_source = {source: len(self.store.numbers(source)) for source in COUNT_SOURCES}
        best = max(COUNT_SOURCES, key=lambda source: papers_by_source[source])
        return best if papers_by_source[best] else None

    def _largest_counts(self) -> dict[PaperId, int]:
        try:
            graph: CitationGraph | None = self.graph()
        except LibraryError:
            graph = None
        version = self.store.version()
        if self._known is None or self._known[0] != version or self._known[1] is not graph:
            largest = dict(graph.citing_paper_counts()) if graph is not None else {}
            for source in COUNT_SOURCES:
                for paper, count in self.store.numbers(source).items():
                    largest[paper] = max(largest.get(paper, 0), count)
            self._known = (version, graph, largest)
        return self._known[2]


def _answer(paper: Paper, source: CountSource, count: ServiceCount | None, today: str) -> CountAnswer:
    if count is None:
        return CountAnswer(paper.id, source, today, None)
    return CountAnswer(paper.id, source, count.date, count.count, count.by_year)
