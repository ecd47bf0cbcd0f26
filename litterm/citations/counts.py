"""The verb *counts*: how often papers are cited, in the library and as services say, and bringing that up to date."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING

from litterm.core.errors import LibraryError, Offline, SourceError
from litterm.model.citation_counts import (
    COUNT_SOURCES,
    COUNTER_NAMES,
    CountAnswer,
    CounterReport,
    CountSource,
    CountsReport,
    PaperCounts,
    ServiceCount,
)
from litterm.model.events import Notice, Progress
from litterm.model.library import RowRef

if TYPE_CHECKING:
    from litterm.citations.count_storage import FileCounts
    from litterm.core.tasks import Task
    from litterm.interfaces import CitationCounter, CitationGraph, Library
    from litterm.model.paper import Paper, PaperId
    from litterm.model.search import Ranking
    from litterm.services.registry import ServiceRegistry

FRESH_DAYS = 30
"""For so long nobody is asked again about the same paper."""
_LAST_RESORT: CountSource = "crossref"
"""Asked about papers that no other service counts: it knows only references that publishers deposit."""
_UNKNOWN = -1e9
"""Puts what the counter does not know behind everything it does."""
_READ_AT_ONCE = 500


def _today() -> date:
    return datetime.now(UTC).date()


@dataclass(frozen=True, slots=True)
class _Course:
    """One service on its way through the papers."""

    counter: CitationCounter
    source: CountSource
    wanted: Sequence[Paper]


@dataclass(slots=True)
class CitationCounts:
    """Counts of papers; reads are cheap and ask nobody. Safe from any thread. Fits `interfaces.CitedPapers`."""

    store: FileCounts
    library: Library
    graph: Callable[[], CitationGraph]
    services: Callable[[], ServiceRegistry]
    today: Callable[[], date] = _today
    _known: tuple[object, object, dict[PaperId, int]] | None = field(default=None)
    """By the version of the store and the graph used, the largest count of every paper."""

    def of(self, ids: Sequence[PaperId]) -> tuple[PaperCounts, ...]:
        """Per paper, every count there is."""
        cited = self._graph_counts(ids)
        return tuple(PaperCounts(here, self._services(each)) for each, here in zip(ids, cited, strict=True))

    def until(self, ids: Sequence[PaperId], year: int) -> tuple[int | None, ...]:
        """Per paper, citations in the world up to the end of `year`; all by the service that tells of most."""
        held = [{each.source: each.until(year) for each in self._services(paper_id)} for paper_id in ids]
        told = {source: sum(each.get(source) is not None for each in held) for source in COUNT_SOURCES}
        best = max(COUNT_SOURCES, key=lambda source: told[source])
        return tuple(each.get(best) for each in held)

    def onto(self, ranking: Ranking) -> Ranking:
        """`ranking` with the counts of its papers."""
        found = self.of([each.paper.id for each in ranking.papers])
        papers = tuple(replace(each, cited=counts) for each, counts in zip(ranking.papers, found, strict=True))
        return replace(ranking, papers=papers)

    def cited_at_least(self, count: int) -> Collection[PaperId]:
        """The papers of which the largest count is `count` or more."""
        return [paper for paper, largest in self._largest().items() if largest >= count]

    def sort_keys(self, ids: Sequence[PaperId]) -> Sequence[float]:
        """By the service that counts most papers; what it does not know by the citations within the library."""
        here, leading = self._graph_counts(ids), self._leading()
        if leading is None:
            return [float(count) for count in here]
        world = self.store.numbers(leading)
        # What is below one only settles ties.
        return [
            world[paper] + count / (count + 1) if paper in world else _UNKNOWN + count
            for paper, count in zip(ids, here, strict=True)
        ]

    def counter(self) -> str:
        """By whose count `sort_keys` goes."""
        leading = self._leading()
        if leading is None:
            return "By citations within the library; `litterm sync counts` brings those of the world."
        return f"By citations as {COUNTER_NAMES[leading]} counts them, then by those within the library."

    def sync(self, papers: Sequence[Paper] | None = None) -> Task[CountsReport]:
        """Counts of `papers`, else of the whole library, from every service that may know them, in batches.

        What came is durable after each batch: whatever stops it, the next call goes on behind it. Who was asked about a
        paper within `FRESH_DAYS` is not asked again. Trouble of one service leaves the others going.

        Raises:
            Offline: the network is switched off.
            LibraryError: another litterm is at it.
        """
        services = self.services()
        services.refuse_offline("who counts citations")
        wanted = list(self._all() if papers is None else papers)
        told: list[CounterReport] = []
        with self.store.writing_alone():
            asked: set[PaperId] = set()
            for counter in services.counters:
                course = self._course(counter, wanted)
                asked.update(paper.id for paper in course.wanted)
                if course.wanted:
                    told.append((yield from self._follow(course)))
        return CountsReport(len(wanted), sum(paper.id not in asked for paper in wanted), tuple(told))

    def _course(self, counter: CitationCounter, papers: Sequence[Paper]) -> _Course:
        source = next(each for each in COUNT_SOURCES if each == counter.name)
        stale = (self.today() - timedelta(days=FRESH_DAYS)).isoformat()

        def is_wanted(paper: Paper) -> bool:
            if not counter.counts(paper):
                return False
            answers = self.store.of(paper.id)
            others = (each for name, each in answers.items() if name != source)
            if source == _LAST_RESORT and any(each.count is not None for each in others):
                return False
            return source not in answers or answers[source].date < stale

        return _Course(counter, source, [paper for paper in papers if is_wanted(paper)])

    def _follow(self, course: _Course) -> Task[CounterReport]:
        done = CounterReport(course.source)
        called, size = COUNTER_NAMES[course.source], course.counter.most_counted
        for start in range(0, len(course.wanted), size):
            yield Progress(f"citation counts, {called}", start, len(course.wanted))
            papers = course.wanted[start : start + size]
            try:
                found = yield from course.counter.cited(papers)
            except Offline:
                raise
            except SourceError as error:
                yield Notice(f"{called}: {error}")
                return replace(done, trouble=str(error), transient=error.transient)
            today = self.today().isoformat()
            told = zip(papers, found, strict=True)
            self.store.keep([_answer(paper, course.source, each, today) for paper, each in told])
            known = sum(each is not None for each in found)
            done = replace(done, asked=done.asked + len(papers), known=done.known + known)
        return done

    def _all(self) -> Iterator[Paper]:
        """Every paper of the library, the newest segments first: what came in last is asked about first."""
        snapshot = self.library.snapshot()
        for segment in reversed(snapshot.segments):
            hidden = frozenset(segment.shadowed)
            rows = [RowRef(segment.key, row) for row in range(segment.count) if row not in hidden]
            for start in range(0, len(rows), _READ_AT_ONCE):
                yield from self.library.papers(snapshot, rows[start : start + _READ_AT_ONCE])

    def _services(self, paper_id: PaperId) -> tuple[ServiceCount, ...]:
        answers = self.store.of(paper_id)
        told = (answers[source] for source in COUNT_SOURCES if source in answers)
        return tuple(
            ServiceCount(each.source, each.count, each.date, each.by_year) for each in told if each.count is not None
        )

    def _graph_counts(self, ids: Sequence[PaperId]) -> list[int]:
        try:
            return [each.papers for each in self.graph().counts(ids)]
        except LibraryError:
            # Derived data that cannot be read costs these counts, not the answer.
            return [0] * len(ids)

    def _leading(self) -> CountSource | None:
        """The service that counts most papers; `None` where none counts any."""
        held = {source: len(self.store.numbers(source)) for source in COUNT_SOURCES}
        best = max(COUNT_SOURCES, key=lambda source: held[source])
        return best if held[best] else None

    def _largest(self) -> dict[PaperId, int]:
        try:
            graph: CitationGraph | None = self.graph()
        except LibraryError:
            graph = None
        version = self.store.version()
        if self._known is None or self._known[0] != version or self._known[1] is not graph:
            found = dict(graph.cited()) if graph is not None else {}
            for source in COUNT_SOURCES:
                for paper, count in self.store.numbers(source).items():
                    found[paper] = max(found.get(paper, 0), count)
            self._known = (version, graph, found)
        return self._known[2]


def _answer(paper: Paper, source: CountSource, found: ServiceCount | None, today: str) -> CountAnswer:
    if found is None:
        return CountAnswer(paper.id, source, today, None)
    return CountAnswer(paper.id, source, found.date, found.count, found.by_year)
