"""Watches and projects in memory, for workbenches without a library."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from litterm.annotations.collections import Collections
from litterm.annotations.duplicates import RecordCuration
from litterm.annotations.projects import Projects
from litterm.annotations.saved_searches import SavedSearches
from litterm.annotations.undo_log import UndoLog
from litterm.core.tasks import Task
from litterm.model.events import Progress
from litterm.model.overview import HomeOverview, UndoStep


class NoJournal:
    """What is written is gone."""

    def append(self, kind: str, body: Mapping[str, object]) -> None:
        return None

    def entries(self, since: object = None) -> Iterator[tuple[str, str, Mapping[str, object]]]:
        return iter(())

    def version(self) -> object:
        return 0


class NoSession:
    """An empty session, whatever was saved."""

    def load(self) -> Mapping[str, object]:
        return {}

    def save(self, body: Mapping[str, object]) -> None:
        return None


class FakeHome:
    """The home page of `Engine`, for an engine that can search and knows papers."""

    saved_searches: SavedSearches
    record_curation: RecordCuration

    def prepare_home(self) -> None:
        """To be called once the engine is there."""
        undo_log = UndoLog(NoJournal())

        def search(query, k):  # type: ignore[no-untyped-def]
            return self.search(self.parse(query), k=k)  # type: ignore[attr-defined]

        self.saved_searches = SavedSearches(undo_log, lambda: "", search)
        self.record_curation = RecordCuration(undo_log, lambda: self, tuple)  # type: ignore[arg-type, return-value]

    def home(self) -> Task[HomeOverview]:
        yield Progress("loading home")
        return HomeOverview("")

    def undo_steps(self) -> Task[tuple[UndoStep, ...]]:
        yield Progress("listing changes")
        return ()


def no_projects() -> Projects:
    return Projects(UndoLog(NoJournal()), NoSession())


def no_collections() -> Collections:
    """The user has none."""
    return Collections(UndoLog(NoJournal()))
