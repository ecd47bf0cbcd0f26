"""`:sync`: collections of services into the library while one reads on."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from litterm.errors import LittermError
from litterm.model.sources import Scope, Synced
from litterm.render.subscribed import title
from litterm.tasks import Task
from litterm.tui.commanding import Command
from litterm.tui.leaving import SERVICES, Leaving, asked
from litterm.tui.stage import Stage
from litterm.tui.steps import counting

GROUP = "sync"
_ALL = "all"


class Syncing:
    """One synchronisation at a time; what it stored stays when it is stopped, and the next goes on from there."""

    def __init__(self, stage: Stage, leaving: Leaving, changed: Callable[[], None]) -> None:
        self._stage = stage
        self._leaving = leaving
        self._changed = changed

    def named(self, typed: str) -> None:
        """`:sync acl`, `:sync arxiv QUERY`, `:sync all`."""
        name, _, query = typed.strip().partition(" ")
        if name == _ALL:
            self.all()
        elif self._leaving.may(asked(name) if name in SERVICES else f"{name} is sent", "what you look for there"):
            sources, scope = self._stage.engine.sources, Scope(query.strip())

            def task() -> Task[tuple[Synced, ...]]:
                return ((yield from sources.sync(name, scope)),)

            self._begin(f"sync {name}", task)

    def all(self, *, quiet: bool = False) -> None:
        """Everything that is subscribed, once more; without network or subscriptions `quiet` says nothing."""
        subscribed = self._stage.attempt(self._stage.engine.sources.subscriptions) or ()
        if not subscribed:
            if not quiet:
                self._stage.tell("Nothing is subscribed yet: `:sync acl`, or `:sync arxiv QUERY`.")
            return
        who = ", ".join(dict.fromkeys(SERVICES.get(each.source, (each.source, ""))[0] for each in subscribed))
        if self._leaving.may(f"{who} are asked,", "and sent what you subscribed to", quiet=quiet):
            self._begin("sync", self._stage.engine.sources.sync_all)

    def at_start(self) -> None:
        """What the setting `sync_at_start` does, once the first frame is there."""
        if self._stage.settings.sync_at_start:
            self.all(quiet=True)

    def commands(self) -> tuple[Command, ...]:
        """What `:` knows of it."""
        names = (*(f"{name} " for name in ("acl", "iclr", "pmc", "arxiv", "s2")), _ALL)
        return (
            Command("sync", "keep a collection of a service in step", self.named, "SOURCE [QUERY]", lambda: names),
            Command("sync", "bring what is subscribed up to date", lambda _: self.all()),
        )

    def _begin(self, what: str, task: Callable[[], Task[tuple[Synced, ...]]]) -> None:
        self._stage.work.start(GROUP, what, lambda: counting(task(), "sync "), self._done, failed=self._failed)

    def _done(self, done: tuple[Synced, ...]) -> None:
        trouble = [f"{title(each.subscription)}: {each.trouble}" for each in done if each.trouble]
        if trouble:
            self._stage.failed_group = GROUP
            self._stage.tell(f"{_counted(done)}. {trouble[0]} What was stored stays; `.` goes on.", warn=True)
        else:
            self._stage.tell(f"{_counted(done)}.", warn=any(each.report.failures for each in done))
        self._changed()

    def _failed(self, error: LittermError) -> None:
        self._stage.failed_group = GROUP
        self._stage.tell(str(error), warn=True)


def _counted(done: Sequence[Synced]) -> str:
    counts = (
        (sum(each.report.added for each in done), "added"),
        (sum(each.report.merged for each in done), "gained something"),
        (sum(len(each.report.failures) for each in done), "failed: press !"),
    )
    told = ", ".join(f"{count:,} {what}" for count, what in counts if count) or "nothing new"
    return f"{', '.join(title(each.subscription) for each in done)}: {told}"
