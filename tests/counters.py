"""Services that count citations, as tests want them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from litterm.core.errors import ServiceDown, SourceError
from litterm.core.tasks import Task
from litterm.model.citations.citation_counts import CountSource, ServiceCount
from litterm.model.events import Progress
from litterm.model.paper import Paper

DAY = "2026-11-23"


@dataclass
class Counter:
    """Fits `CitationCounter`; knows the counts it is given by id, and fails at the batch it is told to."""

    name: CountSource
    held: Mapping[str, int]
    max_papers_per_step: int = 2
    fails_at: int = -1
    trouble: SourceError = field(default_factory=lambda: ServiceDown("no luck"))
    asked: list[list[str]] = field(default_factory=list)

    @property
    def about(self) -> list[str]:
        """Every paper it was asked about, in order."""
        return [paper for batch in self.asked for paper in batch]

    def can_count(self, paper: Paper) -> bool:
        return not paper.id.startswith("local:")

    def fetch_counts(self, papers: Sequence[Paper]) -> Task[tuple[ServiceCount | None, ...]]:
        yield Progress("asking")
        if len(papers) > self.max_papers_per_step:
            raise AssertionError("more papers than it may be asked about")
        if len(self.asked) == self.fails_at:
            raise self.trouble
        self.asked.append([paper.id for paper in papers])
        counts = [self.held.get(paper.id) for paper in papers]
        return tuple(None if count is None else ServiceCount(self.name, count, DAY) for count in counts)
