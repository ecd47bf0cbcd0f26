"""Watches for changes of the library by other processes, and shows them once they have finished writing."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from dataclasses import replace
from time import strftime

from litterm.core.errors import LittermError
from litterm.core.tasks import Task
from litterm.model.events import Progress
from litterm.model.library import LibraryStatus
from litterm.model.paper import PaperId
from litterm.tui.context import WorkbenchContext

POLL_INTERVAL_S = 2.0
"""Seconds between two looks at the library."""
_log = logging.getLogger(__name__)


class LibraryWatch:
    """Counts the library at intervals; results change only after the writing, so that no list moves meanwhile."""

    def __init__(
        self,
        context: WorkbenchContext,
        show: Callable[[LibraryStatus, str], None],
        changed: Callable[[], None],
        failed: Callable[[LittermError | None], None],
    ) -> None:
        """`show` gets the counts and since when they are what is shown; `changed` says that papers came in.

        `failed` gets why the library cannot be counted, and `None` once it can be again.
        """
        self._context = context
        self._show = show
        self._on_change = changed
        self._on_failure = failed
        self._generation = 0
        """Of the library as the results show it."""
        self._since = ""
        self._failure = ""
        self._damage = self._shown_damage = ""
        """The notice of damage, and the one that was shown last."""
        self._mine: frozenset[PaperId] = frozenset()

    def refresh(self) -> None:
        """Count again, in the background."""
        # No notice of a failure: a look every two seconds would fill the screen with them.
        self._context.work.start("status", "counting", self._count, self._on_status, failed=self._count_failed)

    def _count(self) -> Task[LibraryStatus]:
        yield Progress("counting")
        # Here, in a thread: the look at the segments may have to open some.
        engine = self._context.engine
        self._damage = engine.damage_notice()
        status = engine.status()
        mine = engine.import_index.mine()
        # Where all papers are the user's own, a mark at each says nothing.
        self._mine = mine if len(mine) < status.papers else frozenset()
        return status

    def _count_failed(self, error: LittermError) -> None:
        # Once: a server that is away for a night would fill the log.
        if str(error) != self._failure:
            self._failure = str(error)
            _log.warning("status: %s", error)
            self._on_failure(error)

    def _on_status(self, status: LibraryStatus) -> None:
        self._context.results.show_mine(self._mine)
        # Once, and without a search: files are verified in the background, after the one that has used them.
        if self._damage and self._damage != self._shown_damage:
            self._context.tell(self._damage, warn=True)
        self._shown_damage = self._damage
        if self._failure:
            self._failure = ""
            self._on_failure(None)
        if status.generation != self._generation and not status.writer:
            self.mark_shown(status)
            self._on_change()
        else:
            self._show(replace(status, writer=other_writer(status)), self._since)

    def mark_shown(self, status: LibraryStatus) -> None:
        """Note that the results show the library at this `status`."""
        self._generation, self._since = status.generation, strftime("%H:%M")
        self._show(replace(status, writer=other_writer(status)), self._since)


def other_writer(status: LibraryStatus) -> str:
    """The process that is writing to the library, unless it is this one."""
    return "" if f"(process {os.getpid()}," in status.writer else status.writer
