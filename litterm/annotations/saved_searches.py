"""Watches: saved searches with the papers that are new since each was last viewed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from litterm.annotations.journal_codec import RegisterChange
from litterm.annotations.undo_log import UndoLog
from litterm.core.errors import UsageError
from litterm.core.tasks import Task
from litterm.model.overview import NewPapers
from litterm.model.paper import Paper, PaperId
from litterm.model.search import Ranking

MAX_PAPERS = 500
"""Number of best results that count for a watch; papers below are seldom relevant."""
_SAVED_VALUE = "kept"


class SavedSearches:
    """The watches of the current project; every change is durable when the method returns."""

    def __init__(
        self, undo_log: UndoLog, project: Callable[[], str], search: Callable[[str, int], Task[Ranking]]
    ) -> None:
        """`project` returns the key of the current project, `search` the best papers for a query."""
        self._undo_log = undo_log
        self._project = project
        self._search = search

    def all(self) -> tuple[str, ...]:
        """The watched queries, the newest last."""
        return tuple(query for query, _ in self._undo_log.state().places("watch", self._register_key()))

    def add(self, query: str) -> Task[bool]:
        """Watches `query`; what it finds now is not new. Returns whether it was not watched before.

        Raises:
            UsageError: it is blank.
            QueryError: it cannot be read as a query.
        """
        query = _collapse_spaces(query)
        if not query:
            raise UsageError("Give a query to watch.")
        if query in self.all():
            return False
        papers = yield from self._find_papers(query)
        # Before the watch is saved: after a kill in between, nothing is reported as new by mistake.
        self._mark_seen(query, papers)
        return self._undo_log.write(
            f"watched “{query}”", [RegisterChange("watch", self._register_key(), _SAVED_VALUE, query)]
        )

    def forget(self, query: str) -> bool:
        """Stops watching `query`. Returns whether it was watched."""
        query = _collapse_spaces(query)
        return self._undo_log.write(
            f"no longer watched “{query}”", [RegisterChange("watch", self._register_key(), None, query)]
        )

    def news(self) -> Task[tuple[NewPapers, ...]]:
        """New papers of each watch, from the library alone."""
        news = []
        for query in self.all():
            news.append((yield from self._find_news(query)))
        return tuple(news)

    def take_news(self, query: str) -> Task[NewPapers]:
        """Returns the new papers of the watch on `query`, and marks them as seen.

        Raises:
            UsageError: `query` is not watched.
        """
        query = _collapse_spaces(query)
        if query not in self.all():
            raise UsageError(f"“{query}” is not watched.")
        news = yield from self._find_news(query)
        if news.papers:
            self._mark_seen(query, (yield from self._find_papers(query)))
        return news

    def _find_news(self, query: str) -> Task[NewPapers]:
        papers = yield from self._find_papers(query)
        # Times are not enough: all papers of an import have the same one.
        until, seen = self._undo_log.state().seen_by_watch.get((self._register_key(), query), ("", frozenset()))
        new = [
            paper
            for paper in papers
            if (since := _first_seen(paper)) > until or (since == until and paper.id not in seen)
        ]
        return NewPapers(query, tuple(sorted(new, key=_first_seen, reverse=True)))

    def _find_papers(self, query: str) -> Task[tuple[Paper, ...]]:
        ranking = yield from self._search(query, MAX_PAPERS)
        return tuple(ranked.paper for ranked in ranking.papers if ranked.is_own)

    def _mark_seen(self, query: str, papers: Sequence[Paper]) -> None:
        # All papers of an import have the same time, so those already seen of the newest import are listed.
        until = max(map(_first_seen, papers), default="")
        self._undo_log.mark_watch_seen(
            self._register_key(), query, until, [paper.id for paper in papers if _first_seen(paper) == until]
        )

    def _register_key(self) -> PaperId:
        return PaperId(f"project:{self._project()}")


def _first_seen(paper: Paper) -> str:
    """When the paper was first imported; merging records keeps that."""
    return paper.provenance.imported_at


def _collapse_spaces(query: str) -> str:
    return " ".join(query.split())
