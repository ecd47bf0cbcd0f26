"""`W`: watching a search, and no longer."""

from __future__ import annotations

from collections.abc import Callable

from litterm.tui.job_queue import JobOrder, Report
from litterm.tui.stage import Stage


class Watches:
    """Begins and ends watches; home says what is new in them."""

    def __init__(self, stage: Stage, changed: Callable[[], None]) -> None:
        self._stage = stage
        self._changed = changed

    def add(self) -> None:
        """Watch this search from now on."""
        stage = self._stage
        query = " ".join(stage.query.state.text.split())
        if not query or stage.query.state.sample:
            stage.tell("Search first: what is searched is watched.")
            return

        def added(new: bool) -> Report:
            told = f"Watching “{query}”. Home (0) tells what is new." if new else f"“{query}” is watched already."
            stage.tell(told)
            self._changed()
            return Report(told)

        stage.queue.add(JobOrder("watch", "beginning to watch", lambda: stage.engine.watching.add(query), added))

    def names(self) -> tuple[str, ...]:
        """What `:forget-watch` can be completed to."""
        return self._stage.engine.watching.all()

    def forget(self, query: str) -> None:
        """Watch a search no more."""
        gone = self._stage.attempt(lambda: self._stage.engine.watching.forget(query))
        self._stage.tell(f"“{query}” is watched no more." if gone else f"“{query}” is not watched.")
        self._changed()
