"""`0`: home. What is new, half read, unfinished, kept in step, and was decided last; every row leads somewhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from textual.widget import Widget

from litterm.model.overview import Home
from litterm.tui.context import WorkbenchContext
from litterm.tui.home.actions import HomeActions
from litterm.tui.home.pane import HomePane
from litterm.tui.home.rows import Thing
from litterm.tui.home.sections import HomeState
from litterm.tui.layout.plan import LayoutShape
from litterm.tui.state import DecisionKey
from litterm.tui.textual_compat import ActionTarget

GROUP = "home"
NOTHING = "No row here."


@dataclass(frozen=True, slots=True)
class _Before:
    """What was on the screen when home was opened."""

    shape: LayoutShape
    focused: Widget | None


class HomeController(ActionTarget):
    """Gathers home in the background, keeps it up to date while it is shown, and goes where its rows lead."""

    def __init__(self, stage: WorkbenchContext, keep: Callable[[], None], errands: HomeActions) -> None:
        """`keep` saves the session: what is being read now is half read too."""
        self._stage = stage
        self._keep = keep
        self.errands = errands
        self._before: _Before | None = None
        self._running: frozenset[str] = frozenset()
        errands.changed = self.refresh
        stage.work.hearers.append(self._heard)

    @property
    def here(self) -> bool:
        """Whether home is shown."""
        return self._stage.focus == "home"

    def action_toggle(self) -> None:
        """Home over the workbench, which stays as it is; or back to that."""
        if self.here:
            self.action_leave()
        else:
            self._open()

    def _open(self) -> None:
        stage = self._stage
        self._before = _Before(stage.board.shape, stage.screen.focused)
        stage.reshape(focus="home", zoomed=None)
        if stage.home is None:
            stage.home = HomePane(stage.glyphs)
            stage.board.mount(stage.home)
        else:
            stage.home.enter()
        self.refresh()

    def action_leave(self) -> None:
        """Back to the workbench as it was."""
        before, self._before = self._before, None
        if before is None:
            self._stage.focus_pane("results")
            return
        self._stage.reshape(**{name: getattr(before.shape, name) for name in ("focus", "main", "zoomed", "hidden")})
        if before.focused is not None and before.focused.is_attached:
            before.focused.focus(scroll_visible=False)
        else:
            self._stage.focus_pane(before.shape.focus)

    def project_changed(self) -> None:
        """Shows the project in use in the status line, and what it holds at home."""
        self._stage.work.tell()
        self.refresh()

    def refresh(self) -> None:
        """Gather it anew, if it is shown."""
        if self.here:
            self._keep()
            self._stage.work.start(GROUP, "looking at home", self._stage.engine.home, self._show)

    def _show(self, found: Home) -> None:
        if self._stage.home is not None:
            self._stage.home.state = HomeState(found, self._stage.work.told, self._stage.queue.rows)

    def _heard(self) -> None:
        """A job has moved on; one that has ended may have changed anything."""
        home = self._stage.home
        if not self.here or home is None:
            return
        jobs = self._stage.work.told
        queued = self._stage.queue.rows
        if home.state is not None and (home.state.jobs, home.state.queued) != (jobs, queued):
            home.state = HomeState(home.state.found, jobs, queued)
        running = frozenset(job.group for job in jobs)
        ended, self._running = self._running - running, running
        if ended:
            self.refresh()

    def _with_current(self, deed: Callable[[Thing], None]) -> None:
        thing = self._stage.home.current if self._stage.home is not None else None
        if thing is None:
            self._stage.tell(NOTHING)
        else:
            deed(thing)

    def action_enter(self) -> None:
        """Open what the cursor stands on."""
        self._with_current(self.errands.enter)

    def action_again(self) -> None:
        """Go on with it, or try it again."""
        self._with_current(self.errands.again)

    def action_decide(self, key: DecisionKey) -> None:
        """`x` stops or drops it; there is nothing to accept."""
        if key == "accept":
            self._stage.tell("Nothing to accept here: enter opens it.")
        else:
            self._with_current(self.errands.drop)

    def action_why(self) -> None:
        """All of it."""
        self._with_current(self.errands.why)

    def action_step(self, step: int) -> None:
        """The next section, or the one before."""
        if self._stage.home is not None:
            self._stage.home.step(step)

    def action_sideways(self, step: int) -> None:
        """The column beside; on the left of the first is the workbench."""
        if self._stage.home is not None and not self._stage.home.sideways(step):
            if step > 0:
                self.action_enter()
            else:
                self.action_leave()
