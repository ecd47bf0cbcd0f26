"""How often a paper is cited: within the library, and in the world as each service counts it. Never added up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from litterm.model.paper import PaperId

CountSource = Literal["s2", "openalex", "europepmc", "crossref", "acl-network"]
"""A service, or the ACL Anthology Network, whose counts ship."""
COUNT_SOURCES: tuple[CountSource, ...] = ("s2", "openalex", "europepmc", "crossref")
"""The services that count citations, in the order in which they are asked and shown."""


@dataclass(frozen=True, slots=True)
class ServiceCount:
    """What one service, or the ACL Anthology Network, said of one paper on one day."""

    source: CountSource
    count: int
    date: str
    """The day it was asked, UTC, ISO 8601; of the Network the last year of the papers that were counted."""
    by_year: tuple[tuple[int, int], ...] = ()
    """Year and citations in it, ascending; a year without any may be missing, and so may all before the first."""

    def until(self, year: int) -> int | None:
        """Citations up to the end of `year`; `None` where the service does not tell."""
        # Nothing is newer than the day of the answer, whether or not the service gives years.
        if not self.count or year >= int(self.date[:4]):
            return self.count
        by_year_sum = sum(count for _, count in self.by_year)
        later = sum(count for counted_year, count in self.by_year if counted_year > year)
        # OpenAlex tells the last ten years only: what is missing must be older than the first year told, or nobody
        # knows when.
        if by_year_sum == self.count or (self.by_year and year + 1 >= self.by_year[0][0]):
            return max(self.count - later, 0)
        return None


@dataclass(frozen=True, slots=True)
class PaperCounts:
    """Every count of one paper, kept separate."""

    library: int = 0
    """Papers of the library that cite it, as far as their references are known."""
    services: tuple[ServiceCount, ...] = ()
    """In the order of `COUNT_SOURCES`, then the ACL Anthology Network; what does not know the paper is missing."""

    @property
    def largest(self) -> int:
        """The largest of them: each counter misses some, so that many there are at least."""
        return max((self.library, *(service.count for service in self.services)))


@dataclass(frozen=True, slots=True)
class CounterReport:
    """The outcome of asking one service."""

    source: CountSource
    asked: int = 0
    """Papers it was asked about."""
    known: int = 0
    """Of these, papers it has a count of."""
    trouble: str = ""
    """Why it was not asked further, in one sentence; empty if it was."""
    transient: bool = False
    """Whether the trouble may pass by itself."""


@dataclass(frozen=True, slots=True)
class CountsReport:
    """The outcome of updating counts."""

    papers: int
    """Papers whose counts were to be updated."""
    fresh: int
    """Of these, papers of which every service that may know them had been asked lately."""
    services: tuple[CounterReport, ...] = ()


@dataclass(frozen=True, slots=True)
class CountAnswer:
    """What is kept of one question: a paper, a service, and its count or that it knows none."""

    paper: PaperId
    source: CountSource
    date: str
    count: int | None
    by_year: tuple[tuple[int, int], ...] = ()
