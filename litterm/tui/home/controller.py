"""The home screen (`0`): new matches, papers to continue, jobs, subscriptions and recent activity."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from textual.widget import Widget

from litterm.model.overview import HomeOverview
from litterm.tui.context import WorkbenchContext
from litterm.tui.home.actions import HomeActions
from litterm.tui.home.pane import HomePane
from litterm.tui.home.rows import HomeItem
from litterm.tui.home.sections import HomeState
from litterm.tui.input.action_target import ActionTarget
from litterm.tui.layout.plan import LayoutShape
from litterm.tui.session import SessionController
from litterm.tui.state import DecisionKey

HOME_GROUP = "home"
NO_ROW = "No row here."


@dataclass(frozen=True, slots=True)
class _ScreenBefore:
    """What was on the screen when home was opened."""

    shape: LayoutShape
    focused: Widget | None


class HomeController(ActionTarget):
    """Loads home in the background, updates it while it is shown, and runs actions on its rows."""

    def __init__(self, context: WorkbenchContext, session: SessionController, home_actions: HomeActions) -> None:
        self._context = context
        self._session = session
        self.home_actions = home_actions
        self._before: _ScreenBefore | None = None
        self._running: frozenset[str] = frozenset()
        home_actions.change_listeners.append(self.refresh)
        context.work.listeners.append(self._on_jobs_changed)

    @property
    def is_open(self) -> bool:
        """Whether home is shown."""
        return self._context.focus == "home"

    def action_toggle(self) -> None:
        """Show home over the workbench, or go back."""
        if self.is_open:
            self.action_leave()
        else:
            self._open()

    def _open(self) -> None:
        context = self._context
        self._before = _ScreenBefore(context.board.shape, context.screen.focused)
        context.reshape(focus="home", zoomed=None)
        if context.home is None:
            context.home = HomePane(context.glyphs)
            context.board.mount(context.home)
        else:
            context.home.take_focus()
        self.refresh()

    def action_leave(self) -> None:
        """Back to the workbench as it was."""
        before, self._before = self._before, None
        if before is None:
            self._context.focus_pane("results")
            return
        # Only what home changed: while it was open a paper may have been opened or evidence found.
        self._context.reshape(**{name: getattr(before.shape, name) for name in ("focus", "main", "zoomed", "hidden")})
        if before.focused is not None and before.focused.is_attached:
            before.focused.focus(scroll_visible=False)
        else:
            self._context.focus_pane(before.shape.focus)

    def project_changed(self) -> None:
        """Shows the project in use in the status line, and what it holds at home."""
        self._context.work.notify()
        self.refresh()

    def refresh(self) -> None:
        """Load home again if it is shown."""
        if self.is_open:
            # First, as home reads from disk what is half read.
            self._session.save()
            self._context.work.start(HOME_GROUP, "loading home", self._context.engine.home, self._show)

    def _show(self, overview: HomeOverview) -> None:
        if self._context.home is not None:
            self._context.home.state = HomeState(overview, self._context.work.announced_jobs, self._context.queue.rows)

    def _on_jobs_changed(self) -> None:
        """Show the progress of jobs; load home again when one has ended."""
        home = self._context.home
        if not self.is_open or home is None:
            return
        jobs = self._context.work.announced_jobs
        queued = self._context.queue.rows
        # Listeners hear of every event of every job; most change nothing that is shown.
        if home.state is not None and (home.state.jobs, home.state.queued) != (jobs, queued):
            home.state = HomeState(home.state.overview, jobs, queued)
        running = frozenset(job.group for job in jobs)
        # Gathered again only at the end of a job, as its result may be a row of any section.
        ended, self._running = self._running - running, running
        if ended:
            self.refresh()

    def _with_current(self, action: Callable[[HomeItem], None]) -> None:
        item = self._context.home.current if self._context.home is not None else None
        if item is None:
            self._context.tell(NO_ROW)
        else:
            action(item)

    def action_enter(self) -> None:
        """Open the current item."""
        self._with_current(self.home_actions.enter)

    def action_retry(self) -> None:
        """Go on with it, or try it again."""
        self._with_current(self.home_actions.retry)

    def action_decide(self, key: DecisionKey) -> None:
        """Stop or drop the current item with `x`; nothing can be accepted here."""
        if key == "accept":
            self._context.tell("Nothing to accept here: enter opens it.")
        else:
            self._with_current(self.home_actions.drop)

    def action_why(self) -> None:
        """Show all details of the current item."""
        self._with_current(self.home_actions.explain)

    def action_step(self, step: int) -> None:
        """The next section, or the one before."""
        if self._context.home is not None:
            self._context.home.move_to_section(step)

    def action_sideways(self, step: int) -> None:
        """Go to the column beside; left of the first is the workbench."""
        if self._context.home is not None and not self._context.home.move_sideways(step):
            if step > 0:
                self.action_enter()
            else:
                self.action_leave()
