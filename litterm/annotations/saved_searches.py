"""The verb *watch*: searches that are kept, and the papers of each that are new since it was last looked at."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from litterm.annotations.journal_codec import RegisterChange
from litterm.annotations.undo_log import UndoLog
from litterm.core.errors import UsageError
from litterm.core.tasks import Task
from litterm.model.overview import NewPapers
from litterm.model.paper import Paper, PaperId
from litterm.model.search import Ranking

MOST = 500
"""The best papers of a query that count as its papers: what ranks lower is seldom about it."""
_KEPT = "kept"


class SavedSearches:
    """The watches of the project in use; each verb is durable when it returns."""

    def __init__(
        self, undo_log: UndoLog, project: Callable[[], str], search: Callable[[str, int], Task[Ranking]]
    ) -> None:
        """`project` names the one in use; `search` gives the best papers of a query."""
        self._undo_log = undo_log
        self._project = project
        self._search = search

    def all(self) -> tuple[str, ...]:
        """The queries watched, the newest last."""
        return tuple(query for query, _ in self._undo_log.state().places("watch", self._key()))

    def add(self, query: str) -> Task[bool]:
        """Watches `query` from now on: what it finds today is not new. Whether it was not watched before.

        Raises:
            UsageError: it is blank.
            QueryError: it cannot be read as a query.
        """
        query = _squeezed(query)
        if not query:
            raise UsageError("Give a query to watch.")
        if query in self.all():
            return False
        papers = yield from self._papers(query)
        # Before the watch itself: killed in between, nothing is watched, and nothing will be told as new that is not.
        self._look(query, papers)
        return self._undo_log.write(f"watched “{query}”", [RegisterChange("watch", self._key(), _KEPT, query)])

    def forget(self, query: str) -> bool:
        """Watches `query` no more; whether it was watched."""
        query = _squeezed(query)
        return self._undo_log.write(f"no longer watched “{query}”", [RegisterChange("watch", self._key(), None, query)])

    def news(self) -> Task[tuple[NewPapers, ...]]:
        """What is new in each watch; asks nobody, the papers are those of the library."""
        news = []
        for query in self.all():
            news.append((yield from self._news(query)))
        return tuple(news)

    def look(self, query: str) -> Task[NewPapers]:
        """What is new in the watch on `query`; from now on that is no longer new.

        Raises:
            UsageError: `query` is not watched.
        """
        query = _squeezed(query)
        if query not in self.all():
            raise UsageError(f"“{query}” is not watched.")
        news = yield from self._news(query)
        if news.papers:
            self._look(query, (yield from self._papers(query)))
        return news

    def _news(self, query: str) -> Task[NewPapers]:
        papers = yield from self._papers(query)
        # Times alone do not tell: an import gives all its papers the same one.
        until, seen = self._undo_log.state().looked.get((self._key(), query), ("", frozenset()))
        new = [
            paper for paper in papers if (since := _since(paper)) > until or (since == until and paper.id not in seen)
        ]
        return NewPapers(query, tuple(sorted(new, key=_since, reverse=True)))

    def _papers(self, query: str) -> Task[tuple[Paper, ...]]:
        ranking = yield from self._search(query, MOST)
        return tuple(ranked.paper for ranked in ranking.papers if not ranked.starter)

    def _look(self, query: str, papers: Sequence[Paper]) -> None:
        # An import stamps all its papers with one time: those of it that were there are named.
        until = max(map(_since, papers), default="")
        self._undo_log.look(self._key(), query, until, [paper.id for paper in papers if _since(paper) == until])

    def _key(self) -> PaperId:
        return PaperId(f"project:{self._project()}")


def _since(paper: Paper) -> str:
    """When litterm first saw it; kept when records are merged."""
    return paper.provenance.imported_at


def _squeezed(query: str) -> str:
    return " ".join(query.split())
