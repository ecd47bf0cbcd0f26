"""`W`: watching a search, and no longer."""

from __future__ import annotations

from collections.abc import Callable

from litterm.tui.context import WorkbenchContext
from litterm.tui.jobs.queue import JobOrder, JobReport
from litterm.tui.textual_compat import ActionTarget


class SavedSearchController(ActionTarget):
    """Begins and ends watches; home says what is new in them."""

    def __init__(self, stage: WorkbenchContext, changed: Callable[[], None]) -> None:
        self._stage = stage
        self._changed = changed

    def action_add(self) -> None:
        """Watch this search from now on."""
        stage = self._stage
        query = " ".join(stage.query.state.text.split())
        if not query or stage.query.state.sample:
            stage.tell("Search first: W watches the current search.")
            return

        def added(new: bool) -> JobReport:
            told = f"Watching “{query}”. New matches appear on Home (0)." if new else f"“{query}” is already watched."
            stage.tell(told)
            self._changed()
            return JobReport(told)

        stage.queue.add(JobOrder("watch", "starting to watch", lambda: stage.engine.watching.add(query), added))

    def names(self) -> tuple[str, ...]:
        """What `:forget-watch` can be completed to."""
        return self._stage.engine.watching.all()

    def forget(self, query: str) -> None:
        """Watch a search no more."""
        gone = self._stage.attempt(lambda: self._stage.engine.watching.forget(query))
        self._stage.tell(f"“{query}” is no longer watched." if gone else f"“{query}” is not watched.")
        self._changed()
