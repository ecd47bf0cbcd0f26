"""The guided tour (`:tour`): five steps in a project of its own, each checked off when it is done."""

from __future__ import annotations

from collections.abc import Callable

from textual.timer import Timer

from litterm.tui.context import WorkbenchContext
from litterm.tui.input.command_line import Command
from litterm.tui.tour.strip import TOUR_STEPS, TourStrip

TOUR_PROJECT = "Guided tour"
CHECK_INTERVAL_S = 0.3


class TourController:
    """Watches the panes without changing them; decisions stay in the tour's project."""

    def __init__(self, context: WorkbenchContext, use: Callable[[str], None], exported: Callable[[], int]) -> None:
        """`use` switches to a project; `exported` counts what was copied or written."""
        self._context = context
        self._use = use
        self._exported = exported
        self._strip: TourStrip | None = None
        self._timer: Timer | None = None
        self._before = ""
        """The project to return to."""
        self._export_count = 0

    @property
    def is_open(self) -> bool:
        """Whether the checklist is on the screen."""
        return self._strip is not None

    def toggle(self) -> None:
        """Begin, continue or leave the tour."""
        projects = self._context.engine.annotations.projects
        if self.is_open:
            self._close()
            if projects.current == TOUR_PROJECT:
                self._use(self._before)
            return
        if projects.current != TOUR_PROJECT:
            self._before = projects.current
            self._use(TOUR_PROJECT)
        if self._context.tour >= len(TOUR_STEPS):
            self._context.tour = 0
        if self._strip is None:
            self._open()
        else:
            self._strip.show(self._context.tour)
        self._context.focus_pane("query", typing=True)

    def project_changed(self) -> None:
        """Close the checklist when another project is in use."""
        if self.is_open and self._context.engine.annotations.projects.current != TOUR_PROJECT:
            self._close()

    def resume(self) -> None:
        """Show the checklist at a start in the tour's project."""
        if (
            not self.is_open
            and self._context.engine.annotations.projects.current == TOUR_PROJECT
            and self._context.tour < len(TOUR_STEPS)
        ):
            self._open()

    def searches_starter_only(self) -> bool:
        """Whether only the starter library is searched, as the tour's project is in use."""
        return self._context.engine.annotations.projects.current == TOUR_PROJECT

    def command(self) -> Command:
        """The command `:tour`."""
        return Command("tour", "guided tour: five steps in a project of its own; again leaves it", self._run)

    def _run(self, _argument: str) -> None:
        self.toggle()

    def _open(self) -> None:
        context = self._context
        self._strip = TourStrip(context.glyphs)
        # Only what is exported from now on is a step of the tour.
        self._export_count = self._exported()
        context.screen.mount(self._strip)
        self._strip.show(context.tour)
        # By looking, so that no pane has to know of the tour.
        self._timer = context.screen.set_interval(CHECK_INTERVAL_S, self.check_steps)

    def _close(self) -> None:
        if self._strip is not None:
            self._strip.remove()
            self._strip = None
        if self._timer is not None:
            self._timer.stop()

    def check_steps(self) -> None:
        """Check off the steps that are done."""
        context = self._context
        while context.tour < len(TOUR_STEPS) and self._is_done(context.tour):
            context.tour += 1
            if self._strip is not None:
                self._strip.show(context.tour)
            if context.tour == len(TOUR_STEPS):
                context.tell("The tour is done: find, read, evidence, accept, export. :tour goes back to your project.")

    def _is_done(self, step: int) -> bool:
        context = self._context
        query, evidence = context.query.state, context.evidence.state
        match step:
            case 0:
                has_results = bool(query.text.strip()) and not query.sample and bool(context.results.state.rows)
                return has_results and context.focus != "query"
            case 1:
                return context.reader.state.document is not None
            case 2:
                return evidence.asked and not evidence.busy
            case 3:
                return bool(context.engine.annotations.quoted_papers())
            case _:
                return self._exported() > self._export_count or context.results.state.source == "cite"
