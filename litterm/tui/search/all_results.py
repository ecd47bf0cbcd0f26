"""All papers of the results, also those whose rows have not been fetched: for exports, matrices and selections."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from litterm.core.tasks import Task
from litterm.model.events import Progress
from litterm.model.paper import Paper
from litterm.model.search import Ranking
from litterm.tui.context import WorkbenchContext
from litterm.tui.search.controller import GATHER_GROUP, SearchController
from litterm.tui.search.results_pane import passes_filter
from litterm.tui.state import ResultsState


@dataclass(frozen=True, slots=True)
class ResultPapers:
    """The papers of the results as they are at one moment."""

    fetched: tuple[Paper, ...]
    """Of the rows shown, without those that the library does not hold."""
    state: ResultsState
    search: Callable[[int], Task[Ranking]] | None
    """Searches again for so many papers; `None` where every row is there."""

    @property
    def is_complete(self) -> bool:
        """Whether `fetched` are all of them."""
        return self.search is None

    @property
    def count(self) -> int | None:
        """How many papers there are; `None` where rows are filtered and some of them have not been fetched."""
        if self.is_complete:
            return len(self.fetched)
        # Rows of a service are not counted as results.
        hidden = sum(not row.online for row in self.state.rows) - len(self.fetched)
        return None if self.state.only else self.state.result_count - hidden

    def gather(self) -> Task[tuple[Paper, ...]]:
        """Every paper: those of the rows in their order, then the others in the order of the search."""
        if self.search is None:
            yield Progress("taking the results")
            return self.fetched
        ranking = yield from self.search(self.state.result_count)
        known = {row.paper.id for row in self.state.rows}
        others = (ranked.paper for ranked in ranking.papers if ranked.paper.id not in known)
        return (*self.fetched, *(paper for paper in others if passes_filter(paper, self.state.only)))


class AllResults:
    """Gives the papers of the results to those who act on all of them."""

    def __init__(self, context: WorkbenchContext, search: SearchController) -> None:
        self._context = context
        self._search = search

    def now(self) -> ResultPapers:
        """The papers of the results as they are now."""
        results = self._context.results
        state = results.state
        fetched = tuple(row.paper for row in results.shown if row.held)
        local_count = sum(not row.online for row in state.rows)
        is_partial = state.source == "search" and local_count < state.result_count
        return ResultPapers(fetched, state, self._search.search_again if is_partial else None)

    def take(self, what: str, use: Callable[[tuple[Paper, ...]], None]) -> None:
        """Call `use` with every paper: at once if all rows are there, else after a search in the background."""
        papers = self.now()
        if papers.is_complete:
            use(papers.fetched)
        else:
            self._context.work.start(GATHER_GROUP, what, papers.gather, use)
