"""`W`: watching a search, and no longer."""

from __future__ import annotations

from litterm.tui.context import WorkbenchContext
from litterm.tui.home.controller import HomeController
from litterm.tui.input.action_target import ActionTarget
from litterm.tui.input.command_line import Command
from litterm.tui.jobs.queue import JobOrder, JobReport


class SavedSearchController(ActionTarget):
    """Begins and ends watches; home says what is new in them."""

    def __init__(self, context: WorkbenchContext, home: HomeController) -> None:
        self._context = context
        self._home = home

    def command(self) -> Command:
        """`:forget-watch QUERY`."""
        return Command("forget-watch", "stop watching a search", self.forget, "QUERY", self.names)

    def action_add(self) -> None:
        """Watch this search from now on."""
        context = self._context
        # One query, however its blanks and lines were typed, is one watch.
        query = " ".join(context.query.state.text.split())
        if not query or context.query.state.sample:
            context.tell("Search first: W watches the current search.")
            return

        def on_added(is_new: bool) -> JobReport:
            sentence = (
                f"Watching “{query}”. New matches appear on Home (0)." if is_new else f"“{query}” is already watched."
            )
            context.tell(sentence)
            self._home.refresh()
            return JobReport(sentence)

        context.queue.add(
            JobOrder("watch", "starting to watch", lambda: context.engine.saved_searches.add(query), on_added)
        )

    def names(self) -> tuple[str, ...]:
        """What `:forget-watch` can be completed to."""
        return self._context.engine.saved_searches.all()

    def forget(self, query: str) -> None:
        """Watch a search no more."""
        forgotten = self._context.attempt(lambda: self._context.engine.saved_searches.forget(query))
        self._context.tell(f"“{query}” is no longer watched." if forgotten else f"“{query}” is not watched.")
        self._home.refresh()
