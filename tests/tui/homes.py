"""Watches and projects in memory, for workbenches without a library."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from litterm.engine.curating import Curating
from litterm.engine.ledger import Ledger
from litterm.engine.projects import Projects
from litterm.engine.watching import Watching
from litterm.model.events import Progress
from litterm.model.home import Home
from litterm.tasks import Task


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


class AtHome:
    """The verbs of `tui.home_verbs`, for an engine that can search and knows papers."""

    watching: Watching
    curating: Curating

    def settle_at_home(self) -> None:
        """To be called once the engine is there."""
        ledger = Ledger(NoJournal())

        def search(query, k):  # type: ignore[no-untyped-def]
            return self.search(self.parse(query), k=k)  # type: ignore[attr-defined]

        self.watching = Watching(ledger, lambda: "", search)
        self.curating = Curating(ledger, lambda: self, tuple)  # type: ignore[arg-type, return-value]

    def home(self) -> Task[Home]:
        yield Progress("looking at home")
        return Home("")


def no_projects() -> Projects:
    return Projects(Ledger(NoJournal()), NoSession())
